// Files that promise more than there is, or unpack to more than anybody wants: refused before memory or time is spent.
#include <zlib.h>

#include <cmath>

#include "io/bytes/archive.h"
#include "io/tables/npy_bytes.h"
#include "measured_run.h"
#include "nifti_by_hand.h"
#include "packed.h"
#include "wgp/model_file.h"

namespace wgp::test {
namespace {

std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  all.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += piece;
  return all;
}

// 400 MB: a hundred gzip members of 4 MB each.
std::string gzip_bomb(const std::string& start, const std::string& line) {
  return gzip(start) + repeated(gzip(repeated(line, (std::size_t{4} << 20) / line.size())), 100);
}

std::string npy_with_shape(const std::string& shape) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00v\x00", 10) + header + "\n" + std::string(64, '\0');
}

class BadSizes : public MeasuredTest {
 protected:
  void convert_refused(const std::string& file, const std::string& bytes, const std::vector<std::string>& pieces,
                       const std::vector<std::string>& flags = {}) const {
    write(file, bytes);
    std::vector<std::string> words = {"convert", file, "-o", "out.csv"};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<std::string> all = pieces;
    all.push_back(file);
    EXPECT_TRUE(refused(words, all)) << file;
  }
  std::string archive(const std::vector<ArchiveEntry>& entries) const {
    write_archive(path("archive"), entries);
    return read("archive");
  }
};

TEST_F(BadSizes, OfLandmarks) {
  const std::string huge = "1000000000000000000";
  convert_refused("a.tps", "LM=" + huge + "\n1 2\n", {"truncated"});
  convert_refused("b.tps", "LM=1\n1 2\nCURVES=" + huge + "\nPOINTS=" + huge + "\n1 2\n", {});
  convert_refused("a.nts", "1 " + huge + " 4 0 DIM=2\n1 2 3 4\n", {"truncated"});
  convert_refused("b.nts", "1 3 " + huge + " 0 DIM=2\n1 2 3 4\n", {"truncated"});
  convert_refused("c.nts", "1 1 4 0 DIM=" + huge + "\n1 2 3 4\n", {});
  for (const std::string section : {"individuals", "landmarks", "dimensions"}) {
    std::string text = "[individuals]\n1\n[landmarks]\n1\n[dimensions]\n2\n[rawpoints]\n1 2\n";
    text.replace(text.find(section) + section.size() + 2, 1, huge);
    convert_refused(section + ".morphologika", text, {});
  }
}

TEST_F(BadSizes, OfArraysAndTables) {
  for (const std::string shape : {"(1000000000000000000, 3)", "(3, 1000000000000000000)", "(1000000000000, 3)",
                                  "(4294967296, 4294967296)", "(1000000000000000000000000, 2)", "(-1, 3)"}) {
    convert_refused("a.npy", npy_with_shape(shape), {});
    convert_refused("a.npz", archive({{"x.npy", npy_with_shape(shape)}}), {});
  }
  convert_refused("deep.npy", npy_with_shape(std::string(60, '(')), {});
  convert_refused("line.csv", std::string(std::size_t{40} << 20, '1'), {"a row of more than"});
  convert_refused("quote.csv", "\"" + repeated("x\n", 5 << 20), {});
}

TEST_F(BadSizes, OfImages) {
  std::string image = tensor_image(fsl_order);
  for (std::size_t axis = 1; axis <= 3; ++axis) put(image, 40 + 2 * axis, std::int16_t{32767});
  convert_refused("a.nii", image, {});
  convert_refused("a.nii.gz", gzip(image), {});
  image = tensor_image(fsl_order);
  put(image, 108, 1e18f);
  convert_refused("offset.nii", image, {});
}

