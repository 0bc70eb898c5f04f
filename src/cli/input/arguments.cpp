#include "cli/input/arguments.h"

#include "core/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/commands/commands.h"
#include "core/spelling.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

bool looks_like_flag(const std::string& word) { return word.size() > 1 && word[0] == '-' && !parse_number(word); }

const Flag& match(const Command& command, const std::string& word) {
  std::vector<std::string> known;
  for (const auto& name : command.flags) {
    const Flag& flag = flag_of(command, name);
    if (word == "--" + flag.name || (flag.letter != 0 && word == std::string{'-', flag.letter})) return flag;
    known.push_back("--" + flag.name);
  }
  const std::string guess = nearest(word, known);
  throw UsageError(fmt::format("unknown flag {}{}", quote_text(word),
                               guess.empty() ? "" : fmt::format("; did you mean {}?", guess)));
}

// "INPUT...": one is enough.
std::string without_dots(std::string operands) {
  if (operands == "INPUT...") operands.resize(operands.size() - 3);
  return operands;
}

}  // namespace

Arguments::Arguments(const Command& command, const std::vector<std::string>& words) : command_(&command) {
  bool flags_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (flags_ended || !looks_like_flag(word)) {
      operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      flags_ended = true;
      continue;
    }
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const Flag& flag = match(command, word.substr(0, equals));
    if (has(flag.name) && flag.name != "help") throw UsageError(fmt::format("--{} is given twice", flag.name));
    std::string value;
    if (flag.value.empty()) {
      if (equals != std::string::npos) throw UsageError(fmt::format("--{} takes no value", flag.name));
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else {
      if (i + 1 == words.size() || looks_like_flag(words[i + 1]))
        throw UsageError(fmt::format("{} needs a value: {} {}", word, word, flag.value));
      value = words[++i];
    }
    if (!flag.value.empty() && value.empty()) throw UsageError(fmt::format("--{} has an empty value", flag.name));
    values_[flag.name] = value;
  }
}

void Arguments::check_operand_count() const {
  const std::size_t given = operands_.size();
  if (given > command_->most_operands)
    throw UsageError(fmt::format("one operand too many: {}", quote_text(operands_[command_->most_operands])));
  if (given < command_->fewest_operands)
    throw UsageError(given == 0 ? fmt::format("{} is missing", without_dots(command_->operands))
                                : fmt::format("operands are missing: {} are needed", command_->operands));
}

std::string Arguments::text(const std::string& flag, const std::string& otherwise) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? otherwise : found->second;
}

std::string Arguments::required(const std::string& flag, const std::string& advice) const {
  if (!has(flag)) throw UsageError(fmt::format("--{} {} is needed; {}", flag, flag_of(*command_, flag).value, advice));
  return text(flag);
}

Index Arguments::integer(const std::string& flag, Index otherwise, Index smallest, Index largest) const {
  if (!has(flag)) return otherwise;
  const std::string value = text(flag);
  Index result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size() || result < smallest || result > largest)
    throw UsageError(
        fmt::format("--{} {}: a whole number from {} to {} is needed", flag, quote_text(value), smallest, largest));
  return result;
}

double Arguments::number(const std::string& flag, double otherwise, double smallest, double largest) const {
  if (!has(flag)) return otherwise;
  const auto result = parse_number(text(flag));
  if (!result || !(*result >= smallest && *result <= largest))
    throw UsageError(
        fmt::format("--{} {}: a number from {} to {} is needed", flag, quote_text(text(flag)), smallest, largest));
  return *result;
}

std::string Arguments::choice(const std::string& flag, const std::string& otherwise,
                              const std::vector<std::string>& known) const {
  const std::string value = text(flag, otherwise);
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  const std::string guess = nearest(value, known);
  throw UsageError(fmt::format("--{} {}: {} is needed{}", flag, quote_text(value), fmt::join(known, " or "),
                               guess.empty() ? "" : fmt::format("; did you mean {}?", guess)));
}

std::uint64_t Arguments::seed() const {
  if (!has("seed")) return 0;
  const std::string value = text("seed");
  std::uint64_t result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size())
    throw UsageError(fmt::format("--seed {}: a whole number from 0 to 2^64 - 1 is needed", quote_text(value)));
  return result;
}

}  // namespace wgp::cli
