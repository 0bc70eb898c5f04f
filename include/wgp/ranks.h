// Processes that make one computation together: a fit of points that are spread over them (FitOptions::ranks). All run
// the same program with the same arguments, and come by every gather in the same order. wgp-mpi has them by MPI.
#pragma once

#include <string>
#include <vector>

#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // 0 .. count() - 1
  virtual int count() const = 0;
  // What every rank gives, in their order: waits until all have given theirs.
  virtual std::vector<std::string> gather(const std::string& own) = 0;
  // The same where rank 0 alone needs it: elsewhere empty.
  virtual std::vector<std::string> gather_at_first(const std::string& own);
  // What messages call one of them.
  virtual std::string name(int rank) const;
};

}  // namespace WGP_PUBLIC
