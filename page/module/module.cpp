// What the page calls: a model is opened once, then asked about latents. Numbers go through memory that wgp_room()
// hands out, matrices column by column; texts end with a zero byte. What cannot be done returns 0, and wgp_text() says
// why.
#include <emscripten.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "report/live/live_view.h"
#include "wgp/model_file.h"

namespace {

using namespace wgp;

struct Opened {
  explicit Opened(const LoadedModel& model) : loaded(model), view(model) {
    latents = loaded.model.parts().latent.wrapped(loaded.model.parts().X);
  }
  LoadedModel loaded;
  report::LiveView view;
  Matrix latents;
};
std::optional<Opened> opened;
report::Look look;
std::string text;
std::vector<double> room;

const Model& model() { return opened->loaded.model; }

template <class Body>
int guarded(const Body& body) {
  try {
    body();
    return 1;
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "something went wrong";
  }
  return 0;
}

Eigen::Map<const Matrix> columns(const double* numbers, Index rows, Index count) { return {numbers, rows, count}; }
void put(const Matrix& numbers, double* to) { std::copy_n(numbers.data(), numbers.size(), to); }

}  // namespace

#define PAGE_API extern "C" EMSCRIPTEN_KEEPALIVE

// Memory for so many numbers; it stays until more is asked for.
PAGE_API double* wgp_room(std::size_t numbers) {
  if (room.size() < numbers) room.resize(numbers);
  return room.data();
}
PAGE_API const char* wgp_text() { return text.c_str(); }

PAGE_API int wgp_open(const char* bytes, std::size_t size) {
  return guarded([&] { opened.emplace(parse_model(std::string(bytes, size), "the page's model")); });
}

// 0: latent coordinates, 1: numbers of a point, 2: dimension of the manifold, 3: latents held, 4: points held,
// 5: whether latents have standard deviations, 6: numbers of a row of a table
PAGE_API int wgp_size(int what) {
  const Model::Parts& parts = model().parts();
  switch (what) {
    case 0:
      return static_cast<int>(model().latent_dim());
    case 1:
      return static_cast<int>(opened->view.mean().size());
    case 2:
      return static_cast<int>(parts.manifold->dim());
    case 3:
      return static_cast<int>(parts.X.cols());
    case 4:
      return static_cast<int>(parts.P.cols());
    case 5:
      return parts.X_sd.size() > 0;
    default:
      return static_cast<int>(opened->view.row_form().width());
  }
}
// 0: latents, 1: their standard deviations, 2: points, 3: the mean, 4: the last look's point, 5: its draws (their
// number: wgp_draws())
PAGE_API const double* wgp_numbers(int what) {
  switch (what) {
    case 0:
      return opened->latents.data();
    case 1:
      return model().parts().X_sd.data();
    case 2:
      return model().parts().P.data();
    case 3:
      return opened->view.mean().data();
    case 4:
      return look.point.size() > 0 ? look.point.data() : nullptr;
    default:
      return look.draws.data();
  }
}
PAGE_API int wgp_draws() { return static_cast<int>(look.draws.cols()); }

// The model at a latent; spread: 0 nothing, 1 the prediction's, 2 that of new points. Facts as "name\tvalue\n".
PAGE_API int wgp_look(const double* x, int spread) {
  return guarded([&] {
    const Vector at = columns(x, model().latent_dim(), 1);
    look = opened->view.look(at, static_cast<report::Spread>(spread));
    text.clear();
    for (const auto& [name, value] : opened->view.facts(look)) text += name + '\t' + value + '\n';
  });
}
// 0: sd of the prediction, 1: of new points, 2: radius that holds 95 % of them
PAGE_API double wgp_look_number(int what) { return what == 0 ? look.sd : what == 1 ? look.data_sd : look.radius; }
// The last look's picture as SVG in wgp_text(); other: a point beside it, or null.
PAGE_API int wgp_picture(const double* other) {
  return guarded([&] {
    const Vector beside = other ? Vector(columns(other, opened->view.mean().size(), 1)) : Vector();
    text = look.point.size() > 0 ? opened->view.picture(look, beside).element() : "";
  });
}
PAGE_API int wgp_picture_words() {
  return guarded([&] { text = opened->view.words(); });
}

// Points (or columns of NaN) at many latents.
PAGE_API int wgp_decode(const double* x, int count, double* points) {
  return guarded([&] {
    ExpReport report;
    Matrix found = model().mean_points(columns(x, model().latent_dim(), count), &report);
    for (const Index i : report.outside_domain) found.col(i).setConstant(std::nan(""));
    put(found, points);
  });
}
// Standard deviations of the prediction, or with noise of new points.
PAGE_API int wgp_spread(const double* x, int count, int noise, double* sd) {
  return guarded([&] {
    const Prediction prediction = model().predict(columns(x, model().latent_dim(), count));
    put((prediction.variance.array().max(0) + (noise ? prediction.noise : 0)).sqrt(), sd);
  });
}
// Radii that hold 95 % of new points.
PAGE_API int wgp_radii(const double* x, int count, double* radii) {
  return guarded([&] { put(model().confidence_radius(columns(x, model().latent_dim(), count), 0.95), radii); });
}
// A closed circle of this radius about a point of a manifold of two dimensions.
PAGE_API int wgp_circle(const double* point, double radius, int count, double* points) {
  return guarded([&] {
    const Manifold& manifold = model().manifold();
    put(report::circle_about(manifold, columns(point, manifold.ambient_dim(), 1), radius, count), points);
  });
}
// Nodes of the latent geodesic; its length and that of the straight line stand behind them.
PAGE_API int wgp_geodesic(const double* from, const double* to, int nodes, double* path) {
  return guarded([&] {
    const Index q = model().latent_dim();
    const LatentGeodesic found =
        latent_geodesic(model(), Vector(columns(from, q, 1)), Vector(columns(to, q, 1)), nodes);
    put(found.nodes, path);
    path[found.nodes.size()] = found.length;
    path[found.nodes.size() + 1] = found.straight_length;
  });
}
PAGE_API double wgp_distance(const double* p, const double* q) {
  double distance = std::nan("");
  guarded([&] {
    const Index size = opened->view.mean().size();
    distance = opened->view.distance(Vector(columns(p, size, 1)), Vector(columns(q, size, 1)));
  });
  return distance;
}
// Of a tensor of three axes the half-axes of its ellipsoid {x : x' A^-1 x = 1}, longest last, one a column.
PAGE_API int wgp_half_axes(const double* point, double* axes) {
  return guarded([&] { put(report::half_axes(Vector(columns(point, 9, 1))), axes); });
}
// Points as rows of tables.
PAGE_API int wgp_rows(const double* points, int count, double* rows) {
  return guarded([&] {
    const Index size = opened->view.mean().size();
    Matrix all(opened->view.row_form().width(), count);
    for (Index i = 0; i < count; ++i)
      all.col(i) = opened->view.row_form().from_point(Vector(columns(points + i * size, size, 1)));
    put(all, rows);
  });
}
