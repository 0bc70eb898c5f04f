// NIfTI images whose bytes were put together by hand: what they mean, and how damaged ones are refused.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "image_bytes.h"
#include "nifti_by_hand.h"
#include "packed.h"

namespace wgp {
namespace {

using test::fsl_order, test::gzip, test::image_error, test::image_values, test::mrtrix_order, test::nifti1,
    test::open_image, test::put, test::symmatrix_order, test::tensor_image;

const Matrix tensor_rows{{3, 0.5, 2, -0.25, 0.125, 1}, {1, -0.5, 4, 0.75, -0.5, 2}, {2, 0.25, 1, 0.5, -0.125, 3}};

// A stream that is not a file and does not know its size.
class Pipe final : public ByteSource {
 public:
  explicit Pipe(std::string bytes) : ByteSource("pipe"), bytes_(std::move(bytes)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = bytes_.copy(to, size, at_);
    at_ += got;
    return got;
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read_at(std::uint64_t, char*, std::size_t) override { return 0; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST(Nifti, ReadsTensorsInEveryOrderAsTheSameRows) {
  for (const auto& [order, name] :
       {std::pair{symmatrix_order, "symmatrix (xx xy yy xz yz zz)"}, std::pair{fsl_order, "fsl (xx xy xz yy yz zz)"},
        std::pair{mrtrix_order, "mrtrix (xx yy zz xy xz yz)"}}) {
    EXPECT_EQ(image_values(tensor_image(order)), tensor_rows) << name;
    const auto table = open_image(tensor_image(order));
    EXPECT_EQ(table->notes().front().find(std::string("tensor order ") + name + ", found from the data"), 0u)
        << table->notes().front();
    EXPECT_TRUE(table->holds_tensors());
    EXPECT_EQ(*table->rows(), 3);
    EXPECT_EQ(table->names(), (std::vector<std::string>{"xx", "xy", "yy", "xz", "yz", "zz"}));
    EXPECT_EQ(table->voxels(), (std::vector<Index>{0, 2, 3}));
  }
}

TEST(Nifti, ReadsPackedFilesPipesAndFiveAxes) {
  const std::string plain = tensor_image(fsl_order);
  EXPECT_EQ(image_values(gzip(plain)), tensor_rows);
  EXPECT_EQ(image_values(gzip(plain.substr(0, 400)) + gzip(plain.substr(400))), tensor_rows);
  for (const auto& bytes : {plain, gzip(plain)}) {
    const auto table = open_nifti(std::make_unique<Pipe>(bytes));
    EXPECT_EQ(read_rest(*table).values.transpose(), tensor_rows);
  }
  EXPECT_EQ(image_values(nifti1<float>({2, 2, 1, 1, 6}, 16, test::tensor_channels(fsl_order))), tensor_rows);
}

TEST(Nifti, TellsPositionsAndBlocks) {
  NiftiOptions options;
  options.table.columns = "k,j,i,zz";
  options.table.text_columns = {"i", "xy"};
  const auto table = open_image(tensor_image(fsl_order), options);
  TableBlock block;
  ASSERT_TRUE(table->read(2, block));
  EXPECT_EQ(Matrix(block.values.transpose()), (Matrix{{0, 0, 0, 1}, {0, 1, 0, 2}}));
  EXPECT_EQ(block.text[0], (std::vector<std::string>{"0", "0"}));
  EXPECT_EQ(block.text[1], (std::vector<std::string>{"0.5", "-0.5"}));
  EXPECT_EQ(table->block_voxels(), (std::vector<Index>{0, 2}));
  ASSERT_TRUE(table->read(2, block));
  EXPECT_EQ(block.first_row, 2);
  EXPECT_EQ(Matrix(block.values.transpose()), (Matrix{{0, 1, 1, 3}}));
  EXPECT_EQ(table->block_voxels(), (std::vector<Index>{3}));
  EXPECT_FALSE(table->read(2, block));
}

TEST(Nifti, ReadsEveryNumberType) {
  const Matrix positive{{1}, {200}}, both{{1}, {-2}};
  EXPECT_EQ(image_values(nifti1<std::uint8_t>({2}, 2, {1, 200})), positive);
  EXPECT_EQ(image_values(nifti1<std::uint16_t>({2}, 512, {1, 200})), positive);
  EXPECT_EQ(image_values(nifti1<std::uint32_t>({2}, 768, {1, 200})), positive);
  EXPECT_EQ(image_values(nifti1<std::uint64_t>({2}, 1280, {1, 200})), positive);
  EXPECT_EQ(image_values(nifti1<std::int8_t>({2}, 256, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<std::int16_t>({2}, 4, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<std::int32_t>({2}, 8, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<std::int64_t>({2}, 1024, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<float>({2}, 16, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<double>({2}, 64, {1, -2})), both);
  EXPECT_EQ(image_values(nifti1<long double>({2}, 1536, {1, -2})), both);
}

TEST(Nifti, ScalesNumbersUnlessTheSlopeIsZeroOrNaN) {
  std::string bytes = nifti1<std::int16_t>({2}, 4, {1, -2});
  put(bytes, 112, 0.5f);
  put(bytes, 116, 10.0f);
  EXPECT_EQ(image_values(bytes), (Matrix{{10.5}, {9}}));
  put(bytes, 112, 0.0f);
  EXPECT_EQ(image_values(bytes), (Matrix{{1}, {-2}}));
  put(bytes, 112, std::nanf(""));
  EXPECT_EQ(image_values(bytes), (Matrix{{1}, {-2}}));
  put(bytes, 112, INFINITY);
  EXPECT_NE(image_error(bytes).find("the scaling"), std::string::npos) << image_error(bytes);
}

TEST(Nifti, KnowsTensorsFromOtherChannels) {
  // Nine channels: symmetric ones are matrices, others are not.
  const auto nine = [](float yx) { return nifti1<float>({1, 1, 1, 3, 3}, 16, {2, 1, 0, yx, 3, 0, 0, 0, 4}); };
  const auto matrices = open_image(nine(1));
  EXPECT_TRUE(matrices->holds_tensors());
  EXPECT_EQ(matrices->shape(), (std::vector<Index>{3, 3}));
  const auto channels = open_image(nine(-1));
  EXPECT_FALSE(channels->holds_tensors());
  EXPECT_EQ(channels->names().back(), "c9");
  // Six numbers that are tensors in no order.
  EXPECT_FALSE(open_image(nifti1<float>({1, 1, 1, 6}, 16, {-1, 2, 3, -4, 5, -6}))->holds_tensors());
  NiftiOptions options;
  options.content = NiftiOptions::Content::tensors;
  EXPECT_NE(image_error(nifti1<float>({1, 1, 1, 3}, 16, {1, 2, 3}), options).find("tensors have 6 or 9"),
            std::string::npos);
  options.content = NiftiOptions::Content::channels;
  EXPECT_EQ(open_image(tensor_image(fsl_order), options)->names().front(), "c1");
}

TEST(Nifti, RefusesAnOrderThatIsNotClear) {
  // Positive definite as symmatrix (xx yy zz = 4 2 4) and as fsl (4 2.5 4).
  const std::string bytes = nifti1<float>({1, 1, 1, 6}, 16, {4, 0.5f, 2, 2.5f, 0.25f, 4});
  const std::string message = image_error(bytes);
  for (const char* piece : {"t.nii: the order of the six tensor channels is not clear", "100.0 % as symmatrix",
                            "--tensor-order symmatrix|fsl|mrtrix"})
    EXPECT_NE(message.find(piece), std::string::npos) << message;
  NiftiOptions options;
  options.order = TensorOrder::fsl;
  EXPECT_EQ(image_values(bytes, options), (Matrix{{4, 0.5, 2.5, 2, 0.25, 4}}));
}

TEST(Nifti, TakesTheIntentCodeUnlessTheDataContradictIt) {
  std::string bytes = tensor_image(symmatrix_order);
  put(bytes, 68, std::int16_t{1005});
  EXPECT_NE(open_image(bytes)->notes().front().find("by the intent code"), std::string::npos);
  bytes = tensor_image(mrtrix_order);
  put(bytes, 68, std::int16_t{1005});
  EXPECT_NE(image_error(bytes).find("its intent code says symmatrix, but the numbers say mrtrix"), std::string::npos)
      << image_error(bytes);
}

class NiftiFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-nifti-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string error_of_file(const std::string& name) const {
    try {
      open_nifti(open_bytes(path(name)));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(NiftiFiles, MasksAreOnTheSameGrid) {
  NiftiOptions options;
  options.mask = write("mask.nii", nifti1<std::uint8_t>({2, 2, 1}, 2, {0, 1, 7, 0}));
  const auto table = open_image(tensor_image(fsl_order), options);
  EXPECT_EQ(Matrix(read_rest(*table).values.transpose()), Matrix(tensor_rows.row(1)));
  EXPECT_EQ(table->notes().back(), "1 voxel inside the mask holds nothing and is left out");

  options.mask = write("other.nii", nifti1<std::uint8_t>({2, 1, 2}, 2, {1, 1, 1, 1}));
  EXPECT_NE(image_error(tensor_image(fsl_order), options).find("a mask of 2 x 1 x 2 voxels, but t.nii has 2 x 2 x 1"),
            std::string::npos)
      << image_error(tensor_image(fsl_order), options);
  options.mask = write("empty.nii", nifti1<std::uint8_t>({2, 2, 1}, 2, {0, 0, 0, 0}));
  EXPECT_NE(image_error(tensor_image(fsl_order), options).find("no voxel holds anything inside the mask"),
            std::string::npos);
  options.mask = path("none.nii");
  EXPECT_NE(image_error(tensor_image(fsl_order), options).find("no such file"), std::string::npos);
}

TEST_F(NiftiFiles, MapsComeBackWithGridAndNames) {
  NiftiGrid grid;
  grid.size = {2, 2, 1};
  grid.pixdim = {-1, 2, 3, 4};
  grid.units = 2 + 8;
  grid.sform_code = 1;
  for (std::size_t i = 0; i < 12; ++i) grid.affine[i] = static_cast<double>(i) / 4;
  for (const bool version2 : {false, true})
    for (const bool doubles : {false, true})
      for (const char* name : {"m.nii", "m.nii.gz"}) {
        grid.version2 = version2;
        grid.doubles = doubles;
        NiftiMaps maps(path(name), grid, {{"x1", "sd1"}, "a test"});
        maps.write(Matrix{{1.1, 2}, {3, 4}}, {3, 0});
        maps.close();
        const auto table = open_nifti(open_bytes(path(name)));
        EXPECT_EQ(table->names(), (std::vector<std::string>{"x1", "sd1"}));
        const double rounded = doubles ? 1.1 : static_cast<double>(1.1f);
        EXPECT_EQ(Matrix(read_rest(*table).values.transpose()), (Matrix{{2, 4}, {rounded, 3}}));
        EXPECT_EQ(table->voxels(), (std::vector<Index>{0, 3}));
        EXPECT_EQ(table->grid().pixdim, grid.pixdim);
        EXPECT_EQ(table->grid().affine, grid.affine);
        EXPECT_EQ(nifti_units_text(table->grid().units), "mm");
        EXPECT_EQ(table->grid().version2, version2);
        EXPECT_EQ(table->grid().doubles, doubles);
      }
}

TEST_F(NiftiFiles, TensorsComeBackInTheirForm) {
  NiftiGrid grid;
  grid.size = {2, 1, 1};
  grid.doubles = true;
  const std::vector<double> matrix = {3, 0.5, -0.25, 0.5, 2, 0.125, -0.25, 0.125, 1};
  const std::vector<double> lower = {3, 0.5, 2, -0.25, 0.125, 1};
  for (const TensorOrder order : {TensorOrder::symmatrix, TensorOrder::fsl, TensorOrder::mrtrix})
    for (const bool whole : {false, true})
      for (const bool five_axes : {false, true})
        for (const bool version2 : {false, true}) {
          const TensorForm form{whole ? TensorOrder::symmatrix : order, whole, five_axes,
                                !whole && order == TensorOrder::symmatrix};
          EXPECT_EQ(TensorForm::from_text(form.text()), form);
          grid.version2 = version2;
          {
            NiftiMaps image(path("t.nii"), grid, {form.channel_names(), "", form});
            Matrix channels(form.channels(), 1);
            for (std::size_t k = 0; k < (whole ? 9u : 6u); ++k)
              channels(whole ? static_cast<Index>(k) : tensor_places(order)[k], 0) = whole ? matrix[k] : lower[k];
            image.write(channels, {1});
            image.close();
          }
          const auto table = open_nifti(open_bytes(path("t.nii")));
          ASSERT_TRUE(table->holds_tensors());
          EXPECT_EQ(table->tensor_form(), form) << form.text();
          const Matrix row = read_rest(*table).values;
          for (Index k = 0; k < row.rows(); ++k)
            EXPECT_EQ(row(k, 0), (whole ? matrix : lower)[static_cast<std::size_t>(k)]) << form.text();
          // Maps that were made from such an image say so.
          {
            NiftiMaps maps(path("m.nii"), grid, {{"x1"}, "", {}, form});
            maps.write(Matrix{{1}}, {1});
            maps.close();
          }
          const auto maps = open_nifti(open_bytes(path("m.nii")));
          EXPECT_FALSE(maps->holds_tensors());
          EXPECT_EQ(maps->names(), std::vector<std::string>{"x1"});
          EXPECT_EQ(maps->tensor_form(), form);
        }
  EXPECT_FALSE(TensorForm::from_text("fsl 6"));
  EXPECT_FALSE(TensorForm::from_text(""));
}

// What the sform says, the qform says as well: turned by (a, b, c, d), the third axis turned round, edges, offset.
TEST(Nifti, TheQformIsAPlaceToo) {
  NiftiGrid q, s;
  q.size = s.size = {10, 20, 30};
  q.pixdim = {-1, 1, 2, 3};
  s.pixdim = q.pixdim;
  q.qform_code = 1;
  const double half = std::sqrt(0.5);
  q.quaternion = {0, 0, half, 4, 5, 6};  // a quarter turn about z
  s.sform_code = 2;
  s.affine = {0, -2, 0, 4, 1, 0, 0, 5, 0, 0, -3, 6};
  EXPECT_TRUE(lies_at_same_place(q, s));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR((*q.place())[i], s.affine[i], 1e-14) << i;
  s.affine[11] += 0.2;  // a fifth of the shortest edge
  EXPECT_FALSE(lies_at_same_place(q, s));
  s.affine[11] -= 0.2;
  s.affine[10] += 0.01;  // little at the first voxel, 0.29 at the last
  EXPECT_FALSE(lies_at_same_place(q, s));
  q.qform_code = 0;
  EXPECT_FALSE(q.place());
  EXPECT_TRUE(lies_at_same_place(q, s));
  q.qform_code = 1;
  q.quaternion = {1, 0, 0, 0, 0, 0};  // half a turn about x
  EXPECT_NEAR((*q.place())[5], -2, 1e-14);
  EXPECT_NEAR((*q.place())[10], 3, 1e-14);
}

TEST_F(NiftiFiles, MapsAreWrittenAtOnceOrNotAtAll) {
  NiftiGrid grid;
  {
    NiftiMaps maps(path("m.nii"), grid, {{"x1"}, ""});
    maps.write(Matrix{{1}}, {0});
    EXPECT_THROW(maps.write(Matrix{{1}}, {1}), Error);
    EXPECT_THROW(maps.write(Matrix{{1}, {2}}, {0}), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("x")).parent_path()));
  EXPECT_THROW(NiftiMaps(path("m.nii"), grid, {{"a", "b"}, "", TensorForm{}}), Error);
}

TEST(Nifti, RefusesWhatItCannotRead) {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_NE(image_error(bytes).find(why), std::string::npos) << image_error(bytes);
    EXPECT_EQ(image_error(bytes).rfind("t.nii: ", 0), 0u) << image_error(bytes);
  };
  const auto changed = [](std::size_t offset, auto value) {
    std::string bytes = tensor_image(symmatrix_order);
    put(bytes, offset, value);
    return bytes;
  };
  refused("", "is empty");
  refused("x", "truncated");
  refused(std::string(348, 'x'), "not a NIfTI image: it starts with 'xxxxxxxx'");
  refused(changed(344, 'N'), "ANALYZE");
  refused(changed(345, 'i'), "the header of a pair of files; it is found by its ending .hdr");
  refused(changed(68, std::int16_t{3006}), "a CIFTI file (intent 3006)");
  refused(changed(40, std::int16_t{8}), "8 axes");
  refused(changed(42, std::int16_t{-3}), "axis 1 has the length -3");
  refused(changed(42, std::int16_t{32767}), "truncated: its header promises");
  refused(changed(42, std::int16_t{0}), "axis 1 has the length 0");
  refused(changed(40, std::int16_t{0}), "0 axes");
  refused(changed(70, std::int16_t{3}), "no data type 3");
  refused(changed(70, std::int16_t{32}), "complex");
  refused(changed(70, std::int16_t{64}), "32 bits for a number of type float64");
  refused(changed(108, 4.0f), "data at byte 4");
  refused(changed(108, NAN), "data at byte nan");
  refused(changed(352, NAN), "voxel (0, 0, 0), xx: not finite: nan");
  refused(nifti1<float>({2}, 16, {0, NAN}), "no voxel holds anything");
  refused(changed(108, 0.0f) + "x", "does not say where data start, and it has more than");
  refused(gzip("just text"), "truncated: 9 bytes, no NIfTI header");

  // 10^18 voxels, in NIfTI-2 header only.
  std::string large(544, '\0');
  put(large, 0, std::int32_t{540});
  std::memcpy(large.data() + 4, "n+2\0\r\n\032\n", 8);
  put(large, 12, std::int16_t{16});
  put(large, 14, std::int16_t{32});
  put(large, 16, std::int64_t{1});
  put(large, 24, std::int64_t{1000000000000000000});
  put(large, 168, std::int64_t{544});
  refused(large, "truncated: its header promises 4000000000000000544 bytes");
  refused(gzip(large), "packed bytes cannot hold");
  put(large, 16, std::int64_t{3});
  put(large, 32, std::int64_t{1000000000000000000});
  put(large, 40, std::int64_t{1000000000000000000});
  refused(large, "too large to be read");
  EXPECT_THROW(open_nifti(open_bytes("/tmp")), Error);
}

// As nibabel and nifti_clib read them.
TEST(Nifti, ForgivesWhatLeavesNothingOpen) {
  const std::string image = tensor_image(symmatrix_order);
  const Matrix expected = image_values(image);
  const auto notes = [](const std::string& bytes) {
    const auto all = open_nifti(memory_bytes(bytes, "t.nii"))->notes();
    return std::accumulate(all.begin(), all.end(), std::string());
  };
  const auto changed = [&](std::size_t offset, auto value) {
    std::string bytes = image;
    put(bytes, offset, value);
    return bytes;
  };
  for (const std::string& longer : {image + "x", gzip(image + std::string(5000, '\0')), gzip(image + "x")}) {
    EXPECT_EQ(image_values(longer), expected);
    EXPECT_NE(notes(longer).find("more bytes than the 448"), std::string::npos) << notes(longer);
  }
  EXPECT_EQ(image_values(changed(108, 0.0f)), expected);
  EXPECT_NE(notes(changed(108, 0.0f)).find("taken is byte 352"), std::string::npos);
  EXPECT_EQ(image_values(gzip(changed(108, 0.0f))), expected);
  EXPECT_EQ(image_values(changed(72, std::int16_t{0})), expected);
  std::string five = changed(40, std::int16_t{5});
  put(five, 50, std::int16_t{6});
  put(five, 48, std::int16_t{0});
  EXPECT_EQ(image_values(five), expected);
  EXPECT_NE(notes(five).find("axis 4 has the length 0"), std::string::npos) << notes(five);
  EXPECT_EQ(notes(image).find("bytes"), std::string::npos);
}

TEST_F(NiftiFiles, PairsOfHeaderAndData) {
  const std::string image = tensor_image(symmatrix_order);
  std::string header = image.substr(0, 348);
  std::memcpy(header.data() + 344, "ni1", 4);
  put(header, 108, 0.0f);
  write("a.hdr", header);
  EXPECT_NE(error_of_file("a.hdr").find("but there is no"), std::string::npos) << error_of_file("a.hdr");
  write("a.img", image.substr(352));
  for (const char* name : {"a.hdr", "a.img"}) {
    EXPECT_TRUE(is_nifti_file(path(name)));
    EXPECT_EQ(read_rest(*open_nifti(open_bytes(nifti_header_path(path(name))))).values,
              image_values(image).transpose());
  }
  write("a.img", image.substr(352, 50));
  EXPECT_NE(error_of_file("a.hdr").find("a.img: truncated"), std::string::npos) << error_of_file("a.hdr");
}

TEST(Nifti, SurvivesTruncationAndDamageAnywhere) {
  const std::string plain = tensor_image(mrtrix_order), gz = gzip(plain);
  for (const auto& whole : {plain, gz})
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(image_error(whole.substr(0, size)), "no error") << size;
  std::mt19937 random(1);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = i % 2 == 0 ? plain : gz;
    const int flips = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < flips; ++k) {
      char& byte = damaged[random() % damaged.size()];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
    }
    const std::string message = image_error(damaged);
    // gzip has a sum: damage is seen, or harmless (a bit that only pads).
    if (i % 2 == 1 && message == "no error") {
      EXPECT_EQ(image_values(damaged), tensor_rows) << i;
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Nifti, SaysUnits) {
  EXPECT_EQ(nifti_units_text(0), "no unit");
  EXPECT_EQ(nifti_units_text(2), "mm");
  EXPECT_EQ(nifti_units_text(10), "mm, s");
}

}  // namespace
}  // namespace wgp
