// Models that are saved and loaded: every bit, every kind.
#include "wgp/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/format.h"
#include "io/bytes/archive.h"

namespace wgp {
namespace {

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-model-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string bytes(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(path(name), std::ios::binary).rdbuf();
    return content.str();
  }

  static Matrix points_of(const Manifold& manifold, Index count) {
    Random random(3);
    const auto space = manifold.at(manifold.random_point(random));
    const Matrix V = 0.3 * random.normals(manifold.dim(), count);
    Matrix P(manifold.ambient_dim(), count);
    space->exp(V, P);
    for (Index i = 0; i < count; ++i) P.col(i) = manifold.project(P.col(i));
    return P;
  }
  static FitOptions quick() {
    FitOptions options;
    options.inference = Inference::point;
    options.effort = Effort::quick;
    options.max_iterations = 30;
    return options;
  }

  void expect_same(const FitResult& fitted) const {
    save_model(path("m.wgp"), fitted.model, fitted.summary, {"tests", "matrix"});
    const LoadedModel loaded = load_model(path("m.wgp"));
    const Model::Parts &a = fitted.model.parts(), &b = loaded.model.parts();
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.manifold->spec(), b.manifold->spec());
    EXPECT_EQ(a.kernel->spec(), b.kernel->spec());
    EXPECT_EQ(a.lengths, b.lengths);
    EXPECT_EQ(a.latent.angles(), b.latent.angles());
    EXPECT_EQ(a.latent.plain_count(), b.latent.plain_count());
    EXPECT_EQ(a.prior, b.prior);
    EXPECT_EQ(a.clip, b.clip);
    EXPECT_EQ(a.noise, b.noise);
    EXPECT_EQ(a.basepoint, b.basepoint);
    ASSERT_EQ(a.basis == nullptr, b.basis == nullptr);
    if (a.basis) {
      EXPECT_EQ(a.basis->spec(), b.basis->spec());
      EXPECT_EQ(a.coefficients, b.coefficients);
    }
    EXPECT_EQ(a.law->kind(), b.law->kind());
    EXPECT_EQ(a.law->parameters(), b.law->parameters());
    EXPECT_EQ(a.law->arrays(), b.law->arrays());
    EXPECT_EQ(a.scales_of_draws.variances, b.scales_of_draws.variances);
    EXPECT_EQ(a.scales_of_draws.function, b.scales_of_draws.function);
    EXPECT_EQ(fitted.model.posterior()->arrays(), loaded.model.posterior()->arrays());
    EXPECT_TRUE(a.P == b.P && a.X == b.X && a.base == b.base && a.theta == b.theta);
    EXPECT_TRUE(a.calibration.size() == b.calibration.size() && a.calibration == b.calibration);
    EXPECT_EQ(a.inference, b.inference);
    EXPECT_TRUE(a.X_sd.size() == b.X_sd.size() && a.X_sd == b.X_sd);

    Random random(9);
    const Matrix X = random.normals(a.latent.dim(), 7);
    const Prediction p = fitted.model.predict(X), q = loaded.model.predict(X);
    EXPECT_TRUE(p.points == q.points && p.variance == q.variance && p.noise == q.noise);
    EXPECT_EQ(fitted.model.log_density(X, p.points), loaded.model.log_density(X, p.points));
    EXPECT_EQ(fitted.model.confidence_radius(X, 0.9), loaded.model.confidence_radius(X, 0.9));
    Encoding e = fitted.model.encode(a.P.leftCols(3)), f = loaded.model.encode(a.P.leftCols(3));
    EXPECT_TRUE(e.X == f.X && e.sd == f.sd && e.log_density == f.log_density);

