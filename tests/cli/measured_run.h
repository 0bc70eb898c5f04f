// Runs the command and measures what it costs: a bad file must be refused within a second and 200 MB.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_command.h"

namespace wgp::test {

struct MeasuredOutcome : Outcome {
  double seconds;  // of the processor, so that a busy machine does not count
  double megabytes;
};

class MeasuredTest : public CommandTest {
 protected:
  MeasuredOutcome measured(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.insert(arguments.begin(), const_cast<char*>("wgp"));
    arguments.push_back(nullptr);
    const std::string folder = path(""), out = path(".out"), err = path(".err");
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder.c_str()) != 0) _exit(126);
      dup2(open("/dev/null", O_RDONLY), 0);
      dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      execv(WGP_COMMAND, arguments.data());
      _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    MeasuredOutcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read(".out");
    outcome.err = read(".err");
    outcome.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    outcome.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return outcome;
  }

  // Exit 3, a message that has these pieces, no output, and little time and memory.
  ::testing::AssertionResult refused(const std::vector<std::string>& words,
                                     const std::vector<std::string>& pieces = {}) const {
    const MeasuredOutcome outcome = measured(words);
    if (auto failed = fails(outcome, 3, pieces); !failed) return failed;
    if (outcome.err.size() < 10 || outcome.err.rfind("wgp: ", 0) != 0)
      return ::testing::AssertionFailure() << "no message: " << outcome.err;
    if (std::filesystem::exists(path("out.csv"))) return ::testing::AssertionFailure() << "out.csv was written";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need more for themselves
    if (outcome.seconds > 1 || outcome.megabytes > 200)
      return ::testing::AssertionFailure() << outcome.seconds << " s, " << outcome.megabytes << " MB: " << outcome.err;
#endif
    return ::testing::AssertionSuccess();
  }
};

}  // namespace wgp::test
