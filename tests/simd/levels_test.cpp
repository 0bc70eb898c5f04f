// Every level of instructions that this processor has, against plain arithmetic of higher precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/constants.h"
#include "linalg/products.h"
#include "linalg/rotation3.h"
#include "simd/function_kernels.h"
#include "simd/kernels.h"
#include "wgp/manifold.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using Wide = long double;

class Levels : public testing::TestWithParam<SimdLevel> {
 protected:
  const SimdKernels& kernels = simd(GetParam());
};

double error_in_ulps(double actual, Wide expected) {
  const double spacing = std::abs(std::nextafter(static_cast<double>(expected), 1e300) - static_cast<double>(expected));
  return static_cast<double>(std::abs(static_cast<Wide>(actual) - expected)) / spacing;
}

// On the circle exp is the sine and the cosine of the coordinate, and distance is an arc tangent.
TEST_P(Levels, SinesCosinesAndAnglesAreRightToTheLastPlaces) {
  Random random(5);
  const double p[2] = {1, 0}, w[2] = {std::sqrt(2.0), 0};  // H = diag(-1, 1)
  const SphereBase base{p, w, 2};
  constexpr Index count = 4096;
  Matrix v(1, count), points(2, count);
  for (Index i = 0; i < count; ++i) v(0, i) = random.normal() * std::pow(10, 9 * random.uniform() - 7);
  for (Index i = 0; i < 64; ++i) v(0, i) = static_cast<double>(i) * 0.785398163397448309;  // where the quadrant changes
  kernels.sphere.exp(base, columns(ConstMatrixRef(v)), columns(MatrixRef(points)));
  for (Index i = 0; i < count; ++i) {
    const Wide t = v(0, i);
    EXPECT_NEAR(points(0, i), static_cast<double>(std::cos(t)), 4e-16) << v(0, i);
    EXPECT_NEAR(points(1, i), static_cast<double>(std::sin(t)), 4e-16) << v(0, i);
  }
  Vector angles(count);
  kernels.sphere.distance(base, columns(ConstMatrixRef(points)), angles.data());
  for (Index i = 0; i < count; ++i) {
    const Wide x = points(0, i), y = points(1, i);
    // |p - q| and |p + q| of a point that is on the circle up to rounding.
    const Wide expected = 2 * std::atan2(std::hypot(x - 1, y), std::hypot(x + 1, y));
    EXPECT_LE(error_in_ulps(angles[i], expected), 4) << v(0, i);
  }
}

TEST_P(Levels, ExponentialsAndLogarithmsAreRightToTheLastPlaces) {
  const FunctionKernels& functions = simd_functions(GetParam());
  Random random(7);
  for (const Index count : {1, 7, 8, 513, 2000}) {
    Vector exponents(count), numbers(count), small(count);
    for (Index i = 0; i < count; ++i) {
      exponents[i] = 100 * random.normal();
      numbers[i] = std::pow(10, 300 * (2 * random.uniform() - 1));
      small[i] = std::pow(10, 40 * random.uniform() - 25);
    }
    Vector exps = exponents, logs = numbers, logs1p = small;
    functions.exp(exps.data(), count);
    functions.log(logs.data(), count);
    functions.log1p(logs1p.data(), count);
    for (Index i = 0; i < count; ++i) {
      EXPECT_LE(error_in_ulps(exps[i], std::exp(static_cast<Wide>(exponents[i]))), 2) << exponents[i];
      EXPECT_LE(error_in_ulps(logs[i], std::log(static_cast<Wide>(numbers[i]))), 2) << numbers[i];
      EXPECT_LE(error_in_ulps(logs1p[i], std::log1p(static_cast<Wide>(small[i]))), 3) << small[i];
    }
  }
  Vector ends(3);
  ends << -infinity, infinity, std::numeric_limits<double>::quiet_NaN();
  Vector exps = ends;
  functions.exp(exps.data(), 3);
  EXPECT_LT(exps[0], 1e-300);
  EXPECT_EQ(exps[1], infinity);
  EXPECT_TRUE(std::isnan(exps[2]));
  Vector logs(3);
  logs << 0, infinity, std::numeric_limits<double>::quiet_NaN();
  functions.log(logs.data(), 3);
  EXPECT_EQ(logs[0], -infinity);
  EXPECT_EQ(logs[1], infinity);
  EXPECT_TRUE(std::isnan(logs[2]));
  Vector logs1p(3);
  logs1p << 0, infinity, std::numeric_limits<double>::quiet_NaN();
  functions.log1p(logs1p.data(), 3);
  EXPECT_EQ(logs1p[0], 0);
  EXPECT_EQ(logs1p[1], infinity);
  EXPECT_TRUE(std::isnan(logs1p[2]));
}

