#include "model/growth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gp/conditioning.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

using Members = std::vector<Index>;

constexpr Index candidates_at_once = 512;  // their scores would outgrow the covariance

// What the dimension of the latents asks for.
struct Settings {
  Index patch, copies;
  double noise_sd;
};
Settings settings_for(Index q) { return q >= 3 ? Settings{40, 12, 0.05} : Settings{15, 6, 1.5}; }

Vector squared_distances_to(const Matrix& Z, Index i) { return (Z.colwise() - Z.col(i)).colwise().squaredNorm(); }

class Chart {
 public:
  Chart(const FitProblem& problem, Random& random, double& evaluations)
      : problem_(problem), random_(random), evaluations_(evaluations), settings_(settings_for(problem.latent.dim())) {}

  // The patch: a point and its nearest neighbours, laid out by their principal components.
  void seed(Index centre) {
    const Index N = problem_.N(), q = problem_.latent.dim(), size = std::min(settings_.patch, N);
    const Vector distances = squared_distances_to(problem_.Z, centre);
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
    state_.u = -4;
    improve(60);
  }

  void start_from(const FitState& state, const Members& kept) {
    members_ = kept;
    state_ = state;
    state_.X = state.X(Eigen::all, kept);
  }

  void improve(int iterations) {
    PriorTerms terms = problem_.prior;
    terms.latent_precision = 0.05;
    terms.centred = true;
    terms.log_noise_mean = -4;
    terms.log_noise_sd = settings_.noise_sd;
    terms.fix_theta = 3 * size() < problem_.N();
    run(terms, iterations);
  }
  void improve_truly(int iterations) {
    const Index plain = problem_.latent.plain_count();
    if (problem_.prior.latent_precision > 0 && plain > 0)
      state_.X.bottomRows(plain).colwise() -= state_.X.bottomRows(plain).rowwise().mean().eval();
    run(problem_.prior, iterations);
  }

