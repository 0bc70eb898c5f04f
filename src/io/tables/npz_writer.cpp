// NPZ: the numbers as the array "points", each text column as an array of its own name. The rows go to the file as they
// come; texts are kept until the end, since NumPy gives all of them the length of the longest.
#include "core/format.h"

#include <algorithm>
#include <set>

#include "io/bytes/archive.h"
#include "io/bytes/number.h"
#include "io/tables/npy_format.h"
#include "io/tables/npy_text.h"
#include "io/tables/writers.h"

namespace wgp {
namespace {

constexpr std::size_t npz_preamble_bytes = 256;  // a multiple of 64, as numpy aligns its data

class NpzWriter final : public TableWriter {
 public:
  explicit NpzWriter(const TableTarget& target) : target_(target), archive_(target.path) {}

  void write(ConstMatrixRef rows) override { write(rows, {}); }

  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text) override {
    if (shape_.empty()) start(rows.rows(), text.size());
    if (rows.rows() != width_ || text.size() != texts_.size())
      throw Error(fmt::format("a table of {} numbers and {} texts a row was given {} and {}", width_, texts_.size(),
                              rows.rows(), text.size()));
    bytes_.clear();
    append_doubles(rows, bytes_);
    archive_.append_first(bytes_);
    shape_[0] += rows.cols();
    for (std::size_t j = 0; j < text.size(); ++j) texts_[j].insert(texts_[j].end(), text[j].begin(), text[j].end());
  }

  void close() override {
    if (shape_.empty()) start(static_cast<Index>(target_.names.size()), 0);
    archive_.end_first(npy_preamble(shape_, npz_preamble_bytes));
    for (std::size_t j = 0; j < texts_.size(); ++j) archive_.add(text_name(j) + ".npy", npy_of_texts(texts_[j]));
    archive_.commit();
  }

 private:
  void start(Index width, std::size_t text_count) {
    width_ = width;
    texts_.resize(text_count);
    shape_ = row_shape_of(target_, width);
    shape_.insert(shape_.begin(), 0);
    archive_.begin_first("points.npy", npy_preamble(shape_, npz_preamble_bytes));
  }

  // The names of text columns stand behind those of the numbers.
  std::string text_name(std::size_t j) const {
    const std::size_t first = target_.names.size() - std::min(target_.names.size(), texts_.size());
    const std::string name = first + j < target_.names.size() ? target_.names[first + j] : "";
    return name.empty() || name == "points" ? fmt::format("labels{}", j > 0 ? std::to_string(j + 1) : "") : name;
  }

  TableTarget target_;
  ArchiveWriter archive_;
  Index width_ = 0;
  std::vector<Index> shape_;
  std::vector<std::vector<std::string>> texts_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<TableWriter> create_npz(const TableTarget& target) { return std::make_unique<NpzWriter>(target); }

}  // namespace wgp
