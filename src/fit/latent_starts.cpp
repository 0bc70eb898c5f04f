#include "fit/latent_starts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/format.h"
#include "core/random_streams.h"
#include "fit/growth.h"
#include "fit/polygon_starts.h"
#include "fit/random_subset.h"
#include "fit/settings.h"
#include "fit/starts.h"
#include "fit/variational_settings.h"
#include "wgp/statistics.h"

namespace wgp {

using namespace variational;

Vector start_parameters(const FitProblem& problem, double log_length) {
  Vector theta = problem.kernel->default_parameters();
  for (const Index i : problem.kernel->length_parameters()) theta[i] = log_length;
  for (const Index i : problem.kernel->angle_length_parameters()) theta[i] = log_length;
  const auto amplitudes = problem.kernel->amplitude_parameters();
  for (const Index i : amplitudes) theta[i] = -std::log(static_cast<double>(amplitudes.size()));
  return theta;
}

std::string family_of(const std::string& kind) { return kind.substr(0, kind.find_first_of(" ,")); }

Matrix at_unit_variance(const LatentSpace& latent, Matrix X) {
  for (Index j = latent.angles(); j < X.rows(); ++j) {
    X.row(j).array() -= X.row(j).mean();
    X.row(j) /= std::max(1e-300, std::sqrt(X.row(j).squaredNorm() / static_cast<double>(X.cols())));
  }
  return X;
}

SearchedPart::SearchedPart(const LatentSearchSetting& setting)
    : members(random_subset(setting.problem.N(), setting.session.options.subsample, setting.session.options.seed,
                            stream::variational_subset)),
      problem(static_cast<Index>(members.size()) == setting.problem.N() ? setting.problem
                                                                        : setting.problem.subset(members)),
      rows(setting.problem.outputs.rows(Eigen::all, members)),
      is_all(static_cast<Index>(members.size()) == setting.problem.N()) {}

// Begins with much noise, which forgets most of it.
LatentStart LatentStarts::annealed(std::string kind, Matrix X) const {
  return {std::move(kind), std::move(X), start_parameters(setting_.problem, 0), annealing[0], start_variance, true};
}

// Latents that mean something: with little noise from the beginning.
LatentStart LatentStarts::kept(std::string kind, Matrix X) const {
  LatentStart start = annealed(std::move(kind), std::move(X));
  start.noise = noise_of_kept_starts;
  start.annealed = false;
  start.to_the_end = true;
  return start;
}

LatentStart LatentStarts::components() const { return annealed("pga", pga_start(part_.problem).X); }

// Whether a start was asked for, or nobody said anything and it is one of those of a search that takes its time.
bool LatentStarts::wants(const char* kind, bool by_itself) const {
  if (!only_.empty()) return kind == family_of(only_);
  const std::vector<std::string>& inits = setting_.session.options.inits;
  return inits.empty() ? by_itself : std::find(inits.begin(), inits.end(), kind) != inits.end();
}

std::vector<LatentStart> LatentStarts::common() const {
  const FitOptions& options = setting_.session.options;
  const Index q = setting_.problem.latent.dim(), angles = setting_.problem.latent.angles();
  std::vector<LatentStart> starts;
  if (wants("pga", true)) starts.push_back(annealed("pga", pga_start(part_.problem).X));
  if (wants("isomap", setting_.session.options.effort != Effort::quick) && part_.problem.N() > 2 * q + 2) {
    const Matrix distance = euclidean_distances(part_.rows, &setting_.session.control);
    const Matrix scaled =
        scaled_path_lengths(distance, 2 * angles + setting_.problem.latent.plain_count(), &setting_.session.control);
    Matrix X(q, part_.problem.N());
    for (Index j = 0; j < angles; ++j)
      for (Index n = 0; n < X.cols(); ++n) X(j, n) = std::atan2(scaled(2 * j + 1, n), scaled(2 * j, n));
    X.bottomRows(q - angles) = scaled.bottomRows(q - angles);
    starts.push_back(annealed("isomap", X));
  }
  if (wants("curve", false) && q == 1 && part_.problem.N() >= settings::fewest_points_of_a_curve) {
    CurveOptions curve;
    curve.topology = angles == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
    starts.push_back(kept(
        "curve",
        at_unit_variance(setting_.problem.latent,
                         principal_curve(*setting_.lifting.manifold, part_.problem.P, curve).latents.transpose())));
  }
  if (wants("given", false)) {
    Matrix X(q, part_.problem.N());
    for (Index n = 0; n < X.cols(); ++n)
      X.col(n) = options.given_latents.col(
          setting_.rows[static_cast<std::size_t>(part_.members[static_cast<std::size_t>(n)])]);
    starts.push_back(kept("given", std::move(X)));
  }
  const auto asked = static_cast<std::uint64_t>(std::max(0, options.starts - static_cast<int>(starts.size())));
  const std::uint64_t random_count = options.starts > 0 ? asked
                                     : wants("random", options.effort == Effort::thorough)
                                         ? (options.inits.empty() ? random_starts : 1)
                                         : 0;
  for (std::uint64_t k = 0; k < random_count; ++k) {
    const std::string kind = fmt::format("random {}", k + 1);
    if (!only_.empty() && kind != only_) continue;
    Random random(options.seed, stream::random_start + k);
    starts.push_back(annealed(kind, random_start(part_.problem, random).X));
  }
  return starts;
}
std::vector<LatentStart> LatentStarts::tours() const {
  std::vector<LatentStart> starts;
  if (!wants("tour", setting_.session.options.effort != Effort::quick)) return starts;
  const bool closed = setting_.problem.latent.angles() == 1;
  for (const Index K : tour_sizes) {
    if (K > part_.problem.N() / 3) break;
    const std::string kind = fmt::format("tour {}", K);
    if (!only_.empty() && kind != only_) continue;
    for (std::uint64_t k = 0; k < tours_of_a_size; ++k) {
      setting_.session.control.check();
      Random random(setting_.session.options.seed, stream::variational_tours + 16 * static_cast<std::uint64_t>(K) + k);
      const PolygonStart polygon =
          polygon_start(part_.rows, cluster_centres(part_.rows, K, random), closed ? Way::closed : Way::open, random);
      LatentStart start;
      start.kind = kind;
      start.X = polygon.x.transpose();
      start.theta = start_parameters(setting_.problem, std::log(closed ? tour_length_of_angles : tour_length_of_lines));
      start.noise = std::clamp(polygon.residual / static_cast<double>(setting_.problem.d()), 1e-4, 0.5);
      const double width = (closed ? std::numbers::pi : 1.73) / static_cast<double>(K);
      const double step = closed ? 2 * std::numbers::pi / 400 : 6.0 / 399;
      start.S = std::clamp(width * width, step * step / 4, 0.05);
      start.annealed = false;
      starts.push_back(std::move(start));
    }
  }
  return starts;
}

std::vector<LatentStart> LatentStarts::growths(int count) const {
  std::vector<LatentStart> starts;
  if (!wants("growth", setting_.session.options.effort != Effort::quick) || setting_.problem.latent.angles() > 0 ||
      part_.problem.N() < settings::fewest_to_grow)
    return starts;
  const std::vector<Index> few =
      random_subset(part_.problem.N(), most_grown, setting_.session.options.seed + 1, stream::variational_subset);
  std::vector<Index> rows;
  for (const Index k : few) rows.push_back(part_.members[static_cast<std::size_t>(k)]);
  FitProblem point = problem_at_mean(setting_.lifting, Prior::map, Latents::free, setting_.session).subset(rows);
  point.evidence = point_evidence;
  const Matrix nearby = part_.rows(Eigen::all, few);
  const std::vector<Index> centres = patch_centres(point, count);
  std::vector<std::optional<LatentStart>> grown(centres.size());
  setting_.session.tasks(executor_, static_cast<Index>(centres.size()), [&](Index i, Executor& inner) {
    FitProblem own = point;
    own.executor = &inner;
    Random random(7, stream::growth + static_cast<std::uint64_t>(i));
    const FitState state = setting_.session.log.step<FitState>(
        fmt::format("{}/growth {}", setting_.name, i),
        [&](const Vector& numbers) { return unpack_state(numbers, own); },
        [&] {
          double evaluations = 0;
          FitState found = grow(own, centres[static_cast<std::size_t>(i)], random, evaluations, [&](Index) {
            return setting_.session.control.report("growth", static_cast<int>(i), count, -infinity);
          });
          if (std::isfinite(found.value)) found = refine(own, found, growing_iterations).state;
          fix_gauge(own, LengthScales::shared, found.X);
          return found;
        },
        [&] { return !setting_.session.control.stopped(); });
    if (!std::isfinite(state.value)) return;
    // In units of the latents' standard deviation.
    const Matrix centred = state.X.colwise() - state.X.rowwise().mean();
    const double sd = std::sqrt(centred.squaredNorm() / static_cast<double>(centred.size()));
    if (!(sd > 1e-6)) return;
    LatentStart start;
    start.kind = "growth";
    start.X.resize(state.X.rows(), part_.problem.N());
    for (Index n = 0; n < part_.problem.N(); ++n) {
      Index nearest = 0;
      (nearby.colwise() - part_.rows.col(n)).colwise().squaredNorm().minCoeff(&nearest);
      start.X.col(n) = centred.col(nearest) / sd;
    }
    start.theta = start_parameters(setting_.problem, -std::log(sd));
    start.noise = std::clamp(2 * state.noise(), 1e-4, 0.5);
    start.S = std::clamp(0.02 / (sd * sd), 1e-3, 0.05);
    start.annealed = false;
    grown[static_cast<std::size_t>(i)] = std::move(start);
  });
  if (setting_.session.control.stopped()) throw Stopped();
  for (auto& one : grown)
    if (one) starts.push_back(std::move(*one));
  return starts;
}

}  // namespace wgp
