// The one table of commands and flags: it drives parsing, help, suggestions and the reference.
#pragma once

#include <string>
#include <vector>

#include "cli/input/arguments.h"

namespace wgp::cli {

struct Flag {
  std::string name;
  char letter;        // 0 if there is no short form
  std::string value;  // what stands in help for its value; empty for a switch
  std::string help;
  std::string only = {};  // the one command that means this by the name; empty: all others
};

// Of the processes of wgp-mpi.
enum class RunsOn { first_process, all_processes };

struct Command {
  std::string name;
  std::string operands;  // as in usage: "INPUT", "OP FILE..."
  std::size_t fewest_operands, most_operands;
  std::string summary;      // one line of wgp --help
  std::string description;  // of wgp COMMAND --help
  std::vector<std::string> flags;
  std::vector<std::string> examples;  // lines that work when pasted
  int (*run)(const Arguments& arguments);
  RunsOn runs_on = RunsOn::first_process;
};

const std::vector<Flag>& flags();
const std::vector<Command>& commands();

const Flag& flag_of(const Command& command, const std::string& name);
const Command* find_command(const std::string& name);  // null if there is none

std::string general_help();
std::string command_help(const Command& command);

int run_manifolds(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_geom(const Arguments& arguments);
int run_mean(const Arguments& arguments);
int run_pga(const Arguments& arguments);
int run_curve(const Arguments& arguments);
int run_fit(const Arguments& arguments);
int run_encode(const Arguments& arguments);
int run_decode(const Arguments& arguments);
int run_sample(const Arguments& arguments);
int run_morph(const Arguments& arguments);
int run_score(const Arguments& arguments);
int run_regress(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_evaluate(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_explore(const Arguments& arguments);
int run_reproduce(const Arguments& arguments);
int run_synth(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_manual(const Arguments& arguments);

// Exit codes.
inline constexpr int exit_done = 0, exit_internal = 1, exit_usage = 2, exit_input = 3, exit_not_converged = 4,
                     exit_interrupted = 130;

}  // namespace wgp::cli
