// What a table's rows could be: each manifold that has rows of this width is asked how many of them are its points.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "cli/input/shrink_flags.h"
#include "cli/output/check_report.h"
#include "geometry/spd_common.h"
#include "statistics/covariance_rank.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

constexpr double loose = 1e-6;  // files are often rounded to a few digits

Index exact_root(Index k) {
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(k))));
  return n * n == k ? n : 0;
}

// Rows that are points, up to a tolerance that forgives files rounded to a few digits. Covariance matrices count where
// they are singular, too: they are nothing else, and can be made definite.
struct Fits {
  Index all = 0, singular = 0, lowest_rank = 0;
};
Fits count_fits(const Manifold& manifold, ConstMatrixRef rows) {
  Fits fits;
  const Index size = covariance_size(manifold);
  const Index n = size * size == rows.rows() ? size : 0;  // of a triangle no symmetry speaks for a covariance
  for (const auto& form : row_forms(manifold)) {
    if (form->width() != rows.rows()) continue;
    for (Index i = 0; i < rows.cols(); ++i) {
      try {
        const Vector x = form->to_point(rows.col(i));
        const Index rank = n > 0 ? covariance_rank(as_matrix(x, n)) : 0;
        const bool singular = rank > 0 && rank < n;
        fits.all += singular || !manifold.defect(x, std::max(loose, manifold.default_tolerance()));
        if (singular) fits.lowest_rank = fits.singular++ == 0 ? rank : std::min(rank, fits.lowest_rank);
      } catch (const Error&) {
        continue;  // the form itself refuses the row
      }
    }
    break;
  }
  return fits;
}

// The six or so numbers of symmetric matrices in an order of other programs, as the lower triangle row by row.
struct TriangleOrder {
  std::string about;
  std::vector<Index> columns;
};
std::vector<TriangleOrder> other_triangle_orders(Index n) {
  std::vector<TriangleOrder> orders(1);
  orders[0].about =
      n == 3 ? "upper triangles of tensors, xx xy xz yy yz zz (FSL)" : "upper triangles of positive definite matrices";
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) orders[0].columns.push_back(j * n - j * (j - 1) / 2 + i - j);
  if (n == 3) orders.push_back({"tensors xx yy zz xy xz yz (MRtrix)", {0, 3, 1, 4, 5, 2}});
  return orders;
}

// In order of how much it says about the rows that they fit.
std::vector<Candidate> candidates_of_width(Index k) {
  std::vector<Candidate> list;
  const auto add = [&](const std::string& spec, const std::string& reason) { list.push_back({spec, reason, 0, ""}); };
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
  if (k > 9 && k % 9 == 0) {
    add(fmt::format("so:3^{}", k / 9), fmt::format("{} rotation matrices side by side", k / 9));
    add(fmt::format("spd:3^{}", k / 9), fmt::format("{} positive definite matrices side by side", k / 9));
  }
  if (k > 12 && k % 12 == 0) add(fmt::format("se:3^{}", k / 12), fmt::format("{} poses side by side", k / 12));
  for (const Index m : {3, 4})
    if (k > m && k % m == 0)
      add(fmt::format("sphere:{}^{}", m - 1, k / m), fmt::format("{} vectors of norm 1 side by side", k / m));
  return list;
}

// What fits any numbers of this width.
std::vector<Candidate> conditional_candidates(ConstMatrixRef rows) {
  const Index k = rows.rows(), N = rows.cols();
  std::vector<Candidate> list;
  if (k >= 6 && k % 2 == 0)
    list.push_back({fmt::format("kendall:{}", k / 2), "if the columns are landmarks x1 y1 x2 y2 ...", N, ""});
  if (k >= 12 && k % 3 == 0)
    list.push_back({fmt::format("kendall3d:{}", k / 3), "if the columns are landmarks x1 y1 z1 x2 ...", N, ""});
  const double largest = rows.cwiseAbs().maxCoeff();
  if (largest <= 2 * std::numbers::pi * (1 + 1e-6) && largest > 1.5)
    list.push_back({fmt::format("torus:{}", k), "if the columns are angles in radians", N, ""});
  return list;
}

// Tensors in the order of another program are tensors, and no landmarks.
std::optional<Candidate> reordered_triangles(ConstMatrixRef rows) {
  const Index k = rows.rows(), n = (exact_root(8 * k + 1) - 1) / 2;
  if (n < 3 || n * (n + 1) / 2 != k) return std::nullopt;
  const ManifoldPtr spd = parse_manifold(fmt::format("spd:{}", n));
  for (const TriangleOrder& order : other_triangle_orders(n)) {
    const Fits fits = count_fits(*spd, rows(order.columns, Eigen::all));
    if (fits.all < rows.cols() || fits.singular > 0) continue;
    std::vector<Index> numbers = order.columns;
    for (Index& number : numbers) ++number;
    return Candidate{spd->spec(), order.about, fits.all, fmt::format("{}", fmt::join(numbers, ","))};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Candidate> guess_manifolds(ConstMatrixRef rows, Evidence evidence) {
  const Index k = rows.rows(), N = rows.cols();
  std::vector<Candidate> certain, likely;
  const auto is_certain = [&](const std::string& spec) {
    return std::any_of(certain.begin(), certain.end(), [&](const Candidate& one) { return one.spec == spec; });
  };
  for (Candidate candidate : candidates_of_width(k)) {
    // The rows of rotation matrices have norm 1, and say less.
    if (k % 9 == 0 && candidate.spec == fmt::format("sphere:2^{}", k / 3) &&
        (is_certain(fmt::format("so:3^{}", k / 9)) || is_certain("so:3")))
      continue;
    try {
      const Fits fits = count_fits(*parse_manifold(candidate.spec), rows);
      candidate.fits = fits.all;
      if (fits.singular > 0)
        candidate.reason = fmt::format("covariance matrices, {} of them singular (of rank {} and more)", fits.singular,
                                       fits.lowest_rank);
    } catch (const Error&) {
      continue;  // a size that this manifold does not come in
    }
    if (candidate.fits == N) certain.push_back(candidate);
    if (candidate.fits < N && 2 * candidate.fits > N) likely.push_back(candidate);
  }
  if (certain.empty())
    if (const auto tensors = reordered_triangles(rows)) certain.push_back(*tensors);
  if (certain.empty() && likely.empty() && evidence == Evidence::any_numbers) certain = conditional_candidates(rows);
  certain.push_back({fmt::format("euclidean:{}", k), "plain vectors", N, ""});
  std::stable_sort(likely.begin(), likely.end(),
                   [](const Candidate& a, const Candidate& b) { return a.fits > b.fits; });
  certain.insert(certain.end(), likely.begin(), likely.end());
  return certain;
}

}  // namespace wgp::cli
