// wgp score
#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/mirror_images.h"
#include "cli/output/model_tables.h"
#include "cli/output/unit_hint.h"
#include "cli/output/units.h"
#include "cli/ranks.h"
#include "model/score_summary.h"

namespace wgp::cli {
namespace {

// The same numbers as Model::score where the latents are given and need not be found.
Score score_at(const Model& model, ConstMatrixRef X, ConstMatrixRef points) {
  Score score = reconstruction_score(model, X, points);
  std::vector<Index> known;
  for (Index i = 0; i < score.n; ++i)
    if (!std::isnan(score.euclidean[i])) known.push_back(i);
  score.log_density_mean = model.log_density(X(Eigen::all, known), points(Eigen::all, known)).mean();
  return score;
}

// Of a block of points.
struct ScoredBlock {
  Vector intrinsic, euclidean, log_density, held_out;
  Index outside = 0;
  UnitRatio units;
  void each_part(auto&& visitor) {
    visitor(intrinsic, euclidean, log_density, held_out, outside, units.log_ratios, units.outside, units.all);
  }
};

ScoredBlock scored(const Model& model, const EncodeOptions& options, ConstMatrixRef points) {
  const Encoding encoding = model.encode(points, options);
  const Score score = reconstruction_score(model, encoding.X, points);
  ScoredBlock block{score.intrinsic, score.euclidean, encoding.log_density, {}, 0, {}};
  block.units.add(model, points, encoding);
  if (!model.lift().is_embedded()) block.held_out = mixture_log_density(model, points, 0, &encoding);
  block.outside = std::count(encoding.status.begin(), encoding.status.end(), EncodeStatus::outside_support);
  return block;
}

// What Model::score says of all points, made block by block: over processes each makes some.
Score score_in_blocks(const Model& model, const EncodeOptions& options, ConstMatrixRef points, UnitRatio& units) {
  const Index at_once = many_rows_at_once(model.manifold()), N = points.cols(), count = (N + at_once - 1) / at_once;
  const auto make = [&](Index b) {
    return scored(model, options, points.middleCols(b * at_once, std::min(at_once, N - b * at_once)));
  };
  ScoredBlock all;
  const auto append = [](Vector& to, const Vector& more) {
    to.conservativeResize(to.size() + more.size());
    to.tail(more.size()) = more;
  };
  const auto take = [&](const ScoredBlock& block) {
    append(all.intrinsic, block.intrinsic);
    append(all.euclidean, block.euclidean);
    append(all.log_density, block.log_density);
    append(all.held_out, block.held_out);
    all.outside += block.outside;
    units.add(block.units);
  };
  const Index together = ranks() ? ranks()->count() : 1;
  for (Index b = 0; b < count; b += together) {
    if (!ranks())
      take(make(b));
    else
      for (const ScoredBlock& block : rank_exchange()->gather_values_at_first<ScoredBlock>([&] {
             const Index own = b + ranks()->rank();
             return own < count ? make(own) : ScoredBlock();
           }))
        take(block);
  }
  if (!writes()) return {};
  Score score = summary_of_distances(model, std::move(all.intrinsic), std::move(all.euclidean));
  score.log_density_mean = all.log_density.mean();
  if (!model.lift().is_embedded()) score.held_out_log_density = all.held_out.mean();
  score.outside_support = all.outside;
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
  check_reflect(arguments, model.manifold());
  if (arguments.has("reflect") && !model.lift().is_embedded()) reading.reflect_towards = model.parts().base;
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  const PointSet set = read_points(input, model.parts().manifold, reading, messages);
  UnitRatio units;
  const Score score =
      at_given ? score_at(model, latents_of_rows(arguments.text("at"), model.latent_dim(), set, input), set.points)
               : score_in_blocks(model, {encoder, threads_from(arguments)}, set.points, units);
  if (!writes()) return exit_done;

  const bool intrinsic = model.on_manifold();
  if (arguments.has("output") || !arguments.has("json")) {
    std::vector<std::string> names = {"euclidean"};
    if (intrinsic) names.insert(names.begin(), "intrinsic");
    if (!set.text.empty()) names.push_back("label");
    Matrix rows(intrinsic ? 2 : 1, score.n);
    if (intrinsic) rows.row(0) = score.intrinsic.transpose();
    rows.bottomRows(1) = score.euclidean.transpose();
    const auto writer = create_number_table(arguments.text("output"), names);
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
                {"without_prediction", score.without_prediction},
                {"n", score.n}});
  if (intrinsic)
    messages.say("{0}: geodesic distance to the prediction {1:.6g}{3} (root mean square), {2:.6g}{3} (median)",
                 plural(score.n, "point"), score.intrinsic_rmse, score.intrinsic_median,
                 distance_unit(model.manifold()));
  messages.say("Euclidean distance {:.6g} (root mean square); {} outside the support", score.euclidean_rmse,
               score.outside_support);
  if (score.without_prediction > 0)
    messages.say("{} without a prediction, outside the domain of the model: not in these numbers",
                 plural(score.without_prediction, "point"));
  messages.say("mean log density in nats a point: {:.6g} at the encoded latent{}", score.log_density_mean,
               held_out ? fmt::format(", {:.6g} with the latent integrated out", score.held_out_log_density) : "");
  if (const std::string hint = units.hint(); !hint.empty()) messages.say("{}", hint);
  if (!at_given && model.parts().kind == ModelKind::regression)
    messages.say("the inputs were found from the points; --at FILE scores predictions at given inputs");
  return exit_done;
}

}  // namespace wgp::cli
