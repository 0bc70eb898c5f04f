#include "mpi/mpi_ranks.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <thread>

#include "core/packing.h"

namespace wgp::mpi {
namespace {

// MPI itself waits by asking again and again, and takes the time from threads that work. Others' blocks take
// milliseconds to seconds.
void wait_for(MPI_Request& request) {
  constexpr int awake_turns = 200;
  constexpr auto nap = std::chrono::microseconds(50);
  for (int turn = 0;; ++turn) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (turn < awake_turns)
      sched_yield();
    else
      std::this_thread::sleep_for(nap);
  }
}

using Size = unsigned long long;

// The highest bit of an announced size: its rank's command has ended.
constexpr Size ended_bit = Size{1} << 63;

struct End {
  int code = 0;
  std::string words;
  void each_part(auto&& visitor) { visitor(code, words); }
};

constexpr int exit_out_of_step = 1;  // an error inside the program
constexpr int exit_no_memory = 3;    // as of a command that has none

}  // namespace

MpiRanks::MpiRanks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  const auto count = static_cast<std::size_t>(count_);
  sizes_.resize(count);
  places_.resize(count);
  ended_.resize(count);
  counts_.resize(count);
  starts_.resize(count);
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &neighbours_);
  MPI_Comm_free(&machine);
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int size = 0;
  MPI_Get_processor_name(name, &size);
  machines_ = all_gathered(std::string(name, static_cast<std::size_t>(size)));
}

std::string MpiRanks::name(int rank) const {
  if (rank < 0) return "all processes";
  return fmt::format("process {} on {}", rank, machines_[static_cast<std::size_t>(rank)]);
}

void MpiRanks::announce(std::size_t size, State state) {
  const Size own = size | (state == State::ended ? ended_bit : 0);
  MPI_Request request;
  MPI_Iallgather(&own, 1, MPI_UNSIGNED_LONG_LONG, sizes_.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD, &request);
  wait_for(request);
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    ended_[k] = (sizes_[k] & ended_bit) != 0;
    sizes_[k] &= ~ended_bit;
  }
}

bool MpiRanks::any_ended() const {
  return std::any_of(ended_.begin(), ended_.end(), [](char ended) { return ended != 0; });
}

// All ranks know from the sizes whether there must be more than there was, and ask each other then alone.
void MpiRanks::make_room(Size bytes, To to) {
  Size& known = to == To::all ? room_of_all_ : room_of_the_first_;
  if (bytes <= known) return;
  int failed = count_;
  if (to == To::all || rank_ == 0) {
    try {
      if (bytes > room_.size()) room_ = std::vector<char>(static_cast<std::size_t>(bytes));
    } catch (const std::exception&) {
      failed = rank_;
    }
  }
  int first = count_;
  MPI_Request request;
  MPI_Iallreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  wait_for(request);
  if (first < count_)
    throw OthersEnded{{first, exit_no_memory, "what the processes give each other needs more memory than there is\n"}};
  known = bytes;
}

// What is asked for once is not kept.
void MpiRanks::give_back_room(Size used) {
  constexpr Size kept = Size{1} << 24;
  if (used <= kept) return;
  room_ = {};
  room_of_all_ = room_of_the_first_ = 0;
}

// What was announced goes to all of them, or to the first.
std::vector<std::string> MpiRanks::exchange(const std::string& own, To to) {
  Size total = 0;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    places_[k] = total;
    total += sizes_[k];
  }
  const bool by_one_call = total <= INT_MAX;
  // What MPI cannot count goes one rank at a time, to all of them.
  make_room(total, by_one_call ? to : To::all);
  MPI_Request request;
  if (by_one_call) {
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      counts_[k] = static_cast<int>(sizes_[k]);
      starts_[k] = static_cast<int>(places_[k]);
    }
    const int size = counts_[static_cast<std::size_t>(rank_)];
    if (to == To::all)
      MPI_Iallgatherv(own.data(), size, MPI_BYTE, room_.data(), counts_.data(), starts_.data(), MPI_BYTE,
                      MPI_COMM_WORLD, &request);
    else
      MPI_Igatherv(own.data(), size, MPI_BYTE, room_.data(), counts_.data(), starts_.data(), MPI_BYTE, 0,
                   MPI_COMM_WORLD, &request);
    wait_for(request);
  } else {
    constexpr Size piece = Size{1} << 30;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      char* const part = room_.data() + places_[k];
      if (static_cast<int>(k) == rank_) std::copy(own.begin(), own.end(), part);
      for (Size at = 0; at < sizes_[k]; at += piece) {
        MPI_Ibcast(part + at, static_cast<int>(std::min(piece, sizes_[k] - at)), MPI_BYTE, static_cast<int>(k),
                   MPI_COMM_WORLD, &request);
        wait_for(request);
      }
    }
  }
  std::vector<std::string> all;
  if (to == To::all || rank_ == 0)
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      all.emplace_back(room_.data() + places_[k], static_cast<std::size_t>(sizes_[k]));
  give_back_room(total);
  return all;
}

std::vector<std::string> MpiRanks::all_gathered(const std::string& own) {
  announce(own.size(), State::works);
  return exchange(own, To::all);
}

// Those that still work have announced something else: it is not given.
Ending MpiRanks::learn_ending(const std::string& own) {
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    if (ended_[k] == 0) sizes_[k] = 0;
  const std::vector<std::string> messages = exchange(own, To::all);
  Ending ending;
  bool all = true;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    if (ended_[k] == 0) {
      all = false;
      continue;
    }
    const auto end = unpacked<End>(messages[k]);
    if (ending.code == 0 && end.code != 0) ending = {static_cast<int>(k), end.code, end.words};
  }
  if (ending.code == 0 && !all)
    return {-1, exit_out_of_step, "the processes were not in step: do all see the same files?\n"};
  return ending;
}

std::vector<std::string> MpiRanks::gather(const std::string& own) {
  announce(own.size(), State::works);
  if (any_ended()) throw OthersEnded{learn_ending("")};
  return exchange(own, To::all);
}

std::vector<std::string> MpiRanks::gather_at_first(const std::string& own) {
  announce(own.size(), State::works);
  if (any_ended()) throw OthersEnded{learn_ending("")};
  return exchange(own, To::first);
}

Ending MpiRanks::end(int code, const std::string& words) {
  End end{code, words};
  const std::string own = packed(end);
  announce(own.size(), State::ended);
  return learn_ending(own);
}

}  // namespace wgp::mpi