// The base is used as a direction: any length of p must not matter to the loops over whole groups and their rests.
TEST_P(Levels, GroupsAndTheirRestsAgree) {
  Random random(6);
  for (const Index dim : {2, 3, 4}) {
    const Vector p = Vector::Unit(dim, 0), w = std::sqrt(2.0) * Vector::Unit(dim, 0);
    const SphereBase base{p.data(), w.data(), dim};
    const Matrix v = 0.7 * random.normals(dim - 1, 19);
    Matrix all(dim, 19);
    kernels.sphere.exp(base, columns(ConstMatrixRef(v)), columns(MatrixRef(all)));
    for (Index i = 0; i < v.cols(); ++i) {
      Matrix one(dim, 1);
      const Matrix alone = v.col(i);
      kernels.sphere.exp(base, columns(ConstMatrixRef(alone)), columns(MatrixRef(one)));
      EXPECT_EQ(Vector(all.col(i)), Vector(one.col(0)));
    }
  }
}

// By R, and by R turned by an angle about an axis: near none, about a right angle, near a half turn.
TEST_P(Levels, RotationsHaveTheAnglesTheyWereMadeWith) {
  Random random(11);
  const Eigen::Matrix3d R = rodrigues(Eigen::Vector3d(0.3, -1.2, 0.4));
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows_of_R = R;
  const std::vector<double> angles = {0, 1e-12, 1e-7, 0.01, 1, 1.57, 2, 2.5, 3.1, pi - 1e-7};
  for (const Index count : {1, 3, 8, 19}) {
    Matrix points(9, count), expected(3, count), coords(3, count);
    for (Index i = 0; i < count; ++i) {
      expected.col(i) = angles[static_cast<std::size_t>(i) % angles.size()] * random.normals(3).normalized();
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(points.col(i).data()) = R * rodrigues(expected.col(i));
    }
    Vector cosines(count), margins(count), distances(count);
    kernels.rotations.log(rows_of_R.data(), columns(ConstMatrixRef(points)), columns(MatrixRef(coords)), cosines.data(),
                          margins.data());
    kernels.rotations.distance(rows_of_R.data(), columns(ConstMatrixRef(points)), distances.data());
    for (Index i = 0; i < count; ++i) {
      const double angle = expected.col(i).norm();
      EXPECT_LT((coords.col(i) - expected.col(i)).norm(), 4e-15) << angle;
      EXPECT_NEAR(distances[i], angle, 4e-15);
      EXPECT_NEAR(margins[i], pi - angle, 4e-15);
      EXPECT_NEAR(cosines[i], std::cos(angle / 2), 1e-15);
    }
  }
}

TEST_P(Levels, CovariancesAreRightToTheLastPlaces) {
  Random random(7);
  for (const Index n : {1, 3, 8, 21}) {
    const Matrix A = random.normals(n, 3), B = random.normals(2, 3);  // one point per row
    const ScaledPoints a{A.data(), n, 3}, b{B.data(), 2, 3};
    for (const StationaryShape shape : {StationaryShape::rbf, StationaryShape::matern32, StationaryShape::matern52}) {
      Vector k(n);
      kernels.stationary.covariances(shape, a, 0, b, 1, 1.7, n, k.data());
      for (Index i = 0; i < n; ++i) {
        Wide s = 0;
        for (Index f = 0; f < 3; ++f) s += std::pow(static_cast<Wide>(A(i, f)) - static_cast<Wide>(B(1, f)), 2);
        const Wide r = std::sqrt((shape == StationaryShape::matern32 ? 3 : 5) * s);
        const Wide expected = shape == StationaryShape::rbf        ? std::exp(-s / 2)
                              : shape == StationaryShape::matern32 ? (1 + r) * std::exp(-r)
                                                                   : (1 + r + r * r / 3) * std::exp(-r);
        // The exponent's rounding grows with its size.
        EXPECT_NEAR(k[i] / static_cast<double>(1.7L * expected), 1, 1e-15 * (2 + static_cast<double>(s)));
      }
    }
  }
}

