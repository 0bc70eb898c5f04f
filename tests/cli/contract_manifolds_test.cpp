// Every spec and every form of rows that is promised.
#include <complex>

#include "contract.h"

namespace wgp::test {
namespace {

class Specs : public Contract {};

// One point of each, and the distance to a second one.
struct Promise {
  std::string spec;
  std::vector<double> p, q;
  double distance;
};

TEST_F(Specs, AreAllThere) {
  const double pi = std::numbers::pi, r = std::sqrt(0.5), e = std::exp(1.0);
  const std::vector<Promise> promises = {
      {"euclidean:3", {0, 0, 0}, {2, 1, 2}, 3},
      {"sphere:2", {1, 0, 0}, {0, 1, 0}, pi / 2},
      {"hyperbolic:2", {1, 0, 0}, {std::cosh(1.5), std::sinh(1.5), 0}, 1.5},
      {"torus:2", {0.1, 3}, {0.1, -3}, 2 * pi - 6},
      {"spd:3", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {e, 0, 0, 0, e, 0, 0, 0, 1}, std::sqrt(2)},
      {"spd:3/affine-invariant", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {e, 0, 0, 0, e, 0, 0, 0, 1}, std::sqrt(2)},
      {"spd:3/log-cholesky", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {e * e, 0, 0, 0, 1, 0, 0, 0, 1}, 1},
      {"spd:3/bures-wasserstein", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {9, 0, 0, 0, 1, 0, 0, 0, 1}, 2},
      {"kendall:3", {0, 0, 1, 0, 0, 1}, {5, 5, 7, 5, 5, 7}, 0},
      {"kendall3d:4", {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {3, 3, 3, 5, 3, 3, 3, 5, 3, 3, 3, 5}, 0},
      {"so:3", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, -1, 0, 1, 0, 0, 0, 0, 1}, pi / 2},
      {"se:3", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 1, 2}, 3},
      {"grassmann:3x1", {1, 0, 0}, {r, r, 0}, pi / 4},
      {"stiefel:3x1", {1, 0, 0}, {0, 1, 0}, pi / 2},
      {"correlation:2", {1, 0, 0, 1}, {1, 0.5, 0.5, 1}, std::sqrt(2) * std::atanh(0.5)},
      {"correlation:2/log-cholesky", {1, 0, 0, 1}, {1, 0.5, 0.5, 1}, std::tan(std::asin(0.5))},
      {"sphere:2,euclidean:1", {1, 0, 0, 5}, {1, 0, 0, 7}, 2},
      {"sphere:1^2", {1, 0, 1, 0}, {0, 1, 0, 1}, pi / 2 * std::sqrt(2)},
      {"2.5*euclidean:1", {0}, {2}, 5},
  };
  for (const Promise& promise : promises) {
    write("p.csv", csv({promise.p}));
    write("q.csv", csv({promise.q}));
    const Outcome outcome = wgp("geom dist --manifold '" + promise.spec + "' --base p.csv q.csv");
    ASSERT_EQ(outcome.exit_code, 0) << promise.spec << '\n' << outcome.err;
    EXPECT_NEAR(numbers(outcome.out).at(0).at(0), promise.distance, 1e-7) << promise.spec;
    const auto echoed = object_of("geom dist --manifold '" + promise.spec + "' --base p.csv q.csv --json");
    EXPECT_EQ(echoed["manifold"], promise.spec);
  }
}

TEST_F(Specs, NearestRightOneIsOffered) {
  write("p.csv", "1,0,0\n");
  for (const auto& [wrong, right] : {std::pair{"shpere:2", "sphere"},
                                     {"spd:3/affine", "spd:3/affine-invariant"},
                                     {"kendal:3", "kendall"},
                                     {"grasmann:5x2", "grassmann"}})
    EXPECT_TRUE(fails(wgp(std::string("mean p.csv --manifold ") + wrong), 2, {right})) << wrong;
}

TEST_F(Specs, OutputHasTheFormOfTheInput) {
  const double r = std::sqrt(0.5);
  const auto same = [&](const std::string& spec, const std::vector<double>& row) {
    write("p.csv", csv({row, row}));
    const auto mean = numbers(wgp("mean p.csv --manifold " + spec).out);
    ASSERT_EQ(mean.size(), 1u) << spec;
    ASSERT_EQ(mean[0].size(), row.size()) << spec;
    for (std::size_t j = 0; j < row.size(); ++j) EXPECT_NEAR(mean[0][j], row[j], 1e-12) << spec;
  };
  same("sphere:3", {0.5, 0.5, 0.5, 0.5});
  same("spd:2", {2, 1, 1, 3});
  same("spd:2", {2, 1, 3});  // the lower triangle, row by row
  same("so:3", {0, -1, 0, 1, 0, 0, 0, 0, 1});
  same("so:3", {r, 0, 0, r});  // w x y z
  same("torus:2", {3, -3});
  // Raw landmarks: place, size and turn are removed.
  write("p.csv", "0,0,1,0,0,1\n10,10,10,12,8,10\n");
  EXPECT_NEAR(object_of("mean p.csv --manifold kendall:3 --json")["variance"].get<double>(), 0, 1e-12);
}

TEST_F(Specs, ShapesComeOutAlignedToTheMean) {
  Rows rows;
  for (int i = 0; i < 12; ++i) {
    const double t = 0.7 * i;
    const double x[3] = {0, 1 + 0.02 * i, 0.2}, y[3] = {0, 0, 1 - 0.02 * i};
    rows.emplace_back();
    for (int k = 0; k < 3; ++k) {
      rows.back().push_back(std::cos(t) * x[k] - std::sin(t) * y[k]);
      rows.back().push_back(std::sin(t) * x[k] + std::cos(t) * y[k]);
    }
  }
  write("s.csv", csv(rows));
  expect_done("fit s.csv --manifold kendall:3 --latent 1 --effort quick -o s.wgp");
  write("at.csv", "-0.3\n0\n0.3\n");
  const auto shapes = numbers(wgp("decode s.wgp at.csv").out);
  const auto base = numbers(wgp("convert s.wgp --array base --quiet").out);
  ASSERT_EQ(shapes.size(), 3u);
  ASSERT_EQ(base.size(), 6u);
  // As complex numbers: no turn brings a shape z nearer to the mean m if <m, z> is positive.
  for (const auto& shape : shapes) {
    std::complex<double> product = 0;
    for (std::size_t k = 0; k < 6; k += 2)
      product += std::conj(std::complex(base[k][0], base[k + 1][0])) * std::complex(shape[k], shape[k + 1]);
    EXPECT_GT(product.real(), 0.5);
    EXPECT_NEAR(product.imag(), 0, 1e-12);
  }
}

}  // namespace
}  // namespace wgp::test
