// Manifolds and tangent spaces on arrays of points.
#include <algorithm>
#include <memory>

#include "arrays.h"
#include "module.h"
#include "result_memory.h"
#include "wgp/exact_points.h"
#include "wgp/manifold.h"
#include "wgp/row_form.h"
#include "wgp/testing.h"

namespace wgp::python {
namespace {

// Calls work(space, first, count) for runs of rows with the same base point; one base row goes for all of them.
template <class Work>
void at_each_base(const Manifold& manifold, const Columns& bases, Index count, Work work) {
  if (bases.rows() != manifold.ambient_dim())
    throw Error("base points of " + manifold.spec() + " have " + std::to_string(manifold.ambient_dim()) +
                " numbers, not " + std::to_string(bases.rows()));
  if (bases.cols() == 1) return work(*manifold.at(bases.col(0)), Index(0), count);
  if (bases.cols() != count)
    throw Error(std::to_string(bases.cols()) + " base points for " + std::to_string(count) +
                " rows; one for all is needed, or one each");
  for (Index i = 0; i < count; ++i) work(*manifold.at(bases.col(i)), i, Index(1));
}

void check_width(const Manifold& manifold, Index width, Index wanted, const char* what) {
  if (width != wanted)
    throw Error(std::string(what) + " of " + manifold.spec() + " have " + std::to_string(wanted) + " numbers, not " +
                std::to_string(width));
}

Columns points_on(const Manifold& manifold, const Rows& rows) {
  const Columns points = columns(rows);
  check_width(manifold, points.rows(), manifold.ambient_dim(), "points");
  return points;
}

// Rows that have no result say so by numbers that are none.
void set_missing(MatrixRef points, const ExpReport& report) {
  for (const Index i : report.outside_domain) points.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
}

nb::object exp_of(const Manifold& manifold, const Rows& base_rows, const Rows& vectors) {
  const Columns bases = columns(base_rows), ambient = points_on(manifold, vectors);
  Matrix points = room(ambient.rows(), ambient.cols());
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, ambient.cols(), [&](const TangentSpace& space, Index first, Index count) {
      const Matrix coords = space.to_coords(ambient.middleCols(first, count));
      Matrix ends(ambient.rows(), count);
      set_missing(ends, space.exp(coords, ends));
      points.middleCols(first, count) = ends;
    });
  }
  return rows_of(std::move(points));
}

nb::object log_of(const Manifold& manifold, const Rows& base_rows, const Rows& point_rows) {
  const Columns bases = columns(base_rows), points = points_on(manifold, point_rows);
  Matrix ambient = room(points.rows(), points.cols());
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, points.cols(), [&](const TangentSpace& space, Index first, Index count) {
      Matrix coords = room(manifold.dim(), count);
      space.log(points.middleCols(first, count), coords);
      ambient.middleCols(first, count) = space.to_ambient(coords);
    });
  }
  return rows_of(std::move(ambient));
}

nb::list log_statuses(const Manifold& manifold, const Rows& base_rows, const Rows& point_rows) {
  const Columns bases = columns(base_rows), points = points_on(manifold, point_rows);
  std::vector<LogStatus> statuses;
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, points.cols(), [&](const TangentSpace& space, Index first, Index count) {
      Matrix coords = room(manifold.dim(), count);
      const LogReport report = space.log(points.middleCols(first, count), coords);
      statuses.insert(statuses.end(), report.status.begin(), report.status.end());
    });
  }
  return words_of(statuses, [](LogStatus status) { return to_string(status); });
}

nb::object distances(const Manifold& manifold, const Rows& base_rows, const Rows& point_rows) {
  const Columns bases = columns(base_rows), points = points_on(manifold, point_rows);
  Vector result(points.cols());
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, points.cols(), [&](const TangentSpace& space, Index first, Index count) {
      result.segment(first, count) = space.distance(points.middleCols(first, count));
    });
  }
  return numbers_of(std::move(result));
}

