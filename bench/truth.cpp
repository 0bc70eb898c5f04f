// Does a fit with default flags find the submanifold, or the noise? Sets about known submanifolds (see
// src/evaluate/truth_sets.h), measured as src/evaluate/truth_measures.h says.
//
//   bench_truth [SETS] [--seeds 1-5] [--count N] [--threads T] [--set NAME=VALUE]... [--csv DIR]
//
// SETS: names with commas, or five, hard, all (default: five). --count: training points instead of 200. --set: an
// option of the fit by its name (fit_settings.h has them). --threads: fits side by side, each on one thread; seconds
// are processor time of that thread. --csv: writes SET-SEED-train.csv and SET-SEED-test.csv into DIR and fits nothing.
//
// One line per fit, then the means with a verdict: ok, or MISSED and what. Limits are for the mean over seeds, and no
// seed may be beyond 1.5 times a limit. Columns: fitted noise over the true one; learned-to-true and true-to-learned
// distance in noise sd; length ratio; mean log density of 400 test points, and that of the truth; self-crossings of the
// learned and of the true curve. Sheet: learned-to-true against its part |x| < 2.6 as well. Gap: distances outside of
// it; outliers: shares of them, and of good points, that were named.
#include <wgp/wgp.h>

#include "core/executor.h"
#include "fit_settings.h"
#include "timing.h"
#include "truth_limits.h"
#include "wgp/row_form.h"

using namespace wgp;
using bench::TruthFit;
using bench::TruthTask;

namespace {

// Training points that the model's noise law takes for outliers: they count less than half.
std::vector<bool> named_outliers(const Model& model) {
  const Matrix V = model.lift().lift(model.parts().X, model.parts().P).V;
  const GpPrediction at_training = model.posterior()->at_training_latents();
  const Vector squared =
      (model.law().whiten(V) - model.law().whiten(at_training.mean)).colwise().squaredNorm().transpose();
  std::vector<bool> named;
  for (Index i = 0; i < squared.size(); ++i)
    named.push_back(model.law().weight(squared[i], at_training.variance[i]) < 0.5);
  return named;
}

constexpr Index test_count = 400;

TruthFit fit_and_measure(const TruthTask& task, std::uint64_t seed, Index count, const bench::Settings& settings) {
  const TruthSet set = find_truth_source(task.source)->make(seed);
  const TruthPoints training = draw_truth(set, seed, TruthPart::training, count);
  FitOptions options;
  options.latent = set.latent;
  options.kernel = set.kernel;
  options.threads = 1;
  bench::apply(settings, options);
  const double begun = bench::seconds();
  const FitResult result = fit(set.manifold, training.points, options);
  TruthFit found;
  found.seconds = bench::seconds() - begun;
  const TruthReference reference(set, draw_truth(set, seed, TruthPart::test, test_count).points);
  found.measures = measure_truth(reference, result.model);
  if (set.outlier_box > 0) {
    std::vector<bool> named = named_outliers(result.model);
    for (const Index row : result.summary.outliers) named[static_cast<std::size_t>(row)] = true;
    found.outliers = outlier_shares(reference, training, named);
  }
  return found;
}

void print_row(const TruthTask& task, const std::string& seed, const TruthFit& fit, const std::string& last) {
  const TruthMeasures& m = fit.measures;
  std::printf("%-10s %5s  %5.2f  %7.2f %6.2f  ", task.name.c_str(), seed.c_str(), m.noise, m.learned_to_true,
              m.true_to_learned);
  if (task.kind == TruthTask::Kind::sheet)
    std::printf("%6s", "-");
  else
    std::printf("%6.2f", m.length);
  std::printf("  %7.3f %7.3f  %7.1f  %s", m.log_density, m.true_log_density, fit.seconds, last.c_str());
  if (task.kind == TruthTask::Kind::sheet) std::printf("; learned to the disc %.2f", m.learned_to_disc);
  if (task.kind == TruthTask::Kind::gap)
    std::printf("; outside the gap %.2f %.2f", m.outside_learned_to_true, m.outside_true_to_learned);
  if (task.kind == TruthTask::Kind::outliers)
    std::printf("; named %.2f, false %.3f", fit.outliers.found, fit.outliers.false_alarms);
  std::printf("\n");
  std::fflush(stdout);
}

TruthFit mean_of(const std::vector<TruthFit>& fits) {
  const auto mean = [&](const auto& value) {
    double sum = 0;
    for (const TruthFit& fit : fits) sum += value(fit);
    return sum / static_cast<double>(fits.size());
  };
  TruthFit means;
  for (double TruthMeasures::*field :
       {&TruthMeasures::learned_to_true, &TruthMeasures::true_to_learned, &TruthMeasures::outside_learned_to_true,
        &TruthMeasures::outside_true_to_learned, &TruthMeasures::learned_to_disc, &TruthMeasures::length,
        &TruthMeasures::noise, &TruthMeasures::log_density, &TruthMeasures::true_log_density})
    means.measures.*field = mean([&](const TruthFit& fit) { return fit.measures.*field; });
  means.outliers = {mean([](const TruthFit& fit) { return fit.outliers.found; }),
                    mean([](const TruthFit& fit) { return fit.outliers.false_alarms; })};
  means.seconds = mean([](const TruthFit& fit) { return fit.seconds; });
  return means;
}

void write_points(const std::string& path, const TruthSet& set, const TruthPoints& drawn) {
  std::vector<std::string> names = ambient_names(*set.manifold);
  const std::vector<std::string> entries = names;
  names.insert(names.end(), set.parameter_names.begin(), set.parameter_names.end());
  for (const std::string& entry : entries) names.push_back("true_" + entry);
  if (!drawn.outlier.empty()) names.push_back("outlier");
  Matrix rows(static_cast<Index>(names.size()), drawn.points.cols());
  rows.topRows(drawn.points.rows()) = drawn.points;
  rows.middleRows(drawn.points.rows(), drawn.parameters.rows()) = drawn.parameters;
  rows.middleRows(drawn.points.rows() + drawn.parameters.rows(), drawn.truth.rows()) = drawn.truth;
  for (std::size_t i = 0; i < drawn.outlier.size(); ++i)
    rows(rows.rows() - 1, static_cast<Index>(i)) = drawn.outlier[i] ? 1 : 0;
  const auto table = create_table(path, names);
  table->write(rows);
  table->close();
}

std::vector<TruthTask> tasks_named(const std::string& text) {
  std::vector<TruthTask> wanted;
  std::string known = " all five hard";
  for (const TruthTask& task : bench::truth_tasks()) known += ' ' + task.name;
  for (const std::string& name : bench::split_at_commas(text)) {
    const std::size_t before = wanted.size();
    for (const TruthTask& task : bench::truth_tasks())
      if (name == task.name || name == "all" || name == (bench::is_of_the_five(task) ? "five" : "hard"))
        wanted.push_back(task);
    if (wanted.size() == before) throw Error("there is no set " + name + "; there are" + known);
  }
  return wanted;
}

int run(const std::vector<std::string>& arguments) {
  std::string sets = "five", directory;
  Index first = 1, last = 5, count = 0;
  int threads = 1;
  bench::Settings settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (flag.rfind("--", 0) != 0) {
      sets = flag;
      continue;
    }
    if (i + 1 == arguments.size()) throw Error(flag + " needs a value");
    const std::string& value = arguments[++i];
    if (flag == "--seeds") {
      const std::size_t cut = value.find('-');
      first = std::stol(value);
      last = cut == std::string::npos ? first : std::stol(value.substr(cut + 1));
    } else if (flag == "--count") {
      count = std::stol(value);
    } else if (flag == "--threads") {
      threads = std::stoi(value);
    } else if (flag == "--csv") {
      directory = value;
    } else if (flag == "--set") {
      settings.push_back(bench::setting_from(value));
    } else {
      throw Error(flag + " " + value + ": --seeds A-B, --count N, --threads T, --set NAME=VALUE, --csv DIR are known");
    }
  }
  if (last < first) throw Error("--seeds needs A-B with A <= B");

