// Processes that MPI has started. One whose command ends says so in the place of what it would give next, and all end.
#pragma once

#include <string>
#include <vector>

#include "wgp/ranks.h"

namespace wgp::mpi {

// How a command ended, on the first rank whose exit code is not 0, else on rank 0.
struct Ending {
  int rank = 0, code = 0;
  std::string words;  // what it had to say, if it has not said it itself
};

// Thrown where another rank has ended while this one was waiting for what it gives. No std::exception: nobody but the
// program is to catch it.
struct OthersEnded {
  Ending ending;
};

class MpiRanks final : public Ranks {
 public:
  MpiRanks();  // of all processes. Between MPI_Init and MPI_Finalize, from the thread that called these
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::vector<std::string> gather(const std::string& own) override;
  std::vector<std::string> gather_at_first(const std::string& own) override;
  std::string name(int rank) const override;

  int count_on_this_machine() const { return neighbours_; }
  // The command has ended here. Waits for all others: those that still work learn of it.
  Ending end(int code, const std::string& words);

 private:
  std::vector<std::string> all_gathered(const std::string& own) const;

  int rank_ = 0, count_ = 1, neighbours_ = 1;
  std::vector<std::string> machines_;  // of each rank
};

}  // namespace wgp::mpi
