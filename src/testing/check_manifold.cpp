#include <algorithm>
#include <cmath>
#include <sstream>

#include "geometry/central_difference.h"
#include "linalg/decompositions.h"
#include "testing/checker.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

constexpr double difference_step = 1e-2;

class ManifoldCheck {
 public:
  ManifoldCheck(const Manifold& manifold, const CheckOptions& options)
      : M_(manifold), options_(options), random_(options.seed) {}

  std::vector<CheckFailure> run() {
    for (int draw = 0; draw < options_.draws; ++draw) {
      Vector p, q;
      check_.guard("T0 random_point", [&] {
        p = M_.random_point(random_);
        q = M_.random_point(random_);
      });
      if (p.size() == 0) return check_.take();
      std::ostringstream context;
      context.precision(17);
      context << M_.spec() << ", p = " << p.transpose() << ", q = " << q.transpose();
      check_.set_context(context.str());
      check_.guard("T0", [&] { points(p); });
      check_.guard("T1-T2", [&] { inverses(p, q); });
      check_.guard("T1 nearby", [&] { nearby(p); });
      check_.guard("T1 near cut", [&] { near_cut(p); });
      check_.guard("T3", [&] { frame(p); });
      check_.guard("T4-T5", [&] { transport(p); });
      check_.guard("T6-T10", [&] { derivatives(p); });
      check_.guard("T10 preimages", [&] { preimages(p, q); });
      check_.guard("T10 curvature", [&] { curvature(p); });
      check_.guard("T11", [&] { triangle(p, q); });
      check_.guard("T12", [&] { isometry(p, q); });
    }
    return check_.take();
  }

 private:
  using Space = std::unique_ptr<const TangentSpace>;

  Vector unit_coords() {
    const Vector v = random_.normals(M_.dim());
    return v / v.norm();
  }
  // A tangent vector well inside the injectivity radius.
  Vector some_coords(const TangentSpace& space) {
    return std::min(1.0, 0.6 * space.injectivity_radius()) * unit_coords();
  }
  double gap(ConstVectorRef a, ConstVectorRef b) const { return distance(M_, a, b); }

  void points(ConstVectorRef p) {
    check_.that("T0 a drawn point has no defect", !M_.defect(p), M_.defect(p).value_or(""));
    check_.close("T0 project leaves points alone", gap(p, M_.project(p)), 0, options_.tolerance);
    const Vector moved = M_.project(p + 1e-3 * random_.normals(p.size()));
    check_.that("T0 a projected point has no defect", !M_.defect(moved), M_.defect(moved).value_or(""));
    const Space space = M_.at(p);
    check_.close("T0 base() is p", gap(p, space->base()), 0, options_.tolerance);
    check_.that("T0 dim of the tangent space", space->dim() == M_.dim(), std::to_string(space->dim()));
    check_.that("T0 one name per ambient number", static_cast<Index>(ambient_names(M_).size()) == M_.ambient_dim(), "");
    const Vector w = space->to_ambient(unit_coords());
    for (const auto& form : row_forms(M_)) {
      const Vector row = form->from_point(space->base());
      check_.that("T0 row form " + form->name() + " has its width", row.size() == form->width(),
                  std::to_string(row.size()));
      check_.close("T0 row form " + form->name() + " round trip", gap(p, form->to_point(row)), 0, options_.tolerance);
      check_.close("T0 row form " + form->name() + " tangent round trip",
                   form->to_tangent(row, form->from_tangent(row, w)), w, options_.tolerance);
    }
  }