  if (directory.empty())
    std::printf("%-10s %5s  %5s  %7s %6s  %6s  %7s %7s  %7s  %s\n", "set", "seed", "noise", "learned", "true", "length",
                "density", "truth", "seconds", "crossings");
  double all_seconds = 0;
  int missed = 0;
  for (const TruthTask& task : tasks_named(sets)) {
    const Index N = count > 0 ? count : task.count;
    if (!directory.empty()) {
      for (Index seed = first; seed <= last; ++seed) {
        const auto number = static_cast<std::uint64_t>(seed);
        const TruthSet set = find_truth_source(task.source)->make(number);
        const std::string stem = directory + "/" + task.name + "-" + std::to_string(seed);
        write_points(stem + "-train.csv", set, draw_truth(set, number, TruthPart::training, N));
        write_points(stem + "-test.csv", set, draw_truth(set, number, TruthPart::test, test_count));
        std::printf("%s-train.csv, %s-test.csv: --manifold %s --columns 1:%td --latent %td --kernel %s, noise %g\n",
                    stem.c_str(), stem.c_str(), set.manifold->spec().c_str(), set.manifold->ambient_dim(),
                    set.latent.dim(), set.kernel.c_str(), set.noise);
      }
      continue;
    }
    std::vector<TruthFit> fits(static_cast<std::size_t>(last - first + 1));
    Executor executor(threads);
    executor.each(last - first + 1, [&](Index i, int) {
      fits[static_cast<std::size_t>(i)] = fit_and_measure(task, static_cast<std::uint64_t>(first + i), N, settings);
    });
    int right = 0;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const TruthMeasures& m = fits[i].measures;
      const bool good = is_right(task, fits[i]);
      right += good;
      const std::string crossings = std::to_string(m.crossings) + " of " + std::to_string(m.true_crossings);
      print_row(task, std::to_string(first + static_cast<Index>(i)), fits[i],
                task.kind == TruthTask::Kind::sheet ? "-" : crossings + (good ? ", right" : ", wrong"));
      all_seconds += fits[i].seconds;
    }
    const std::string verdict = bench::TruthVerdict(task, N, fits).missed();
    missed += !verdict.empty();
    std::string shapes;
    if (task.kind != TruthTask::Kind::sheet)
      shapes = std::to_string(right) + " right of " + std::to_string(fits.size()) + "; ";
    print_row(task, "mean", mean_of(fits), shapes + (verdict.empty() ? "ok" : "MISSED: " + verdict));
    std::printf("%-10s limits: %s\n\n", "", bench::limits_of(task, N).c_str());
  }
  if (directory.empty()) std::printf("%.1f s of processor time in fits; %d sets missed\n", all_seconds, missed);
  return missed > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_truth: %s\n", error.what());
    return 2;
  }
}
