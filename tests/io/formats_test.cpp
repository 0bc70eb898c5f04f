// Every registered format: recognised, and safe against damage. The samples are those of the fuzzers, so a format is
// tested because it is registered.
#include "io/tables/formats.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/sample_files.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;
using test::sample_files;
using Rows = std::vector<std::vector<double>>;

bool is_packed(const std::string& name) { return name.ends_with(".gz"); }

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool here = text.compare(i, from.size(), from) == 0;
    result += here ? to : text.substr(i, 1);
    i += here ? from.size() : 1;
  }
  return result;
}

// Those that open without flags; images and motion are tested beside their readers.
std::vector<Format> plain_formats() {
  std::vector<Format> plain;
  for (const Format& format : formats())
    if (format.name != "nifti" && format.name != "mif" && format.name != "nrrd" && format.name != "bvh" &&
        format.name != "amc")
      plain.push_back(format);
  return plain;
}

TEST(Formats, EveryOneHasSamplesAndItsOwnEndings) {
  std::set<std::string> names, endings;
  for (const Format& format : plain_formats()) EXPECT_FALSE(sample_files(format.name).empty()) << format.name;
  for (const Format& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    for (const auto& ending : format.endings) EXPECT_TRUE(endings.insert(ending).second) << ending;
  }
}

TEST(Formats, AreRecognisedByContentWhateverTheName) {
  for (const Format& format : plain_formats())
    for (const auto& [name, bytes] : sample_files(format.name)) {
      const Rows rows = rows_of(bytes, name);
      EXPECT_FALSE(rows.empty()) << name;
      for (const std::string other : {"t", "t.csv", "t.tps", "t.nts", "standard input"}) {
        // Nothing in a table of text says that it is not a damaged TPS or NTS.
        if (format.recognise == nullptr && (other == "t.tps" || other == "t.nts")) continue;
        EXPECT_EQ(parse_table(bytes, other)->format(), format.name) << name;
        EXPECT_EQ(rows_of(bytes, other), rows) << name;
      }
    }
}

// Cut off anywhere, a file is refused or gives the numbers it holds: all rows, where the file says how many there are;
// otherwise the first ones, of which the last number may have lost digits.
TEST(Formats, TruncationAnywhereIsNoticedWhereItCanBe) {
  for (const Format& format : plain_formats())
    for (const auto& [name, bytes] : sample_files(format.name)) {
      const Rows whole = rows_of(bytes, name);
      const auto promised = parse_table(bytes, name, test::keep_all())->rows();
      const bool text = format.content == Format::Content::text && !is_packed(name);
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        Rows rows;
        try {
          rows = rows_of(bytes.substr(0, size), name);
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(name + ":"), std::string::npos) << error.what();
          continue;
        }
        ASSERT_TRUE(text) << name << " cut at " << size << " was read";
        if (promised) {
          ASSERT_EQ(rows.size(), whole.size()) << name << " cut at " << size;
        }
        // A row that was cut at a field's end in the file's first row changes what a column is.
        if (rows.empty() || rows[0].size() != whole[0].size()) {
          ASSERT_LE(rows.size(), 1u) << name << " cut at " << size;
          continue;
        }
        ASSERT_LE(rows.size(), whole.size()) << name << " cut at " << size;
        if (format.recognise == nullptr) continue;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i)
          ASSERT_EQ(rows[i], whole[i]) << name << " cut at " << size << " row " << i;
      }
    }
}

TEST(Formats, FlippedBytesNeverCrash) {
  std::mt19937 random(7);
  for (const Format& format : plain_formats()) {
    const auto files = sample_files(format.name);
    for (int round = 0; round < 2000; ++round) {
      const auto& [name, bytes] = files[static_cast<std::size_t>(round) % files.size()];
      std::string damaged = bytes;
      for (std::size_t i = 1 + random() % 3; i-- > 0;) damaged[random() % damaged.size()] = static_cast<char>(random());
      TableOptions options;
      if (round % 2 == 0) options = test::keep_all();
      try {
        rows_of(damaged, name, options);
      } catch (const Error&) {
      }
    }
  }
}