// Row i, column j: between row i of the first and row j of the second.
nb::object distance_matrix(const Manifold& manifold, const Rows& first_rows, const Rows& second_rows) {
  const Columns from = points_on(manifold, first_rows), to = points_on(manifold, second_rows);
  Matrix result(to.cols(), from.cols());
  {
    nb::gil_scoped_release release;
    for (Index i = 0; i < from.cols(); ++i) result.col(i) = manifold.at(from.col(i))->distance(to);
  }
  return rows_of(std::move(result));
}

// The vectors at P, carried along the geodesics to Q, as they stand at the representatives of Q that were given.
nb::object transported(const Manifold& manifold, const Rows& base_rows, const Rows& point_rows, const Rows& vectors) {
  const Columns bases = columns(base_rows), points = points_on(manifold, point_rows),
                ambient = points_on(manifold, vectors);
  if (points.cols() != ambient.cols() && points.cols() != 1)
    throw Error(std::to_string(points.cols()) + " end points for " + std::to_string(ambient.cols()) +
                " vectors; one for all is needed, or one each");
  Matrix result(ambient.rows(), ambient.cols());
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, ambient.cols(), [&](const TangentSpace& space, Index first, Index count) {
      const Matrix w = space.to_coords(ambient.middleCols(first, count));
      for (Index i = 0; i < count; ++i) {
        const Vector q = points.col(points.cols() == 1 ? 0 : first + i);
        const Vector v = log_coords(space, q);
        result.col(first + i) = manifold.aligned(exp_point(space, v), q, space.transport(v, w.col(i)));
      }
    });
  }
  return rows_of(std::move(result));
}

nb::object log_determinants(const Manifold& manifold, const Rows& base_rows, const Rows& point_rows) {
  const Columns bases = columns(base_rows), points = points_on(manifold, point_rows);
  Vector result(points.cols());
  {
    nb::gil_scoped_release release;
    at_each_base(manifold, bases, points.cols(), [&](const TangentSpace& space, Index first, Index count) {
      Matrix coords = room(manifold.dim(), count);
      space.log(points.middleCols(first, count), coords);
      for (Index i = 0; i < count; ++i) result[first + i] = space.jacobi(coords.col(i))->log_det();
    });
  }
  return numbers_of(std::move(result));
}

nb::list defects(const Manifold& manifold, const Rows& rows, std::optional<double> tolerance) {
  const Columns points = points_on(manifold, rows);
  nb::list found;
  for (Index i = 0; i < points.cols(); ++i) {
    const auto defect = manifold.defect(points.col(i), tolerance.value_or(manifold.default_tolerance()));
    found.append(defect ? nb::object(nb::str(defect->c_str())) : nb::object(nb::none()));
  }
  return found;
}

nb::object projected(const Manifold& manifold, const Rows& rows) {
  const Columns given = points_on(manifold, rows);
  Matrix points = room(given.rows(), given.cols());
  {
    nb::gil_scoped_release release;
    for (Index i = 0; i < given.cols(); ++i) {
      try {
        points.col(i) = manifold.project(given.col(i));
      } catch (const Error& error) {
        throw Error("row " + std::to_string(i + 1) + ": " + error.what());
      }
    }
  }
  return rows_of(std::move(points));
}

nb::object random_points(const Manifold& manifold, Index count, std::uint64_t seed) {
  Random random(seed);
  Matrix points = room(manifold.ambient_dim(), count);
  {
    nb::gil_scoped_release release;
    for (Index i = 0; i < count; ++i) points.col(i) = manifold.random_point(random);
  }
  return rows_of(std::move(points));
}

std::shared_ptr<const RowForm> form_named(const Manifold& manifold, const std::string& name) {
  for (const auto& form : row_forms(manifold))
    if (form->name() == name) return form;
  throw Error(manifold.spec() + " has no row form \"" + name + "\"");
}

