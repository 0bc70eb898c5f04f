// wgp-mpi: the wgp command on many processes. All of them run the same command and share the work of fits, encodings,
// scores and evaluations; the first one does what is not shared, writes and prints.
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cli/commands/commands.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "core/format.h"
#include "mpi/alike.h"
#include "mpi/mpi_ranks.h"

namespace wgp::mpi {
namespace {

// Its share of the machine, and no more processors than it has been bound to.
int threads_of_each(const MpiRanks& ranks) {
  const int present = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  cpu_set_t bound;
  const int granted = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : present;
  return std::max(1, std::min(granted, present / ranks.count_on_this_machine()));
}

void print_nothing() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
}

// Until all have ended, each with what it has to say: who works still has said nothing of the end.
Ending ending_of(MpiRanks& ranks, const std::vector<std::string>& words) {
  std::string held_back;
  try {
    if (const auto what = difference(ranks, WGP_VERSION, words)) {
      if (ranks.rank() == 0) cli::write_to_standard_error(fmt::format("wgp-mpi: {}\n", *what));
      return {0, cli::exit_usage, ""};
    }
    if (ranks.rank() != 0) {
      print_nothing();
      cli::hold_back_standard_error(&held_back);
    }
    cli::run_on(ranks, threads_of_each(ranks));
    const int code = cli::run_command(words);
    cli::hold_back_standard_error(nullptr);
    return ranks.end(code, held_back);
  } catch (const OthersEnded& others) {
    cli::hold_back_standard_error(nullptr);
    return others.ending;
  }
}

int run(const std::vector<std::string>& words) {
  MpiRanks ranks;
  if (ranks.count() == 1) return cli::run_command(words);
  const Ending ending = ending_of(ranks, words);
  if (ranks.rank() == 0 && !ending.words.empty())
    cli::write_to_standard_error(fmt::format("wgp-mpi: {}: {}", ranks.name(ending.rank), ending.words));
  return ending.code;
}

// At the very beginning or end, where the others cannot be told: they must not wait for this process.
[[noreturn]] void end_all(std::string_view words) noexcept {
  cli::write_to_standard_error("wgp-mpi: a process has to end, and all others with it: ");
  cli::write_to_standard_error(words);
  if (!words.ends_with('\n')) cli::write_to_standard_error("\n");
  MPI_Abort(MPI_COMM_WORLD, cli::exit_input);
  std::abort();
}

}  // namespace
}  // namespace wgp::mpi

int main(int count, char** words) {
  wgp::cli::open_standard_streams();
  int granted = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &granted);
  wgp::cli::take_signals();
  try {
    const int code = wgp::mpi::run({words + 1, words + count});
    MPI_Finalize();
    return code;
  } catch (const wgp::mpi::OthersEnded& others) {
    wgp::mpi::end_all(others.ending.words);
  } catch (const std::bad_alloc&) {
    wgp::mpi::end_all("there is not enough memory\n");
  } catch (const std::exception& error) {
    wgp::mpi::end_all(error.what());
  }
}
