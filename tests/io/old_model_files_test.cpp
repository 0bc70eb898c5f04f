// Models that wgp 0.1 wrote say what they said then. tests/golden/models: NAME.wgp, what `wgp decode` made of the
// latents in at1.csv or at2.csv, and what `wgp encode` made of the points that it was fitted to.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "io/bytes/archive.h"
#include "wgp/io.h"
#include "wgp/model_file.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

std::string golden_path(const std::string& file) {
  return (std::filesystem::path(WGP_GOLDEN_FILE).parent_path() / "models" / file).string();
}

struct Table {
  Matrix numbers;  // one row of the file per column
  std::vector<std::string> status;
};
Table read_table(const std::string& file, const std::string& columns = "", bool has_status = false) {
  TableOptions options;
  options.columns = columns;
  options.non_finite = TableOptions::NonFinite::keep;
  if (has_status) options.text_columns = {"status"};
  const auto reader = open_table(golden_path(file), options);
  TableBlock block;
  EXPECT_TRUE(reader->read(1000, block)) << file;
  return {block.values, has_status ? block.text[0] : std::vector<std::string>()};
}

struct OldModel {
  std::string name, points, columns;
};
const std::vector<OldModel> old_models = {{"loop", "loop", "x,y,z"},  {"spd", "spd", ""},    {"projected", "spd", ""},
                                          {"kendall", "kendall", ""}, {"moving", "hyp", ""}, {"regression", "spd", ""}};

class OldModelFiles : public ::testing::TestWithParam<OldModel> {
 protected:
  void SetUp() override {
    loaded_.emplace(load_model(golden_path(GetParam().name + ".wgp")));
    for (const auto& form : row_forms(model().manifold()))
      if (form->name() == loaded_->notes.row_form) form_ = form;
    ASSERT_NE(form_, nullptr) << loaded_->notes.row_form;
    latents_ = read_table(model().latent_dim() == 1 ? "at1.csv" : "at2.csv").numbers;
    const Matrix rows = read_table(GetParam().points + ".csv", GetParam().columns).numbers;
    points_.resize(model().manifold().ambient_dim(), rows.cols());
    for (Index i = 0; i < rows.cols(); ++i) points_.col(i) = model().manifold().project(form_->to_point(rows.col(i)));
  }
  const Model& model() const { return loaded_->model; }
  // A process that is made anew differs by rounding, which the condition of its covariance multiplies.
  double tolerance() const {
    const Model::Parts& parts = model().parts();
    Matrix K = parts.kernel->cov(parts.theta, parts.X, parts.X);
    K.diagonal().array() += parts.noise;
    const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(K).eigenvalues();
    return 1e-12 + std::numeric_limits<double>::epsilon() * values.maxCoeff() / values.minCoeff();
  }

  std::optional<LoadedModel> loaded_;
  std::shared_ptr<const RowForm> form_;
  Matrix latents_, points_;
};

TEST_P(OldModelFiles, PredictTheSame) {
  const Matrix expected = read_table(GetParam().name + ".decoded.csv").numbers;
  const Prediction prediction = model().predict(latents_);
  ASSERT_EQ(prediction.points.cols(), expected.cols());
  const Index width = form_->width();
  const double most = tolerance();
  for (Index i = 0; i < expected.cols(); ++i) {
    const Vector row = form_->from_point(prediction.points.col(i)), old = expected.col(i).head(width);
    EXPECT_LE((row - old).norm(), most * old.norm() + 1e-300) << i << ": " << row.transpose();
    const double sd = std::sqrt(prediction.variance[i] + prediction.noise), old_sd = expected(width, i);
    EXPECT_NEAR(sd, old_sd, most * old_sd) << i;
  }
  for (Index k = 0; width + 1 + k < expected.rows(); ++k) {
    const double level = std::array{0.5, 0.8, 0.9, 0.95}[static_cast<std::size_t>(k)];
    const std::optional<double> radius = model().conformal_radius(level);
    ASSERT_TRUE(radius.has_value());
    EXPECT_EQ(*radius, expected(width + 1 + k, 0)) << level;
  }
}

