// In which order an image keeps the six numbers of a symmetric 3 x 3 tensor: told by the header's intent, else found
// from the data.
//
// The three orders in use put the diagonal at different places. Read in the right order nearly every diffusion tensor
// is positive definite; in a wrong one some diagonal entry is really an off-diagonal one, of either sign and small, so
// that few are. The order is taken as found only if it is the one that fits.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "wgp/types.h"

namespace wgp {

enum class TensorOrder {
  automatic,
  symmatrix,  // xx xy yy xz yz zz: the lower triangle, NIfTI's intent SYMMATRIX and wgp's rows
  fsl,        // xx xy xz yy yz zz: the upper triangle
  mrtrix,     // xx yy zz xy xz yz: the diagonal first
};
std::string to_string(TensorOrder order);
// "symmatrix", "fsl" or "mrtrix"; anything else is an Error.
TensorOrder parse_tensor_order(const std::string& name);
// Where xx, xy, yy, xz, yz and zz stand.
const std::array<Index, 6>& tensor_places(TensorOrder order);

// Counts, over the tensors of an image, which orders make them positive definite.
class TensorOrderVotes {
 public:
  void add(const double* six);  // as they stand in the file
  Index count() const { return count_; }
  // Whether no order makes sense of the numbers, so that they are no tensors.
  bool none() const;
  // The order, and in `reason` why. given: asked for by the user. An Error where it is not clear, or where the intent
  // code says what the data contradict.
  TensorOrder decide(TensorOrder given, bool intent_symmatrix, const std::string& file, std::string& reason) const;

 private:
  double share(TensorOrder order) const;
  std::string shares_text() const;

  Index count_ = 0;
  std::array<Index, 4> definite_{};  // by order
};

}  // namespace wgp
