#include "core/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "io/bytes/number.h"
#include "io/nifti/nifti.h"
#include "io/nifti/nifti_image.h"
#include "io/nifti/other_headers.h"
#include "io/tables/columns.h"

namespace wgp {
namespace {

constexpr std::array<const char*, 6> six_names = {"xx", "xy", "yy", "xz", "yz", "zz"};
constexpr Index position_columns = 3;

// rounding: how far a zero of the original may have come from zero when it was stored as a scaled integer.
bool holds_nothing(const double* numbers, Index count, double rounding) {
  return std::all_of(numbers, numbers + count, [&](double x) { return std::abs(x) <= rounding || std::isnan(x); });
}

bool is_symmetric(const double* m) {
  const double scale = 1e-5 * std::abs(m[0] + m[4] + m[8]);
  return std::abs(m[1] - m[3]) <= scale && std::abs(m[2] - m[6]) <= scale && std::abs(m[5] - m[7]) <= scale;
}

// Where the first voxel lies and which way the axes go.
std::string corner_text(const NiftiGrid& grid) {
  const auto place = *grid.place();
  std::array<std::string, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    axes[axis] = fmt::format("({:.4g}, {:.4g}, {:.4g})", place[axis], place[4 + axis], place[8 + axis]);
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) with axes {}", place[3], place[7], place[11], fmt::join(axes, " "));
}

class NiftiReader final : public NiftiTable {
 public:
  NiftiReader(std::unique_ptr<ByteSource> source, const NiftiOptions& options)
      : image_(std::move(source)), non_finite_(options.table.non_finite) {
    notes_ = image_.notes();
    std::vector<bool> mask;
    if (!options.mask.empty()) mask = read_mask(options);
    const TensorOrderVotes votes = find_voxels(mask);
    if (total_rows_ == 0)
      throw Error(fmt::format("{}: no voxel holds anything{}", file(),
                              mask.empty() ? "" : fmt::format(" inside the mask {}", options.mask)));
    name_channels(options, votes);
    choose_columns(options.table);
  }

  Index width() const override { return static_cast<Index>(selected_.size()); }
  std::optional<Index> rows() const override { return total_rows_; }
  std::vector<Index> shape() const override {
    return whole_ && tensors_ && channels() == 9 ? std::vector<Index>{3, 3} : std::vector<Index>{width()};
  }
  std::string format() const override { return image_.header().format; }
  std::vector<std::string> names() const override {
    std::vector<std::string> chosen;
    for (const Index column : selected_) chosen.push_back(names_[static_cast<std::size_t>(column)]);
    return chosen;
  }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all;
    for (const auto& name : names_) all.push_back({name, true, false});
    for (const Index column : selected_) all[static_cast<std::size_t>(column)].selected = true;
    return all;
  }

  const NiftiGrid& grid() const override { return image_.header().grid; }
  bool holds_tensors() const override { return tensors_; }
  std::optional<TensorForm> tensor_form() const override { return tensors_ ? form_ : image_.made_from(); }
  const std::vector<Index>& block_voxels() const override { return block_voxels_; }
  const std::vector<std::string>& notes() const override { return notes_; }
  std::vector<Index> voxels() const override {
    std::vector<Index> all;
    all.reserve(static_cast<std::size_t>(total_rows_));
    for (Index voxel = 0; voxel < grid().voxels(); ++voxel)
      if (inside_[static_cast<std::size_t>(voxel)]) all.push_back(voxel);
    return all;
  }

  bool read(Index max_rows, TableBlock& block) override {
    const Index count = std::min(max_rows, total_rows_ - row_);
    block.first_row = row_;
    block.text.assign(text_.size(), {});
    block.values.resize(width(), count);
    block_voxels_.clear();
    for (Index i = 0; i < count; ++voxel_) {
      if (!inside_[static_cast<std::size_t>(voxel_)]) continue;
      load_slab();
      for (Index j = 0; j < width(); ++j) block.values(j, i) = number(selected_[static_cast<std::size_t>(j)]);
      for (std::size_t j = 0; j < text_.size(); ++j) block.text[j].push_back(format_number(number(text_[j])));
      if (non_finite_ == TableOptions::NonFinite::reject) check_finite(block.values.col(i));
      block_voxels_.push_back(voxel_);
      ++i;
    }
    row_ += count;
    return count > 0;
  }

 private:
  const std::string& file() const { return image_.name(); }
  Index channels() const { return image_.header().channels; }
  std::string position_text(Index voxel) const {
    const auto [i, j, k] = grid().position(voxel);
    return fmt::format("voxel ({}, {}, {})", i, j, k);
  }