    EXPECT_EQ(loaded.summary.log_posterior, fitted.summary.log_posterior);
    EXPECT_EQ(loaded.summary.stop, fitted.summary.stop);
    EXPECT_EQ(loaded.summary.mean_unique, fitted.summary.mean_unique);
    EXPECT_EQ(loaded.summary.variance_scale, fitted.summary.variance_scale);
    EXPECT_EQ(loaded.summary.held_out_log_density, fitted.summary.held_out_log_density);
    EXPECT_EQ(loaded.summary.basepoints.size(), fitted.summary.basepoints.size());
    EXPECT_EQ(loaded.summary.inference, fitted.summary.inference);
    EXPECT_EQ(loaded.summary.bound, fitted.summary.bound);
    EXPECT_EQ(loaded.summary.outliers, fitted.summary.outliers);
    EXPECT_EQ(loaded.summary.left_out_shares, fitted.summary.left_out_shares);
    ASSERT_EQ(loaded.summary.candidates.size(), fitted.summary.candidates.size());
    for (std::size_t i = 0; i < fitted.summary.candidates.size(); ++i) {
      const CandidateReport &s = fitted.summary.candidates[i], &t = loaded.summary.candidates[i];
      EXPECT_EQ(s.kind, t.kind);
      EXPECT_EQ(s.bound, t.bound);
      EXPECT_EQ(s.noise_sd, t.noise_sd);
      EXPECT_EQ(s.chosen, t.chosen);
    }
    ASSERT_EQ(loaded.summary.starts.size(), fitted.summary.starts.size());
    for (std::size_t i = 0; i < fitted.summary.starts.size(); ++i) {
      const StartReport &s = fitted.summary.starts[i], &t = loaded.summary.starts[i];
      EXPECT_EQ(s.kind, t.kind);
      EXPECT_EQ(s.log_posterior, t.log_posterior);
      EXPECT_EQ(s.leave_one_out, t.leave_one_out);
      EXPECT_EQ(s.degenerate, t.degenerate);
      EXPECT_EQ(s.chosen, t.chosen);
    }
    EXPECT_EQ(loaded.notes.program, "tests");
    EXPECT_EQ(loaded.notes.row_form, "matrix");
    // Saved once more, the file is the same.
    save_model(path("again.wgp"), loaded.model, loaded.summary, loaded.notes);
    EXPECT_TRUE(bytes("m.wgp") == bytes("again.wgp"));
    EXPECT_TRUE(bytes("m.wgp") == model_bytes(fitted.model, fitted.summary, {"tests", "matrix"}));
  }

 private:
  std::string directory_;
};

TEST_F(ModelFile, RoundTripBitForBit) {
  for (const char* spec : {"sphere:2", "spd:2/affine-invariant", "kendall:4", "so:3", "2.5*sphere:2,euclidean:1"}) {
    SCOPED_TRACE(spec);
    const ManifoldPtr manifold = parse_manifold(spec);
    expect_same(fit(manifold, points_of(*manifold, 12), quick()));
  }
}

TEST_F(ModelFile, LatentsIntegratedOut) {
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  const Matrix P = points_of(*manifold, 30);
  for (const auto& [kernel, latent] :
       {std::pair("periodic", LatentSpace(1, 0)), std::pair("rbf", LatentSpace::plain(1)),
        std::pair("matern52", LatentSpace::plain(2)), std::pair("rbf", LatentSpace::plain(3)),
        std::pair("rbf", LatentSpace::plain(4))}) {
    SCOPED_TRACE(fmt::format("{} {}", kernel, latent.dim()));
    FitOptions options = quick();
    options.inference = Inference::variational;
    options.kernel = kernel;
    options.latent = latent;
    if (latent.dim() == 2) options.effort = Effort::normal;  // its process has draws
    FitResult fitted = fit(manifold, P, options);
    EXPECT_EQ(fitted.model.posterior()->arrays().contains("draw_weights"), latent.dim() == 2);
    if (latent.dim() == 2)
      fitted.model = fitted.model.with([](Model::Parts& parts) { parts.scales_of_draws = {0.7, 1.5}; });
    EXPECT_EQ(fitted.model.parts().inference, Inference::variational);
    EXPECT_EQ(fitted.model.posterior()->kind(), latent.dim() > 3 ? "inducing" : "lattice");
    expect_same(fitted);
  }
}

TEST_F(ModelFile, EveryKind) {
  for (const char* spec : {"sphere:2", "spd:2", "kendall:4"})
    for (const ModelKind kind : {ModelKind::gplvm, ModelKind::gplvmproj}) {
      SCOPED_TRACE(spec);
      const ManifoldPtr manifold = parse_manifold(spec);
      FitOptions options = quick();
      options.model = kind;
      options.clip = 1.0 / 3e7;
      expect_same(fit(manifold, points_of(*manifold, 12), options));
    }
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  FitOptions options = quick();
  options.latent = LatentSpace(1, 1);
  options.kernel = "rbf*linear+constant";
  options.lengths = LengthScales::per_dimension;
  options.prior = Prior::none;
  options.calibration_share = 0.25;
  expect_same(fit(sphere, points_of(*sphere, 16), options));
  options = quick();
  options.latent = LatentSpace::plain(1);
  expect_same(regress(sphere, Vector::LinSpaced(12, 0, 1).transpose(), points_of(*sphere, 12), options));
}

