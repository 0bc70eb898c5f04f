#include "fit/base_search.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "core/random_streams.h"
#include "fit/base_start.h"
#include "fit/settings.h"
#include "fit/starts.h"

namespace wgp {
namespace {

class Starts {
 public:
  Starts(const std::vector<Model>& at_mean, const Lifting& lifting, const FitProblem& problem, BasepointKind kind)
      : at_mean_(at_mean), mean_(at_mean.front().parts()), lifting_(lifting), problem_(problem), kind_(kind) {}

  std::vector<BaseStart> run() {
    for (const Model& model : at_mean_) from_latents_of(model);
    if (!problem_.free.latents || kind_ == BasepointKind::optimised) return std::move(starts_);
    const Index q = mean_.latent.dim();
    if (kind_ == BasepointKind::geodesic && mean_.latent.angles() == 0) from_components();
    if (kind_ == BasepointKind::spline && q == 1 && lifting_.P.cols() >= settings::fewest_points_of_a_curve) {
      from_path_lengths();
      from_a_principal_curve();
    }
    return std::move(starts_);
  }

 private:
  // targets: what m(x) should come near. latent_scale: of X against the latents that the kernel was fitted with.
  void add(const std::string& name, ConstMatrixRef X, ConstMatrixRef targets, const Vector& theta,
           double latent_scale) {
    std::vector<Index> counts = {0};
    if (kind_ == BasepointKind::spline) counts = piece_counts(mean_.latent, lifting_.P.cols());
    const bool large = lifting_.lifted.V.size() > settings::many_numbers;
    if (large) counts.resize(1);
    for (const Index pieces : counts) {
      const BasisPtr basis = base_functions(kind_, mean_.latent, X, pieces);
      const std::string what = pieces > 0 ? fmt::format("{} in {} pieces", to_string(kind_), pieces) : to_string(kind_);
      const auto base =
          std::make_shared<const Basepoint>(base_through(mean_.manifold, mean_.base, basis, mean_.latent, X, targets));
      ++curve_;
      add_one(what + " " + name, X, base, theta, latent_scale, false);
      // Where latents are free, a process that may bend follows the noise of few dimensions; a stiff curve does not.
      if (basis && problem_.free.latents && !large)
        add_one(what + " alone " + name, X, base, theta, latent_scale, true);
    }
  }

  // What the base point leaves over is half signal, half noise to begin with.
  void add_one(const std::string& name, ConstMatrixRef X, const std::shared_ptr<const Basepoint>& base,
               const Vector& theta, double latent_scale, bool base_only) {
    BaseStart start{name, {}, base_only, curve_};
    FitState& state = start.state;
    const Matrix left = base->lift(X, lifting_.P).V / lifting_.scale;
    const double residual = std::max(noise_floor, left.squaredNorm() / static_cast<double>(left.size()));
    state.X = X;
    state.theta = theta;
    for (const Index i : problem_.kernel->amplitude_parameters()) state.theta[i] = std::log(0.5 * residual);
    for (const Index i : problem_.kernel->length_parameters()) state.theta[i] += std::log(latent_scale);
    state.u = std::log(std::max(residual / 2, 2 * noise_floor) - noise_floor);
    state.lift = base;
    state.centre = Vector::Zero(base->dim());
    state.coefficients = base->coefficients() / lifting_.scale;
    state.rough_sd = settings::first_rough_sd;
    starts_.push_back(std::move(start));
  }

  // Latents of unit variance, which the prior likes: a base point that follows them needs no length-scales to bend in.
  void from_latents_of(const Model& model) {
    Matrix own = model.parts().X;
    double scale = 1;
    const Index plain = mean_.latent.plain_count();
    if (problem_.free.latents && kind_ != BasepointKind::optimised && plain > 0) {
      auto rows = own.bottomRows(plain);
      rows.colwise() -= rows.rowwise().mean().eval();
      scale = 1 / std::max(1e-300, std::sqrt(rows.squaredNorm() / static_cast<double>(rows.size())));
      rows *= scale;
    }
    const bool first = &model == &at_mean_.front();
    add(first ? "from the mean's latents" : "from the mean's other latents", own, model.mean_points(model.parts().X),
        model.parts().theta, scale);
  }

