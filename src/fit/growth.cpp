#include "fit/growth.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fit/settings.h"
#include "linalg/decompositions.h"
#include "linalg/products.h"

namespace wgp {
namespace {

using Members = std::vector<Index>;

const settings::Growth& growth_of(Index q) { return q >= 3 ? settings::growth_of_volumes : settings::growth_of_planes; }

Vector squared_distances_to(const Matrix& Z, Index i) { return (Z.colwise() - Z.col(i)).colwise().squaredNorm(); }

class Chart {
 public:
  Chart(const FitProblem& problem, Random& random, double& evaluations)
      : problem_(problem), random_(random), evaluations_(evaluations), settings_(growth_of(problem.latent.dim())) {}

  // The patch: a point and its nearest neighbours, laid out by their principal components.
  void seed(Index centre) {
    const Index N = problem_.N(), q = problem_.latent.dim(), size = std::min(settings_.patch, N);
    const Vector distances = squared_distances_to(problem_.outputs.rows, centre);
    Members order(static_cast<std::size_t>(N));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distances[a] < distances[b]; });
    members_.assign(order.begin(), order.begin() + size);

    Matrix patch = problem_.V(Eigen::all, members_);
    patch.colwise() -= patch.rowwise().mean().eval();
    state_.X = Matrix::Zero(q, size);
    const Svd svd = divided_svd(patch, SvdParts::right);
    const Index known = std::min(q, svd.s.size());
    // V has unit variance: a change of one length-scale moves d coordinates by about 1.
    state_.X.topRows(known) = (svd.s.head(known).asDiagonal() * svd.V.leftCols(known).transpose()) /
                              std::sqrt(static_cast<double>(problem_.d()));
    for (Index j = known; j < q; ++j) state_.X.row(j) = 0.01 * random_.normals(size).transpose();
    state_.theta = problem_.kernel->default_parameters();
    state_.u = settings::growing_log_noise;
    improve(settings::patch_iterations);
  }

  void start_from(const FitState& state, const Members& kept) {
    members_ = kept;
    state_ = state;
    state_.X = state.X(Eigen::all, kept);
  }

  void improve(int iterations) {
    FitProblem part = own_problem();
    part.terms = {latent_prior(problem_.latent, settings::growing_precision, LatentsAbout::mean),
                  noise_prior(settings::growing_log_noise, settings_.noise_sd)};
    if (problem_.has_latent_prior)
      if (const TermPtr lengths = angle_length_prior(*problem_.kernel)) part.terms.push_back(lengths);
    if (static_cast<double>(size()) < settings::share_with_free_kernel * static_cast<double>(problem_.N()))
      part.free.theta.assign(part.free.theta.size(), false);
    OptimiseOptions options;
    options.max_iterations = iterations;
    run(part, options);
  }
  // to_beat: given up as soon as it is plain that the value does not come so high.
  void improve_truly(int iterations, double to_beat = -infinity) {
    const Index plain = problem_.latent.plain_count();
    if (problem_.has_latent_prior && plain > 0)
      state_.X.bottomRows(plain).colwise() -= state_.X.bottomRows(plain).rowwise().mean().eval();
    const FitProblem all = own_problem();
    OptimiseOptions options;
    options.max_iterations = iterations;
    double before = -infinity;
    options.keep_going = [&](int iteration, double minus_value) {
      if (iteration > 1 && iteration % settings::stretch_of_moves != 0) return true;
      const double gained = -minus_value - std::exchange(before, -minus_value);
      return before + settings::stretches_ahead * gained >= to_beat;
    };
    run(all, options);
  }

  // Takes in the remaining points, a share of the chart's size at a time, each where it is predicted best.
  void take_in_all(double share, const std::function<bool(Index)>& keep_going) {
    while (size() < problem_.N()) {
      if (!keep_going(size())) return;
      if (!take_in(std::max(settings::fewest_taken_in, static_cast<Index>(share * static_cast<double>(size())))))
        return;
      improve(settings::growing_iterations);
    }
  }

  // In the order of the data.
  FitState result() const {
    FitState all = state_;
    for (std::size_t k = 0; k < members_.size(); ++k) all.X.col(members_[k]) = state_.X.col(static_cast<Index>(k));
    return all;
  }
  bool complete() const { return size() == problem_.N(); }

 private:
  Index size() const { return static_cast<Index>(members_.size()); }

  // The problem of the points that are in; once all are in, they stand in the order of the data.
  FitProblem own_problem() {
    if (!complete()) return problem_.subset(members_);
    state_ = result();
    std::iota(members_.begin(), members_.end(), Index{0});
    return problem_;
  }
  void run(const FitProblem& part, const OptimiseOptions& options) {
    const Refined refined = refine(part, state_, options);
    state_ = refined.state;
    count(refined.report);
    if (problem_.control && problem_.control->stopped()) throw Stopped();
  }
  void count(const OptimiseResult& report) {
    const double share = static_cast<double>(size()) / static_cast<double>(problem_.N());
    evaluations_ += report.gradients * share * share * share;
  }

  bool take_in(Index wanted) {
    const Index q = problem_.latent.dim(), n = size(), copies = settings_.copies + 1;
    const PosteriorPtr posterior =
        problem_.make_evidence()->condition(state_, state_.noise(), problem_.V(Eigen::all, members_));
    if (!posterior) return false;
    // Candidates: every latent, and copies of it moved a little in a random direction.
    Matrix candidates(q, n * copies);
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < copies; ++c) {
        auto place = candidates.col(i * copies + c);
        place = state_.X.col(i);
        if (c == 0) continue;
        const Vector direction = random_.normals(q);
        const double reach = settings::farthest_copy - settings::nearest_copy;
        place += (settings::nearest_copy + reach * random_.uniform()) / direction.norm() * direction;
      }
    std::vector<bool> inside(static_cast<std::size_t>(problem_.N()), false);
    for (const Index i : members_) inside[static_cast<std::size_t>(i)] = true;
    Members outside;
    for (Index i = 0; i < problem_.N(); ++i)
      if (!inside[static_cast<std::size_t>(i)]) outside.push_back(i);

