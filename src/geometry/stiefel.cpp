// The Stiefel manifold St(n, p) of orthonormal p-frames in R^n, n x p matrices Y with Y'Y = I, with the canonical
// metric
//   <U, V>_Y = tr(U'V) - tr(U'Y Y'V) / 2.
// Its curvature lies in [0, 5/4], which bounds the injectivity radius from below by sqrt(4/5) pi (Rentmeesters 2013).
// The logarithm is iterative. A geodesic shorter than that bound is the shortest; of longer ones several starts are
// compared, without certainty.
#include <cmath>

#include "core/constants.h"
#include "core/format.h"
#include "linalg/decompositions.h"

#include "geometry/central_difference.h"
#include "geometry/factories.h"
#include "geometry/stiefel_geodesic.h"
#include "linalg/householder.h"
#include "linalg/polar.h"
#include "linalg/rotation_planes.h"
#include "linalg/row_major.h"

namespace wgp {
namespace {

// On the sphere, p = 1, the metric is the round one.
double injectivity_bound(Index p) { return p == 1 ? pi : std::sqrt(0.8) * pi; }

// The small problem behind the logarithm: a skew w = [[A, -B'], [B, 0]] of size p + r with exp(w) [I; 0] = [I; 0] + D.
struct BlockLog {
  Matrix w;
  double residual = infinity;  // |exp(w) [I; 0] - [I; 0] - D|
  int iterations = 0;
};

double block_residual(ConstMatrixRef w, ConstMatrixRef D) {
  return (rotation_minus_identity(w).leftCols(D.cols()) - D).norm();
}

// V: a rotation whose first p columns are [I; 0] + D. Multiplying its other columns by rotations keeps them
// orthonormal; when the lower right block C of log V vanishes, log V is the answer. The multiplier exp(G), C = S G + G
// S with S = B B' / 12 - I / 2, cancels C up to higher orders of the Baker-Campbell-Hausdorff series. Zimmermann and
// Hueper, SIAM J. Matrix Anal. Appl. 43 (2022), algorithm 4.
BlockLog iterate_block_log(Matrix V, ConstMatrixRef D) {
  constexpr int most_iterations = 200;
  const Index p = D.cols(), r = D.rows() - p;
  BlockLog best;
  double last_size = infinity;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const Matrix L = planes_of_rotation(V - Matrix::Identity(p + r, p + r)).planes.skew();
    const Matrix C = L.bottomRightCorner(r, r), B = L.bottomLeftCorner(r, p);
    const double size = C.norm();
    best.iterations = iteration;
    best.w = L;
    best.w.bottomRightCorner(r, r).setZero();
    if (size < 1e-15 || (size < 1e-12 && size > last_size / 2)) break;  // no more digits to gain
    last_size = size;
    const Svd svd = jacobi_svd(B, SvdSize::full);
    Vector s = Vector::Constant(r, -0.5);
    s.head(svd.s.size()) += svd.s.cwiseAbs2() / 12;
    const Matrix sums = s.replicate(1, r) + s.transpose().replicate(r, 1);
    Matrix G = svd.U.transpose() * C * svd.U;
    // Beyond |B|^2 = 6 the estimate is no longer contracting; the plain step G = -C is.
    G = sums.maxCoeff() < -0.1 ? Matrix(G.cwiseQuotient(sums)) : Matrix(-G);
    G = svd.U * G * svd.U.transpose();
    V.rightCols(r) += V.rightCols(r) * rotation_minus_identity((G - G.transpose()) / 2);
  }
  best.residual = block_residual(best.w, D);
  return best;
}

// A rotation whose first columns are M; the others are turned so that their lower block is as near to the identity as
// can be (symmetric, positive semidefinite unless the determinant forbids it).
Matrix complete_rotation(ConstMatrixRef M) {
  const Index p = M.cols(), r = M.rows() - p;
  Matrix V = Qr(M).Q();
  V.leftCols(p) = M;
  const Svd svd = jacobi_svd(V.bottomRightCorner(r, r), SvdSize::full);
  Matrix turn = svd.V * svd.U.transpose();
  V.rightCols(r) *= turn;
  if (determinant(V) < 0) {
    const Vector weakest = svd.U.col(r - 1);
    V.rightCols(r) -= 2 * (V.rightCols(r) * weakest) * weakest.transpose();
  }
  return V;
}

// Near the identity: A and B corrected by the residual, whose digits do not cancel. Each step gains a factor |w|.
void polish(BlockLog& found, ConstMatrixRef D) {
  const Index p = D.cols(), r = D.rows() - p;
  for (int step = 0; step < 3; ++step) {
    const Matrix missing = D - rotation_minus_identity(found.w).leftCols(p);
    Matrix w = found.w;
    w.topLeftCorner(p, p) += (missing.topRows(p) - missing.topRows(p).transpose()) / 2;
    w.bottomLeftCorner(r, p) += missing.bottomRows(r);
    w.topRightCorner(p, r) -= missing.bottomRows(r).transpose();
    found.w = w;
  }
  found.residual = block_residual(found.w, D);
}

double canonical_norm(ConstMatrixRef w, Index p) {
  return std::sqrt(w.topLeftCorner(p, p).squaredNorm() / 2 + w.bottomLeftCorner(w.rows() - p, p).squaredNorm());
}

constexpr double converged_below = 1e-11;

BlockLog block_log(ConstMatrixRef D) {
  constexpr int extra_starts = 8;
  const Index p = D.cols(), r = D.rows() - p;
  const Matrix M = D + Matrix::Identity(D.rows(), p);
  const Matrix V = complete_rotation(M);
  BlockLog best = iterate_block_log(V, D);
  if (canonical_norm(best.w, p) < 1e-2) polish(best, D);
  if (best.residual < converged_below && canonical_norm(best.w, p) < injectivity_bound(p)) return best;
  if (r == 1) return best;  // there is one completion only
  int iterations = best.iterations;
  Random random(20170000, static_cast<std::uint64_t>(r));  // fixed: the same points always give the same answer
  for (int start = 0; start < extra_starts; ++start) {
    Matrix turned = V;
    const Matrix G = random.normals(r, r);
    turned.rightCols(r) += turned.rightCols(r) * rotation_minus_identity((G - G.transpose()) / 2);
    const BlockLog other = iterate_block_log(turned, D);
    iterations += other.iterations;
    const bool both = best.residual < converged_below && other.residual < converged_below;
    if (both ? canonical_norm(other.w, p) < canonical_norm(best.w, p) : other.residual < best.residual) best = other;
  }
  best.iterations = iterations;
  return best;
}

class StiefelTangentSpace final : public TangentSpace {
 public:
  StiefelTangentSpace(ConstVectorRef column, Index n, Index p)
      : n_(n), p_(p), coordinates_(n, p), Y_(orthonormalise(as_matrix(column, n, p))), base_(n * p), qr_(Y_) {
    as_mutable_matrix(base_, n, p) = Y_;
  }

