// Models in files (.wgp): a zip archive of .npy arrays and model.json, which numpy.load opens.
//
//   points.npy (N, ambient), latents.npy (N, q), base.npy, theta.npy, noise.npy (1,), calibration.npy if there is one,
//   labels.npy (N,) of text if the points have labels
//   model.json   format and version, manifold, kind, kernel, latent space, prior, parameters by name, the fit's summary
//
// A loaded model predicts the same bytes as the one that was saved. The same model, summary and notes give the same
// file: how many seconds the fit took is therefore not kept.
#pragma once

#include <string>
#include <vector>

#include "wgp/model.h"

namespace wgp {

inline constexpr int model_format_version = 1;

// Where a model comes from; empty where nobody said.
struct ModelNotes {
  std::string program;       // "wgp 0.1.0"
  std::string row_form;      // RowForm::name() of the table it was fitted to: predictions are written in the same form
  std::string encoder = {};  // how points are encoded unless one says so: "density", "projection"; empty: density
  std::string label_column = {};         // whose labels these are
  std::vector<std::string> labels = {};  // of each point, or none
};

struct LoadedModel {
  Model model;
  FitSummary summary;
  ModelNotes notes;
};

// The file appears complete or not at all; "-" is standard output. Error for manifolds that their spec does not rebuild
// (charts, manifolds of one's own).
void save_model(const std::string& path, const Model& model, const FitSummary& summary, const ModelNotes& notes = {});

// Error for files that are no model, damaged, of a newer format, or whose parts disagree. "-" is standard input.
LoadedModel load_model(const std::string& path);
// The same from bytes in memory; name stands in messages.
LoadedModel parse_model(std::string bytes, const std::string& name);

// Checkpoints of a fit: an archive of the same kind, one array per finished step. Atomic, like models.
void save_checkpoint(const std::string& path, const FitCheckpoint& checkpoint);
FitCheckpoint load_checkpoint(const std::string& path);

}  // namespace wgp
