#include "noise/estimate_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/constants.h"
#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/products.h"
#include "noise/fit_student.h"
#include "noise/monotone_means.h"
#include "noise/student_radial.h"

namespace wgp {
namespace {

constexpr int em_steps = 8;
constexpr double first_freedom = 10;
constexpr Index fewest_points = 20, most_points = 10000, most_structured_dim = 600, points_a_dimension_for_regions = 5;
constexpr double least_share_of_variance = 1e-6;  // of D's mean: directions without any noise are not known to be such
constexpr double standard_errors_wanted = 2;
// Nothing is known of an angle: the precision of a uniform one. It matters only where the mean does not move with it.
constexpr double angle_precision = 3 / (pi * pi);

// The points that are used, fold after fold.
struct Sample {
  std::vector<Index> points;  // columns of the input
  std::vector<Index> begin;   // of each fold, and the end
  Matrix Z, J;
  Vector g, P;
  double fitted_noise = 0;

  Index d() const { return Z.rows(); }
  Index n() const { return Z.cols(); }
  Index q() const { return P.size(); }
  Index m() const { return d() - q(); }
  std::size_t folds() const { return begin.size() - 1; }
  Index size(std::size_t fold) const { return begin[fold + 1] - begin[fold]; }
};

void check_sizes(const LeftOutResiduals& input) {
  const Index n = input.Z.cols(), q = static_cast<Index>(input.angle.size());
  if (input.g.size() != n || static_cast<Index>(input.fold.size()) != n || input.J.cols() != n * q ||
      (q > 0 && input.J.rows() != input.Z.rows()))
    throw Error(
        fmt::format("residuals of {} points with {} coordinates and {} latent coordinates, but {} x {} derivatives, {} "
                    "growths and {} folds",
                    n, input.Z.rows(), q, input.J.rows(), input.J.cols(), input.g.size(), input.fold.size()));
  if (!(input.fitted_noise > 0 && std::isfinite(input.fitted_noise)))
    throw Error(fmt::format("the fitted noise is {}, but a positive number is expected", input.fitted_noise));
}

Sample sample_of(const LeftOutResiduals& input) {
  const Index q = static_cast<Index>(input.angle.size());
  std::map<int, std::vector<Index>> by_fold;
  Index finite = 0;
  for (Index i = 0; i < input.Z.cols(); ++i)
    if (input.Z.col(i).allFinite() && input.J.middleCols(i * q, q).allFinite() && std::isfinite(input.g[i]) &&
        input.g[i] > 0) {
      by_fold[input.fold[static_cast<std::size_t>(i)]].push_back(i);
      ++finite;
    }
  Sample sample;
  sample.fitted_noise = input.fitted_noise;
  sample.begin.push_back(0);
  // Of many, the same share of each fold, evenly spread over it.
  const double share = static_cast<double>(most_points) / static_cast<double>(std::max(most_points, finite));
  for (const auto& [fold, members] : by_fold) {
    const auto kept = static_cast<std::size_t>(std::ceil(share * static_cast<double>(members.size())));
    for (std::size_t k = 0; k < kept; ++k) sample.points.push_back(members[k * members.size() / kept]);
    sample.begin.push_back(static_cast<Index>(sample.points.size()));
  }
  const auto n = static_cast<Index>(sample.points.size());
  sample.Z.resize(input.Z.rows(), n);
  sample.J.resize(input.Z.rows(), n * q);
  sample.g.resize(n);
  sample.P.resize(q);
  for (Index k = 0; k < n; ++k) {
    const Index i = sample.points[static_cast<std::size_t>(k)];
    sample.Z.col(k) = input.Z.col(i);
    sample.J.middleCols(k * q, q) = input.J.middleCols(i * q, q);
    sample.g[k] = input.g[i];
  }
  for (Index j = 0; j < q; ++j) sample.P[j] = input.angle[static_cast<std::size_t>(j)] ? angle_precision : 1;
  return sample;
}

// A point at its code under Sigma.
struct AtCode {
  double Q;
  double log_code;  // its log prior minus that under psi I, and the log of the volume that A leaves to the latent
  Vector shift;     // t
  Matrix L;         // A = L L'
};

// Residuals and derivatives in coordinates where Sigma is diagonal.
struct Rotated {
  Matrix Y, K;
};

AtCode at_code(const Sample& sample, const Rotated& rotated, Index i, ConstVectorRef D, double psi) {
  const Index q = sample.q();
  const auto y = rotated.Y.col(i);
  const Vector inverse = D.cwiseInverse();
  if (q == 0) return {(y.array().square() * inverse.array()).sum(), 0, Vector(), Matrix()};
  const auto K = rotated.K.middleCols(i * q, q);
  Matrix A = K.transpose() * inverse.asDiagonal() * K;
  A.diagonal() += sample.g[i] * sample.P;
  const Cholesky factor(A);
  const Vector t = factor.solve(K.transpose() * ((inverse.array() - 1 / psi) * y.array()).matrix());
  const Vector moved = y - K * t;
  // x' P x before: P x = J' z / (sqrt(g) psi), since the code was the best under psi I; it moved by sqrt(g) t.
  const double prior = 2 * t.dot(K.transpose() * y) / psi + sample.g[i] * t.dot(sample.P.cwiseProduct(t));
  const double volume = static_cast<double>(q) / 2 * std::log(sample.g[i]) - factor.L().diagonal().array().log().sum();
  return {(moved.array().square() * inverse.array()).sum(), volume - prior / 2, t, factor.L()};
}

// Of point i, up to what is the same under every law.
double log_density(const Sample& sample, const AtCode& code, Index i, ConstVectorRef D, double nu) {
  return StudentRadial(sample.m(), nu).log_density(code.Q) - D.array().log().sum() / 2 -
         static_cast<double>(sample.d()) / 2 * std::log(sample.g[i]) + code.log_code;
}

Vector floored(Vector D) { return D.cwiseMax(least_share_of_variance * D.mean()); }

// Eigenvectors, the largest eigenvalue first.
Matrix leading_first(ConstMatrixRef S) { return symmetric_spectrum(S).vectors.rowwise().reverse(); }

class StructuredEstimate {
 public:
  StructuredEstimate(const Sample& sample, double psi)
      : sample_(sample),
        psi_(psi),
        rotated_{sample.Z, sample.J},
        U_(sample.folds()),
        variances_(sample.d(), static_cast<Index>(sample.folds())),
        D_(Vector::Constant(sample.d(), psi)),
        nu_(first_freedom) {
    for (int step = 0; step < em_steps; ++step) {
      update_directions();
      rotate();
      D_ = averaged(std::nullopt);
      const StudentFit fitted = fit_student(all_Q(D_), sample_.m());
      nu_ = fitted.degrees_of_freedom;
      D_ *= fitted.scale;
    }
  }

