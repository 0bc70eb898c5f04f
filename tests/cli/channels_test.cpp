// Names of the channels of matrices: kept in models, said in messages, and compared between files.
#include <cmath>

#include "core/format.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class Channels : public CommandTest {
 protected:
  // count covariance matrices of three channels.
  std::string matrices(int count) const {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const double a = 1 + 0.5 * std::sin(0.3 * i), b = 0.4 * std::cos(0.3 * i), c = 0.2 * std::sin(0.6 * i);
      text += fmt::format("{},{},{},{},2,{},{},{},1.5\n", a, b, c, b, b * c, c, b * c);
    }
    return text;
  }
  void SetUp() override {
    CommandTest::SetUp();
    write("c.csv", matrices(20));
  }
  nlohmann::json channels_of_fit(const std::string& flags, const std::string& input = "c.csv") const {
    const Outcome fit = wgp("fit " + input +
                            " --manifold spd:3 --latent 1 --inference point --effort quick --quiet "
                            "-o m.wgp " +
                            flags);
    EXPECT_EQ(fit.exit_code, 0) << fit.err;
    return nlohmann::json::parse(wgp("info m.wgp --json").out)["channels"];
  }
};

TEST_F(Channels, ComeAsAListOrAFile) {
  const nlohmann::json names = {"Fz", "Cz", "Pz"};
  EXPECT_TRUE(channels_of_fit("").is_null());
  EXPECT_EQ(channels_of_fit("--channels Fz,Cz,Pz"), names);
  EXPECT_NE(wgp("info m.wgp").out.find("channels: Fz, Cz, Pz\n"), std::string::npos);
  write("lines.txt", "# EEG\nFz\nCz\r\n\nPz");
  EXPECT_EQ(channels_of_fit("--channels lines.txt"), names);
  write("headed.csv", "label\nFz\nCz\nPz\n");
  EXPECT_EQ(channels_of_fit("--channels headed.csv"), names);
  write("channels.tsv", "order\tname\ttype\n1\tFz\tEEG\n2\tCz\tEEG\n3\tPz\tEEG\n");  // as BIDS has them
  EXPECT_EQ(channels_of_fit("--channels channels.tsv"), names);
  ASSERT_EQ(shell("/usr/bin/python3 -c \"import numpy as np; np.save('n.npy', ['Fz', 'Cz', 'Pz'])\"").exit_code, 0);
  EXPECT_EQ(channels_of_fit("--channels n.npy"), names);
}

TEST_F(Channels, StandBesideTheArrayOfAnNpz) {
  for (const std::string called : {"channels", "ch_names", "channel_names"}) {
    ASSERT_EQ(
        shell("/usr/bin/python3 -c \"import numpy as np; c = np.loadtxt('c.csv', delimiter=',').reshape(-1, 3, 3);"
              " np.savez('c.npz', C=c, " +
              called +
              "=['Fz', 'Cz', 'Pz']);"
              " np.savez('d.npz', C=c, " +
              called + "=['Cz', 'Fz', 'Pz'])\"")
            .exit_code,
        0);
    EXPECT_EQ(channels_of_fit("", "c.npz"), (nlohmann::json{"Fz", "Cz", "Pz"}));
    EXPECT_EQ(wgp("encode m.wgp c.npz -o x.csv").exit_code, 0);
    EXPECT_TRUE(
        fails(wgp("encode m.wgp d.npz"), 3, {"d.npz: channel 1 is 'Cz', but that of m.wgp is 'Fz'", "same order"}));
    EXPECT_TRUE(fails(wgp("mean c.npz d.npz --manifold spd:3"), 3, {"d.npz: channel 1", "that of c.npz"}));
    EXPECT_TRUE(fails(wgp("fit c.npz --manifold spd:3 --channels a,b,c -o n.wgp"), 3,
                      {"that of --channels is 'a'", "other channels"}));
  }
  // Names that are not those of the matrices are no business of theirs.
  ASSERT_EQ(shell("/usr/bin/python3 -c \"import numpy as np; np.savez('e.npz', C=np.loadtxt('c.csv', delimiter=','),"
                  " channels=['a', 'b'])\"")
                .exit_code,
            0);
  EXPECT_TRUE(channels_of_fit("", "e.npz").is_null());
}

