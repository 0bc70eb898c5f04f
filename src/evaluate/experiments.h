// The four experiments of Mallasto, Hauberg and Feragen, "Probabilistic Riemannian submanifold learning with wrapped
// Gaussian process latent variable models" (2019): how the data is read, what is fitted to it, and what they found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wgp/evaluate.h"

namespace wgp {

// Mean and standard error, as printed in the paper's Table 1.
struct Published {
  double mean = 0, sem = 0;
};

struct ExperimentPlan {
  std::string name, title, unit;           // unit: of intrinsic distances; empty if they have none
  std::string manifold;                    // spec
  std::string file, columns;               // below the data's directory
  std::string colour_column, colour_name;  // what the latent figures are coloured by
  Index angles, plain;                     // of the latent space
  std::string kernel;
  std::vector<std::string> inits;  // empty: those of the effort
  Prior prior;
  Published wgplvm, gplvmproj;  // intrinsic errors
  Published euclidean_wgplvm, euclidean_gplvm, euclidean_gplvmproj;
  std::string remark;  // in what the data differs from the paper's; empty if in nothing
};
const std::vector<ExperimentPlan>& experiment_plans();

struct Experiment {
  ExperimentPlan plan;
  bool synthetic = false;
  std::string source;  // file, or the synthetic set with its seed
  ManifoldPtr manifold;
  Matrix points;
  std::vector<std::string> colours;  // a label or number of each point
  FitOptions fit() const;            // latent space, kernel, starts and prior
};

// From a directory laid out as the plan says, or, where it is empty, the synthetic set of the same name. Error that
// names file, row and what is wrong.
Experiment load_experiment(const ExperimentPlan& plan, const std::string& directory, std::uint64_t synthetic_seed = 0);

}  // namespace wgp