  std::vector<bool> read_mask(const NiftiOptions& options) {
    const std::string& path = options.mask;
    NiftiImage mask(open_bytes(nifti_header_path(path)));
    const NiftiHeader& here = image_.header();
    const NiftiHeader& there = mask.header();
    if (there.channels != 1)
      throw Error(fmt::format("{}: a mask has one number a voxel, this image of {} has {}", path,
                              nifti_size_text(there.dimensions), there.channels));
    const bool by_place = options.places == NiftiOptions::Places::must_agree;
    const std::optional<NiftiTurn> found = by_place ? turn_between(there.grid, here.grid) : std::nullopt;
    const NiftiTurn turn = found.value_or(NiftiTurn());
    if (!found && there.grid.size != here.grid.size)
      throw Error(fmt::format("{}: a mask of {} voxels, but {} has {}; they must be on the same grid", path,
                              fmt::join(there.grid.size, " x "), file(), fmt::join(here.grid.size, " x ")));
    if (there.grid.size != here.grid.size || !lies_at_same_place(here.grid, there.grid)) {
      if (by_place && !found)
        throw Error(
            fmt::format("{}: a mask with as many voxels as {}, but at another place in space: voxel (0, 0, 0) is at "
                        "{}, not {}; resample it, or match voxels by their numbers with --ignore-affine",
                        path, file(), corner_text(there.grid), corner_text(here.grid)));
      notes_.push_back(
          by_place
              ? fmt::format(
                    "{} has its axes in another order or direction than {}; voxels are matched by where they lie "
                    "in space",
                    path, file())
              : fmt::format("{} has as many voxels as {}, but lies at another place in space; voxels are matched by "
                            "their numbers i, j, k (--ignore-affine)",
                            path, file()));
    }
    std::vector<bool> inside(static_cast<std::size_t>(here.grid.voxels()));
    Matrix slab;
    for (Index first = 0; first < here.grid.voxels(); first += mask.slab_voxels()) {
      mask.read(first, std::min(mask.slab_voxels(), here.grid.voxels() - first), slab);
      for (Index v = 0; v < slab.cols(); ++v)
        inside[static_cast<std::size_t>(turn.voxel(there.grid.position(first + v), here.grid.size))] =
            slab(0, v) != 0 && !std::isnan(slab(0, v));
    }
    return inside;
  }

  // mask may be empty. The votes are those of six channels.
  TensorOrderVotes find_voxels(const std::vector<bool>& mask) {
    const Index voxels = grid().voxels(), at_once = image_.slab_voxels();
    const NiftiHeader& header = image_.header();
    const double rounding = header.numbers.kind == 'f' ? 0 : std::abs(header.slope) / 2;
    TensorOrderVotes votes;
    Index without = 0;
    inside_.assign(static_cast<std::size_t>(voxels), false);
    for (Index first = 0; first < voxels; first += at_once) {
      image_.read(first, std::min(at_once, voxels - first), slab_);
      for (Index v = 0; v < slab_.cols(); ++v) {
        const auto at = static_cast<std::size_t>(first + v);
        if (!mask.empty() && !mask[at]) continue;
        const double* numbers = slab_.data() + v * slab_.rows();
        if (holds_nothing(numbers, slab_.rows(), rounding)) {
          without += !mask.empty();
          continue;
        }
        inside_[at] = true;
        ++total_rows_;
        if (channels() == 6) votes.add(numbers);
        if (channels() == 9) asymmetric_ += !is_symmetric(numbers);
      }
    }
    slab_first_ = (voxels - 1) / at_once * at_once;
    if (without > 0)
      notes_.push_back(fmt::format("{} voxel{} inside the mask hold{} nothing and {} left out", without,
                                   without == 1 ? "" : "s", without == 1 ? "s" : "", without == 1 ? "is" : "are"));
    return votes;
  }

  void name_channels(const NiftiOptions& options, const TensorOrderVotes& votes) {
    using Content = NiftiOptions::Content;
    const bool symmatrix = image_.header().intent == nifti_intent_symmatrix;
    const bool fits = channels() == 6 || channels() == 9;
    if (options.content == Content::tensors && !fits)
      throw Error(fmt::format("{}: an image of {} has {} numbers a voxel; tensors have 6 or 9{}", file(),
                              nifti_size_text(image_.header().dimensions), channels(),
                              channels() > 6
                                  ? "; of a raw diffusion-weighted series, fit a tensor to each voxel first: "
                                    "dwi2tensor (MRtrix3), dtifit (FSL; --save_tensor) or DIPY's TensorModel"
                                  : ""));
    tensors_ = options.content == Content::tensors;
    if (options.content == Content::automatic && fits && (image_.channel_names().empty() || symmetric_names()))
      tensors_ = symmatrix || options.order != TensorOrder::automatic ||
                 (channels() == 6 ? !votes.none() : 10 * asymmetric_ < total_rows_);

    if (options.order != TensorOrder::automatic && !(tensors_ && channels() == 6))
      throw Error(fmt::format("{}: --tensor-order {} is for tensors of six channels; {}", file(),
                              to_string(options.order),
                              tensors_ ? "these are whole matrices, row by row" : "these are taken as plain numbers"));

    names_ = {"i", "j", "k"};
    channel_of_.resize(static_cast<std::size_t>(channels()));
    std::iota(channel_of_.begin(), channel_of_.end(), Index{0});
    if (tensors_)
      form_ = TensorForm{TensorOrder::symmatrix, channels() == 9, image_.header().dimensions.size() > 4, symmatrix};
    if (tensors_ && channels() == 6) {
      std::string reason;
      const NiftiHeader& header = image_.header();
      const bool by_format = header.stated_order != TensorOrder::automatic;
      const TensorOrder named = by_format ? header.stated_order : order_of_names(image_.channel_names());
      form_->order = votes.decide(options.order, symmatrix ? TensorOrder::symmatrix : named,
                                  symmatrix   ? "its intent code says"
                                  : by_format ? header.stated_by
                                              : "the names of its channels say",
                                  file(), reason);
      const auto& places = tensor_places(form_->order);
      channel_of_.assign(places.begin(), places.end());
      notes_.insert(notes_.begin(), reason);
      names_.insert(names_.end(), six_names.begin(), six_names.end());
    } else if (tensors_) {
      const auto nine = form_->channel_names();
      names_.insert(names_.end(), nine.begin(), nine.end());
    } else if (!image_.channel_names().empty()) {
      names_.insert(names_.end(), image_.channel_names().begin(), image_.channel_names().end());
    } else {
      for (Index c = 1; c <= channels(); ++c) names_.push_back(fmt::format("c{}", c));
    }
  }

