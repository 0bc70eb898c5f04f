// Checkpoints come back as they were, up to the last step that was finished, or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "wgp/model_file.h"

namespace wgp {
namespace {

class CheckpointFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-checkpoint-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    const std::vector<FitStep> steps = {{"growth 1", Vector::LinSpaced(5, -1, 1)},
                                        {"move", Vector::Constant(1, 1e-300)}};
    CheckpointWriter writer(path(), {0xfedcba9876543210u, {}});
    remember();
    for (const FitStep& step : steps) {
      writer.add(step);
      whole_.steps[step.name] = step.numbers;
      remember();
    }
    bytes_ = read();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/c.wgpc"; }
  std::string read() const {
    std::ostringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    return content.str();
  }
  FitCheckpoint parse(const std::string& bytes) const { return parse_checkpoint(bytes, "c.wgpc"); }

  std::string directory_, bytes_;
  FitCheckpoint whole_{0xfedcba9876543210u, {}};
  // The file as it was after each step, and what was in it.
  std::vector<std::pair<std::size_t, FitCheckpoint>> after_;

 private:
  void remember() { after_.emplace_back(std::filesystem::file_size(path()), whole_); }
};

void expect_same(const FitCheckpoint& actual, const FitCheckpoint& expected) {
  EXPECT_EQ(actual.fingerprint, expected.fingerprint);
  EXPECT_EQ(actual.steps, expected.steps);
}

TEST_F(CheckpointFile, RoundTrip) {
  expect_same(load_checkpoint(path()), whole_);
  expect_same(parse(bytes_), whole_);
}

TEST_F(CheckpointFile, GrowsByWhatIsAdded) {
  CheckpointWriter writer(path(), whole_);
  const std::string before = read();
  writer.add({"move", Vector::Constant(3, 7)});  // again: the last one counts
  EXPECT_EQ(read().substr(0, before.size()), before);
  whole_.steps["move"] = Vector::Constant(3, 7);
  expect_same(load_checkpoint(path()), whole_);
}

TEST_F(CheckpointFile, OneThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(CheckpointWriter(directory_ + "/none/c.wgpc", whole_), Error);
  EXPECT_THROW(CheckpointWriter("/dev/full", whole_), Error);
  CheckpointWriter writer(path(), whole_);
  std::filesystem::remove(path());
  EXPECT_THROW(writer.add({"move", Vector::Ones(2)}), Error);
}

// A file that was cut is what it was when the last whole step had been written. Before the end of its head there is
// nothing to go on with.
TEST_F(CheckpointFile, TruncationLeavesTheStepsBeforeIt) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    SCOPED_TRACE(size);
    const FitCheckpoint* expected = nullptr;
    for (const auto& [bytes, checkpoint] : after_)
      if (bytes <= size) expected = &checkpoint;
    try {
      const FitCheckpoint back = parse(bytes_.substr(0, size));
      ASSERT_NE(expected, nullptr);
      expect_same(back, *expected);
    } catch (const Error& error) {
      EXPECT_EQ(expected, nullptr);
      EXPECT_EQ(std::string(error.what()).rfind("c.wgpc:", 0), 0u) << error.what();
    }
  }
}

// On from a file whose last step was being written: that step is gone, the next one readable.
TEST_F(CheckpointFile, GoesOnAfterATornStep) {
  const FitCheckpoint torn = parse(bytes_.substr(0, bytes_.size() - 3));
  CheckpointWriter writer(path(), torn);
  writer.add({"move", whole_.steps.at("move")});
  expect_same(load_checkpoint(path()), whole_);
}

TEST_F(CheckpointFile, DamageIsAnErrorOrHarmless) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes_;
    char& byte = damaged[random() % damaged.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    try {
      const FitCheckpoint back = parse(damaged);
      EXPECT_EQ(back.fingerprint, whole_.fingerprint) << round;
      EXPECT_EQ(back.steps, whole_.steps) << round;
    } catch (const Error&) {
    }
  }
}

TEST_F(CheckpointFile, OtherFilesAreRefusedInWords) {
  const auto words = [&](const std::string& bytes) {
    try {
      parse(bytes);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("was read");
  };
  EXPECT_NE(words("").find("not a checkpoint"), std::string::npos);
  EXPECT_NE(words("PK\x03\x04 and so on, longer than a head").find("not a checkpoint"), std::string::npos);
  std::string other = bytes_;
  other[7] = '3';
  EXPECT_NE(words(other).find("another version"), std::string::npos);
  EXPECT_NE(words(bytes_.substr(0, 12)).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace wgp
