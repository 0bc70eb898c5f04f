// The one objective of all fits, against values and gradients that wgp 0.1 had at stored parameters, and against
// differences.
#include "fit/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fit/settings.h"
#include "fit/terms.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using Json = nlohmann::json;

Matrix columns_of(const Json& rows) {
  const auto cols = static_cast<Index>(rows.size());
  Matrix M(cols > 0 ? static_cast<Index>(rows[0].size()) : 0, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < M.rows(); ++i) M(i, j) = rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  return M;
}
Vector vector_of(const Json& numbers) {
  Vector v(static_cast<Index>(numbers.size()));
  for (Index i = 0; i < v.size(); ++i) v[i] = numbers[static_cast<std::size_t>(i)];
  return v;
}

struct Stored {
  FitProblem problem;
  FitState state;
  Vector x, gradient;
  double value;
};

// What the names of the stored fields mean in terms of the objective.
Stored stored(const Json& entry) {
  Stored result;
  FitProblem& problem = result.problem;
  FitState& state = result.state;
  const std::string kind = entry["kind"];
  problem.manifold = parse_manifold(entry["manifold"]);
  problem.latent = LatentSpace(entry["angles"], entry["plain"]);
  const bool shared = entry.value("lengths", "shared") == "shared";
  problem.kernel =
      parse_kernel(entry["kernel"], problem.latent, shared ? LengthScales::shared : LengthScales::per_dimension);
  problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  state.X = columns_of(entry["X"]);
  result.x = vector_of(entry["x"]);
  result.gradient = vector_of(entry["gradient"]);
  result.value = entry["value"];
  if (kind != "moving") {
    problem.V = columns_of(entry["V"]);
    problem.outputs = {compress_rows(problem.V), problem.V.rows()};
    // The lift is not looked at where the base stays; only its dimension is.
    problem.lift = std::make_shared<const Basepoint>(parse_manifold("euclidean:" + std::to_string(problem.V.rows())),
                                                     Vector::Zero(problem.V.rows()));
    problem.P = problem.V;
  }
  if (kind == "regression") {
    problem.free.latents = false;
    state.theta = result.x.head(result.x.size() - 1);
    state.u = result.x[result.x.size() - 1];
    return result;
  }
  state.theta = vector_of(entry["theta"]);
  state.u = entry["u"];
  if (kind == "latent") {
    for (std::size_t i = 0; i < problem.free.theta.size(); ++i) problem.free.theta[i] = entry["theta_free"][i];
    const bool map = entry["prior"] == "map", growth = entry["growth"];
    if (growth)
      problem.terms = {latent_prior(problem.latent, 0.05, LatentsAbout::mean), noise_prior(-4, 1.5)};
    else if (map)
      problem.terms = {latent_prior(problem.latent, 1)};
    if (map)
      if (const TermPtr lengths = angle_length_prior(*problem.kernel)) problem.terms.push_back(lengths);
    return result;
  }
  // Moving.
  problem.P = columns_of(entry["P"]);
  problem.scale = entry["scale"];
  problem.free.base = true;
  problem.free.latents = !entry["fix_latents"].get<bool>();
  problem.volume = entry["volume"].get<bool>() ? Lift::Volume::subtracted : Lift::Volume::ignored;
  const std::string functions = entry["basis"];
  const BasisPtr basis = functions.empty() ? nullptr : parse_basis(functions);
  const auto base = std::make_shared<const Basepoint>(problem.manifold, vector_of(entry["centre"]), basis,
                                                      basis ? columns_of(entry["coefficients"]) : Matrix());
  problem.lift = state.lift = base;
  state.centre = Vector::Zero(base->dim());
  state.coefficients = base->coefficients() / problem.scale;
  if (problem.free.latents) {
    problem.terms = {latent_prior(problem.latent, 1)};
    if (const TermPtr lengths = angle_length_prior(*problem.kernel)) problem.terms.push_back(lengths);
  }
  problem.terms.push_back(coefficient_prior(settings::coefficient_sd));
  if (const double radius = problem.manifold->injectivity_radius(); std::isfinite(radius))
    problem.terms.push_back(beyond_term(radius / problem.scale));
  if (basis) {
    problem.terms.push_back(follow_term(settings::follow_sd));
    if (const Matrix D = basis->roughness(); D.rows() > 0)
      problem.terms.push_back(roughness_term(D, entry["rough_sd"]));
  }
  if (!entry["least_log_length"].is_null())
    problem.terms.push_back(short_length_term(*problem.kernel, entry["least_log_length"]));
  return result;
}

// Of 0.1's vector [X; theta; u; centre; coefficients], in which latents stood whether free or not, what is free now.
Vector free_part(const Stored& entry, const Vector& all) {
  const Index skipped = entry.problem.free.latents || all.size() == Packing(entry.state, entry.problem.free).size()
                            ? 0
                            : entry.state.X.size();
  return all.tail(all.size() - skipped);
}

