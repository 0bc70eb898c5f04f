// In which order an image keeps the six numbers of a symmetric 3 x 3 tensor: told by the header's intent, else found
// from the data.
//
// The three orders in use put the diagonal at different places. Read in the right order nearly every diffusion tensor
// is positive definite; in a wrong one some diagonal entry is really an off-diagonal one, of either sign and small, so
// that few are. The order is taken as found only if it is the one that fits.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// How an image holds its tensors: what an image that is made from them must have to be read by the same programs.
struct TensorForm {
  TensorOrder order = TensorOrder::symmatrix;
  bool whole = false;      // all nine numbers, row by row; the order then says nothing
  bool five_axes = true;   // x, y, z, 1, 6; false: x, y, z, 6
  bool has_intent = true;  // the header's intent is SYMMATRIX
  bool operator==(const TensorForm&) const = default;

  Index channels() const { return whole ? 9 : 6; }
  std::vector<std::string> channel_names() const;  // as they stand: "xx", "yy", ...
  // As a header keeps it: "mrtrix 4", "symmatrix 5 intent", "matrix 4"; read back, nothing for other texts.
  std::string text() const;
  static std::optional<TensorForm> from_text(std::string_view text);
};
// What programs that use this order write: symmatrix has five axes and its intent, the others have four.
TensorForm usual_form(TensorOrder order);
// The order that names of channels say; automatic if they say none.
TensorOrder order_of_names(const std::vector<std::string>& names);

// Counts, over the tensors of an image, which orders make them positive definite.
class TensorOrderVotes {
 public:
  void add(const double* six);  // as they stand in the file
  Index count() const { return count_; }
  // Whether no order makes sense of the numbers, so that they are no tensors.
  bool none() const;
  // The order, and in `reason` why. given: asked for by the user. An Error where it is not clear, where the file says
  // what the data contradict, and where the user asks for what neither of them says.
  // stated: what the file says itself, in its intent code or in the names of its channels (stated_by).
  TensorOrder decide(TensorOrder given, TensorOrder stated, const std::string& stated_by, const std::string& file,
                     std::string& reason) const;

 private:
  double share(TensorOrder order) const;
  std::string shares_text() const;

  Index count_ = 0;
  std::array<Index, 4> definite_{};  // by order
};

}  // namespace wgp