TEST(Formats, TextHasAnyLineEndAndMark) {
  for (const Format& format : plain_formats()) {
    if (format.content != Format::Content::text) continue;
    for (const auto& [name, bytes] : sample_files(format.name)) {
      if (is_packed(name)) continue;
      const Rows rows = rows_of(bytes, name);
      ASSERT_TRUE(bytes.ends_with("\n")) << name;
      EXPECT_EQ(rows_of(bytes.substr(0, bytes.size() - 1), name), rows) << name << " without final newline";
      EXPECT_EQ(rows_of(replaced(bytes, "\n", "\r\n"), name), rows) << name << " CRLF";
      EXPECT_EQ(rows_of(replaced(bytes, "\n", "\r"), name), rows) << name << " CR";
      EXPECT_EQ(rows_of("\xEF\xBB\xBF" + bytes, name), rows) << name << " BOM";
      EXPECT_EQ(parse_table("\xEF\xBB\xBF" + replaced(bytes, "\n", "\r\n"), "t")->format(), format.name) << name;
      std::string wide;
      for (const char c : bytes) wide += {c, '\0'};
      EXPECT_NE(error_of("\xff\xfe" + wide, name).find("UTF-16"), std::string::npos) << name;
      EXPECT_NE(error_of(wide, name).find("UTF-16"), std::string::npos) << name;
    }
  }
}

TEST(Formats, WrongContentIsNamed) {
  for (const Format& format : plain_formats())
    for (const auto& ending : format.endings) {
      const std::string file = "t" + ending;
      EXPECT_EQ(error_of("", file), file + ": is empty");
      EXPECT_NE(error_of("%PDF-1.4 ...", file), "no error") << file;
      EXPECT_NE(error_of(std::string("\0\1\2\3\xff\xfe\0\0", 8), file), "no error") << file;
      if (format.recognise == nullptr) continue;
      const std::string message = error_of("1,2\n3,4\n", file);
      EXPECT_EQ(message.rfind(file + ": ", 0), 0u) << message;
    }
  EXPECT_EQ(error_of("1,2\n", "t.npz"), "t.npz: not an NPZ file: it starts with '1,2\\x0a'");
  EXPECT_THROW(open_table(std::filesystem::temp_directory_path().string()), Error);
}

TEST(Formats, SomeCanBeWritten) {
  std::string written;
  for (const Format& format : plain_formats())
    if (format.create != nullptr) written += format.name + " ";
  EXPECT_EQ(written.rfind("csv tsv npy npz tps ", 0), 0u) << written;
  EXPECT_EQ(format_to_write("-").name, "csv");
  EXPECT_EQ(format_to_write("a.b/c").name, "csv");
  EXPECT_EQ(format_to_write("T.TPS").name, "tps");
  try {
    format_to_write("t.nts");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "t.nts: NTS files are read only; tables are written as .csv, .tsv, .npy, .npz or .tps");
  }
}

TEST(Formats, OnlySomeHaveArraysToChoose) {
  TableOptions options;
  options.array = "points";
  EXPECT_EQ(error_of("1,2\n", "t.csv", options),
            "t.csv: has no arrays to choose from (it is CSV); leave --array points out");
}

TEST(Formats, ModelsSurviveDamage) {
  std::mt19937 random(3);
  const auto files = sample_files("model");
  ASSERT_FALSE(files.empty());
  for (const auto& [name, bytes] : files) {
    EXPECT_GT(parse_model(bytes, name).model.parts().P.cols(), 1);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(parse_model(bytes.substr(0, size), name), Error);
    for (int round = 0; round < 500; ++round) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      try {
        parse_model(damaged, name);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace wgp
