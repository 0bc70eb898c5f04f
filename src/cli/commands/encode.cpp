// wgp encode: streams blocks of points through a model, in constant memory (maps of an image: the encoded voxels).
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/tensor_image.h"
#include "cli/output/model_tables.h"

namespace wgp::cli {

namespace {

// The columns of a block without a defect.
std::vector<Index> valid_rows(const PointBlock& block) {
  std::vector<Index> valid;
  for (std::size_t i = 0; i < block.defects.size(); ++i)
    if (block.defects[i].empty()) valid.push_back(static_cast<Index>(i));
  return valid;
}

// Latents as rows of a table, or as maps where the points are an image's voxels.
class EncodeOutput {
 public:
  EncodeOutput(const Arguments& arguments, const Model& model, const PointTable& table,
               const std::vector<std::string>& text_columns)
      : arguments_(arguments), model_(model), modes_(arguments.has("modes")) {
    const std::string path = arguments.text("output");
    if (const NiftiTable* image = image_for_maps(path, table.reader(), table.path())) {
      if (modes_) throw UsageError("--modes: a voxel of a map has room for one latent; write .csv");
      const auto channels = encoding_channels(model.latent_dim());
      maps_.emplace(path, image->grid(),
                    NiftiMapInfo{channels, fmt::format("wgp encode: {}", fmt::join(channels, " ")), std::nullopt,
                                 image->tensor_form()});
      return;
    }
    std::vector<std::string> names = encoding_channels(model.latent_dim()), texts = {"status"};
    names.resize(names.size() - 2);  // the status is a text here, and the error is wgp score's
    if (modes_) names.insert(names.end(), {"input", "probability"});
    if (!text_columns.empty()) texts.push_back("label");
    rows_.emplace(arguments, names, texts);
  }

  void write(const PointBlock& block, const std::vector<Index>& valid, ConstMatrixRef points, const Encoding& encoding,
             const Vector& log_density) {
    if (maps_) {
      std::vector<Index> voxels;
      for (const Index i : valid) voxels.push_back(block.voxels[static_cast<std::size_t>(i)]);
      maps_->write(encoding_maps(model_, points, encoding, log_density), voxels);
      return;
    }
    // A row for each point, or for each of its peaks.
    const Index q = model_.latent_dim(), n = encoding.X.cols();
    const std::vector<int> counts = encoding.mode_counts();
    const Index count = modes_ ? static_cast<Index>(encoding.modes.size()) : n;
    Matrix rows(2 * q + (modes_ ? 5 : 3), count);
    std::vector<std::vector<std::string>> text(1 + block.text.size());
    for (Index r = 0; r < count; ++r) {
      const LatentMode* mode = modes_ ? &encoding.modes[static_cast<std::size_t>(r)] : nullptr;
      const Index i = mode ? mode->point : r;
      const auto at = static_cast<std::size_t>(i);
      rows.col(r).head(q) = mode ? mode->x : Vector(encoding.X.col(i));
      rows.col(r).segment(q, q) = mode ? mode->sd : Vector(encoding.sd.col(i));
      rows(2 * q, r) = log_density[i];
      rows(2 * q + 1, r) = encoding.weight[i];
      rows(2 * q + 2, r) = counts[at];
      if (mode) {
        rows(2 * q + 3, r) = static_cast<double>(before_ + valid[at] + 1);
        rows(2 * q + 4, r) = mode->probability;
      }
      text[0].push_back(to_string(encoding.status[at]));
      if (text.size() > 1) text[1].push_back(block.text[0][static_cast<std::size_t>(valid[at])]);
    }
    rows_->write(rows, text);
    before_ += block.points.cols();
  }

  void close(const Json& more) {
    if (rows_) rows_->close(more);
    if (!maps_) return;
    maps_->close();
    if (arguments_.has("json")) print_json(more);
  }

 private:
  const Arguments& arguments_;
  const Model& model_;
  const bool modes_;
  Index before_ = 0;  // rows of the blocks before this one
  std::optional<RowOutput> rows_;
  std::optional<NiftiMaps> maps_;
};

}  // namespace

int run_encode(const Arguments& arguments) {
  const Messages messages(arguments);
  encoder_from(arguments);  // wrong usage before anything is read
  check_standard_input(arguments.operands());
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  const Encoder encoder = encoder_from(arguments, loaded);
  InputOptions reading = input_options(arguments, model.manifold());
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  PointTable table(arguments.operands()[1], model.parts().manifold, reading);
  table.check_flags();
  EncodeOutput output(arguments, model, table, reading.text_columns);

  const int threads = threads_from(arguments);
  Index n = 0, dropped = 0, outside = 0, open = 0, ambiguous = 0;
  double density = 0;
  PointBlock block;
  while (table.read(many_rows_at_once(model.manifold()), block)) {
    const std::vector<Index> valid = valid_rows(block);
    dropped += block.points.cols() - static_cast<Index>(valid.size());
    if (valid.empty()) continue;
    const Matrix points = block.points(Eigen::all, valid);
    const Encoding encoding = model.encode(points, {encoder, threads});
    for (const EncodeStatus status : encoding.status) {
      outside += status == EncodeStatus::outside_support;
      open += status == EncodeStatus::not_converged;
      ambiguous += status == EncodeStatus::ambiguous;
    }
    // The latent integrated out; models of the ambient space have no density on the manifold, and say what they have.
    const Vector log_density =
        model.lift().is_embedded() ? encoding.log_density : mixture_log_density(model, points, 0, &encoding);
    output.write(block, valid, points, encoding, log_density);
    n += points.cols();
    density += log_density.sum();
  }
  if (n == 0) throw Error(fmt::format("{}: no valid row is left", table.path()));
  output.close({{"n", n},
                {"log_density_mean", density / static_cast<double>(n)},
                {"outside_support", outside},
                {"not_converged", open},
                {"ambiguous", ambiguous},
                {"dropped", dropped}});
  if (dropped > 0) messages.say("{} dropped", plural(dropped, "invalid row"));
  messages.say("{} encoded by {}: mean log density {:.6g}, {} outside the support, {} not converged{}",
               plural(n, "point"), to_string(encoder), density / static_cast<double>(n), outside, open,
               ambiguous > 0 ? fmt::format(", {} ambiguous (--modes lists all their places)", ambiguous) : "");
  return open > 0 && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
