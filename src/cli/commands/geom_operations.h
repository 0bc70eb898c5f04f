// The operations of wgp geom on one tangent space and a batch of rows.
#pragma once

#include <string>
#include <vector>

#include "cli/input/points.h"
#include "wgp/row_form.h"

namespace wgp::cli {

enum class GeomKind { exp, log, dist, transport, logdet, project };

struct GeomOperation {
  GeomKind kind;
  std::string name;
  std::vector<PointTable::Content> operands;
  std::string usage;
  bool has_base() const { return kind != GeomKind::project; }
};
const std::vector<GeomOperation>& geom_operations();

// Rows first .. first + count - 1 of the operands' blocks, and the forms they have. points is Q, tangents V or W.
struct GeomBatch {
  const PointBlock* points = nullptr;
  const PointBlock* tangents = nullptr;
  const RowForm* tangent_form = nullptr;
  Index first = 0, count = 0;
};

// What comes out, for a whole block: rows in the output's form, a status and perhaps a defect for each.
struct GeomResult {
  Matrix rows;
  std::vector<LogStatus> status;
  std::vector<std::string> defects;
  GeomResult(Index width, Index count)
      : rows(width, count), status(static_cast<std::size_t>(count)), defects(static_cast<std::size_t>(count)) {}
};

// Works on columns batch.first ... of the result. base_row: the base as it stands in its file, in base_form.
void apply_geom(GeomKind kind, const Manifold& manifold, const TangentSpace& space, ConstVectorRef base_row,
                const RowForm& base_form, const RowForm& output_form, const GeomBatch& batch, GeomResult& result);

}  // namespace wgp::cli
