#include "cli/input/overwriting.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/input/inputs.h"
#include "cli/input/label_file.h"
#include "cli/input/motion_input.h"
#include "cli/input/several_files.h"
#include "core/format.h"
#include "io/bytes/number.h"
#include "io/motion/asf_amc.h"

namespace wgp::cli {
namespace {

struct NamedFile {
  std::string flag;  // "output", or of an operand what usage calls it: "INPUT"
  std::string path;
  bool is_flag() const { return flag.front() >= 'a'; }
  std::string text() const {
    const std::string shown = path == "-" ? "standard input" : quote_text(path);
    return is_flag() ? fmt::format("--{} {}", flag, shown) : fmt::format("{} {}", flag, shown);
  }
};

constexpr std::array<const char*, 4> written_flags = {"output", "checkpoint", "nodes-out", "basis-out"};

bool is_written(const std::string& flag) {
  return std::find(written_flags.begin(), written_flags.end(), flag) != written_flags.end();
}

// What usage calls each operand: "MODEL INPUT", "OP FILE...".
std::vector<std::string> operand_words(const Command& command) {
  std::istringstream words(command.operands);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

// Operands of these names are no files.
bool is_file_word(const std::string& word) {
  return word != "OP" && word != "NAME" && word != "SHELL" && word != "[SETS]";
}

// The ASF file that an AMC file goes with and nobody named.
void add_skeleton(const Arguments& arguments, const std::string& path, std::vector<NamedFile>& files) {
  if (motion_kind(path) != MotionKind::amc || arguments.has("skeleton")) return;
  try {
    files.push_back({"SKELETON", find_asf(path)});
  } catch (const Error&) {  // whoever reads it will say that there is none
  }
}

std::vector<NamedFile> files_read(const Arguments& arguments) {
  const std::vector<std::string> words = operand_words(arguments.command());
  std::vector<NamedFile> files;
  for (std::size_t i = 0; i < arguments.operands().size() && !words.empty(); ++i) {
    std::string word = words[std::min(i, words.size() - 1)];
    if (!is_file_word(word)) continue;
    if (word.starts_with('[')) word = word.substr(1, word.size() - 2);
    if (word.ends_with("...")) word.resize(word.size() - 3);
    for (const std::string& path : files_named_by(arguments.operands()[i])) {
      files.push_back({word, path});
      add_skeleton(arguments, path, files);
    }
  }
  for (const std::string& name : arguments.command().flags) {
    const std::string& value = flag_of(arguments.command(), name).value;
    if ((value == "FILE" || value == "LATENTS") && arguments.has(name) && !is_written(name))
      for (const std::string& path : files_named_by(arguments.text(name))) files.push_back({name, path});
  }
  if (arguments.has("labels"))
    if (const auto labels = label_file(arguments.text("labels"))) files.push_back({"labels", labels->path});
  if (arguments.has("mask"))
    for (const std::string& operand : arguments.operands())
      for (const std::string& path : files_named_by(operand))
        files.push_back({"mask", mask_of(arguments.text("mask"), path)});
  return files;
}

std::vector<NamedFile> files_written(const Arguments& arguments) {
  std::vector<NamedFile> files;
  for (const char* name : written_flags)
    if (arguments.has(name) && arguments.text(name) != "-") files.push_back({name, arguments.text(name)});
  if (arguments.has("projector"))
    for (const char* table : {"_vectors.tsv", "_metadata.tsv"})
      files.push_back({"projector", arguments.text("projector") + table});
  return files;
}

bool information_of(const std::string& path, struct stat& information) {
  return (path == "-" ? fstat(STDIN_FILENO, &information) : stat(path.c_str(), &information)) == 0;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat of_a {
  }, of_b{};
  const bool has_a = information_of(a, of_a), has_b = information_of(b, of_b);
  if (has_a && has_b) return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && S_ISREG(of_a.st_mode);
  if (has_a || has_b || a == "-" || b == "-") return false;
  // Neither is there yet: they will be the same if their names lead to the same place.
  std::error_code failure;
  const auto place = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failure), failure);
  };
  const auto place_a = place(a), place_b = place(b);
  return !failure && place_a == place_b;
}

}  // namespace

void check_overwriting(const Arguments& arguments) {
  const std::vector<NamedFile> written = files_written(arguments);
  if (written.empty()) return;
  const std::vector<NamedFile> read = files_read(arguments);
  for (std::size_t k = 0; k < written.size(); ++k) {
    for (const NamedFile& input : read) {
      if (written[k].flag == "checkpoint" && input.flag == "resume") continue;
      if (is_same_file(written[k].path, input.path))
        throw UsageError(
            fmt::format("{} would replace what is read from {}; give another name", written[k].text(), input.text()));
    }
    for (std::size_t other = 0; other < k; ++other)
      if (is_same_file(written[k].path, written[other].path))
        throw UsageError(
            fmt::format("{} and {} are the same file; give them two names", written[other].text(), written[k].text()));
  }
}

}  // namespace wgp::cli