    // log N(v | mean, spread) of all outside points at some of the candidates at a time: a matrix product.
    const GpPrediction prediction = posterior->predict(candidates);
    const Matrix O = problem_.V(Eigen::all, outside);
    const Vector norms = O.colwise().squaredNorm();
    const double d = static_cast<double>(problem_.d());
    std::vector<Index> best(outside.size());
    Vector value = Vector::Constant(O.cols(), -infinity);
    Matrix scores;
    for (Index first = 0; first < candidates.cols(); first += settings::candidates_at_once) {
      const Index count = std::min(settings::candidates_at_once, candidates.cols() - first);
      const auto mean = prediction.mean.middleCols(first, count);
      const Vector spread = prediction.variance.segment(first, count).array() + state_.noise();
      scores = product_tn(mean * (1 / spread.array()).matrix().asDiagonal(), O);
      const Vector offset =
          -d / 2 * spread.array().log() - mean.colwise().squaredNorm().transpose().array() / (2 * spread.array());
      const Vector half_inverse = 1 / (2 * spread.array());
      scores.colwise() += offset;
      scores.noalias() -= half_inverse * norms.transpose();
      for (Index i = 0; i < value.size(); ++i) {
        Index place = 0;
        if (const double most = scores.col(i).maxCoeff(&place); most > value[i]) {
          value[i] = most;
          best[static_cast<std::size_t>(i)] = first + place;
        }
      }
    }
    Members order(outside.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return value[a] > value[b]; });
    const Index taken = std::min<Index>(wanted, static_cast<Index>(order.size()));
    state_.X.conservativeResize(q, n + taken);
    for (Index k = 0; k < taken; ++k) {
      const auto which = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
      members_.push_back(outside[which]);
      state_.X.col(n + k) = candidates.col(best[which]);
    }
    return true;
  }

  const FitProblem& problem_;
  Random& random_;
  double& evaluations_;
  const settings::Growth& settings_;
  Members members_;
  FitState state_;
};

}  // namespace

std::vector<Index> patch_centres(const FitProblem& problem, Index count) {
  if (count == 0) return {};
  const Index N = problem.N(), eighth = std::min<Index>(settings::density_neighbour, N - 1);
  Vector radius(N);
  for (Index i = 0; i < N; ++i) {
    Vector distances = squared_distances_to(problem.outputs.rows, i);
    std::nth_element(distances.begin(), distances.begin() + eighth, distances.end());
    radius[i] = distances[eighth];
  }
  Members dense(static_cast<std::size_t>(N));
  std::iota(dense.begin(), dense.end(), Index{0});
  std::stable_sort(dense.begin(), dense.end(), [&](Index a, Index b) { return radius[a] < radius[b]; });
  dense.resize(static_cast<std::size_t>(std::max<Index>(1, N / 2)));

  Members centres = {dense.front()};
  Vector nearest = squared_distances_to(problem.outputs.rows, centres.front());
  while (static_cast<Index>(centres.size()) < std::min<Index>(count, static_cast<Index>(dense.size()))) {
    centres.push_back(
        *std::max_element(dense.begin(), dense.end(), [&](Index a, Index b) { return nearest[a] < nearest[b]; }));
    nearest = nearest.cwiseMin(squared_distances_to(problem.outputs.rows, centres.back()));
  }
  return centres;
}

FitState grow(const FitProblem& problem, Index centre, Random& random, double& evaluations,
              const std::function<bool(Index)>& keep_going) {
  Chart chart(problem, random, evaluations);
  chart.seed(centre);
  chart.take_in_all(settings::growing_share, keep_going);
  if (!chart.complete()) {
    FitState failed;
    failed.value = -infinity;
    return failed;
  }
  chart.improve_truly(settings::grown_iterations);
  return chart.result();
}

FitState regrow(const FitProblem& problem, const FitState& state, int round, Random random, double& evaluations) {
  const Index N = problem.N();
  const double least = std::log(settings::least_removed), most = std::log(settings::most_removed);
  const double share = std::exp(least + random.uniform() * (most - least));
  const Index removed =
      std::clamp<Index>(static_cast<Index>(share * static_cast<double>(N)), std::min<Index>(3, N - 2), N - 2);
  Vector keep_first(N);
  if (round % settings::half_plane_every == settings::half_plane_every - 1) {
    const Vector direction = random.normals(state.X.rows());
    keep_first = state.X.transpose() * direction;
  } else {
    const std::optional<Vector> densities = leave_one_out_densities(problem, state);
    if (!densities) return state;
    evaluations += 1;
    keep_first = *densities;
    const double sd = std::sqrt((keep_first.array() - keep_first.mean()).square().mean());
    for (Index i = 0; i < N; ++i)
      keep_first[i] -= settings::removal_temperature * sd * std::log(-std::log(random.uniform()));
  }
  Members order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keep_first[a] > keep_first[b]; });
  order.resize(static_cast<std::size_t>(N - removed));
  std::sort(order.begin(), order.end());

  Chart chart(problem, random, evaluations);
  chart.start_from(state, order);
  chart.improve(settings::removed_iterations);
  chart.take_in_all(settings::regrowing_share, [](Index) { return true; });
  if (!chart.complete()) return state;
  chart.improve_truly(settings::regrown_iterations, state.value);
  return chart.result();
}

}  // namespace wgp
