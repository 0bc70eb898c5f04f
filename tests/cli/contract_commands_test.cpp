// Every command of the table of commands does what its row says, and the five users get through their day.
#include "contract.h"
#include "nifti_by_hand.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class Commands : public Contract {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("d.csv", csv(directions(24), "x,y,z"));
    write("north.csv", "0,0,1\n");
  }
  void fit_small() const {
    expect_done("fit d.csv --manifold sphere:2 --latent 1 --effort quick -o model.wgp --quiet");
  }
};

TEST_F(Commands, ManifoldsListsSpecDimensionRadiusAndExactness) {
  const auto listed = object_of("manifolds --json");
  ASSERT_GE(listed.at("manifolds").size(), 16u);
  for (const auto& one : listed.at("manifolds"))
    for (const char* key : {"spec", "dimension", "injectivity_radius", "method"})
      EXPECT_TRUE(one.contains(key)) << key << ' ' << one;
  const std::string text = wgp("manifolds").out;
  for (const char* piece : {"sphere:n", "n(n+1)/2", "pi", "closed form", "iterative"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << '\n' << text;
}

TEST_F(Commands, CheckIsADoctor) {
  write("bad.csv", "1,0,0\n1,0,0\n-1,0,0\n0,3,0\n");
  const Outcome outcome = wgp("check bad.csv --manifold sphere:2");
  EXPECT_EQ(outcome.exit_code, 3);
  for (const char* piece : {"row 4: norm 3", "the same as an earlier one", "cut locus", "Frechet mean not certified"})
    EXPECT_NE(outcome.out.find(piece), std::string::npos) << piece << '\n' << outcome.out;
  write("spd.csv", "1,0,0,1\n1e3,0,0,1\n");
  EXPECT_NE(wgp("check spd.csv --manifold spd:2").out.find("condition numbers 1 to 1e+03"), std::string::npos);
  EXPECT_NE(wgp("check d.csv").out.find("sphere:2"), std::string::npos);
}

TEST_F(Commands, GeomHasSixOperations) {
  const double half = std::numbers::pi / 2;
  const std::string geom = "geom ", base = " --manifold sphere:2 --base north.csv ";
  write("q.csv", "1,0,0\n0,1,0\n");
  write("v.csv", "0.5,0,0\n0,0.25,0\n");
  expect_rows(wgp(geom + "log" + base + "q.csv").out, {{half, 0, 0}, {0, half, 0}});
  expect_rows(wgp(geom + "dist" + base + "q.csv").out, {{half}, {half}});
  expect_rows(wgp(geom + "exp" + base + "v.csv").out,
              {{std::sin(0.5), 0, std::cos(0.5)}, {0, std::sin(0.25), std::cos(0.25)}});
  // W is carried along the geodesic to Q: what points along it is turned, what stands across stays.
  expect_rows(wgp(geom + "transport" + base + "q.csv v.csv").out, {{0, 0, -0.5}, {0, 0, -0.25}});
  expect_rows(wgp(geom + "logdet" + base + "q.csv").out, {{std::log(1 / half)}, {std::log(1 / half)}});
  write("x.csv", "0,0,7\n");
  expect_rows(wgp("geom project --manifold sphere:2 x.csv").out, {{0, 0, 1}});
  // A base row for each row as well.
  expect_rows(wgp("geom dist --manifold sphere:2 --base q.csv q.csv").out, {{0}, {0}});
}

TEST_F(Commands, MeanPgaCurve) {
  const auto mean = numbers(wgp("mean d.csv --manifold sphere:2").out);
  ASSERT_EQ(mean.size(), 1u);
  EXPECT_NEAR(std::hypot(mean[0][0], mean[0][1], mean[0][2]), 1, 1e-14);
  EXPECT_EQ(numbers(wgp("pga d.csv --manifold sphere:2").out).size(), 24u);
  EXPECT_EQ(numbers(wgp("curve d.csv --manifold sphere:2 --closed").out).size(), 24u);
}

TEST_F(Commands, FitEncodeDecodeSampleScoreInfoReport) {
  fit_small();
  const Outcome encoded = wgp("encode model.wgp d.csv -o latents.csv");
  EXPECT_EQ(encoded.exit_code, 0) << encoded.err;
  EXPECT_EQ(header(read("latents.csv")), "x1,sd1,log_density,weight,modes,status");
  const Outcome decoded = wgp("decode model.wgp latents.csv");
  EXPECT_EQ(header(decoded.out), "x1,x2,x3,sd");
  const Outcome drawn = wgp("sample model.wgp --at latents.csv --count 3");
  const auto draws = numbers(drawn.out);
  EXPECT_EQ(draws.size(), 72u);
  for (const auto& row : draws) EXPECT_NEAR(std::hypot(row[2], row[3], row[4]), 1, 1e-14);
  EXPECT_EQ(header(wgp("score model.wgp d.csv").out), "intrinsic,euclidean");
  EXPECT_NE(wgp("info model.wgp").out.find("wgplvm of 24 points on sphere:2"), std::string::npos);
  const std::string page = wgp("report model.wgp").out;
  EXPECT_NE(page.find("</html>"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos) << "one page, self-contained";
}

TEST_F(Commands, RegressGivesAModelForDecodeSampleScore) {
  std::ostringstream x;
  for (int i = 0; i < 24; ++i) x << 0.1 * i << '\n';
  write("x.csv", x.str());
  expect_done("regress x.csv d.csv --manifold sphere:2 -o r.wgp");
  write("at.csv", "0.55\n");
  EXPECT_EQ(numbers(wgp("decode r.wgp at.csv").out).size(), 1u);
  EXPECT_EQ(numbers(wgp("sample r.wgp --at at.csv --count 2").out).size(), 2u);
  EXPECT_LT(object_of("score r.wgp d.csv --at x.csv --json")["intrinsic_rmse"].get<double>(), 0.1);
}

TEST_F(Commands, EvaluateConvertSynth) {
  expect_keys(object_of("evaluate d.csv --manifold sphere:2 --latent 1 --repeats 1 --models nearest,pga --json"),
              {"nearest", "pga"}, "evaluate");
  expect_done("convert d.csv -o d.npy");
  for (const std::string name : {"femur", "diatoms", "dti", "crypto", "circle", "sheet"})
    expect_done("synth " + name + " -o s.csv");
  EXPECT_TRUE(fails(wgp("synth femurs"), 2, {"did you mean femur?"}));
}

// ---- the users and their day

TEST_F(Commands, NeuroImagingUser) {
  std::vector<float> channels;
  for (const std::size_t entry : fsl_order)
    for (int v = 0; v < 60; ++v) {
      const double a = 0.3 * (v % 5), b = 0.4 * (v / 5);
      const std::vector<double> tensor = {2 + std::sin(a),          0.4 * std::sin(a - b),  1.5 + 0.5 * std::cos(b),
                                          -0.4 - 0.1 * std::cos(a), -0.3 * std::sin(a + b), 1 + 0.1 * a};
      channels.push_back(static_cast<float>(tensor[entry]));
    }
  write("dti.nii", nifti1<float>({5, 4, 3, 6}, 16, channels));
  std::vector<std::uint8_t> mask(60, 1);
  for (std::size_t v = 0; v < 20; ++v) mask[v] = 0;
  write("mask.nii", nifti1<std::uint8_t>({5, 4, 3}, 2, mask));
  ASSERT_EQ(shell("gzip dti.nii").exit_code, 0);
  expect_done("fit dti.nii.gz --mask mask.nii --effort quick -o dti.wgp");  // the image says that it holds tensors
  const Outcome maps = wgp("encode dti.wgp dti.nii.gz --mask mask.nii -o latents.nii.gz");
  EXPECT_NE(maps.err.find("40 points encoded"), std::string::npos) << maps.err;
  expect_done("report dti.wgp -o dti.html");
  EXPECT_NE(read("dti.html").find("<ellipse"), std::string::npos);
  // The same through pipes.
  const Outcome piped = shell("cat dti.nii.gz | wgp encode dti.wgp - --mask mask.nii -o piped.nii.gz");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(read("piped.nii.gz") == read("latents.nii.gz"));
}

TEST_F(Commands, MorphometricsUser) {
  std::ostringstream tps;
  for (int i = 0; i < 20; ++i) {
    const double a = 0.02 * i + (i % 2 == 0 ? 0.3 : 0), turn = 0.4 * i, size = 1 + 0.1 * i;
    tps << "LM=4\n";
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, a}, {1.2, 1.0 + 0.1 * std::sin(2.0 * i)}, {-0.2, 1 - a}})
      tps << size * (std::cos(turn) * x - std::sin(turn) * y) << ' ' << size * (std::sin(turn) * x + std::cos(turn) * y)
          << '\n';
    tps << "ID=" << (i % 2 == 0 ? "cat" : "dog") << '\n';
  }
  write("shapes.tps", tps.str());
  expect_done("fit shapes.tps --labels id --effort quick -o shapes.wgp");
  expect_done("report shapes.wgp -o map.html");  // the labels came with the fit
  const std::string page = read("map.html");
  EXPECT_NE(page.find(">cat<"), std::string::npos);
  EXPECT_NE(page.find(">dog<"), std::string::npos);
  expect_done("mean shapes.tps -o mean.tps");
  EXPECT_EQ(read("mean.tps").rfind("LM=4\n", 0), 0u);
  write("morph.csv", "-0.5,0\n0,0\n0.5,0\n");
  EXPECT_EQ(header(wgp("decode shapes.wgp morph.csv").out), "x1,y1,x2,y2,x3,y3,x4,y4,sd");
  const Outcome badly = wgp("score shapes.wgp shapes.tps --labels id");
  EXPECT_EQ(header(badly.out), "intrinsic,euclidean,label");
}

