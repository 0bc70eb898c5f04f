// Predictions of a model for latents that come in a stream.
#pragma once

#include "gp/prediction_table.h"
#include "wgp/model.h"

namespace wgp {

// The same as Model::predict, cheaper where latents are many (see PredictionTable).
class Decoder {
 public:
  explicit Decoder(Model model) : model_(std::move(model)), table_(model_.posterior()) {}

  Prediction predict(ConstMatrixRef X);

 private:
  Model model_;
  PredictionTable table_;
};

}  // namespace wgp