TEST_F(BadSizes, OfMotion) {
  const std::string start = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS ", site = "End Site\n{\nOFFSET 0 1 0\n}\n}\n";
  const std::string one = start + "3 Xrotation Yrotation Zrotation\n" + site;
  const std::vector<std::string> bone = {"--bone", "a"};
  convert_refused("channels.bvh", start + "1000000000000000000 Xrotation\n" + site, {}, bone);
  convert_refused("frames.bvh", one + "MOTION\nFrames: 1000000000000000000\nFrame Time: 0.1\n1 2 3\n", {}, bone);
  convert_refused("many.bvh", one + "MOTION\nFrames: 100000000000000\nFrame Time: 0.1\n1 2 3\n", {"truncated"}, bone);
  convert_refused("deep.bvh", start + "0\n" + repeated("JOINT a\n{\nOFFSET 0 0 0\n", 100000), {"65536 joints"}, bone);
}

TEST_F(BadSizes, OfModels) {
  write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
  ASSERT_EQ(wgp("fit p.csv --manifold euclidean:2 --latent 1 --effort quick -o m.wgp").exit_code, 0);
  const auto model_refused = [&](const std::string& name, const auto& change) {
    auto entries = read_archive(path("m.wgp"));
    change(entries);
    write("bad.wgp", archive(entries));
    EXPECT_TRUE(refused({"info", "bad.wgp"}, {"bad.wgp"})) << name;
  };
  model_refused("deep arrays", [](auto& entries) { entries[0].bytes = repeated("[", 500000); });
  model_refused("deep objects", [](auto& entries) { entries[0].bytes = repeated("{\"a\":", 200000); });
  model_refused("long JSON", [](auto& entries) { entries[0].bytes = "\"" + repeated("a", 5 << 20) + "\""; });
  for (const std::string shape : {"(1000000000000000000,)", "(1000000000000000000, 1000000000000000000)"})
    for (std::size_t entry = 1; entry < read_archive(path("m.wgp")).size(); ++entry)
      model_refused("array", [&](auto& entries) { entries[entry].bytes = npy_with_shape(shape); });
  // Numbers of model.json that would be sizes.
  const auto entries = read_archive(path("m.wgp"));
  for (const std::string spec : {"euclidean:1000000000000000000", "spd:1000000000", "sphere:2^1000000000000",
                                 "euclidean:2^1000000000", "(((((((euclidean:2^99)^99)^99)^99)^99)^99)^99)^99"}) {
    auto changed = entries;
    auto object = nlohmann::ordered_json::parse(changed[0].bytes);
    object["manifold"] = spec;
    changed[0].bytes = object.dump();
    write("bad.wgp", archive(changed));
    EXPECT_TRUE(refused({"info", "bad.wgp"}, {"bad.wgp"})) << spec;
  }
}

// Right checksums around wrong sizes.
TEST_F(BadSizes, OfCheckpoints) {
  write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
  ASSERT_EQ(wgp("fit p.csv --manifold euclidean:2 --latent 1 --effort quick -o m.wgp --checkpoint c.wgpc").exit_code,
            0);
  const std::vector<std::string> resume = {"fit",      "p.csv", "--manifold", "euclidean:2", "--latent", "1",
                                           "--effort", "quick", "--resume",   "bad.wgpc",    "-o",       "out.csv"};
  const FitCheckpoint whole = load_checkpoint(path("c.wgpc"));
  for (const auto& [name, numbers] : whole.steps)
    for (Index i = 0; i < std::min<Index>(numbers.size(), 20); ++i)
      for (const double size : {1e18, 1e9}) {
        if (numbers[i] != std::floor(numbers[i]) || numbers[i] <= 0 || numbers[i] > 100) continue;
        FitCheckpoint changed = whole;
        changed.steps[name][i] = size;
        CheckpointWriter(path("bad.wgpc"), changed);
        EXPECT_TRUE(refused(resume, {"the checkpoint is damaged"})) << name << " " << i;
      }
  const auto with_step_of = [&](std::uint64_t name_size, std::uint64_t count) {
    std::string sizes;
    for (int i = 0; i < 16; ++i) sizes += static_cast<char>((i < 8 ? name_size : count) >> (8 * (i % 8)) & 0xff);
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(sizes.data()), sizes.size());
    for (int i = 0; i < 4; ++i) sizes += static_cast<char>(crc >> (8 * i) & 0xff);
    write("bad.wgpc", read("c.wgpc").substr(0, 20) + sizes + std::string(1000, 'a'));
  };
  with_step_of(std::uint64_t{1} << 60, 1);
  EXPECT_TRUE(refused(resume, {"bad.wgpc", "damaged"}));
  // Longer than the file: a step that was never finished.
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    with_step_of(7, count);
    const MeasuredOutcome outcome = measured(resume);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(read("out.csv") == read("m.wgp"));
    std::filesystem::remove(path("out.csv"));
  }
  EXPECT_TRUE(refused({"fit", "p.csv", "--manifold", "euclidean:2", "--resume", "/dev/zero", "-o", "out.csv"},
                      {"not a checkpoint"}));
}

