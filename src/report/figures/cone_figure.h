// The figure of the paper's introduction: a normal distribution fitted to 2 x 2 positive definite matrices as to plain
// numbers leaves the cone of such matrices; a wrapped one does not.
#pragma once

#include "report/figures/figure.h"

namespace wgp::report {

// Coordinates in which Frobenius distances are Euclidean: (a - c)/sqrt 2, sqrt 2 b, (a + c)/sqrt 2 of [a b; b c]. A
// matrix is positive definite where the third exceeds the length of the first two.
Eigen::Vector3d cone_coordinates(const Eigen::Matrix2d& matrix);
bool is_in_cone(const Eigen::Vector3d& at);

Figure cone_figure();

}  // namespace wgp::report
