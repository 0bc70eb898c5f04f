// Sets about a submanifold that is known: what a model should find, and how far it is from it (truth_measures.h).
//
// A point is c(t) with normal noise of standard deviation s in every direction of the tangent space there, brought onto
// the manifold by exp. Curves have one parameter t, the sheet has two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wgp/latent.h"
#include "wgp/manifold.h"
#include "wgp/random.h"
#include "wgp/types.h"

namespace wgp {

struct TruthSet {
  ManifoldPtr manifold;
  LatentSpace latent = LatentSpace::plain(1);  // what to fit
  std::string kernel = "rbf";                  // likewise
  double noise = 0;                            // s
  // One column of parameters a point.
  std::function<Matrix(ConstMatrixRef parameters)> at;
  // Curves: the ends of t, and p(t) over its largest value; null if t is uniform.
  double first = 0, last = 1;
  std::function<double(double t)> relative_density;
  std::optional<std::pair<double, double>> gap;  // an interval of t without data
  // In every ten training points one, at a random place, is uniform in the box [-outlier_box, outlier_box]^d instead;
  // 0: none.
  double outlier_box = 0;
  std::vector<std::string> parameter_names = {"t"};

  bool is_curve() const { return latent.dim() == 1; }
  bool is_closed() const { return latent.angles() == 1; }
};

// Draws a set piece by piece. Training and test points are independent, and the first points of a large set are those
// of a small one.
enum class TruthPart { training, test };
struct TruthPoints {
  Matrix points, truth, parameters;  // truth: without noise
  std::vector<bool> outlier;         // as many as points in a set with outliers; test points are none
};
class TruthStream {
 public:
  TruthStream(TruthSet set, std::uint64_t seed, TruthPart part);
  TruthPoints next(Index count);

 private:
  double draw_parameter();

  TruthSet set_;
  TruthPart part_;
  Random random_, outlier_random_;
  Index row_ = 0, outlier_row_ = -1;
};
TruthPoints draw_truth(const TruthSet& set, std::uint64_t seed, TruthPart part, Index count);

// Sheets: parameters are normal with this standard deviation.
inline constexpr double sheet_parameter_sd = 1.2;

// Parameters that cover a curve, equally spaced: of a closed one the middles of equal pieces, of an open one with both
// ends.
Matrix curve_parameters(const TruthSet& set, Index count);

// log p of each point, per unit of Riemannian volume, t integrated out by quadrature: 2,000 nodes along a curve, a
// lattice of step 0.03 over |x| < 6 of a sheet. Outliers are not in it.
Vector true_log_density(const TruthSet& set, ConstMatrixRef points);

struct TruthSource {
  std::string name, summary;
  TruthSet (*make)(std::uint64_t seed);
};
// circle, loop, turn, arc, sheet; then curves that are harder to learn.
const std::vector<TruthSource>& truth_sources();
const TruthSource* find_truth_source(const std::string& name);  // null if there is none

// How near two stretches of the trefoil come that do not follow each other.
inline constexpr double trefoil_strand_distance = 1.2143256;

TruthSet truth_circle(std::uint64_t seed);
TruthSet truth_loop(std::uint64_t seed);
TruthSet truth_turn(std::uint64_t seed);
TruthSet truth_arc(std::uint64_t seed);
TruthSet truth_sheet(std::uint64_t seed);
TruthSet truth_uneven(std::uint64_t seed);
TruthSet truth_gap(std::uint64_t seed);
TruthSet truth_peanut(std::uint64_t seed);
TruthSet truth_horseshoe(std::uint64_t seed);
TruthSet truth_eight(std::uint64_t seed);
TruthSet truth_trefoil(std::uint64_t seed);
TruthSet truth_trefoil_thick(std::uint64_t seed);
TruthSet truth_spiral(std::uint64_t seed);
TruthSet truth_circle20(std::uint64_t seed);
TruthSet truth_ellipse(std::uint64_t seed);
TruthSet truth_outliers(std::uint64_t seed);

}  // namespace wgp
