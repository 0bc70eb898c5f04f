#include "core/format.h"

#include <algorithm>

#include "cli/commands/commands.h"

namespace wgp::cli {

// One screen of 24 lines; what belongs to the shell rather than to data is named at the end.
std::string general_help() {
  std::string text = "wgp COMMAND [INPUT] [flags]: models of data on Riemannian manifolds\n";
  for (const auto& command : commands())
    if (command.name != "completion" && command.name != "manual")
      text += fmt::format("  {:<11}{}\n", command.name, command.summary);
  return text +
         "\nINPUT: one point per row (CSV, NPY, NPZ, TPS, NIfTI, BVH, ...); - is stdin.\n"
         "More: wgp COMMAND --help, wgp manual, wgp completion SHELL, wgp --version.\n";
}

std::string command_help(const Command& command) {
  std::string text =
      fmt::format("wgp {}: {}\n\n{}\n\nusage: wgp {}{}{} [flags]\n\nflags:\n", command.name, command.summary,
                  command.description, command.name, command.operands.empty() ? "" : " ", command.operands);
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const auto& name : command.flags) {
    const Flag& flag = flag_of(command, name);
    left.push_back(fmt::format("{}--{}{}{}", flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : "    ", flag.name,
                               flag.value.empty() ? "" : " ", flag.value));
    width = std::max(width, left.back().size());
  }
  for (std::size_t i = 0; i < left.size(); ++i)
    text += fmt::format("  {:<{}}  {}\n", left[i], width, flag_of(command, command.flags[i]).help);
  text += "\nexamples:\n";
  for (const auto& example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

}  // namespace wgp::cli
