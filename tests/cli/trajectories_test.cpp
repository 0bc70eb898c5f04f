// Trajectories as their data sets have them, and which rows of a file are read.
#include <cmath>

#include "core/format.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class Trajectories : public CommandTest {
 protected:
  // A walk of so many poses, a time and what `pose` makes of place and quaternion before each.
  template <class Pose>
  static std::string walk(int count, Pose pose) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const double half = 0.02 * i;
      text += pose(i, std::array{std::cos(0.1 * i), 0.3 * i, std::sin(0.2 * i)},
                   std::array{std::cos(half), 0.6 * std::sin(half), 0.0, 0.8 * std::sin(half)});
    }
    return text;
  }
  using Three = std::array<double, 3>;
  using Four = std::array<double, 4>;
  // w x y z tx ty tz, as se:3 has them.
  static std::string plain(int count) {
    return walk(count, [](int, const Three& t, const Four& q) {
      return fmt::format("{},{},{},{},{},{},{}\n", q[0], q[1], q[2], q[3], t[0], t[1], t[2]);
    });
  }
  static std::string tum(int count) {
    return walk(count, [](int i, const Three& t, const Four& q) {
      return fmt::format("{} {} {} {} {} {} {} {}\n", 1305031098.6 + i, t[0], t[1], t[2], q[1], q[2], q[3], q[0]);
    });
  }
  std::string mean_of(const std::string& input) const {
    const Outcome outcome = wgp("mean " + input + " --manifold se:3 --quiet");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
};

TEST_F(Trajectories, OfTumAreReadAsTheyAre) {
  write("plain.csv", plain(30));
  write("groundtruth.txt",
        "# ground truth trajectory\n# file: 'xyz.bag'\n# timestamp tx ty tz qx qy qz qw\n" + tum(30));
  EXPECT_EQ(mean_of("groundtruth.txt"), mean_of("plain.csv"));
  const Outcome said = wgp("mean groundtruth.txt");
  EXPECT_NE(said.err.find("taken as se:3"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("columns qw, qx, qy, qz, tx, ty, tz"), std::string::npos) << said.err;
  // Without the comments, as other programs write them.
  write("bare.txt", tum(30));
  EXPECT_TRUE(fails(wgp("mean bare.txt --manifold se:3"), 3, {"8 numbers", "--columns 5:8,2:4 --quaternion xyzw"}));
  EXPECT_EQ(mean_of("bare.txt --columns 5:8,2:4 --quaternion xyzw"), mean_of("plain.csv"));
  EXPECT_TRUE(fails(wgp("mean bare.txt --manifold se:3 --quaternion xyzw"), 2, {"8 numbers", "takes 7"}));
  // The model's own report reads them in the same way.
  ASSERT_EQ(wgp("fit groundtruth.txt --manifold se:3 --latent 1 --effort quick --quiet -o m.wgp").exit_code, 0);
  EXPECT_EQ(wgp("report m.wgp --data groundtruth.txt --labels timestamp -o page.html").exit_code, 0);
}

TEST_F(Trajectories, OfEurocAreReadAsTheyAre) {
  write("plain.csv", plain(30));
  const std::string rows = walk(30, [](int i, const Three& t, const Four& q) {
    return fmt::format("14036366{:02}000,{},{},{},{},{},{},{},{},0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8\n", i, t[0], t[1],
                       t[2], q[0], q[1], q[2], q[3], 0.01 * i);
  });
  write("data.csv",
        "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z [],v_RS_R_x [m "
        "s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1],b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad "
        "s^-1],b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]\n" +
            rows);
  EXPECT_EQ(mean_of("data.csv"), mean_of("plain.csv"));
  // Its rotations alone.
  EXPECT_EQ(wgp("mean data.csv --manifold so:3").out, wgp("mean plain.csv --manifold so:3 --columns 1:4").out);
}

TEST_F(Trajectories, OfKittiAreReadAsTheyAre) {
  write("plain.csv", plain(200));
  std::string rows, matrices;
  rows = walk(200, [&](int, const Three& t, const Four& q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const std::array<double, 9> R = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                                     2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                                     2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    matrices += fmt::format("{} {} {} {}\n", fmt::join(R, " "), t[0], t[1], t[2]);
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", R[0], R[1], R[2], t[0], R[3], R[4], R[5], t[1], R[6],
                       R[7], R[8], t[2]);
  });
  write("00.txt", rows);
  write("matrices.txt", matrices);
  const Outcome kitti = wgp("mean 00.txt --manifold se:3"), other = wgp("mean matrices.txt --manifold se:3");
  EXPECT_EQ(kitti.out, other.out);
  EXPECT_NE(kitti.err.find("(KITTI)"), std::string::npos) << kitti.err;
  EXPECT_EQ(other.err.find("(KITTI)"), std::string::npos) << other.err;
  // Rows that were looked at are read once, and passed over.
  EXPECT_EQ(wgp("mean 00.txt --manifold se:3 --rows 98:140").out,
            wgp("mean matrices.txt --manifold se:3 --rows 98:140").out);
  const auto object = nlohmann::json::parse(wgp("check 00.txt --manifold se:3 --json").out);
  EXPECT_EQ(object["valid"], 200);
}

