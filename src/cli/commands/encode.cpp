// wgp encode: streams blocks of points through a model, in constant memory (maps of an image: the encoded voxels).
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/input_notes.h"
#include "cli/input/mirror_images.h"
#include "cli/input/tensor_image.h"
#include "cli/output/encoded_block.h"
#include "cli/output/model_tables.h"
#include "cli/ranks.h"

namespace wgp::cli {

namespace {

// Latents as rows of a table, or as maps where the points are an image's voxels.
class EncodeOutput {
 public:
  EncodeOutput(const Arguments& arguments, const Model& model, const PointTable& table,
               const std::vector<std::string>& text_columns)
      : arguments_(arguments), as_(arguments.has("modes") ? EncodedAs::rows_of_modes : EncodedAs::rows) {
    const std::string path = arguments.text("output");
    const bool modes = as_ == EncodedAs::rows_of_modes;
    if (const NiftiTable* image = image_for_maps(path, table.reader(), table.path())) {
      if (modes) throw UsageError("--modes: a voxel of a map has room for one latent; write .csv");
      as_ = EncodedAs::maps;
      const auto channels = encoding_channels(model.latent_dim());
      if (writes())
        maps_.emplace(path, image->grid(),
                      NiftiMapInfo{channels, fmt::format("wgp encode: {}", fmt::join(channels, " ")), std::nullopt,
                                   image->tensor_form()});
      return;
    }
    std::vector<std::string> names = encoded_columns(model.latent_dim()), texts = {"status"};
    if (modes) names.insert(names.end(), {"input", "probability"});
    if (!text_columns.empty()) texts.push_back("label");
    if (writes()) rows_.emplace(arguments, names, texts);
  }

  EncodedAs as() const { return as_; }

  void write(const EncodedBlock& block) {
    if (block.numbers.cols() == 0) return;
    if (maps_)
      maps_->write(block.numbers, block.voxels);
    else if (rows_)
      rows_->write(block.numbers, block.text);
  }

  void close(const Json& more) {
    if (rows_) rows_->close(more);
    if (!maps_) return;
    maps_->close();
    if (arguments_.has("json")) print_json(more);
  }

 private:
  const Arguments& arguments_;
  EncodedAs as_;
  std::optional<RowOutput> rows_;
  std::optional<NiftiMaps> maps_;
};

// Block after block: over processes each encodes one of as many, and the first takes all of them in their order.
class EncodedBlocks {
 public:
  EncodedBlocks(const Model& model, const EncodeOptions& options, PointTable& table, EncodedAs as)
      : model_(model), options_(options), table_(table), as_(as), rows_(many_rows_at_once(model.manifold())) {}

  // The next ones; none at the end. Of other processes than the first: empty ones.
  std::vector<EncodedBlock> next() {
    if (!ranks()) {
      PointBlock block;
      if (!table_.read(rows_, block)) return {};
      return {encoded(model_, options_, block, as_)};
    }
    bool more = false;
    std::vector<EncodedBlock> blocks = rank_exchange()->gather_values_at_first<EncodedBlock>([&] {
      PointBlock block;
      table_.skip(ranks()->rank() * rows_);
      more = table_.read(rows_, block);
      EncodedBlock own = more ? encoded(model_, options_, block, as_) : EncodedBlock();
      table_.skip((ranks()->count() - 1 - ranks()->rank()) * rows_);
      return own;
    });
    if (!anywhere(more)) return {};
    if (blocks.empty()) blocks.emplace_back();
    return blocks;
  }

 private:
  const Model& model_;
  const EncodeOptions options_;
  PointTable& table_;
  const EncodedAs as_;
  const Index rows_;
};

}  // namespace

int run_encode(const Arguments& arguments) {
  const Messages messages(arguments);
  encoder_from(arguments);  // wrong usage before anything is read
  const InputFiles files = input_files(arguments, 1);
  check_standard_input({arguments.operands()[0], files.first()});
  check_one_grid(arguments.text("output"), files.several());
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  const Encoder encoder = encoder_from(arguments, loaded);
  InputOptions reading = input_options(arguments, model.manifold());
  reading.channels = loaded.notes.channels;
  reading.channels_of = arguments.operands()[0];
  check_reflect(arguments, model.manifold());
  if (arguments.has("reflect")) reading.reflect_towards = mirror_reference(model);
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  if (writes()) say_how_fitted(arguments, loaded.notes, messages);
  // An image is encoded to its end: maps say where its voxels are no points.
  const bool maps = has_nifti_name(arguments.text("output"));
  if (maps) reading.invalid = InputOptions::InvalidRows::keep;
  PointTable table(files, model.parts().manifold, reading);
  table.check_flags();
  EncodeOutput output(arguments, model, table, reading.text_columns);

  EncodedBlocks blocks(model, {encoder, threads_from(arguments)}, table, output.as());
  Index n = 0, dropped = 0, reflected = 0, outside = 0, open = 0, ambiguous = 0;
  double density = 0;
  UnitRatio units;
  for (std::vector<EncodedBlock> some = blocks.next(); !some.empty(); some = blocks.next())
    for (const EncodedBlock& block : some) {
      output.write(block);
      n += block.n;
      dropped += block.dropped;
      reflected += block.reflected;
      outside += block.outside;
      open += block.open;
      ambiguous += block.ambiguous;
      density += block.density;
      units.add(block.units);
    }
  if (!writes()) return exit_done;
  if (n == 0) throw Error(fmt::format("{}: no valid row is left", table.path()));
  output.close({{"n", n},
                {"log_density_mean", density / static_cast<double>(n)},
                {"outside_support", outside},
                {"not_converged", open},
                {"ambiguous", ambiguous},
                {"dropped", dropped}});
  if (reflected > 0) messages.say("{} reflected", plural(reflected, "row"));
  if (dropped > 0 && maps)
    messages.say("{} outside of {}: NaN in the maps, with status -1",
                 dropped == 1 ? "1 voxel is" : fmt::format("{} voxels are", dropped), model.manifold().spec());
  else if (dropped > 0)
    messages.say("{} dropped", plural(dropped, "invalid row"));
  messages.say(
      "{} encoded by {}: mean log density {:.6g} nats, {} outside the support, {} not converged{}", plural(n, "point"),
      to_string(encoder), density / static_cast<double>(n), outside, open,
      ambiguous > 0 ? fmt::format(", {} ambiguous (--modes lists all their latent positions)", ambiguous) : "");
  if (const std::string hint = units.hint(); !hint.empty()) messages.say("{}", hint);
  return open > 0 && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
