#include "geometry/product.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/format.h"

#include "geometry/product_form.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

constexpr Index most_preimages = 10000;

// One factor's place in the concatenated coordinates, and its weight.
struct Slot {
  Index coord, dim, ambient, ambient_dim;
  double weight;
};

// The Jacobi operator is block diagonal, and weights do not change it: coordinates are a * (factor's coordinates).
class ProductJacobi final : public JacobiFields {
 public:
  ProductJacobi(std::vector<Slot> slots, std::vector<std::unique_ptr<const JacobiFields>> parts)
      : slots_(std::move(slots)), parts_(std::move(parts)) {}

  Matrix dexp(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dexp, x); }
  Matrix dexp_adjoint(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dexp_adjoint, x); }
  Matrix dexp_base(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dexp_base, x); }
  Matrix dexp_base_adjoint(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dexp_base_adjoint, x); }
  Matrix dlog_base(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dlog_base, x); }
  Matrix dlog_end(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dlog_end, x); }
  Matrix dlog_end_adjoint(ConstMatrixRef x) const override { return blockwise(&JacobiFields::dlog_end_adjoint, x); }

  double log_det() const override {
    double sum = 0;
    for (const auto& part : parts_) sum += part->log_det();
    return sum;
  }

  Vector log_det_gradient() const override {
    Vector gradient(slots_.back().coord + slots_.back().dim);
    for (std::size_t j = 0; j < slots_.size(); ++j)
      gradient.segment(slots_[j].coord, slots_[j].dim) = parts_[j]->log_det_gradient() / slots_[j].weight;
    return gradient;
  }

 private:
  Matrix blockwise(Matrix (JacobiFields::*map)(ConstMatrixRef) const, ConstMatrixRef x) const {
    Matrix y(x.rows(), x.cols());
    for (std::size_t j = 0; j < slots_.size(); ++j)
      y.middleRows(slots_[j].coord, slots_[j].dim) = (*parts_[j].*map)(x.middleRows(slots_[j].coord, slots_[j].dim));
    return y;
  }

  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<const JacobiFields>> parts_;
};

