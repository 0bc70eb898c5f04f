// wgp morph: from one point of a model to another, by what the model has learned of what lies between.
#include <cmath>

#include "cli/commands/commands.h"
#include "cli/input/model_points.h"
#include "cli/output/model_tables.h"
#include "cli/output/motion_output.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

// The shortest path of the model's metric, or the straight line between the latents.
LatentGeodesic path_between(const Arguments& arguments, const Model& model, Index from, Index to) {
  const Matrix& X = model.parts().X;
  const Index steps = arguments.integer("steps", 20, 3, 10000);
  return latent_geodesic(model, X.col(from), X.col(to), steps,
                         arguments.has("straight") ? LatentPath::straight : LatentPath::shortest);
}

}  // namespace

int run_morph(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::vector<std::string>& operands = arguments.operands();
  const LoadedModel loaded = load_model(operands[0]);
  const Model& model = loaded.model;
  const Index from = model_point(loaded, operands[1]), to = model_point(loaded, operands[2]);
  if (from == to) throw Error(fmt::format("{} and {} are the same point", operands[1], operands[2]));
  const LatentGeodesic path = path_between(arguments, model, from, to);

  const RowFormPtr form = form_of(loaded);
  std::vector<std::string> names = point_names(model.manifold(), *form);
  names.push_back("sd");
  for (Index j = 1; j <= model.latent_dim(); ++j) names.push_back(fmt::format("latent{}", j));
  const std::unique_ptr<MotionOutput> motion = MotionOutput::asked_for(arguments, loaded);
  std::optional<RowOutput> output;
  if (!motion) output.emplace(arguments, names, std::vector<std::string>(), PointColumns{0, form->width()});
  const Prediction prediction = model.predict(path.nodes);
  Matrix rows(static_cast<Index>(names.size()), path.nodes.cols());
  rows.topRows(form->width()) = points_to_rows(*form, prediction.points);
  rows.row(form->width()) = (prediction.variance.array() + prediction.noise).sqrt().transpose();
  rows.bottomRows(model.latent_dim()) = model.parts().latent.wrapped(path.nodes);
  PointStatus status(arguments);
  status.add(prediction.report, rows.topRows(form->width() + 1), 0);
  if (output) output->write(rows);
  if (motion) motion->write(prediction.points);
  Json more = {{"n", rows.cols()},
               {"length", path.length},
               {"straight_length", path.straight_length},
               {"converged", path.converged},
               {"on_manifold", model.on_manifold()}};
  status.add_to(more);
  if (output) output->close(more);
  if (motion) motion->close(messages);
  if (motion && arguments.has("json")) print_json(more);
  if (output && output->left_out()) messages.say("TPS holds the points only; write .csv for their sd and latents");
  messages.say("{} steps from {} to {}: length {:.4g} in the model's metric{}", rows.cols(), operands[1], operands[2],
               path.length,
               arguments.has("straight") ? " (the straight line between the latents)"
                                         : fmt::format(", {:.4g} along the straight line", path.straight_length));
  if (!path.converged) messages.say("the path may not be the shortest yet: its search did not converge");
  status.say(messages);
  return (status.any_outside() || !path.converged) && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
