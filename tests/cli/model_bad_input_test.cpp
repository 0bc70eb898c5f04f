// Bad points, latents and model files: exit 3, a message that says what is wrong, nothing written.
#include "io/bytes/archive.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class ModelBadInput : public CommandTest {
 protected:
  void refused(const std::string& content, const std::vector<std::string>& pieces,
               const std::string& flags = "") const {
    write("d.csv", content);
    EXPECT_TRUE(fails(wgp("fit d.csv --manifold sphere:2 -o m.wgp " + flags), 3, pieces)) << content;
    EXPECT_EQ(files(), std::vector<std::string>{"d.csv"});
  }
  void fit_small() const {
    write("d.csv", "1,0,0\n0.8,0.6,0\n0.6,0.8,0\n0,1,0\n0,0.8,0.6\n");
    ASSERT_EQ(wgp("fit d.csv --manifold sphere:2 --latent 1 --inference point --effort quick -o m.wgp").exit_code, 0);
  }
  void model_refused(const std::string& bytes, const std::vector<std::string>& pieces) const {
    write("bad.wgp", bytes);
    EXPECT_TRUE(fails(wgp("info bad.wgp"), 3, pieces));
    EXPECT_EQ(wgp("info bad.wgp").err.rfind("wgp: bad.wgp: ", 0), 0u);
  }
  std::string rewritten(const std::vector<ArchiveEntry>& entries) const {
    write_archive(path("rewritten"), entries);
    return read("rewritten");
  }
};

TEST_F(ModelBadInput, PointsThatNoModelFits) {
  refused("1,0,0\n", {"d.csv: 1 point; a model needs at least 2"});
  refused("1,0,0\n0,1,0\n", {"d.csv: 2 points for 2 latent coordinates"}, "--latent 2");
  refused("1,0,0\n1,0,0\n1,0,0\n1,0,0\n", {"d.csv: all points are equal"});
  refused("1,0,0\n0,1,0\n0,0,1\n0.6,0.8,0\n", {"d.csv: 4 points for 9 latent"}, "--latent 9");
  refused("1,0,0\n1,nan,0\n0,1,0\n", {"row 2, column 2: not finite"});
  refused("1,0,0\n0,1,0\n0,0,2\n", {"row 3: norm 2"});
  refused("1,0\n0,1\n", {"2 numbers in each row, but sphere:2 takes 3"});
  refused("1,0,0\n0,1,0\n", {"d.csv: 2 points for 2 latent"}, "--latent 2 --dry-run --json");
  write("d.csv", "1,0,0\n0,1,0\n0,0,1\n0,0,2\n0.6,0.8,0\n0.6,0,0.8\n");
  const Outcome dropped = wgp("fit d.csv --manifold sphere:2 --latent 1 --effort quick -o m.wgp --drop-invalid");
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_NE(dropped.err.find("1 invalid row dropped (row 4)"), std::string::npos) << dropped.err;
}

// Found out before the work, not after it.
TEST_F(ModelBadInput, OutputThatCannotBeWritten) {
  write("d.csv", "1,0,0\n0,1,0\n0,0,1\n");
  EXPECT_TRUE(fails(wgp("fit d.csv --manifold sphere:2 -o no/m.wgp"), 3, {"no/m.wgp: cannot be created"}));
  EXPECT_TRUE(fails(wgp("fit d.csv --manifold sphere:2 -o ."), 3, {"is a directory"}));
}

