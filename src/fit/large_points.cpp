#include "fit/large_points.h"

#include <algorithm>
#include <cmath>

#include "fit/all_points.h"
#include "fit/points.h"

namespace wgp {

LiftCounts LiftCounts::of(const LogReport& report) {
  return {report.count(LogStatus::cut_locus), report.count(LogStatus::near_cut),
          report.count(LogStatus::not_converged) + report.count(LogStatus::outside_domain)};
}

void LiftCounts::add(const LiftCounts& other) {
  cut += other.cut;
  near += other.near;
  failed += other.failed;
}

std::vector<char> belong_to_nothing(ConstVectorRef log_evidence, ConstMatrixRef vectors, double share) {
  const double odds = std::log((1 - share) / share);
  std::vector<char> skipped(static_cast<std::size_t>(vectors.cols()));
  for (Index i = 0; i < vectors.cols(); ++i)
    skipped[static_cast<std::size_t>(i)] =
        odds + log_evidence[i] < log_density_of_anything(vectors.col(i).squaredNorm(), vectors.rows());
  return skipped;
}

void PointsHere::attach(FitSession& session) {
  session_ = &session;
  own_ = NormalPasses::own_points(session.executor, count());
}

template <class T, class Make, class Add>
T PointsHere::over_blocks(const Make& make, const Add& add) {
  constexpr Index at_once = NormalPasses::points_at_once;
  const Index N = count();
  const auto of_block = [&](Index b) {
    const Index first = b * at_once;
    Matrix P(points_.rows(), std::min(at_once, N - first));
    points_.read(first, P);
    return make(first, P);
  };
  return session_->executor.reduce_over_ranks<T>((N + at_once - 1) / at_once, of_block, add);
}

void PointsHere::check() {
  over_blocks<Index>(
      [&](Index first, const Matrix& P) {
        check_points(*manifold_, P, first);
        return P.cols();
      },
      [](Index& into, Index one) { into += one; });
}

Vector PointsHere::sum_of_logarithms(const Vector& base) {
  const Basepoint lift(manifold_, base);
  return over_blocks<Vector>(
      [&](Index, const Matrix& P) -> Vector {
        return lift.lift(Matrix(), without_defects(*manifold_, P)).V.rowwise().sum();
      },
      [](Vector& into, const Vector& one) { into += one; });
}

LiftCounts PointsHere::lift(const VectorUnits& units) {
  const Basepoint lift(manifold_, units.base);
  vectors_ = std::make_unique<ColumnFile>(lift.dim());
  vectors_->resize(count());
  of_ranks_ = std::make_unique<RankColumns>(*vectors_, own_, session_->executor.ranks());
  return over_blocks<LiftCounts>(
      [&](Index first, const Matrix& P) {
        const Lifted found = lift.lift(Matrix(), without_defects(*manifold_, P));
        vectors_->write(first, found.V / units.scale);
        return LiftCounts::of(found.report);
      },
      [](LiftCounts& into, const LiftCounts& one) { into.add(one); });
}

std::unique_ptr<NormalPasses> PointsHere::passes(const KernelSpectrum& spectrum, Index d) {
  return std::make_unique<NormalPasses>(spectrum, *of_ranks_, d, &session_->executor, &session_->control);
}

namespace {

// Some columns of others, next to each other.
class Window final : public ColumnBlocks {
 public:
  Window(const ColumnBlocks& all, Index first, Index count) : all_(all), first_(first), count_(count) {}
  Index rows() const override { return all_.rows(); }
  Index count() const override { return count_; }
  void read(Index first, MatrixRef into) const override { all_.read(first_ + first, into); }

 private:
  const ColumnBlocks& all_;
  const Index first_, count_;
};

}  // namespace

// make(vectors): where these points begin.
template <class Make>
std::shared_ptr<ColumnFile> PointsHere::begun(const Make& make) const {
  constexpr Index at_once = 512 * NormalPasses::points_at_once;
  auto latents = std::make_shared<ColumnFile>(PointLatents::file_rows(session_->options.latent.dim()));
  latents->resize(count());
  for (Index first = own_.first; first < own_.last; first += at_once)
    latents->write(first, make(Window(*vectors_, first, std::min(at_once, own_.last - first))));
  return latents;
}

PassState PointsHere::begin_on_grid(NormalPasses& passes, GridEngine& engine, const GridState& found) {
  return passes.begin(begun([&](const ColumnBlocks& vectors) {
                        const GridEngine::Codes codes = engine.codes(found, vectors);
                        std::vector<char> skipped;
                        if (found.outliers > 0) {
                          Matrix V(vectors.rows(), vectors.count());
                          vectors.read(0, V);
                          skipped = belong_to_nothing(codes.log_evidence, V, found.outliers);
                        }
                        return PointLatents::begun(session_->options.latent, codes.X, codes.S, skipped);
                      }),
                      found.theta, found.noise);
}

PassState PointsHere::begin_at_nearest(NormalPasses& passes, const Known& known) {
  return passes.begin(begun([&](const ColumnBlocks& vectors) {
                        const std::vector<Index> nearest = nearest_columns(known.vectors, vectors, {0, vectors.count()},
                                                                           session_->executor, session_->control);
                        return PointLatents::begun(session_->options.latent, known.X(Eigen::all, nearest),
                                                   known.S(Eigen::all, nearest), {});
                      }),
                      known.theta, known.noise);
}

std::vector<Index> PointsHere::skipped(const PassState& state) {
  constexpr Index at_once = 512 * NormalPasses::points_at_once;
  std::vector<Index> own, all;
  for (Index first = own_.first; first < own_.last; first += at_once) {
    Matrix columns(state.points.file->rows(), std::min(at_once, own_.last - first));
    state.points.file->read(first, columns);
    for (Index i = 0; i < columns.cols(); ++i)
      if (columns(columns.rows() - 1, i) != 0) own.push_back(first + i);
  }
  if (!session_->ranks) return own;
  for (const std::vector<Index>& some : session_->ranks->gather_values<std::vector<Index>>([&] { return own; }))
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

LargePoints::Latents PointsHere::latents(const PassState& state, const std::vector<Index>& members) {
  const Matrix columns = RankColumns(*state.points.file, own_, session_->executor.ranks()).gathered(members);
  const Index q = session_->options.latent.dim();
  return {columns.topRows(q), columns.middleRows(q, q)};
}

}  // namespace wgp