  const Matrix& directions() const { return all_directions_; }
  const Vector& variances() const { return D_; }
  double degrees_of_freedom() const { return nu_; }

  // Of each fold from what the others say of D, nu and c.
  Vector left_out_log_densities() const {
    Vector result(sample_.n());
    for (std::size_t f = 0; f < sample_.folds(); ++f) {
      Vector D = averaged(f);
      const Vector Q = all_Q(D);
      Vector others(sample_.n() - sample_.size(f));
      others << Q.head(sample_.begin[f]), Q.tail(sample_.n() - sample_.begin[f + 1]);
      const StudentFit fitted = fit_student(others, sample_.m());
      D *= fitted.scale;
      for (Index i = sample_.begin[f]; i < sample_.begin[f + 1]; ++i)
        result[i] = log_density(sample_, at_code(sample_, rotated_, i, D, psi_), i, D, fitted.degrees_of_freedom);
    }
    return result;
  }

 private:
  // E and M: the sums of each fold, and the eigenvectors without it.
  void update_directions() {
    const Index d = sample_.d(), q = sample_.q();
    std::vector<Matrix> sums;
    Matrix total = Matrix::Zero(d, d);
    for (std::size_t f = 0; f < sample_.folds(); ++f) {
      const Index first = sample_.begin[f], count = sample_.size(f);
      Matrix terms(d, count * (1 + q));  // S = terms terms'
      for (Index k = 0; k < count; ++k) {
        const Index i = first + k;
        const AtCode code = at_code(sample_, rotated_, i, D_, psi_);
        const double w = (nu_ + static_cast<double>(sample_.m())) / (nu_ + code.Q);
        terms.col(k) = sample_.Z.col(i);
        if (q > 0) {
          const auto J = sample_.J.middleCols(i * q, q);
          terms.col(k) -= J * code.shift;
          Matrix rows = J.transpose();
          solve_lower(code.L, rows);
          terms.middleCols(count + k * q, q) = rows.transpose();
        }
        terms.col(k) *= std::sqrt(w);
      }
      Matrix sum = Matrix::Zero(d, d);
      add_gram(sum, terms);
      sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
      total += sum;
      sums.push_back(std::move(sum));
    }
    for (std::size_t f = 0; f < sample_.folds(); ++f) {
      U_[f] = leading_first(total - sums[f]);
      variances_.col(static_cast<Index>(f)) = U_[f].cwiseProduct(product(sums[f], U_[f])).colwise().sum().transpose();
    }
    all_directions_ = leading_first(total);
  }