TEST_F(ModelBadInput, TablesThatDoNotSuitTheModel) {
  fit_small();
  write("wide.csv", "1,2\n");
  write("nan.csv", "1\nnan\n");
  write("off.csv", "1,0,0\n0,0,3\n");
  EXPECT_TRUE(fails(wgp("decode m.wgp wide.csv"), 3, {"wide.csv: 2 numbers in each row", "1 latent coordinate"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp nan.csv"), 3, {"nan.csv: row 2: not finite"}));
  EXPECT_TRUE(fails(wgp("sample m.wgp --at wide.csv"), 3, {"wide.csv"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp wide.csv"), 3, {"sphere:2 takes 3"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp off.csv"), 3, {"off.csv: row 2: norm 3"}));
  EXPECT_TRUE(fails(wgp("score m.wgp off.csv"), 3, {"off.csv: row 2"}));
  EXPECT_TRUE(fails(wgp("score m.wgp d.csv --at nan.csv"), 3, {"nan.csv"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp d.csv -o z.npy"), 2, {"status", ".csv"}));
  const Outcome dropped = wgp("encode m.wgp off.csv --drop-invalid");
  EXPECT_EQ(dropped.exit_code, 0);
  EXPECT_NE(dropped.err.find("1 invalid row dropped"), std::string::npos) << dropped.err;
}

TEST_F(ModelBadInput, FilesThatAreNoModels) {
  fit_small();
  EXPECT_TRUE(fails(wgp("info none.wgp"), 3, {"none.wgp: no such file"}));
  EXPECT_TRUE(fails(wgp("encode d.csv d.csv"), 3, {"d.csv: not a model"}));
  model_refused("", {"not a model"});
  model_refused(rewritten({{"a.npy", "x"}}), {"no model.json"});
  model_refused(rewritten({{"model.json", "{"}}), {"not JSON"});
  model_refused(rewritten({{"model.json", "[]"}}), {"not a JSON object"});
  model_refused(rewritten({{"model.json", "{\"format\": \"other\"}"}}), {"not a model"});
}

TEST_F(ModelBadInput, DamagedModels) {
  fit_small();
  const std::string good = read("m.wgp");
  model_refused(good.substr(0, good.size() - 30), {"zip"});
  model_refused(good.substr(0, good.size() / 2), {"zip"});
  std::string flipped = good;
  flipped[good.find("NUMPY") + 200] ^= 1;
  model_refused(flipped, {"entry"});

  const std::vector<ArchiveEntry> entries = read_archive(path("m.wgp"));
  const auto with_json = [&](const auto& change) {
    auto changed = entries;
    auto object = nlohmann::ordered_json::parse(changed[0].bytes);
    change(object);
    changed[0].bytes = object.dump();
    return rewritten(changed);
  };
  model_refused(with_json([](auto& object) { object["format_version"] = 3; }),
                {"this model has format 3; this wgp reads up to 2"});
  model_refused(with_json([](auto& object) { object["format_version"] = "one"; }), {"'format_version'"});
  model_refused(with_json([](auto& object) { object.erase("kernel"); }), {"'kernel' is missing"});
  model_refused(with_json([](auto& object) { object["kernel"] = "magic"; }), {"magic"});
  model_refused(with_json([](auto& object) { object["manifold"] = "shpere:2"; }), {"shpere"});
  model_refused(with_json([](auto& object) { object["manifold"] = "sphere:3"; }), {"points.npy", "4 is expected"});
  model_refused(with_json([](auto& object) { object["latent"]["plain"] = 2; }),
                {"the width of the latents", "2 is expected"});
  model_refused(with_json([](auto& object) { object["kernel"] = "rbf+linear"; }), {"is missing"});
  model_refused(with_json([](auto& object) { object["noise_variance"] = 1; }), {"noise.npy", "changed by hand"});
  model_refused(with_json([](auto& object) { object["parameters"]["rbf.log_variance"] = 1; }), {"theta.npy"});
  model_refused(with_json([](auto& object) { object["latent"]["plain"] = -1; }), {"'plain'"});
  model_refused(with_json([](auto& object) { object["kind"] = 7; }), {"'kind'"});
  model_refused(with_json([](auto& object) { object["noise_law"]["function_scale"] = 0; }), {"function_scale"});
  model_refused(with_json([](auto& object) { object["noise_law"]["noise_variance"] = -1; }), {"noise_variance"});
  model_refused(with_json([](auto& object) { object["noise_law"].erase("noise_variance"); }), {"'noise_variance'"});
  model_refused(with_json([](auto& object) { object["noise_law"]["kind"] = "loud"; }), {"loud"});
  model_refused(with_json([](auto& object) { object.erase("noise_law"); }), {"'noise_law' is missing"});
  model_refused(with_json([](auto& object) { object["jitter"] = -1; }), {"damaged"});
  model_refused(with_json([](auto& object) { object["content_crc32"] = 1; }), {"checksum"});

  auto missing = entries;
  missing.erase(missing.begin() + 2);
  model_refused(rewritten(missing), {"X.npy is missing"});
  for (const std::string name : {"weights.npy", "inverse_diagonal.npy"}) {
    auto without = entries;
    std::erase_if(without, [&](const ArchiveEntry& entry) { return entry.name == name; });
    ASSERT_EQ(without.size() + 1, entries.size());
    model_refused(rewritten(without), {name + " is missing"});
  }
  auto swapped = entries;
  std::swap(swapped[3].bytes, swapped[4].bytes);
  model_refused(rewritten(swapped), {"checksum"});
}

}  // namespace
}  // namespace wgp::test
