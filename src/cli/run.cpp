#include "cli/run.h"

#include <sys/mman.h>
#include <unistd.h>
#include "core/format.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <new>

#include "cli/commands/commands.h"
#include "cli/input/overwriting.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"
#include "core/spelling.h"
#include "io/bytes/number.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

extern "C" void stop_cleanly(int) {
  remove_temporary_files();
  _exit(exit_interrupted);
}

// The stack of the main thread grows as it is used. Where there is no memory for that the system sends a signal, which
// is no way to end: what matrix products need of it is taken before any work, while a lack of it can still be told.
constexpr std::size_t stack_taken = std::size_t{1} << 20;

[[gnu::noinline]] void touch_stack() {
  constexpr std::size_t page = 4096;
  [[maybe_unused]] volatile char stack[stack_taken];
  for (std::size_t at = 0; at < stack_taken; at += page) stack[at] = 0;
}

void take_stack() {
  constexpr std::size_t probed = 2 * stack_taken;
  void* const probe = mmap(nullptr, probed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  munmap(probe, probed);
  touch_stack();
}

// An exception that leaves a function of the C library's, as std::call_once does, has that library look its unwinder up
// the first time, and end the process if there is no memory for it: that is seen to as well.
void take_unwinder() {
  try {
    std::once_flag once;
    std::call_once(once, [] { throw std::bad_alloc(); });
  } catch (const std::bad_alloc&) {
  }
}

const Command& command_named(const std::string& name) {
  if (const Command* command = find_command(name)) return *command;
  std::vector<std::string> known;
  for (const auto& command : commands()) known.push_back(command.name);
  if (name.starts_with("-"))
    throw UsageError(
        fmt::format("{} before the command, which comes first: wgp COMMAND [INPUT] [flags]", quote_text(name)));
  const std::string guess = nearest(name, known);
  throw UsageError(fmt::format("unknown command {}{}", quote_text(name),
                               guess.empty() ? "" : fmt::format("; did you mean {}?", guess)));
}

// Of several, the first alone runs what is not shared out; what is, cannot read what only the first has.
bool is_for_this_process(const Arguments& arguments) {
  if (!ranks()) return true;
  if (arguments.command().runs_on == RunsOn::first_process) {
    const bool is_first = writes();
    run_on_one();
    return is_first;
  }
  const auto& operands = arguments.operands();
  if (arguments.text("at") == "-" || std::find(operands.begin(), operands.end(), "-") != operands.end())
    throw UsageError("standard input (-) reaches the first process alone, and all of them read: give a file");
  return true;
}

int run(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words[0];
  if (first.empty()) {
    write_to_standard_error(general_help());
    return exit_usage;
  }
  if (first == "--help" || first == "-h" || (first == "help" && words.size() == 1)) {
    write_file("-", general_help());
    return exit_done;
  }
  if (first == "--version") {
    write_file("-", fmt::format("wgp {}\n", WGP_VERSION));
    return exit_done;
  }
  if (first == "help") {
    write_file("-", command_help(command_named(words[1])));
    return exit_done;
  }
  const Command& command = command_named(first);
  try {
    const Arguments arguments(command, {words.begin() + 1, words.end()});
    if (arguments.wants_help()) {
      write_file("-", command_help(command));
      return exit_done;
    }
    arguments.check_operand_count();
    check_overwriting(arguments);
    if (!is_for_this_process(arguments)) return exit_done;
    return command.run(arguments);
  } catch (const UsageError& error) {
    write_to_standard_error(fmt::format("wgp {}: {}\nsee wgp {} --help\n", command.name, error.what(), command.name));
    return exit_usage;
  }
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  try {
    take_stack();
    take_unwinder();
    return run(words);
  } catch (const UsageError& error) {
    write_to_standard_error(fmt::format("wgp: {}\nsee wgp --help\n", error.what()));
    return exit_usage;
  } catch (const Error& error) {
    write_to_standard_error(fmt::format("wgp: {}\n", error.what()));
    return exit_input;
  } catch (const std::bad_alloc&) {
    write_to_standard_error("wgp: the input needs more memory than there is\n");  // which must not need any
    return exit_input;
  } catch (const std::exception& error) {
    write_to_standard_error(fmt::format("wgp: internal error: {}\n", error.what()));
    return exit_internal;
  }
}

void take_signals() {
  std::signal(SIGINT, stop_cleanly);
  std::signal(SIGTERM, stop_cleanly);
  std::signal(SIGUSR1, stop_cleanly);
}

}  // namespace wgp::cli
