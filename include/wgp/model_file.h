// Models in files (.wgp): a zip archive of .npy arrays and model.json, which numpy.load opens.
//
//   points.npy (N, ambient), X.npy (N, q: the latents), base.npy, theta.npy, noise.npy (1,), weights.npy and
//   inverse_diagonal.npy (what the process keeps of its data), calibration.npy if there is one, noise_law_*.npy
//   if the noise law has arrays (structured: directions (d, d), one a row, and variances (1, d)); of the points'
//   labels, ids and rows, where they have them, labels.npy and ids.npy (N,) of text, rows.npy (N,). Where latents were
//   integrated out, X.npy holds their means, X_sd.npy (N, q) their standard deviations, angle_density.npy (2 J,) what
//   was learned of the density of an angle (Model::Parts), if there is any, and of the process there are
//   weights.npy and lattice_{modes,periods,table}.npy, or in more than three coordinates weights.npy and
//   inducing_{inputs,moments,jitter}.npy; points.npy need not be there, since the process does not need them. Where
//   there are D draws of a process on a lattice, draw_parameters.npy (D, its parameters and two: theta, the variance of
//   the noise and the one that the lattice leaves out), draw_weights.npy and draw_tables.npy (those of the draws, one
//   below the other).
//   model.json   format and version, manifold, kind, kernel, latent space, prior, parameters by name, noise law and
//                what draws multiply it by, the fit's summary
//
// A loaded model predicts the same bytes as the one that was saved; nothing is factored to load it. The same model,
// summary and notes give the same file: how many seconds the fit took is therefore not kept. Files of format 1 (wgp
// 0.1) are read too: they have latents.npy in the place of X.npy and nothing of the process, which is made anew.
#pragma once

#include <string>
#include <vector>

#include "wgp/fit.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

inline constexpr int model_format_version = 2;

// Where a model comes from; empty where nobody said.
struct ModelNotes {
  std::string program;       // "wgp 0.2.0"
  std::string row_form;      // RowForm::name() of the table it was fitted to: predictions are written in the same form
  std::string encoder = {};  // how points are encoded unless one says so: "density", "projection"; empty: density
  std::string label_column = {};         // whose labels these are
  std::vector<std::string> labels = {};  // of each point, or none
  // How the points are found again in tables: their ids, no two the same, or none; the column that they stood in,
  // "i,j,k" for the voxels of an image; and the rows (from 0 on) of the table that the model was fitted to, or none if
  // they are all of it in order.
  std::string id_column = {};
  std::vector<std::string> ids = {};
  std::vector<Index> rows = {};
  std::string columns = {};  // of that table, as --columns chooses them
  // Of a motion file: whose numbers a row has ("LeftUpLeg,LeftLeg"), in which frame of reference ("world", "root"), and
  // what they are ("rotation", "direction").
  struct Motion {
    std::string bones, frame, quantity;
  };
  Motion motion = {};
  std::vector<std::string> channels = {};  // names of the rows and columns of its matrices, or none
  // How its rows were prepared: covariance matrices shrunk by "oas", "ledoit-wolf" (for so many samples) or a share
  // like "0.01", mirror images among landmarks turned back.
  std::string shrink = {};
  Index samples = 0;
  bool reflected = false;
};

struct LoadedModel {
  Model model;
  FitSummary summary;
  ModelNotes notes;
};

// The file appears complete or not at all; "-" is standard output. Error for manifolds that their spec does not rebuild
// (charts, manifolds of one's own).
void save_model(const std::string& path, const Model& model, const FitSummary& summary, const ModelNotes& notes = {});
// The same as bytes in memory.
std::string model_bytes(const Model& model, const FitSummary& summary, const ModelNotes& notes = {});

// Error for files that are no model, damaged, of a newer format, or whose parts disagree. "-" is standard input.
LoadedModel load_model(const std::string& path);
// The same from bytes in memory; name stands in messages.
LoadedModel parse_model(std::string bytes, const std::string& name);

// A checkpoint of a fit: a file that grows by each step as it is finished. A step that a killed program had begun to
// write is as if it had not been.
class CheckpointWriter {
 public:
  // Begins the file with what is finished already. Error if it cannot be written.
  CheckpointWriter(std::string path, const FitCheckpoint& finished);
  // Error if it cannot be written; the file is then as it was before.
  void add(const FitStep& step);

 private:
  std::string path_;
};
// Error for files that are no checkpoint, of another version, or damaged before their end. "-" is standard input.
FitCheckpoint load_checkpoint(const std::string& path);
FitCheckpoint parse_checkpoint(std::string bytes, const std::string& name);

}  // namespace WGP_PUBLIC
