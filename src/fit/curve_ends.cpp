#include "fit/curve_ends.h"

#include <algorithm>
#include <numeric>

#include "fit/variational_settings.h"

namespace wgp {
namespace {

using namespace variational;

// Points from one end on: -1 the lowest latents, 1 the highest.
std::vector<Index> from_end(const FitState& state, double direction) {
  std::vector<Index> order(static_cast<std::size_t>(state.X.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return direction * state.X(0, a) > direction * state.X(0, b); });
  return order;
}

// What the other points make of a curve, with these where its evidence for each is highest.
std::optional<FitState> drawn_in(const FitProblem& problem, const FitState& all, const std::vector<Index>& last) {
  std::vector<Index> others;
  for (Index i = 0; i < problem.N(); ++i)
    if (std::find(last.begin(), last.end(), i) == last.end()) others.push_back(i);
  FitState rest = all;
  rest.X = all.X(Eigen::all, others);
  rest.S = all.S(Eigen::all, others);
  const FitProblem part = problem.subset(others);
  rest = refine(part, rest, iterations_of_ends).state;
  const PosteriorPtr process = posterior_at(part, rest);
  if (!process) return std::nullopt;
  const Matrix places = Vector::LinSpaced(places_of_ends, rest.X.minCoeff(), rest.X.maxCoeff()).transpose();
  const GpPrediction at = process->predict(places);
  FitState state = rest;
  state.X = all.X;
  state.S = all.S;
  state.X(Eigen::all, others) = rest.X;
  state.S(Eigen::all, others) = rest.S;
  for (const Index i : last) {
    const Vector squared = (at.mean.colwise() - problem.V.col(i)).colwise().squaredNorm().transpose() +
                           static_cast<double>(problem.d()) * at.variance;
    Index best = 0;
    (squared / rest.noise() + places.row(0).cwiseAbs2().transpose()).minCoeff(&best);
    state.X(0, i) = places(0, best);
    state.S(0, i) = rest.S.row(0).mean();
  }
  state.value = value_of(problem, state);
  return state;
}

}  // namespace

FitState with_ends_drawn_in(const FitProblem& problem, FitState state) {
  if (problem.N() > most_with_ends) return state;
  const FitState bent = state;
  std::vector<Index> given_back;
  for (const double direction : {-1.0, 1.0}) {
    const std::vector<Index> order = from_end(bent, direction), before = given_back;
    std::vector<Index> last = before;
    const double value = state.value;
    for (std::size_t k = 1; k <= most_at_an_end && static_cast<Index>(last.size()) + 3 < problem.N(); ++k) {
      last.push_back(order[k - 1]);
      std::optional<FitState> next = drawn_in(problem, bent, last);
      if (!next || !(next->value > value - bound_of_ends - bound_of_an_end * static_cast<double>(k))) continue;
      state = std::move(*next);
      given_back = last;
    }
  }
  return state;
}

}  // namespace wgp
