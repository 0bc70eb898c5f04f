#include "cli/input/tensor_image.h"

#include <algorithm>
#include <limits>

#include "lift/embedded_lift.h"
#include "wgp/row_form.h"

namespace wgp::cli {

bool is_tensor_manifold(const Manifold& manifold) {
  bool nine = false, six = false;
  for (const auto& form : row_forms(manifold)) {
    nine = nine || form->width() == 9;
    six = six || form->width() == 6;
  }
  return nine && six;
}

ImageFlags image_flags_from(const Arguments& arguments) {
  ImageFlags flags;
  flags.mask = arguments.text("mask");
  if (arguments.has("ignore-affine")) flags.places = NiftiOptions::Places::may_differ;
  if (arguments.has("tensor-order"))
    flags.order = parse_tensor_order(arguments.choice("tensor-order", "", {"symmatrix", "fsl", "mrtrix"}));
  return flags;
}

std::string ImageFlags::given() const {
  if (!mask.empty()) return "mask";
  if (places == NiftiOptions::Places::may_differ) return "ignore-affine";
  return order == TensorOrder::automatic ? "" : "tensor-order";
}

std::unique_ptr<NiftiTable> open_image(std::unique_ptr<ByteSource> bytes, const TableOptions& options,
                                       const ImageFlags& flags, const Manifold* manifold, const Messages* messages) {
  NiftiOptions image;
  image.table = options;
  image.mask = flags.mask;
  image.places = flags.places;
  image.order = flags.order;
  if (manifold != nullptr)
    image.content = is_tensor_manifold(*manifold) ? NiftiOptions::Content::tensors : NiftiOptions::Content::channels;
  const std::string path = bytes->name();
  auto table = open_nifti(std::move(bytes), image);
  if (messages != nullptr) {
    const NiftiGrid& grid = table->grid();
    messages->say("{}: {} x {} x {} voxels of {:.4g} x {:.4g} x {:.4g} ({}), {} to work on", path, grid.size[0],
                  grid.size[1], grid.size[2], grid.pixdim[1], grid.pixdim[2], grid.pixdim[3],
                  nifti_units_text(grid.units & 7), *table->rows());
    for (const auto& note : table->notes()) messages->say("{}: {}", path, note);
  }
  return table;
}

void check_same_voxels(const SideBySide& a, const SideBySide& b, const ImageFlags& flags) {
  const auto* of_a = dynamic_cast<const NiftiTable*>(&a.reader);
  const auto* of_b = dynamic_cast<const NiftiTable*>(&b.reader);
  if (of_a == nullptr || of_b == nullptr) return;
  if (of_a->grid().size != of_b->grid().size)
    throw Error(
        fmt::format("{} has {} voxels, but {} has {}; their rows go side by side, so that they must be on the "
                    "same grid",
                    a.path, fmt::join(of_a->grid().size, " x "), b.path, fmt::join(of_b->grid().size, " x ")));
  if (flags.places == NiftiOptions::Places::must_agree && !lies_at_same_place(of_a->grid(), of_b->grid()))
    throw Error(
        fmt::format("{} and {} have the same number of voxels, but at another place in space; resample one of "
                    "them, or match voxels by their numbers with --ignore-affine",
                    a.path, b.path));
  const std::vector<Index> voxels_a = of_a->voxels(), voxels_b = of_b->voxels();
  const auto [only_a, only_b] = std::mismatch(voxels_a.begin(), voxels_a.end(), voxels_b.begin(), voxels_b.end());
  if (only_a == voxels_a.end() && only_b == voxels_b.end()) return;
  const bool in_a = only_b == voxels_b.end() || (only_a != voxels_a.end() && *only_a < *only_b);
  const auto [i, j, k] = of_a->grid().position(in_a ? *only_a : *only_b);
  throw Error(
      fmt::format("{} has something at voxel ({}, {}, {}), but {} does not; --mask chooses voxels that both have",
                  in_a ? a.path : b.path, i, j, k, in_a ? b.path : a.path));
}

std::string no_tensors_text(const NiftiTable& image) {
  const auto channels = static_cast<Index>(image.columns().size()) - 3;  // beside the voxel's position
  if (channels == 6)
    return "six numbers in each voxel, but in no order of tensors (symmatrix, fsl, mrtrix) are most of them positive "
           "definite: they are no diffusion tensors";
  return fmt::format("{} in each voxel are no tensors, which have 6 or 9{}", plural(channels, "number"),
                     channels > 6
                         ? "; of a raw diffusion-weighted series, fit a tensor to each voxel first: dwi2tensor "
                           "(MRtrix3), dtifit (FSL; --save_tensor) or DIPY's TensorModel"
                         : "");
}

std::string voxel_text(const NiftiGrid& grid, Index voxel) {
  const auto [i, j, k] = grid.position(voxel);
  return fmt::format("voxel ({}, {}, {}): ", i, j, k);
}

const NiftiTable* image_for_maps(const std::string& output, const TableReader& input, const std::string& input_path) {
  if (!has_nifti_name(output)) return nullptr;
  const auto* image = dynamic_cast<const NiftiTable*>(&input);
  if (image == nullptr)
    throw UsageError(fmt::format("--output {}: {} is no image, so that there is no grid to write maps on; write .csv",
                                 output, input_path));
  return image;
}

void check_one_grid(const std::string& output, bool several) {
  if (several && has_nifti_name(output))
    throw UsageError(
        "--output: maps lie on the grid of one image, and there may be several; take one image at a time, or write "
        ".csv, whose column label says with --labels file where a row comes from");
}

std::vector<std::string> encoding_channels(Index latent_dim) {
  std::vector<std::string> names;
  for (const char* kind : {"x", "sd"})
    for (Index j = 1; j <= latent_dim; ++j) names.push_back(fmt::format("{}{}", kind, j));
  names.insert(names.end(), {"log_density", "weight", "modes", "status", "error"});
  return names;
}

Matrix maps_without_points(Index latent_dim, Index voxels) {
  constexpr double no_point = -1;
  Matrix maps = Matrix::Constant(2 * latent_dim + 5, voxels, std::numeric_limits<double>::quiet_NaN());
  maps.row(2 * latent_dim + 3).setConstant(no_point);
  return maps;
}

Matrix encoding_maps(const Model& model, ConstMatrixRef points, const Encoding& encoding, const Vector& log_density) {
  const Index q = model.latent_dim();
  const Matrix predicted = model.mean_points(encoding.X);
  const std::vector<int> modes = encoding.mode_counts();
  Matrix maps(2 * q + 5, points.cols());
  maps.topRows(q) = encoding.X;
  maps.middleRows(q, q) = encoding.sd;
  maps.row(2 * q) = log_density.transpose();
  maps.row(2 * q + 1) = encoding.weight.transpose();
  for (Index i = 0; i < points.cols(); ++i) {
    maps(2 * q + 2, i) = modes[static_cast<std::size_t>(i)];
    maps(2 * q + 3, i) = static_cast<double>(encoding.status[static_cast<std::size_t>(i)]);
  }
  if (model.on_manifold())
    for (Index i = 0; i < points.cols(); ++i)
      maps(2 * q + 4, i) = distance(model.manifold(), points.col(i), predicted.col(i));
  else
    maps.row(2 * q + 4) = euclidean_distances(model.manifold(), points, predicted).transpose();
  return maps;
}

}  // namespace wgp::cli