class ProductTangentSpace final : public TangentSpace {
 public:
  ProductTangentSpace(const std::vector<ManifoldPtr>& factors, const std::vector<double>& weights, ConstVectorRef p)
      : p_(p.size()) {
    Index ambient = 0;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Slot slot = {dim_, factors[j]->dim(), ambient, factors[j]->ambient_dim(), weights[j]};
      slots_.push_back(slot);
      parts_.push_back(factors[j]->at(p.segment(ambient, slot.ambient_dim)));
      p_.segment(ambient, slot.ambient_dim) = parts_.back()->base();
      dim_ += slot.dim;
      ambient += slot.ambient_dim;
    }
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return dim_; }

  double injectivity_radius() const override {
    double radius = infinity;
    for (std::size_t j = 0; j < slots_.size(); ++j)
      radius = std::min(radius, slots_[j].weight * parts_[j]->injectivity_radius());
    return radius;
  }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport all(points.cols());
    Matrix part_points, part_coords;
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Slot& slot = slots_[j];
      part_points = points.middleRows(slot.ambient, slot.ambient_dim);
      part_coords.resize(slot.dim, points.cols());
      const LogReport report = parts_[j]->log(part_points, part_coords);
      coords.middleRows(slot.coord, slot.dim) = slot.weight * part_coords;
      all.margin = all.margin.cwiseMin(slot.weight * report.margin);
      // The statuses are ordered by severity.
      for (std::size_t i = 0; i < all.status.size(); ++i) all.status[i] = std::max(all.status[i], report.status[i]);
      all.iterations = std::max(all.iterations, report.iterations);
      all.residual = std::max(all.residual, slot.weight * report.residual);
    }
    return all;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    ExpReport all;
    Matrix part_points, part_coords;
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Slot& slot = slots_[j];
      part_coords = coords.middleRows(slot.coord, slot.dim) / slot.weight;
      part_points.resize(slot.ambient_dim, coords.cols());
      const ExpReport report = parts_[j]->exp(part_coords, part_points);
      points.middleRows(slot.ambient, slot.ambient_dim) = part_points;
      all.outside_domain.insert(all.outside_domain.end(), report.outside_domain.begin(), report.outside_domain.end());
    }
    std::sort(all.outside_domain.begin(), all.outside_domain.end());
    all.outside_domain.erase(std::unique(all.outside_domain.begin(), all.outside_domain.end()),
                             all.outside_domain.end());
    return all;
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector squared = Vector::Zero(points.cols());
    for (std::size_t j = 0; j < slots_.size(); ++j)
      squared += (slots_[j].weight * parts_[j]->distance(points.middleRows(slots_[j].ambient, slots_[j].ambient_dim)))
                     .cwiseAbs2();
    return squared.cwiseSqrt();
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(p_.size(), coords.cols());
    for (std::size_t j = 0; j < slots_.size(); ++j)
      ambient.middleRows(slots_[j].ambient, slots_[j].ambient_dim) =
          parts_[j]->to_ambient(coords.middleRows(slots_[j].coord, slots_[j].dim) / slots_[j].weight);
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim_, ambient.cols());
    for (std::size_t j = 0; j < slots_.size(); ++j)
      coords.middleRows(slots_[j].coord, slots_[j].dim) =
          slots_[j].weight * parts_[j]->to_coords(ambient.middleRows(slots_[j].ambient, slots_[j].ambient_dim));
    return coords;
  }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    Matrix ambient(p_.size(), coords.cols());
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Slot& slot = slots_[j];
      ambient.middleRows(slot.ambient, slot.ambient_dim) = parts_[j]->transport(
          v.segment(slot.coord, slot.dim) / slot.weight, coords.middleRows(slot.coord, slot.dim) / slot.weight);
    }
    return ambient;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    std::vector<std::unique_ptr<const JacobiFields>> fields;
    for (std::size_t j = 0; j < slots_.size(); ++j)
      fields.push_back(parts_[j]->jacobi(v.segment(slots_[j].coord, slots_[j].dim) / slots_[j].weight));
    return std::make_unique<ProductJacobi>(slots_, std::move(fields));
  }

  // Under g' = a^2 g the tensor R(X, Y)Z is the same; in coordinates a * (factor's) three inputs bring a^-3, the output
  // a.
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    Vector result(dim_);
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Slot& slot = slots_[j];
      const auto part = parts_[j]->curvature(x.segment(slot.coord, slot.dim), y.segment(slot.coord, slot.dim),
                                             z.segment(slot.coord, slot.dim));
      if (!part) return std::nullopt;
      result.segment(slot.coord, slot.dim) = *part / (slot.weight * slot.weight);
    }
    return result;
  }

  // The Cartesian product of the factors' preimages, within the radius.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Preimages all;
    std::vector<Vector> coords = {Vector(0)};
    std::vector<double> log_abs_det = {0};
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      const Slot& slot = slots_[j];
      const Preimages part = parts_[j]->preimages(q.segment(slot.ambient, slot.ambient_dim), radius / slot.weight);
      all.countable = all.countable && part.countable;
      all.complete = all.complete && part.complete;
      std::vector<Vector> longer;
      std::vector<double> longer_det;
      for (std::size_t i = 0; i < coords.size(); ++i)
        for (Index k = 0; k < part.coords.cols(); ++k) {
          Vector both(coords[i].size() + slot.dim);
          both << coords[i], slot.weight * part.coords.col(k);
          if ((i > 0 || k > 0) && both.norm() > radius) continue;  // the shortest one is always kept
          if (static_cast<Index>(longer.size()) >= most_preimages) {
            all.complete = false;
            break;
          }
          longer.push_back(std::move(both));
          longer_det.push_back(log_abs_det[i] + part.log_abs_det[k]);
        }
      coords = std::move(longer);
      log_abs_det = std::move(longer_det);
    }
    std::vector<std::size_t> order(coords.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return coords[a].norm() < coords[b].norm(); });
    all.coords.resize(dim_, static_cast<Index>(order.size()));
    all.log_abs_det.resize(all.coords.cols());
    for (std::size_t i = 0; i < order.size(); ++i) {
      all.coords.col(static_cast<Index>(i)) = coords[order[i]];
      all.log_abs_det[static_cast<Index>(i)] = log_abs_det[order[i]];
    }
    return all;
  }

 private:
  Vector p_;
  Index dim_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<const TangentSpace>> parts_;
};

}  // namespace

ProductManifold::ProductManifold(std::vector<ManifoldPtr> factors, std::vector<double> weights)
    : factors_(std::move(factors)), weights_(std::move(weights)) {
  if (factors_.empty()) throw Error("a product needs at least one factor");
  if (factors_.size() != weights_.size())
    throw Error(fmt::format("a product of {} factors was given {} weights", factors_.size(), weights_.size()));
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    if (!(weights_[j] > 0) || !std::isfinite(weights_[j]))
      throw Error(fmt::format("weight {} of a product is {}, not positive", j + 1, weights_[j]));
    dim_ += factors_[j]->dim();
    ambient_dim_ += factors_[j]->ambient_dim();
  }
}

// Runs of equal factors are written as powers.
std::string ProductManifold::spec() const {
  std::vector<std::string> words;
  for (std::size_t j = 0; j < factors_.size();) {
    std::size_t run = 1;
    while (j + run < factors_.size() && weights_[j + run] == weights_[j] &&
           factors_[j + run]->spec() == factors_[j]->spec())
      ++run;
    std::string word = factors_[j]->spec();
    if (run > 1) word += fmt::format("^{}", run);
    if (weights_[j] != 1) word = fmt::format("{}*{}", weights_[j], word);
    words.push_back(std::move(word));
    j += run;
  }
  return fmt::format("{}", fmt::join(words, ","));
}

std::unique_ptr<const TangentSpace> ProductManifold::at(ConstVectorRef p) const {
  return std::make_unique<ProductTangentSpace>(factors_, weights_, p);
}

