#include "wgp/noise_law.h"

#include "core/format.h"

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

NoiseLawPtr restore_noise_law(const std::string& kind, Index dim, const std::map<std::string, double>& parameters) {
  std::vector<std::string> known;
  for (const NoiseLawEntry& entry : noise_laws()) {
    if (entry.kind == kind) return entry.restore(dim, parameters);
    known.push_back(entry.kind);
  }
  throw Error(fmt::format("there is no noise law '{}'; there is {}", kind, fmt::join(known, ", ")));
}

}  // namespace wgp
