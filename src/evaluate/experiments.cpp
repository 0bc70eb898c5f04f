#include "evaluate/experiments.h"

#include "core/format.h"

#include <chrono>
#include <cmath>

#include "evaluate/synthetic.h"
#include "wgp/io.h"

namespace wgp {
namespace {

// 2016-07-01 is 2016.5: dates become numbers, so that they have an order and an axis. Anything else stays as it is.
std::string date_as_number(const std::string& text) {
  using namespace std::chrono;
  const auto digits = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (std::size_t i = from; i < from + count; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = 10 * value + (text[i] - '0');
    }
    return value;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return text;
  const int y = digits(0, 4), m = digits(5, 2), d = digits(8, 2);
  if (y < 0 || m < 1 || d < 1) return text;
  const year_month_day date{year{y}, month{static_cast<unsigned>(m)}, day{static_cast<unsigned>(d)}};
  if (!date.ok()) return text;
  const sys_days first = year{y} / January / 1, next = year{y + 1} / January / 1;
  const double share =
      static_cast<double>((sys_days{date} - first).count()) / static_cast<double>((next - first).count());
  return fmt::format("{:.4f}", y + share);
}

Matrix points_from_rows(const Manifold& manifold, ConstMatrixRef rows, const std::string& source) {
  Matrix points(manifold.ambient_dim(), rows.cols());
  for (Index i = 0; i < rows.cols(); ++i) {
    try {
      if (const auto defect = manifold.defect(rows.col(i), manifold.default_tolerance())) throw Error(*defect);
      points.col(i) = manifold.project(rows.col(i));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: row {}: {}", source, i + 1, error.what()));
    }
  }
  return points;
}

void read_file(Experiment& experiment, const std::string& path) {
  TableOptions options;
  options.columns = experiment.plan.columns;
  options.text_columns = {experiment.plan.colour_column};
  const TableBlock table = read_table(path, options);
  const Index width = experiment.manifold->ambient_dim();
  if (table.values.rows() != width)
    throw Error(fmt::format("{}: columns {} are {} numbers a row; {} needs {}", path, options.columns,
                            table.values.rows(), experiment.manifold->spec(), width));
  experiment.source = path;
  experiment.points = points_from_rows(*experiment.manifold, table.values, path);
  // Species are numbered, but their numbers mean nothing: with a word before them they are groups.
  const bool species = experiment.plan.colour_name == "species";
  for (const std::string& text : table.text.at(0))
    experiment.colours.push_back(species ? fmt::format("sp. {:0>2}", text) : date_as_number(text));
}

void make_synthetic(Experiment& experiment, std::uint64_t seed) {
  for (const SyntheticSource& source : synthetic_sources()) {
    if (source.name != experiment.plan.name) continue;
    const SyntheticSet set = source.make(seed);
    experiment.source = fmt::format("wgp synth {} --seed {}", source.name, seed);
    experiment.points = points_from_rows(*experiment.manifold, set.points, experiment.source);
    experiment.colours = set.labels;
    // Tensors by their true anisotropy; the others are in the order of time.
    const bool anisotropy = !set.latent_names.empty() && set.latent_names[0] == "fa";
    experiment.plan.colour_name = !set.labels.empty() ? "group" : anisotropy ? "true FA" : "row";
    if (set.labels.empty())
      for (Index i = 0; i < set.points.cols(); ++i)
        experiment.colours.push_back(anisotropy ? format_number(set.latents(0, i)) : fmt::format("{}", i + 1));
  }
}

}  // namespace

const std::vector<ExperimentPlan>& experiment_plans() {
  static const std::vector<ExperimentPlan> plans = {
      {.name = "femur",
       .title = "Femur",
       .unit = "rad",
       .manifold = "sphere:2",
       .file = "femur/femur.csv",
       .columns = "x,y,z",
       .colour_column = "time_s",
       .colour_name = "time (s)",
       .angles = 1,
       .plain = 0,
       .kernel = "periodic",
       .inits = {"curve", "tour"},
       .prior = Prior::none,  // the paper's
       .wgplvm = {9.20e-2, 0.53e-2},
       .gplvmproj = {9.22e-2, 0.55e-2},
       .euclidean_wgplvm = {9.19e-2, 0.53e-2},
       .euclidean_gplvm = {9.21e-2, 0.55e-2},
       .euclidean_gplvmproj = {9.21e-2, 0.55e-2},
       .remark = "another trial than the paper's, which is not named"},
      {.name = "diatoms",
       .title = "Diatoms",
       .unit = "rad",
       .manifold = "kendall:90",
       .file = "diatoms/diatoms.csv",
       .columns = "x1:y90",
       .colour_column = "species",
       .colour_name = "species",
       .angles = 0,
       .plain = 2,
       .kernel = "rbf",
       .inits = {},
       .prior = Prior::map,  // one fit instead of two: these cost most
       .wgplvm = {2.39e-2, 0.15e-2},
       .gplvmproj = {2.48e-2, 0.25e-2},
       .euclidean_wgplvm = {2.39e-2, 0.15e-2},
       .euclidean_gplvm = {2.48e-2, 0.25e-2},
       .euclidean_gplvmproj = {2.48e-2, 0.25e-2},
       .remark = ""},
      {.name = "dti",
       .title = "Diffusion tensors",
       .unit = "",
       .manifold = "spd:3",
       .file = "dti/dti.csv",
       .columns = "dxx:dzz",
       .colour_column = "fa",
       .colour_name = "FA",
       .angles = 0,
       .plain = 2,
       .kernel = "rbf",
       .inits = {},
       .prior = Prior::automatic,
       .wgplvm = {0.391, 0.035},
       .gplvmproj = {0.582, 0.025},
       .euclidean_wgplvm = {7.54e-2, 0.36e-2},
       .euclidean_gplvm = {6.03e-2, 0.34e-2},
       .euclidean_gplvmproj = {6.03e-2, 0.34e-2},
       .remark = "another subject than the paper's, and other units, which Euclidean distances depend on"},
      {.name = "crypto",
       .title = "Crypto-tensors",
       .unit = "",
       .manifold = "spd:10",
       .file = "crypto/crypto_cov.csv",
       .columns = "btc_btc:xvg_xvg",
       .colour_column = "window_first",
       .colour_name = "start of the window",
       .angles = 0,
       .plain = 2,
       .kernel = "rbf",
       .inits = {},
       .prior = Prior::automatic,
       .wgplvm = {3.04, 0.26},
       .gplvmproj = {21.91, 2.26},
       .euclidean_wgplvm = {8.69e5, 7.12e5},
       .euclidean_gplvm = {7.36e5, 5.27e5},
       .euclidean_gplvmproj = {5.49e5, 3.17e5},
       .remark = "prices from another source than the paper's, which is not named"},
  };
  return plans;
}

FitOptions Experiment::fit() const {
  FitOptions options;
  options.inference = Inference::point;  // the paper's
  options.latent = LatentSpace(plan.angles, plan.plain);
  options.kernel = plan.kernel;
  options.inits = plan.inits;
  options.prior = plan.prior;
  return options;
}

Experiment load_experiment(const ExperimentPlan& plan, const std::string& directory, std::uint64_t synthetic_seed) {
  Experiment experiment;
  experiment.plan = plan;
  experiment.synthetic = directory.empty();
  experiment.manifold = parse_manifold(plan.manifold);
  if (directory.empty())
    make_synthetic(experiment, synthetic_seed);
  else
    read_file(experiment, directory + (directory.ends_with('/') ? "" : "/") + plan.file);
  return experiment;
}

}  // namespace wgp
