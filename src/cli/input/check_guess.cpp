// What a table's rows could be: each manifold that has rows of this width is asked how many of them are its points.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/output/check_report.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

constexpr double loose = 1e-6;  // files are often rounded to a few digits

Index exact_root(Index k) {
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(k))));
  return n * n == k ? n : 0;
}

// Rows that are points, up to a tolerance that forgives files rounded to a few digits.
Index count_fits(const Manifold& manifold, ConstMatrixRef rows) {
  Index fits = 0;
  for (const auto& form : row_forms(manifold)) {
    if (form->width() != rows.rows()) continue;
    for (Index i = 0; i < rows.cols(); ++i) {
      try {
        fits += !manifold.defect(form->to_point(rows.col(i)), std::max(loose, manifold.default_tolerance()));
      } catch (const Error&) {
        continue;  // the form itself refuses the row
      }
    }
    break;
  }
  return fits;
}

// In order of how much it says about the rows that they fit.
std::vector<Candidate> candidates_of_width(Index k) {
  std::vector<Candidate> list;
  const auto add = [&](const std::string& spec, const std::string& reason) { list.push_back({spec, reason, 0}); };
  const Index n = exact_root(k);
  const Index triangle = (exact_root(8 * k + 1) - 1) / 2;
  if (n >= 2) {
    add(fmt::format("so:{}", n), "rotation matrices");
    add(fmt::format("correlation:{}", n), "symmetric, positive definite, diagonal 1");
    add(fmt::format("spd:{}", n), "symmetric and positive definite");
  }
  if (k == 12 || k == 7 || k == 16) add("se:3", "rotation and translation");
  if (k == 4) add("so:3", "unit quaternions w x y z");
  for (Index p = 2; p * p < k; ++p)
    if (k % p == 0 && p < k / p) add(fmt::format("stiefel:{}x{}", k / p, p), "matrices with orthonormal columns");
  if (k >= 2) add(fmt::format("sphere:{}", k - 1), "rows of norm 1");
  if (k >= 2) add(fmt::format("hyperbolic:{}", k - 1), "on the hyperboloid");
  if (triangle >= 2 && triangle * (triangle + 1) / 2 == k)
    add(fmt::format("spd:{}", triangle), "lower triangles of positive definite matrices");
  if (k >= 6 && k % 2 == 0) add(fmt::format("kendall:{}", k / 2), "if the columns are landmarks x1 y1 x2 y2 ...");
  if (k >= 12 && k % 3 == 0) add(fmt::format("kendall3d:{}", k / 3), "if the columns are landmarks x1 y1 z1 x2 ...");
  return list;
}

}  // namespace

std::vector<Candidate> guess_manifolds(ConstMatrixRef rows) {
  const Index k = rows.rows(), N = rows.cols();
  std::vector<Candidate> certain, likely;
  for (Candidate candidate : candidates_of_width(k)) {
    try {
      candidate.fits = count_fits(*parse_manifold(candidate.spec), rows);
    } catch (const Error&) {
      continue;  // a size that this manifold does not come in
    }
    if (candidate.fits == N) certain.push_back(candidate);
    if (candidate.fits < N && 2 * candidate.fits > N) likely.push_back(candidate);
  }
  const double largest = rows.cwiseAbs().maxCoeff();
  if (largest <= 2 * std::numbers::pi * (1 + 1e-6) && largest > 1.5)
    certain.push_back({fmt::format("torus:{}", k), "if the columns are angles in radians", N});
  certain.push_back({fmt::format("euclidean:{}", k), "plain vectors", N});
  std::stable_sort(likely.begin(), likely.end(),
                   [](const Candidate& a, const Candidate& b) { return a.fits > b.fits; });
  certain.insert(certain.end(), likely.begin(), likely.end());
  return certain;
}

}  // namespace wgp::cli
