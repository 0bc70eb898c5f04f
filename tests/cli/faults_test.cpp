// What the system may do to a fit: too many threads asked for, full disks, nobody who reads messages, signals, little
// memory, no time.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

class Faults : public CommandTest {
 protected:
  static std::string fit(const std::string& flags) {
    return "wgp fit p.csv --manifold euclidean:5 -o m.wgp " + flags + " ";
  }
  static std::string quick(const std::string& flags = "--threads 2") {
    return fit("--effort quick --max-iterations 5 " + flags);
  }
  // A whole model is there; it is taken away for the next run.
  void expect_model(const std::string& what) const {
    EXPECT_EQ(wgp("info m.wgp").exit_code, 0) << what;
    std::filesystem::remove(path("m.wgp"));
  }
};

TEST_F(Faults, MoreThreadsThanAnybodyHas) {
  write_bent_sheet(40);
  ASSERT_EQ(shell(quick("--threads 1")).exit_code, 0);
  const std::string alone = read("m.wgp");
  const Outcome outcome = shell(quick("--threads 1024"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(read("m.wgp") == alone);
}

TEST_F(Faults, ACheckpointThatCannotBeWrittenIsWorthAWarning) {
  write_bent_sheet(40);
  for (const std::string to : {"none/c.wgpc", "/dev/full", "."}) {
    const Outcome outcome = shell(quick("--checkpoint " + to));
    EXPECT_EQ(outcome.exit_code, 0) << to << '\n' << outcome.err;
    EXPECT_NE(outcome.err.find("warning: no checkpoint"), std::string::npos) << to << '\n' << outcome.err;
    EXPECT_NE(outcome.err.find(to + ": "), std::string::npos) << outcome.err;
    expect_model(to);
  }
  EXPECT_EQ(files(), std::vector<std::string>{"p.csv"});
}

TEST_F(Faults, AModelThatCannotBeWrittenIsAnError) {
  write_bent_sheet(40);
  EXPECT_TRUE(fails(wgp("fit p.csv --manifold euclidean:5 --effort quick -o /dev/full"), 3,
                    {"/dev/full", "No space left on device"}));
}

TEST_F(Faults, NobodyReadsTheMessages) {
  write_bent_sheet(40);
  write("bad.csv", "1,2,3,4,5\n1,2,3,4,nan\n");
  for (const std::string stream : {"2>&-", "2>/dev/full", "2>&- >&- <&-"}) {
    EXPECT_EQ(shell(quick(stream)).exit_code, 0) << stream;
    expect_model(stream);
    EXPECT_EQ(shell(fit("--effort lots " + stream)).exit_code, 2) << stream;
    EXPECT_EQ(shell("wgp " + stream).exit_code, 2) << stream;
    EXPECT_EQ(shell("wgp fit bad.csv --manifold euclidean:5 -o m.wgp " + stream).exit_code, 3) << stream;
    EXPECT_EQ(shell(quick("--resume none.wgpc " + stream)).exit_code, 3) << stream;
    EXPECT_FALSE(std::filesystem::exists(path("m.wgp")));
  }
  // A reader that goes away.
  const Outcome gone = shell("{ " + quick("--checkpoint none/c.wgpc") + "; echo $? >&3; } 3>code 2>&1 >out | true");
  EXPECT_EQ(read("code"), "0\n") << gone.err;
}

// Sent once the first step is in the checkpoint: the fit is under way then, and far from its end.
TEST_F(Faults, SignalsKeepTheBestModel) {
  write_bent_sheet(60);
  for (const std::string signal : {"TERM", "INT"}) {
    const Outcome outcome = shell("rm -f c.wgpc; " + fit("--effort thorough --starts 500 --checkpoint c.wgpc") +
                                  "& until [ -s c.wgpc ]; do sleep 0.02; done; kill -" + signal + " $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 130) << signal << '\n' << outcome.err;
    EXPECT_NE(outcome.err.find("interrupted: the best model so far is in m.wgp"), std::string::npos) << outcome.err;
    expect_model(signal);
    EXPECT_EQ(files(), (std::vector<std::string>{"c.wgpc", "p.csv"}));
  }
}

// From what it takes to start at all up to what the fit needs: done, or refused in words.
TEST_F(Faults, LittleMemoryIsRefusedInWords) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take address space as they like";
#endif
  write_bent_sheet(150);
  const auto limited = [&](int kilobytes, const std::string& line) {
    // A shell of its own, which has the last word about a program that does not even start.
    return shell("sh -c 'ulimit -v " + std::to_string(kilobytes) + "; " + line + "; exit $?'");
  };
  int least = 4000;
  while (least < 1000000 && limited(least, "wgp --version").exit_code != 0) least += std::max(200, least / 50);
  ASSERT_LT(least, 1000000) << "wgp --version does not start";
  int refused = 0, done = 0;
  for (int kilobytes = least; kilobytes < 6 * least && done < 30; kilobytes += std::max(300, least / 40)) {
    std::filesystem::remove(path("m.wgp"));
    const Outcome outcome = limited(kilobytes, quick());
    ASSERT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3)
        << kilobytes << " kB: exit " << outcome.exit_code << '\n'
        << outcome.err;
    if (outcome.exit_code == 0) {
      ++done;
      expect_model(std::to_string(kilobytes));
    } else {
      ++refused;
      EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
      EXPECT_FALSE(std::filesystem::exists(path("m.wgp"))) << kilobytes;
    }
  }
  EXPECT_GT(refused, 0) << "from " << least << " kB on";
  EXPECT_GT(done, 0);
}

// Memory runs out on the second thread alone, at its beginning or well under way.
TEST_F(Faults, MemoryThatAWorkerLacksIsRefusedInWords) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have allocations of their own";
#endif
  write_bent_sheet(60);
  const auto lacking = [&](const std::string& line, long allocations) {
    return shell("LD_PRELOAD='" WGP_NO_MEMORY_IN_WORKERS "' WGP_TEST_ALLOCATIONS=" + std::to_string(allocations) + " " +
                 line);
  };
  for (const long allocations : {0L, 100L, 1000L}) {
    const Outcome outcome = lacking(fit("--max-iterations 20 --threads 2"), allocations);
    EXPECT_EQ(outcome.exit_code, 3) << allocations << '\n' << outcome.err;
    EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), std::vector<std::string>{"p.csv"});
  }
  EXPECT_EQ(lacking(quick("--threads 1"), 0).exit_code, 0);  // which has no other threads
  expect_model("one thread");
}

// A single evaluation takes a good part of the limit here.
TEST_F(Faults, LittleTimeForManyPoints) {
  write_bent_sheet(3000);
  const Outcome outcome = shell(fit("--time-limit 1 --json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("the time limit of 1 s is over: the best model so far is in m.wgp"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["fit"]["cancelled"], true);
  expect_model("time limit");
}

}  // namespace
}  // namespace wgp::test
