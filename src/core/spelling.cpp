#include "core/spelling.h"

#include <algorithm>

namespace wgp {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_score = std::max<std::size_t>(1, (3 * word.size()) / 5) + 1;
  for (const std::string& candidate : candidates) {
    // A prefix or a middle part counts as one edit: "affine" means "affine-invariant", "bures" "bures-wasserstein".
    const bool part = word.size() >= 2 && candidate.find(word) != std::string::npos;
    const std::size_t score = part && candidate != word ? 1 : edit_distance(word, candidate);
    if (score < best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

}  // namespace wgp
