// model.json of a model file: everything but the arrays, and the reader's complaints about it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "wgp/model_file.h"

namespace wgp {

using ModelJson = nlohmann::ordered_json;

inline constexpr const char* model_json_entry = "model.json";

std::string write_model_json(const Model& model, const FitSummary& summary, const ModelNotes& notes,
                             std::uint32_t content_crc32);

// The parts without their arrays: base, P, X, law and calibration are still to be filled in. theta and noise are there,
// as they stand in the text, to be compared with the arrays.
struct ModelHeader {
  int version = 0;
  Model::Parts parts;
  std::string law_kind;
  std::map<std::string, double> law_parameters;
  std::string process = "dense";     // Posterior::kind()
  double jitter = 0, neglected = 0;  // of a dense process; of one on a lattice
  FitSummary summary;
  ModelNotes notes;
  std::uint32_t content_crc32 = 0;
};
ModelHeader read_model_json(const std::string& text, const std::string& path);

}  // namespace wgp
