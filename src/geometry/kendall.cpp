// Planar shapes of k landmarks, Kendall's space CP^(k-2): configurations in C^k up to translation, scale and rotation.
//
// A point is stored as its centred configuration of unit size, x1 y1 x2 y2 ..., in any rotation. (Helmert coordinates
// are an isometric image of this; storing landmarks saves the transform.) Tangent vectors are horizontal: sum v = 0 and
// <z, v> = 0 with the Hermitian <z, w> = sum conj(z_i) w_i. Reflections are different shapes.
#include <cmath>
#include <complex>

#include "core/constants.h"
#include "core/format.h"
#include "core/random_streams.h"
#include "geometry/factories.h"
#include "linalg/decompositions.h"
#include "linalg/householder.h"
#include "linalg/leading_eigenvectors.h"
#include "linalg/products.h"
#include "linalg/stable_norm.h"
#include "wgp/exact_points.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

using Complex = std::complex<double>;
using ComplexVector = Eigen::VectorXcd;

constexpr double indistinct = 1e-15;  // products of unit vectors that their digits cannot tell from 0

// i v for interleaved storage: pairs (re, im) -> (-im, re).
Matrix times_i(ConstMatrixRef x) {
  Matrix y(x.rows(), x.cols());
  for (Index j = 0; j < x.rows(); j += 2) {
    y.row(j) = -x.row(j + 1);
    y.row(j + 1) = x.row(j);
  }
  return y;
}

// A complex vector w kept with i w, so that Hermitian products and complex multiples are plain real vector operations
// on interleaved storage, without shuffles: <w, x> = (w.x, iw.x), c w = re(c) w + im(c) iw.
struct ComplexDirection {
  Vector w, iw;

  explicit ComplexDirection(Vector vector) : w(std::move(vector)), iw(times_i(w)) {}
  Complex product(ConstVectorRef x) const { return {w.dot(x), iw.dot(x)}; }
  auto times(Complex c) const { return c.real() * w + c.imag() * iw; }
  ComplexPair from(Index offset) const { return {w.data() + offset, iw.data() + offset}; }
};

// The unitary H2 H1 of two complex Householder reflections H = I - w w^H that sends 1/sqrt(k) and z to multiples of e_0
// and e_1; the other k-2 complex coordinates, two reals each, are the coordinates of horizontal vectors. Applied as one
// rank-two update: H2 H1 x = x - a w1 - b w2 with a = <w1, x>, b = <w2, x> - a <w2, w1>.
class HorizontalFrame {
 public:
  explicit HorizontalFrame(const Vector& z)
      : first_(reflector(constant(z.size() / 2), 0)),
        second_(second_reflector(z)),
        second_first_(second_.product(first_.w)),
        second_z_(second_.product(z)),
        tail_(first_.w[2]) {}

  template <class Column>
  void to_coords(ConstVectorRef x, Column&& coords) const {
    const Index n = x.size() - 4;
    const Complex a = first_.product(x), b = second_.product(x) - a * second_first_;
    coords = x.tail(n) - first_.times(a).tail(n) - second_.times(b).tail(n);
  }
  // What the batched loops need; refers to this frame and to z.
  HorizontalPlan plan(const ComplexDirection& z) const {
    return {z.w.size(),
            z.from(0),
            second_.from(0),
            first_.w[0],
            tail_,
            {second_first_.real(), second_first_.imag()},
            {second_z_.real(), second_z_.imag()}};
  }

  // H1 H2 (0, 0, coords)
  Vector to_ambient(ConstVectorRef coords) const {
    Vector x = Vector::Zero(coords.size() + 4);
    x.tail(coords.size()) = coords;
    const Complex b = second_.product(x), a = first_.product(x) - b * std::conj(second_first_);
    return x - first_.times(a) - second_.times(b);
  }

 private:
  static Vector constant(Index k) {
    Vector ones = Vector::Zero(2 * k);
    for (Index j = 0; j < k; ++j) ones[2 * j] = 1 / std::sqrt(static_cast<double>(k));
    return ones;
  }
  ComplexDirection second_reflector(const Vector& z) const {
    Vector moved = z - first_.times(first_.product(z));
    moved[0] = moved[1] = 0;
    return reflector(moved, 1);
  }
  // w with H taking the unit vector x to a multiple of e_i.
  static ComplexDirection reflector(const Vector& x, Index i) {
    const Complex entry(x[2 * i], x[2 * i + 1]);
    const Complex phase = std::abs(entry) > 0 ? entry / std::abs(entry) : Complex(1);
    Vector w = x / x.norm();
    w[2 * i] += phase.real();
    w[2 * i + 1] += phase.imag();
    return ComplexDirection(w * (std::sqrt(2.0) / w.norm()));
  }