  void inverses(ConstVectorRef p, ConstVectorRef q) {
    const Space space = M_.at(p);
    Matrix coords(M_.dim(), 1);
    const LogReport report = space->log(q, coords);
    if (report.status[0] == LogStatus::ok) {
      const double length = coords.norm();
      check_.close("T1 exp(log q) = q", gap(q, exp_point(*space, coords.col(0))), 0, options_.tolerance,
                   std::max(1.0, length));
      check_.close("T2 distance = |log|", space->distance(q)[0], length, options_.tolerance);
      check_.close("T2 distance is symmetric", gap(q, p), length, options_.tolerance);
      check_.that("T2 margin is not negative", report.margin[0] >= 0, std::to_string(report.margin[0]));
    }
    const Vector v = some_coords(*space);
    const Vector end = exp_point(*space, v);
    check_.that("T1 exp stays on the manifold", !M_.defect(end), M_.defect(end).value_or(""));
    check_.close("T1 log(exp v) = v", log_coords(*space, end), v, options_.tolerance);

    // A batch is its columns: more of them than any vector register holds, and an odd number.
    Matrix many(p.size(), 19), batch(M_.dim(), 19), back(p.size(), 19);
    for (Index i = 0; i < many.cols(); ++i) many.col(i) = exp_point(*space, some_coords(*space));
    space->log(many, batch);
    space->exp(batch, back);
    const Vector lengths = space->distance(many);
    for (Index i = 0; i < many.cols(); ++i) {
      check_.close("T1 log of a batch", batch.col(i), log_coords(*space, many.col(i)), options_.tolerance);
      check_.close("T1 exp of a batch", gap(many.col(i), back.col(i)), 0, options_.tolerance);
      check_.close("T2 distance of a batch", lengths[i], batch.col(i).norm(), options_.tolerance);
    }
    const Vector weights = Vector::LinSpaced(many.cols(), 0.5, 1.5);
    const LogSums sums = space->log_sums(many, weights);
    check_.close("T1 sums of logs", sums.weighted, batch * weights, options_.tolerance);
    check_.close("T2 sums of squares", sums.squares, batch.colwise().squaredNorm().dot(weights), options_.tolerance);
    check_.close("T2 longest log", sums.longest, batch.colwise().norm().maxCoeff(), options_.tolerance);
    check_.close("T1 log_p p = 0", log_coords(*space, space->base()).norm(), 0, 1e-14, std::max(1.0, p.norm()));
    check_.close("T1 exp 0 = p", gap(p, exp_point(*space, Vector::Zero(M_.dim()))), 0, options_.tolerance);
  }

  // 1e-9 apart: relative accuracy, where a distance by arc cosine or by differences of traces has none left. The pair
  // is made by projection and, independently, by exp.
  void nearby(ConstVectorRef p) {
    const Space space = M_.at(p);
    const Vector q = M_.project(space->base() + 1e-9 * random_.normals(p.size()));
    const Vector v = log_coords(*space, q);
    check_.close("T2 distance of near points", space->distance(q)[0], v.norm(), 1e-5, 0);
    check_.close("T2 symmetric for near points", gap(q, p), v.norm(), 1e-5, 0);
    const Vector w = 1e-9 * std::min(1.0, space->injectivity_radius()) * unit_coords();
    // Representing the end point costs eps |p|, seen through a frame that may stretch.
    const double rounding =
        1e-14 * space->to_coords(Matrix::Identity(p.size(), p.size())).norm() * std::max(1.0, p.norm());
    check_.close("T1 log(exp v) = v for tiny v", log_coords(*space, exp_point(*space, w)), w, 1e-5, rounding * 1e5);
  }

  // 1e-9 inside the injectivity radius, where the direction of the log has condition 1e9 but its length has none.
  void near_cut(ConstVectorRef p) {
    const Space space = M_.at(p);
    const double radius = space->injectivity_radius();
    if (radius == infinity) return;
    const Vector v = (radius - 1e-9) * unit_coords();
    Matrix q(p.size(), 1), back(M_.dim(), 1);
    if (!space->exp(v, q).outside_domain.empty()) return;
    const LogReport report = space->log(q, back);
    if (report.status[0] == LogStatus::not_converged) return;
    check_.that("T1 near the cut locus is not on it", report.status[0] != LogStatus::outside_domain,
                to_string(report.status[0]));
    check_.close("T2 distance near the cut locus", space->distance(q)[0], v.norm(), 1e-10);
    check_.close("T1 length of log near the cut locus", back.norm(), v.norm(), 1e-10);
    check_.close("T1 log near the cut locus", back, v, 1e-5);
  }

