#include "core/format.h"

#include <nlohmann/json.hpp>

#include "io/bytes/archive.h"
#include "io/bytes/bounded_json.h"
#include "io/tables/npy_bytes.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "wgp checkpoint";
constexpr int format_version = 1;

}  // namespace

void save_checkpoint(const std::string& path, const FitCheckpoint& checkpoint) {
  Json head = {{"format", format_name},
               {"version", format_version},
               {"fingerprint", fmt::format("{:016x}", checkpoint.fingerprint)},
               {"steps", Json::array()}};
  std::vector<ArchiveEntry> entries(1);
  for (const auto& [name, numbers] : checkpoint.steps) {
    entries.push_back({fmt::format("step{}.npy", head["steps"].size()), npy_of_vector(numbers)});
    head["steps"].push_back(name);
  }
  entries[0] = {"checkpoint.json", head.dump(1) + "\n"};
  write_archive(path, entries);
}

FitCheckpoint load_checkpoint(const std::string& path) {
  const std::vector<ArchiveEntry> entries = read_archive(path);
  const auto damaged = [&](const std::string& why) {
    return Error(fmt::format("{}: not a checkpoint: {}", path, why));
  };
  if (entries.empty() || entries[0].name != "checkpoint.json") throw damaged("it has no checkpoint.json");
  const Json head = parse_bounded_json(entries[0].bytes);
  if (!head.is_object() || head.value("format", Json()) != format_name)
    throw damaged("checkpoint.json does not say so");
  if (head.value("version", Json()) != format_version)
    throw Error(fmt::format("{}: a checkpoint of another version than {}", path, format_version));
  const Json steps = head.value("steps", Json()), print = head.value("fingerprint", Json());
  if (!steps.is_array() || steps.size() + 1 != entries.size() || !print.is_string() ||
      print.get<std::string>().size() != 16 ||
      print.get<std::string>().find_first_not_of("0123456789abcdef") != std::string::npos)
    throw damaged("its parts disagree");
  FitCheckpoint checkpoint;
  checkpoint.fingerprint = std::stoull(print.get<std::string>(), nullptr, 16);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].is_string()) throw damaged("its parts disagree");
    checkpoint.steps[steps[i].get<std::string>()] =
        vector_of_npy(entries[i + 1].bytes, fmt::format("{}: {}", path, entries[i + 1].name));
  }
  return checkpoint;
}

}  // namespace wgp
