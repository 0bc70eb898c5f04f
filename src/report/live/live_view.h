// What the page of a model shows at a latent that its reader points to: the model's point there, how sure it is of it,
// a picture of both, and facts in words.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/svg/svg.h"
#include "wgp/model_file.h"
#include "wgp/row_form.h"

namespace wgp::report {

// The model at one latent.
struct Look {
  Vector x, point;     // point: empty where the manifold has none there
  Matrix draws;        // points that might be met there, one a column; the same random numbers at every latent
  double sd = 0;       // of the prediction in one tangent direction
  double data_sd = 0;  // of new points
  double radius = 0;   // of the ball that holds 95 % of new points
};

enum class Spread { none, prediction, data };  // of what draws are: nothing, the prediction itself, new points

// How a page draws points: in space, with its own hands (globe, ellipsoid, frames, landmarks, space), or as the picture
// that comes from here (flat).
enum class ViewKind { flat, globe, ellipsoid, frames, landmarks, space };
std::string to_string(ViewKind kind);
ViewKind view_kind(const Manifold& manifold);

// A flat picture of a look, on one scale for all of the model's points.
class LivePicture {
 public:
  virtual ~LivePicture() = default;
  // other: a point to be seen beside it, a training point say; empty for none.
  virtual Svg draw(const Look& look, ConstVectorRef other) const = 0;
  virtual std::string words() const = 0;
};
struct LivePictureScale {
  Matrix points;                      // what must fit
  Vector mean;                        // what differences are shown from
  std::vector<std::string> channels;  // names of rows and columns of matrices, or none
};
std::unique_ptr<const LivePicture> live_picture(const Model& model, const LivePictureScale& scale);

class LiveView {
 public:
  explicit LiveView(const LoadedModel& loaded);

  const Model& model() const { return model_; }
  const Vector& mean() const { return scale_.mean; }
  Look look(ConstVectorRef x, Spread spread) const;
  // Name and value, the value with its unit.
  std::vector<std::pair<std::string, std::string>> facts(const Look& look) const;
  Svg picture(const Look& look, ConstVectorRef other) const { return picture_->draw(look, other); }
  std::string words() const { return picture_->words(); }
  double distance(ConstVectorRef p, ConstVectorRef q) const;
  // How the model's points stand in rows of tables.
  const RowForm& row_form() const { return *row_form_; }

 private:
  Model model_;
  std::shared_ptr<const RowForm> row_form_;
  LivePictureScale scale_;
  std::unique_ptr<const LivePicture> picture_;
};

// Facts of a point by itself: eigenvalues, anisotropy, angles.
std::vector<std::pair<std::string, std::string>> facts_of_point(const Manifold& manifold, ConstVectorRef point);

// The circle (ambient x count, closed) of this radius about a point of a manifold of two dimensions.
Matrix circle_about(const Manifold& manifold, ConstVectorRef point, double radius, Index count);

// Of spd:3: half-axes of the ellipsoid {x : x' A^-1 x = 1}, one a column, the longest last.
Matrix half_axes(ConstVectorRef tensor);

}  // namespace wgp::report
