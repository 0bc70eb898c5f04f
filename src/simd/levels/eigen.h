// Eigen under a name of this level's own: the linker must not take its functions for those that the rest of the library
// was compiled with.
#pragma once

#ifndef WGP_SIMD
#error "for the files of simd/levels alone: everything here is compiled once for each level"
#endif
#ifdef EIGEN_CORE_H
#error "Eigen was included under its own name"
#endif

#define WGP_JOIN_NAMES(a, b) a##b
#define WGP_JOIN(a, b) WGP_JOIN_NAMES(a, b)
#define Eigen WGP_JOIN(Eigen_for_, WGP_SIMD)
#include <Eigen/Cholesky>
#include <Eigen/Core>
