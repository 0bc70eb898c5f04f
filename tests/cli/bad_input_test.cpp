// Bad input: exit 3, a message that names file, row, column and what is wrong, and nothing written.
#include <filesystem>

#include "run_command.h"

namespace wgp::test {
namespace {

class BadInput : public CommandTest {
 protected:
  // wgp mean on this content must fail with these pieces, leave the old output alone and no other file behind.
  void refused(const std::string& manifold, const std::string& content, const std::vector<std::string>& pieces,
               const std::string& flags = "", const std::string& name = "data.csv") const {
    write(name, content);
    write("out.csv", "old\n");
    const Outcome outcome = wgp("mean " + name + " --manifold " + manifold + " -o out.csv " + flags);
    EXPECT_TRUE(fails(outcome, 3, pieces)) << content;
    EXPECT_EQ(outcome.err.rfind("wgp: " + name + ": ", 0), 0u) << outcome.err;
    EXPECT_EQ(read("out.csv"), "old\n");
    EXPECT_EQ(files().size(), 2u);
    std::filesystem::remove(path(name));
  }
};

TEST_F(BadInput, NotFinite) {
  refused("sphere:2", "x,y,z\n1,0,0\n0,nan,1\n", {"row 2, column 2 (y): not finite: 'nan'"});
  refused("sphere:2", "1,0,0\n0,1,inf\n", {"row 2, column 3: not finite: 'inf'"});
}

TEST_F(BadInput, WrongWidth) {
  refused("sphere:2", "1,0\n0,1\n", {"2 numbers in each row, but sphere:2 takes 3"});
  refused("sphere:2", "id,x,y,z,kind\n1,1,0,0,a\n2,0,1,0,b\n",
          {"4 numbers in each row", "the columns are 1 id, 2 x, 3 y, 4 z, 5 kind (text)", "--columns 2:4"});
  // Names that belong together, not the last columns that are enough.
  refused("spd:2", "p11,p12,p21,p22,age,a,b,c,d\n1,0,0,1,3,4,5,6,7\n2,0,0,1,3,4,5,6,7\n", {"e.g. --columns 1:4"});
  refused("spd:3", "1,0,0,1\n", {"takes 9", "or 6"});
  refused("sphere:2", "1,0,0\n0,1,0\n0,1\n", {"row 3: 2 fields, expected 3"});
}

TEST_F(BadInput, NotOnTheManifold) {
  refused("sphere:2", "1,0,0\n0,1.1,0\n", {"row 2: norm 1.1, not 1", "--drop-invalid", "--tolerance"});
  refused("spd:2", "1,0,0,1\n1,0,0,-0.02\n", {"row 2: not positive definite, smallest eigenvalue -0.02"});
  refused("spd:2", "1,0,0,1\n1,0.5,0.25,1\n", {"row 2: ", "symmetric"});
  refused("sphere:2", "0,0,0\n", {"row 1: ", "zero vector"});
  refused("kendall:3", "1,1,1,1,1,1\n", {"row 1: "});
  refused("so:3", "1,0,0,0,1,0,0,0,-1\n", {"row 1: "});
  refused("hyperbolic:2", "1,1,1\n", {"row 1: "});
}

TEST_F(BadInput, ToleranceAndDropInvalid) {
  write("data.csv", "1,0,0\n0,1.001,0\n0,0,5\n");
  EXPECT_EQ(wgp("mean data.csv --manifold sphere:2 --tolerance 1e-2").exit_code, 3);
  const Outcome outcome = wgp("mean data.csv --manifold sphere:2 --tolerance 1e-2 --drop-invalid");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("data.csv: 1 invalid row dropped (row 3)"), std::string::npos) << outcome.err;
  expect_rows(outcome.out, {{std::sqrt(0.5), std::sqrt(0.5), 0}}, 1e-12);
  write("missing.csv", "1,0,0\n,1,0\nnan,1,0\n0,1,0\n");
  EXPECT_NE(wgp("mean missing.csv --manifold sphere:2 --drop-invalid").err.find("2 invalid rows dropped (rows 2, 3)"),
            std::string::npos);
  std::filesystem::remove(path("data.csv"));
  refused("sphere:2", "2,0,0\n0,2,0\n", {"none of the rows is a point of sphere:2"}, "--drop-invalid", "missing.csv");
}

TEST_F(BadInput, NotATable) {
  refused("sphere:2", "", {"is empty"});
  refused("sphere:2", "x,y,z\n", {"a header but no rows"});
  refused("sphere:2", "1,0,0\n0,b,0\n", {"row 2, column 2: 'b' is not a number"});
  refused("sphere:2",
          std::string("\xff\xfe"
                      "1\0,\0",
                      6),
          {"UTF-16"});
  refused("sphere:2", std::string("\0\1\2\3\xff\xff\0\0", 8), {"binary"});
  refused("sphere:2", "1,0,0\n\n0,1,0\n", {"blank line after row 1"});
  refused("sphere:2", "1,0,\"0\n", {"never closed"});
}

TEST_F(BadInput, DamagedNpy) {
  write("good.csv", "1,0,0\n0,1,0\n");
  ASSERT_EQ(wgp("geom project --manifold sphere:2 good.csv -o good.npy").exit_code, 0);
  const std::string good = read("good.npy");
  std::filesystem::remove(path("good.csv"));
  std::filesystem::remove(path("good.npy"));
  refused("sphere:2", good.substr(0, good.size() - 1), {"truncated"}, "", "data.npy");
  refused("sphere:2", good.substr(0, 20), {"truncated"}, "", "data.npy");
  refused("sphere:2", good + "more", {"4 bytes after the end"}, "", "data.npy");
  std::string absurd = good;
  const std::string too_many = "(900000000000000000, 3), }";
  absurd.replace(absurd.find("(2, 3)"), too_many.size(), too_many);
  refused("sphere:2", absurd, {"too large"}, "", "data.npy");
  refused("sphere:2", "1,0,0\n", {"not an NPY file"}, "", "data.npy");
  // On a pipe the size is not known beforehand.
  absurd = good;
  const std::string many = "(900000000000, 3), }";
  absurd.replace(absurd.find("(2, 3)"), many.size(), many);
  write("absurd.npy", absurd);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::string limit;  // shadow memory alone is larger
#else
  const std::string limit = "ulimit -v 4000000; ";
#endif
  EXPECT_TRUE(
      fails(shell(limit + "cat absurd.npy | wgp mean - --manifold sphere:2"), 3, {"standard input: truncated"}));
}

TEST_F(BadInput, MissingFilesAndDirectories) {
  EXPECT_TRUE(fails(wgp("mean none.csv --manifold sphere:2"), 3, {"wgp: none.csv: no such file"}));
  EXPECT_TRUE(fails(wgp("mean . --manifold sphere:2"), 3, {"is a directory"}));
  EXPECT_TRUE(fails(wgp("check none.csv"), 3, {"no such file"}));
  EXPECT_TRUE(files().empty());
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  write("data.csv", "1,0,0\n0,1,0\n");
  EXPECT_TRUE(fails(wgp("mean data.csv --manifold sphere:2 -o no/where.csv"), 3, {"no/where.csv: cannot be created"}));
  EXPECT_TRUE(
      fails(wgp("mean data.csv --manifold sphere:2 -o out.xlsx"), 3, {".csv, .tsv, .npy, .npz or .tps, not .xlsx"}));
  EXPECT_TRUE(fails(wgp("mean data.csv --manifold sphere:2 -o ."), 3, {"is a directory"}));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_TRUE(fails(wgp("mean data.csv --manifold sphere:2 -o /dev/full"), 3, {"No space left"}));
    EXPECT_EQ(shell("wgp mean data.csv --manifold sphere:2 >/dev/full").exit_code, 3);
  }
  EXPECT_EQ(files(), std::vector<std::string>{"data.csv"});
}

// A bad row late in a long file: nothing has been written yet, to a file or to standard output.
TEST_F(BadInput, NothingIsWrittenBeforeTheLastRowIsChecked) {
  ASSERT_EQ(shell("{ yes 1,0,0 | head -n 500000; echo 2,0,0; } >long.csv; echo 0,1,0 >base.csv").exit_code, 0);
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 --base base.csv long.csv"), 3, {"long.csv: row 500001: norm 2"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 --base base.csv long.csv -o out.npy"), 3, {"row 500001"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"base.csv", "long.csv"}));
}

// Stopped in the middle by a signal: 130, and no temporary file stays.
TEST_F(BadInput, InterruptionLeavesNoFile) {
  write("base.csv", "0,1,0\n");
  const Outcome outcome = shell(
      "mkfifo pipe; wgp geom log --manifold sphere:2 --base base.csv pipe -o out.csv & job=$!\n"
      "{ yes 1,0,0 | head -n 200000; sleep 1; kill -TERM $job; sleep 0.2; } >pipe; wait $job");
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"base.csv", "pipe"}));
}

}  // namespace
}  // namespace wgp::test