TEST_F(Channels, AreSaidInMessages) {
  write("bad.csv", "1,0,0,0,1,0.5,0,0.2,1\n1,0,0,0,0,0,0,0,1\n1,0,0,0,1,0,0,0,1\n");
  const Outcome named = wgp("check bad.csv --manifold spd:3 --channels Fz,Cz,Pz");
  EXPECT_EQ(named.exit_code, 3);
  EXPECT_NE(named.out.find("row 1: not symmetric: entries (Cz,Pz) and (Pz,Cz) differ by 0.3"), std::string::npos)
      << named.out;
  EXPECT_NE(named.out.find("channel Cz has no variance in 1 of 3 matrices: leave it out"), std::string::npos)
      << named.out;
  const Outcome unnamed = wgp("check bad.csv --manifold spd:3");
  EXPECT_NE(unnamed.out.find("entries (2,3) and (3,2) differ"), std::string::npos) << unnamed.out;
  EXPECT_NE(unnamed.out.find("channel 2 has no variance"), std::string::npos) << unnamed.out;
  EXPECT_EQ(wgp("check c.csv --manifold spd:3").out.find("no variance"), std::string::npos);
  EXPECT_TRUE(fails(wgp("fit bad.csv --manifold spd:3 --channels Fz,Cz,Pz -o n.wgp"), 3, {"entries (Cz,Pz)"}));
}

TEST_F(Channels, StandInThePictures) {
  write("d.csv", [&] {
    std::string text;
    for (int i = 0; i < 12; ++i)
      text += fmt::format("1,{0},0,0,{0},1,0,0,0,0,1,{0},0,0,{0},1\n", 0.5 * std::sin(0.4 * i));
    return text;
  }());
  ASSERT_EQ(wgp("fit d.csv --manifold spd:4 --latent 1 --inference point --effort quick --quiet -o m.wgp --channels "
                "'Fz,C<z,Pz,Oz'")
                .exit_code,
            0);
  ASSERT_EQ(wgp("report m.wgp -o page.html").exit_code, 0);
  const std::string page = read("page.html");
  EXPECT_NE(page.find("Rows and columns are the channels Fz, C&lt;z, Pz, Oz, in this order."), std::string::npos);
  EXPECT_NE(page.find(">C&lt;z</text>"), std::string::npos);
  EXPECT_EQ(page.find("C<z"), std::string::npos);
}

TEST_F(Channels, AreRefusedWhereTheyCannotBe) {
  const std::string fit = "fit c.csv --manifold spd:3 -o n.wgp --channels ";
  EXPECT_TRUE(fails(wgp(fit + "Fz,Cz"), 3, {"2 names, but the matrices of spd:3 have 3 channels"}));
  EXPECT_TRUE(fails(wgp(fit + "Fz,Cz,Fz"), 3, {"channels 1 and 3 have the same name 'Fz'"}));
  EXPECT_TRUE(fails(wgp(fit + "names.txt"), 3, {"names.txt'", "no such file"}));
  write("hole.tsv", "name\ttype\nFz\tEEG\n\tEEG\n");
  EXPECT_TRUE(fails(wgp(fit + "hole.tsv"), 3, {"hole.tsv: line 3: no name of a channel"}));
  write("empty.txt", "\n");
  EXPECT_TRUE(fails(wgp(fit + "empty.txt"), 3, {"empty.txt: 0 names"}));
  write("s.csv", "1,0,0\n0,1,0\n");
  EXPECT_TRUE(fails(wgp("fit s.csv --manifold sphere:2 -o n.wgp --channels a,b,c"), 2, {"not points of sphere:2"}));
  EXPECT_FALSE(std::filesystem::exists(path("n.wgp")));
}

}  // namespace
}  // namespace wgp::test