TEST_F(ModelFile, BasePointsThatAreFitted) {
  const ManifoldPtr plane = parse_manifold("hyperbolic:2");
  for (const BasepointKind kind : {BasepointKind::optimised, BasepointKind::geodesic, BasepointKind::spline}) {
    SCOPED_TRACE(to_string(kind));
    FitOptions options = quick();
    options.latent = LatentSpace::plain(1);
    options.basepoint = kind;
    expect_same(fit(plane, points_of(*plane, 12), options));
  }
}

TEST_F(ModelFile, NumbersThatJsonFindsHard) {
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  FitResult fitted = fit(manifold, points_of(*manifold, 12), quick());
  fitted.summary.starts[0].leave_one_out = -infinity;
  fitted.summary.seconds = 12;
  expect_same(fitted);
  const Model other =
      fitted.model.with([](Model::Parts& parts) { parts.law = normal_noise(2, 2.0 / 3 * parts.noise, 1.0 / 3); });
  expect_same({other, fitted.summary});
}

TEST_F(ModelFile, EveryNoiseLaw) {
  for (const char* spec : {"sphere:2", "euclidean:1"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    FitOptions options = quick();
    options.latent = LatentSpace::plain(1);
    const FitResult fitted = fit(manifold, points_of(*manifold, 12), options);
    for (const NoiseLawEntry& entry : noise_laws()) {
      SCOPED_TRACE(entry.kind);
      const Index d = manifold->dim();
      expect_same({fitted.model.with([&](Model::Parts& parts) { parts.law = entry.example(d); }), fitted.summary});
    }
  }
  const NoiseLawPtr endless = student_noise(2, 0.1, std::numeric_limits<double>::infinity(), 0.2);
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const FitResult fitted = fit(sphere, points_of(*sphere, 12), quick());
  expect_same({fitted.model.with([&](Model::Parts& parts) { parts.law = endless; }), fitted.summary});

  // A law without its arrays, or with another's.
  const auto structured = std::find_if(noise_laws().begin(), noise_laws().end(),
                                       [](const NoiseLawEntry& entry) { return entry.kind == "structured"; });
  const auto saved = [&](Index d) {
    save_model(path("law.wgp"), fitted.model.with([&](Model::Parts& parts) { parts.law = structured->example(d); }),
               fitted.summary);
    return read_archive(open_bytes(path("law.wgp")));
  };
  const auto entries = saved(2);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (entries[k].name.starts_with("noise_law_")) {
      auto fewer = entries;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      write_archive(path("law.wgp"), fewer);
      EXPECT_THROW(load_model(path("law.wgp")), Error) << entries[k].name;
      auto other = entries;
      other[k].bytes.back() = static_cast<char>(other[k].bytes.back() ^ 1);
      write_archive(path("law.wgp"), other);
      EXPECT_THROW(load_model(path("law.wgp")), Error) << entries[k].name;
    }
  saved(3);
  EXPECT_THROW(load_model(path("law.wgp")), Error);
}

TEST_F(ModelFile, NeedsAManifoldThatCanBeReadBack) {
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  const FitResult fitted = fit(manifold, points_of(*manifold, 12), quick());
  class Unnamed final : public Manifold {
   public:
    explicit Unnamed(ManifoldPtr inner) : inner_(std::move(inner)) {}
    std::string spec() const override { return "my own"; }
    Index dim() const override { return inner_->dim(); }
    Index ambient_dim() const override { return inner_->ambient_dim(); }
    std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override { return inner_->at(p); }
    std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
      return inner_->defect(x, tolerance);
    }
    Vector project(ConstVectorRef x) const override { return inner_->project(x); }
    double injectivity_radius() const override { return inner_->injectivity_radius(); }
    double mean_ball_radius() const override { return inner_->mean_ball_radius(); }
    Vector random_point(Random& random) const override { return inner_->random_point(random); }

   private:
    ManifoldPtr inner_;
  };
  Model::Parts parts = fitted.model.parts();
  parts.manifold = std::make_shared<Unnamed>(manifold);
  try {
    save_model(path("m.wgp"), Model(parts), fitted.summary);
    FAIL() << "saved";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'my own' cannot be saved"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(path("m.wgp")));
}

// It calls itself by the name of another.
TEST_F(ModelFile, NeedsAKernelThatCanBeReadBack) {
  class Posing final : public Kernel {
   public:
    explicit Posing(KernelPtr inner) : inner_(std::move(inner)) {}
    std::string spec() const override { return "rbf"; }
    std::vector<std::string> parameter_names() const override { return inner_->parameter_names(); }
    Vector default_parameters() const override { return inner_->default_parameters(); }
    std::vector<Index> length_parameters() const override { return inner_->length_parameters(); }
    std::vector<Index> angle_length_parameters() const override { return inner_->angle_length_parameters(); }
    Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
      return inner_->cov(theta, a, b);
    }
    Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override { return inner_->diag(theta, a); }
    void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef K, ConstMatrixRef G,
                   VectorRef d_theta, MatrixRef d_a) const override {
      inner_->pull_back(theta, a, b, K, G, d_theta, d_a);
    }
    void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const override {
      inner_->pull_back_diag(theta, a, g, d_a);
    }

   private:
    KernelPtr inner_;
  };
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  FitOptions options = quick();
  // A kernel of one's own is fitted as any other.
  options.kernel = KernelPtr(std::make_shared<const Posing>(parse_kernel("matern52", options.latent)));
  const FitResult own = fit(manifold, points_of(*manifold, 12), options);
  options.kernel = "matern52";
  const FitResult usual = fit(manifold, points_of(*manifold, 12), options);
  EXPECT_NEAR(own.summary.log_likelihood, usual.summary.log_likelihood, 1e-3 * std::abs(usual.summary.log_likelihood));
  EXPECT_THROW(save_model(path("m.wgp"), own.model, own.summary), Error);
  EXPECT_NO_THROW(save_model(path("m.wgp"), usual.model, usual.summary));
}

