// The paper's Table 1 as it was reproduced, and the tables that belong to it: cells of text, for a page or a terminal.
#pragma once

#include <string>
#include <vector>

#include "evaluate/reproduce.h"
#include "report/pages/page.h"

namespace wgp::report {

// "(2.34 ± 0.05)e-2", "3.38 ± 0.09"; "-" for nothing.
std::string measured_text(double mean, double sem);

const ModelEvaluation& evaluation_of(const Reproduced& set, const std::string& model);

// Root mean square distance of test points to their reconstructions on the manifold: a row per model and encoder, the
// paper's numbers in rows between, a column per data set.
Table intrinsic_table(const std::vector<Reproduced>& sets);
// The same with Euclidean distances.
Table euclidean_table(const std::vector<Reproduced>& sets);

// Signed area of each model's calibration curve, its null's, and the distance between the two.
Table calibration_table(const std::vector<Reproduced>& sets);
// Log densities of test points under wgplvm, its latents estimated and integrated out.
Table density_table(const std::vector<Reproduced>& sets);
// How many test points conformal regions of wgplvm hold, either way.
Table coverage_table(const std::vector<Reproduced>& sets);
// gplvmproj on positive definite matrices under each clip of its eigenvalues; no rows where there are none.
Table clip_table(const std::vector<Reproduced>& sets);

}  // namespace wgp::report
