// TPS: a specimen per row, LM=n with two or LM3=n with three coordinates a line, then ID= (a column of text, else the
// row's number from 0), and IMAGE= and COMMENT= where columns of text are called so.
#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/bytes/output_file.h"
#include "io/tables/writers.h"

namespace wgp {
namespace {

// Three if the shape of the rows or their names say so.
Index dimension_of(const TableTarget& target) {
  if (target.row_shape.size() == 2 && (target.row_shape[1] == 2 || target.row_shape[1] == 3))
    return target.row_shape[1];
  const auto& names = target.names;
  return std::find(names.begin(), names.end(), "z1") == names.end() ? 2 : 3;
}

class TpsWriter final : public TableWriter {
 public:
  explicit TpsWriter(const TableTarget& target)
      : target_(target), file_(target.path), dimension_(dimension_of(target)) {}

  void write(ConstMatrixRef rows) override { write(rows, {}); }

  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text) override {
    if (row_ == 0) check(rows.rows(), text.size());
    fmt::memory_buffer specimen;
    const auto to = std::back_inserter(specimen);
    for (Index i = 0; i < rows.cols(); ++i, ++row_) {
      specimen.clear();
      fmt::format_to(to, "{}={}\n", dimension_ == 3 ? "LM3" : "LM", rows.rows() / dimension_);
      for (Index j = 0; j < rows.rows(); ++j) {
        if (std::isnan(rows(j, i)))
          fmt::format_to(to, "NA");
        else
          fmt::format_to(to, "{}", rows(j, i));
        specimen.push_back((j + 1) % dimension_ == 0 ? '\n' : ' ');
      }
      bool has_id = false;
      for (std::size_t k = 0; k < text.size(); ++k) {
        const std::string& value = text[k][static_cast<std::size_t>(i)];
        if (value.find_first_of("\r\n") != std::string::npos)
          throw Error(fmt::format("{}: row {}: TPS has no place for the line end in {}; write CSV", target_.path,
                                  row_ + 1, quote_text(value)));
        fmt::format_to(to, "{}={}\n", keys_[k], value);
        has_id = has_id || keys_[k] == "ID";
      }
      if (!has_id) fmt::format_to(to, "ID={}\n", row_);
      file_.write({specimen.data(), specimen.size()});
    }
  }

  void close() override { file_.commit(); }

 private:
  void check(Index width, std::size_t text_count) {
    if (width % dimension_ != 0)
      throw Error(
          fmt::format("{}: rows of {} numbers are no landmarks of {} coordinates; choose columns or the dimension",
                      target_.path, width, dimension_));
    for (std::size_t k = 0; k < text_count; ++k) {
      const std::size_t at = static_cast<std::size_t>(width) + k;
      const std::string name = at < target_.names.size() ? to_lower(target_.names[at]) : "";
      const std::string key = name == "image" ? "IMAGE" : (name == "comment" ? "COMMENT" : "ID");
      if (std::find(keys_.begin(), keys_.end(), key) != keys_.end())
        throw Error(fmt::format("{}: TPS has no place for a second column of text, {}; write CSV", target_.path,
                                quote_text(name)));
      keys_.push_back(key);
    }
  }

  TableTarget target_;
  OutputFile file_;
  Index dimension_, row_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace

std::unique_ptr<TableWriter> create_tps(const TableTarget& target) { return std::make_unique<TpsWriter>(target); }

}  // namespace wgp
