// What base points that move gain on data that is not local.
//
//   bench_basepoints [SETS] [SEED]            SETS: arc,spiral,seam,turn,hyperbolic,morph,bent (all)
//   bench_basepoints DATA femur|dti|crypto|diatoms    the real sets: a fifth held out, mean against auto
//
// 200 points for training and 200 for testing, drawn along a known curve with normal noise of sd 0.05 in the tangent
// space. Prints for every base point the mean log density of the test points per unit of Riemannian volume (a mixture
// over the latents), beside that of the generating density (the curve's parameter integrated out), the share of the gap
// between the mean and the truth that it closes, and the root mean square distance of its predictions to the curve.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "real_data.h"

using namespace wgp;

namespace {

constexpr double noise = 0.05;
using std::numbers::pi;

struct Set {
  std::string name, manifold;
  LatentSpace latent;
  std::string kernel;
  std::function<Vector(const Manifold&, double)> curve;  // of t in [0, 1]
};

Vector seam(double t) {
  const double a = 0.75, b = 0.25, s = 2 * pi * t;
  Vector p(3);
  p << a * std::cos(s) + b * std::cos(3 * s), a * std::sin(s) - b * std::sin(3 * s),
      2 * std::sqrt(a * b) * std::sin(2 * s);
  return p.normalized();
}

std::vector<Set> all_sets() {
  const LatentSpace line(0, 1), circle(1, 0);
  const auto of = [](std::initializer_list<double> numbers) {
    Vector v(static_cast<Index>(numbers.size()));
    Index i = 0;
    for (const double x : numbers) v[i++] = x;
    return v;
  };
  return {
      {"arc", "sphere:2", line, "rbf",
       [of](const Manifold&, double t) {
         const double s = 5 * pi / 3 * t;
         return of({std::cos(s), std::sin(s), 0});
       }},
      {"spiral", "sphere:2", line, "rbf",
       [of](const Manifold&, double t) {
         const double polar = 0.1 + (pi - 0.2) * t, turn = 6 * pi * t;
         return of({std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar)});
       }},
      {"seam", "sphere:2", circle, "periodic", [](const Manifold&, double t) { return seam(t); }},
      {"turn", "so:3", line, "rbf",
       [](const Manifold& manifold, double t) {
         const Vector one = manifold.project(Matrix(Matrix::Identity(3, 3)).reshaped());
         Vector axis(3);
         axis << 0.6, 0.64, 0.48;
         return exp_point(*manifold.at(one), 2 * pi * t * axis);
       }},
      {"hyperbolic", "hyperbolic:2", line, "rbf",
       [of](const Manifold&, double t) {
         const double s = 12 * t - 6;
         return of({std::cosh(s), 0.8 * std::sinh(s), 0.6 * std::sinh(s)});
       }},
      {"morph", "kendall:8", line, "rbf",
       [](const Manifold& manifold, double t) {
         Random random(5, 5);
         const Vector start = manifold.random_point(random);
         const Vector along = random.normals(manifold.dim()).normalized();
         return exp_point(*manifold.at(start), 1.3 * (2 * t - 1) * along);
       }},
      {"bent", "kendall:8", line, "rbf",
       [](const Manifold& manifold, double t) {
         Random random(5, 5);
         const Vector start = manifold.random_point(random);
         const Index d = manifold.dim();
         const Vector along = random.normals(d).normalized(), across = random.normals(d).normalized();
         const auto space = manifold.at(start);
         return exp_point(*space, 1.4 * (2 * t - 1) * along + 0.5 * std::sin(2 * pi * t) * across);
       }},
  };
}

struct Truth {
  Matrix curve;  // fine
  std::vector<std::unique_ptr<const TangentSpace>> spaces;
};
Truth truth_of(const Set& set, const Manifold& manifold) {
  constexpr Index fine = 3000;
  Truth truth{Matrix(manifold.ambient_dim(), fine), {}};
  for (Index k = 0; k < fine; ++k) {
    truth.curve.col(k) = set.curve(manifold, (static_cast<double>(k) + 0.5) / fine);
    truth.spaces.push_back(manifold.at(truth.curve.col(k)));
  }
  return truth;
}
double true_log_density(const Manifold& manifold, const Truth& truth, ConstMatrixRef P) {
  const Index n = P.cols(), fine = truth.curve.cols();
  Matrix terms = Matrix::Constant(fine, n, -infinity);
  const double constant = -static_cast<double>(manifold.dim()) / 2 * std::log(2 * pi * noise * noise);
  for (Index k = 0; k < fine; ++k) {
    Matrix V(manifold.dim(), n);
    truth.spaces[static_cast<std::size_t>(k)]->log(P, V);
    for (Index i = 0; i < n; ++i) {
      const double squared = V.col(i).squaredNorm() / (2 * noise * noise);
      if (squared < 200)
        terms(k, i) = constant - squared - truth.spaces[static_cast<std::size_t>(k)]->jacobi(V.col(i))->log_det();
    }
  }
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    const double most = terms.col(i).maxCoeff();
    sum += most + std::log((terms.col(i).array() - most).exp().mean());
  }
  return sum / static_cast<double>(n);
}
double distance_to_curve(const Truth& truth, ConstMatrixRef P) {
  Vector nearest = Vector::Constant(P.cols(), infinity);
  for (const auto& space : truth.spaces) nearest = nearest.cwiseMin(space->distance(P));
  return std::sqrt(nearest.squaredNorm() / static_cast<double>(nearest.size()));
}

