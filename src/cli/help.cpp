#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"

namespace wgp::cli {

std::string general_help() {
  std::string text =
      "wgp: probabilistic models of data on Riemannian manifolds\n\n"
      "usage: wgp COMMAND [INPUT] [flags]\n\n";
  for (const auto& command : commands()) text += fmt::format("  {:<11}{}\n", command.name, command.summary);
  return text +
         "\n"
         "INPUT is a table with one point per row: CSV, TSV or NPY; - is standard input.\n"
         "Data goes to standard output or -o FILE, messages to standard error.\n"
         "Exit: 0 done, 2 usage, 3 bad input, 4 not converged (--strict), 130 interrupted.\n"
         "\n"
         "wgp COMMAND --help explains a command, wgp --version tells the version.\n";
}

std::string command_help(const Command& command) {
  std::string text =
      fmt::format("wgp {}: {}\n\n{}\n\nusage: wgp {}{}{} [flags]\n\nflags:\n", command.name, command.summary,
                  command.description, command.name, command.operands.empty() ? "" : " ", command.operands);
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const auto& name : command.flags) {
    const Flag& flag = flag_named(name);
    left.push_back(fmt::format("{}--{}{}{}", flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : "    ", flag.name,
                               flag.value.empty() ? "" : " ", flag.value));
    width = std::max(width, left.back().size());
  }
  for (std::size_t i = 0; i < left.size(); ++i)
    text += fmt::format("  {:<{}}  {}\n", left[i], width, flag_named(command.flags[i]).help);
  text += "\nexamples:\n";
  for (const auto& example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

}  // namespace wgp::cli