// Rows in one of the manifold's forms, checked and brought onto it; Error names the first that is no point. None where
// the rows are the points as they stand, so that nothing is copied.
nb::object points_of_rows(const Manifold& manifold, const Rows& rows, const std::string& form,
                          std::optional<double> tolerance, const std::string& advice) {
  const auto row_form = form_named(manifold, form);
  const Columns given = columns(rows);
  check_width(manifold, given.rows(), row_form->width(), "rows");
  const bool ambient = form == row_forms(manifold).front()->name();
  const auto exact_from = [&](Index first) {
    return ambient ? leading_exact(manifold, given.rightCols(given.cols() - first)) : 0;
  };
  Index done = 0;
  {
    nb::gil_scoped_release release;
    done = exact_from(0);
  }
  if (ambient && done == given.cols()) return nb::none();
  Matrix points = room(manifold.ambient_dim(), given.cols());
  {
    nb::gil_scoped_release release;
    if (done > 0) points.leftCols(done) = given.leftCols(done);
    while (done < given.cols()) {
      const std::string defect = point_of_row(manifold, *row_form, given.col(done),
                                              tolerance.value_or(manifold.default_tolerance()), points.col(done));
      if (!defect.empty()) throw Error("row " + std::to_string(done + 1) + ": " + defect + advice);
      ++done;
      const Index exact = exact_from(done);
      if (exact > 0) points.middleCols(done, exact) = given.middleCols(done, exact);
      done += exact;
    }
  }
  return rows_of(std::move(points));
}

nb::object rows_of_points(const Manifold& manifold, const Rows& rows, const std::string& form) {
  const auto row_form = form_named(manifold, form);
  const Columns points = points_on(manifold, rows);
  Matrix result(row_form->width(), points.cols());
  for (Index i = 0; i < points.cols(); ++i) result.col(i) = row_form->from_point(points.col(i));
  return rows_of(std::move(result));
}

// Results go into the array that was given for them, or into a new one.
template <class Work>
nb::object filled(std::optional<RowsToFill>& out, Index rows, Index columns, Work work) {
  if (!out) {
    auto memory = std::make_unique<ResultMemory>(rows * columns);
    Eigen::Map<Matrix> result(memory->data(), rows, columns);
    {
      nb::gil_scoped_release release;
      work(MatrixRef(result));
    }
    const nb::capsule owner(memory.get(), [](void* one) noexcept { delete static_cast<ResultMemory*>(one); });
    memory.release();
    const std::size_t shape[] = {static_cast<std::size_t>(columns), static_cast<std::size_t>(rows)};
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(result.data(), 2, shape, owner));
  }
  if (static_cast<Index>(out->shape(0)) != columns || static_cast<Index>(out->shape(1)) != rows)
    throw Error("out: " + std::to_string(columns) + " rows of " + std::to_string(rows) + " numbers are needed, not " +
                std::to_string(out->shape(0)) + " of " + std::to_string(out->shape(1)));
  Eigen::Map<Matrix> result(out->data(), rows, columns);
  {
    nb::gil_scoped_release release;
    work(MatrixRef(result));
  }
  return nb::none();
}

nb::object exp_at(const TangentSpace& space, const Rows& rows, std::optional<RowsToFill> out) {
  const Columns coords = columns(rows);
  if (coords.rows() != space.dim())
    throw Error("tangent coordinates have " + std::to_string(space.dim()) + " numbers, not " +
                std::to_string(coords.rows()));
  return filled(out, space.base().size(), coords.cols(),
                [&](MatrixRef points) { set_missing(points, space.exp(coords, points)); });
}

nb::object log_at(const TangentSpace& space, const Rows& rows, std::optional<RowsToFill> out) {
  const Columns points = columns(rows);
  if (points.rows() != space.base().size())
    throw Error("points have " + std::to_string(space.base().size()) + " numbers, not " +
                std::to_string(points.rows()));
  return filled(out, space.dim(), points.cols(), [&](MatrixRef coords) { space.log(points, coords); });
}

