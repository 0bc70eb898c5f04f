#include "cli/input/model_points.h"

#include <algorithm>
#include <charconv>

#include "core/format.h"
#include "core/spelling.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

// From 1 on; 0 if the text is no such number.
Index row_number(const std::string& text) {
  Index row = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  return error == std::errc() && end == text.data() + text.size() && row > 0 ? row : 0;
}

}  // namespace

Index model_point(const LoadedModel& loaded, const std::string& name) {
  const ModelNotes& notes = loaded.notes;
  const Index count = loaded.model.parts().X.cols();
  if (const auto found = std::find(notes.ids.begin(), notes.ids.end(), name); found != notes.ids.end())
    return found - notes.ids.begin();
  const Index row = row_number(name);
  if (row > 0 && notes.rows.empty() && row <= count) return row - 1;
  if (const auto found = std::find(notes.rows.begin(), notes.rows.end(), row - 1); row > 0 && found != notes.rows.end())
    return found - notes.rows.begin();

  const Index last = notes.rows.empty() ? count : 1 + *std::max_element(notes.rows.begin(), notes.rows.end());
  if (row > 0 && row < last)
    throw Error(fmt::format("row {} is not among the {} points that the model holds", row, count));
  std::string known = fmt::format("rows of the table it was fitted to, 1 to {}", last);
  if (!notes.ids.empty()) known += fmt::format(", and ids ({}, {}...)", notes.id_column, quote_text(notes.ids.front()));
  const std::string guess = nearest(name, notes.ids);
  throw Error(fmt::format("the model has no point {}; it knows {}{}", quote_text(name), known,
                          guess.empty() ? "" : fmt::format("; did you mean {}?", guess)));
}

}  // namespace wgp::cli
