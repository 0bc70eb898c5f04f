// The command line: flags and operands of one command, checked against the table in commands.h.
//   --flag value, --flag=value, -o value, -h; "--" ends the flags; "-" and negative numbers are operands.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "wgp/types.h"

namespace wgp::cli {

// Wrong usage: exit 2. (wgp::Error is bad input: exit 3.)
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Command;

class Arguments {
 public:
  Arguments(const Command& command, const std::vector<std::string>& words);

  const Command& command() const { return *command_; }
  const std::vector<std::string>& operands() const { return operands_; }
  bool wants_help() const { return has("help"); }
  void check_operand_count() const;

  bool has(const std::string& flag) const { return values_.count(flag) > 0; }
  std::string text(const std::string& flag, const std::string& otherwise = "") const;
  std::string required(const std::string& flag, const std::string& advice) const;
  Index integer(const std::string& flag, Index otherwise, Index smallest, Index largest) const;
  double number(const std::string& flag, double otherwise, double smallest, double largest) const;
  // One of a few words; a wrong one is answered with the nearest right one.
  std::string choice(const std::string& flag, const std::string& otherwise,
                     const std::vector<std::string>& known) const;
  std::uint64_t seed() const;

 private:
  const Command* command_;
  std::vector<std::string> operands_;
  std::map<std::string, std::string> values_;
};

}  // namespace wgp::cli
