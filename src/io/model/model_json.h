// model.json of a model file: everything but the arrays, and the reader's complaints about it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "wgp/model_file.h"

namespace wgp {

using ModelJson = nlohmann::ordered_json;

inline constexpr const char* model_json_entry = "model.json";

std::string write_model_json(const Model::Parts& parts, const FitSummary& summary, const ModelNotes& notes,
                             std::uint32_t content_crc32);

// The parts without their arrays: base, P, X and calibration are still to be filled in. theta and noise are there, as
// they stand in the text, to be compared with the arrays.
struct ModelHeader {
  Model::Parts parts;
  FitSummary summary;
  ModelNotes notes;
  std::uint32_t content_crc32 = 0;
};
ModelHeader read_model_json(const std::string& text, const std::string& path);

}  // namespace wgp
