#include "evaluate/synthetic.h"

namespace wgp {

const std::vector<SyntheticSource>& synthetic_sources() {
  static const std::vector<SyntheticSource> sources = {
      {"femur", "338 directions of a thigh bone while walking, a closed curve on the sphere", synthetic_femur},
      {"diatoms", "780 outlines of 90 landmarks in 37 groups", synthetic_diatoms},
      {"dti", "750 diffusion tensors, evenly spread over anisotropy", synthetic_dti},
      {"crypto", "126 covariance matrices of ten prices over time", synthetic_crypto},
  };
  return sources;
}

}  // namespace wgp
