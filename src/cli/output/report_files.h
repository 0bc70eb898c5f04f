// What wgp report writes beside the page: figures as files of their own, and tables for the Embedding Projector.
#pragma once

#include <string>
#include <vector>

#include "report/pages/model_report.h"

namespace wgp::cli {

struct FigureFiles {
  std::vector<std::string> paths;
  bool has_png = false;  // rsvg-convert was there and made them
};
// DIRECTORY/latent.svg and so on; the directory is made if it is missing.
FigureFiles write_figures(const std::string& directory, const report::Page& page);

// PREFIX_vectors.tsv: the latents without a header, an angle as its cosine and sine. PREFIX_metadata.tsv: row,
// id or voxel if the model has them, distance to the reconstruction and the label, with a header.
std::vector<std::string> write_projector_tables(const std::string& prefix, const Model& model,
                                                const report::ReportData& data);

}  // namespace wgp::cli
