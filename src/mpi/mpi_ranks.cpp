#include "mpi/mpi_ranks.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <numeric>
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

// Where each message begins in all of them together; empty where they are more than a count of MPI can say.
std::vector<int> places_of(const std::vector<Size>& sizes) {
  if (std::accumulate(sizes.begin(), sizes.end(), Size{0}) > INT_MAX) return {};
  std::vector<int> places(sizes.size());
  for (std::size_t k = 1; k < sizes.size(); ++k) places[k] = places[k - 1] + static_cast<int>(sizes[k - 1]);
  return places;
}

std::vector<std::string> taken_apart(const std::string& together, const std::vector<Size>& sizes,
                                     const std::vector<int>& places) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    all.push_back(together.substr(static_cast<std::size_t>(places[k]), static_cast<std::size_t>(sizes[k])));
  return all;
}

// What a message begins with: its rank works on, or its command has ended.
constexpr char works = 'w', ended = 'e';

struct End {
  int code = 0;
  std::string words;
  void each_part(auto&& visitor) { visitor(code, words); }
};

constexpr int exit_out_of_step = 1;  // an error inside the program

Ending ending_of(const std::vector<std::string>& messages) {
  Ending ending;
  bool all = true;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    if (messages[k].front() != ended) {
      all = false;
      continue;
    }
    const auto end = unpacked<End>(messages[k].substr(1));
    if (ending.code == 0 && end.code != 0) ending = {static_cast<int>(k), end.code, end.words};
  }
  if (ending.code == 0 && !all)
    return {-1, exit_out_of_step, "the processes were not in step: do all see the same files?\n"};
  return ending;
}

}  // namespace

MpiRanks::MpiRanks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
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

std::vector<std::string> MpiRanks::all_gathered(const std::string& own) const {
  const Size size = own.size();
  std::vector<Size> sizes(static_cast<std::size_t>(count_));
  MPI_Request request;
  MPI_Iallgather(&size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD, &request);
  wait_for(request);
  if (const std::vector<int> places = places_of(sizes); !places.empty()) {
    const std::vector<int> counts(sizes.begin(), sizes.end());
    std::string together(std::accumulate(sizes.begin(), sizes.end(), Size{0}), '\0');
    MPI_Iallgatherv(own.data(), static_cast<int>(size), MPI_BYTE, together.data(), counts.data(), places.data(),
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(request);
    return taken_apart(together, sizes, places);
  }
  // One rank at a time, piece by piece.
  constexpr Size piece = Size{1} << 30;
  std::vector<std::string> all(sizes.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k] = static_cast<int>(k) == rank_ ? own : std::string(static_cast<std::size_t>(sizes[k]), '\0');
    for (Size at = 0; at < sizes[k]; at += piece) {
      MPI_Ibcast(all[k].data() + at, static_cast<int>(std::min(piece, sizes[k] - at)), MPI_BYTE, static_cast<int>(k),
                 MPI_COMM_WORLD, &request);
      wait_for(request);
    }
  }
  return all;
}

std::vector<std::string> MpiRanks::gather(const std::string& own) {
  std::vector<std::string> messages = all_gathered(works + own);
  if (std::any_of(messages.begin(), messages.end(), [](const std::string& one) { return one.front() == ended; }))
    throw OthersEnded{ending_of(messages)};
  for (std::string& message : messages) message.erase(0, 1);
  return messages;
}

// All of them work: RankExchange has asked.
std::vector<std::string> MpiRanks::gather_at_first(const std::string& own) {
  const Size size = own.size();
  std::vector<Size> sizes(static_cast<std::size_t>(count_));
  MPI_Request request;
  MPI_Iallgather(&size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD, &request);
  wait_for(request);
  const std::vector<int> places = places_of(sizes);
  if (places.empty()) {
    std::vector<std::string> all = all_gathered(own);
    if (rank_ != 0) all.clear();
    return all;
  }
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::string together(rank_ == 0 ? std::accumulate(sizes.begin(), sizes.end(), Size{0}) : Size{0}, '\0');
  MPI_Igatherv(own.data(), static_cast<int>(size), MPI_BYTE, together.data(), counts.data(), places.data(), MPI_BYTE, 0,
               MPI_COMM_WORLD, &request);
  wait_for(request);
  return rank_ == 0 ? taken_apart(together, sizes, places) : std::vector<std::string>();
}

Ending MpiRanks::end(int code, const std::string& words) {
  End own{code, words};
  return ending_of(all_gathered(ended + packed(own)));
}

}  // namespace wgp::mpi
