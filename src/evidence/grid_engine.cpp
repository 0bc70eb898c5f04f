#include "evidence/grid_engine.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/products.h"
#include "simd/kernels.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr Index grid_points_at_once = 64;
constexpr double plain_end = 3, outlier_variance = 4, most_outliers = 0.4;
constexpr Index nodes_of_one = 400, nodes_of_two = 44;

// Shares of the nodes of one axis for a latent that is normal there. Most nodes are far from it: shares below e^-45 of
// the greatest are 0, and nobody looks where they are.
class NormalShares {
 public:
  NormalShares(const LatentNodes& nodes, Index j)
      : axis_(nodes.axis(j)),
        log_prior_(nodes.axis_log_prior(j)),
        step_(nodes.step(j)),
        is_angle_(nodes.latent().is_angle(j)),
        shares_(axis_.size()) {}

  // Leaves the shares, which add up to 1, and returns how far they are from the prior.
  double about(double x, double S) {
    constexpr double negligible = 45;
    const Index n = axis_.size();
    if (is_angle_) x = std::remainder(x, 2 * std::numbers::pi);
    const double place = std::round((x - axis_[0]) / step_);
    const auto nearest = static_cast<Index>(is_angle_ ? place : std::clamp(place, 0.0, static_cast<double>(n - 1)));
    // Node k, beyond the ends of a circle once more around.
    const auto far = [&](Index k) { return axis_[0] + static_cast<double>(k) * step_ - x; };
    const double least = far(nearest) * far(nearest);
    const double reach = std::sqrt(least + 2 * negligible * S) / step_;
    const double around = is_angle_ ? static_cast<double>(n / 2) : static_cast<double>(n);
    const auto wide = static_cast<Index>(std::min(around, std::ceil(reach) + 1));
    Index first = nearest - wide, last = nearest + wide;
    if (is_angle_ && last - first >= n) last = first + n - 1;
    if (!is_angle_) first = std::max<Index>(first, 0), last = std::min(last, n - 1);
    shares_.setZero();
    double total = 0, of_logs = 0;
    for (Index k = first; k <= last; ++k) {
      const double log_share = (least - far(k) * far(k)) / (2 * S);
      if (log_share < -negligible) continue;
      const Index g = (k + n) % n;
      const double share = std::exp(log_share);
      shares_[g] = share;
      total += share;
      of_logs += share * (log_share - log_prior_[g]);
    }
    shares_ /= total;
    return of_logs / total - std::log(total);
  }
  const Vector& shares() const { return shares_; }

 private:
  const Vector &axis_, &log_prior_;
  double step_;
  bool is_angle_;
  Vector shares_;
};

}  // namespace

LatentNodes::LatentNodes(const LatentSpace& latent) : latent_(latent) {
  const Index q = latent.dim(), each = q == 1 ? nodes_of_one : nodes_of_two;
  if (q > 2) throw Error("a grid of latents has one or two coordinates");
  for (Index j = 0; j < q; ++j) {
    Vector axis(each);
    for (Index g = 0; g < each; ++g)
      axis[g] = latent.is_angle(j)
                    ? std::numbers::pi * (2 * (static_cast<double>(g) + 0.5) / static_cast<double>(each) - 1)
                    : plain_end * (2 * static_cast<double>(g) / static_cast<double>(each - 1) - 1);
    axes_.push_back(axis);
  }
  for (Index j = 0; j < q; ++j) {
    Vector log_prior = Vector::Zero(each);
    if (!latent.is_angle(j)) log_prior = -axis(j).array().square() / 2;
    log_prior.array() -= std::log(log_prior.array().exp().sum());
    axes_log_prior_.push_back(std::move(log_prior));
  }
  const Index G = q == 1 ? each : each * each;
  nodes_.resize(q, G);
  log_prior_.setZero(G);
  for (Index g = 0; g < G; ++g)
    for (Index j = 0; j < q; ++j) {
      const Index along = j == 0 ? g % each : g / each;
      nodes_(j, g) = axis(j)[along];
      log_prior_[g] += axis_log_prior(j)[along];
    }
}

double log_density_of_anything(double squared, Index d) {
  return -static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi * outlier_variance) -
         squared / (2 * outlier_variance);
}