TEST_P(Levels, PointsBelongToNodesByTheirWeights) {
  Random random(9);
  for (const Index d : {1, 2, 6, 13}) {
    const Index nodes = 61, padded = 72;
    Matrix slopes = Matrix::Zero(padded, d);
    slopes.topRows(nodes) = 8 * random.normals(nodes, d);
    Vector bias = Vector::Constant(padded, -std::numeric_limits<double>::infinity());
    bias.head(nodes) = random.normals(nodes);
    const Matrix V = random.normals(d, 4);
    const WeightedNodes at{slopes.data(), bias.data(), d, padded};
    Matrix shares(padded, 4), sums = Matrix::Zero(padded, 1 + d), expected = sums;
    std::vector<int> held(static_cast<std::size_t>(4 * padded / 2));
    NodeShares of[4];
    const double* v[4];
    NodeShares* pointers[4];
    for (Index p = 0; p < 4; ++p) {
      of[p] = {shares.col(p).data(), held.data() + p * padded / 2, 0, 0, 0};
      v[p] = V.col(p).data();
      pointers[p] = &of[p];
    }
    kernels.nodes.share(at, v, pointers);
    for (Index p = 0; p < 4; ++p) {
      std::vector<Wide> t;
      for (Index g = 0; g < nodes; ++g) {
        t.push_back(bias[g]);
        for (Index k = 0; k < d; ++k) t.back() += static_cast<Wide>(slopes(g, k)) * static_cast<Wide>(V(k, p));
      }
      const Wide most = *std::max_element(t.begin(), t.end());
      Wide sum = 0;
      for (const Wide one : t) sum += std::exp2(one - most);
      EXPECT_NEAR(of[p].most, static_cast<double>(most), 1e-13);
      EXPECT_NEAR(of[p].sum / static_cast<double>(sum), 1, 1e-13);
      kernels.nodes.add(at, of[p], v[p], 0.3 + static_cast<double>(p), sums.data());
      for (Index g = 0; g < nodes; ++g) {
        const auto share = static_cast<double>(std::exp2(t[static_cast<std::size_t>(g)] - most));
        expected(g, 0) += (0.3 + static_cast<double>(p)) * share;
        for (Index k = 0; k < d; ++k) expected(g, 1 + k) += (0.3 + static_cast<double>(p)) * share * V(k, p);
      }
    }
    EXPECT_LE((sums - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff());
    EXPECT_GT(sums.col(0).sum(), 1);
  }
}

// A node without a number is seen, wherever the others are.
TEST_P(Levels, NodesThatAreNotNumbersAreNotLeftOut) {
  const Index padded = 48;
  Matrix slopes = Matrix::Zero(padded, 1);
  Vector bias = Vector::Constant(padded, -1000);
  bias[3] = 5;
  bias[40] = std::nan("");
  Matrix shares(padded, 4);
  std::vector<int> held(static_cast<std::size_t>(4 * padded / 2));
  NodeShares of[4];
  const double one = 1;
  const double* const v[4] = {&one, &one, &one, &one};
  NodeShares* pointers[4];
  for (Index p = 0; p < 4; ++p) pointers[p] = &(of[p] = {shares.col(p).data(), held.data() + p * padded / 2, 0, 0, 0});
  kernels.nodes.share({slopes.data(), bias.data(), 1, padded}, v, pointers);
  EXPECT_TRUE(std::isnan(of[0].sum));
}

TEST_P(Levels, SlopesOfCovariancesAreTheirDifferences) {
  Random random(8);
  for (const Index features : {1, 3, 11}) {
    const Index n = 13;
    const Matrix A = random.normals(n, features), B = random.normals(1, features);
    const Vector g = random.normals(n);
    const ScaledPoints b{B.data(), 1, features};
    for (const StationaryShape shape : {StationaryShape::rbf, StationaryShape::matern32, StationaryShape::matern52}) {
      const auto total = [&](const Matrix& at) {
        Vector k(n);
        kernels.stationary.covariances(shape, {at.data(), n, features}, 0, b, 0, 1.3, n, k.data());
        return g.dot(k);
      };
      Vector k(n), sums = Vector::Zero(2 * features);
      Matrix by_feature = Matrix::Zero(n, features);
      const ScaledPoints a{A.data(), n, features};
      kernels.stationary.covariances(shape, a, 0, b, 0, 1.3, n, k.data());
      const double with_k = kernels.stationary.pull_back(shape, a, 0, b, 0, 1.3, n, k.data(), g.data(),
                                                         by_feature.data(), n, sums.data());
      EXPECT_NEAR(with_k, g.dot(k), 1e-13);
      for (Index f = 0; f < features; ++f) {
        EXPECT_NEAR(sums[f], by_feature.col(f).sum(), 1e-12);
        EXPECT_NEAR(sums[features + f], by_feature.col(f).dot(Vector(A.col(f).array() - B(0, f))), 1e-12);
        for (Index i = 0; i < n; ++i) {
          Matrix above = A, below = A;
          above(i, f) += 1e-6;
          below(i, f) -= 1e-6;
          EXPECT_NEAR(by_feature(i, f), (total(above) - total(below)) / 2e-6, 1e-8);
        }
      }
    }
  }
}

TEST_P(Levels, ProductsAndSolutions) {
  Random random(9);
  for (const Index n : {1, 7, 64, 131}) {
    const Matrix A = random.normals(n, n + 2), B = random.normals(n + 2, 5);
    const auto dense = [&](const Matrix& M) { return columns(ConstMatrixRef(M)); };
    Matrix C = Matrix::Ones(n, 5);
    kernels.products.add_product(columns(MatrixRef(C)), 2, dense(A), Turned::no, dense(B), Turned::no);
    EXPECT_LT((C - Matrix::Ones(n, 5) - 2 * A.lazyProduct(B)).norm(), 1e-11);
    Matrix D = Matrix::Zero(n + 2, n + 2);
    kernels.products.add_product(columns(MatrixRef(D)), 1, dense(A), Turned::yes, dense(A), Turned::no);
    EXPECT_LT((D - A.transpose().lazyProduct(A)).norm(), 1e-10);
    Matrix S = Matrix::Identity(n, n);
    kernels.products.add_gram(columns(MatrixRef(S)), 1, dense(A));
    const Matrix full = S.selfadjointView<Eigen::Lower>();
    EXPECT_LT((full - Matrix::Identity(n, n) - A.lazyProduct(A.transpose())).norm(), 1e-10);
    ASSERT_TRUE(kernels.products.factor(columns(MatrixRef(S))));
    const Matrix L = S.triangularView<Eigen::Lower>();
    EXPECT_LT((L.lazyProduct(L.transpose()) - full).norm(), 1e-10 * full.norm());
    Matrix X = random.normals(n, 3);
    const Matrix right = X;
    kernels.products.solve_lower(dense(S), Turned::no, columns(MatrixRef(X)));
    kernels.products.solve_lower(dense(S), Turned::yes, columns(MatrixRef(X)));
    EXPECT_LT((full.lazyProduct(X) - right).norm(), 1e-8);
    Matrix Y = right.transpose();
    kernels.products.solve_right(dense(S), columns(MatrixRef(Y)));
    EXPECT_LT((Y.lazyProduct(L.transpose()) - right.transpose()).norm(), 1e-8);
    kernels.products.invert_lower(columns(MatrixRef(S)));
    kernels.products.lower_gram(columns(MatrixRef(S)));
    const Matrix inverse = S.selfadjointView<Eigen::Lower>();
    EXPECT_LT((inverse.lazyProduct(full) - Matrix::Identity(n, n)).norm(), 1e-8);
  }
}

TEST_P(Levels, SeriesAreSumsOfChebyshevPolynomials) {
  Random random(10);
  for (const int variables : {1, 2}) {
    const Index outputs = 3, block = variables == 1 ? 1 : series_terms;
    const Matrix coefficients = random.normals(series_terms, outputs * block);
    Matrix place(series_at_once, 2), value(series_at_once, outputs), slope(series_at_once, 2 * outputs);
    for (double& x : place.reshaped()) x = 2 * random.uniform() - 1;
    kernels.series.evaluate({coefficients.data(), outputs, variables}, place.data(), value.data(), slope.data());
    const auto at = [&](Index o, double x, double y) {
      double sum = 0;
      for (Index a = 0; a < block; ++a)
        for (Index b = 0; b < series_terms; ++b)
          sum += coefficients(b, o * block + a) *
                 (variables == 1 ? 1 : std::cos(static_cast<double>(a) * std::acos(x))) *
                 std::cos(static_cast<double>(b) * std::acos(variables == 1 ? x : y));
      return sum;
    };
    for (Index l = 0; l < series_at_once; ++l)
      for (Index o = 0; o < outputs; ++o) {
        const double x = place(l, 0), y = place(l, 1), h = 1e-6;
        EXPECT_NEAR(value(l, o), at(o, x, y), 1e-11);
        EXPECT_NEAR(slope(l, o), (at(o, x + h, y) - at(o, x - h, y)) / (2 * h), 1e-3);
        if (variables == 2) {
          EXPECT_NEAR(slope(l, outputs + o), (at(o, x, y + h) - at(o, x, y - h)) / (2 * h), 1e-3);
        }
      }
  }
}

// Lengths on both sides of what a group holds; the numbers behind a column must be left alone.
TEST_P(Levels, VectorsAlongAComplexDirection) {
  Random random(11);
  for (const Index n : {2, 4, 8, 10, 16, 22, 40}) {
    const Vector w = random.normals(n), iw = random.normals(n);
    const Matrix X = random.normals(n + 3, 3);
    Matrix Y = Matrix::Constant(n + 3, 3, 7.0);
    kernels.kendall.add_along_direction({w.data(), iw.data()}, 0.3, -1.7, 2.5, {X.data(), n, 3, n + 3},
                                        {Y.data(), n, 3, n + 3});
    Matrix one = Matrix::Zero(n, n), whole = Matrix::Constant(n + 1, n, 7.0);
    kernels.kendall.add_along_direction({w.data(), iw.data()}, 0.3, -1.7, 2.5,
                                        columns(ConstMatrixRef(Matrix::Identity(n, n))), columns(MatrixRef(one)));
    kernels.kendall.add_direction_matrix({w.data(), iw.data()}, 0.3, -1.7, 2.5, {whole.data(), n, n, n + 1});
    EXPECT_LT((whole.topRows(n).array() - 7 - one.array()).abs().maxCoeff(), 1e-12) << n;
    EXPECT_EQ(whole.row(n), Matrix::Constant(1, n, 7.0)) << n;
    for (Index j = 0; j < 3; ++j) {
      Wide a = 0, b = 0;
      for (Index i = 0; i < n; ++i) {
        a += static_cast<Wide>(w[i]) * X(i, j);
        b += static_cast<Wide>(iw[i]) * X(i, j);
      }
      for (Index i = 0; i < n; ++i) {
        const Wide expected = 7 + 0.3L * X(i, j) - 1.7L * a * w[i] + 2.5L * b * iw[i];
        EXPECT_NEAR(Y(i, j), static_cast<double>(expected), 1e-12) << n;
      }
      for (Index i = n; i < n + 3; ++i) EXPECT_EQ(Y(i, j), 7.0) << n;
    }
  }
}

// Of coordinates that the compiler knows the number of, and of more.
TEST_P(Levels, SecondMomentsAndTheirSums) {
  Random random(9);
  for (const Index q : {1, 4, 6, 7, 10})
    for (const Index M : {1, 8, 21}) {
      const Index padded = (M + 7) / 8 * 8;
      Matrix z = Matrix::Zero(padded, q), sums = Matrix::Zero(padded, M), G = Matrix::Zero(padded, M),
             pulls = Matrix::Zero(padded, 1 + q);
      Vector w = Vector::Constant(padded, 2000);
      z.topRows(M) = random.normals(M, q);
      w.head(M) = 5 + random.normals(M).array().abs();
      const Vector c = 0.1 * random.normals(q).cwiseAbs();
      const Matrix any = random.normals(M, M), g = any + any.transpose();
      G.topRows(M).triangularView<Eigen::Lower>() = g;
      G.diagonal() *= 0.5;
      const PsiPoint point{z.data(), w.data(), c.data(), M, padded, q};
      kernels.psi.add_second(point, sums.data());
      kernels.psi.add_second(point, sums.data());
      kernels.psi.pull_back_second(point, G.data(), pulls.data());
      Matrix p(M, M);
      for (Index i = 0; i < M; ++i)
        for (Index j = 0; j < M; ++j) {
          double t = w[i] + w[j];
          for (Index f = 0; f < q; ++f) t -= c[f] * z(i, f) * z(j, f);
          if (i >= j) {
            EXPECT_NEAR(sums(i, j), 2 * std::exp2(-t), 1e-13 * std::exp2(-t));
          }
          p(i, j) = g(i, j) * std::exp2(-t);
        }
      const double size = p.cwiseAbs().sum();
      EXPECT_LE((pulls.col(0).head(M) - p.rowwise().sum()).norm(), 1e-14 * size);
      EXPECT_LE((pulls.topRightCorner(M, q) - p * z.topRows(M)).norm(), 1e-14 * size * z.cwiseAbs().maxCoeff());
    }
}

// Counts with and without a rest; angles beyond those that the fast sine knows.
TEST_P(Levels, WavesAreDampedSinesAndCosines) {
  Random random(21);
  constexpr Index top = 40;
  constexpr double w = 0.7;
  for (const Index count : {1, 7, 16, 37, 128}) {
    const Vector S = 0.01 * random.normals(count).cwiseAbs2();
    Vector x = 3 * random.normals(count);
    if (count == 37) x[20] = 3e5;
    Matrix damped(count, 2 * top + 1), plain(count, 2 * top + 1);
    kernels.waves.fill(x.data(), S.data(), count, w, top, damped.data(), count);
    kernels.waves.fill(x.data(), nullptr, count, w, top, plain.data(), count);
    for (Index i = 0; i < count; ++i)
      for (Index m = 0; m <= top; ++m) {
        const Wide frequency = static_cast<Wide>(m) * w, angle = static_cast<Wide>(m) * (w * x[i]),
                   damping = std::exp(-frequency * frequency * S[i] / 2);
        const double near =
            1e-15 * static_cast<double>(2 + m) + 1e-16 * static_cast<double>(m * m);  // of products, rho^(m m)
        EXPECT_NEAR(plain(i, m), static_cast<double>(std::cos(angle)), near) << count << " " << i << " " << m;
        EXPECT_NEAR(damped(i, m), static_cast<double>(damping * std::cos(angle)), near) << i << " " << m;
        if (m == 0) continue;
        EXPECT_NEAR(plain(i, top + m), static_cast<double>(std::sin(angle)), near) << i << " " << m;
        EXPECT_NEAR(damped(i, top + m), static_cast<double>(damping * std::sin(angle)), near) << i << " " << m;
      }
  }
}

TEST_P(Levels, WavesAreMultipliedAndPulledBack) {
  Random random(22);
  for (const Index count : {1, 3, 8, 19})
    for (const double turn : {1.0, -1.0})
      for (const double sign : {1.0, -1.0}) {
        const Vector a = random.normals(count), b = random.normals(count), c = random.normals(count),
                     s = random.normals(count), x = random.normals(count), y = random.normals(count);
        Vector re = a, im = b;  // in place
        kernels.waves.multiply(re.data(), im.data(), c.data(), s.data(), turn, count, re.data(), im.data());
        EXPECT_LT((re - (a.cwiseProduct(c) - turn * b.cwiseProduct(s))).norm(), 1e-14);
        EXPECT_LT((im - (b.cwiseProduct(c) + turn * a.cwiseProduct(s))).norm(), 1e-14);
        const auto value = [&](const Vector& at_a, const Vector& at_b) {
          Vector both_re(count), both_im(count);
          const Vector turned = sign * at_b;
          kernels.waves.multiply(at_a.data(), turned.data(), c.data(), s.data(), turn, count, both_re.data(),
                                 both_im.data());
          return x.dot(both_re) + y.dot(both_im);
        };
        Vector by_a = Vector::Ones(count), by_b = Vector::Ones(count);  // added to
        kernels.waves.pull_back(x.data(), y.data(), c.data(), s.data(), turn, sign, count, by_a.data(), by_b.data());
        for (Index i = 0; i < count; ++i) {
          const Vector step = Vector::Unit(count, i);
          EXPECT_NEAR(by_a[i] - 1, (value(a + step, b) - value(a - step, b)) / 2, 1e-13);
          EXPECT_NEAR(by_b[i] - 1, (value(a, b + step) - value(a, b - step)) / 2, 1e-13);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Every, Levels, testing::ValuesIn(available_simd_levels()),
                         [](const auto& level) { return to_string(level.param); });

TEST(SimdLevel, IsTheBestOrTheOneAskedFor) {
  const char* wanted = std::getenv("WGP_SIMD");
  if (wanted != nullptr && *wanted != '\0')
    EXPECT_EQ(to_string(simd_level()), wanted);
  else
    EXPECT_EQ(simd_level(), available_simd_levels().back());
}

}  // namespace
}  // namespace wgp
