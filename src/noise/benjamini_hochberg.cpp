#include "noise/benjamini_hochberg.h"

#include <algorithm>
#include <cmath>

namespace wgp {

std::vector<Index> benjamini_hochberg(ConstVectorRef p_values, double rate) {
  std::vector<double> sorted;
  for (const double p : p_values)
    if (!std::isnan(p)) sorted.push_back(p);
  std::sort(sorted.begin(), sorted.end());
  double largest = -1;
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] <= rate * static_cast<double>(k + 1) / static_cast<double>(sorted.size())) largest = sorted[k];
  std::vector<Index> named;
  for (Index i = 0; i < p_values.size(); ++i)
    if (p_values[i] <= largest) named.push_back(i);
  return named;
}

}  // namespace wgp