namespace {

struct StartSums {
  Matrix sums;  // mass, then the pull by rows of V
  double divergence = 0;
  void each_part(auto&& visitor) { visitor(sums, divergence); }
};

struct PassSums {
  Matrix sums;  // mass, then the pull by rows of V
  double count = 0, squares = 0, normaliser = 0, mixture = 0, out = 0;
  void each_part(auto&& visitor) { visitor(sums, count, squares, normaliser, mixture, out); }
  void add(const PassSums& other) {
    sums += other.sums;
    count += other.count;
    squares += other.squares;
    normaliser += other.normaliser;
    mixture += other.mixture;
    out += other.out;
  }
};

}  // namespace

GridEngine::GridEngine(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, Executor* executor,
                       RunControl* control, AngleDensities densities)
    : spectrum_(spectrum),
      rows_(rows),
      d_(d),
      squared_(rows.colwise().squaredNorm().transpose()),
      executor_(executor ? executor : &own_),
      control_(control),
      densities_(densities),
      nodes_(spectrum.latent()) {}

void GridEngine::replan(GridState& state) const {
  const LatentSpace& latent = nodes_.latent();
  Vector periods(latent.dim());
  for (Index j = 0; j < latent.dim(); ++j)
    periods[j] = 2 * plain_end + LatticeSettings().period_lengths * std::min(spectrum_.length(state.theta, j), 4.0);
  state.plan = plan_lattice(spectrum_, state.theta, state.noise, d_, periods);
}

GridState GridEngine::begin(ConstMatrixRef X, ConstMatrixRef S, Vector theta, double noise) const {
  const Index N = points(), G = nodes_.count(), q = nodes_.latent().dim();
  GridState state;
  state.theta = std::move(theta);
  state.noise = noise;
  auto all = executor_->reduce_over_ranks<StartSums>(
      (N + grid_points_at_once - 1) / grid_points_at_once,
      [&](Index b) {
        const Index first = b * grid_points_at_once, count = std::min(grid_points_at_once, N - first);
        StartSums part{Matrix::Zero(1 + rows_.rows(), G), 0};
        std::vector<NormalShares> axes;
        for (Index j = 0; j < q; ++j) axes.emplace_back(nodes_, j);
        Matrix pi(G, count), with_one(1 + rows_.rows(), count);
        for (Index i = 0; i < count; ++i) {
          for (Index j = 0; j < q; ++j)
            part.divergence += axes[static_cast<std::size_t>(j)].about(X(j, first + i), S(j, first + i));
          if (q == 1)
            pi.col(i) = axes[0].shares();
          else
            pi.col(i).reshaped(axes[0].shares().size(), axes[1].shares().size()) =
                axes[0].shares() * axes[1].shares().transpose();
        }
        with_one.row(0).setOnes();
        with_one.bottomRows(rows_.rows()) = rows_.middleCols(first, count);
        add_product_nt(part.sums, with_one, pi);
        return part;
      },
      [](StartSums& into, const StartSums& part) {
        into.sums += part.sums;
        into.divergence += part.divergence;
      });
  state.sums = {all.sums.row(0).transpose(), all.sums.bottomRows(rows_.rows()), static_cast<double>(N), squared_.sum(),
                -all.divergence};
  replan(state);
  return state;
}

GridState GridEngine::adopt(GridEngine& other, const GridState& from) {
  GridState state = from;
  expect(state, other.process(from));
  return state;
}

const GridEngine::Axes& GridEngine::axes(const GridState& state) {
  const Lattice& lattice = state.plan->lattice;
  if (axes_modes_.cols() == lattice.modes().cols() && axes_modes_ == lattice.modes() &&
      axes_periods_ == lattice.periods())
    return axes_;
  // Made whole before anything is replaced: where memory runs out while Eigen resizes a matrix, it keeps what it freed.
  Axes made;
  for (Index j = 0; j < lattice.coordinates(); ++j) made.tables.push_back(lattice.axis_table(nodes_.axis(j), j));
  if (lattice.coordinates() == 1) made.features = LatticeBlock(lattice, nodes_.nodes(), Matrix()).features();
  Modes modes = lattice.modes();
  Vector periods = lattice.periods();
  axes_ = std::move(made);
  axes_modes_ = std::move(modes);
  axes_periods_ = std::move(periods);
  return axes_;
}

