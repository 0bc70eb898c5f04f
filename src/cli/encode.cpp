// wgp encode: streams blocks of points through a model, in constant memory.
#include "cli/commands.h"
#include "cli/model_tables.h"

namespace wgp::cli {

namespace {

// The columns of a block without a defect.
std::vector<Index> valid_rows(const PointBlock& block) {
  std::vector<Index> valid;
  for (std::size_t i = 0; i < block.defects.size(); ++i)
    if (block.defects[i].empty()) valid.push_back(static_cast<Index>(i));
  return valid;
}

}  // namespace

int run_encode(const Arguments& arguments) {
  const Messages messages(arguments);
  const Encoder encoder = encoder_from(arguments);
  check_standard_input(arguments.operands());
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  Border border = border_from(arguments, model.manifold());
  if (arguments.has("labels")) border.text_columns = {arguments.text("labels")};
  PointTable table(arguments.operands()[1], model.parts().manifold, border);

  const Index q = model.latent_dim();
  std::vector<std::string> names, texts = {"status"};
  for (Index j = 1; j <= q; ++j) names.push_back(fmt::format("x{}", j));
  for (Index j = 1; j <= q; ++j) names.push_back(fmt::format("sd{}", j));
  names.push_back("log_density");
  if (!border.text_columns.empty()) texts.push_back("label");
  RowOutput output(arguments, names, texts);

  Index n = 0, dropped = 0, outside = 0, open = 0;
  double density = 0;
  PointBlock block;
  while (table.read(model_rows_at_once, block)) {
    const std::vector<Index> valid = valid_rows(block);
    dropped += block.points.cols() - static_cast<Index>(valid.size());
    if (valid.empty()) continue;
    const Encoding encoding = model.encode(block.points(Eigen::all, valid), encoder);
    Matrix rows(2 * q + 1, encoding.X.cols());
    rows << encoding.X, encoding.sd, encoding.log_density.transpose();
    std::vector<std::vector<std::string>> text(texts.size());
    for (std::size_t i = 0; i < valid.size(); ++i) {
      const EncodeStatus status = encoding.status[i];
      outside += status == EncodeStatus::outside_support;
      open += status == EncodeStatus::not_converged;
      text[0].push_back(to_string(status));
      if (text.size() > 1) text[1].push_back(std::move(block.text[0][static_cast<std::size_t>(valid[i])]));
    }
    output.write(rows, text);
    n += rows.cols();
    density += encoding.log_density.sum();
  }
  if (n == 0) throw Error(fmt::format("{}: no valid row is left", table.path()));
  output.close({{"n", n},
                {"log_density_mean", density / static_cast<double>(n)},
                {"outside_support", outside},
                {"not_converged", open},
                {"dropped", dropped}});
  if (dropped > 0) messages.say("{} dropped", plural(dropped, "invalid row"));
  messages.say("{} encoded by {}: mean log density {:.6g}, {} outside the support, {} not converged",
               plural(n, "point"), to_string(encoder), density / static_cast<double>(n), outside, open);
  return open > 0 && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
