// wgp score
#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/input_notes.h"
#include "cli/input/mirror_images.h"
#include "cli/output/model_tables.h"
#include "cli/output/unit_hint.h"
#include "cli/ranks.h"
#include "model/score_summary.h"
#include "report/words/units.h"

namespace wgp::cli {
namespace {

// Where the latents are given and need not be found.
Score score_at(const Model& model, ConstMatrixRef X, ConstMatrixRef points) {
  Score score = reconstruction_score(model, X, points);
  std::vector<Index> known;
  for (Index i = 0; i < score.n; ++i)
    if (!std::isnan(score.euclidean[i])) known.push_back(i);
  score.log_density_mean = model.log_density(X(Eigen::all, known), points(Eigen::all, known)).mean();
  return score;
}

// Model::score, made block by block: over processes each makes some.
Score score_in_blocks(const Model& model, const EncodeOptions& options, ConstMatrixRef points) {
  const Index at_once = many_rows_at_once(model.manifold()), N = points.cols(), count = (N + at_once - 1) / at_once;
  const auto make = [&](Index b) {
    return score_points(model, points.middleCols(b * at_once, std::min(at_once, N - b * at_once)), options);
  };
  PointScores all;
  const Index together = ranks() ? ranks()->count() : 1;
  for (Index b = 0; b < count; b += together) {
    if (!ranks())
      all.append(make(b));
    else
      for (const PointScores& block : rank_exchange()->gather_values_at_first<PointScores>([&] {
             const Index own = b + ranks()->rank();
             return own < count ? make(own) : PointScores();
           }))
        all.append(block);
  }
  return writes() ? score_of(model, std::move(all)) : Score();
}

// Where most points are outside the support: what a thousand of them, evenly, have in common.
std::string hint_of_units(const Model& model, const Score& score, ConstMatrixRef points) {
  if (2 * score.outside_support <= score.n) return "";
  const Index step = (points.cols() + 999) / 1000;
  const Matrix some = points(Eigen::all, Eigen::seqN(0, (points.cols() + step - 1) / step, step));
  UnitRatio units;
  units.add(model, some, model.encode(some));
  return units.hint();
}

}  // namespace

int run_score(const Arguments& arguments) {
  const Messages messages(arguments);
  encoder_from(arguments);  // wrong usage before anything is read
  const bool at_given = arguments.has("at");
  const InputFiles files = input_files(arguments, 1);
  const std::string input = files.name();
  check_one_grid(arguments.text("output"), files.several());
  check_standard_input({arguments.operands()[0], files.first(), arguments.text("at")});
  if (at_given && arguments.has("encoder"))
    throw UsageError("--encoder finds latents, --at gives them: one of the two");
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
  const PointSet set = read_points(files, model.parts().manifold, reading, messages);
  image_for_maps(arguments.text("output"), *set.reader, input);
  const Score score = at_given ? score_at(model, latents_of_rows(arguments, model.latent_dim(), set, input), set.points)
                               : score_in_blocks(model, {encoder, threads_from(arguments)}, set.points);
  if (!writes()) return exit_done;

  const bool intrinsic = model.on_manifold();
  if (arguments.has("output") || !arguments.has("json")) {
    std::vector<std::string> names = {"euclidean"};
    if (intrinsic) names.insert(names.begin(), "intrinsic");
    Matrix rows(intrinsic ? 2 : 1, score.n);
    if (intrinsic) rows.row(0) = score.intrinsic.transpose();
    rows.bottomRows(1) = score.euclidean.transpose();
    if (has_nifti_name(arguments.text("output"))) {
      write_point_maps(arguments.text("output"), input, set, names, "wgp score", rows);
    } else {
      if (!set.text.empty()) names.push_back("label");
      const auto writer = create_number_table(arguments.text("output"), names);
      writer->write(rows, set.text);
      writer->close();
    }
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
                {"without_prediction", score.without_prediction},
                {"n", score.n}});
  if (intrinsic)
    messages.say("{0}: geodesic distance to the prediction {1:.6g}{3} (root mean square), {2:.6g}{3} (median)",
                 plural(score.n, "point"), score.intrinsic_rmse, score.intrinsic_median,
                 report::distance_unit(model.manifold()));
  messages.say("Euclidean distance {:.6g} (root mean square); {} outside the support", score.euclidean_rmse,
               score.outside_support);
  if (score.without_prediction > 0)
    messages.say("{} without a prediction, outside the domain of the model: not in these numbers",
                 plural(score.without_prediction, "point"));
  messages.say("mean log density in nats a point: {:.6g} at the encoded latent{}", score.log_density_mean,
               held_out ? fmt::format(", {:.6g} with the latent integrated out", score.held_out_log_density) : "");
  if (const std::string hint = at_given ? "" : hint_of_units(model, score, set.points); !hint.empty())
    messages.say("{}", hint);
  if (!at_given && model.parts().kind == ModelKind::regression)
    messages.say("the inputs were found from the points; --at FILE scores predictions at given inputs");
  return exit_done;
}

}  // namespace wgp::cli
