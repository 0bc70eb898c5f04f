// What a long computation says of itself on the way, and how it is told to end.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct Progress {
  std::string phase;
  int step = 0, steps = 0;
  double best = -std::numeric_limits<double>::infinity();  // log posterior so far; minus infinity while there is none
};

// Asked from one thread at a time, at every step and every tenth of a second within a long one; false: end with the
// best so far. What it throws reaches the caller of the computation.
using KeepGoing = std::function<bool(const Progress&)>;

// Thrown through a computation that has been told to end. minimise() catches it and returns the best point so far.
struct Stopped {};

}  // namespace WGP_PUBLIC
