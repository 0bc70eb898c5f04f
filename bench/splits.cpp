// Reconstruction of held-out points: repeated 80/20 splits of the real data sets.
//
//   bench_splits DATA [SETS] [REPEATS] [EFFORT] [MODELS] [PRIOR]
//     DATA     directory with femur/femur.csv, dti/dti.csv, crypto/crypto_cov.csv, diatoms/diatoms.csv
//     SETS     femur,dti,crypto,diatoms     MODELS  wgplvm,gplvmproj     PRIOR  map|none, with +held_out for that
//     variance rule
//
// Prints, for each model and both encoders, the root mean square of the intrinsic distance between a test point and its
// reconstruction (mean and standard error over the splits), beside the nearest training point; the coverage of
// conformal regions; and the fit's time.
#include <wgp/wgp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>

#include "evaluate/split.h"
#include "real_data.h"

using namespace wgp;

namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

struct Column {
  std::vector<double> values;
  void print(const char* name) const {
    const double n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    std::printf("  %s %.4g +- %.2g", name, mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  const std::string data = argument(1, "");
  const int repeats = std::stoi(argument(3, "10"));
  const std::string effort = argument(4, "normal");
  for (const std::string& name : words(argument(2, "femur,dti,crypto,diatoms"))) {
    const bench::RealSet& set = bench::real_sets().at(name);
    const ManifoldPtr manifold = parse_manifold(set.manifold);
    const Matrix P = bench::read_points(data + "/" + set.file, set, *manifold);
    for (const std::string& kind : words(argument(5, "wgplvm,gplvmproj"))) {
      Column density, projection, nearest, seconds, likelihood, loo, cover[4];
      const double levels[] = {0.5, 0.8, 0.9, 0.95};
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const Split parts = random_split(P.cols(), 0.8, static_cast<std::uint64_t>(repeat));
        const Matrix train = take_columns(P, parts.train), test = take_columns(P, parts.test);
        FitOptions options = bench::options_for(set);
        options.model = kind == "gplvmproj" ? ModelKind::gplvmproj : ModelKind::wgplvm;
        options.effort = effort == "quick" ? Effort::quick : effort == "normal" ? Effort::normal : Effort::thorough;
        options.prior = argument(6, "map").rfind("map", 0) == 0 ? Prior::map : Prior::none;
        if (argument(6, "map").find("held_out") != std::string::npos) options.variance = VarianceRule::held_out;
        options.seed = static_cast<std::uint64_t>(repeat);
        const FitResult result = fit(manifold, train, options);
        density.values.push_back(result.model.score(test, {Encoder::density}).intrinsic_rmse);
        projection.values.push_back(result.model.score(test, {Encoder::projection}).intrinsic_rmse);
        seconds.values.push_back(result.summary.seconds);
        likelihood.values.push_back(result.summary.log_likelihood);
        for (const StartReport& start : result.summary.starts)
          if (start.chosen) loo.values.push_back(start.leave_one_out);
        double squares = 0;
        for (Index i = 0; i < test.cols(); ++i) {
          const double least = manifold->at(test.col(i))->distance(train).minCoeff();
          squares += least * least;
        }
        nearest.values.push_back(std::sqrt(squares / static_cast<double>(test.cols())));
        if (repeats > 1 && argc > 7) {  // conformal: a fit that holds out a fifth of the training points
          options.calibration_share = 0.25;
          const Model calibrated = fit(manifold, train, options).model;
          const Vector distances = calibrated.score(test).intrinsic;
          for (int l = 0; l < 4; ++l) {
            const double radius = *calibrated.conformal_radius(levels[l]);
            cover[l].values.push_back((distances.array() <= radius).cast<double>().mean());
          }
        }
      }
      std::printf("%-8s %-9s", name.c_str(), kind.c_str());
      density.print("density");
      projection.print("projection");
      nearest.print("nearest");
      likelihood.print("log likelihood");
      loo.print("leave-one-out");
      seconds.print("fit s");
      if (!cover[0].values.empty())
        for (int l = 0; l < 4; ++l) cover[l].print(l == 0 ? "cover 50" : l == 1 ? "80" : l == 2 ? "90" : "95");
      std::printf("\n");
      std::fflush(stdout);
    }
  }
}
