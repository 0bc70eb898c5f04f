#include "cli/input/table_flags.h"

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

constexpr Index most_rows = Index{1} << 48;

Index end_of_range(const std::string& text, const std::string& end, Index otherwise) {
  if (end.empty()) return otherwise;
  const auto row = parse_count(end);
  if (!row || *row < 1 || *row > most_rows)
    throw UsageError(
        fmt::format("--rows {}: rows count from 1 on; A:B, A: or :B is right, e.g. --rows 101:500", quote_text(text)));
  return *row;
}

}  // namespace

TableFlags table_flags_from(const Arguments& arguments) {
  TableFlags flags;
  if (arguments.has("decimal")) flags.decimal = arguments.choice("decimal", ".", {".", ","})[0];
  flags.rows.every = arguments.integer("every", 1, 1, most_rows);
  if (arguments.has("rows")) {
    const std::string text = arguments.text("rows");
    const auto colon = text.find(':');
    const std::string from = text.substr(0, colon), to = colon == std::string::npos ? from : text.substr(colon + 1);
    if (from.empty() && to.empty()) end_of_range(text, "?", 0);
    const Index first = end_of_range(text, from, 1), last = end_of_range(text, to, most_rows);
    if (last < first) throw UsageError(fmt::format("--rows {}: the range ends before it starts", quote_text(text)));
    flags.rows.first = first - 1;
    if (last < most_rows) flags.rows.count = last - first + 1;
  }
  flags.sample_axis = arguments.integer("sample-axis", 0, 1, 32);
  if (arguments.has("curves"))
    flags.curves = arguments.choice("curves", "", {"landmarks", "ignore"}) == "ignore"
                       ? TableOptions::Curves::ignore
                       : TableOptions::Curves::landmarks;
  if (arguments.has("quaternion"))
    flags.quaternion = arguments.choice("quaternion", "", {"wxyz", "xyzw"}) == "wxyz"
                           ? TableFlags::Quaternion::scalar_first
                           : TableFlags::Quaternion::scalar_last;
  return flags;
}

}  // namespace wgp::cli
