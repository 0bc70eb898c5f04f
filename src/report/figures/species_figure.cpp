#include "report/figures/species_figure.h"

#include "core/format.h"

#include "report/pictures/point_picture.h"
#include "wgp/statistics.h"

namespace wgp::report {

std::vector<Index> representatives(const Manifold& manifold, ConstMatrixRef points, const Colouring& colouring) {
  std::vector<std::vector<Index>> members(colouring.groups.size());
  for (std::size_t i = 0; i < colouring.group_of.size(); ++i)
    members[static_cast<std::size_t>(colouring.group_of[i])].push_back(static_cast<Index>(i));
  std::vector<Index> chosen;
  for (const std::vector<Index>& group : members) {
    const Matrix own = points(Eigen::all, group);
    double least = infinity;
    Index best = group.front();
    for (std::size_t k = 0; k < group.size(); ++k) {
      const double sum = manifold.at(own.col(static_cast<Index>(k)))->distance(own).sum();
      if (sum < least) {
        least = sum;
        best = group[k];
      }
    }
    chosen.push_back(best);
  }
  return chosen;
}

Figure species_figure(const Manifold& manifold, ConstMatrixRef points, const Colouring& colouring) {
  constexpr int columns = 8;
  constexpr double side = 96, height = 116;
  const std::vector<Index> chosen = representatives(manifold, points, colouring);
  // There and back again along geodesics from the mean: shapes come back turned as the mean is.
  const auto space = manifold.at(frechet_mean(manifold, points).mean);
  Matrix coords(manifold.dim(), static_cast<Index>(chosen.size()));
  Matrix aligned(points.rows(), coords.cols());
  space->log(points(Eigen::all, chosen), coords);
  space->exp(coords, aligned);
  const PointPicturePtr picture = picture_of(manifold, aligned);
  const int rows = (static_cast<int>(chosen.size()) + columns - 1) / columns;
  Svg svg("species", columns * side + 8, rows * height + 8, "One specimen of each group");
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const double x = 4 + static_cast<double>(k % columns) * side, y = 4 + static_cast<double>(k / columns) * height;
    svg.rect({x + 2, y + 2, side - 4, height - 4}, stroked("#e4e7ea"));
    picture->draw(svg, {x + 5, y + 3, side - 10, side - 14}, aligned.col(static_cast<Index>(k)));
    const std::string label = shortened(colouring.groups[k], 12);
    const double left = x + (side - text_width(label, 12) - 16) / 2;
    draw_point(svg, colouring, chosen[k], left + 5, y + height - 17, 4.5);
    svg.text(left + 16, y + height - 13, label, {.size = 12});
  }
  return {
      fmt::format("Representatives by {}", colouring.name),
      fmt::format("Of each group the specimen that is nearest to all others of its group, with its mark of the latent "
                  "figures. {}",
                  picture->words()),
      svg};
}

}  // namespace wgp::report
