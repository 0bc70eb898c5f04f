// The row form of a product in which every factor stands in its shortest form, one after the other.
#pragma once

#include <numeric>

#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {

class CompactForm final : public RowForm {
 public:
  CompactForm(RowForms parts, std::vector<Index> ambient, Index width)
      : RowForm("compact", width), parts_(std::move(parts)), ambient_(std::move(ambient)) {}

  Vector to_point(ConstVectorRef row) const override {
    return expand([&](const RowForm& form, Index at) { return form.to_point(row.segment(at, form.width())); });
  }
  Vector to_tangent(ConstVectorRef base_row, ConstVectorRef row) const override {
    return expand([&](const RowForm& form, Index at) {
      return form.to_tangent(base_row.segment(at, form.width()), row.segment(at, form.width()));
    });
  }
  Vector from_point(ConstVectorRef point) const override {
    return contract(
        [&](const RowForm& form, Index, Index at, Index size) { return form.from_point(point.segment(at, size)); });
  }
  Vector from_tangent(ConstVectorRef base_row, ConstVectorRef ambient) const override {
    return contract([&](const RowForm& form, Index row_at, Index at, Index size) {
      return form.from_tangent(base_row.segment(row_at, form.width()), ambient.segment(at, size));
    });
  }

 private:
  template <class F>
  Vector expand(F convert) const {
    Vector point(std::accumulate(ambient_.begin(), ambient_.end(), Index{0}));
    Index row_at = 0, at = 0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
      point.segment(at, ambient_[j]) = convert(*parts_[j], row_at);
      row_at += parts_[j]->width();
      at += ambient_[j];
    }
    return point;
  }
  template <class F>
  Vector contract(F convert) const {
    Vector row(width());
    Index row_at = 0, at = 0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
      row.segment(row_at, parts_[j]->width()) = convert(*parts_[j], row_at, at, ambient_[j]);
      row_at += parts_[j]->width();
      at += ambient_[j];
    }
    return row;
  }

  RowForms parts_;
  std::vector<Index> ambient_;
};

}  // namespace wgp
