#include "wgp/basepoint.h"

#include "core/format.h"

namespace wgp {

// Vectors travel between m(x) and the centre along the radial geodesic, in the coordinates of either's own frame.
struct Basepoint::Foot {
  const TangentSpace& centre;
  Vector xi;
  std::unique_ptr<const TangentSpace> space;
  Vector back;  // Log_m(mu) along that geodesic, at m

  Matrix to_centre(ConstMatrixRef at_foot) const { return centre.to_coords(space->transport(back, at_foot)); }
  Matrix from_centre(ConstMatrixRef at_centre) const { return space->to_coords(centre.transport(xi, at_centre)); }
};

Basepoint::Basepoint(ManifoldPtr manifold, ConstVectorRef centre, BasisPtr basis, Matrix coefficients)
    : manifold_(std::move(manifold)),
      space_(manifold_->at(centre)),
      basis_(std::move(basis)),
      coefficients_(std::move(coefficients)) {
  if (basis_ && (coefficients_.rows() != dim() || coefficients_.cols() != basis_->count()))
    throw Error(fmt::format("a base point with {} functions on {} needs {} x {} coefficients, not {} x {}",
                            basis_->count(), manifold_->spec(), dim(), basis_->count(), coefficients_.rows(),
                            coefficients_.cols()));
  if (!basis_) coefficients_.resize(dim(), 0);
}

Basepoint::Foot Basepoint::foot(ConstVectorRef xi) const {
  Foot foot{*space_, xi, nullptr, {}};
  foot.space = manifold_->at(exp_point(*space_, xi));
  foot.back = -foot.space->to_coords(space_->transport(xi, xi));
  return foot;
}

Matrix Basepoint::points(ConstMatrixRef X) const {
  Matrix result(manifold_->ambient_dim(), X.cols());
  if (is_constant())
    result.colwise() = centre();
  else
    space_->exp(displacements(X), result);
  return result;
}

Matrix Basepoint::lift(ConstMatrixRef X, ConstMatrixRef P) const {
  Matrix V(dim(), P.cols());
  if (is_constant()) {
    space_->log(P, V);
    return V;
  }
  const Matrix Xi = displacements(X);
  for (Index i = 0; i < P.cols(); ++i) {
    const Foot at = foot(Xi.col(i));
    V.col(i) = at.to_centre(log_coords(*at.space, P.col(i)));
  }
  return V;
}

Matrix Basepoint::lift_at(ConstVectorRef x, ConstMatrixRef P) const {
  Matrix V(dim(), P.cols());
  if (is_constant()) {
    space_->log(P, V);
    return V;
  }
  const Foot at = foot(displacements(x).col(0));
  at.space->log(P, V);
  return at.to_centre(V);
}

Matrix Basepoint::lift_at(ConstVectorRef x, ConstMatrixRef P, double radius, Vector& log_volume) const {
  const Foot at = foot(is_constant() ? Vector(Vector::Zero(dim())) : Vector(displacements(x).col(0)));
  Matrix V(dim(), P.cols());
  at.space->log(P, V);
  log_volume = Vector::Zero(P.cols());
  for (Index i = 0; i < P.cols(); ++i)
    if (V.col(i).norm() <= radius) log_volume[i] = at.space->jacobi(V.col(i))->log_det();
  return at.to_centre(V);
}

Matrix Basepoint::wrap(ConstMatrixRef X, ConstMatrixRef V) const {
  Matrix P(manifold_->ambient_dim(), V.cols());
  if (is_constant()) {
    space_->exp(V, P);
    return P;
  }
  const Matrix Xi = displacements(X);
  for (Index i = 0; i < V.cols(); ++i) {
    const Foot at = foot(Xi.col(i));
    P.col(i) = exp_point(*at.space, at.from_centre(V.col(i)).col(0));
  }
  return P;
}

Vector Basepoint::log_volume(ConstMatrixRef X, ConstMatrixRef V) const {
  Vector h(V.cols());
  if (is_constant()) {
    for (Index i = 0; i < V.cols(); ++i) h[i] = space_->jacobi(V.col(i))->log_det();
    return h;
  }
  const Matrix Xi = displacements(X);
  for (Index i = 0; i < V.cols(); ++i) {
    const Foot at = foot(Xi.col(i));
    h[i] = at.space->jacobi(at.from_centre(V.col(i)).col(0))->log_det();
  }
  return h;
}

Preimages Basepoint::preimages(ConstVectorRef x, ConstVectorRef point, double radius) const {
  if (is_constant()) return space_->preimages(point, radius);
  const Foot at = foot(displacements(x).col(0));
  Preimages result = at.space->preimages(point, radius);
  result.coords = at.to_centre(result.coords);
  return result;
}

// Fourth-order central differences along every direction: relative error about 1e-9 for points within a unit of length.
Vector Basepoint::volume_slope(ConstMatrixRef P) const {
  constexpr double h = 1e-3;
  const auto volume = [&](Index direction, double step) {
    const Basepoint there(manifold_, exp_point(*space_, step * Vector::Unit(dim(), direction)));
    return there.log_volume(Matrix(), there.lift(Matrix(), P)).sum();
  };
  Vector slope(dim());
  for (Index j = 0; j < dim(); ++j)
    slope[j] = (8 * (volume(j, h) - volume(j, -h)) - (volume(j, 2 * h) - volume(j, -2 * h))) / (12 * h);
  return slope;
}

BasepointGradient Basepoint::pull_back(ConstMatrixRef X, ConstMatrixRef P, ConstMatrixRef dL_dV,
                                       bool with_volume) const {
  BasepointGradient gradient{Matrix::Zero(X.rows(), X.cols()), Matrix::Zero(dim(), coefficients_.cols()),
                             Vector::Zero(dim())};
  if (is_constant()) {
    const bool parallel = manifold_->is_symmetric();  // log|det dExp| depends on the coordinates alone
    for (Index i = 0; i < P.cols(); ++i) {
      const auto fields = space_->jacobi(log_coords(*space_, P.col(i)));
      Vector b = dL_dV.col(i);
      if (with_volume && parallel) b -= fields->log_det_gradient();
      gradient.centre += fields->dlog_base(b);
    }
    if (with_volume && !parallel) gradient.centre -= volume_slope(P);
    return gradient;
  }
  if (const std::string why = why_base_points_stay(*manifold_); !why.empty()) throw Error(why);
  const Matrix values = basis_->values(X), Xi = coefficients_ * values;
  for (Index i = 0; i < P.cols(); ++i) {
    const Vector xi = Xi.col(i);
    const Foot at = foot(xi);
    const Vector u = log_coords(*at.space, P.col(i));
    const auto fields = at.space->jacobi(u);
    Vector b_there = at.from_centre(dL_dV.col(i));
    if (with_volume) b_there -= fields->log_det_gradient();
    Matrix there(dim(), 3);
    there << u, b_there, fields->dlog_base(b_there);
    const Matrix here = at.to_centre(there);  // v, b, w
    const Vector w = here.col(2), t = *space_->curvature(here.col(0), here.col(1), xi);
    const auto radial = space_->jacobi(xi);
    const auto half = space_->jacobi(xi / 2);  // H(lambda) = S(lambda / 4)^2 / 2
    const Vector by_xi = radial->dexp_adjoint(w) - half->dexp(half->dexp(t)) / 2;
    gradient.centre += radial->dexp_base_adjoint(w) - radial->dexp(t);
    gradient.coefficients += by_xi * values.col(i).transpose();
    gradient.X.col(i) = basis_->slopes(X.col(i)).transpose() * (coefficients_.transpose() * by_xi);
  }
  return gradient;
}

Basepoint Basepoint::moved(ConstVectorRef step, Matrix coefficients) const {
  const Vector end = exp_point(*space_, step);
  if (is_constant()) return Basepoint(manifold_, end);
  const auto there = manifold_->at(end);
  return Basepoint(manifold_, end, basis_, there->to_coords(space_->transport(step, coefficients)));
}

void Basepoint::pull_back_move(ConstVectorRef step, ConstMatrixRef coefficients, const Basepoint& end,
                               BasepointGradient& gradient) const {
  // The end's own frame, seen from here.
  const Matrix turn = end.space().to_coords(space_->transport(step, Matrix::Identity(dim(), dim())));
  gradient.coefficients = turn.transpose() * gradient.coefficients;
  gradient.centre = space_->jacobi(step)->dexp_adjoint(turn.transpose() * gradient.centre);
  if (is_constant()) return;
  // A step aside turns the carried frame against the parallel one, and the coefficients with it.
  Vector t = Vector::Zero(dim());
  for (Index k = 0; k < coefficients.cols(); ++k)
    t += *space_->curvature(coefficients.col(k), gradient.coefficients.col(k), step);
  const auto half = space_->jacobi(step / 2);
  gradient.centre += half->dexp(half->dexp(t)) / 2;
}

std::string why_base_points_stay(const Manifold& manifold) {
  if (manifold.is_symmetric()) return "";
  return fmt::format(
      "base points cannot move with the latents on {}: it is not a symmetric space, and the turn of its frames has no "
      "closed form; 'mean' and 'optimised' work there",
      manifold.spec());
}

}  // namespace wgp
