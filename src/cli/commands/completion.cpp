// wgp completion: scripts that complete commands, flags and files in bash, zsh and fish, from the table of commands.
#include "core/format.h"

#include "cli/commands/commands.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

// Text between single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result;
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::string flag_words(const Command& command) {
  std::string words;
  for (const std::string& name : command.flags) {
    const Flag& flag = flag_of(command, name);
    words += fmt::format("{}--{}", words.empty() ? "" : " ", flag.name);
    if (flag.letter != 0) words += fmt::format(" -{}", flag.letter);
  }
  return words;
}

std::string bash_script() {
  std::string cases;
  for (const Command& command : commands())
    cases += fmt::format("    {}) flags='{}' ;;\n", command.name, flag_words(command));
  return fmt::format(
      "# bash completion of wgp:  source <(wgp completion bash)\n"
      "_wgp() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} flags=''\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _wgp wgp\n",
      command_names(), cases);
}

// Square brackets and colons mean something to _arguments.
std::string for_zsh(const std::string& text) {
  std::string result;
  for (const char c : quoted(text))
    result += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
  return result;
}

std::string zsh_script() {
  std::string list, cases;
  for (const Command& command : commands()) {
    list += fmt::format("    '{}:{}'\n", command.name, for_zsh(command.summary));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const std::string& name : command.flags) {
      const Flag& flag = flag_of(command, name);
      const std::string value = flag.value.empty() ? "" : fmt::format(":{}:_files", flag.value);
      cases += fmt::format("        '--{}[{}]{}' \\\n", flag.name, for_zsh(flag.help), value);
    }
    cases += "        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(
      "#compdef wgp\n"
      "# zsh completion of wgp:  wgp completion zsh >~/.zsh/_wgp, in a directory of fpath\n"
      "_wgp() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=${{words[2]}}\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "_wgp \"$@\"\n",
      list, cases);
}

std::string fish_script() {
  std::string lines = "# fish completion of wgp:  wgp completion fish >~/.config/fish/completions/wgp.fish\n";
  for (const Command& command : commands())
    lines += fmt::format("complete -c wgp -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                         quoted(command.summary));
  for (const Command& command : commands())
    for (const std::string& name : command.flags) {
      const Flag& flag = flag_of(command, name);
      lines += fmt::format("complete -c wgp -n '__fish_seen_subcommand_from {}' -l {}{}{} -d '{}'\n", command.name,
                           flag.name, flag.letter != 0 ? fmt::format(" -s {}", flag.letter) : "",
                           flag.value.empty() ? "" : " -r", quoted(flag.help));
    }
  return lines;
}

}  // namespace

int run_completion(const Arguments& arguments) {
  const std::string& shell = arguments.operands()[0];
  if (shell == "bash")
    write_file("-", bash_script());
  else if (shell == "zsh")
    write_file("-", zsh_script());
  else if (shell == "fish")
    write_file("-", fish_script());
  else
    throw UsageError(fmt::format("there is no completion for '{}'; there are bash, zsh and fish", shell));
  return exit_done;
}

}  // namespace wgp::cli
