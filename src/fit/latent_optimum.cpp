#include "fit/latent_optimum.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fit/checkpoint.h"
#include "fit/step_numbers.h"
#include "fit/variational_settings.h"

namespace wgp {
namespace {

// Frequencies and moments of a lattice that a checkpoint may ask for: a search chooses far fewer.
constexpr double most_frequency = 2000, most_frequencies = 5000, most_moments = 4e6;

void add_grid(StepWriter& writer, const GridState& grid) {
  writer.add(grid.theta);
  writer.add(grid.sums.mass);
  writer.add(grid.sums.pull);
  for (const double number : {grid.noise, grid.sums.count, grid.sums.squares, grid.sums.other, grid.bound,
                              grid.outliers, static_cast<double>(grid.passes)})
    writer.add(number);
  writer.add(grid.inlier);
  writer.add(grid.plan->lattice.periods());
  writer.add(Matrix(grid.plan->lattice.modes().cast<double>()));
  writer.add(static_cast<double>(grid.plan->mode == Neglected::dropped));
}

[[noreturn]] void damaged(const char* what) {
  throw Error(fmt::format("the checkpoint is damaged: {} of a step is impossible", what));
}

LatticePlan take_plan(StepReader& reader, const LatentSpace& latent) {
  const Index q = latent.dim();
  const Vector periods = reader.matrix(q, 1);
  const Matrix modes = reader.matrix();
  const bool dropped = reader.count(1) == 1;
  if (!(periods.array() > 0).all() || modes.rows() != q || static_cast<double>(modes.cols()) > most_frequencies ||
      (modes.size() > 0 && !(modes.cwiseAbs().maxCoeff() <= most_frequency)) ||
      (modes.array() != modes.array().round()).any())
    damaged("a lattice");
  double moments = 1;
  for (Index j = 0; j < q; ++j) moments *= 4 * (modes.cols() > 0 ? modes.row(j).cwiseAbs().maxCoeff() : 0) + 1;
  if (!(moments <= most_moments)) damaged("a lattice");
  return {Lattice(latent, periods, modes.cast<int>()), dropped ? Neglected::dropped : Neglected::penalised};
}

GridState take_grid(StepReader& reader, const FitProblem& problem) {
  GridState grid;
  const Index nodes = LatentNodes(problem.latent).count();
  grid.theta = reader.matrix(problem.kernel->parameter_count(), 1);
  grid.sums.mass = reader.matrix(nodes, 1);
  grid.sums.pull = reader.matrix(problem.outputs.rows.rows(), nodes);
  for (double* number :
       {&grid.noise, &grid.sums.count, &grid.sums.squares, &grid.sums.other, &grid.bound, &grid.outliers}) {
    *number = reader.number();
    if (!std::isfinite(*number)) damaged("a number");
  }
  if (!(grid.noise > 0) || !(grid.outliers >= 0 && grid.outliers < 1) || !(grid.sums.mass.minCoeff() >= 0))
    damaged("a noise or a share");
  grid.passes = static_cast<int>(reader.count(1 << 30));
  const Matrix inlier = reader.matrix();
  if (inlier.size() > 0) {
    if (inlier.rows() != problem.N() || inlier.cols() != 1 || !inlier.allFinite()) damaged("a list of outliers");
    grid.inlier = inlier.col(0);
  }
  grid.plan = take_plan(reader, problem.latent);
  return grid;
}

}  // namespace

void add_unless_known(std::vector<LatentOptimum>& found, LatentOptimum one) {
  constexpr double nearly = 0.5;  // nats
  for (LatentOptimum& known : found)
    if (known.kind == one.kind && std::abs(known.bound - one.bound) < nearly) {
      if (one.bound > known.bound) known = std::move(one);
      return;
    }
  found.push_back(std::move(one));
}

std::vector<std::size_t> nearly_as_high(const std::vector<LatentOptimum>& optima, Index N) {
  const double margin = variational::near_bound_a_point * static_cast<double>(N);
  const auto alike = [&](std::size_t i, std::size_t k) {
    return std::abs(optima[i].bound - optima[k].bound) < variational::same_bound &&
           std::abs(std::log(optima[i].noise() / optima[k].noise())) < variational::same_log_noise;
  };
  std::vector<std::size_t> taken = {0};
  std::set<std::string> kinds = {optima.front().kind};
  for (std::size_t k = 1; k < optima.size() && taken.size() <= variational::most_near; ++k) {
    if (!(optima.front().bound - optima[k].bound < margin)) break;
    if (std::any_of(taken.begin(), taken.end(), [&](std::size_t i) { return alike(i, k); })) continue;
    if (kinds.insert(optima[k].kind).second) taken.push_back(k);
  }
  taken.erase(taken.begin());
  return taken;
}

Vector pack(const LatentOptimum& optimum) {
  StepWriter writer;
  writer.add(optimum.kind);
  writer.add(pack(optimum.state));
  for (const double number : {optimum.bound, optimum.jitter, static_cast<double>(optimum.iterations),
                              static_cast<double>(optimum.by_grid), static_cast<double>(optimum.grid.has_value())})
    writer.add(number);
  if (optimum.grid) add_grid(writer, *optimum.grid);
  return writer.packed();
}

LatentOptimum unpack_latent_optimum(ConstVectorRef numbers, const FitProblem& problem) {
  StepReader reader(numbers);
  LatentOptimum optimum;
  optimum.kind = reader.text();
  optimum.state = unpack_state(reader.matrix().reshaped(), problem);
  if (optimum.state.S.size() == 0) damaged("a latent without a variance");
  optimum.bound = reader.number();
  if (!(optimum.bound < infinity)) damaged("a bound");
  optimum.jitter = reader.number();
  if (!(optimum.jitter >= 0 && optimum.jitter < infinity)) damaged("a jitter");
  optimum.iterations = static_cast<int>(reader.count(1 << 30));
  optimum.by_grid = reader.count(1) == 1;
  if (reader.count(1) == 1) optimum.grid = take_grid(reader, problem);
  if (optimum.by_grid && !optimum.grid) damaged("a grid");
  reader.end();
  return optimum;
}

}  // namespace wgp