const std::vector<Json>& stored_objectives() {
  static const std::vector<Json> all = Json::parse(std::ifstream(WGP_OBJECTIVES_FILE)).get<std::vector<Json>>();
  return all;
}
std::vector<std::string> stored_ids() {
  std::vector<std::string> ids;
  for (const Json& entry : stored_objectives()) ids.push_back(entry["id"]);
  return ids;
}
Stored stored(const std::string& id) {
  for (const Json& entry : stored_objectives())
    if (entry["id"] == id) return stored(entry);
  throw Error("no stored objective " + id);
}

class StoredObjectives : public testing::TestWithParam<std::string> {};

TEST_P(StoredObjectives, AgreeWithBefore) {
  const Stored entry = stored(GetParam());
  const auto objective = fit_objective(entry.problem, entry.state);
  const Vector x = free_part(entry, entry.x), expected = free_part(entry, entry.gradient);
  // K of almost no noise has a condition of 1e7.
  const double tolerance = GetParam() == "little.noise" ? 1e-9 : 1e-11;
  EXPECT_NEAR(objective->value(x), entry.value, tolerance * std::abs(entry.value));
  Vector gradient(x.size());
  objective->gradient(gradient);
  EXPECT_LE((gradient - expected).norm(), tolerance * expected.norm());
  // Both at once.
  EXPECT_NEAR(objective->value_before_gradient(x), entry.value, tolerance * std::abs(entry.value));
  objective->gradient(gradient);
  EXPECT_LE((gradient - expected).norm(), tolerance * expected.norm());
}

// Eighth-order central differences in random directions.
TEST_P(StoredObjectives, GradientsAreDifferences) {
  const Stored entry = stored(GetParam());
  const auto objective = fit_objective(entry.problem, entry.state);
  const Vector x = free_part(entry, entry.x);
  Vector gradient(x.size());
  objective->value(x);
  objective->gradient(gradient);
  Random random(9);
  for (int direction = 0; direction < 4; ++direction) {
    const Vector e = random.normals(x.size()).normalized();
    const double h = 1e-3;
    const auto difference = [&](int k) {
      const double above = objective->value(x + k * h * e);
      return above - objective->value(x - k * h * e);
    };
    const double slope =
        (4.0 / 5 * difference(1) - difference(2) / 5 + 4.0 / 105 * difference(3) - difference(4) / 280) / h;
    // The third derivatives of splines jump at their knots.
    EXPECT_NEAR(slope, gradient.dot(e), 1e-5 * gradient.norm() + 1e-9 * std::abs(entry.value));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, StoredObjectives, testing::ValuesIn(stored_ids()), [](const auto& entry) {
  std::string name = entry.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

// The gradient of the objective, priors and noise floor included, on a grid of kernels, latents and priors.
TEST(FitObjective, GradientIsTheDerivative) {
  Random random(21);
  for (const char* kernel : {"rbf", "matern32", "matern52", "periodic", "rbf+linear", "rbf*constant"})
    for (const auto& [angles, plain] : {std::pair<Index, Index>{0, 2}, {1, 0}, {1, 1}})
      for (const bool map : {true, false}) {
        if (std::string(kernel) == "periodic" && angles == 0) continue;
        FitProblem problem;
        problem.latent = LatentSpace(angles, plain);
        problem.kernel = parse_kernel(kernel, problem.latent);
        problem.lift = std::make_shared<const Basepoint>(parse_manifold("euclidean:3"), Vector::Zero(3));
        problem.V = random.normals(3, 12);
        problem.P = problem.V;
        problem.outputs = Outputs::of(problem.V);
        problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
        if (map) {
          const LatentsAbout about = plain == 2 ? LatentsAbout::mean : LatentsAbout::origin;
          problem.terms = {latent_prior(problem.latent, 1, about), noise_prior(-1, 1.5)};
          if (const TermPtr lengths = angle_length_prior(*problem.kernel)) problem.terms.push_back(lengths);
        }
        FitState state;
        state.X = random.normals(angles + plain, 12);
        state.theta = 0.3 * random.normals(problem.kernel->parameter_count());
        state.u = -1.5;
        const auto objective = fit_objective(problem, state);
        const Vector x = pack_state(problem, state);
        const Vector direction = random.normals(x.size());
        Vector gradient(x.size());
        objective->value(x);
        objective->gradient(gradient);
        const double h = 1e-3, c[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
        double slope = 0;
        for (int k = 1; k <= 4; ++k)
          slope += c[k - 1] * (objective->value(x + k * h * direction) - objective->value(x - k * h * direction)) / h;
        EXPECT_NEAR(gradient.dot(direction), slope, 1e-8 * std::max(1.0, std::abs(slope)))
            << kernel << " " << angles << " " << plain << " " << map;
      }
}

}  // namespace
}  // namespace wgp