  const Vector& base() const override { return base_; }
  Index dim() const override { return coordinates_.dim(); }
  double injectivity_radius() const override { return injectivity_bound(p_); }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    const Index r = std::min(p_, n_ - p_);
    for (Index i = 0; i < points.cols(); ++i) {
      // Differences to Y keep the digits of points near it.
      const Matrix difference = in_frame(as_matrix(points.col(i), n_, p_) - Y_);
      const Qr normal(difference.bottomRows(n_ - p_));
      Matrix D(p_ + r, p_);
      D.topRows(p_) = difference.topRows(p_);
      D.bottomRows(r) = normal.R();
      const BlockLog found = block_log(D);
      Matrix b = Matrix::Zero(n_ - p_, p_);
      b.topRows(r) = found.w.bottomLeftCorner(r, p_);
      coords.col(i) = coordinates_.join(found.w.topLeftCorner(p_, p_), normal.times(b));
      const double margin = injectivity_radius() - coords.col(i).norm();
      report.set_margin(i, margin, injectivity_radius());
      auto& status = report.status[static_cast<std::size_t>(i)];
      if (p_ == 1 && margin <= 0) status = LogStatus::cut_locus;
      if (!(found.residual < converged_below)) status = LogStatus::not_converged;
      report.iterations = std::max(report.iterations, found.iterations);
      report.residual = std::max(report.residual, found.residual);
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix end = Y_ + from_frame(StiefelGeodesic(n_, p_, coords.col(i)).displacement());
      as_mutable_matrix(points.col(i), n_, p_) = orthonormalise(end);  // of long vectors the end is rough
    }
    return {};
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * p_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      Matrix blocks(n_, p_);
      blocks << coordinates_.skew(coords.col(i)), coordinates_.normal(coords.col(i));
      as_mutable_matrix(ambient.col(i), n_, p_) = from_frame(blocks);
    }
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) {
      const Matrix blocks = in_frame(as_matrix(ambient.col(i), n_, p_));
      const Matrix a = (blocks.topRows(p_) - blocks.topRows(p_).transpose()) / 2;
      coords.col(i) = coordinates_.join(a, blocks.bottomRows(n_ - p_));
    }
    return coords;
  }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const StiefelGeodesic geodesic(n_, p_, v);
    const Matrix moved = geodesic.transport(coords);
    Matrix ambient(n_ * p_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i)
      as_mutable_matrix(ambient.col(i), n_, p_) = from_frame(geodesic.end_vector(moved.col(i)));
    return ambient;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    const auto log_det = [n = n_, p = p_](const Vector& x) { return StiefelGeodesic(n, p, x).log_det(); };
    return deferred_jacobi_fields([n = n_, p = p_, v = Vector(v)] { return StiefelGeodesic(n, p, v).jacobi(); },
                                  [log_det, v = Vector(v)] { return log_det(v); },
                                  [log_det, v = Vector(v)] { return central_gradient(log_det, v, 1e-2); });
  }

 private:
  // [Y Y_perp]' x and back. The reflectors of Y's QR factorisation give Y_perp; the first p columns are Y itself.
  Matrix in_frame(ConstMatrixRef x) const {
    Matrix result = qr_.transpose_times(x);
    result.topRows(p_) = Y_.transpose() * x;
    return result;
  }
  Matrix from_frame(ConstMatrixRef blocks) const {
    Matrix normal = blocks;
    normal.topRows(p_).setZero();
    return Y_ * blocks.topRows(p_) + qr_.times(normal);
  }

  Index n_, p_;
  StiefelCoordinates coordinates_;
  Matrix Y_;
  Vector base_;
  Qr qr_;
};

