// Processes that MPI has started. One whose command ends says so in the place of what it would give next, and all end.
#pragma once

#include <string>
#include <vector>

#include "wgp/ranks.h"

namespace wgp::mpi {

// How a command ended, on the first rank whose exit code is not 0, else on rank 0.
struct Ending {
  int rank = 0, code = 0;
  std::string words;  // what it had to say; empty where it has said it itself
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
  // An exchange has two collective steps. A rank that failed between them would leave the others in the second one, so
  // nothing there can: all room for what is to come is made before, and where one has none all of them end.
  enum class State { works, ended };
  enum class To { all, first };
  void announce(std::size_t size, State state);
  bool any_ended() const;
  std::vector<std::string> exchange(const std::string& own, To to);
  void make_room(unsigned long long bytes, To to);
  void give_back_room(unsigned long long used);
  Ending learn_ending(const std::string& own);
  std::vector<std::string> all_gathered(const std::string& own);

  int rank_ = 0, count_ = 1, neighbours_ = 1;
  std::vector<std::string> machines_;  // of each rank
  // Of the exchange at hand, of each rank.
  std::vector<unsigned long long> sizes_, places_;
  std::vector<char> ended_;
  std::vector<int> counts_, starts_;
  std::vector<char> room_;                                      // for what all give together
  unsigned long long room_of_all_ = 0, room_of_the_first_ = 0;  // the same numbers on all ranks
};

}  // namespace wgp::mpi