  // Takes in the remaining points, a share of the chart's size at a time, each where it is predicted best.
  void take_in_all(double share, int iterations, const std::function<bool(Index)>& keep_going) {
    while (size() < problem_.N()) {
      if (!keep_going(size())) return;
      if (!take_in(std::max<Index>(3, static_cast<Index>(share * static_cast<double>(size()))))) return;
      improve(iterations);
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

  void run(const PriorTerms& terms, int iterations) {
    const FitProblem part = complete() ? problem_ : problem_.subset(members_);
    if (complete()) {  // the whole problem has its points in order
      FitState ordered = result();
      const Refined refined = refine(part, ordered, terms, iterations);
      state_ = refined.state;
      std::iota(members_.begin(), members_.end(), Index{0});
      count(refined.report);
      return;
    }
    const Refined refined = refine(part, state_, terms, iterations);
    state_ = refined.state;
    count(refined.report);
  }
  void count(const OptimiseResult& report) {
    const double share = static_cast<double>(size()) / static_cast<double>(problem_.N());
    evaluations_ += report.gradients * share * share * share;
  }

  bool take_in(Index wanted) {
    const Index q = problem_.latent.dim(), n = size(), copies = settings_.copies + 1;
    const GpPosterior posterior(problem_.kernel, state_.theta, state_.noise(), state_.X,
                                problem_.V(Eigen::all, members_));
    if (!posterior.ok()) return false;
    // Candidates: every latent, and copies of it moved a little in a random direction.
    Matrix candidates(q, n * copies);
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < copies; ++c) {
        auto place = candidates.col(i * copies + c);
        place = state_.X.col(i);
        if (c == 0) continue;
        const Vector direction = random_.normals(q);
        place += (0.15 + 0.85 * random_.uniform()) / direction.norm() * direction;
      }
    std::vector<bool> inside(static_cast<std::size_t>(problem_.N()), false);
    for (const Index i : members_) inside[static_cast<std::size_t>(i)] = true;
    Members outside;
    for (Index i = 0; i < problem_.N(); ++i)
      if (!inside[static_cast<std::size_t>(i)]) outside.push_back(i);

    // log N(v | mean, spread) of all outside points at some of the candidates at a time: a matrix product.
    const GpPrediction prediction = posterior.predict(candidates);
    const Matrix O = problem_.V(Eigen::all, outside);
    const Vector norms = O.colwise().squaredNorm();
    const double d = static_cast<double>(problem_.d());
    std::vector<Index> best(outside.size());
    Vector value = Vector::Constant(O.cols(), -infinity);
    Matrix scores;
    for (Index first = 0; first < candidates.cols(); first += candidates_at_once) {
      const Index count = std::min(candidates_at_once, candidates.cols() - first);
      const auto mean = prediction.mean.middleCols(first, count);
      const Vector spread = prediction.variance.segment(first, count).array() + state_.noise();
      scores.noalias() = (mean * (1 / spread.array()).matrix().asDiagonal()).transpose() * O;
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
  Settings settings_;
  Members members_;
  FitState state_;
};

}  // namespace

std::vector<Index> patch_centres(const FitProblem& problem, Index count) {
  if (count == 0) return {};
  const Index N = problem.N(), eighth = std::min<Index>(8, N - 1);
  Vector radius(N);
  for (Index i = 0; i < N; ++i) {
    Vector distances = squared_distances_to(problem.Z, i);
    std::nth_element(distances.begin(), distances.begin() + eighth, distances.end());
    radius[i] = distances[eighth];
  }
  Members dense(static_cast<std::size_t>(N));
  std::iota(dense.begin(), dense.end(), Index{0});
  std::stable_sort(dense.begin(), dense.end(), [&](Index a, Index b) { return radius[a] < radius[b]; });
  dense.resize(static_cast<std::size_t>(std::max<Index>(1, N / 2)));

  Members centres = {dense.front()};
  Vector nearest = squared_distances_to(problem.Z, centres.front());
  while (static_cast<Index>(centres.size()) < std::min<Index>(count, static_cast<Index>(dense.size()))) {
    centres.push_back(
        *std::max_element(dense.begin(), dense.end(), [&](Index a, Index b) { return nearest[a] < nearest[b]; }));
    nearest = nearest.cwiseMin(squared_distances_to(problem.Z, centres.back()));
  }
  return centres;
}

FitState grow(const FitProblem& problem, Index centre, Random& random, double& evaluations,
              const std::function<bool(Index)>& keep_going) {
  Chart chart(problem, random, evaluations);
  chart.seed(centre);
  chart.take_in_all(0.06, 10, keep_going);
  if (!chart.complete()) {
    FitState failed;
    failed.value = -infinity;
    return failed;
  }
  chart.improve_truly(60);
  return chart.result();
}

FitState regrow(const FitProblem& problem, const FitState& state, int round, Random random, double& evaluations) {
  const Index N = problem.N();
  const double share = std::exp(std::log(0.03) + random.uniform() * (std::log(0.25) - std::log(0.03)));
  const Index removed =
      std::clamp<Index>(static_cast<Index>(share * static_cast<double>(N)), std::min<Index>(3, N - 2), N - 2);
  Vector keep_first(N);
  if (round % 5 == 4) {  // a half-plane of the latents
    const Vector direction = random.normals(state.X.rows());
    keep_first = state.X.transpose() * direction;
  } else {
    const GpPosterior posterior(problem.kernel, state.theta, state.noise(), state.X, problem.V);
    if (!posterior.ok()) return state;
    evaluations += 1;
    keep_first = posterior.leave_one_out(problem.V);
    const double sd = std::sqrt((keep_first.array() - keep_first.mean()).square().mean());
    for (Index i = 0; i < N; ++i) keep_first[i] -= 0.3 * sd * std::log(-std::log(random.uniform()));
  }
  Members order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keep_first[a] > keep_first[b]; });
  order.resize(static_cast<std::size_t>(N - removed));
  std::sort(order.begin(), order.end());

  Chart chart(problem, random, evaluations);
  chart.start_from(state, order);
  chart.improve(15);
  chart.take_in_all(0.25, 10, [](Index) { return true; });
  if (!chart.complete()) return state;
  chart.improve_truly(40);
  return chart.result();
}

}  // namespace wgp
