#include "cli/output/encoded_block.h"

#include "cli/input/tensor_image.h"

namespace wgp::cli {
namespace {

// A row for each point, or for each of its peaks.
void add_rows(const PointBlock& block, const std::vector<Index>& valid, const Encoding& encoding,
              const Vector& log_density, EncodedAs as, EncodedBlock& into) {
  const bool modes = as == EncodedAs::rows_of_modes;
  const Index q = encoding.X.rows(), n = encoding.X.cols();
  const std::vector<int> counts = encoding.mode_counts();
  const Index count = modes ? static_cast<Index>(encoding.modes.size()) : n;
  Matrix& rows = into.numbers;
  rows.resize(2 * q + (modes ? 5 : 3), count);
  into.text.resize(1 + block.text.size());
  for (Index r = 0; r < count; ++r) {
    const LatentMode* mode = modes ? &encoding.modes[static_cast<std::size_t>(r)] : nullptr;
    const Index i = mode ? mode->point : r;
    const auto at = static_cast<std::size_t>(i);
    rows.col(r).head(q) = mode ? mode->x : Vector(encoding.X.col(i));
    rows.col(r).segment(q, q) = mode ? mode->sd : Vector(encoding.sd.col(i));
    rows(2 * q, r) = log_density[i];
    rows(2 * q + 1, r) = encoding.weight[i];
    rows(2 * q + 2, r) = counts[at];
    if (mode) {
      rows(2 * q + 3, r) = static_cast<double>(block.first_row + valid[at] + 1);
      rows(2 * q + 4, r) = mode->probability;
    }
    into.text[0].push_back(to_string(encoding.status[at]));
    if (into.text.size() > 1) into.text[1].push_back(block.text[0][static_cast<std::size_t>(valid[at])]);
  }
}

}  // namespace

EncodedBlock encoded(const Model& model, const EncodeOptions& options, const PointBlock& block, EncodedAs as) {
  const std::vector<Index> valid = block.valid();
  EncodedBlock result;
  result.n = static_cast<Index>(valid.size());
  result.dropped = block.points.cols() - result.n;
  result.reflected = block.reflected;
  if (as == EncodedAs::maps) {
    result.numbers = maps_without_points(model.latent_dim(), block.points.cols());
    result.voxels = block.voxels;
  }
  if (valid.empty()) return result;
  const Matrix points = block.points(Eigen::all, valid);
  const Encoding encoding = model.encode(points, options);
  for (const EncodeStatus status : encoding.status) {
    result.outside += status == EncodeStatus::outside_support;
    result.open += status == EncodeStatus::not_converged;
    result.ambiguous += status == EncodeStatus::ambiguous;
  }
  result.units.add(model, points, encoding);
  // The latent integrated out; models of the ambient space have no density on the manifold, and say what they have.
  const Vector log_density =
      model.lift().is_embedded() ? encoding.log_density : mixture_log_density(model, points, 0, &encoding);
  result.density = log_density.sum();
  if (as != EncodedAs::maps) {
    add_rows(block, valid, encoding, log_density, as, result);
    return result;
  }
  result.numbers(Eigen::all, valid) = encoding_maps(model, points, encoding, log_density);
  return result;
}

std::vector<std::string> encoded_columns(Index latent_dim) {
  std::vector<std::string> names = encoding_channels(latent_dim);
  names.resize(names.size() - 2);  // the status is a text here, and the error is wgp score's
  return names;
}

}  // namespace wgp::cli
