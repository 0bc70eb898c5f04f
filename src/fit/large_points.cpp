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

template <class T, class Make>
std::shared_ptr<T> PointsHere::made_by_each(const Make& make) const {
  if (!session_->ranks) return make();
  std::shared_ptr<T> own;
  session_->ranks->gather([&] {
    own = make();
    return std::string();
  });
  return own;
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
  vectors_ = made_by_each<ColumnFile>([&] {
    auto vectors = std::make_shared<ColumnFile>(lift.dim());
    vectors->resize(count());
    return vectors;
  });
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

// make(V): how points with these vectors begin.
template <class Make>
std::shared_ptr<ColumnFile> PointsHere::begun(const Make& make) const {
  constexpr Index at_once = 512 * NormalPasses::points_at_once;
  return made_by_each<ColumnFile>([&] {
    auto latents = std::make_shared<ColumnFile>(PointLatents::file_rows(session_->options.latent.dim()));
    latents->resize(count());
    for (Index first = own_.first; first < own_.last; first += at_once) {
      Matrix V(vectors_->rows(), std::min(at_once, own_.last - first));
      vectors_->read(first, V);
      latents->write(first, make(V));
    }
    return latents;
  });
}

PassState PointsHere::begin_on_grid(NormalPasses& passes, GridEngine& engine, const GridState& found) {
  return passes.begin(begun([&](const Matrix& V) {
                        const GridEngine::Codes codes = engine.codes(found, V);
                        std::vector<char> skipped;
                        if (found.outliers > 0) skipped = belong_to_nothing(codes.log_evidence, V, found.outliers);
                        return PointLatents::begun(session_->options.latent, codes.X, codes.S, skipped);
                      }),
                      found.theta, found.noise);
}

PassState PointsHere::begin_at_nearest(NormalPasses& passes, const Known& known) {
  return passes.begin(begun([&](const Matrix& V) {
                        const std::vector<Index> nearest =
                            nearest_columns(known.vectors, V, session_->executor, session_->control);
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
  const RankColumns of_all(*state.points.file, own_, session_->executor.ranks());
  const Index q = session_->options.latent.dim(), count = static_cast<Index>(members.size());
  constexpr auto at_once = static_cast<Index>(RankColumns::at_once);
  Latents found{Matrix(q, count), Matrix(q, count)};
  for (Index first = 0; first < count; first += at_once) {
    const auto some = members.begin() + first;
    const Matrix columns = of_all.gathered({some, some + std::min(at_once, count - first)});
    found.X.middleCols(first, columns.cols()) = columns.topRows(q);
    found.S.middleCols(first, columns.cols()) = columns.middleRows(q, q);
  }
  return found;
}

}  // namespace wgp
