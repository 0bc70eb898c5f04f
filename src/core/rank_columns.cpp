#include "core/rank_columns.h"

#include <algorithm>

namespace wgp {
namespace {

struct Gathered {
  std::vector<Index> places;
  Matrix columns;
  void each_part(auto&& visitor) { visitor(places, columns); }
};

}  // namespace

Matrix RankColumns::gathered(const std::vector<Index>& members) const {
  if (!ranks_) return columns_.gathered(members);
  Matrix all(rows(), static_cast<Index>(members.size()));
  for (std::size_t first = 0; first < members.size(); first += at_once)
    gather_some(members, first, std::min(members.size(), first + at_once), all);
  return all;
}

void RankColumns::gather_some(const std::vector<Index>& members, std::size_t first, std::size_t last,
                              MatrixRef all) const {
  for (const Gathered& part : ranks_->gather_values<Gathered>([&] {
         Gathered own;
         std::vector<Index> here;
         for (std::size_t k = first; k < last; ++k)
           if (members[k] >= own_.first && members[k] < own_.last) {
             own.places.push_back(static_cast<Index>(k));
             here.push_back(members[k]);
           }
         own.columns = columns_.gathered(here);
         return own;
       }))
    for (std::size_t i = 0; i < part.places.size(); ++i)
      all.col(part.places[i]) = part.columns.col(static_cast<Index>(i));
}

}  // namespace wgp
