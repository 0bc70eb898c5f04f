// Tables in files: one row per point. CSV, TSV, NPY, NPZ and landmarks (TPS, NTS, Morphologika, Slicer); recognised by
// content, then by name; read also where they are compressed with gzip.
//
// Readers deliver blocks, so that files larger than memory can be streamed; writers write beside the target and rename
// at the end, so that no half-written file is ever left, and hold back standard output until close(). Every error is a
// wgp::Error that names the file, the row (1-based, counting data rows), the column, what was found and what would be
// right.
//
// Text tables: fields separated by commas, tabs, semicolons or blanks (found out from the first rows), decimal points,
// quoted fields with "" for a quote, LF, CRLF or CR, an optional UTF-8 byte order mark. The first row is a header if
// one of its used fields is not a number, unless the others look like data. Blank lines may only stand at the ends.
// Lines that start with # are comments where rows start with numbers, and before the first row everywhere; the last one
// before it is the header if it has a word for each column.
// NPY: versions 1.0 to 3.0, bool, integers and floats of any size and byte order, C and Fortran order; the first axis
// counts the rows. MAT: MATLAB's version 5, one of the arrays of numbers. NPZ: one of the arrays (TableOptions::array);
// arrays of text beside it are text columns. Landmarks: a specimen per row, x1 y1 x2 y2 ... or x1 y1 z1 ..., text
// columns id, image, comment (TPS) or name and labels. Landmarks that are marked as missing are NaN. Markups of Slicer
// (.mrk.json, .fcsv) are a specimen a file, in LPS.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// A block of rows, transposed: values.col(i) is row first_row + i of the file (0-based).
struct TableBlock {
  Matrix values;
  std::vector<std::vector<std::string>> text;  // text[j][i]: the requested text column j of row i
  Index first_row = 0;
};

struct TableOptions {
  enum class NonFinite {
    reject,  // nan, inf and missing fields ("", NA, N/A, null) are errors
    keep,    // they are delivered, missing ones as NaN
  };
  std::string columns;                    // "4:19", "1,3,5", "x,y,z", "x1:y8"; empty: all numeric columns
  std::vector<std::string> text_columns;  // further columns to deliver as text (labels), by name or 1-based number
  NonFinite non_finite = NonFinite::reject;
  std::string array = {};  // NPZ, MAT: which array, if there are several of numbers
  Index sample_axis = 0;   // MAT: which axis counts the rows, from 1 on; 0: as the shape says
  char decimal = '.';      // of text tables; ',' where 1,5 is one and a half
  enum class Curves { landmarks, ignore };
  Curves curves = Curves::landmarks;  // TPS: whether points of CURVES= and OUTLINES= follow as further landmarks
};

struct TableColumn {
  std::string name;  // empty if the file has no header
  bool numeric = true;
  bool selected = true;
};

class TableReader {
 public:
  virtual ~TableReader() = default;
  virtual Index width() const = 0;                       // numbers per row
  virtual std::vector<std::string> names() const = 0;    // of the selected columns; empty if the file has none
  virtual std::vector<TableColumn> columns() const = 0;  // all of them, for messages
  virtual std::optional<Index> rows() const = 0;         // where the file says so: NPY, NPZ, NTS, Morphologika
  // Trailing shape of an array: {3, 3} for (n, 3, 3), {} for (n,); {n, 2} or {n, 3} for landmarks; else {width}.
  virtual std::vector<Index> shape() const = 0;
  virtual std::string format() const = 0;  // "csv", "tsv", "npy", "npz", "tps", "nts", "morphologika", ...
  // Names of the rows and columns of its matrices, where the file has them: NPZ, an array of text called channels,
  // channel_names or ch_names.
  virtual std::vector<std::string> channel_names() const { return {}; }
  // What was found out of the file, or assumed of it, that its user may not expect; of the first rows.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Reads up to max_rows; false at the end.
  virtual bool read(Index max_rows, TableBlock& block) = 0;
  // Passes over so many rows, or over all that are left: without reading them in an NPY file, else by reading them.
  virtual void skip(Index count);
};
// "-" is standard input. A file without rows is an error.
std::unique_ptr<TableReader> open_table(const std::string& path, const TableOptions& options = {});
// The same from bytes in memory; name stands in messages.
std::unique_ptr<TableReader> parse_table(std::string bytes, const std::string& name, const TableOptions& options = {});
// The whole file.
TableBlock read_table(const std::string& path, const TableOptions& options = {});
TableBlock read_rest(TableReader& reader);

class TableWriter {
 public:
  virtual ~TableWriter() = default;  // without close(): the temporary file is removed
  virtual void write(ConstMatrixRef rows_as_columns) = 0;
  virtual void write(ConstMatrixRef rows_as_columns,
                     const std::vector<std::vector<std::string>>& text) = 0;  // with text columns; not for NPY
  virtual void close() = 0;                                                   // flushes, renames into place
};
// Format by the name's ending (.csv, .tsv, .npy, .npz, .tps); "-" or "" writes CSV to standard output. names: of the
// numbers, then of the text columns. row_shape: NPY and NPZ trailing shape, by default (n, k), and (n,) for one number
// a row; TPS has three coordinates a landmark if it is {n, 3}, or one of the names is z1, and two otherwise.
std::unique_ptr<TableWriter> create_table(const std::string& path, const std::vector<std::string>& names,
                                          const std::vector<Index>& row_shape = {});

// Writes a whole small file (JSON, SVG) atomically; "-" is standard output.
void write_file(const std::string& path, const std::string& content);

// The shortest text that reads back as the same number.
std::string format_number(double value);

// Unlinks the temporary files of unfinished writers. Async-signal-safe: for a program's signal handlers.
void remove_temporary_files() noexcept;

}  // namespace WGP_PUBLIC
