// wgp score
#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/output/model_tables.h"
#include "lift/embedded_lift.h"
#include "model/error_summary.h"

namespace wgp::cli {
namespace {

// The same numbers as Model::score where the latents are given and need not be found.
Score score_at(const Model& model, ConstMatrixRef X, ConstMatrixRef points) {
  const Matrix predicted = model.mean_points(X);
  Score score;
  score.n = points.cols();
  score.euclidean = euclidean_distances(model.manifold(), points, predicted);
  score.intrinsic = Vector::Constant(score.n, std::numeric_limits<double>::quiet_NaN());
  if (model.on_manifold())
    for (Index i = 0; i < score.n; ++i)
      score.intrinsic[i] = distance(model.manifold(), points.col(i), predicted.col(i));
  score.intrinsic_rmse = root_mean_square(score.intrinsic);
  score.intrinsic_median = model.on_manifold() ? median(score.intrinsic) : std::numeric_limits<double>::quiet_NaN();
  score.euclidean_rmse = root_mean_square(score.euclidean);
  score.log_density_mean = model.log_density(X, points).mean();
  return score;
}

}  // namespace

int run_score(const Arguments& arguments) {
  const Messages messages(arguments);
  encoder_from(arguments);  // wrong usage before anything is read
  const bool at_given = arguments.has("at");
  const std::string& input = arguments.operands()[1];
  check_standard_input({arguments.operands()[0], input, arguments.text("at")});
  if (at_given && arguments.has("encoder"))
    throw UsageError("--encoder finds latents, --at gives them: one of the two");
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  const Encoder encoder = encoder_from(arguments, loaded);
  InputOptions reading = input_options(arguments, model.manifold());
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  const PointSet set = read_points(input, model.parts().manifold, reading, messages);
  const Score score =
      at_given ? score_at(model, latents_of_rows(arguments.text("at"), model.latent_dim(), set, input), set.points)
               : model.score(set.points, {encoder, threads_from(arguments)});

  const bool intrinsic = model.on_manifold();
  if (arguments.has("output") || !arguments.has("json")) {
    std::vector<std::string> names = {"euclidean"};
    if (intrinsic) names.insert(names.begin(), "intrinsic");
    if (!set.text.empty()) names.push_back("label");
    Matrix rows(intrinsic ? 2 : 1, score.n);
    if (intrinsic) rows.row(0) = score.intrinsic.transpose();
    rows.bottomRows(1) = score.euclidean.transpose();
    const auto writer = create_table(arguments.text("output"), names);
    writer->write(rows, set.text);
    writer->close();
  }
  // Given inputs need not be integrated out, and models of the ambient space have no density on the manifold.
  const bool held_out = !at_given && !model.lift().is_embedded();
  const auto or_null = [&](double value) { return intrinsic ? Json(value) : Json(nullptr); };
  if (arguments.has("json"))
    print_json({{"intrinsic_rmse", or_null(score.intrinsic_rmse)},
                {"intrinsic_median", or_null(score.intrinsic_median)},
                {"euclidean_rmse", score.euclidean_rmse},
                {"log_density_mean", score.log_density_mean},
                {"held_out_log_density", held_out ? Json(score.held_out_log_density) : Json(nullptr)},
                {"outside_support", score.outside_support},
                {"n", score.n}});
  if (intrinsic)
    messages.say("{}: distance to the prediction {:.6g} (root mean square), {:.6g} (median)", plural(score.n, "point"),
                 score.intrinsic_rmse, score.intrinsic_median);
  messages.say("Euclidean {:.6g}, {} outside the support", score.euclidean_rmse, score.outside_support);
  messages.say("mean log density {:.6g} given the code{}, per unit of volume", score.log_density_mean,
               held_out ? fmt::format(", {:.6g} with the code integrated out", score.held_out_log_density) : "");
  if (!at_given && model.parts().kind == ModelKind::regression)
    messages.say("the inputs were found from the points; --at FILE scores predictions at given inputs");
  return exit_done;
}

}  // namespace wgp::cli