  void frame(ConstVectorRef p) {
    const Space space = M_.at(p);
    const Index d = M_.dim();
    const Matrix I = Matrix::Identity(d, d);
    const Matrix E = space->to_ambient(I);
    check_.close("T3 coordinates round trip", space->to_coords(E), I, options_.tolerance);
    const double h = 1e-4 * std::min(1.0, space->injectivity_radius());
    for (int pair = 0; pair < 3; ++pair) {
      const Vector x = unit_coords(), y = unit_coords();
      // Distances seen from a third point know the metric; the relative error is of order curvature h^2.
      check_.close("T3 the frame is orthonormal", gap(exp_point(*space, h * x), exp_point(*space, h * y)) / h,
                   (x - y).norm(), 1e-5);
      const double step = difference_step * std::min(1.0, space->injectivity_radius());
      const auto curve = [&](double t) { return exp_point(*space, t * x); };
      const Vector tangent = space->to_ambient(x);
      // Angles are stored modulo 2 pi: a difference across the seam says nothing.
      const bool jumps = (curve(4 * step) - curve(-4 * step)).norm() > 4 * 8 * step * tangent.norm();
      if (!jumps)
        check_.close("T3 exp leaves p along the frame", central_difference(curve, step), tangent,
                     options_.derivative_tolerance, tangent.norm());
    }
  }

  void transport(ConstVectorRef p) {
    const Space space = M_.at(p);
    const Vector v = some_coords(*space);
    const Index d = M_.dim();
    const Space end = M_.at(exp_point(*space, v));
    const Matrix T = end->to_coords(space->transport(v, Matrix::Identity(d, d)));
    check_.close("T4 transport is isometric", T.transpose() * T, Matrix::Identity(d, d), options_.tolerance);
    const Vector x = unit_coords(), y = unit_coords();
    check_.close("T4 transport is linear", space->transport(v, 2 * x - 3 * y),
                 2 * space->transport(v, x) - 3 * space->transport(v, y), options_.tolerance,
                 space->transport(v, x).norm());
    const Vector back = log_coords(*end, p);
    check_.close("T4 transport takes v to -log_q p", T * v, -back, options_.tolerance);
    const Matrix there_and_back = space->to_coords(end->transport(back, T));
    check_.close("T5 transport there and back", there_and_back, Matrix::Identity(d, d), options_.tolerance);
  }

