// The small files of tests/fuzz/corpus, which the fuzzers start from, and tables as values that can be compared.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "wgp/io.h"

namespace wgp::test {

struct SampleFile {
  std::string name, bytes;
};

inline std::vector<SampleFile> sample_files(const std::string& format) {
  const std::filesystem::path golden = WGP_GOLDEN_FILE;
  std::vector<SampleFile> files;
  const std::filesystem::path folder = golden.parent_path().parent_path() / "fuzz" / "corpus" / format;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream content;
    content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files.push_back({entry.path().filename().string(), content.str()});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

inline TableOptions keep_all() {
  TableOptions options;
  options.non_finite = TableOptions::NonFinite::keep;
  return options;
}

// Row by row, NaN as a number of its own.
inline std::vector<std::vector<double>> rows_of(const std::string& bytes, const std::string& name,
                                                const TableOptions& options = keep_all()) {
  const auto reader = parse_table(bytes, name, options);
  TableBlock block;
  std::vector<std::vector<double>> rows;
  while (reader->read(2, block))
    for (Index i = 0; i < block.values.cols(); ++i) {
      rows.emplace_back();
      for (Index j = 0; j < block.values.rows(); ++j)
        rows.back().push_back(block.values(j, i) == block.values(j, i) ? block.values(j, i) : -12345.5);
    }
  return rows;
}

inline std::string error_of(const std::string& bytes, const std::string& name,
                            const TableOptions& options = keep_all()) {
  try {
    rows_of(bytes, name, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace wgp::test
