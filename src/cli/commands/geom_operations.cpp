#include "cli/commands/geom_operations.h"
#include "wgp/row_form.h"

#include <algorithm>
#include <limits>

namespace wgp::cli {
namespace {

constexpr double largest_normal_part = 1e-6;

// A tangent row refers to a base row of its own form; the base may have been given in another.
Vector base_row_in(const RowForm& form, const TangentSpace& space, ConstVectorRef base_row, const RowForm& base_form) {
  return form.name() == base_form.name() ? Vector(base_row) : form.from_point(space.base());
}

// Coordinates of tangent rows. Rows with a normal part get a defect.
Matrix tangent_coords(const TangentSpace& space, ConstVectorRef base_row, const GeomBatch& batch, GeomResult& result) {
  const RowForm& form = *batch.tangent_form;
  Matrix ambient = Matrix::Zero(space.base().size(), batch.count);
  for (Index i = 0; i < batch.count; ++i) {
    const auto at = static_cast<std::size_t>(batch.first + i);
    if (!batch.tangents->defects[at].empty()) continue;
    try {
      ambient.col(i) = form.to_tangent(base_row, batch.tangents->rows.col(batch.first + i));
    } catch (const Error& error) {
      result.defects[at] = error.what();
    }
  }
  Matrix coords = space.to_coords(ambient);
  const Matrix tangent = space.to_ambient(coords);
  for (Index i = 0; i < batch.count; ++i) {
    const auto at = static_cast<std::size_t>(batch.first + i);
    if (!result.defects[at].empty() || !batch.tangents->defects[at].empty()) continue;
    const auto row = batch.tangents->rows.col(batch.first + i);
    const double length = row.norm(), normal = (row - form.from_tangent(base_row, tangent.col(i))).norm();
    if (normal > largest_normal_part * length)
      result.defects[at] =
          fmt::format("not tangent at its base point, normal part {:.3g} of length {:.3g}", normal, length);
  }
  return coords;
}

}  // namespace

const std::vector<GeomOperation>& geom_operations() {
  using Content = PointTable::Content;
  static const std::vector<GeomOperation> table = {
      {GeomKind::exp, "exp", {Content::tangents}, "exp --base P V"},
      {GeomKind::log, "log", {Content::points}, "log --base P Q"},
      {GeomKind::dist, "dist", {Content::points}, "dist --base P Q"},
      {GeomKind::transport, "transport", {Content::points, Content::tangents}, "transport --base P Q W"},
      {GeomKind::logdet, "logdet", {Content::points}, "logdet --base P Q"},
      {GeomKind::project, "project", {Content::raw}, "project X"},
  };
  return table;
}

void apply_geom(GeomKind kind, const Manifold& manifold, const TangentSpace& space, ConstVectorRef base_row,
                const RowForm& base_form, const RowForm& output_form, const GeomBatch& batch, GeomResult& result) {
  const Index first = batch.first, count = batch.count;
  Matrix w, v(space.dim(), count);
  if (batch.tangents != nullptr)
    w = tangent_coords(space, base_row_in(*batch.tangent_form, space, base_row, base_form), batch, result);
  if (batch.points != nullptr) {
    const LogReport report = space.log(batch.points->points.middleCols(first, count), v);
    std::copy(report.status.begin(), report.status.end(), result.status.begin() + first);
  }
  switch (kind) {
    case GeomKind::exp: {
      Matrix points(space.base().size(), count);
      const ExpReport report = space.exp(w, points);
      for (Index i = 0; i < count; ++i) result.rows.col(first + i) = output_form.from_point(points.col(i));
      for (const Index i : report.outside_domain) {
        result.status[static_cast<std::size_t>(first + i)] = LogStatus::outside_domain;
        result.rows.col(first + i).setConstant(std::numeric_limits<double>::quiet_NaN());
      }
      break;
    }
    case GeomKind::log: {
      const Vector origin = base_row_in(output_form, space, base_row, base_form);
      const Matrix ambient = space.to_ambient(v);
      for (Index i = 0; i < count; ++i) result.rows.col(first + i) = output_form.from_tangent(origin, ambient.col(i));
      break;
    }
    case GeomKind::dist:
      result.rows.middleCols(first, count) = v.colwise().norm();
      break;
    case GeomKind::transport:
      for (Index i = 0; i < count; ++i) {
        // The vector lives at Q as it stands in its row: its landmarks' rotation, its basis, its quaternion's sign.
        const auto q = batch.points->points.col(first + i);
        const Vector moved = manifold.aligned(exp_point(space, v.col(i)), q, space.transport(v.col(i), w.col(i)));
        const auto q_row = batch.points->rows.col(first + i);
        const Vector end = q_row.size() == output_form.width() ? Vector(q_row) : output_form.from_point(q);
        result.rows.col(first + i) = output_form.from_tangent(end, moved);
      }
      break;
    case GeomKind::logdet:
      for (Index i = 0; i < count; ++i) result.rows(0, first + i) = space.jacobi(v.col(i))->log_det();
      break;
    case GeomKind::project:
      break;
  }
  // Overflow, and transports that could not be followed to their end.
  for (Index i = first; i < first + count; ++i) {
    LogStatus& status = result.status[static_cast<std::size_t>(i)];
    if (result.rows.col(i).allFinite() || !result.defects[static_cast<std::size_t>(i)].empty()) continue;
    result.rows.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    if (status != LogStatus::not_converged) status = LogStatus::outside_domain;
  }
}

}  // namespace wgp::cli
