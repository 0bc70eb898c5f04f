// A folder in which scripts run, for files that are exchanged with libraries of Python. Debian's Python is asked first;
// what PyPI has is taken from there, once, into a folder beside the tests, and tests whose library is not to be had are
// skipped and say so.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace wgp::test {

class PythonPeer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-python-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // Whether these modules are to be had; `packages` are those of PyPI which bring them, with all that they need.
  static bool has(const std::string& modules, const std::string& packages = "") {
    const std::string import = "-c 'import " + modules + "'";
    if (python(import)) return true;
    return !packages.empty() &&
           std::system(("timeout 60 /usr/bin/python3 -m pip install -q --no-deps --retries 0 --timeout 5 --target '" +
                        folder_of_packages() + "' " + packages + " >/dev/null 2>&1")
                           .c_str()) == 0 &&
           python(import);
  }
  // Runs a script in the folder.
  void run(const std::string& script) const {
    std::ofstream(path("script.py")) << "import numpy as np\n" << script;
    shell("PYTHONPATH='" + folder_of_packages() + "' PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 script.py");
  }
  // A line for the shell, in the folder.
  void shell(const std::string& line) const {
    const int status = std::system(("cd '" + folder_ + "' && { " + line + "\n} >said.txt 2>&1").c_str());
    std::ifstream file(path("said.txt"));
    ASSERT_EQ(status, 0) << std::string{std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static std::string folder_of_packages() {
    return (std::filesystem::path(WGP_COMMAND).parent_path() / "tests" / "python").string();
  }
  static bool python(const std::string& words) {
    return std::system(
               ("PYTHONPATH='" + folder_of_packages() + "' /usr/bin/python3 " + words + " >/dev/null 2>&1").c_str()) ==
           0;
  }

  std::string folder_;
};

}  // namespace wgp::test
