// Columns in a temporary file: what was written is what is read, from any place and on any thread.
#include "core/column_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/executor.h"
#include "wgp/manifold.h"
#include "wgp/random.h"

namespace wgp {
namespace {

TEST(ColumnFile, HoldsWhatIsAppendedAndWritten) {
  Random random(1);
  const Matrix columns = random.normals(5, 1000);
  ColumnFile file(5);
  EXPECT_EQ(file.count(), 0);
  file.append(columns.leftCols(300));
  file.append(columns.rightCols(700));
  EXPECT_EQ(file.rows(), 5);
  EXPECT_EQ(file.count(), 1000);
  Executor executor(3);
  executor.each(100, [&](Index b, int) {
    Matrix block(5, 10);
    file.read(10 * b, block);
    EXPECT_EQ(block, columns.middleCols(10 * b, 10));
  });
  file.write(995, columns.leftCols(5));
  Matrix end(7, 6);  // into a part of a larger matrix
  file.read(994, end.middleRows(1, 5));
  EXPECT_EQ(end.col(0).segment(1, 5), columns.col(994));
  EXPECT_EQ(end.middleRows(1, 5).rightCols(5), columns.leftCols(5));
}

TEST(ColumnFile, IsZeroWhereNothingWasWrittenAndRefusesWhatIsBeyondItsEnd) {
  ColumnFile file(2);
  file.resize(10);
  Matrix block(2, 10);
  file.read(0, block);
  EXPECT_EQ(block, Matrix::Zero(2, 10));
  EXPECT_THROW(file.read(9, block), Error);
}

TEST(ColumnFile, SaysWhereItCouldNotBeMade) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  try {
    ColumnFile file(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos) << error.what();
  }
  if (before)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace wgp