  void rotate() {
    const Index q = sample_.q();
    for (std::size_t f = 0; f < sample_.folds(); ++f) {
      const Index first = sample_.begin[f], count = sample_.size(f);
      rotated_.Y.middleCols(first, count) = product_tn(U_[f], sample_.Z.middleCols(first, count));
      rotated_.K.middleCols(first * q, count * q) = product_tn(U_[f], sample_.J.middleCols(first * q, count * q));
    }
  }

  // D, of all folds or of all but one.
  Vector averaged(std::optional<std::size_t> without) const {
    Vector sum = variances_.rowwise().sum();
    Index count = sample_.n();
    if (without) {
      sum -= variances_.col(static_cast<Index>(*without));
      count -= sample_.size(*without);
    }
    return floored(decreasing_means(sum / static_cast<double>(count)));
  }

  Vector all_Q(ConstVectorRef D) const {
    Vector Q(sample_.n());
    for (Index i = 0; i < Q.size(); ++i) Q[i] = at_code(sample_, rotated_, i, D, psi_).Q;
    return Q;
  }

  const Sample& sample_;
  double psi_;
  Rotated rotated_;  // each fold by its own U
  std::vector<Matrix> U_;
  Matrix variances_;  // within each fold, summed over its points
  Matrix all_directions_;
  Vector D_;
  double nu_;
};

struct Gain {
  double mean, standard_error;
  bool convincing() const { return mean > standard_errors_wanted * standard_error; }
};
// One point counts so much at most: an outlier, which the plainer law holds to be impossible, would else be all of the
// mean and all of its standard error, however much the others gain.
constexpr double most_of_a_point = 10, unlimited = std::numeric_limits<double>::infinity();  // nats
Gain gain(ConstVectorRef later, ConstVectorRef before, double most = most_of_a_point) {
  const Vector difference = (later - before).array().max(-most).min(most);
  const double n = static_cast<double>(difference.size()), mean = difference.mean();
  return {mean, std::sqrt((difference.array() - mean).square().sum() / (n - 1) / n)};
}

std::string to_text(const Gain& gain) {
  return fmt::format("{:.3g} nats a point (standard error {:.2g})", gain.mean, gain.standard_error);
}

// Normal and student: everything follows from |z|^2.
class IsotropicEstimate {
 public:
  explicit IsotropicEstimate(const Sample& sample)
      : sample_(sample),
        plain_{sample.Z, sample.J},
        squared_(sample.Z.colwise().squaredNorm()),
        psi_(squared_.mean() / static_cast<double>(sample.m())),
        student_(fit_student(squared_, sample.m())) {}

  double psi() const { return psi_; }
  const StudentFit& student() const { return student_; }

  void left_out_log_densities(MatrixRef result) const {
    for (std::size_t f = 0; f < sample_.folds(); ++f) {
      Vector others(sample_.n() - sample_.size(f));
      others << squared_.head(sample_.begin[f]), squared_.tail(sample_.n() - sample_.begin[f + 1]);
      const double psi = others.mean() / static_cast<double>(sample_.m());
      const StudentFit student = fit_student(others, sample_.m());
      const Vector normal_D = Vector::Constant(sample_.d(), psi),
                   student_D = Vector::Constant(sample_.d(), student.scale);
      for (Index i = sample_.begin[f]; i < sample_.begin[f + 1]; ++i) {
        result(0, i) = log_density(sample_, at_code(sample_, plain_, i, normal_D, psi_), i, normal_D,
                                   std::numeric_limits<double>::infinity());
        result(1, i) = log_density(sample_, at_code(sample_, plain_, i, student_D, psi_), i, student_D,
                                   student.degrees_of_freedom);
      }
    }
  }

