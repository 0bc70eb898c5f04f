// Points that are points to the last digits: nothing needs to be done to them.
#pragma once

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// A manifold that sees at little cost whether projections would change anything derives from this as well; readers of
// points then copy none of these.
class ExactPoints {
 public:
  virtual ~ExactPoints() = default;
  // How many of the first columns of X are finite and on the manifold up to rounding.
  virtual Index leading_exact(ConstMatrixRef X) const = 0;
};

// Of any manifold: none of those that do not say.
Index leading_exact(const Manifold& manifold, ConstMatrixRef X);

}  // namespace WGP_PUBLIC
