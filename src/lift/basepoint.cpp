#include "wgp/basepoint.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/format.h"
#include "lift/unit_curvature.h"

namespace wgp {

// Vectors travel between m(x) and the centre along the radial geodesic, in the coordinates of either's own frame: by
// one orthogonal matrix where there are few coordinates, else vector by vector.
class Basepoint::Frame {
 public:
  Frame(const Manifold& manifold, const TangentSpace& centre, ConstVectorRef xi, ConstVectorRef point)
      : centre_(centre), space_(manifold.at(point)) {
    if (centre.dim() <= few) {
      turn_ = space_->to_coords(centre.transport(xi, Matrix::Identity(centre.dim(), centre.dim())));
    } else {
      xi_ = xi;
      back_ = -space_->to_coords(centre.transport(xi, xi));
    }
  }

  const TangentSpace& space() const { return *space_; }
  Matrix to_centre(ConstMatrixRef there) const {
    if (turn_.size() > 0) return turn_.transpose() * there;
    return centre_.to_coords(space_->transport(back_, there));
  }
  Matrix from_centre(ConstMatrixRef here) const {
    if (turn_.size() > 0) return turn_ * here;
    return space_->to_coords(centre_.transport(xi_, here));
  }

 private:
  static constexpr Index few = 12;
  const TangentSpace& centre_;
  std::unique_ptr<const TangentSpace> space_;
  Matrix turn_;       // from the centre's frame to the frame there; empty if there are many coordinates
  Vector xi_, back_;  // Log_mu(m), and Log_m(mu) along the same geodesic
};

// The way up, kept for the way back.
struct Basepoint::Frames final : public Lifted::Trace {
  Matrix values, Xi;  // phi, and the displacements that it makes
  std::vector<Frame> frames;
  Matrix U;  // the logarithms, each in its own frame
  std::vector<std::unique_ptr<const JacobiFields>> fields;
  bool by_arithmetic = false;  // by UnitCurvature: nothing else is needed
};

Basepoint::Basepoint(ManifoldPtr manifold, ConstVectorRef centre, BasisPtr basis, Matrix coefficients)
    : manifold_(std::move(manifold)),
      space_(manifold_->at(centre)),
      basis_(std::move(basis)),
      coefficients_(std::move(coefficients)) {
  if (basis_ && (coefficients_.rows() != dim() || coefficients_.cols() != basis_->count()))
    throw Error(fmt::format("a base point with {} functions on {} needs {} x {} coefficients, not {} x {}",
                            basis_->count(), manifold_->spec(), dim(), basis_->count(), coefficients_.rows(),
                            coefficients_.cols()));
  if (!basis_) coefficients_.resize(dim(), 0);
}

Basepoint::Frame Basepoint::frame_at(ConstVectorRef xi) const {
  return Frame(*manifold_, *space_, xi, exp_point(*space_, xi));
}

Matrix Basepoint::points(ConstMatrixRef X) const {
  Matrix result(manifold_->ambient_dim(), X.cols());
  if (!moves())
    result.colwise() = centre();
  else
    space_->exp(displacements(X), result);
  return result;
}

Lifted Basepoint::lift_from_centre(ConstMatrixRef P, LiftWanted wanted) const {
  Lifted lifted{Matrix(dim(), P.cols()), LogReport(P.cols()), {}, nullptr};
  lifted.report = space_->log(P, lifted.V);
  if (wanted == LiftWanted::vectors) return lifted;
  auto trace = std::make_shared<Frames>();
  lifted.log_volume.resize(P.cols());
  for (Index i = 0; i < P.cols(); ++i) {
    auto fields = space_->jacobi(lifted.V.col(i));
    lifted.log_volume[i] = fields->log_det();
    if (wanted == LiftWanted::everything) trace->fields.push_back(std::move(fields));
  }
  if (wanted == LiftWanted::everything) lifted.trace = std::move(trace);
  return lifted;
}

Lifted Basepoint::lift(ConstMatrixRef X, ConstMatrixRef P, LiftWanted wanted) const {
  if (!moves()) return lift_from_centre(P, wanted);
  const Index N = P.cols();
  Lifted lifted{Matrix(dim(), N), LogReport(N), {}, nullptr};
  auto trace = std::make_shared<Frames>();
  trace->values = basis_->values(X);
  trace->Xi = coefficients_ * trace->values;
  if (const std::optional<int> curvature = manifold_->unit_curvature()) {
    const UnitCurvature arithmetic(*curvature, *space_);
    const UnitCurvature::Seen seen = arithmetic.see(P);
    if (arithmetic.is_exact(seen, trace->Xi)) {
      lifted.log_volume.resize(N);
      arithmetic.lift(seen, trace->Xi, lifted.V, lifted.report, lifted.log_volume);
      if (wanted == LiftWanted::vectors) lifted.log_volume.resize(0);
      trace->by_arithmetic = true;
      if (wanted == LiftWanted::everything) lifted.trace = std::move(trace);
      return lifted;
    }
  }
  trace->U.resize(dim(), N);
  if (wanted != LiftWanted::vectors) lifted.log_volume.resize(N);
  Matrix base(manifold_->ambient_dim(), N);
  space_->exp(trace->Xi, base);
  for (Index i = 0; i < N; ++i) {
    Frame frame(*manifold_, *space_, trace->Xi.col(i), base.col(i));
    const LogReport one = frame.space().log(P.col(i), trace->U.col(i));
    lifted.report.status[static_cast<std::size_t>(i)] = one.status[0];
    lifted.report.margin[i] = one.margin[0];
    lifted.report.iterations = std::max(lifted.report.iterations, one.iterations);
    lifted.report.residual = std::max(lifted.report.residual, one.residual);
    lifted.V.col(i) = frame.to_centre(trace->U.col(i));
    if (wanted == LiftWanted::vectors) continue;
    auto fields = frame.space().jacobi(trace->U.col(i));
    lifted.log_volume[i] = fields->log_det();
    if (wanted != LiftWanted::everything) continue;
    trace->frames.push_back(std::move(frame));
    trace->fields.push_back(std::move(fields));
  }
  if (wanted == LiftWanted::everything) lifted.trace = std::move(trace);
  return lifted;
}

Lifted Basepoint::lift_at(ConstVectorRef x, ConstMatrixRef P, double radius) const {
  Lifted lifted{Matrix(dim(), P.cols()), LogReport(P.cols()), Vector::Zero(P.cols()), nullptr};
  const auto finish = [&](const TangentSpace& space) {
    lifted.report = space.log(P, lifted.V);
    for (Index i = 0; i < P.cols(); ++i)
      if (lifted.V.col(i).norm() <= radius) lifted.log_volume[i] = space.jacobi(lifted.V.col(i))->log_det();
  };
  if (!moves()) {
    finish(*space_);
    return lifted;
  }
  const Vector xi = displacements(x).col(0);
  if (const std::optional<int> curvature = manifold_->unit_curvature()) {
    const UnitCurvature arithmetic(*curvature, *space_);
    const UnitCurvature::Seen seen = arithmetic.see(P);
    if (arithmetic.is_exact(seen, xi)) {
      arithmetic.lift_at(seen, xi, radius, lifted.V, lifted.report, lifted.log_volume);
      return lifted;
    }
  }
  const Frame frame = frame_at(xi);
  finish(frame.space());
  lifted.V = frame.to_centre(lifted.V);
  return lifted;
}

ExpReport Basepoint::wrap(ConstMatrixRef X, ConstMatrixRef V, MatrixRef P) const {
  if (!moves()) return space_->exp(V, P);
  ExpReport report;
  const Matrix Xi = displacements(X);
  Matrix base(manifold_->ambient_dim(), V.cols());
  report = space_->exp(Xi, base);
  std::vector<bool> no_base(static_cast<std::size_t>(V.cols()));
  for (const Index i : report.outside_domain) no_base[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < V.cols(); ++i) {
    if (no_base[static_cast<std::size_t>(i)] || !base.col(i).allFinite()) {
      report.outside_domain.push_back(i);
      P.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const Frame frame(*manifold_, *space_, Xi.col(i), base.col(i));
    if (!frame.space().exp(frame.from_centre(V.col(i)), P.col(i)).outside_domain.empty())
      report.outside_domain.push_back(i);
  }
  std::sort(report.outside_domain.begin(), report.outside_domain.end());
  report.outside_domain.erase(std::unique(report.outside_domain.begin(), report.outside_domain.end()),
                              report.outside_domain.end());
  return report;
}

Vector Basepoint::log_volume(ConstMatrixRef X, ConstMatrixRef V) const {
  Vector h(V.cols());
  if (!moves()) {
    for (Index i = 0; i < V.cols(); ++i) h[i] = space_->jacobi(V.col(i))->log_det();
    return h;
  }
  const Matrix Xi = displacements(X);
  for (Index i = 0; i < V.cols(); ++i) {
    const Frame frame = frame_at(Xi.col(i));
    h[i] = frame.space().jacobi(frame.from_centre(V.col(i)).col(0))->log_det();
  }
  return h;
}

Preimages Basepoint::preimages(ConstVectorRef x, ConstVectorRef point, double radius) const {
  if (!moves()) return space_->preimages(point, radius);
  const Frame frame = frame_at(displacements(x).col(0));
  Preimages result = frame.space().preimages(point, radius);
  result.coords = frame.to_centre(result.coords);
  return result;
}

Matrix Basepoint::push_forward(ConstVectorRef x, ConstVectorRef v, ConstMatrixRef directions) const {
  if (!moves()) return space_->jacobi(v)->dexp(directions);
  const Frame frame = frame_at(displacements(x).col(0));
  return frame.space().jacobi(frame.from_centre(v).col(0))->dexp(frame.from_centre(directions));
}

// Fourth-order central differences along every direction: relative error about 1e-9 for points within a unit of length.
Vector Basepoint::volume_slope(ConstMatrixRef P) const {
  constexpr double h = 1e-3;
  const auto volume = [&](Index direction, double step) {
    const Basepoint there(manifold_, exp_point(*space_, step * Vector::Unit(dim(), direction)));
    return there.lift_from_centre(P, LiftWanted::vectors_and_volume).log_volume.sum();
  };
  Vector slope(dim());
  for (Index j = 0; j < dim(); ++j)
    slope[j] = (8 * (volume(j, h) - volume(j, -h)) - (volume(j, 2 * h) - volume(j, -2 * h))) / (12 * h);
  return slope;
}

LiftGradient Basepoint::pull_back_to_centre(ConstMatrixRef P, const Lifted& lifted, ConstMatrixRef dL_dV,
                                            Volume volume) const {
  const auto& trace = dynamic_cast<const Frames&>(*lifted.trace);
  LiftGradient gradient{{}, Matrix::Zero(dim(), coefficients_.cols()), Vector::Zero(dim())};
  const bool parallel = manifold_->is_symmetric();  // log|det dExp| depends on the coordinates alone
  for (Index i = 0; i < P.cols(); ++i) {
    const JacobiFields& fields = *trace.fields[static_cast<std::size_t>(i)];
    Vector b = dL_dV.col(i);
    if (volume == Volume::subtracted && parallel) b -= fields.log_det_gradient();
    gradient.centre += fields.dlog_base(b);
  }
  if (volume == Volume::subtracted && !parallel) gradient.centre -= volume_slope(P);
  return gradient;
}

LiftGradient Basepoint::pull_back(ConstMatrixRef X, ConstMatrixRef P, const Lifted& lifted, ConstMatrixRef dL_dV,
                                  Volume volume) const {
  if (!moves()) {
    LiftGradient gradient = pull_back_to_centre(P, lifted, dL_dV, volume);
    gradient.X = Matrix::Zero(X.rows(), X.cols());
    return gradient;
  }
  if (const std::string why = why_base_points_stay(*manifold_); !why.empty()) throw Error(why);
  const auto& trace = dynamic_cast<const Frames&>(*lifted.trace);
  LiftGradient gradient{Matrix::Zero(X.rows(), X.cols()), Matrix::Zero(dim(), coefficients_.cols()),
                        Vector::Zero(dim())};
  Matrix by_Xi(dim(), P.cols()), there(dim(), 3);
  if (trace.by_arithmetic) {
    UnitCurvature(*manifold_->unit_curvature(), *space_)
        .pull_back(trace.Xi, lifted.V, dL_dV,
                   volume == Volume::subtracted ? UnitCurvature::Volume::subtracted : UnitCurvature::Volume::ignored,
                   by_Xi, gradient.centre);
    gradient.X = basis_->pull_back(X, coefficients_.transpose() * by_Xi);
    gradient.coefficients = by_Xi * trace.values.transpose();
    return gradient;
  }
  for (Index i = 0; i < P.cols(); ++i) {
    const Frame& frame = trace.frames[static_cast<std::size_t>(i)];
    const JacobiFields& fields = *trace.fields[static_cast<std::size_t>(i)];
    const Vector xi = trace.Xi.col(i);
    there.col(0) = trace.U.col(i);
    there.col(1) = frame.from_centre(dL_dV.col(i));
    if (volume == Volume::subtracted) there.col(1) -= fields.log_det_gradient();
    there.col(2) = fields.dlog_base(there.col(1));
    const Matrix here = frame.to_centre(there);  // v, b, w
    const Vector t = *space_->curvature(here.col(0), here.col(1), xi);
    const auto radial = space_->jacobi(xi);
    const auto half = space_->jacobi(xi / 2);  // H(lambda) = S(lambda / 4)^2 / 2
    by_Xi.col(i) = radial->dexp_adjoint(here.col(2)) - half->dexp(half->dexp(t)) / 2;
    gradient.centre += radial->dexp_base_adjoint(here.col(2)) - radial->dexp(t);
  }
  gradient.X = basis_->pull_back(X, coefficients_.transpose() * by_Xi);
  gradient.coefficients = by_Xi * trace.values.transpose();
  return gradient;
}

LiftPtr Basepoint::moved(ConstVectorRef step, ConstMatrixRef coefficients) const {
  const Vector end = exp_point(*space_, step);
  if (!moves()) return std::make_shared<const Basepoint>(manifold_, end);
  const auto there = manifold_->at(end);
  return std::make_shared<const Basepoint>(manifold_, end, basis_,
                                           there->to_coords(space_->transport(step, coefficients)));
}

void Basepoint::pull_back_move(ConstVectorRef step, ConstMatrixRef coefficients, const Lift& end,
                               LiftGradient& gradient) const {
  // The end's own frame, seen from here.
  const TangentSpace& there = dynamic_cast<const Basepoint&>(end).space();
  const Matrix turn = there.to_coords(space_->transport(step, Matrix::Identity(dim(), dim())));
  gradient.coefficients = turn.transpose() * gradient.coefficients;
  gradient.centre = space_->jacobi(step)->dexp_adjoint(turn.transpose() * gradient.centre);
  if (!moves()) return;
  // A step aside turns the carried frame against the parallel one, and the coefficients with it.
  Vector t = Vector::Zero(dim());
  for (Index k = 0; k < coefficients.cols(); ++k)
    t += *space_->curvature(coefficients.col(k), gradient.coefficients.col(k), step);
  const auto half = space_->jacobi(step / 2);
  gradient.centre += half->dexp(half->dexp(t)) / 2;
}

std::string why_base_points_stay(const Manifold& manifold) {
  if (manifold.is_symmetric()) return "";
  return fmt::format(
      "base points cannot move with the latents on {}: it is not a symmetric space, and the turn of its frames has no "
      "closed form; 'mean' and 'optimised' work there",
      manifold.spec());
}

}  // namespace wgp