TEST_F(Trajectories, OfSomeRows) {
  const auto numbers = [](int first, int last, int every) {
    std::string text = "x,y\n";
    for (int i = first; i <= last; i += every) text += fmt::format("{},{}\n", i, 0.5 * i);
    return text;
  };
  write("all.csv", numbers(1, 50, 1));
  EXPECT_EQ(wgp("convert all.csv --rows 11:20").out, numbers(11, 20, 1));
  EXPECT_EQ(wgp("convert all.csv --rows :3").out, numbers(1, 3, 1));
  EXPECT_EQ(wgp("convert all.csv --rows 48:").out, numbers(48, 50, 1));
  EXPECT_EQ(wgp("convert all.csv --rows 48:1000").out, numbers(48, 50, 1));
  EXPECT_EQ(wgp("convert all.csv --rows 7").out, numbers(7, 7, 1));
  EXPECT_EQ(wgp("convert all.csv --every 7").out, numbers(1, 50, 7));
  EXPECT_EQ(wgp("convert all.csv --rows 3:23 --every 10").out, numbers(3, 23, 10));
  // Arrays, whose files say how many rows they have.
  ASSERT_EQ(wgp("convert all.csv -o all.npy").exit_code, 0);
  EXPECT_EQ(wgp("convert all.npy --rows 3:23 --every 4").out, "x1,x2" + numbers(3, 23, 4).substr(3));
  const auto dry = wgp("convert all.npy --rows 3:23 --every 4 --dry-run");
  EXPECT_NE(dry.out.find("6 rows"), std::string::npos) << dry.out;
  // Of each of several files.
  write("more.csv", numbers(101, 110, 1));
  EXPECT_EQ(wgp("convert all.csv more.csv --rows 2:4 --every 2").out, "x,y\n2,1\n4,2\n102,51\n104,52\n");
  for (const std::string wrong : {"0:3", "5:2", "a:b", ":", "1:2:3", "-1:4"})
    EXPECT_TRUE(fails(wgp("convert all.csv --rows=" + wrong), 2, {"--rows"})) << wrong;
  EXPECT_TRUE(fails(wgp("convert all.csv --every 0"), 2, {"--every"}));
  EXPECT_TRUE(fails(wgp("convert all.csv --rows 51:60"), 3, {"all.csv: has no row 51"}));
  EXPECT_TRUE(fails(wgp("convert all.npy --rows 51:60"), 3, {"all.npy: has no row 51"}));
}

TEST_F(Trajectories, CountRowsInMessagesAsTheFileDoes) {
  std::string text = "x,y,z\n";
  for (int i = 1; i <= 30; ++i) text += i == 21 ? "2,0,0\n" : i == 12 ? "broken,,\n" : "1,0,0\n";
  write("s.csv", text);
  // What stands between the chosen rows is not looked at.
  EXPECT_EQ(wgp("mean s.csv --manifold sphere:2 --every 2 --rows 1:20").exit_code, 0);
  EXPECT_TRUE(fails(wgp("mean s.csv --manifold sphere:2 --every 2"), 3, {"s.csv: row 21: "}));
  EXPECT_TRUE(fails(wgp("mean s.csv --manifold sphere:2 --rows 12:14"), 3, {"s.csv: row 12"}));
  EXPECT_NE(
      wgp("mean s.csv --manifold sphere:2 --rows 15:30 --drop-invalid").err.find("1 invalid row dropped (row 21)"),
      std::string::npos);
  EXPECT_NE(wgp("check s.csv --manifold sphere:2 --rows 15:30").out.find("row 21"), std::string::npos);
}

