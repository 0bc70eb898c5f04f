// Landmark files as tables: one specimen per row, x1 y1 x2 y2 ... or x1 y1 z1 x2 ..., then columns of text (id, name).
// The formats deliver specimens; this is what they share: choice of columns, checks, blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes/line_reader.h"
#include "wgp/io.h"

namespace wgp {

struct Specimen {
  std::vector<double> numbers;    // coordinates, landmark by landmark; missing ones are NaN
  std::vector<std::string> text;  // in the order of SpecimenSource::text_names
  Index line = 0;                 // where it starts
};

class SpecimenSource {
 public:
  explicit SpecimenSource(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {}
  virtual ~SpecimenSource() = default;
  const std::string& file() const { return lines_.file(); }

  virtual std::string format() const = 0;
  virtual bool next(Specimen& specimen) = 0;  // false at the end
  // Known after the first specimen.
  virtual Index dimension() const = 0;  // numbers per landmark; 1 if the file does not say
  virtual std::vector<std::string> text_names() const = 0;
  virtual std::optional<Index> count() const { return std::nullopt; }  // of the specimens, if the file says
  virtual std::vector<std::string> remarks() const { return {}; }      // of the first one

 protected:
  // A coordinate: a number, or a word for a missing one.
  double coordinate(std::string_view word) const;
  LineReader lines_;
};

std::unique_ptr<TableReader> landmark_table(std::unique_ptr<SpecimenSource> source, const TableOptions& options);

// x1, y1, x2, ...; x1, y1, z1, ...; x1, x2, ...
std::vector<std::string> landmark_names(Index width, Index dimension);

}  // namespace wgp
