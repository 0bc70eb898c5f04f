#include "report/pictures/point_picture.h"

#include "core/format.h"

#include <charconv>
#include <cmath>

#include "geometry/product.h"

namespace wgp::report {
namespace {

constexpr std::size_t most_factors = 9;

// Each factor of a product in a part of the box.
class ProductPicture : public PointPicture {
 public:
  ProductPicture(const ProductManifold& manifold, ConstMatrixRef points) {
    Index at = 0;
    for (const ManifoldPtr& factor : manifold.factors()) {
      parts_.push_back({picture_of(*factor, points.middleRows(at, factor->ambient_dim())), at, factor->ambient_dim()});
      at += factor->ambient_dim();
    }
    columns_ = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(parts_.size()))));
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const auto count = static_cast<Index>(parts_.size()), rows = (count + columns_ - 1) / columns_;
    const double width = box.width / static_cast<double>(columns_), height = box.height / static_cast<double>(rows);
    for (Index k = 0; k < count; ++k) {
      const Part& part = parts_[static_cast<std::size_t>(k)];
      const Box own{box.x + width * static_cast<double>(k % columns_),
                    box.y + height * static_cast<double>(k / columns_), width, height};
      part.picture->draw(svg, own, point.segment(part.at, part.size));
    }
  }

  std::string words() const override {
    std::string all;
    for (const Part& part : parts_)
      if (const std::string one = part.picture->words(); all.find(one) == std::string::npos)
        all += (all.empty() ? "" : " ") + one;
    return parts_.size() == 1 ? all : "The factors of the product stand side by side. " + all;
  }
  double cell() const override { return parts_.size() == 1 ? parts_[0].picture->cell() : 110; }

 private:
  struct Part {
    PointPicturePtr picture;
    Index at, size;
  };
  std::vector<Part> parts_;
  Index columns_ = 1;
};

}  // namespace

PointPicturePtr picture_of(const Manifold& manifold, ConstMatrixRef points, const std::vector<std::string>& channels) {
  if (const auto* product = dynamic_cast<const ProductManifold*>(&manifold);
      product != nullptr && product->factors().size() <= most_factors)
    return std::make_unique<ProductPicture>(*product, points);
  const std::string spec = manifold.spec(), name = spec.substr(0, spec.find(':'));
  Index size = 0;
  if (const auto colon = spec.find(':'); colon != std::string::npos)
    std::from_chars(spec.data() + colon + 1, spec.data() + spec.size(), size);
  const Index ambient = manifold.ambient_dim();
  if (name == "kendall" && ambient == 2 * size) return outline_picture(points);
  if (name == "kendall3d" && ambient == 3 * size) return landmark_picture(points);
  if (name == "so" && ambient == 9) return frame_picture();
  if (name == "sphere" && ambient == 3) return globe_picture();
  const bool square = ambient == size * size;
  if (name == "spd" && square && (size == 2 || size == 3)) return ellipse_picture(size, points);
  if ((name == "spd" || name == "correlation") && square && size > 1) return matrix_picture(size, points, channels);
  return bar_picture(points, spec);
}

}  // namespace wgp::report
