// Devices and pipes without an end given as files of every kind: refused at once, in little memory.
#include <signal.h>
#include <sys/stat.h>

#include "io/sample_files.h"
#include "measured_run.h"

namespace wgp::test {
namespace {

class EndlessInput : public MeasuredTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
    ASSERT_EQ(shell("wgp fit p.csv --manifold euclidean:2 --latent 1 --effort quick --checkpoint c.wgpc -o m.wgp && "
                    "wgp convert p.csv -o p.npz && wgp convert p.csv -o p.npy")
                  .exit_code,
              0);
  }

  // Every reader: the words of a command that reads `file` by it.
  static std::vector<std::vector<std::string>> readers(const std::string& file) {
    return {{"info", file},
            {"encode", file, "p.csv"},
            {"encode", "m.wgp", file},
            {"decode", file, "p.csv"},
            {"decode", "m.wgp", file},
            {"sample", "m.wgp", "--at", file},
            {"score", file, "p.csv"},
            {"score", "m.wgp", file},
            {"report", file},
            {"report", "m.wgp", "--labels", "1", "--data", file},
            {"fit", "p.csv", "--manifold", "euclidean:2", "--resume", file, "-o", "out.wgp"},
            {"fit", "p.csv", "--manifold", "euclidean:2", "--latent", "1", "--init", "given", "--at", file, "-o",
             "out.wgp"},
            {"fit", file, "--manifold", "euclidean:2", "-o", "out.wgp"},
            {"regress", file, "p.csv", "--manifold", "euclidean:2", "-o", "out.wgp"},
            {"geom", "log", "--manifold", "euclidean:2", "--base", file, "p.csv"},
            {"mean", "image.nii", "--manifold", "spd:3", "--mask", file},
            {"convert", "walk.amc", "--bone", "a", "--skeleton", file},
            {"check", file}};
  }

  // The outcome of a command that is given an endless file: these bytes, then the filler again and again.
  MeasuredOutcome piped(const std::vector<std::string>& words, const std::string& file, const std::string& head,
                        const std::string& filler) const {
    const std::string name = path(file);
    std::filesystem::remove(name);
    EXPECT_EQ(mkfifo(name.c_str(), 0600), 0);
    const pid_t writer = fork();
    if (writer == 0) {
      signal(SIGPIPE, SIG_DFL);
      const int pipe = open(name.c_str(), O_WRONLY);
      std::string bytes = head;
      while (bytes.size() < 65536) bytes += filler;
      if (::write(pipe, bytes.data(), bytes.size()) < 0) _exit(1);
      bytes.clear();
      while (bytes.size() < 65536) bytes += filler;
      while (::write(pipe, bytes.data(), bytes.size()) > 0) {
      }
      _exit(0);
    }
    const MeasuredOutcome outcome = measured(words);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    return outcome;
  }
  static ::testing::AssertionResult is_refused(const MeasuredOutcome& outcome) {
    if (auto failed = fails(outcome, 3, {"wgp: "}); !failed) return failed;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (outcome.megabytes > 200) return ::testing::AssertionFailure() << outcome.megabytes << " MB: " << outcome.err;
#endif
    return ::testing::AssertionSuccess();
  }
};

TEST_F(EndlessInput, DevicesAreRefusedByEveryReader) {
  for (const auto& file : sample_files("nifti"))
    if (file.name == "fsl.nii") write("image.nii", file.bytes);
  const std::string motion = sample_files("asf_amc").front().bytes;
  write("walk.amc", motion.substr(motion.find('\0') + 1));
  for (const std::string device : {"/dev/zero", "/dev/urandom"})
    for (const auto& words : readers(device)) EXPECT_TRUE(refused(words, {device})) << words[0] << ' ' << device;
}

TEST_F(EndlessInput, DevicesAreRefusedUnderEveryName) {
  for (const std::string ending : {".csv", ".tsv", ".csv.gz", ".npy", ".npz", ".tps", ".nts", ".morphologika", ".nii",
                                   ".nii.gz", ".bvh", ".amc", ".wgp", ".txt"}) {
    const std::string name = "f" + ending;
    for (const std::string device : {"/dev/zero", "/dev/urandom"}) {
      std::filesystem::remove(path(name));
      std::filesystem::create_symlink(device, path(name));
      EXPECT_TRUE(refused({"convert", name, "-o", "out.csv"})) << name << device;
      EXPECT_TRUE(refused({"info", name})) << name << device;
    }
  }
}

// What begins well and does not end.
TEST_F(EndlessInput, PipesAreReadAsFarAsTheirHeadersLead) {
  const std::vector<std::string> resume = {"fit",      "p.csv", "--manifold", "euclidean:2", "--latent", "1",
                                           "--effort", "quick", "--resume",   "f",           "-o",       "out.wgp"};
  const std::string zeros(16, '\0');
  constexpr std::size_t whole_header = 64;  // a cut within a header gives sizes that are chance
  for (const double share : {0.001, 0.01, 0.3, 0.9, 1.0})
    for (const auto& [file, words] :
         std::vector<std::pair<std::string, std::vector<std::string>>>{{"m.wgp", {"info", "f"}},
                                                                       {"m.wgp", {"encode", "f", "p.csv"}},
                                                                       {"m.wgp", {"convert", "f"}},
                                                                       {"p.npz", {"convert", "f"}},
                                                                       {"c.wgpc", resume}}) {
      const std::string whole = read(file);
      const auto cut = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
      const std::string head = whole.substr(0, std::max(cut, whole_header));
      for (const std::string& filler : {zeros, std::string("PK\x03\x04 text\n"), whole})
        EXPECT_TRUE(is_refused(piped(words, "f", head, filler))) << words[0] << ' ' << file << ' ' << share;
    }
}

// Cuts within the first header, where text stands for version, method and sizes.
TEST_F(EndlessInput, HeadersThatAreTextLeadNowhere) {
  const std::string whole = read("m.wgp");
  for (std::size_t cut = 4; cut < 10; ++cut)
    for (const std::string filler : {"PK\x03\x04 text\n", "PK\x03\x04", "text"})
      EXPECT_TRUE(is_refused(piped({"info", "f"}, "f", whole.substr(0, cut), filler))) << cut << ' ' << filler;
}

TEST_F(EndlessInput, WholePipesAreRead) {
  EXPECT_EQ(shell("cat m.wgp | wgp info - | tail -n +2").out, shell("wgp info m.wgp | tail -n +2").out);
  EXPECT_EQ(shell("cat p.npz | wgp convert -").out, shell("wgp convert p.npz").out);
  ASSERT_EQ(shell("cat c.wgpc | wgp fit p.csv --manifold euclidean:2 --latent 1 --effort quick --resume - -o n.wgp")
                .exit_code,
            0);
  EXPECT_EQ(read("n.wgp"), read("m.wgp"));
}

}  // namespace
}  // namespace wgp::test