TEST_F(Commands, MotionUser) {
  expect_done("curve d.csv --manifold sphere:2 --closed --nodes-out closed.csv -o along.csv");
  expect_done("fit d.csv --manifold sphere:2 --latent 1 --kernel periodic --effort quick -o tube.wgp");
  write("angles.csv", "-3\n-1.5\n0\n1.5\n3\n");
  for (const auto& row : numbers(wgp("decode tube.wgp angles.csv").out)) EXPECT_GT(row[3], 0);
}

TEST_F(Commands, CovarianceUser) {
  Rows rows;
  for (int i = 0; i < 20; ++i) {
    const double t = 0.2 * i;
    rows.push_back({2 + std::sin(t), 0.5 * std::cos(t), 0.5 * std::cos(t), 1.5 + 0.3 * std::cos(2 * t)});
  }
  write("c.csv", csv(rows));
  expect_done("geom project --manifold spd:2 c.csv -o c.npy");
  expect_done("fit c.npy --manifold spd:2 --latent 1 --effort quick -o c.wgp");
  EXPECT_EQ(numbers(wgp("encode c.wgp c.npy --quiet | cut -d, -f1-3").out).size(), 20u);
  EXPECT_TRUE(object_of("score c.wgp c.npy --json")["log_density_mean"].is_number());
}

}  // namespace
}  // namespace wgp::test
