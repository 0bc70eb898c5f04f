// The one table of formats: it drives open_table, create_table, their messages and the tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/tables/writers.h"
#include "wgp/io.h"

namespace wgp {

struct Format {
  enum class Content {
    text,    // a file that only its name says to be of this format may be one that is not recognised (a typing error)
    binary,  // such a file is none
  };
  std::string name;                  // as TableReader::format() gives it
  std::string title;                 // as messages call it
  std::string about;                 // what it is, in a few words
  std::vector<std::string> endings;  // of file names, ".gz" removed
  Content content;
  bool (*recognise)(std::string_view head);  // null: tables of text, which all other text is taken for
  std::unique_ptr<TableReader> (*open)(std::unique_ptr<ByteSource> source, const TableOptions& options);
  std::unique_ptr<TableWriter> (*create)(const TableTarget& target);  // null: read only
  bool writes_text;                                                   // has place for text columns
};

const std::vector<Format>& formats();

// A file's format, by content, then by name, and its bytes from the start, unpacked.
struct RecognisedFile {
  std::unique_ptr<ByteSource> bytes;
  const Format* format;
};
RecognisedFile recognise_file(std::unique_ptr<ByteSource> source);
std::unique_ptr<TableReader> open_table(RecognisedFile file, const TableOptions& options);

// The format that a file of this name is written in; "" and "-" are CSV. Error with those that can be written.
const Format& format_to_write(const std::string& path);

}  // namespace wgp
