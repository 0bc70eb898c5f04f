// NIfTI images as input of the command: --mask, --ignore-affine and --tensor-order for what is read, maps on the
// image's grid for what is written.
//
// wgp encode MODEL dti.nii.gz -o latents.nii.gz writes one image with these channels, in this order:
//   x1 .. xQ       latent coordinates
//   sd1 .. sdQ     their standard deviations
//   log_density    of the tensor, given its latent
//   weight, modes  as in the table
//   status         0 ok, 1 outside_support, 2 not_converged, 3 ambiguous; -1 where the voxel is no point of the
//   manifold,
//                  whose other channels are NaN
//   error          distance on the manifold from the tensor to its reconstruction (gplvm: Euclidean)
// Voxels that were not encoded are NaN. wgp decode MODEL latents.nii.gz -o dti.nii.gz leads back to tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "cli/output/messages.h"
#include "io/nifti/nifti.h"
#include "wgp/model.h"

namespace wgp::cli {

// --mask, --ignore-affine and --tensor-order.
struct ImageFlags {
  std::string mask;
  NiftiOptions::Places places = NiftiOptions::Places::must_agree;
  TensorOrder order = TensorOrder::automatic;
  // The first flag that was given, empty if none was.
  std::string given() const;
};
ImageFlags image_flags_from(const Arguments& arguments);

// Whether points are symmetric 3 x 3 matrices: rows of nine numbers, or of the six of a triangle.
bool is_tensor_manifold(const Manifold& manifold);

// manifold: what the voxels are to be points of, null if that is not known. Says what was found out.
std::unique_ptr<NiftiTable> open_image(std::unique_ptr<ByteSource> bytes, const TableOptions& options,
                                       const ImageFlags& flags, const Manifold* manifold, const Messages* messages);

// Two files whose rows go side by side: where both are images, they have the same voxels at the same place. Else an
// Error, which names the voxel; --ignore-affine forgives the place.
struct SideBySide {
  const TableReader& reader;
  std::string path;
};
void check_same_voxels(const SideBySide& a, const SideBySide& b, const ImageFlags& flags);

// Of an image that does not hold tensors: what it may be instead, and how tensors are made of it.
std::string no_tensors_text(const NiftiTable& image);

// "voxel (10, 1, 27): "
std::string voxel_text(const NiftiGrid& grid, Index voxel);

// Where the output asks for maps: the grid to write them on. Null if it does not; wrong usage if the input (a reader of
// any kind) is no image.
const NiftiTable* image_for_maps(const std::string& output, const TableReader& input, const std::string& input_path);

// Wrong usage where maps are asked for of several files: they lie on the grid of one image.
void check_one_grid(const std::string& output, bool several);

// The channels of wgp encode, as above.
std::vector<std::string> encoding_channels(Index latent_dim);
// Of voxels without a point.
Matrix maps_without_points(Index latent_dim, Index voxels);
Matrix encoding_maps(const Model& model, ConstMatrixRef points, const Encoding& encoding, const Vector& log_density);

}  // namespace wgp::cli