namespace {

// Of two coordinates: sums over the nodes of a function times the tables.
Matrix sum_over_nodes(const std::vector<Matrix>& tables, ConstVectorRef values) {
  const Matrix square = values.reshaped(tables[0].rows(), tables[1].rows());
  return product(product_tn(tables[0], square), tables[1]);
}

}  // namespace

Matrix GridEngine::lattice_table(const GridState& state) {
  const Axes& own = axes(state);
  if (own.tables.size() == 1) return own.tables[0].transpose() * state.sums.mass;
  return sum_over_nodes(own.tables, state.sums.mass);
}

LatticeSums GridEngine::lattice_sums(const GridState& state) {
  const Axes& own = axes(state);
  LatticeSums sums;
  sums.count = state.sums.count;
  sums.squares = state.sums.squares;
  sums.second = state.plan->lattice.second_moments(lattice_table(state));
  const Matrix& pull = state.sums.pull;
  if (own.tables.size() == 1) {
    sums.cross = Matrix::Zero(own.features.cols(), pull.rows());
    simd().products.add_product(columns(MatrixRef(sums.cross)), 1, columns(ConstMatrixRef(own.features)), Turned::yes,
                                columns(ConstMatrixRef(pull)), Turned::yes);
  } else {
    const Lattice& lattice = state.plan->lattice;
    sums.cross.resize(lattice.size(), pull.rows());
    for (Index i = 0; i < pull.rows(); ++i)
      sums.cross.col(i) = lattice.first_moments(sum_over_nodes(own.tables, pull.row(i).transpose()));
  }
  sums.d = d_;
  return sums;
}

double GridEngine::improve(GridState& state, const Pass& pass, CollapsedBound& bound) {
  const LatticeSums sums = lattice_sums(state);
  improve_hyper_parameters(spectrum_, bound, sums, pass, state.theta, state.noise);
  return bound.value(state.theta, state.noise, sums);
}

LearnedDensity GridEngine::learned(const GridState& state) {
  if (densities_ == AngleDensities::uniform) return {};
  return learned_density(state.plan->lattice, lattice_table(state));
}

GridEngine::Process GridEngine::process_of(const CollapsedBound& bound, const GridState& state,
                                           const LearnedDensity& learned) {
  const Axes& own = axes(state);
  Process process;
  process.noise = state.noise;
  process.means = Matrix::Zero(rows_.rows(), nodes_.count());
  const Lattice& lattice = state.plan->lattice;
  const Matrix weights = bound.weights(), by = lattice.by_table(bound.weights_covariance());
  if (own.tables.size() == 1) {
    simd().products.add_product(columns(MatrixRef(process.means)), 1, columns(ConstMatrixRef(weights)), Turned::yes,
                                columns(ConstMatrixRef(own.features)), Turned::yes);
    process.variance = own.tables[0] * by;
  } else {
    for (Index i = 0; i < weights.cols(); ++i)
      process.means.row(i) =
          polynomial_at_pairs(own.tables[0], own.tables[1], lattice.table_of(weights.col(i))).transpose();
    process.variance = polynomial_at_pairs(own.tables[0], own.tables[1], by);
  }
  process.variance = process.variance.cwiseMax(0).array() + bound.neglected();
  process.bias = nodes_.log_prior() -
                 1 / (2 * state.noise) *
                     (process.means.colwise().squaredNorm().transpose() + static_cast<double>(d_) * process.variance);
  if (learned.gain > 0) {
    Matrix of_learned = Matrix::Zero(lattice.table_rows(), 1);
    learned.add_by_table(lattice, of_learned);
    process.bias += own.tables[0] * of_learned;
  }
  return process;
}

GridEngine::Process GridEngine::process(const GridState& state) {
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  bound.value(state.theta, state.noise, lattice_sums(state));
  return process_of(bound, state, learned(state));
}

// The nodes as points are weighed with them.
class GridEngine::Weights {
 public:
  explicit Weights(const Process& process)
      : padded_((process.bias.size() + node_padding - 1) / node_padding * node_padding),
        slopes_(Matrix::Zero(padded_, process.means.rows())),
        bias_(Vector::Constant(padded_, -infinity)) {
    slopes_.topRows(process.bias.size()) = std::numbers::log2e / process.noise * process.means.transpose();
    bias_.head(process.bias.size()) = std::numbers::log2e * process.bias;
  }
  WeightedNodes view() const { return {slopes_.data(), bias_.data(), slopes_.cols(), padded_}; }

