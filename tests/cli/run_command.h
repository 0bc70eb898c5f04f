// Runs the real command in a fresh, empty directory.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace wgp::test {

struct Outcome {
  int exit_code;
  std::string out, err;
};

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(directory_);
  }

  // A shell line in which `wgp` is the command under test.
  Outcome shell(const std::string& line) const {
    const std::filesystem::path tool = std::filesystem::path(WGP_COMMAND).parent_path();
    const std::string out = directory_ + ".out", err = directory_ + ".err";
    const std::string script = "cd '" + directory_ + "' && PATH='" + tool.string() +
                               "':\"$PATH\" && export PATH && { " + line + "\n} >'" + out + "' 2>'" + err +
                               "' </dev/null";
    const int status = std::system(script.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err)};
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return outcome;
  }
  Outcome wgp(const std::string& arguments) const { return shell("wgp " + arguments); }

  void write(const std::string& name, const std::string& content) const {
    // A file that is overwritten goes to the disk at once, which takes its time.
    if (std::filesystem::is_regular_file(path(name))) std::filesystem::remove(path(name));
    std::ofstream(path(name), std::ios::binary) << content;
  }
  // Of five coordinates, in p.csv.
  void write_bent_sheet(int count) const {
    std::ostringstream text;
    for (int i = 0; i < count; ++i) {
      const double a = std::sin(1.7 * i), b = std::cos(2.9 * i * i);
      text << a << ',' << b << ',' << a * a << ',' << a * b << ',' << std::sin(2 * b) << '\n';
    }
    write("p.csv", text.str());
  }
  std::string read(const std::string& name) const { return slurp(path(name)); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  // The numbers of a table with a header, row by row.
  static std::vector<std::vector<double>> numbers(const std::string& csv) {
    std::vector<std::vector<double>> rows;
    std::istringstream lines(csv);
    std::string line, field;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      rows.emplace_back();
      std::istringstream fields(line);
      while (std::getline(fields, field, ',')) rows.back().push_back(std::stod(field));
    }
    return rows;
  }
  static void expect_rows(const std::string& csv, const std::vector<std::vector<double>>& expected,
                          double tolerance = 1e-14) {
    const auto actual = numbers(csv);
    ASSERT_EQ(actual.size(), expected.size()) << csv;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(actual[i].size(), expected[i].size()) << csv;
      for (std::size_t j = 0; j < actual[i].size(); ++j) EXPECT_NEAR(actual[i][j], expected[i][j], tolerance) << csv;
    }
  }
  static std::string header(const std::string& csv) { return csv.substr(0, csv.find('\n')); }

 private:
  static std::string slurp(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string directory_;
};

// The outcome is this exit code, nothing on standard output, and each of these pieces in the message.
inline ::testing::AssertionResult fails(const Outcome& outcome, int exit_code, const std::vector<std::string>& pieces) {
  if (outcome.exit_code != exit_code || !outcome.out.empty())
    return ::testing::AssertionFailure() << "exit " << outcome.exit_code << ", expected " << exit_code
                                         << "\nout: " << outcome.out << "\nerr: " << outcome.err;
  for (const auto& piece : pieces)
    if (outcome.err.find(piece) == std::string::npos)
      return ::testing::AssertionFailure() << "'" << piece << "' is not in the message:\n" << outcome.err;
  return ::testing::AssertionSuccess();
}

}  // namespace wgp::test
