// Which predictive variance is right? Calibration of held-out points against the model's own bootstrap null.
//
//   bench_calibration DATA [SETS] [REPEATS] [EFFORT]    SETS: femur,dti,crypto,diatoms,synthetic
//
// For each test point: encode, F = P(chi^2_d <= |v - mean|^2 / variance). Point estimates make F small or large; what a
// perfect model would show after encoding is the null: points drawn from the fitted predictive, encoded again. Prints
// the medians' positions ecdf(1/2) of both and the Kolmogorov-Smirnov distance between them, pooled over the splits,
// for each variance rule.
#include <wgp/wgp.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>

#include "real_data.h"

using namespace wgp;

namespace {

std::vector<double> fractions(const Model& model, ConstMatrixRef points) {
  const Encoding encoding = model.encode(points);
  const Prediction prediction = model.predict(encoding.X);
  const auto space = model.manifold().at(model.parts().base);
  Matrix V(model.manifold().dim(), points.cols());
  space->log(points, V);
  const boost::math::chi_squared chi(static_cast<double>(V.rows()));
  std::vector<double> F;
  for (Index i = 0; i < points.cols(); ++i)
    F.push_back(boost::math::cdf(
        chi, (V.col(i) - prediction.coords.col(i)).squaredNorm() / (prediction.variance[i] + prediction.noise)));
  return F;
}

double ks(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double worst = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    a[i] <= b[j] ? ++i : ++j;
    worst = std::max(worst, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                     static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return worst;
}
double below_half(const std::vector<double>& F) {
  return static_cast<double>(std::count_if(F.begin(), F.end(), [](double f) { return f <= 0.5; })) /
         static_cast<double>(F.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  std::stringstream names(argument(2, "femur,dti,crypto,diatoms,synthetic"));
  const int repeats = std::stoi(argument(3, "5"));
  for (std::string name; std::getline(names, name, ',');) {
    const bool synthetic = name == "synthetic";
    const bench::RealSet set =
        synthetic ? bench::RealSet{"", "euclidean:6", "rbf", 0, 6, 2} : bench::real_sets().at(name);
    const ManifoldPtr manifold = parse_manifold(set.manifold);
    Matrix P;
    if (!synthetic) P = bench::read_points(argument(1, "") + "/" + set.file, set, *manifold);
    std::vector<double> F[3], null[3];
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Random random(static_cast<std::uint64_t>(repeat), 80);
      if (synthetic) {
        const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2));
        const Matrix X = 1.2 * random.normals(2, 300);
        Matrix K = kernel->cov(kernel->default_parameters(), X, X);
        K.diagonal().array() += 1e-9;
        P = (Matrix(K.llt().matrixL()) * random.normals(300, 6)).transpose() + 0.1 * random.normals(6, 300);
      }
      std::vector<Index> order(static_cast<std::size_t>(P.cols()));
      std::iota(order.begin(), order.end(), Index{0});
      for (Index i = P.cols() - 1; i > 0; --i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
      const auto share = static_cast<std::ptrdiff_t>(0.8 * static_cast<double>(P.cols()));
      const std::vector<Index> in(order.begin(), order.begin() + share), out(order.begin() + share, order.end());
      FitOptions options = bench::options_for(set);
      const std::string effort = argument(4, "normal");
      options.effort = effort == "quick" ? Effort::quick : effort == "normal" ? Effort::normal : Effort::thorough;
      options.seed = static_cast<std::uint64_t>(repeat);
      options.variance = VarianceRule::held_out;
      const Model fitted = fit(manifold, P(Eigen::all, in), options).model;
      for (int rule = 0; rule < 3; ++rule) {
        const double noise = fitted.parts().noise, d = static_cast<double>(fitted.dim()),
                     q = static_cast<double>(fitted.latent_dim());
        const Model model = fitted.with([&](Model::Parts& parts) {
          if (rule < 2) parts.law = normal_noise(fitted.dim(), rule == 0 || d <= q ? noise : noise * d / (d - q));
        });
        const Matrix test = P(Eigen::all, out);
        const std::vector<double> own = fractions(model, test);
        F[rule].insert(F[rule].end(), own.begin(), own.end());
        const Matrix latents = model.encode(test).X;
        const std::vector<double> drawn = fractions(model, model.sample(latents, 4, random));
        null[rule].insert(null[rule].end(), drawn.begin(), drawn.end());
      }
    }
    const char* rules[] = {"as fitted", "dof", "held out"};
    for (int rule = 0; rule < 3; ++rule)
      std::printf("%-9s %-13s ecdf(1/2) %.3f  null %.3f  KS %.3f\n", name.c_str(), rules[rule], below_half(F[rule]),
                  below_half(null[rule]), ks(F[rule], null[rule]));
    std::fflush(stdout);
  }
}
