#include "model/windings.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "golden.h"

namespace wgp {
namespace {

using test::column;
using test::columns;
using test::golden;

TEST(Windings, MeanFieldGolden) {
  const auto& group = golden("windings.circle4");
  const auto &in = group["inputs"], &out = group["outputs"];
  const Matrix x = columns(in["x"], 1);
  const Vector y = column(in["y"]);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(1));
  const Vector theta = Eigen::Vector2d(std::log(in["sigma2"].get<double>()), std::log(in["l"].get<double>()));
  const Matrix K = kernel->cov(theta, x, x) + in["noise2"].get<double>() * Matrix::Identity(4, 4);
  std::vector<PreimageSet> sets;
  const int k_max = in["kmax"];
  for (Index i = 0; i < 4; ++i) {
    PreimageSet set{Matrix(1, 2 * k_max + 1), Vector::Zero(2 * k_max + 1)};
    set.coords(0, 0) = y[i];
    for (int k = 1; k <= k_max; ++k) {
      set.coords(0, 2 * k - 1) = y[i] - 2 * std::acos(-1.0) * k;
      set.coords(0, 2 * k) = y[i] + 2 * std::acos(-1.0) * k;
    }
    sets.push_back(set);
  }
  const MeanFieldWindings found = mean_field_windings(K.inverse(), std::log(K.determinant()), sets);
  EXPECT_NEAR(found.bound, out["cavi_elbo"].get<double>(), 1e-8);
  EXPECT_LE(found.bound, out["exact_loglik"].get<double>());
  const auto& expected = out["cavi_resp_k_m2_to_2"];
  for (Index i = 0; i < 4; ++i) {
    const Vector& r = found.responsibilities[static_cast<std::size_t>(i)];
    const Vector in_order = (Vector(5) << r[3], r[1], r[0], r[2], r[4]).finished();
    EXPECT_NEAR((in_order - column(expected[static_cast<std::size_t>(i)])).norm(), 0, 1e-5) << i;
  }
}

}  // namespace
}  // namespace wgp
