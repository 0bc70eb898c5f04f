// Blocks of points through a model: what is written of them, and what is counted.
#pragma once

#include <string>
#include <vector>

#include "cli/input/points.h"
#include "cli/output/unit_hint.h"
#include "wgp/model.h"

namespace wgp::cli {

// What is written of a block of rows, and what is counted.
struct EncodedBlock {
  Index n = 0, dropped = 0, reflected = 0, outside = 0, open = 0, ambiguous = 0;
  double density = 0;
  Matrix numbers;                              // a row of the table each, or a voxel's maps
  std::vector<std::vector<std::string>> text;  // of rows
  std::vector<Index> voxels;                   // of maps, those without a point among them
  UnitRatio units;
  void each_part(auto&& visitor) {
    visitor(n, dropped, reflected, outside, open, ambiguous, density, numbers, text, voxels, units.log_ratios,
            units.outside, units.all);
  }
};

enum class EncodedAs { rows, rows_of_modes, maps };

// The valid points of a block, encoded.
EncodedBlock encoded(const Model& model, const EncodeOptions& options, const PointBlock& block, EncodedAs as);

// Columns of the rows: numbers, then the status and whatever text the block has.
std::vector<std::string> encoded_columns(Index latent_dim);

}  // namespace wgp::cli
