// wgp pga
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/mirror_images.h"
#include "cli/input/points.h"
#include "cli/output/mean_report.h"
#include "cli/output/model_tables.h"
#include "geometry/rounding.h"
#include "wgp/statistics.h"

namespace wgp::cli {

int run_pga(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments);
  check_one_grid(arguments.text("output"), files.several());
  const ManifoldPtr manifold = manifold_of(arguments, files, messages);
  InputOptions reading = input_options(arguments, *manifold);
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  const Index asked = arguments.integer("components", 0, 1, manifold->dim());
  MeanOptions mean_options;
  mean_options.seed = arguments.seed();
  ExactPgaOptions exact_options;
  exact_options.max_iterations =
      static_cast<int>(arguments.integer("max-iterations", exact_options.max_iterations, 0, 1000000));

  const std::string input = files.name();
  check_reflect(arguments, *manifold);
  PointSet set = read_points(files, manifold, reading, messages);
  image_for_maps(arguments.text("output"), *set.reader, input);
  treat_mirror_images(arguments, *manifold, set, messages);
  const Index N = set.points.cols(), q = asked > 0 ? asked : std::min({Index{2}, manifold->dim(), N});
  if (N < q) throw Error(fmt::format("{}: {}, fewer than the {} components asked for", input, plural(N, "point"), q));
  if (all_points_equal(*manifold, set.points))
    throw Error(fmt::format("{}: all points are equal; they have no directions", input));

  const FrechetMean mean = frechet_mean(*manifold, set.points, mean_options);
  const Pga pga = arguments.has("exact") ? exact_pga(*manifold, set.points, mean.mean, q, exact_options)
                                         : tangent_pga(*manifold, set.points, mean.mean, q);

  if (arguments.has("output") || !arguments.has("json")) {
    std::vector<std::string> names;
    for (Index j = 1; j <= q; ++j) names.push_back(fmt::format("pc{}", j));
    if (has_nifti_name(arguments.text("output"))) {
      write_point_maps(arguments.text("output"), input, set, names, "wgp pga", pga.scores);
    } else {
      if (!set.text.empty()) names.push_back("label");
      const auto writer = create_number_table(arguments.text("output"), names);
      writer->write(pga.scores, set.text);
      writer->close();
    }
  }
  const Vector explained = pga.eigenvalues / std::max(pga.total_variance, 1e-300);
  if (arguments.has("json")) {
    const Vector mean_row = set.form->from_point(pga.mean);
    const Matrix directions = manifold->at(pga.mean)->to_ambient(pga.directions);
    Matrix rows(set.form->width(), q);
    for (Index j = 0; j < q; ++j) rows.col(j) = set.form->from_tangent(mean_row, directions.col(j));
    print_json({{"mean", to_json(mean_row)},
                {"eigenvalues", to_json(pga.eigenvalues)},
                {"explained", to_json(explained)},
                {"directions", columns_to_json(rows)},
                {"total_variance", pga.total_variance},
                {"residual", pga.residual},
                {"method", arguments.has("exact") ? "exact" : "tangent"},
                {"iterations", pga.iterations},
                {"converged", pga.converged},
                {"scores", columns_to_json(pga.scores)},
                {"n", N}});
  }
  messages.say("{} principal geodesics of {} on {}: {:.4g} % of the variance {:.6g}", q, plural(N, "point"),
               manifold->spec(), 100 * explained.sum(), pga.total_variance);
  messages.say("eigenvalues {:.6g}", fmt::join(pga.eigenvalues.begin(), pga.eigenvalues.end(), ", "));
  if (mean.status != MeanStatus::converged) messages.say("the mean's status is {}", to_string(mean.status));
  say_troubles(mean, messages);
  if (!pga.converged) messages.say("exact PGA did not converge in {}", plural(pga.iterations, "iteration"));
  const bool failed = !pga.converged || has_failed(mean);
  return failed && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
