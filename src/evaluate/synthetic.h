// Synthetic data sets with known truth, close to those of the paper's experiments in size, dimension and difficulty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wgp/types.h"

namespace wgp {

struct SyntheticSet {
  std::string manifold;                   // spec
  Index latent = 2;                       // dimension of the truth
  std::string kernel = "rbf";             // what to fit: femur has a closed latent
  Matrix points;                          // as rows of a file would be, one column per point: noisy
  Matrix truth;                           // without noise, in the same form
  Matrix latents;                         // that the truth is a function of
  std::vector<std::string> point_names;   // of the entries
  std::vector<std::string> latent_names;  // of the latents
  std::vector<std::string> labels;        // groups; empty if there are none
};

struct SyntheticSource {
  std::string name;
  std::string summary;  // one line
  SyntheticSet (*make)(std::uint64_t seed);
};
const std::vector<SyntheticSource>& synthetic_sources();

SyntheticSet synthetic_femur(std::uint64_t seed);
SyntheticSet synthetic_diatoms(std::uint64_t seed);
SyntheticSet synthetic_dti(std::uint64_t seed);
SyntheticSet synthetic_crypto(std::uint64_t seed);

}  // namespace wgp
