#include "evaluate/trial_store.h"

#include "core/fingerprint.h"
#include "core/format.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/bytes/bounded_json.h"
#include "wgp/io.h"

namespace wgp {
namespace {

using Json = nlohmann::ordered_json;

constexpr int store_format = 3;

// JSON has no word for numbers that are not finite; all of them come back as NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json list(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(value));
  return json;
}
std::vector<double> list(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(number(value));
  return values;
}

Json errors(const TrialErrors& of) {
  return {{"intrinsic_rmse", number(of.intrinsic_rmse)},
          {"intrinsic_median", number(of.intrinsic_median)},
          {"euclidean_rmse", number(of.euclidean_rmse)}};
}
TrialErrors errors(const Json& json) {
  return {number(json.at("intrinsic_rmse")), number(json.at("intrinsic_median")), number(json.at("euclidean_rmse"))};
}

Json to_json(const Trial& trial) {
  return {{"density", errors(trial.density)},
          {"projection", errors(trial.projection)},
          {"log_likelihood", number(trial.log_likelihood)},
          {"bound", number(trial.bound)},
          {"held_out_log_density", number(trial.held_out_log_density)},
          {"seconds", number(trial.seconds)},
          {"fractions", list(trial.fractions)},
          {"null_fractions", list(trial.null_fractions)},
          {"coverage", list(trial.coverage)},
          {"clip_errors", list(trial.clip_errors)}};
}
Trial from_json(const Json& json) {
  Trial trial;
  trial.finished = true;
  trial.density = errors(json.at("density"));
  trial.projection = errors(json.at("projection"));
  trial.log_likelihood = number(json.at("log_likelihood"));
  trial.bound = number(json.at("bound"));
  trial.held_out_log_density = number(json.at("held_out_log_density"));
  trial.seconds = number(json.at("seconds"));
  trial.fractions = list(json.at("fractions"));
  trial.null_fractions = list(json.at("null_fractions"));
  trial.coverage = list(json.at("coverage"));
  trial.clip_errors = list(json.at("clip_errors"));
  return trial;
}

std::string checksum(const std::string& text) {
  Fingerprint print;
  print.add(text.data(), text.size());
  return print.text();
}

}  // namespace

TrialStore::TrialStore(std::string directory) : directory_(std::move(directory)) {
  std::error_code failure;
  std::filesystem::create_directories(directory_, failure);
  if (failure) throw Error(fmt::format("{}: cannot make this directory: {}", directory_, failure.message()));
}

std::string TrialStore::trials_path(const std::string& name, std::uint64_t fingerprint) const {
  return fmt::format("{}/{}-{:016x}.json", directory_, name, fingerprint);
}
std::string TrialStore::model_path(const std::string& name, std::uint64_t fingerprint) const {
  return fmt::format("{}/{}-{:016x}.wgp", directory_, name, fingerprint);
}

bool TrialStore::has_trials(const std::string& name, std::uint64_t fingerprint) const {
  std::error_code ignored;
  return std::filesystem::exists(trials_path(name, fingerprint), ignored);
}
bool TrialStore::has_model(const std::string& name, std::uint64_t fingerprint) const {
  std::error_code ignored;
  return std::filesystem::exists(model_path(name, fingerprint), ignored);
}

std::string TrialStore::bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::vector<Trial>> TrialStore::find_trials(const std::string& name, std::uint64_t fingerprint) const {
  const std::string text = bytes_of(trials_path(name, fingerprint));
  if (text.empty()) return std::nullopt;
  const Json json = parse_bounded_json(text);
  try {
    if (json.is_discarded() || json.at("format") != store_format) return std::nullopt;
    if (json.at("checksum") != checksum(json.at("trials").dump())) return std::nullopt;
    std::vector<Trial> trials;
    for (const Json& trial : json.at("trials")) trials.push_back(from_json(trial));
    return trials;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void TrialStore::add_trials(const std::string& name, std::uint64_t fingerprint,
                            const std::vector<Trial>& trials) const {
  Json array = Json::array();
  for (const Trial& trial : trials) array.push_back(to_json(trial));
  const Json json = {{"format", store_format}, {"checksum", checksum(array.dump())}, {"trials", array}};
  write_file(trials_path(name, fingerprint), json.dump() + "\n");
}

std::optional<LoadedModel> TrialStore::find_model(const std::string& name, std::uint64_t fingerprint) const {
  if (!has_model(name, fingerprint)) return std::nullopt;
  try {
    return load_model(model_path(name, fingerprint));
  } catch (const Error&) {  // damaged: its archive has checksums of its own
    return std::nullopt;
  }
}

void TrialStore::add_model(const std::string& name, std::uint64_t fingerprint, const FitResult& result,
                           const ModelNotes& notes) const {
  save_model(model_path(name, fingerprint), result.model, result.summary, notes);
}

}  // namespace wgp
