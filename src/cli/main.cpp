// The wgp command: finds the command, runs it, turns exceptions into exit codes.
#include <unistd.h>
#include "core/format.h"

#include <csignal>
#include <cstdio>
#include <new>

#include "cli/commands/commands.h"
#include "geometry/registry.h"
#include "io/bytes/number.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

extern "C" void stop_cleanly(int) {
  remove_temporary_files();
  _exit(exit_interrupted);
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

int run(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words[0];
  if (first.empty()) {
    fmt::print(stderr, "{}", general_help());
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
    return command.run(arguments);
  } catch (const UsageError& error) {
    fmt::print(stderr, "wgp {}: {}\nsee wgp {} --help\n", command.name, error.what(), command.name);
    return exit_usage;
  }
}

int guarded(const std::vector<std::string>& words) {
  try {
    return run(words);
  } catch (const UsageError& error) {
    fmt::print(stderr, "wgp: {}\nsee wgp --help\n", error.what());
    return exit_usage;
  } catch (const Error& error) {
    fmt::print(stderr, "wgp: {}\n", error.what());
    return exit_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "wgp: the input needs more memory than there is\n");
    return exit_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "wgp: internal error: {}\n", error.what());
    return exit_internal;
  }
}

}  // namespace
}  // namespace wgp::cli

int main(int count, char** words) {
  std::signal(SIGINT, wgp::cli::stop_cleanly);
  std::signal(SIGTERM, wgp::cli::stop_cleanly);
  return wgp::cli::guarded({words + 1, words + count});
}
