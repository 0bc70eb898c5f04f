// wgp manual: the man page and the reference page, from the table of commands.
#include "core/format.h"

#include "cli/commands/commands.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

// Backslashes and hyphens are printed as they are; a leading dot would be a request.
std::string roff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else {
      if (line_start && (c == '.' || c == '\'')) result += "\\&";
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string shown_flag(const Flag& flag) {
  return fmt::format(
      "--{}{}{}", flag.name, flag.value.empty() ? "" : " " + flag.value,
      flag.letter == 0 ? "" : fmt::format(", -{}{}", flag.letter, flag.value.empty() ? "" : " " + flag.value));
}

constexpr const char* exit_codes[][2] = {{"0", "done"},
                                         {"1", "an error inside the program"},
                                         {"2", "wrong usage"},
                                         {"3", "bad input"},
                                         {"4", "something did not converge, under --strict"},
                                         {"130", "interrupted; a fit keeps its best model so far"}};

std::string man_page() {
  std::string page =
      ".TH WGP 1 \"\" \"wgp " WGP_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nwgp \\- probabilistic models of data on Riemannian manifolds\n"
      ".SH SYNOPSIS\n.B wgp\n.I COMMAND\n[\\fIINPUT\\fR] [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\nLearns low\\-dimensional, probabilistic models of directions, shapes, covariance matrices, "
      "rotations and other data on a Riemannian manifold.\n"
      ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    page += fmt::format(".SS {} {}\n.nf\n{}\n.fi\n", command.name, roff(command.operands), roff(command.description));
    for (const std::string& name : command.flags) {
      const Flag& flag = flag_of(command, name);
      page += fmt::format(".TP\n.B {}\n{}\n", roff(shown_flag(flag)), roff(flag.help));
    }
    page += ".PP\n.nf\n";
    for (const std::string& example : command.examples) page += roff("  " + example) + "\n";
    page += ".fi\n";
  }
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes) page += fmt::format(".TP\n.B {}\n{}\n", code, roff(meaning));
  return page;
}

std::string reference_page() {
  std::string page =
      "# Reference\n\nEvery command and every flag, made by `wgp manual --markdown` from the table that also drives "
      "the "
      "command's\nparsing and help.\n";
  for (const Command& command : commands()) {
    page += fmt::format("\n## wgp {}{}\n\n```\n{}\n```\n\n", command.name,
                        command.operands.empty() ? "" : " " + command.operands, command.description);
    page += "| flag | meaning |\n| --- | --- |\n";
    for (const std::string& name : command.flags) {
      const Flag& flag = flag_of(command, name);
      page += fmt::format("| `{}` | {} |\n", shown_flag(flag), flag.help);
    }
    page += "\n```sh\n";
    for (const std::string& example : command.examples) page += example + "\n";
    page += "```\n";
  }
  page += "\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n";
  for (const auto& [code, meaning] : exit_codes) page += fmt::format("| {} | {} |\n", code, meaning);
  return page;
}

}  // namespace

int run_manual(const Arguments& arguments) {
  write_file("-", arguments.has("markdown") ? reference_page() : man_page());
  return exit_done;
}

}  // namespace wgp::cli