  bool symmetric_names() const { return image_.channel_names().front() == "xx"; }

  void choose_columns(const TableOptions& options) {
    const auto count = static_cast<Index>(names_.size());
    whole_ = options.columns.empty();
    if (whole_) {
      selected_.resize(static_cast<std::size_t>(channels()));
      std::iota(selected_.begin(), selected_.end(), position_columns);
    } else {
      selected_ = select_columns(options.columns, names_, count, file());
    }
    for (const auto& column : options.text_columns)
      for (const Index found : select_columns(column, names_, count, file())) text_.push_back(found);
  }

  // So that the slab at hand holds voxel_.
  void load_slab() {
    const Index first = voxel_ / image_.slab_voxels() * image_.slab_voxels();
    if (first == slab_first_) return;
    image_.read(first, std::min(image_.slab_voxels(), grid().voxels() - first), slab_);
    slab_first_ = first;
  }

  // A column's number at voxel_.
  double number(Index column) const {
    if (column < position_columns)
      return static_cast<double>(grid().position(voxel_)[static_cast<std::size_t>(column)]);
    return slab_(channel_of_[static_cast<std::size_t>(column - position_columns)], voxel_ - slab_first_);
  }

  void check_finite(ConstVectorRef row) const {
    for (Index j = 0; j < row.size(); ++j)
      if (!std::isfinite(row[j]))
        throw Error(fmt::format("{}: {}, {}: not finite: {}", file(), position_text(voxel_),
                                names_[static_cast<std::size_t>(selected_[static_cast<std::size_t>(j)])], row[j]));
  }

  NiftiImage image_;
  TableOptions::NonFinite non_finite_;
  std::vector<bool> inside_;
  bool tensors_ = false, whole_ = true;
  std::optional<TensorForm> form_;          // where there are tensors
  std::vector<std::string> names_, notes_;  // names_: i, j, k, then the channels
  std::vector<Index> channel_of_;           // where each named channel stands in the file
  std::vector<Index> selected_, text_;
  std::vector<Index> block_voxels_;
  Matrix slab_;
  Index slab_first_ = -1, voxel_ = 0, row_ = 0, total_rows_ = 0, asymmetric_ = 0;
};

}  // namespace

std::unique_ptr<NiftiTable> open_nifti(std::unique_ptr<ByteSource> source, const NiftiOptions& options) {
  return std::make_unique<NiftiReader>(std::move(source), options);
}

std::unique_ptr<TableReader> open_nifti_table(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  NiftiOptions image;
  image.table = options;
  return open_nifti(std::move(source), image);
}

bool has_nifti_name(const std::string& path) { return path.ends_with(".nii") || path.ends_with(".nii.gz"); }

std::string nifti_header_path(const std::string& path) {
  for (const std::string ending : {".img", ".img.gz"}) {
    if (!path.ends_with(ending)) continue;
    const std::string stem = path.substr(0, path.size() - ending.size());
    for (const char* of_header : {".hdr", ".hdr.gz"})
      if (std::error_code ignored; std::filesystem::is_regular_file(stem + of_header, ignored)) return stem + of_header;
  }
  return path;
}

bool is_nifti_file(const std::string& named) {
  const std::string path = nifti_header_path(named);
  if (has_nifti_name(path)) return true;
  for (const char* ending : {".mif", ".mif.gz", ".nrrd", ".nhdr"})
    if (path.ends_with(ending)) return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  try {
    const std::string head = NiftiBytes(open_bytes(path)).head(nifti2_size);
    return is_nifti(head) || is_mif(head) || is_nrrd(head);
  } catch (const Error&) {
    return false;  // whoever opens it in another way will say what is wrong
  }
}

}  // namespace wgp
