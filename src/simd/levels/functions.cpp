// Functions of many numbers: see simd/function_kernels.h.
#include "simd/function_kernels.h"

#include "simd/levels/eigen.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

using ManyNumbers = Eigen::Map<Eigen::ArrayXd>;
constexpr Index kept_numbers = 512;  // intermediate results stay in the cache

void exp_all(double* x, Index count) {
  ManyNumbers numbers(x, count);
  numbers = numbers.exp();
}

void log_all(double* x, Index count) {
  ManyNumbers numbers(x, count);
  numbers = numbers.log();
}

// What rounding takes from 1 + x, the factor gives back.
void log1p_all(double* x, Index count) {
  double room[2 * kept_numbers];
  for (Index first = 0; first < count; first += kept_numbers) {
    const Index some = first + kept_numbers < count ? kept_numbers : count - first;
    ManyNumbers numbers(x + first, some), sum(room, some), factor(room + kept_numbers, some);
    sum = 1 + numbers;
    factor = (sum == 1 || sum > 1e16).select(1.0, numbers / (sum - 1));
    numbers = (sum == 1).select(numbers, sum.log() * factor);
  }
}

}  // namespace

const FunctionKernels function_kernels = {exp_all, log_all, log1p_all};

}  // namespace wgp::WGP_SIMD