 private:
  Index padded_;
  Matrix slopes_;
  Vector bias_;
};

// Where the responsibilities of a block of points are made, four points at a time.
class GridEngine::BlockOfPoints {
 public:
  BlockOfPoints(const WeightedNodes& nodes, ConstMatrixRef V)
      : nodes_(nodes), V_(V), shares_(nodes.padded, 4), held_(static_cast<std::size_t>(4 * (nodes.padded / 2))) {
    for (int p = 0; p < 4; ++p) of_[p] = {shares_.col(p).data(), held_.data() + p * (nodes.padded / 2), 0, 0, 0};
  }
  // use(i, its shares, the log of their sum before the greatest became 1)
  template <class Use>
  void each(const Use& use) {
    for (Index first = 0; first < V_.cols(); first += 4) {
      const Index count = std::min<Index>(4, V_.cols() - first);
      const double* v[4];
      NodeShares* of[4];
      for (Index p = 0; p < 4; ++p) {  // of a rest the last once more, which nobody looks at
        v[p] = V_.col(first + std::min(p, count - 1)).data();
        of[p] = &of_[p];
      }
      simd().nodes.share(nodes_, v, of);
      for (Index p = 0; p < count; ++p) use(first + p, of_[p], std::numbers::ln2 * of_[p].most + std::log(of_[p].sum));
    }
  }
  // weight_of(i, log of the sum over nodes): what the point counts.
  template <class WeightOf>
  void add_to(Matrix& sums, const WeightOf& weight_of) {
    each([&](Index i, const NodeShares& of, double normaliser) {
      const double weight = weight_of(i, normaliser);
      simd().nodes.add(nodes_, of, V_.col(i).data(), weight / of.sum, sums.data());
    });
  }

 private:
  const WeightedNodes& nodes_;
  const Eigen::Ref<const Matrix> V_;
  Matrix shares_;
  std::vector<int> held_;
  NodeShares of_[4];
};

void GridEngine::expect(GridState& state, const Process& process) {
  const Index N = points(), G = nodes_.count(), rows = rows_.rows();
  const double b = 1 / process.noise, d = static_cast<double>(d_);
  const bool mixed = state.outliers > 0;
  if (mixed && state.inlier.size() != N) state.inlier.setOnes(N);
  const Weights weights(process);
  const WeightedNodes nodes = weights.view();
  const double odds = mixed ? std::log((1 - state.outliers) / state.outliers) : 0;
  const auto share_of_block = [&](Index block) {
    if (control_) control_->check();
    const Index first = block * grid_points_at_once, count = std::min(grid_points_at_once, N - first);
    PassSums part{Matrix::Zero(nodes.padded, 1 + rows), 0, 0, 0, 0, 0};
    BlockOfPoints(nodes, rows_.middleCols(first, count)).add_to(part.sums, [&](Index i, double normaliser) {
      double weight = 1;
      const double squared = squared_[first + i];
      if (mixed) {
        const double inside = -d / 2 * std::log(2 * std::numbers::pi * process.noise) - b / 2 * squared + normaliser;
        const double outside = log_density_of_anything(squared, d_);
        const double difference = odds + inside - outside;
        weight = 1 / (1 + std::exp(-difference));
        state.inlier[first + i] = weight;
        part.out += 1 - weight;
        part.mixture += (1 - weight) * outside;
      }
      part.count += weight;
      part.squares += weight * squared;
      part.normaliser += weight * normaliser;
      return weight;
    });
    return part;
  };
  const auto add = [](PassSums& into, const PassSums& part) { into.add(part); };
  const Index blocks = (N + grid_points_at_once - 1) / grid_points_at_once;
  // Which points belong to nothing is kept of all of them: every rank looks at all.
  PassSums all = mixed ? executor_->reduce<PassSums>(blocks, share_of_block, add)
                       : executor_->reduce_over_ranks<PassSums>(blocks, share_of_block, add);
  Vector mass = all.sums.col(0).head(G);
  Matrix pull = all.sums.block(0, 1, G, rows).transpose();
  // sum_n sum_g pi log(pi/p) = sum_g [ b m_g.pull_g - (b/2) mass_g (|m_g|^2 + d s_g^2) ] - sum_n log Z_n.
  const double divergence =
      b * process.means.cwiseProduct(pull).sum() + mass.dot(process.bias - nodes_.log_prior()) - all.normaliser;
  if (mixed) {
    state.outliers = std::min(most_outliers, (all.out + 0.5) / (static_cast<double>(N) + 10));
    const double log_in = std::log1p(-state.outliers), log_out = std::log(state.outliers);
    for (Index n = 0; n < N; ++n) {
      const double w = state.inlier[n];
      if (w > 0) all.mixture += w * (log_in - std::log(w));
      if (w < 1) all.mixture += (1 - w) * (log_out - std::log1p(-w));
    }
  }
  state.sums = {std::move(mass), std::move(pull), all.count, all.squares, all.mixture - divergence};
}

