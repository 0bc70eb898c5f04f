#include "wgp/noise_law.h"

#include <limits>

#include "core/format.h"
#include "noise/laws.h"

namespace wgp {

Vector NoiseLaw::total_variance(ConstVectorRef variance) const {
  return function_variance(variance).array() + noise_variance();
}

Vector NoiseLaw::log_density(ConstVectorRef squared, ConstVectorRef variance) const {
  Vector result(squared.size());
  for (Index i = 0; i < result.size(); ++i) result[i] = density(squared[i], variance[i]).log_density;
  return result;
}

Matrix NoiseLaw::log_densities(ConstMatrixRef squared, ConstVectorRef variance) const {
  Matrix result(squared.rows(), squared.cols());
  for (Index i = 0; i < result.cols(); ++i) result.col(i) = log_density(squared.col(i), variance);
  return result;
}

double NoiseLaw::weight(double, double) const { return 1; }

// Tails that fall slowly have no end.
double NoiseLaw::reach(double) const { return std::numeric_limits<double>::infinity(); }

Vector NoiseLaw::p_values(ConstMatrixRef residuals, ConstVectorRef variance) const {
  const NoiseLaw& law = for_regions();
  const Vector squared =
      (law.whiten(residuals).colwise() - law.whiten(Matrix::Zero(residuals.rows(), 1)).col(0)).colwise().squaredNorm();
  Vector result(squared.size());
  for (Index i = 0; i < result.size(); ++i) result[i] = law.p_value(squared[i], variance[i]);
  return result;
}

NoiseLawPtr widened(const NoiseLaw& law, const LawScales& scales) {
  return law.with_noise_times(1 / scales.function)->scaled(scales.function * scales.variances);
}

double noise_parameter(const NoiseParameters& parameters, const char* kind, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) throw Error(fmt::format("a {} noise law needs '{}'", kind, name));
  return found->second;
}

NoiseLawPtr restore_noise_law(const std::string& kind, Index dim, const std::map<std::string, double>& parameters,
                              const NoiseArrays& arrays) {
  std::vector<std::string> known;
  for (const NoiseLawEntry& entry : noise_laws()) {
    if (entry.kind == kind) return entry.restore(dim, parameters, arrays);
    known.push_back(entry.kind);
  }
  throw Error(fmt::format("there is no noise law '{}'; there is {}", kind, fmt::join(known, ", ")));
}

}  // namespace wgp