std::optional<std::string> ProductManifold::defect(ConstVectorRef x, double tolerance) const {
  Index at = 0;
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    if (auto why = factors_[j]->defect(x.segment(at, factors_[j]->ambient_dim()), tolerance))
      return factors_.size() == 1 ? why : fmt::format("factor {} ({}): {}", j + 1, factors_[j]->spec(), *why);
    at += factors_[j]->ambient_dim();
  }
  return std::nullopt;
}

double ProductManifold::default_tolerance() const {
  double tolerance = 1;
  for (const auto& factor : factors_) tolerance = std::min(tolerance, factor->default_tolerance());
  return tolerance;
}

Vector ProductManifold::project(ConstVectorRef x) const {
  Vector result(ambient_dim_);
  Index at = 0;
  for (const auto& factor : factors_) {
    result.segment(at, factor->ambient_dim()) = factor->project(x.segment(at, factor->ambient_dim()));
    at += factor->ambient_dim();
  }
  return result;
}

double ProductManifold::injectivity_radius() const {
  double radius = infinity;
  for (std::size_t j = 0; j < factors_.size(); ++j)
    radius = std::min(radius, weights_[j] * factors_[j]->injectivity_radius());
  return radius;
}

double ProductManifold::mean_ball_radius() const {
  double radius = infinity;
  for (std::size_t j = 0; j < factors_.size(); ++j)
    radius = std::min(radius, weights_[j] * factors_[j]->mean_ball_radius());
  return radius;
}

bool ProductManifold::is_compact() const {
  // For restarts of the mean one compact factor is enough to make several minima possible.
  return std::any_of(factors_.begin(), factors_.end(), [](const auto& factor) { return factor->is_compact(); });
}
bool ProductManifold::is_flat() const {
  return std::all_of(factors_.begin(), factors_.end(), [](const auto& factor) { return factor->is_flat(); });
}
bool ProductManifold::is_symmetric() const {
  return std::all_of(factors_.begin(), factors_.end(), [](const auto& factor) { return factor->is_symmetric(); });
}

std::optional<Vector> ProductManifold::mean_start(ConstMatrixRef points, ConstVectorRef weights) const {
  Vector start(ambient_dim_);
  Index at = 0;
  for (const auto& factor : factors_) {
    const auto part = factor->mean_start(points.middleRows(at, factor->ambient_dim()), weights);
    // A factor without a rule starts at the first point: any start will do where the mean is unique.
    start.segment(at, factor->ambient_dim()) = part ? *part : Vector(points.col(0).segment(at, factor->ambient_dim()));
    at += factor->ambient_dim();
  }
  return start;
}

Matrix ProductManifold::aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const {
  Matrix result(x.rows(), x.cols());
  Index at = 0;
  for (const auto& factor : factors_) {
    const Index size = factor->ambient_dim();
    const Matrix part = x.middleRows(at, size);
    result.middleRows(at, size) = factor->aligned(from.segment(at, size), to.segment(at, size), part);
    at += size;
  }
  return result;
}

Vector ProductManifold::random_point(Random& random) const {
  Vector point(ambient_dim_);
  Index at = 0;
  for (const auto& factor : factors_) {
    point.segment(at, factor->ambient_dim()) = factor->random_point(random);
    at += factor->ambient_dim();
  }
  return point;
}

std::function<Vector(ConstVectorRef)> ProductManifold::random_isometry(Random& random) const {
  std::vector<std::function<Vector(ConstVectorRef)>> parts;
  std::vector<Index> sizes;
  for (const auto& factor : factors_) {
    parts.push_back(factor->random_isometry(random));
    sizes.push_back(factor->ambient_dim());
  }
  return [parts, sizes](ConstVectorRef x) {
    Vector y(x.size());
    Index at = 0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      y.segment(at, sizes[j]) = parts[j] ? parts[j](x.segment(at, sizes[j])) : Vector(x.segment(at, sizes[j]));
      at += sizes[j];
    }
    return y;
  };
}

RowForms ProductManifold::row_forms() const {
  RowForms forms = {std::make_shared<RowForm>("coordinates", ambient_dim())};
  RowForms shortest;
  std::vector<Index> ambient;
  Index width = 0;
  for (const auto& factor : factors_) {
    const auto options = wgp::row_forms(*factor);
    shortest.push_back(*std::min_element(options.begin(), options.end(),
                                         [](const auto& a, const auto& b) { return a->width() < b->width(); }));
    ambient.push_back(factor->ambient_dim());
    width += shortest.back()->width();
  }
  if (width < ambient_dim_) forms.push_back(std::make_shared<CompactForm>(shortest, ambient, width));
  return forms;
}

std::vector<std::string> ProductManifold::ambient_names() const {
  if (factors_.size() == 1) return wgp::ambient_names(*factors_[0]);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < factors_.size(); ++j)
    for (const std::string& name : wgp::ambient_names(*factors_[j])) names.push_back(fmt::format("{}_{}", name, j + 1));
  return names;
}

ManifoldPtr product_manifold(std::vector<ManifoldPtr> factors, std::vector<double> weights) {
  return std::make_shared<ProductManifold>(std::move(factors), std::move(weights));
}

}  // namespace wgp