TEST_F(BadSizes, Bombs) {
  const std::vector<std::string> bone = {"--bone", "a"};
  convert_refused("zeros.csv.gz", gzip_bomb("", std::string(64, '\0')), {"binary"});
  convert_refused("yes.csv.gz", gzip_bomb("", "1,2\n"), {"gzip bomb"});
  convert_refused("yes.tsv.gz", gzip_bomb("", "1\t2\n"), {"gzip bomb"});
  convert_refused("many.tps.gz", gzip_bomb("", "LM=1\n1 2\nID=1\n"), {"gzip bomb"});
  convert_refused("many.nts.gz", gzip_bomb("1 100000000 2 0 DIM=2\n", "1 2\n"), {"gzip bomb"});
  convert_refused("many.morphologika.gz",
                  gzip_bomb("[individuals]\n100000000\n[landmarks]\n1\n[dimensions]\n2\n[rawpoints]\n", "1 2\n"),
                  {"gzip bomb"});
  convert_refused("zeros.npy.gz", gzip_bomb(npy_with_shape("(52428808,)"), std::string(64, '\0')), {"gzip bomb"});
  std::string image = tensor_image(fsl_order);
  for (std::size_t axis = 1; axis <= 3; ++axis) put(image, 40 + 2 * axis, std::int16_t{260});
  convert_refused("zeros.nii.gz", gzip_bomb(image, std::string(64, '\0')), {"gzip bomb"});
  convert_refused("many.bvh.gz",
                  gzip_bomb("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 "
                            "0\n}\n}\nMOTION\nFrames: 100000000\nFrame Time: 0.1\n",
                            "1 \n"),
                  {"gzip bomb"}, bone);

  // In an archive: as an array and a model; no checkpoint is one. 24 MB unpack from 24 kB.
  const std::string zeros = npy_of_columns(Matrix::Zero(2, 1500000));
  const std::string packed = gzip(zeros).substr(10);
  const auto number = [](std::uint64_t value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  };
  const std::string name = "model.json", stream = packed.substr(0, packed.size() - 8);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(zeros.data()), zeros.size());
  const std::string fields = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + number(crc, 4) +
                             number(stream.size(), 4) + number(zeros.size(), 4) + number(name.size(), 2) + number(0, 2);
  const auto zip = [&](const std::string& entry) {
    const std::string local = "PK\x03\x04" + fields + entry + stream;
    const std::string directory = "PK\x01\x02" + number(20, 2) + fields + std::string(14, '\0') + entry;
    return local + directory + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(directory.size(), 4) +
           number(local.size(), 4) + number(0, 2);
  };
  convert_refused("bomb.npz", zip("points.npy"), {"zip bomb"});
  write("bomb.wgp", zip(name));
  EXPECT_TRUE(refused({"info", "bomb.wgp"}, {"bomb.wgp", "zip bomb"}));
  write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
  EXPECT_TRUE(refused({"fit", "p.csv", "--manifold", "euclidean:2", "--resume", "bomb.wgp", "-o", "out.csv"},
                      {"bomb.wgp", "not a checkpoint"}));
}

}  // namespace
}  // namespace wgp::test