void bind_tangent_space(nb::module_& module) {
  nb::class_<TangentSpace>(module, "TangentSpace")
      .def_prop_ro("dim", &TangentSpace::dim)
      .def_prop_ro("base", [](const TangentSpace& space) { return numbers_of(space.base()); })
      .def("exp", &exp_at, nb::arg("coords"), nb::arg("out").none() = nb::none())
      .def("log", &log_at, nb::arg("points"), nb::arg("out").none() = nb::none())
      .def("dist",
           [](const TangentSpace& space, const Rows& rows) {
             const Columns points = columns(rows);
             if (points.rows() != space.base().size())
               throw Error("points have " + std::to_string(space.base().size()) + " numbers, not " +
                           std::to_string(points.rows()));
             Vector result;
             {
               nb::gil_scoped_release release;
               result = space.distance(points);
             }
             return numbers_of(std::move(result));
           })
      .def("to_ambient",
           [](const TangentSpace& space, const Rows& coords) {
             if (columns(coords).rows() != space.dim())
               throw Error("tangent coordinates have " + std::to_string(space.dim()) + " numbers, not " +
                           std::to_string(columns(coords).rows()));
             return rows_of(space.to_ambient(columns(coords)));
           })
      .def("to_coords", [](const TangentSpace& space, const Rows& ambient) {
        if (columns(ambient).rows() != space.base().size())
          throw Error("tangent vectors have " + std::to_string(space.base().size()) + " numbers, not " +
                      std::to_string(columns(ambient).rows()));
        return rows_of(space.to_coords(columns(ambient)));
      });
}

}  // namespace

void bind_manifolds(nb::module_& module) {
  bind_tangent_space(module);
  nb::class_<Manifold>(module, "Manifold")
      .def_prop_ro("spec", &Manifold::spec)
      .def_prop_ro("dim", &Manifold::dim)
      .def_prop_ro("ambient_dim", &Manifold::ambient_dim)
      .def_prop_ro("default_tolerance", &Manifold::default_tolerance)
      .def_prop_ro("injectivity_radius", &Manifold::injectivity_radius)
      .def_prop_ro("mean_ball_radius", &Manifold::mean_ball_radius)
      .def_prop_ro("is_flat", &Manifold::is_flat)
      .def_prop_ro("is_symmetric", &Manifold::is_symmetric)
      .def_prop_ro("row_forms",
                   [](const Manifold& manifold) {
                     return words_of(row_forms(manifold),
                                     [](const auto& form) { return nb::make_tuple(form->name(), form->width()); });
                   })
      .def_prop_ro("ambient_names", [](const Manifold& manifold) { return ambient_names(manifold); })
      .def(
          "at",
          [](const Manifold& manifold, const Numbers& base) {
            check_width(manifold, vector(base).size(), manifold.ambient_dim(), "points");
            return std::shared_ptr<const TangentSpace>(manifold.at(vector(base)));
          },
          nb::keep_alive<0, 1>())
      .def("exp", &exp_of)
      .def("log", &log_of)
      .def("log_status", &log_statuses)
      .def("dist", &distances)
      .def("pairwise_dist", &distance_matrix)
      .def("transport", &transported)
      .def("logdet", &log_determinants)
      .def("defect", &defects, nb::arg("points"), nb::arg("tolerance").none())
      .def("project", &projected)
      .def("random_point", &random_points)
      .def("points_of_rows", &points_of_rows, nb::arg("rows"), nb::arg("form"), nb::arg("tolerance").none(),
           nb::arg("advice"))
      .def("rows_of_points", &rows_of_points);
  module.def("parse_manifold", [](const std::string& spec) { return parse_manifold(spec); });
  module.def("registered_manifolds", [] {
    return words_of(registered_manifolds(), [](const ManifoldEntry& entry) {
      nb::dict line;
      line["name"] = entry.name;
      line["syntax"] = entry.syntax;
      line["dimension"] = entry.dimension;
      line["injectivity_radius"] = entry.injectivity_radius;
      line["method"] = entry.method;
      line["data"] = entry.data;
      line["metric"] = entry.metric;
      line["geomstats"] = entry.geomstats;
      line["examples"] = entry.examples;
      return line;
    });
  });
  module.def("check_manifold", [](const Manifold& manifold, int draws, std::uint64_t seed, double tolerance,
                                  double derivative_tolerance) {
    std::vector<CheckFailure> failures;
    {
      nb::gil_scoped_release release;
      failures = check_manifold(manifold, {draws, seed, tolerance, derivative_tolerance});
    }
    return words_of(failures,
                    [](const CheckFailure& failure) { return nb::make_tuple(failure.property, failure.message); });
  });
}

}  // namespace wgp::python