  ComplexDirection first_, second_;
  Complex second_first_, second_z_;
  double tail_;  // the entries of first_ beyond the first
};

// Eigenvalues: 0 along v, 4 theta^2 along iv, theta^2 across.
class KendallJacobi final : public SymmetricJacobiFields {
 public:
  explicit KendallJacobi(ConstVectorRef v)
      : theta_(v.norm()), u_(theta_ > 0 ? Vector(v / theta_) : Vector(v)), iu_(times_i(u_)) {}

  Matrix apply(ScalarFunction g, ConstMatrixRef x) const override {
    Matrix y = Matrix::Zero(x.rows(), x.cols());
    const Coefficients of = coefficients(g);
    simd().kendall.add_along_direction({u_.data(), iu_.data()}, of.across, of.along, of.turned, columns(x),
                                       columns(MatrixRef(y)));
    return y;
  }
  void add_dlog_base(double weight, MatrixRef into) const override {
    const Coefficients of = coefficients(jacobi_C_over_S);
    simd().kendall.add_direction_matrix({u_.data(), iu_.data()}, -weight * of.across, -weight * of.along,
                                        -weight * of.turned, columns(into));
  }
  double log_det() const override {
    const double square = theta_ * theta_;
    return jacobi_log_abs_S(4 * square) + static_cast<double>(u_.size() - 2) * jacobi_log_abs_S(square);
  }
  Vector log_det_gradient() const override {
    return (2 * cot_minus_inverse(2 * theta_) + static_cast<double>(u_.size() - 2) * cot_minus_inverse(theta_)) * u_;
  }

 private:
  // F g(Lambda) F' = across 1 + along u u' + turned iu iu'.
  struct Coefficients {
    double across, along, turned;
  };
  Coefficients coefficients(ScalarFunction g) const {
    const double across = g(theta_ * theta_);
    return {across, g(0) - across, g(4 * theta_ * theta_) - across};
  }

  double theta_;
  Vector u_, iu_;
};

Vector centred(ConstVectorRef landmarks) {
  const Eigen::Map<const Eigen::Matrix2Xd> y(landmarks.data(), 2, landmarks.size() / 2);
  const Eigen::Vector2d centre = y.rowwise().mean();
  Vector z(landmarks.size());
  Eigen::Map<Eigen::Matrix2Xd>(z.data(), 2, y.cols()) = y.colwise() - centre;
  return z;
}

Vector centred_unit(ConstVectorRef landmarks) {
  const Vector z = centred(landmarks);
  return z / stable_norm(z);
}

class KendallTangentSpace final : public TangentSpace {
 public:
  explicit KendallTangentSpace(ConstVectorRef p) : z_(centred_unit(p)), frame_(z_.w), plan_(frame_.plan(z_)) {}

  const Vector& base() const override { return z_.w; }
  Index dim() const override { return z_.w.size() - 4; }
  double injectivity_radius() const override { return pi / 2; }