  void derivatives(ConstVectorRef p) {
    const Space space = M_.at(p);
    const Index d = M_.dim();
    const Matrix I = Matrix::Identity(d, d);
    const Vector v = some_coords(*space);
    const Vector q = exp_point(*space, v);
    const Space end = M_.at(q);
    const Matrix T = end->to_coords(space->transport(v, I));
    const auto fields = space->jacobi(v);
    const double tolerance = options_.derivative_tolerance;
    const double step = difference_step * std::min(1.0, space->injectivity_radius());

    const Matrix J0 = fields->dexp(I), J1 = fields->dexp_base(I), inverse = fields->dlog_end(I),
                 Dp = fields->dlog_base(I);
    check_.close("T6 Gauss lemma", fields->dexp_adjoint(fields->dexp(v)), v, options_.tolerance);
    check_.close("T6 dexp keeps the radial direction", fields->dexp(v), v, options_.tolerance);
    check_.close("T8 D_p log is self-adjoint", Dp, Dp.transpose(), options_.tolerance);
    check_.close("T8 D_p log[v] = -v", fields->dlog_base(v), -v, options_.tolerance);
    check_.close("T8 D_p log = -J0^-1 J1", Dp, -inverse * J1, options_.tolerance);
    Matrix sum = I;
    fields->add_dlog_base(-3, sum);
    check_.close("T8 sums of D_p log", sum, I - 3 * Dp, options_.tolerance);
    check_.close("T9 D_q log = J0^-1", inverse * J0, I, options_.tolerance);
    check_.close("T7 adjoint of dexp", fields->dexp_adjoint(I), J0.transpose(), options_.tolerance);
    check_.close("T7 adjoint of dexp_base", fields->dexp_base_adjoint(I), J1.transpose(), options_.tolerance);
    check_.close("T9 adjoint of dlog_end", fields->dlog_end_adjoint(I), inverse.transpose(), options_.tolerance);
    check_.close("T10 log_det = log|det J0|", fields->log_det(), std::log(std::abs(Lu(J0).determinant())),
                 options_.tolerance);

    for (int pair = 0; pair < 2; ++pair) {
      const Vector x = unit_coords();
      const auto exp_moved = [&](double t) { return log_coords(*end, exp_point(*space, v + t * x)); };
      check_.close("T7 dexp against differences", T * (J0 * x), central_difference(exp_moved, step), tolerance);
      const auto base_moved = [&](double t) {
        const Space moved = M_.at(exp_point(*space, t * x));
        return log_coords(*end, exp_point(*moved, moved->to_coords(space->transport(t * x, v))));
      };
      check_.close("T7 dexp_base against differences", T * (J1 * x), central_difference(base_moved, step), tolerance);
      const auto log_end = [&](double t) { return log_coords(*space, exp_point(*end, t * (T * x))); };
      check_.close("T9 dlog_end against differences", inverse * x, central_difference(log_end, step), tolerance);
      const auto log_base = [&](double t) {
        const Space moved = M_.at(exp_point(*space, t * x));
        const Matrix B = moved->to_coords(space->transport(t * x, I));
        return Vector(B.transpose() * log_coords(*moved, q));
      };
      check_.close("T8 dlog_base against differences", Dp * x, central_difference(log_base, step), tolerance);
      const auto log_det = [&](double t) { return Vector(Vector::Constant(1, space->jacobi(v + t * x)->log_det())); };
      check_.close("T10 gradient of log_det", fields->log_det_gradient().dot(x), central_difference(log_det, step)[0],
                   tolerance);
    }
    const auto still = space->jacobi(Vector::Zero(d));
    check_.close("T7 dexp at v = 0", still->dexp(I), I, options_.tolerance);
    check_.close("T10 log_det at v = 0", still->log_det(), 0, options_.tolerance);
    check_.close("T10 gradient at v = 0", still->log_det_gradient(), Vector::Zero(d), tolerance);
  }

  void preimages(ConstVectorRef p, ConstVectorRef q) {
    const Space space = M_.at(p);
    Matrix first(M_.dim(), 1);
    if (space->log(q, first).status[0] != LogStatus::ok) return;
    const double inj = space->injectivity_radius();
    const double radius = inj == infinity ? first.norm() + 1 : std::max(first.norm(), 3.2 * inj);
    const Preimages all = space->preimages(q, radius);
    check_.that("T10 preimages come with determinants",
                all.coords.cols() == all.log_abs_det.size() && all.coords.cols() > 0, "");
    check_.close("T10 the first preimage is the log", all.coords.col(0), first, options_.tolerance);
    check_.that("T10 a compact space has several preimages",
                !M_.is_compact() || !all.countable || !all.complete || all.coords.cols() > 1,
                std::to_string(all.coords.cols()));
    for (Index k = 0; k < std::min<Index>(all.coords.cols(), 40); ++k) {
      const Vector v = all.coords.col(k);
      check_.close("T1 exp of a preimage", gap(q, exp_point(*space, v)), 0, options_.tolerance,
                   std::max(1.0, v.norm()));
      check_.close("T10 log_abs_det of a preimage", all.log_abs_det[k], space->jacobi(v)->log_det(), 1e-8);
      if (k > 0)
        check_.that("T10 preimages by length",
                    v.norm() >= all.coords.col(k - 1).norm() - 1e-9 && v.norm() <= radius + 1e-9, "");
    }
  }