class Stiefel final : public Manifold {
 public:
  Stiefel(Index n, Index p) : n_(n), p_(p) {}

  std::string spec() const override { return fmt::format("stiefel:{}x{}", n_, p_); }
  Index dim() const override { return StiefelCoordinates(n_, p_).dim(); }
  Index ambient_dim() const override { return n_ * p_; }
  double injectivity_radius() const override { return injectivity_bound(p_); }
  // Half of pi / sqrt(largest curvature) is the same number.
  double mean_ball_radius() const override { return injectivity_bound(p_) / 2; }
  bool is_compact() const override { return true; }
  bool is_symmetric() const override { return false; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<StiefelTangentSpace>(p, n_, p_);
  }

  using Manifold::defect;
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    if (!x.allFinite()) return "an entry is not a finite number";
    const double error = orthonormality_defect(as_matrix(x, n_, p_));
    if (error > tolerance) return fmt::format("the columns are not orthonormal: |Y'Y - I| = {:.3g}", error);
    return std::nullopt;
  }

  Vector project(ConstVectorRef x) const override {
    const PolarFactor polar = polar_factor(as_matrix(x, n_, p_));
    if (!(polar.sharpness > 1e-14)) throw Error("the columns are linearly dependent: no nearest orthonormal frame");
    Vector column(n_ * p_);
    as_mutable_matrix(column, n_, p_) = polar.Q;
    return column;
  }

  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Vector mean = points * weights;
    if (polar_factor(as_matrix(mean, n_, p_)).sharpness < 1e-8) return std::nullopt;
    return project(mean);
  }

  Vector random_point(Random& random) const override { return project(random.normals(n_ * p_)); }

  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix left = random_orthogonal(random, n_), right = random_orthogonal(random, p_);
    return [left, right](ConstVectorRef x) {
      Vector moved(x.size());
      as_mutable_matrix(moved, left.rows(), right.rows()) = left * as_matrix(x, left.rows(), right.rows()) * right;
      return moved;
    };
  }

 private:
  Index n_, p_;
};

}  // namespace

ManifoldPtr make_stiefel(Index n, Index p) {
  if (p == n && n >= 1)
    throw Error(fmt::format("stiefel:{}x{} is the orthogonal group, which has two components; use so:{}", n, p, n));
  if (p < 1 || p > n)
    throw Error(
        fmt::format("stiefel:{}x{} does not exist: n rows and p columns with 1 <= p < n, as in stiefel:5x2", n, p));
  return std::make_shared<Stiefel>(n, p);
}

}  // namespace wgp
