// What exact Gaussian processes are measured against: LAPACK's Cholesky factor and inverse, by OpenBLAS.
#pragma once

#include <wgp/wgp.h>

#include <cstdlib>
#include <string>

#include <unistd.h>

extern "C" {
void dpotrf_(const char* triangle, const int* n, double* A, const int* lda, int* info);
void dpotri_(const char* triangle, const int* n, double* A, const int* lda, int* info);
void openblas_set_num_threads(int threads);
char* openblas_get_corename();
}

namespace bench {

// In place of a positive definite matrix, the lower triangle of its inverse; false if it has none.
inline bool invert_by_lapack(wgp::Matrix& A) {
  const int n = static_cast<int>(A.rows());
  int info = 0;
  dpotrf_("L", &n, A.data(), &n, &info);
  if (info == 0) dpotri_("L", &n, A.data(), &n, &info);
  return info == 0;
}

// OpenBLAS must know the processor: where it does not, the program starts itself again with OPENBLAS_CORETYPE set to
// the newest kind that the program itself was compiled for.
inline void know_the_processor(char** argv) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const char* kind = "SkylakeX";
#else
  const char* kind = "Haswell";
#endif
  if (std::getenv("OPENBLAS_CORETYPE") || std::string(openblas_get_corename()) != "Prescott") return;
  setenv("OPENBLAS_CORETYPE", kind, 1);
  execv("/proc/self/exe", argv);
#else
  static_cast<void>(argv);
#endif
}

}  // namespace bench
