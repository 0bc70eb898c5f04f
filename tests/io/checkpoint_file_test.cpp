// Checkpoints come back as they were, or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "io/bytes/archive.h"
#include "wgp/model_file.h"

namespace wgp {
namespace {

class CheckpointFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-checkpoint-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    whole_.fingerprint = 0xfedcba9876543210u;
    whole_.steps["growth 1"] = Vector::LinSpaced(5, -1, 1);
    whole_.steps["move"] = Vector::Constant(1, 1e-300);
    save_checkpoint(path(), whole_);
    std::ostringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    bytes_ = content.str();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/c.wgpc"; }
  FitCheckpoint load(const std::string& bytes) const {
    std::filesystem::remove(path());  // a file that is overwritten goes to the disk at once, which takes its time
    std::ofstream(path(), std::ios::binary) << bytes;
    return load_checkpoint(path());
  }
  std::string directory_, bytes_;
  FitCheckpoint whole_;
};

TEST_F(CheckpointFile, RoundTrip) {
  const FitCheckpoint back = load(bytes_);
  EXPECT_EQ(back.fingerprint, whole_.fingerprint);
  EXPECT_EQ(back.steps, whole_.steps);
}

TEST_F(CheckpointFile, TruncationAnywhereIsAnError) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    try {
      load(bytes_.substr(0, size));
      ADD_FAILURE() << "cut at " << size << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path() + ":", 0), 0u) << error.what();
    }
  }
}

TEST_F(CheckpointFile, DamageIsAnErrorOrHarmless) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes_;
    char& byte = damaged[random() % damaged.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    try {
      const FitCheckpoint back = load(damaged);
      EXPECT_EQ(back.fingerprint, whole_.fingerprint) << round;
      EXPECT_EQ(back.steps, whole_.steps) << round;
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace wgp
