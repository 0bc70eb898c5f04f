// Figures and pages of real, small models: what they hold, and that they are well-formed on every manifold.
#include <cmath>
#include <numbers>

#include "report/pages/model_report.h"
#include "report/pictures/point_picture.h"
#include "well_formed.h"
#include "wgp/random.h"

namespace wgp::report {
namespace {

using test::count, test::well_formed;

Matrix points_about(const Manifold& manifold, Index count, double spread) {
  Random random(5);
  const Vector centre = manifold.random_point(random);
  const auto space = manifold.at(centre);
  const Matrix coords = spread * random.normals(space->dim(), count);
  Matrix points(manifold.ambient_dim(), count);
  space->exp(coords, points);
  for (Index i = 0; i < count; ++i) points.col(i) = manifold.project(points.col(i));
  return points;
}

LoadedModel small_model(const std::string& spec, Index q, const std::string& kernel = "rbf", Index n = 14) {
  const ManifoldPtr manifold = parse_manifold(spec);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.max_iterations = 25;
  options.kernel = kernel;
  options.latent = kernel == "periodic" ? LatentSpace(q, 0) : LatentSpace::plain(q);
  FitResult fit = wgp::fit(manifold, points_about(*manifold, n, 0.15), options);
  return {std::move(fit.model), std::move(fit.summary), {}};
}

TEST(PointPicture, EveryRegisteredManifoldHasOne) {
  for (const ManifoldEntry& entry : registered_manifolds())
    for (const std::string& spec : entry.examples) {
      const ManifoldPtr manifold = parse_manifold(spec);
      const Matrix points = points_about(*manifold, 4, 0.1);
      const PointPicturePtr picture = picture_of(*manifold, points);
      EXPECT_FALSE(picture->words().empty()) << spec;
      Svg svg("p", 100, 100, spec);
      const std::string empty = svg.element();
      for (Index i = 0; i < points.cols(); ++i) picture->draw(svg, {0, 0, 100, 100}, points.col(i));
      EXPECT_TRUE(well_formed(svg.file())) << spec;
      EXPECT_NE(svg.element(), empty) << spec;
      EXPECT_EQ(svg.file().find("nan"), std::string::npos) << spec;
      EXPECT_EQ(svg.file().find("inf"), std::string::npos) << spec;
    }
}

TEST(PointPicture, IsTheManifoldsOwn) {
  const auto words = [](const std::string& spec) {
    const ManifoldPtr manifold = parse_manifold(spec);
    return picture_of(*manifold, points_about(*manifold, 3, 0.1))->words();
  };
  EXPECT_NE(words("kendall:7").find("Outlines"), std::string::npos);
  EXPECT_NE(words("3*kendall:4").find("Outlines"), std::string::npos);
  EXPECT_NE(words("spd:2").find("Ellipses"), std::string::npos);
  EXPECT_NE(words("spd:3/affine-invariant").find("Ellipsoids"), std::string::npos);
  EXPECT_NE(words("spd:5").find("eigenvalues"), std::string::npos);
  EXPECT_NE(words("so:3").find("axes"), std::string::npos);
  EXPECT_NE(words("euclidean:3").find("3 numbers"), std::string::npos);
  EXPECT_NE(words("sphere:2,euclidean:2").find("side by side"), std::string::npos);
}

// The ellipse of diag(4, 1) is twice as wide as it is high; of diag(1, 4) it stands upright.
TEST(PointPicture, EllipsesHaveTheirAxes) {
  Matrix points(4, 2);
  points.col(0) << 4, 0, 0, 1;
  points.col(1) << 1, 0, 0, 4;
  const PointPicturePtr picture = ellipse_picture(2, points);
  Svg first("a", 100, 100, ""), second("b", 100, 100, "");
  picture->draw(first, {0, 0, 100, 100}, points.col(0));
  picture->draw(second, {0, 0, 100, 100}, points.col(1));
  EXPECT_NE(first.element().find("rx=\"46\" ry=\"23\""), std::string::npos) << first.element();
  EXPECT_NE(first.element().find("rotate(0)"), std::string::npos) << first.element();
  EXPECT_NE(second.element().find("rotate(-90)"), std::string::npos) << second.element();
}

TEST(Figures, LatentSpacesOfAllDimensions) {
  for (const Index q : {1, 2, 3}) {
    const LoadedModel loaded = small_model("euclidean:4", q);
    const LatentData data = latent_data(loaded.model, {});
    EXPECT_EQ(data.X.rows(), q);
    EXPECT_TRUE(data.sd.allFinite());
    EXPECT_GT(data.sd.minCoeff(), -1e-12);
    const Figure figure = latent_figure(data);
    EXPECT_TRUE(well_formed(figure.svg.file()));
    EXPECT_EQ(count(figure.svg.element(), "<circle"), 14u) << q;
    // The grid stands where it says: the prediction at one of its nodes is the sd there.
    Vector at = Vector::Zero(q);
    if (q <= 2) {
      at[0] = data.first[3];
      if (q == 2) at[1] = data.second[5];
      EXPECT_NEAR(std::sqrt(loaded.model.predict(at).variance[0]), data.sd(q == 2 ? 5 : 0, 3), 1e-12);
    }
  }
}

TEST(Figures, PeriodicModelOnTheSphere) {
  const LoadedModel loaded = small_model("sphere:2", 1, "periodic", 20);
  ASSERT_TRUE(has_sphere_figure(loaded.model.manifold()));
  const DecodedLines data = decoded_lines(loaded.model, {});
  ASSERT_EQ(data.lines.size(), 1u);
  EXPECT_NEAR((data.lines[0].leftCols(1) - data.lines[0].rightCols(1)).norm(), 0, 1e-9);  // closed
  EXPECT_TRUE(well_formed(sphere_figure(data).svg.file()));
  EXPECT_TRUE(well_formed(latent_figure(latent_data(loaded.model, {})).svg.file()));
}

// The curve among its points, with discs that hold new points: in pixels as large as they are in the plane's units.
TEST(Figures, ManifoldsThatAreFlatShowAllInOnePicture) {
  for (const char* spec : {"euclidean:2", "euclidean:3", "hyperbolic:2", "torus:2"})
    for (const Index q : {1, 2}) {
      const LoadedModel loaded = small_model(spec, q, q == 1 ? "periodic" : "rbf", 20);
      ASSERT_TRUE(has_plane_figure(loaded.model.manifold()));
      const DecodedLines data = decoded_lines(loaded.model, {});
      EXPECT_EQ(data.is_curve(), q == 1);
      const std::string picture = plane_figure(loaded.model.manifold(), data).svg.file();
      EXPECT_TRUE(well_formed(picture)) << spec;
      EXPECT_EQ(picture.find("nan"), std::string::npos) << spec;
      // The points, one more in the legend, and a disc at every step of a curve.
      EXPECT_EQ(count(picture, "<circle"), q == 1 ? 20 + 1 + static_cast<std::size_t>(data.radii.size()) : 21u) << spec;
    }
  for (const char* spec : {"euclidean:4", "sphere:2", "spd:2", "torus:3"})
    EXPECT_FALSE(has_plane_figure(*parse_manifold(spec))) << spec;
}

TEST(Figures, OfManyPointsTheCaptionSaysHowManyAreDrawn) {
  DecodedLines data;
  data.points = Matrix::Constant(2, 12000, 0.5);
  data.points.row(0) = Vector::LinSpaced(12000, -1, 1).transpose();
  data.lines = {data.points.leftCols(2)};
  data.radii = Vector::Constant(2, 0.1);
  data.drawn_every = drawn_every(12000);
  const char* words = "Of 12000 points one in 3 is drawn.";
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  EXPECT_NE(plane_figure(*plane, data).caption.find(words), std::string::npos);
  data.drawn_every = 0;  // none
  EXPECT_EQ(plane_figure(*plane, data).caption.find("is drawn"), std::string::npos);
  data.points = Matrix::Constant(3, 12000, std::sqrt(1 / 3.0));
  data.drawn_every = drawn_every(12000);
  data.lines = {data.points.leftCols(2)};
  EXPECT_NE(sphere_figure(data).caption.find(words), std::string::npos);
}

TEST(Figures, DiscsOfThePlaneHaveTheirRadius) {
  DecodedLines data;
  data.points = Matrix::Zero(2, 2);
  data.points(0, 1) = 3;
  data.lines = {data.points};
  data.radii = Vector::Constant(2, 0.5);
  const std::string picture = plane_figure(*parse_manifold("euclidean:2"), data).svg.element();
  // 4 units across and 6 % more, on 440 pixels.
  EXPECT_NE(picture.find("r=\"51.89\""), std::string::npos) << picture;
}

TEST(Figures, ResidualsAreSortedDistances) {
  const LoadedModel loaded = small_model("sphere:2", 1);
  const ResidualData data = residual_data(loaded.model);
  const Model::Parts& parts = loaded.model.parts();
  const Matrix back = loaded.model.mean_points(parts.X);
  for (Index i = 0; i < parts.P.cols(); ++i)
    EXPECT_NEAR(data.distances[i], distance(*parts.manifold, parts.P.col(i), back.col(i)), 1e-15);
  for (std::size_t k = 1; k < data.worst.size(); ++k)
    EXPECT_GE(data.distances[data.worst[k - 1]], data.distances[data.worst[k]]);
  EXPECT_NEAR(data.rms, std::sqrt(data.distances.array().square().mean()), 1e-15);
}

// A baseline in the ambient space predicts aligned shapes; how the training shapes were turned in their file is no
// error.
TEST(Figures, ResidualsOfBaselinesDoNotDependOnTurns) {
  const ManifoldPtr manifold = parse_manifold("kendall3d:5");
  FitOptions options;
  options.effort = Effort::quick;
  options.max_iterations = 10;
  options.model = ModelKind::gplvm;
  const Matrix points = points_about(*manifold, 12, 0.1);
  const Model model = wgp::fit(manifold, points, options).model;
  Matrix turned = points;  // a quarter turn about z, of every second shape
  for (Index i = 0; i < points.cols(); i += 2)
    for (Index k = 0; k < 5; ++k) {
      turned(3 * k, i) = -points(3 * k + 1, i);
      turned(3 * k + 1, i) = points(3 * k, i);
    }
  const Model same = model.with([&](Model::Parts& parts) { parts.P = turned; });
  EXPECT_LE((residual_data(model).distances - residual_data(same).distances).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Figures, PointsAreNamedByIdsVoxelsOrRows) {
  ModelNotes notes;
  EXPECT_EQ(PointNames(notes).name(4), "row 5");
  notes.rows = {2, 3, 7};
  EXPECT_EQ(PointNames(notes).name(2), "row 8");
  EXPECT_EQ(PointNames(notes).row(2), 7);
  notes.ids = {"a", "b", "c"};
  notes.id_column = "specimen";
  EXPECT_EQ(PointNames(notes).name(2), "specimen c");
  notes.id_column = "4";
  EXPECT_EQ(PointNames(notes).name(0), "id a");
  notes.ids = {"1,2,3", "0,0,0", "10,1,27"};
  notes.id_column = "i,j,k";
  EXPECT_EQ(PointNames(notes).name(2), "voxel (10, 1, 27)");
}

// Left out by hand: condition on the others with the same latents and parameters.
TEST(Figures, CalibrationLeavesEachPointOut) {
  const LoadedModel loaded = small_model("euclidean:3", 1);
  const Model& model = loaded.model;
  std::vector<double> by_hand;
  const Matrix V = model.lift().lift(model.parts().X, model.parts().P).V;
  const Index n = V.cols(), d = V.rows();
  for (Index left = 0; left < n; ++left) {
    std::vector<Index> others;
    for (Index i = 0; i < n; ++i)
      if (i != left) others.push_back(i);
    Model::Parts parts = model.parts();
    parts.P = model.parts().P(Eigen::all, others);
    parts.X = model.parts().X(Eigen::all, others);
    const Prediction prediction = Model(parts).predict(model.parts().X.col(left));
    const double variance = prediction.variance[0] + prediction.noise;
    by_hand.push_back((V.col(left) - prediction.coords.col(0)).squaredNorm() / variance);
  }
  std::sort(by_hand.begin(), by_hand.end());
  const CalibrationData data = calibration_data(model, {});
  ASSERT_EQ(d, 3);
  // The distribution function of chi^2 with three degrees of freedom.
  for (std::size_t i = 0; i < by_hand.size(); ++i) {
    const double x = by_hand[i];
    EXPECT_NEAR(data.fractions[i], std::erf(std::sqrt(x / 2)) - std::sqrt(2 * x / std::numbers::pi) * std::exp(-x / 2),
                1e-7);
  }
  EXPECT_TRUE(well_formed(calibration_figure(data).svg.file()));
}

TEST(Figures, ConvergenceNamesEveryStart) {
  ConvergenceData data;
  for (int k = 0; k < 5; ++k) {
    StartReport start;
    start.kind = "start<" + std::to_string(k) + ">";
    start.log_posterior = k == 4 ? -1e9 : -k;  // one far below all others
    start.chosen = k == 1;
    start.degenerate = k == 3 ? "all noise" : "";
    data.starts.push_back(start);
  }
  const Figure figure = convergence_figure(data);
  EXPECT_TRUE(well_formed(figure.svg.file()));
  for (int k = 0; k < 5; ++k)
    EXPECT_NE(figure.svg.element().find("start&lt;" + std::to_string(k) + "&gt;"), std::string::npos);
  EXPECT_NE(figure.svg.element().find("all noise"), std::string::npos);
  EXPECT_NE(figure.svg.element().find("\u25c2"), std::string::npos);
}

// What is told to a program, and the program: text to the browser, whatever it contains.
std::string without_scripts(std::string text, std::size_t* scripts = nullptr) {
  for (std::size_t at = text.find("<script"); at != std::string::npos; at = text.find("<script", at)) {
    text.erase(at, text.find("</script>", at) + 9 - at);
    if (scripts != nullptr) ++*scripts;
  }
  return text;
}

TEST(Page, HoldsEverySectionAndNoLink) {
  for (const char* spec : {"sphere:2", "spd:3", "spd:4", "kendall:6", "so:3", "torus:2", "sphere:2,spd:2"}) {
    const LoadedModel loaded = small_model(spec, 2);
    std::vector<std::string> labels;
    for (int i = 0; i < 14; ++i) labels.push_back(i % 2 == 0 ? "a & b" : "<c>");
    const ReportData data = report_data(loaded, "m<1>.wgp", colouring_from("kind", labels));
    std::size_t scripts = 0;
    const std::string text = without_scripts(html(report_page(loaded, data, "by a test")), &scripts);
    EXPECT_EQ(scripts, 5u);  // what it is told, the model, the module, the program and its loader
    EXPECT_TRUE(well_formed(text)) << spec;
    for (const char* id : {"latent", "decoded", "residuals", "calibration", "convergence", "use", "provenance"})
      EXPECT_NE(text.find(std::string("<section id=\"") + id + "\""), std::string::npos) << spec << " " << id;
    for (const char* word : {"http:", "https:", "</script", "<link", "<img", "url(", "@import"})
      EXPECT_EQ(text.find(word), std::string::npos) << spec << " " << word;
    EXPECT_EQ(count(text, "<figcaption>"), 5u);
    EXPECT_NE(text.find("a &amp; b"), std::string::npos);
    EXPECT_NE(text.find(spec), std::string::npos);
  }
}

TEST(Page, ModelsOfTheAmbientSpaceHaveOneToo) {
  const ManifoldPtr manifold = parse_manifold("spd:2");
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.max_iterations = 20;
  options.model = ModelKind::gplvm;
  FitResult fit = wgp::fit(manifold, points_about(*manifold, 12, 0.5), options);
  const LoadedModel loaded{std::move(fit.model), std::move(fit.summary), {}};
  const ReportData data = report_data(loaded, "m", {});
  EXPECT_FALSE(data.residuals.intrinsic);
  EXPECT_TRUE(well_formed(without_scripts(html(report_page(loaded, data, "")))));
}

// Integrated latents have no formula for points left out: the folds of the fit say how the uncertainty stands.
TEST(Page, CalibrationOfIntegratedLatentsIsThatOfPointsLeftOut) {
  Random random(3);
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  Matrix P(2, 80);
  for (Index i = 0; i < P.cols(); ++i) {
    const double t = 2 * std::numbers::pi * random.uniform();
    P.col(i) << std::cos(t), std::sin(t);
    P.col(i) += 0.1 * random.normals(2, 1);
  }
  FitOptions options;
  options.kernel = "periodic";
  options.latent = LatentSpace(1, 0);
  FitResult fit = wgp::fit(plane, P, options);
  ASSERT_EQ(fit.summary.inference, Inference::variational);
  LoadedModel loaded{std::move(fit.model), std::move(fit.summary), {}};
  const ReportData data = report_data(loaded, "m", {});
  EXPECT_TRUE(data.calibration.left_out);
  EXPECT_EQ(data.calibration.fractions.size(), 80u);
  EXPECT_LT(data.calibration.ks, 0.2);
  EXPECT_GT(data.calibration.ks, 0);
  EXPECT_NE(html(report_page(loaded, data, "")).find("when its fold was left out"), std::string::npos);

  loaded.summary.left_out_shares.resize(0);
  EXPECT_EQ(html(report_page(loaded, report_data(loaded, "m", {}), "")).find("<section id=\"calibration\""),
            std::string::npos);
}

}  // namespace
}  // namespace wgp::report