  // Principal components: geodesic directions from the beginning, with latents of unit variance.
  void from_components() {
    const Index q = mean_.latent.dim(), N = lifting_.P.cols();
    const Pga pga = tangent_pga(*mean_.manifold, lifting_.P, mean_.base, std::min<Index>(q, mean_.manifold->dim()));
    Matrix X = Matrix::Zero(q, N);
    Random random(0, stream::base_fillers);
    for (Index j = 0; j < q; ++j) {
      X.row(j) = j < pga.scores.rows() ? Vector(pga.scores.row(j).transpose()) : random.normals(N);
      const double sd = std::sqrt(X.row(j).squaredNorm() / static_cast<double>(N));
      X.row(j) /= std::max(sd, 1e-300);
    }
    add("from components", X, lifting_.P, mean_.theta, 1);
  }

  void from_path_lengths() {
    const bool closed = mean_.latent.angles() == 1;
    Matrix X = scaled_path_lengths(geodesic_distances(*mean_.manifold, lifting_.P, problem_.control), closed ? 2 : 1,
                                   problem_.control);
    if (closed) {  // path lengths around a loop are those of a circle
      const Matrix plane = X;
      X.resize(1, plane.cols());
      for (Index i = 0; i < plane.cols(); ++i) X(0, i) = std::atan2(plane(1, i), plane(0, i));
    }
    add("from path lengths", X, lifting_.P, mean_.theta, 1);
  }

  void from_a_principal_curve() {
    CurveOptions options;
    options.topology = mean_.latent.angles() == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
    add("from a principal curve", principal_curve(*mean_.manifold, lifting_.P, options).latents.transpose(), lifting_.P,
        mean_.theta, 1);
  }

  const std::vector<Model>& at_mean_;
  const Model::Parts& mean_;  // of the first
  const Lifting& lifting_;
  const FitProblem& problem_;
  BasepointKind kind_;
  std::vector<BaseStart> starts_;
  std::size_t curve_ = 0;
};

// A process of which nothing is seen in noise like this.
void leave_a_trace(const FitProblem& problem, FitState& state) {
  for (const Index i : problem.kernel->amplitude_parameters())
    state.theta[i] = std::log(settings::base_only_amplitude * state.noise());
}

}  // namespace

std::vector<BaseStart> base_starts(const std::vector<Model>& at_mean, const Lifting& lifting, const FitProblem& problem,
                                   BasepointKind kind) {
  return Starts(at_mean, lifting, problem, kind).run();
}

std::vector<BaseOptimum> search_bases(const FitProblem& problem, const std::vector<BaseStart>& starts,
                                      FitSession& session, const std::string& name, double to_data) {
  std::vector<BaseOptimum> found(starts.size());
  session.executor.tasks(static_cast<Index>(starts.size()), [&](Index i, Executor& inner) {
    const BaseStart& start = starts[static_cast<std::size_t>(i)];
    BaseOptimum& to = found[static_cast<std::size_t>(i)];
    to.base_only = start.base_only;
    to.problem = problem;
    to.problem.executor = &inner;
    if (start.base_only) {
      for (const Index k : problem.kernel->amplitude_parameters())
        to.problem.free.theta[static_cast<std::size_t>(k)] = false;
      to.problem.evidence = noise_evidence(problem.evidence);
    }
    const auto make = [&] {
      OptimiseOptions options;
      options.keep_going = [&](int iteration, double value) {
        return session.control.report(start.kind, iteration, session.options.max_iterations, -value + to_data);
      };
      options.gradient_tolerance = settings::gradient_tolerance;
      options.progress_tolerance = settings::progress_tolerance_of_bases;
      // Latents wait until kernel, noise and base point mean something.
      FitProblem settling = to.problem;
      settling.free.latents = false;
      OptimiseOptions brief = options;
      brief.max_iterations = std::min(settings::settling_iterations_of_bases, session.options.max_iterations);
      const Refined settled = refine(settling, start.state, brief);
      options.max_iterations = session.options.max_iterations;
      options.gradient_tolerance =
          settings::gradient_tolerance * (1 + std::abs(settled.state.value) / static_cast<double>(problem.N()));
      const Refined refined = refine(to.problem, settled.state, options);
      Optimum optimum{start.kind,     refined.state,
                      refined.report, static_cast<double>(settled.report.gradients + refined.report.gradients),
                      refined.jitter, true};
      optimum.report.iterations += settled.report.iterations;
      if (start.base_only) leave_a_trace(problem, optimum.state);
      return optimum;
    };
    to.optimum = session.log.step<Optimum>(
        fmt::format("{}/base {}", name, i), [&](const Vector& numbers) { return unpack_optimum(numbers, to.problem); },
        make, [&] { return !session.control.stopped(); });
    to.problem.executor = nullptr;
  });
  return found;
}

}  // namespace wgp
