// wgp decode: streams blocks of latents through a model, in constant memory (an image: the voxels decoded).
#include <array>
#include <cmath>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/tensor_image.h"
#include "cli/output/model_tables.h"
#include "cli/output/motion_output.h"
#include "model/decoder.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

// --tensor-order, else the form of the tensors that were encoded, else the one that NIfTI has a code for.
TensorForm form_to_write(const Arguments& arguments, const NiftiTable& latents) {
  const TensorForm kept = latents.tensor_form().value_or(TensorForm{});
  const TensorOrder order = image_flags_from(arguments).order;
  return order == TensorOrder::automatic || (order == kept.order && !kept.whole) ? kept : usual_form(order);
}

// The points at an image's voxels: tensors as a tensor image, other points channel by channel with the rest.
class DecodedImage {
 public:
  DecodedImage(const Arguments& arguments, const NiftiTable& latents, const Model& model,
               const std::vector<std::string>& names) {
    NiftiMapInfo info{names, "wgp decode"};
    if (is_tensor_manifold(model.manifold()) && model.on_manifold()) {
      info.tensors = form_ = form_to_write(arguments, latents);
      info.channels = form_->channel_names();
    } else if (arguments.has("tensor-order")) {
      throw UsageError(fmt::format("--tensor-order: predictions of this {} on {} are no tensors",
                                   to_string(model.parts().kind), model.manifold().spec()));
    }
    maps_.emplace(arguments.text("output"), latents.grid(), info);
  }
  const std::optional<TensorForm>& form() const { return form_; }
  void write(const Prediction& prediction, ConstMatrixRef rows, const std::vector<Index>& voxels) {
    maps_->write(form_ ? channels_of(prediction.points) : Matrix(rows), voxels);
  }
  void close() { maps_->close(); }

 private:
  // points: matrices row by row.
  Matrix channels_of(const Matrix& points) const {
    if (form_->whole) return points;
    constexpr std::array<Index, 6> lower = {0, 3, 4, 6, 7, 8};
    Matrix channels(6, points.cols());
    for (std::size_t k = 0; k < lower.size(); ++k) channels.row(tensor_places(form_->order)[k]) = points.row(lower[k]);
    return channels;
  }

  std::optional<TensorForm> form_;
  std::optional<NiftiMaps> maps_;
};

}  // namespace

int run_decode(const Arguments& arguments) {
  const Messages messages(arguments);
  check_standard_input({arguments.operands()[0], arguments.operands()[1], arguments.text("skeleton")});
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  const RowFormPtr form = form_of(loaded);
  // With --with-sd a row has the latent and then its standard deviations, as wgp encode writes them.
  const bool with_sd = arguments.has("with-sd");
  const Index q = model.latent_dim();
  LatentTable latents(arguments.operands()[1],
                      arguments.text("columns", with_sd ? fmt::format("1:{}", 2 * q) : std::string()),
                      with_sd ? 2 * q : q);

  const DecodedRows decoded(loaded);
  const std::vector<std::string>& names = decoded.columns();
  std::optional<DecodedImage> image;
  std::optional<RowOutput> table;
  const std::unique_ptr<MotionOutput> motion = MotionOutput::asked_for(arguments, loaded);
  if (const NiftiTable* grid = image_for_maps(arguments.text("output"), latents.reader(), latents.path()))
    image.emplace(arguments, *grid, model, names);
  else if (arguments.has("tensor-order"))
    throw UsageError("--tensor-order is for tensors that are written as an image; add -o tensors.nii.gz");
  else if (!motion)
    table.emplace(arguments, names, std::vector<std::string>(), PointColumns{0, form->width()});
  Decoder decoder(model);
  PointStatus status(arguments);
  Index n = 0;
  Matrix X;
  while (latents.read(many_rows_at_once(model.manifold()), X)) {
    if (X.cols() == 0) continue;
    Prediction prediction = with_sd ? model.predict_uncertain(X.topRows(q), X.bottomRows(q)) : decoder.predict(X);
    Matrix rows = decoded.rows(prediction);
    status.add(prediction.report, rows.topRows(form->width() + 1), 0);
    for (Index i = 0; i < rows.cols(); ++i)
      if (std::isnan(rows(0, i))) prediction.points.col(i).setConstant(rows(0, i));
    decoded.add_radii(rows);
    if (table) table->write(rows);
    if (motion) motion->write(prediction.points);
    if (image) image->write(prediction, rows, latents.block_voxels());
    n += X.cols();
  }
  Json more = {{"n", n}, {"on_manifold", model.on_manifold()}};
  status.add_to(more);
  if (table) table->close(more);
  if (motion) motion->close(messages);
  if (image) image->close();
  if ((motion || image) && arguments.has("json")) print_json(more);
  if (image) {
    if (image->form())
      messages.say("the image holds tensors only ({}); write .csv for their sd",
                   fmt::join(image->form()->channel_names(), " "));
  }
  if (table && table->left_out()) messages.say("TPS holds the points only; write .csv for their sd");
  messages.say("{} decoded{}", plural(n, "latent"),
               model.on_manifold() ? "" : "; predictions of gplvm are not on the manifold");
  status.say(messages);
  return status.any_outside() && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
