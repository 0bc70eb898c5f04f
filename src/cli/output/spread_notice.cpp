#include "cli/output/spread_notice.h"
#include "report/words/units.h"

namespace wgp::cli {
namespace {

constexpr double near_the_cut_locus = 0.9;  // of the injectivity radius

constexpr const char* remedy =
    "--basepoint auto tries base points that are fitted or move with the latent coordinates, and keeps the one that "
    "predicts held-out points best";

}  // namespace

void say_spread(const Model& model, const FitSummary& summary, ConstMatrixRef points, const Messages& messages) {
  const Model::Parts& parts = model.parts();
  if (parts.basepoint != BasepointKind::mean || model.lift().is_embedded() || points.cols() == 0) return;
  if (parts.kind == ModelKind::gplvm || parts.kind == ModelKind::gplvmproj) return;
  const auto space = parts.manifold->at(parts.base);
  const double reach = space->injectivity_radius(), ball = parts.manifold->mean_ball_radius();
  const double radius = space->distance(points).maxCoeff();
  if (summary.cut_locus_points + summary.near_cut_points > 0 || radius >= near_the_cut_locus * reach)
    messages.say(
        "warning: points lie up to {0:.4g}{3} from the mean, and at {1:.4g}{3} the shortest way to it is no longer "
        "unique (the cut "
        "locus): there the tangent space at the mean maps neighbours far apart. {2}",
        radius, reach, remedy, report::distance_unit(*parts.manifold));
  else if (!summary.mean_unique && ball > 0)
    messages.say(
        "warning: the Frechet mean is not certified to be unique: points lie up to {0:.4g}{3} from it, and only below "
        "{1:.4g}{3} "
        "is uniqueness guaranteed. {2}",
        radius, ball, remedy, report::distance_unit(*parts.manifold));
}

}  // namespace wgp::cli
