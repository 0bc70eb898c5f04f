// wgp-mpi: the wgp command on many processes. All of them run the same command; fits, encodings and evaluations share
// their work, the first process does everything else and writes.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <set>
#include <thread>

#include "cli/commands/commands.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "core/format.h"
#include "core/packing.h"
#include "simd/level.h"

namespace {

class MpiRanks final : public wgp::Ranks {
 public:
  MpiRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::vector<std::string> gather(const std::string& own) override {
    const auto ranks = static_cast<std::size_t>(count_);
    unsigned long long size = own.size();
    std::vector<unsigned long long> sizes(ranks);
    MPI_Allgather(&size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD);
    std::vector<std::string> all(ranks);
    unsigned long long sum = 0;
    for (const unsigned long long one : sizes) sum += one;
    if (sum <= INT_MAX) {
      std::vector<int> counts(sizes.begin(), sizes.end()), places(ranks);
      for (std::size_t k = 1; k < ranks; ++k) places[k] = places[k - 1] + counts[k - 1];
      std::string together(sum, '\0');
      MPI_Allgatherv(own.data(), static_cast<int>(size), MPI_BYTE, together.data(), counts.data(), places.data(),
                     MPI_BYTE, MPI_COMM_WORLD);
      for (std::size_t k = 0; k < ranks; ++k)
        all[k] = together.substr(static_cast<std::size_t>(places[k]), static_cast<std::size_t>(counts[k]));
      return all;
    }
    // More than a count of MPI can say: one rank at a time, piece by piece.
    for (std::size_t k = 0; k < ranks; ++k) {
      all[k].resize(sizes[k]);
      if (static_cast<int>(k) == rank_) all[k] = own;
      constexpr unsigned long long piece = 1ULL << 30;
      for (unsigned long long at = 0; at < sizes[k]; at += piece)
        MPI_Bcast(all[k].data() + at, static_cast<int>(std::min(piece, sizes[k] - at)), MPI_BYTE, static_cast<int>(k),
                  MPI_COMM_WORLD);
    }
    return all;
  }

 private:
  int rank_ = 0, count_ = 1;
};

// What a rank that does not write would print: kept, for it may be the only one that knows what went wrong.
class HeldBack {
 public:
  HeldBack() : real_(dup(STDERR_FILENO)), kept_(memfd_create("wgp-mpi", 0)) {
    const int nowhere = memfd_create("wgp-mpi", 0);
    dup2(nowhere, STDOUT_FILENO);
    dup2(kept_, STDERR_FILENO);
  }
  void tell(int rank) {
    std::array<char, 2000> text{};
    const ssize_t size = pread(kept_, text.data(), text.size(), 0);
    dup2(real_, STDERR_FILENO);
    if (size > 0)
      wgp::cli::write_to_standard_error(fmt::format("wgp-mpi: process {}: {}", rank, std::string(text.data(), static_cast<std::size_t>(size))));
  }

 private:
  int real_, kept_;
};

// All of one version, with the instructions that all their processors have: other ones would round otherwise.
bool are_alike(MpiRanks& ranks) {
  struct Kind {
    std::string version, levels;
    void each_part(auto&& visitor) { visitor(version, levels); }
  };
  return true;
}

}  // namespace