void run(const Set& set, std::uint64_t seed) {
  const ManifoldPtr manifold = parse_manifold(set.manifold);
  const Truth truth = truth_of(set, *manifold);
  Random random(seed, 77);
  const auto draw = [&](Index n) {
    Matrix P(manifold->ambient_dim(), n);
    for (Index i = 0; i < n; ++i) {
      const auto space = manifold->at(set.curve(*manifold, random.uniform()));
      P.col(i) = exp_point(*space, noise * random.normals(manifold->dim()));
    }
    return P;
  };
  const Matrix train = draw(200), test = draw(200);
  const double best_possible = true_log_density(*manifold, truth, test);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = set.latent;
  options.kernel = set.kernel;
  options.threads = 2;
  std::printf("%s (%s): truth %.3f\n", set.name.c_str(), set.manifold.c_str(), best_possible);
  double of_mean = 0, error_of_mean = 0;
  for (const BasepointKind kind : {BasepointKind::mean, BasepointKind::optimised, BasepointKind::geodesic,
                                   BasepointKind::spline, BasepointKind::automatic}) {
    options.basepoint = kind;
    const FitResult result = fit(manifold, train, options);
    const double density = mixture_log_density(result.model, test).mean();
    const double error = distance_to_curve(truth, result.model.mean_points(result.model.parts().X));
    if (kind == BasepointKind::mean) {
      of_mean = density;
      error_of_mean = error;
    }
    std::printf("  %-10s log density %8.3f  gap closed %6.1f %%  error %.4f (%.2f of mean's)  %.1f s%s\n",
                to_string(kind).c_str(), density, 100 * (density - of_mean) / std::max(1e-9, best_possible - of_mean),
                error, error / error_of_mean, result.summary.seconds,
                kind == BasepointKind::automatic ? (" -> " + to_string(result.model.parts().basepoint)).c_str() : "");
    if (kind == BasepointKind::automatic) {
      std::printf("  by points left out:");
      for (const BasepointReport& tried : result.summary.basepoints)
        std::printf(" %s %.3f", to_string(tried.kind).c_str(), tried.held_out.value_or(0));
      std::printf("\n");
    }
    std::fflush(stdout);
  }
}

void run_real(const std::string& data, const std::string& name) {
  const bench::RealSet& set = bench::real_sets().at(name);
  const ManifoldPtr manifold = parse_manifold(set.manifold);
  const Matrix P = bench::read_points(data + "/" + set.file, set, *manifold);
  std::vector<Index> in, out;
  for (Index i = 0; i < P.cols(); ++i) (i % 5 == 0 ? out : in).push_back(i);
  const Matrix train = P(Eigen::all, in), test = P(Eigen::all, out);
  FitOptions options = bench::options_for(set);
  options.threads = 2;
  const FitResult mean = fit(manifold, train, options);
  options.basepoint = BasepointKind::automatic;
  const FitResult automatic = fit(manifold, train, options);
  const double of_mean = mixture_log_density(mean.model, test).mean(),
               of_auto = mixture_log_density(automatic.model, test).mean();
  std::printf("%s: mean %.3f, auto %.3f (%s), difference %+.3f a point; %.1f s and %.1f s\n", name.c_str(), of_mean,
              of_auto, to_string(automatic.model.parts().basepoint).c_str(), of_auto - of_mean, mean.summary.seconds,
              automatic.summary.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  const std::string first = argument(1, "arc,spiral,seam,turn,hyperbolic,morph,bent");
  if (first.find('/') != std::string::npos) {
    run_real(first, argument(2, "crypto"));
    return 0;
  }
  for (const Set& set : all_sets())
    if (("," + first + ",").find("," + set.name + ",") != std::string::npos) run(set, std::stoull(argument(2, "0")));
}
