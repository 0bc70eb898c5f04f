// Outputs appear whole or not at all, and what a killed writer left goes away with the next one.
#include "io/bytes/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "wgp/io.h"

namespace wgp {
namespace {

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string target() const { return directory_ + "/out.csv"; }
  std::string content() const {
    std::ostringstream all;
    all << std::ifstream(target()).rdbuf();
    return all.str();
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.insert(entry.path().filename());
    return names;
  }
  void write(const std::string& text) const {
    OutputFile file(target());
    file.write(text);
    file.commit();
  }
  std::string directory_;
};

TEST_F(Output, AppearsWholeAndReplacesWhatWasThere) {
  {
    OutputFile file(target());
    file.write("half");
  }
  EXPECT_EQ(files(), std::set<std::string>{});
  write("one\n");
  EXPECT_EQ(content(), "one\n");
  {
    OutputFile file(target());
    file.write("half");
    EXPECT_EQ(content(), "one\n");
  }
  write("two\n");
  EXPECT_EQ(content(), "two\n");
  EXPECT_EQ(files(), std::set<std::string>{"out.csv"});
}

TEST_F(Output, WhatAKilledWriterLeftIsRemovedByTheNext) {
  write("one\n");
  std::ofstream(temporary_name(target(), 0)) << "hal";
  write("two\n");
  EXPECT_EQ(content(), "two\n");
  EXPECT_EQ(files(), std::set<std::string>{"out.csv"});
}

TEST_F(Output, WhatAnotherIsStillWritingIsNot) {
  write("one\n");
  const std::string others = temporary_name(target(), 0);
  const int descriptor = open(others.c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  write("two\n");
  EXPECT_EQ(content(), "two\n");
  EXPECT_TRUE(std::filesystem::exists(others));
  close(descriptor);
}

TEST_F(Output, TwoAtOnceBothSucceed) {
  OutputFile first(target()), second(target());
  first.write("first\n");
  second.write("second\n");
  first.commit();
  EXPECT_EQ(content(), "first\n");
  second.commit();
  EXPECT_EQ(content(), "second\n");
  EXPECT_EQ(files(), std::set<std::string>{"out.csv"});
}

TEST_F(Output, AFolderThatIsNotThereIsNamed) {
  try {
    OutputFile file(directory_ + "/none/out.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none/out.csv"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wgp
