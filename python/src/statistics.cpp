// Frechet means, principal geodesics, principal curves, wrapped Gaussians.
#include "wgp/statistics.h"

#include "arrays.h"
#include "module.h"
#include "wgp/distribution.h"

namespace wgp::python {
namespace {

nb::dict mean_of(const Manifold& manifold, const Rows& rows, std::optional<Numbers> weights, double tolerance,
                 int max_iterations, std::uint64_t seed) {
  MeanOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.seed = seed;
  FrechetMean found;
  {
    nb::gil_scoped_release release;
    found = weights ? frechet_mean(manifold, columns(rows), vector(*weights), options)
                    : frechet_mean(manifold, columns(rows), options);
  }
  nb::dict result;
  result["mean"] = numbers_of(found.mean);
  result["variance"] = found.variance;
  result["radius"] = found.radius;
  result["gradient_norm"] = found.gradient_norm;
  result["iterations"] = found.iterations;
  result["status"] = to_string(found.status);
  result["unique"] = found.unique;
  return result;
}

nb::dict pga_of(const Manifold& manifold, const Rows& rows, const Numbers& mean, Index components, bool exact,
                int max_iterations) {
  Pga found;
  {
    nb::gil_scoped_release release;
    ExactPgaOptions options;
    options.max_iterations = max_iterations;
    found = exact ? exact_pga(manifold, columns(rows), vector(mean), components, options)
                  : tangent_pga(manifold, columns(rows), vector(mean), components);
  }
  nb::dict result;
  result["eigenvalues"] = numbers_of(found.eigenvalues);
  result["total_variance"] = found.total_variance;
  result["directions"] = rows_of(std::move(found.directions));
  result["scores"] = rows_of(std::move(found.scores));
  result["residual"] = found.residual;
  result["iterations"] = found.iterations;
  result["converged"] = found.converged;
  return result;
}

nb::dict curve_of(const Manifold& manifold, const Rows& rows, bool closed, Index nodes, double bandwidth,
                  int max_iterations, std::uint64_t seed) {
  CurveOptions options;
  options.topology = closed ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
  options.nodes = nodes;
  options.bandwidth = bandwidth;
  options.max_iterations = max_iterations;
  options.seed = seed;
  PrincipalCurve found;
  {
    nb::gil_scoped_release release;
    found = principal_curve(manifold, columns(rows), options);
  }
  nb::dict result;
  result["nodes"] = rows_of(std::move(found.nodes));
  result["length"] = found.length;
  result["arc_length"] = numbers_of(found.arc_length);
  result["latents"] = numbers_of(found.latents);
  result["distances"] = numbers_of(found.distances);
  result["mean_squared_distance"] = found.mean_squared_distance;
  result["bandwidth"] = found.bandwidth;
  result["iterations"] = found.iterations;
  result["converged"] = found.converged;
  return result;
}

nb::object sample_of(const WrappedGaussian& gaussian, Index count, std::uint64_t seed) {
  Sample draws;
  {
    nb::gil_scoped_release release;
    Random random(seed);
    draws = gaussian.sample(random, count);
  }
  return rows_of(std::move(draws.points));
}

nb::object log_density_of(const WrappedGaussian& gaussian, const Rows& rows) {
  if (columns(rows).rows() != gaussian.manifold()->ambient_dim()) throw Error("points of another width");
  Vector values;
  {
    nb::gil_scoped_release release;
    values = gaussian.log_density(columns(rows)).values;
  }
  return numbers_of(std::move(values));
}

}  // namespace

void bind_statistics(nb::module_& module) {
  module.def("frechet_mean", &mean_of, nb::arg("manifold"), nb::arg("points"), nb::arg("weights").none(),
             nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("seed"));
  module.def("pga", &pga_of);
  module.def("principal_curve", &curve_of);
  module.def("curve_projection", [](const Manifold& manifold, const Rows& nodes, bool closed, const Rows& points) {
    CurveProjections found;
    {
      nb::gil_scoped_release release;
      found = project_on_curve(manifold, columns(nodes),
                               closed ? CurveOptions::Topology::closed : CurveOptions::Topology::open, columns(points));
    }
    return nb::make_tuple(numbers_of(std::move(found.arc_length)), numbers_of(std::move(found.distance)));
  });
  module.def("curve_points", [](const Manifold& manifold, const Rows& nodes, bool closed, const Numbers& arc_lengths) {
    return rows_of(points_on_curve(manifold, columns(nodes),
                                   closed ? CurveOptions::Topology::closed : CurveOptions::Topology::open,
                                   vector(arc_lengths)));
  });
  nb::class_<WrappedGaussian>(module, "WrappedGaussian")
      .def("__init__",
           [](WrappedGaussian* self, std::shared_ptr<const Manifold> manifold, const Numbers& mean,
              const Rows& covariance) {
             new (self) WrappedGaussian(std::move(manifold), vector(mean), Matrix(columns(covariance)));
           })
      .def("sample", &sample_of)
      .def("log_density", &log_density_of);
}

}  // namespace wgp::python