TEST_F(ModelFile, KeepsWhereThePointsComeFrom) {
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  const FitResult fitted = fit(manifold, points_of(*manifold, 5), quick());
  ModelNotes notes{"tests", "coordinates"};
  notes.id_column = "specimen";
  notes.ids = {"a", "b", "\xc3\xbc", "d", "e"};
  notes.rows = {0, 3, 4, 10, 1000000};
  notes.columns = "x,y,z";
  save_model(path("m.wgp"), fitted.model, fitted.summary, notes);
  const ModelNotes loaded = load_model(path("m.wgp")).notes;
  EXPECT_EQ(loaded.id_column, notes.id_column);
  EXPECT_EQ(loaded.ids, notes.ids);
  EXPECT_EQ(loaded.rows, notes.rows);
  EXPECT_EQ(loaded.columns, notes.columns);
  // As many as there are points, and rows are whole numbers.
  for (const std::size_t count : {4u, 6u}) {
    ModelNotes bad = notes;
    bad.ids.resize(count, "z");
    EXPECT_THROW(parse_model(model_bytes(fitted.model, fitted.summary, bad), "m"), Error);
    bad = notes;
    bad.rows.resize(count, 7);
    EXPECT_THROW(parse_model(model_bytes(fitted.model, fitted.summary, bad), "m"), Error);
  }
  ModelNotes negative = notes;
  negative.rows[2] = -1;
  EXPECT_THROW(parse_model(model_bytes(fitted.model, fitted.summary, negative), "m"), Error);
}

TEST_F(ModelFile, DeepNestingIsRefused) {
  for (const std::size_t depth : {std::size_t{1000}, std::size_t{400'000}, std::size_t{3'000'000}}) {
    const std::string json = "{\"format\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
    write_archive(path("deep.wgp"), {{"model.json", json}});
    EXPECT_THROW(load_model(path("deep.wgp")), Error) << depth;
  }
}

// numpy.load gives the arrays by name; model.json stays what it is.
TEST_F(ModelFile, NumpyOpensIt) {
  const std::string python = WGP_PYTHON;
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "python3 has no numpy here";
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  const FitResult fitted = fit(manifold, points_of(*manifold, 12), quick());
  save_model(path("m.wgp"), fitted.model, fitted.summary);
  const std::string script =
      "import numpy, json; f = numpy.load('" + path("m.wgp") +
      "'); m = json.loads(bytes(f['model.json'])); "
      "assert f['points'].shape == (12, 3) and f['X'].shape == (12, 2) and f['noise'].shape == (1,); "
      "assert f['weights'].shape == (12, 2) and f['inverse_diagonal'].shape == (12,); "
      "assert m['format_version'] == 2 and f['noise'][0] == m['noise_variance']";
  EXPECT_EQ(std::system((python + " -c \"" + script + "\"").c_str()), 0);
}

}  // namespace
}  // namespace wgp