  // dexp_p(v) = I - R(., v)v / 6 + O(|v|^3) fixes R(x, v)v; with the symmetries of the tensor that is all of it.
  void curvature(ConstVectorRef p) {
    const Space space = M_.at(p);
    const Vector x = unit_coords(), y = unit_coords(), z = unit_coords();
    const auto R = space->curvature(x, y, z);
    check_.that("T10 curvature is offered by symmetric spaces", R.has_value() == M_.is_symmetric(), "");
    if (!R) return;
    const auto tensor = [&](const Vector& a, const Vector& b, const Vector& c) { return *space->curvature(a, b, c); };
    check_.close("T10 R(x, y)z is skew in x, y", tensor(y, x, z), -*R, options_.tolerance);
    check_.close("T10 Bianchi identity", *R + tensor(y, z, x), -tensor(z, x, y), options_.tolerance);
    check_.close("T10 R is skew-adjoint", R->dot(x), -tensor(x, y, x).dot(z), options_.tolerance);
    const double h = 1e-3;
    const auto fields = space->jacobi(h * y);
    check_.close("T10 R(x, y)y from dexp", tensor(x, y, y), 6 * (x - fields->dexp(x)) / (h * h), 1e-4);
    if (const auto* symmetric = dynamic_cast<const SymmetricJacobiFields*>(fields.get()))
      check_.close("T10 R(x, y)y from the Jacobi operator", h * h * tensor(x, y, y),
                   symmetric->apply([](double t) { return t; }, x), 1e-9, h * h);
  }

  void triangle(ConstVectorRef p, ConstVectorRef q) {
    const Space space = M_.at(p);
    const Vector r = M_.random_point(random_);
    Matrix both(p.size(), 2), coords(M_.dim(), 2);
    both << q, r;
    const LogReport report = space->log(both, coords);
    if (report.count(LogStatus::ok) == 2)
      check_.that("T11 triangle inequality",
                  gap(q, r) <= coords.col(0).norm() + coords.col(1).norm() + options_.tolerance, "");
    const Vector v = some_coords(*space);
    const Vector end = exp_point(*space, v), middle = exp_point(*space, v / 2);
    check_.close("T11 midpoint from p", gap(p, middle), v.norm() / 2, options_.tolerance);
    check_.close("T11 midpoint from q", gap(end, middle), v.norm() / 2, options_.tolerance);
  }

  void isometry(ConstVectorRef p, ConstVectorRef q) {
    const auto phi = M_.random_isometry(random_);
    if (!phi) return;
    const Space space = M_.at(p);
    Matrix coords(M_.dim(), 1);
    if (space->log(q, coords).status[0] != LogStatus::ok) return;
    const Vector image_p = phi(p), image_q = phi(q);
    check_.that("T12 an isometry keeps to the manifold", !M_.defect(image_p, 1e-6),
                M_.defect(image_p, 1e-6).value_or(""));
    const Space image = M_.at(image_p);
    check_.close("T12 distances are invariant", image->distance(image_q)[0], coords.norm(), 10 * options_.tolerance);
    check_.close("T12 volumes are invariant", image->jacobi(log_coords(*image, image_q))->log_det(),
                 space->jacobi(coords.col(0))->log_det(), 1e3 * options_.tolerance);
  }

  const Manifold& M_;
  CheckOptions options_;
  Random random_;
  Checker check_;
};

}  // namespace

std::vector<CheckFailure> check_manifold(const Manifold& manifold, const CheckOptions& options) {
  return ManifoldCheck(manifold, options).run();
}

}  // namespace wgp