void GridEngine::pass(GridState& state, const Pass& pass) {
  if (!state.plan) replan(state);
  CollapsedBound bound(spectrum_, state.plan->lattice, state.plan->mode);
  const LearnedDensity learned = this->learned(state);
  state.bound = improve(state, pass, bound) + state.sums.other + learned.gain;
  expect(state, process_of(bound, state, learned));
  ++state.passes;
}

Matrix GridEngine::means(const GridState& state) { return process(state).means; }

GridEngine::Codes GridEngine::codes(const GridState& state) { return codes(state, rows_); }

GridEngine::Codes GridEngine::codes(const GridState& state, ConstMatrixRef vectors) {
  const Index N = vectors.cols(), q = nodes_.latent().dim();
  const Process known = process(state);
  const Weights weights(known);
  const WeightedNodes weighted = weights.view();
  Codes codes{Matrix(q, N), Matrix(q, N), Vector(N)};
  const double d = static_cast<double>(d_);
  const Index register_size = simd().sweep.vec_size;
  Vector radius(q);
  for (Index j = 0; j < q; ++j) radius[j] = std::max(6 * nodes_.step(j), 0.6 * spectrum_.length(state.theta, j));
  executor_->each((N + grid_points_at_once - 1) / grid_points_at_once, [&](Index block, int) {
    const Index first = block * grid_points_at_once, count = std::min(grid_points_at_once, N - first);
    const auto V = vectors.middleCols(first, count);
    Vector far(q), sum(q), squares(q);
    BlockOfPoints(weighted, V).each([&](Index i, const NodeShares& of, double normaliser) {
      codes.log_evidence[first + i] = normaliser - d / 2 * std::log(2 * std::numbers::pi * known.noise) -
                                      V.col(i).squaredNorm() / (2 * known.noise);
      const auto each_node = [&](const auto& use) {
        for (Index h = 0; h < of.held_count; ++h)
          for (Index g = of.held[h]; g < of.held[h] + register_size; ++g) use(g, of.shares[g]);
      };
      Index best = 0;
      double most = 0;
      each_node([&](Index g, double share) {
        if (share > most) most = share, best = g;
      });
      // Around the best node alone: of several modes the heaviest.
      sum.setZero();
      squares.setZero();
      double mass = 0;
      each_node([&](Index g, double share) {
        if (!(share >= 1e-12)) return;
        bool near = true;
        for (Index j = 0; j < q; ++j) {
          far[j] = nodes_.nodes()(j, g) - nodes_.nodes()(j, best);
          if (nodes_.latent().is_angle(j) && std::abs(far[j]) > std::numbers::pi)
            far[j] -= std::copysign(2 * std::numbers::pi, far[j]);
          near = near && std::abs(far[j]) <= radius[j];
        }
        if (!near) return;
        mass += share;
        sum += share * far;
        squares += share * far.cwiseAbs2();
      });
      for (Index j = 0; j < q; ++j) {
        const double mean = sum[j] / mass, step = nodes_.step(j);
        codes.X(j, first + i) = nodes_.nodes()(j, best) + mean;
        codes.S(j, first + i) = std::max(squares[j] / mass - mean * mean, step * step / 12);
      }
    });
  });
  return codes;
}

}  // namespace wgp
