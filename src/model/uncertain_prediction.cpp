// Predictions at latents that are known up to a normal distribution.
//
//   mean of f over x, and of one coordinate  E s^2(x) + Var f(x):  exact for a process on a lattice, else by
//   Gauss-Hermite nodes along each coordinate; with many coordinates by draws.
#include <cmath>

#include "core/format.h"
#include "core/random_streams.h"
#include "gp/lattice_posterior.h"
#include "wgp/model.h"

namespace wgp {
namespace {

// Of N(0, 1); exact for polynomials of degree 9.
constexpr double nodes[] = {-2.856970013872806, -1.355626179974266, 0, 1.355626179974266, 2.856970013872806};
constexpr double node_weights[] = {0.011257411327720689, 0.22207592200561264, 0.5333333333333333, 0.22207592200561264,
                                   0.011257411327720689};
constexpr Index most_coordinates_of_nodes = 3, draws = 500;

struct StandardPlaces {
  Matrix Z;        // q x count
  Vector weights;  // add up to 1
};
StandardPlaces standard_places(Index q) {
  if (q > most_coordinates_of_nodes) {
    Random random(0, stream::uncertain_latents);
    return {random.normals(q, draws), Vector::Constant(draws, 1.0 / static_cast<double>(draws))};
  }
  constexpr Index each = std::size(nodes);
  Index count = 1;
  for (Index j = 0; j < q; ++j) count *= each;
  StandardPlaces places{Matrix(q, count), Vector::Ones(count)};
  for (Index k = 0; k < count; ++k) {
    Index rest = k;
    for (Index j = 0; j < q; ++j, rest /= each) {
      places.Z(j, k) = nodes[rest % each];
      places.weights[k] *= node_weights[rest % each];
    }
  }
  return places;
}

}  // namespace

Prediction Model::predict_uncertain(ConstMatrixRef X, ConstMatrixRef sd) const {
  if (sd.rows() != X.rows() || sd.cols() != X.cols())
    throw Error(fmt::format("{} x {} standard deviations were given for {} x {} latents", sd.rows(), sd.cols(),
                            X.rows(), X.cols()));
  if (!(sd.array() >= 0).all()) throw Error("a standard deviation of a latent is negative");
  GpPrediction gp;
  if (posterior_->kind() == "lattice") {
    UncertainPrediction uncertain = wgp::predict_uncertain(*posterior_, X, sd.array().square());
    gp = {std::move(uncertain.mean), std::move(uncertain.variance)};
  } else {
    const StandardPlaces places = standard_places(X.rows());
    gp = {Matrix::Zero(dim(), X.cols()), Vector::Zero(X.cols())};
    for (Index i = 0; i < X.cols(); ++i) {
      const GpPrediction at = posterior_->predict((sd.col(i).asDiagonal() * places.Z).colwise() + Vector(X.col(i)));
      gp.mean.col(i) = at.mean * places.weights;
      const Matrix away = at.mean.colwise() - gp.mean.col(i);
      gp.variance[i] =
          (at.variance + away.colwise().squaredNorm().transpose() / static_cast<double>(dim())).dot(places.weights);
    }
  }
  return predicted(X, std::move(gp));
}

}  // namespace wgp
