// The numeric types and the error type that every other header uses.
//
// Convention, everywhere in C++: one point, latent or tangent vector per COLUMN. Files and Python have one per row; the
// border (wgp/io.h) transposes. Matrices that are themselves points (SPD, rotations, ...) are stored in a column in
// row-major order, as they stand in a file.
#pragma once

#include <Eigen/Core>
#include <stdexcept>
#include <string>

#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// Eigen's allocation alignment follows the compiler's -march. The library and its users must agree on it, or memory
// allocated by one is freed wrongly by the other; the CMake target wgp::wgp sets the definition for both.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=64, or link the CMake target wgp::wgp");

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using ConstMatrixRef = const Eigen::Ref<const Matrix>&;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using MatrixRef = Eigen::Ref<Matrix>;
using VectorRef = Eigen::Ref<Vector>;

// Thrown for what a caller did wrong: says what was given, what is accepted and the nearest fix. Numerical failure is
// never an exception; it is a status in the result.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace WGP_PUBLIC
