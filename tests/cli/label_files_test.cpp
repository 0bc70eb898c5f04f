// Labels in a file of their own: by ids, by the paths of images, and row by row.
#include <cmath>

#include "core/format.h"
#include "io/tables/npy_text.h"
#include "nifti_by_hand.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class LabelFiles : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::string text = "name,x,y\n";
    for (int i = 0; i < 8; ++i) text += fmt::format("s{},{},{}\n", i, std::cos(0.5 * i), std::sin(0.7 * i));
    write("p.csv", text);
    // In another order, with one more.
    std::string groups = "participant_id\tage\tgroup\n";
    for (int i = 8; i >= 0; --i) groups += fmt::format("s{}\t{}\t{}\n", i, 20 + i, i < 3 ? "young" : "old");
    write("participants.tsv", groups);
  }
  std::vector<std::string> labels_of(const std::string& arguments) const {
    const Outcome outcome = wgp(arguments + " --quiet");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> labels;
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) labels.push_back(line.substr(line.rfind(',') + 1));
    return labels;
  }
  const std::string plane = " --manifold euclidean:2 --columns x,y";
  const std::vector<std::string> expected = {"young", "young", "young", "old", "old", "old", "old", "old"};
};

TEST_F(LabelFiles, AreJoinedByIds) {
  EXPECT_EQ(labels_of("pga p.csv --labels participants.tsv:group" + plane), expected);
  EXPECT_EQ(labels_of("convert p.csv --columns x,y --labels participants.tsv:group"), expected);
  EXPECT_EQ(labels_of("pga p.csv --labels participants.tsv:group --rows 2:4" + plane),
            (std::vector<std::string>{"young", "young", "old"}));
  ASSERT_EQ(
      wgp("fit p.csv --labels participants.tsv:group --latent 1 --effort quick --quiet -o m.wgp" + plane).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["label_column"], "group");
  EXPECT_EQ(labels_of("encode m.wgp p.csv --columns x,y --labels participants.tsv:group"), expected);
  EXPECT_EQ(wgp("report m.wgp --data p.csv --labels participants.tsv:age -o page.html").exit_code, 0);
  // A column that --id names.
  write("q.csv", "x,y,who\n1,2,s7\n3,4,s0\n");
  EXPECT_TRUE(
      fails(wgp("pga q.csv --labels participants.tsv:group" + plane), 3, {"q.csv: none of the participant_id"}));
  ASSERT_EQ(wgp("fit q.csv --dry-run --id who --labels participants.tsv:group" + plane).exit_code, 0);
}

// Of several files, ids may have the file before them: labels are found by the other column.
TEST_F(LabelFiles, AreJoinedByIdsThatAreQualifiedByTheFile) {
  write("q.csv", "who,x,y\ns1,0.3,0.4\ns7,0.5,0.1\ns2,0.5,0.3\n");
  write("r.csv", "who,x,y\ns1,0.1,0.2\ns7,0.4,0.3\n");
  const Outcome fit =
      wgp("fit q.csv r.csv --id file,who --labels participants.tsv:group --latent 1 --inference point "
          "--effort quick --quiet -o m.wgp" +
          plane);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["id_column"], "file,who");
  EXPECT_EQ(shell("/usr/bin/python3 -c \"import numpy as np; print(*np.load('m.wgp')['labels'])\"").out,
            "young old young young old\n");
}

TEST_F(LabelFiles, SayWhatIsMissing) {
  write("few.tsv", "id\tgroup\ns0\ta\n");
  EXPECT_TRUE(fails(wgp("pga p.csv --labels few.tsv:group" + plane), 3,
                    {"p.csv: row 2: few.tsv has no row with the name 's1'"}));
  write("twice.tsv", "id\tgroup\ns0\ta\ns0\tb\n");
  EXPECT_TRUE(fails(wgp("pga p.csv --labels twice.tsv:group" + plane), 3, {"several rows have the id 's0'"}));
  EXPECT_TRUE(fails(wgp("pga p.csv --labels participants.tsv:sex" + plane), 3,
                    {"participants.tsv: no column 'sex'; its columns are participant_id, age, group"}));
  EXPECT_TRUE(fails(wgp("pga p.csv --labels none.tsv:group" + plane), 3, {"none.tsv: no such file"}));
}

TEST_F(LabelFiles, OfImagesByTheirPaths) {
  for (const char* subject : {"s1", "s4"}) {
    std::filesystem::create_directory(path(subject));
    write(std::string(subject) + "/dti.nii", tensor_image(symmatrix_order));
  }
  write("s2_dti.nii", tensor_image(symmatrix_order));
  const auto labels =
      labels_of("pga s1/dti.nii s4/dti.nii s2_dti.nii --manifold spd:3 --labels participants.tsv:group");
  EXPECT_EQ(labels,
            (std::vector<std::string>{"young", "young", "young", "old", "old", "old", "young", "young", "young"}));
  ASSERT_EQ(wgp("pga s1/dti.nii --manifold spd:3 --labels participants.tsv:group -o m.nii").exit_code, 0);
  write("other.nii", tensor_image(symmatrix_order));
  EXPECT_TRUE(fails(wgp("pga other.nii --manifold spd:3 --labels participants.tsv:group"), 3,
                    {"other.nii: none of the participant_id in participants.tsv"}));
}

TEST_F(LabelFiles, ThatAreNotThereAreNamedAndThoseReadAreNotWrittenOver) {
  write("d.csv", "id,x,y\n1,0.1,0.2\n2,0.3,0.4\n");
  write("groups.csv", "id,group\n1,a\n2,b\n");
  EXPECT_TRUE(fails(wgp("convert d.csv --labels nobody.tsv:group"), 3, {"nobody.tsv: no such file"}));
  EXPECT_TRUE(fails(wgp("convert d.csv --labels nobody.npy"), 3, {"nobody.npy: no such file"}));
  EXPECT_TRUE(fails(wgp("convert d.csv --labels groups.csv:group --columns x,y -o groups.csv"), 2, {"--labels"}));
  EXPECT_EQ(read("groups.csv"), "id,group\n1,a\n2,b\n");
}

TEST_F(LabelFiles, OfArraysRowByRow) {
  write("groups.npy", npy_of_texts(expected));
  EXPECT_EQ(labels_of("pga p.csv --labels groups.npy" + plane), expected);
  EXPECT_EQ(labels_of("pga p.csv --labels groups.npy --rows 3:4" + plane), (std::vector<std::string>{"young", "old"}));
  write("few.npy", npy_of_texts({"a", "b"}));
  EXPECT_TRUE(
      fails(wgp("pga p.csv --labels few.npy" + plane), 3, {"p.csv: has more rows than the 2 labels of few.npy"}));
  std::vector<std::string> more = expected;
  more.push_back("old");
  write("more.npy", npy_of_texts(more));
  EXPECT_TRUE(fails(wgp("pga p.csv --labels more.npy" + plane), 3, {"p.csv: has 8 rows, but more.npy has 9 labels"}));
  // Rows that are passed over at the end are not counted, and are no fewer for that.
  EXPECT_EQ(labels_of("pga p.csv --labels groups.npy --every 5" + plane),
            (std::vector<std::string>{expected.at(0), expected.at(5)}));
  write("numbers.csv", "1\n1\n2\n2\n2\n3\n3\n3\n");
  ASSERT_EQ(wgp("convert numbers.csv -o numbers.npy").exit_code, 0);
  EXPECT_EQ(labels_of("pga p.csv --labels numbers.npy" + plane).at(5), "3");
}

}  // namespace
}  // namespace wgp::test
