// Damaged files of every format given to the command: refused with a message, or read rightly where nothing is lost.
#include <random>

#include "io/sample_files.h"
#include "measured_run.h"

namespace wgp::test {
namespace {

struct Subject {
  std::string file, bytes;         // what is damaged
  std::vector<std::string> words;  // of the command that reads it
  bool is_text = false;
  bool says_its_size = true;  // a cut is always noticed
};

class BadFiles : public MeasuredTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    for (const std::string format : {"csv", "tsv", "tps", "nts", "morphologika", "npy", "npz"}) {
      const bool text = format != "npy" && format != "npz";
      add("f." + format, sample(format), {}, text, format != "csv" && format != "tsv");
    }
    add("f.nii", sample("nifti", "fsl.nii"), {}, false);
    add("f.nii.gz", sample("nifti", "fsl.nii.gz"), {}, false);
    add("f.csv.gz", sample("csv", "packed.csv.gz"), {}, false);
    const std::string bvh = sample("bvh", "one_joint.bvh");
    const std::string bone =
        bvh.substr(bvh.find("ROOT ") + 5, bvh.find_first_of("\r\n{", bvh.find("ROOT ")) - bvh.find("ROOT ") - 5);
    add("f.bvh", bvh, {"--bone", bone}, true);
    const std::string motion = sample("asf_amc", "one_bone");
    const std::string asf = motion.substr(0, motion.find('\0')), amc = motion.substr(motion.find('\0') + 1);
    write("whole.asf", asf);
    write("whole.amc", amc);
    add("f.amc", amc, {"--bone", "a", "--skeleton", "whole.asf"}, true);
    subjects_.push_back(
        {"f.asf", asf, {"convert", "whole.amc", "--bone", "a", "--skeleton", "f.asf", "-o", "out.csv"}, true});
    subjects_.push_back({"f.wgp", sample("model", "sphere.wgp"), {"info", "f.wgp"}});
    write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
    ASSERT_EQ(wgp("fit p.csv --manifold euclidean:2 --latent 1 --effort quick --checkpoint c.wgpc -o m.wgp").exit_code,
              0);
    subjects_.push_back({"f.wgpc",
                         read("c.wgpc"),
                         {"fit", "p.csv", "--manifold", "euclidean:2", "--latent", "1", "--effort", "quick", "--resume",
                          "f.wgpc", "-o", "out.csv"},
                         false,
                         false});  // it may be cut: checkpoint_test.cpp
  }

  std::string sample(const std::string& format, const std::string& name = "") const {
    for (const auto& file : sample_files(format))
      if (name.empty() || file.name == name) return file.bytes;
    ADD_FAILURE() << "no sample " << format << ' ' << name;
    return "";
  }
  void add(const std::string& file, const std::string& bytes, std::vector<std::string> flags, bool text,
           bool size = true) {
    flags.insert(flags.begin(), {"convert", file, "-o", "out.csv"});
    subjects_.push_back({file, bytes, flags, text, size});
  }
  // The command's output for these bytes.
  std::string reading(const Subject& subject, const std::string& bytes) const {
    write(subject.file, bytes);
    const Outcome outcome = measured(subject.words);
    EXPECT_EQ(outcome.exit_code, 0) << subject.file << outcome.err;
    const std::string table = subject.words[0] == "info" ? outcome.out : read("out.csv");
    std::filesystem::remove(path("out.csv"));
    return table;
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  }
  std::vector<Subject> subjects_;
};

TEST_F(BadFiles, AreReadWhenWhole) {
  EXPECT_EQ(subjects_.size(), 15u);
  for (const Subject& subject : subjects_) EXPECT_FALSE(reading(subject, subject.bytes).empty()) << subject.file;
}

TEST_F(BadFiles, EmptyDirectoryMissingOrOther) {
  for (const Subject& subject : subjects_) {
    write(subject.file, "");
    EXPECT_TRUE(refused(subject.words, {subject.file})) << subject.file << " empty";
    write(subject.file, std::string(3000, '\0'));
    EXPECT_TRUE(refused(subject.words, {subject.file})) << subject.file << " zeros";
    write(subject.file, "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n" + subject.bytes);
    EXPECT_TRUE(refused(subject.words, {subject.file})) << subject.file << " with another magic";
    std::string wide = "\xff\xfe";
    for (const char c : subject.bytes) wide += {c, '\0'};
    write(subject.file, wide);
    EXPECT_TRUE(refused(subject.words, {subject.file})) << subject.file << " as UTF-16";
    std::filesystem::remove(path(subject.file));
    EXPECT_TRUE(refused(subject.words, {subject.file, "no such file"})) << subject.file;
    std::filesystem::create_directory(path(subject.file));
    EXPECT_TRUE(refused(subject.words, {subject.file, "is a directory"})) << subject.file;
    std::filesystem::remove(path(subject.file));
  }
}

// At every byte: the tests of the readers. Here a few, through the command.
TEST_F(BadFiles, Truncated) {
  for (const Subject& subject : subjects_)
    for (const double share : {0.02, 0.3, 0.55, 0.8, 0.93}) {
      if (!subject.says_its_size) continue;
      const auto size = static_cast<std::size_t>(share * static_cast<double>(subject.bytes.size()));
      write(subject.file, subject.bytes.substr(0, size));
      EXPECT_TRUE(refused(subject.words, {subject.file})) << subject.file << " cut at " << size;
    }
}

TEST_F(BadFiles, FlippedBytesAreRefusedOrHarmless) {
  std::mt19937 random(11);
  for (const Subject& subject : subjects_)
    for (int round = 0; round < 6; ++round) {
      std::string damaged = subject.bytes;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      write(subject.file, damaged);
      const MeasuredOutcome outcome = measured(subject.words);
      EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3) << subject.file << outcome.exit_code << outcome.err;
      EXPECT_EQ(outcome.exit_code == 0 && subject.words[0] != "info", std::filesystem::exists(path("out.csv")));
      std::filesystem::remove(path("out.csv"));
    }
}

TEST_F(BadFiles, LineEndsAndMarksAreHarmless) {
  int texts = 0;
  for (const Subject& subject : subjects_) {
    if (!subject.is_text) continue;
    ++texts;
    const std::string plain = replaced(subject.bytes, "\r\n", "\n"), expected = reading(subject, plain);
    EXPECT_EQ(reading(subject, plain.substr(0, plain.find_last_not_of("\n") + 1)), expected)
        << subject.file << " without final newline";
    EXPECT_EQ(reading(subject, replaced(plain, "\n", "\r\n")), expected) << subject.file << " CRLF";
    EXPECT_EQ(reading(subject, "\xEF\xBB\xBF" + plain), expected) << subject.file << " BOM";
  }
  EXPECT_EQ(texts, 8);
}

}  // namespace
}  // namespace wgp::test