// To a small part of the standard deviation of a latent: the optimiser ends where it likes within that. Log densities
// were those of the tangent space; now they are per unit of volume.
TEST_P(OldModelFiles, EncodeTheSame) {
  const Table expected = read_table(GetParam().name + ".encoded.csv", "", true);
  const Encoder encoder = loaded_->notes.encoder == "projection" ? Encoder::projection : Encoder::density;
  const Encoding encoding = model().encode(points_, {encoder, 1});
  const Index q = model().latent_dim(), n = points_.cols();
  ASSERT_EQ(expected.numbers.cols(), n);
  ASSERT_EQ(expected.numbers.rows(), 2 * q + 1);
  const bool in_tangent_space = !model().lift().is_embedded() && !model().lift().moves();
  const Vector volume = in_tangent_space
                            ? model().lift().lift(encoding.X, points_, LiftWanted::vectors_and_volume).log_volume
                            : Vector::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const Vector old = expected.numbers.col(i);
    for (Index j = 0; j < q; ++j) {
      double step = encoding.X(j, i) - old[j];
      if (j < model().parts().latent.angles()) step = std::remainder(step, 2 * std::numbers::pi);
      EXPECT_NEAR(step, 0, 1e-3 * old[q + j]) << i;
      EXPECT_NEAR(encoding.sd(j, i), old[q + j], 1e-3 * old[q + j]) << i;
    }
    EXPECT_NEAR(encoding.log_density[i] + volume[i], old[2 * q], 1e-5 * (1 + std::abs(old[2 * q]))) << i;
    EXPECT_EQ(to_string(encoding.status[static_cast<std::size_t>(i)]), expected.status[static_cast<std::size_t>(i)]);
  }
}

TEST_P(OldModelFiles, AreTheSameInTheFormatOfToday) {
  const LoadedModel again = parse_model(model_bytes(model(), loaded_->summary, loaded_->notes), "again.wgp");
  const Prediction a = model().predict(latents_), b = again.model.predict(latents_);
  for (Index i = 0; i < latents_.cols(); ++i) {
    EXPECT_LE((a.points.col(i) - b.points.col(i)).norm(), 1e-12 * a.points.col(i).norm()) << i;
    EXPECT_NEAR(a.variance[i], b.variance[i], 1e-12 * a.variance[i]) << i;
  }
  EXPECT_EQ(a.noise, b.noise);
  EXPECT_EQ(again.summary.log_posterior, loaded_->summary.log_posterior);
  EXPECT_EQ(again.notes.program, "wgp 0.1.0");
  EXPECT_EQ(again.notes.labels, loaded_->notes.labels);
}

INSTANTIATE_TEST_SUITE_P(All, OldModelFiles, ::testing::ValuesIn(old_models),
                         [](const auto& model) { return model.param.name; });

std::string words_about(const std::string& file, const std::function<void(nlohmann::ordered_json&)>& change) {
  std::vector<ArchiveEntry> entries = read_archive(golden_path(file));
  for (ArchiveEntry& entry : entries)
    if (entry.name == "model.json") {
      nlohmann::ordered_json object = nlohmann::ordered_json::parse(entry.bytes);
      change(object);
      entry.bytes = object.dump();
    }
  try {
    parse_model(archive_bytes(entries), "m.wgp");
  } catch (const Error& error) {
    return error.what();
  }
  return "was read";
}

TEST(OldModelFile, OfANewerFormatIsRefusedInWords) {
  EXPECT_EQ(words_about("spd.wgp", [](auto&) {}), "was read");
  EXPECT_EQ(words_about("spd.wgp", [](auto& object) { object["format_version"] = model_format_version + 1; }),
            "m.wgp: this model has format 3; this wgp reads up to 2");
  EXPECT_NE(words_about("spd.wgp", [](auto& object) { object["format_version"] = 0; }).find("'format_version'"),
            std::string::npos);
  // What is not of its own format is damage.
  EXPECT_NE(words_about("spd.wgp", [](auto& object) { object["format_version"] = 2; }).find("missing"),
            std::string::npos);
}

TEST(OldModelFile, DamageIsFound) {
  const auto found = [](const char* field, const nlohmann::ordered_json& value) {
    return words_about("spd.wgp", [&](auto& object) {
      if (value.is_null())
        object.erase(field);
      else
        object[field] = value;
    });
  };
  EXPECT_NE(found("noise_scale", nullptr).find("'noise_scale' is missing"), std::string::npos);
  EXPECT_NE(found("variance_scale", "wide").find("'variance_scale'"), std::string::npos);
  EXPECT_NE(found("variance_scale", 0).find("variance_scale"), std::string::npos) << found("variance_scale", 0);
  EXPECT_NE(found("noise_scale", -1).find("noise_scale"), std::string::npos) << found("noise_scale", -1);
}

}  // namespace
}  // namespace wgp