 private:
  const Sample& sample_;
  Rotated plain_;
  Vector squared_;
  double psi_;
  StudentFit student_;
};

// Log densities in the order of the input's points.
void put_in_order(NoiseEstimate& estimate) {
  std::vector<Index> order(estimate.points.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return estimate.points[static_cast<std::size_t>(a)] < estimate.points[static_cast<std::size_t>(b)];
  });
  estimate.log_densities = estimate.log_densities(Eigen::all, order).eval();
  std::sort(estimate.points.begin(), estimate.points.end());
}

}  // namespace

NoiseEstimate estimate_noise(const LeftOutResiduals& residuals) {
  check_sizes(residuals);
  const Sample sample = sample_of(residuals);
  const Index d = sample.d(), n = sample.n(), q = sample.q();
  const double sigma2 = sample.fitted_noise;
  NoiseEstimate estimate;
  estimate.points = sample.points;
  estimate.log_densities.setConstant(3, n, std::numeric_limits<double>::quiet_NaN());

  bool no_choice = d <= q || n < fewest_points || sample.folds() < 2;
  for (std::size_t f = 0; f < sample.folds(); ++f)  // without noise in the other folds there is no law for this one
    no_choice = no_choice ||
                (sample.Z.leftCols(sample.begin[f]).isZero(0) && sample.Z.rightCols(n - sample.begin[f + 1]).isZero(0));
  const double spent = d > q ? static_cast<double>(d - q) : static_cast<double>(d);
  double psi = n > 0 ? sample.Z.squaredNorm() / static_cast<double>(n) / spent : 0;
  if (!(psi > 0)) psi = sigma2;
  estimate.laws[0] = normal_noise(d, psi, psi / sigma2);
  if (no_choice) {
    put_in_order(estimate);
    estimate.why =
        d <= q ? fmt::format("normal: {} latent coordinates explain {} dimensions without residuals", q, d)
               : fmt::format("normal: {} left-out points in {} folds are too few to compare noise distributions", n,
                             sample.folds());
    return estimate;
  }

  const IsotropicEstimate isotropic(sample);
  const StudentFit& student = isotropic.student();
  estimate.laws[1] = student_noise(d, student.scale, student.degrees_of_freedom, sigma2);
  isotropic.left_out_log_densities(estimate.log_densities);
  const Gain tails = gain(estimate.log_densities.row(1).transpose(), estimate.log_densities.row(0).transpose());
  if (tails.convincing()) estimate.kind = NoiseKind::student;
  estimate.few_decide = tails.convincing() && !gain(estimate.log_densities.row(1).transpose(),
                                                    estimate.log_densities.row(0).transpose(), unlimited)
                                                   .convincing();
  estimate.why = fmt::format("a Student t gains {} over a normal on left-out points", to_text(tails));

  if (d > 1 && d <= most_structured_dim) {
    const StructuredEstimate structured(sample, psi);
    estimate.log_densities.row(2) = structured.left_out_log_densities().transpose();
    StructuredNoise parts;
    parts.directions = structured.directions();
    parts.variances = structured.variances();
    parts.degrees_of_freedom = structured.degrees_of_freedom();
    parts.fitted_noise = sigma2;
    parts.isotropic_scale = student.scale;
    parts.isotropic_degrees_of_freedom = student.degrees_of_freedom;
    parts.isotropic_regions = n < points_a_dimension_for_regions * d;
    estimate.laws[2] = structured_noise(std::move(parts));
    const auto best = static_cast<Index>(estimate.kind);
    const Gain directions =
        gain(estimate.log_densities.row(2).transpose(), estimate.log_densities.row(best).transpose());
    if (directions.convincing()) estimate.kind = NoiseKind::structured;
    estimate.why += fmt::format(", a Student t with unequal directions a further {}", to_text(directions));
  } else if (d > most_structured_dim) {
    estimate.why += fmt::format("; unequal directions are not estimated beyond {} dimensions", most_structured_dim);
  }
  put_in_order(estimate);
  return estimate;
}

}  // namespace wgp