  // With c = <z, w>, the aligned w* = w conj(c)/|c| has the horizontal part (w - c z) conj(c)/|c|, of length
  // sin(theta).
  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    Vector theta(points.cols()), cosine(points.cols());
    Vector room(8 * (plan_.n + 8));
    simd().kendall.log(plan_, columns(points), indistinct, columns(coords), theta.data(), cosine.data(), room.data());
    for (Index i = 0; i < theta.size(); ++i) {
      report.set_margin(i, margin(theta[i], cosine[i]), pi / 2);
      if (cosine[i] <= indistinct) report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
    }
    return report;
  }

  LogSums log_sums(ConstMatrixRef points, ConstVectorRef weights) const override {
    Vector ambient(z_.w.size()), theta(points.cols()), cosine(points.cols());
    Vector room(2 * plan_.n);
    simd().kendall.log_sum(plan_, columns(points), weights.data(), indistinct, ambient.data(), theta.data(),
                           cosine.data(), room.data());
    LogSums sums;
    sums.weighted = to_coords(ambient);
    sums.squares = theta.cwiseAbs2().dot(weights);
    sums.longest = theta.size() > 0 ? theta.maxCoeff() : 0;
    for (Index i = 0; i < theta.size(); ++i)
      if (cosine[i] <= indistinct)
        ++sums.cut_locus;
      else if (margin(theta[i], cosine[i]) < near_cut_share * pi / 2)
        ++sums.near_cut;
    return sums;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    simd().kendall.exp(plan_, columns(coords), columns(points));
    return {};
  }

  Vector distance(ConstMatrixRef points) const override {
    Vector theta(points.cols());
    simd().kendall.angles(plan_, columns(points), theta.data());
    return theta;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(z_.w.size(), coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) ambient.col(i) = frame_.to_ambient(coords.col(i));
    return ambient;
  }
  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    for (Index i = 0; i < ambient.cols(); ++i) frame_.to_coords(ambient.col(i), coords.col(i));
    return coords;
  }

  // x + <u, x> ((cos theta - 1) u - sin theta z), with the complex product.
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const double theta = v.norm();
    Matrix moved = to_ambient(coords);
    if (theta == 0) return moved;
    const ComplexDirection u(to_ambient(v / theta));
    const double half_sine = std::sin(theta / 2);
    const ComplexDirection direction(-2 * half_sine * half_sine * u.w - std::sin(theta) * z_.w);
    for (Index i = 0; i < moved.cols(); ++i) moved.col(i) += direction.times(u.product(moved.col(i)));
    return moved;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<KendallJacobi>(v);
  }

  // <y,z>x - <x,z>y + <Jy,z>Jx - <Jx,z>Jy - 2<Jx,y>Jz
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    const Vector Jx = times_i(x), Jy = times_i(y), Jz = times_i(z);
    return Vector(y.dot(z) * x - x.dot(z) * y + Jy.dot(z) * Jx - Jx.dot(z) * Jy - 2 * Jx.dot(y) * Jz);
  }

  // Every geodesic is closed with length pi: (theta + pi k) u, where |sin 2 tau| and |sin tau| are those of theta.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Preimages found = TangentSpace::preimages(q, radius);
    const Vector v = found.coords.col(0);
    const double theta = v.norm();
    if (theta == 0) found.countable = radius < pi;
    if (theta == 0 || !found.countable) return found;
    std::vector<double> lengths = {theta};
    for (int k = 1; pi * k - theta <= radius; ++k) {
      lengths.push_back(theta - pi * k);
      if (theta + pi * k <= radius) lengths.push_back(theta + pi * k);
    }
    found.complete = true;
    found.coords.resize(dim(), static_cast<Index>(lengths.size()));
    found.log_abs_det.conservativeResize(found.coords.cols());
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const Index column = static_cast<Index>(k);
      const double tau = std::abs(lengths[k]);
      found.coords.col(column) = (lengths[k] / theta) * v;
      if (k > 0)
        found.log_abs_det[column] = std::log(std::abs(std::sin(2 * theta)) / (2 * tau)) +
                                    static_cast<double>(dim() - 2) * std::log(std::sin(theta) / tau);
    }
    return found;
  }

 private:
  // The cut locus is c = 0; asin|c| is more accurate there than pi/2 - theta.
  static double margin(double theta, double cosine) { return cosine < 0.1 ? std::asin(cosine) : pi / 2 - theta; }

  ComplexDirection z_;
  HorizontalFrame frame_;
  HorizontalPlan plan_;  // into z_ and frame_
};

class Kendall final : public Manifold, public RowLayout, public ExactPoints {
 public:
  explicit Kendall(Index k) : k_(k) {}

