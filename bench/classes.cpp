// Do two latents keep classes apart? Leave-one-out errors of the nearest neighbour among the latents of the training
// points, which the fit has not seen the labels of.
//
//   bench_classes FILE... [--scale as-is|unit] [--latent 2] [--threads T] [--set NAME=VALUE]...
//
// FILE: CSV with measurements in y1, y2, ... and a column label: oil flow's train.csv, iris.csv and wine.csv of
// classes_data.py. --scale unit: every measurement is centred and divided by its standard deviation (n in the
// denominator); as-is: taken as it stands. Default: unit for a file whose largest standard deviation is more than ten
// times the smallest (wine), as-is otherwise (oil flow and iris, as they are usually reported). --set: options of the
// fit, see fit_settings.h.
//
// Prints errors of the first principal components and of the measurements themselves beside those of the fit.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <ctime>

#include "fit_settings.h"

using namespace wgp;

namespace {

struct Labelled {
  Matrix Y;  // one column a row of the file
  std::vector<std::string> labels;
};

Labelled read_labelled(const std::string& path) {
  Index count = 0;
  for (const TableColumn& column : open_table(path)->columns()) count += column.name == "y" + std::to_string(count + 1);
  if (count == 0) throw Error(path + ": columns y1, y2, ... and label are needed");
  TableOptions options;
  options.columns = "y1:y" + std::to_string(count);
  options.text_columns = {"label"};
  const TableBlock block = read_table(path, options);
  return {block.values, block.text.at(0)};
}

Index errors_of_nearest(const LatentSpace& latent, ConstMatrixRef X, const std::vector<std::string>& labels) {
  const Matrix F = latent.features(X);  // angles as points of circles
  Index errors = 0;
  for (Index i = 0; i < F.cols(); ++i) {
    Vector squared = (F.colwise() - F.col(i)).colwise().squaredNorm();
    squared[i] = infinity;
    Index nearest = 0;
    squared.minCoeff(&nearest);
    errors += labels[static_cast<std::size_t>(i)] != labels[static_cast<std::size_t>(nearest)];
  }
  return errors;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  std::string scale;
  Index q = 2;
  int threads = 1;
  bench::Settings settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (flag.rfind("--", 0) != 0) {
      files.push_back(flag);
      continue;
    }
    if (i + 1 == arguments.size()) throw Error(flag + " needs a value");
    const std::string& value = arguments[++i];
    if (flag == "--scale" && (value == "as-is" || value == "unit"))
      scale = value;
    else if (flag == "--latent")
      q = std::stol(value);
    else if (flag == "--threads")
      threads = std::stoi(value);
    else if (flag == "--set")
      settings.push_back(bench::setting_from(value));
    else
      throw Error(flag + " " + value + ": --scale as-is|unit, --latent Q, --threads T, --set NAME=VALUE are known");
  }
  if (files.empty()) throw Error("which files? CSV with columns y1, y2, ... and label");
  std::printf("1-NN errors, leave-one-out\n%-40s %5s %3s  %-6s %5s %5s %5s  %7s  %s\n", "file", "n", "d", "scale",
              "data", "PCA", "fit", "seconds", "noise sd");
  for (const std::string& path : files) {
    Labelled data = read_labelled(path);
    Matrix& Y = data.Y;
    Y.colwise() -= Y.rowwise().mean().eval();
    const Vector sd = (Y.rowwise().squaredNorm() / static_cast<double>(Y.cols())).cwiseSqrt();
    const bool unit = scale.empty() ? sd.maxCoeff() > 10 * sd.minCoeff() : scale == "unit";
    if (unit) Y.array().colwise() /= sd.array();
    const ManifoldPtr space = parse_manifold("euclidean:" + std::to_string(Y.rows()));
    const Matrix scores = tangent_pga(*space, Y, Vector::Zero(Y.rows()), q).scores;
    FitOptions options;
    options.latent = LatentSpace::plain(q);
    options.threads = threads;
    bench::apply(settings, options);
    const std::clock_t begun = std::clock();
    const Model model = fit(space, Y, options).model;
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    const auto errors = [&](const LatentSpace& latent, ConstMatrixRef X) {
      return errors_of_nearest(latent, X, data.labels);
    };
    std::printf("%-40s %5td %3td  %-6s %5td %5td %5td  %7.1f  %.4f\n", path.c_str(), Y.cols(), Y.rows(),
                unit ? "unit" : "as-is", errors(LatentSpace::plain(Y.rows()), Y), errors(LatentSpace::plain(q), scores),
                errors(model.parts().latent, model.parts().X), seconds, std::sqrt(model.parts().noise));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_classes: %s\n", error.what());
    return 2;
  }
}
