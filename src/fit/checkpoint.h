// The finished steps of a fit, kept so that an interrupted one can go on. A step depends on its inputs and on the seed
// alone, so a step read back is as good as one made again.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "fit/optimum.h"

namespace wgp {

// Of points and options: two fits with the same fingerprint take the same steps. X: inputs of a regression, else empty.
std::uint64_t fit_fingerprint(const Manifold& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options);

// An optimum as numbers, and back: Error unless all sizes are those of the problem that it is to be an optimum of.
Vector pack(const Optimum& optimum);
Optimum unpack_optimum(ConstVectorRef numbers, const FitProblem& problem);
// The same for a state by itself.
Vector pack(const FitState& state);
FitState unpack_state(ConstVectorRef numbers, const FitProblem& problem);

// Where the rounds of moves stand: the next round, which optima still lead, and all that were moved: the first ones of
// the list.
struct MovesState {
  int next_round = 0;
  std::vector<std::size_t> leading;
  std::vector<Optimum> moved;
};
Vector pack(const MovesState& state);
MovesState unpack_moves(ConstVectorRef numbers, const FitProblem& problem, std::size_t most_moved);

class StepLog {
 public:
  // Error if the checkpoint to resume from is of another fit.
  StepLog(const FitOptions& options, std::uint64_t fingerprint);

  std::optional<Vector> find(const std::string& step) const;
  void add(const std::string& step, const Vector& numbers);

  // ---- over ranks: what one of them has added since it began to record, for the others. Steps that were cut short are
  // taken too, for all are told to end then, but not kept.
  struct Steps {
    std::vector<std::string> names;
    std::vector<Vector> numbers;
    std::vector<char> whole;
    void each_part(auto&& visitor) { visitor(names, numbers, whole); }
  };
  void begin_recording();
  Steps recorded();
  void take(const Steps& of_rank);

  // A step that a checkpoint holds is read; any other is made, and kept unless `made_whole` says that it was cut short.
  template <class T, class Read, class Make, class MadeWhole>
  T step(const std::string& name, const Read& read, const Make& make, const MadeWhole& made_whole) {
    if (const std::optional<Vector> finished = find(name)) return read(*finished);
    T made = make();
    if (made_whole())
      add(name, pack(made));
    else if (records())
      record_if_whole_enough(name, pack(made), read);
    return made;
  }

 private:
  enum class CutShort { no, yes };
  template <class Read>
  void record_if_whole_enough(const std::string& step, const Vector& numbers, const Read& read) {
    try {
      read(numbers);
    } catch (const Error&) {  // it had hardly begun
      return;
    }
    record(step, numbers, CutShort::yes);
  }
  bool records() const;
  void record(const std::string& step, const Vector& numbers, CutShort cut_short);

  const FitOptions& options_;
  std::uint64_t fingerprint_;
  mutable std::mutex mutex_;
  std::map<std::string, Vector> steps_;
  std::optional<Steps> recorded_;
};

}  // namespace wgp