  std::string spec() const override { return fmt::format("kendall:{}", k_); }
  Index dim() const override { return 2 * k_ - 4; }
  Index ambient_dim() const override { return 2 * k_; }
  double injectivity_radius() const override { return pi / 2; }
  double mean_ball_radius() const override { return pi / 4; }
  bool is_compact() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<KendallTangentSpace>(p);
  }

  // Raw landmarks are welcome: only configurations without a shape are refused.
  std::optional<std::string> defect(ConstVectorRef x, double) const override {
    if (!has_shape(stable_norm(centred(x)), x)) return "all landmarks coincide";
    return std::nullopt;
  }
  Vector project(ConstVectorRef x) const override {
    const Vector z = centred(x);
    const double size = stable_norm(z);
    if (!has_shape(size, x)) throw Error("all landmarks coincide: there is no shape");
    return z / size;
  }
  Index leading_exact(ConstMatrixRef X) const override {
    return simd().kendall.exact(columns(X), 8 * std::numeric_limits<double>::epsilon());
  }

  // The full Procrustes mean: the leading eigenvector of sum w_i z_i z_i^H.
  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Index n = points.cols(), stride = std::max<Index>(1, n / 500);
    Matrix few(2 * k_, (n + stride - 1) / stride);
    for (Index j = 0; j < few.cols(); ++j) few.col(j) = std::sqrt(weights[j * stride]) * points.col(j * stride);
    Random random(0, stream::shape_mean);
    const Vector start = leading_eigenvector(hermitian_scatter(few), random.normals(2 * k_));
    if (!start.allFinite() || defect(start, 0)) return std::nullopt;
    // Rotate to the first point, so that the mean comes out in a rotation that people recognise.
    const ComplexDirection direction(start);
    const Complex c = direction.product(points.col(0));
    return centred_unit(direction.times(std::abs(c) > 0 ? c / std::abs(c) : Complex(1)));
  }

  // e^(i phi) x: rotations.
  Matrix aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const override {
    const Complex c = ComplexDirection(from).product(to);
    const Complex turn = std::abs(c) > 0 ? c / std::abs(c) : Complex(1);
    return turn.real() * x + turn.imag() * times_i(x);
  }

  Vector random_point(Random& random) const override { return centred_unit(random.normals(2 * k_)); }

  // U(k-1) acting on centred configurations, as R^T diag(1, U) R with a real rotation R that sends 1/sqrt(k) to e_0;
  // then a change of the representative.
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    Eigen::MatrixXcd Z(k_ - 1, k_ - 1);
    for (Index j = 0; j < k_ - 1; ++j)
      for (Index i = 0; i < k_ - 1; ++i) Z(i, j) = Complex(random.normal(), random.normal());
    Eigen::MatrixXcd U = unitary_of_qr(Z);
    const HouseholderFrame frame(Vector::Constant(k_, 1 / std::sqrt(static_cast<double>(k_))));
    const double turn = 2 * pi * random.uniform();
    return [U, frame, turn](ConstVectorRef x) {
      const Index k = x.size() / 2;
      Vector re(k - 1), im(k - 1), column(k);
      for (Index j = 0; j < k; ++j) column[j] = x[2 * j];
      frame.to_coords(column, re);
      for (Index j = 0; j < k; ++j) column[j] = x[2 * j + 1];
      frame.to_coords(column, im);
      ComplexVector h(k - 1);
      for (Index j = 0; j < k - 1; ++j) h[j] = Complex(re[j], im[j]);
      h = std::polar(1.0, turn) * (U * h);
      const Vector new_re = h.real(), new_im = h.imag();
      Vector y(2 * k);
      frame.to_ambient(new_re, column);
      for (Index j = 0; j < k; ++j) y[2 * j] = column[j];
      frame.to_ambient(new_im, column);
      for (Index j = 0; j < k; ++j) y[2 * j + 1] = column[j];
      return y;
    };
  }

  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index j = 1; j <= k_; ++j) {
      names.push_back(fmt::format("x{}", j));
      names.push_back(fmt::format("y{}", j));
    }
    return names;
  }

 private:
  // size: of the landmarks once they are centred.
  static bool has_shape(double size, ConstVectorRef landmarks) { return size > 1e-12 * stable_norm(landmarks); }

  // sum z z^H over the columns as it acts on interleaved storage, sum z z' + (iz) (iz)': each pair of numbers meets
  // each as [re -im; im re]. Every eigenvalue comes twice, with v and iv.
  static Matrix hermitian_scatter(const Matrix& Z) {
    Matrix real = Matrix::Zero(Z.rows(), Z.rows());
    add_gram(real, Z);
    Matrix scatter(Z.rows(), Z.rows());
    for (Index j = 0; j < Z.rows(); j += 2)
      for (Index i = j; i < Z.rows(); i += 2) {
        const double re = real(i, j) + real(i + 1, j + 1), im = i > j ? real(i + 1, j) - real(i, j + 1) : 0;
        scatter(i, j) = scatter(i + 1, j + 1) = scatter(j, i) = scatter(j + 1, i + 1) = re;
        scatter(i + 1, j) = scatter(j, i + 1) = im;
        scatter(i, j + 1) = scatter(j + 1, i) = -im;
      }
    return scatter;
  }

  Index k_;
};

}  // namespace

ManifoldPtr make_kendall(Index landmarks) {
  if (landmarks < 3)
    throw Error(fmt::format("kendall:{} does not exist: a planar shape needs at least 3 landmarks", landmarks));
  return std::make_shared<Kendall>(landmarks);
}

}  // namespace wgp