TEST_F(Trajectories, DecimalCommas) {
  write("comma.csv", "x;y\n1,5;2,0\n0,25;3,0\n");
  EXPECT_EQ(wgp("convert comma.csv --decimal ,").out, "x,y\n1.5,2\n0.25,3\n");
  EXPECT_TRUE(fails(wgp("mean comma.csv --manifold euclidean:2"), 3, {"--decimal ,"}));
  EXPECT_TRUE(fails(wgp("convert comma.csv --decimal ';'"), 2, {"--decimal"}));
  ASSERT_EQ(wgp("convert comma.csv --decimal , -o a.npy").exit_code, 0);
  EXPECT_TRUE(fails(wgp("convert a.npy --decimal ,"), 2, {"--decimal is for tables of text; a.npy is none"}));
  write("weights.csv", "x;y;w\n0,5;1;0,5\n1;2;1,5\n");
  EXPECT_EQ(wgp("mean weights.csv --manifold euclidean:2 --columns x,y --weights w --decimal ,").out,
            "x1,x2\n0.875,1.75\n");
}

// Inputs of a regression are read as its points are.
TEST_F(Trajectories, OfARegressionAreReadAlikeOnBothSides) {
  std::string X, Y;
  for (int i = 1; i <= 12; ++i) {
    X += fmt::format("0,{:02}\n", i);
    Y += fmt::format("{};{},5\n", i, i);
  }
  write("X.csv", X);
  write("Y.csv", Y);
  const std::string flags = " --manifold euclidean:2 --decimal , --rows 1:9 --json -o r.wgp";
  const auto outcome = wgp("regress X.csv Y.csv" + flags);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(wgp("info r.wgp --json").out)["latent"]["plain"], 1);
  EXPECT_EQ(nlohmann::json::parse(wgp("info r.wgp --json").out)["n"], 9);
}

// --at of a fit and of a score is a table beside the input, read as that is.
TEST_F(Trajectories, LatentsAreReadAsTheirPointsAre) {
  std::string points = "x;y\n", latents = "x1\n", chosen = "x,y\n", chosen_latents = "x1\n";
  for (int i = 0; i < 24; ++i) {
    const auto with_comma = [](double x) {
      std::string text = fmt::format("{:.6f}", x);
      return text.replace(text.find('.'), 1, ",");
    };
    const double t = 0.25 * i - 3;
    points += with_comma(std::cos(t)) + ";" + with_comma(std::sin(t)) + "\n";
    latents += with_comma(t) + "\n";
    if (i < 4) continue;
    chosen += fmt::format("{:.6f},{:.6f}\n", std::cos(t), std::sin(t));
    chosen_latents += fmt::format("{:.6f}\n", t);
  }
  write("p.csv", points);
  write("z.csv", latents);
  write("q.csv", chosen);
  write("y.csv", chosen_latents);
  const std::string fit = " --manifold euclidean:2 --latent 1 --init given --inference point --effort quick --quiet ";
  ASSERT_EQ(wgp("fit q.csv --at y.csv -o q.wgp" + fit).exit_code, 0);
  const Outcome outcome = wgp("fit p.csv --at z.csv --decimal , --rows 5: -o p.wgp" + fit);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto scores = [&](const std::string& flags) { return wgp("score " + flags + " --quiet"); };
  EXPECT_EQ(scores("p.wgp p.csv --at z.csv --decimal , --rows 5:").out, scores("q.wgp q.csv --at y.csv").out);
  EXPECT_EQ(scores("p.wgp p.csv --at z.csv --decimal , --rows 5:").exit_code, 0);
  write("z.csv", latents + "nan\n");
  write("p.csv", points + "0,5;0,5\n");
  EXPECT_TRUE(
      fails(wgp("fit p.csv --at z.csv --decimal , --rows 5: -o n.wgp" + fit), 3, {"z.csv: row 25: not finite"}));
}

TEST_F(Trajectories, OutliersHaveTheRowsOfTheirFile) {
  std::string text = "x,y\n";
  for (int i = 1; i <= 80; ++i)
    text += i == 46 ? "4,4\n"
                    : fmt::format("{},{}\n", std::cos(0.4 * i) + 0.05 * std::sin(17.0 * i),
                                  std::sin(0.4 * i) + 0.05 * std::cos(23.0 * i));
  write("ring.csv", text);
  const auto outcome =
      wgp("fit ring.csv --manifold euclidean:2 --latent 1 --kernel periodic --rows 21:80 --json -o m.wgp");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["outliers"], nlohmann::json({46}));
}

}  // namespace
}  // namespace wgp::test
