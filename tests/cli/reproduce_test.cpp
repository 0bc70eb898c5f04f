// wgp reproduce: small sets in the layout of the real ones.
#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class ReproduceCommand : public CommandTest {
 protected:
  // The head of each synthetic set, under the column names of the real one.
  void write_data(int femur, int diatoms, int dti, int crypto) const {
    const auto lines = [](int n) { return std::to_string(n + 1); };
    const Outcome made = shell(
        "mkdir -p data/femur data/diatoms data/dti data/crypto; "
        "wgp synth femur -o f.csv --quiet; head -" +
        lines(femur) +
        " f.csv | awk -F, 'NR==1{print \"time_s,x,y,z\"} NR>1{print NR\",\"$1\",\"$2\",\"$3}' >data/femur/femur.csv; "
        "wgp synth diatoms -o d.csv --quiet; head -" +
        lines(diatoms) +
        " d.csv | cut -d, -f1-180 | awk 'NR==1{print \"species,\"$0} NR>1{print int(NR/8)\",\"$0}' "
        ">data/diatoms/diatoms.csv; "
        "wgp synth dti -o t.csv --quiet; head -" +
        lines(dti) +
        " t.csv | cut -d, -f1-9 | awk 'NR==1{print \"fa,dxx,dxy,dxz,dyx,dyy,dyz,dzx,dzy,dzz\"} NR>1{print "
        "NR/100\",\"$0}' "
        ">data/dti/dti.csv; "
        "wgp synth crypto -o c.csv --quiet; head -" +
        lines(crypto) +
        " c.csv | cut -d, -f1-100 | awk 'NR==1{split(\"btc dash dgb doge ltc vtc xlm xmr xrp xvg\", c, \" \"); "
        "printf \"window_first\"; for(i=1;i<=10;i++) for(j=1;j<=10;j++) printf \",%s_%s\", c[i], c[j]; print \"\"} "
        "NR>1{printf \"20%02d-01-05,%s\\n\", NR, $0}' >data/crypto/crypto_cov.csv");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  static std::size_t count(const std::string& text, const std::string& piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
    return found;
  }
};

TEST_F(ReproduceCommand, AllFourSetsGiveTableFiguresAndOnePage) {
  write_data(40, 32, 36, 30);
  const Outcome outcome = wgp("reproduce --data data --repeats 1 --effort quick --out run");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* piece :
       {"Femur", "Diatoms", "Diffusion tensors", "Crypto-tensors", "WGPLVM", "GPLVMProj", "paper", "by projection",
        "nearest training point", "PGA projection", "(9.20 ± 0.53)e-2", "21.91 ± 2.26", "2.3", "conformal"})
    EXPECT_NE(outcome.out.find(piece), std::string::npos) << piece << '\n' << outcome.out;
  const std::string page = read("run/reproduction.html");
  for (const char* piece :
       {"Table 1", "latent-crypto-wgplvm", "latent-crypto-gplvm", "latent-dti-wgplvm", "latent-diatoms-gplvm",
        "species-diatoms", "femur-models", "id=\"cone\"", "id=\"geometry\"", "consecutive points"})
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  // The paper's figures are the yardstick; wishes of those who wrote the program are none.
  for (const char* yardstick : {"target", "meant to reach", "missed by"}) {
    EXPECT_EQ(outcome.out.find(yardstick), std::string::npos) << yardstick;
    EXPECT_EQ(page.find(yardstick), std::string::npos) << yardstick;
  }
  for (const char* foreign : {"<script", "http://", "https://", "<link", "url("})
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  for (const char* figure : {"calibration", "latent-dti-gplvm", "femur-models", "cone", "geometry", "species-diatoms"})
    EXPECT_EQ(count(read(std::string("run/figures/") + figure + ".svg"), "<title"), 1u) << figure;
}

// What is finished is not done again, what is missing or damaged is, and the bytes are the same.
TEST_F(ReproduceCommand, ResumesToTheSameBytes) {
  write_data(0, 0, 0, 30);
  const std::string run = "reproduce crypto --data data --repeats 2 --effort quick";
  const Outcome whole = wgp(run + " --out run");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::string page = read("run/reproduction.html");
  EXPECT_TRUE(fails(wgp(run + " --out run"), 2, {"run/trials holds 10 finished trials", "--resume"}));

  ASSERT_EQ(shell("rm run/trials/crypto-split-01-gplvm-*; rm run/trials/crypto-portrait-wgplvm-*; "
                  "for f in run/trials/crypto-split-00-wgplvm-*; do sed -i s/0/7/4 $f; done")
                .exit_code,
            0);
  const Outcome again = wgp(run + " --out run --resume");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.err.find("damaged, made again"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("6 trials taken from earlier runs, 4 made"), std::string::npos) << again.err;
  EXPECT_EQ(again.out, whole.out);
  EXPECT_EQ(read("run/reproduction.html"), page);

  // On another number of threads too.
  const Outcome threads = wgp(run + " --out other --threads 1");
  EXPECT_EQ(threads.out, whole.out);
  EXPECT_EQ(read("other/reproduction.html"), page);
}

TEST_F(ReproduceCommand, JsonHasEveryModelOfEverySet) {
  const Outcome outcome = wgp("reproduce crypto --repeats 1 --effort quick --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json all = json::parse(outcome.out);
  ASSERT_EQ(all.size(), 1u);
  for (const char* model : {"wgplvm", "wgplvm-variational", "gplvm", "gplvmproj", "nearest", "pga"}) {
    const json& one = all.at("crypto").at(model);
    for (const char* field : {"intrinsic_rmse", "euclidean_rmse", "intrinsic_median", "projection", "calibration",
                              "log_likelihood", "seconds"})
      EXPECT_TRUE(one.contains(field)) << model << ' ' << field;
  }
  EXPECT_TRUE(all["crypto"]["gplvm"]["intrinsic_rmse"].is_null());
  EXPECT_EQ(all["crypto"]["wgplvm"]["conformal"].size(), 4u);
  // Covariances over time: in the latent space, too, neighbours in time are nearer than others.
  EXPECT_LT(all["crypto"]["wgplvm"]["latent_order"]["step_share"].get<double>(), 0.7);
}

TEST_F(ReproduceCommand, BadRequestsAreRefused) {
  EXPECT_TRUE(fails(wgp("reproduce tibia"), 2, {"tibia", "femur, diatoms, dti, crypto"}));
  EXPECT_TRUE(fails(wgp("reproduce femur --repeats 0"), 2, {"--repeats"}));
  EXPECT_TRUE(fails(wgp("reproduce femur --data nowhere"), 3, {"nowhere", "femur/femur.csv"}));
  shell("mkdir -p data/femur; printf 'time_s,x,y\\n1,2,3\\n' >data/femur/femur.csv");
  EXPECT_TRUE(fails(wgp("reproduce femur --data data"), 3, {"data/femur/femur.csv", "z"}));
}

}  // namespace
}  // namespace wgp::test
