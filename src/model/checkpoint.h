// The finished steps of a search, kept so that an interrupted fit can go on. A step depends on its inputs and on the
// seed alone, so a step read back is as good as one made again.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "model/search.h"

namespace wgp {

// Of points and options: two fits with the same fingerprint take the same steps.
std::uint64_t fit_fingerprint(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options);

Vector pack(const Optimum& optimum);
Optimum unpack(ConstVectorRef numbers);

// Where the rounds of moves stand: the next round, which optima still lead, and all that were moved: the first ones of
// the list.
struct MovesState {
  int next_round = 0;
  std::vector<std::size_t> leading;
  std::vector<Optimum> moved;
};
Vector pack(const MovesState& state);
MovesState unpack_moves(ConstVectorRef numbers);

class StepLog {
 public:
  StepLog(const FitOptions& options, std::uint64_t fingerprint);
  std::optional<Vector> find(const std::string& step) const;
  void add(const std::string& step, Vector numbers);

 private:
  const FitOptions& options_;
  mutable std::mutex mutex_;
  FitCheckpoint checkpoint_;
};

}  // namespace wgp
