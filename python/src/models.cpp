// Fitted models: encode, decode, draw, score, save.
#include "arrays.h"
#include "loaded_model.h"
#include "module.h"
#include "wgp/latent_metric.h"
#include "wgp/report.h"

namespace wgp::python {
namespace {

EncodeOptions encode_options(const std::string& encoder, int threads) {
  EncodeOptions options;
  if (encoder != "density" && encoder != "projection")
    throw Error("encoder \"" + encoder + "\": density or projection is needed");
  options.encoder = encoder == "density" ? Encoder::density : Encoder::projection;
  options.threads = threads;
  return options;
}

Columns latents_of(const Model& model, const Rows& rows) {
  const Columns X = columns(rows);
  if (X.rows() != model.latent_dim())
    throw Error("latents have " + std::to_string(model.latent_dim()) + " numbers, not " + std::to_string(X.rows()));
  if (!X.allFinite()) throw Error("latents must be finite");
  return X;
}

nb::dict encoded(const LoadedModel& loaded, const Rows& points, const std::string& encoder, int threads,
                 bool with_density) {
  const Model& model = loaded.model;
  const EncodeOptions options = encode_options(encoder, threads);
  Encoding encoding;
  Vector log_density;
  {
    nb::gil_scoped_release release;
    encoding = model.encode(columns(points), options);
    // The latent integrated out; models of the ambient space have no density on the manifold, and say what they have.
    if (with_density)
      log_density =
          model.lift().is_embedded() ? encoding.log_density : mixture_log_density(model, columns(points), 0, &encoding);
  }
  nb::dict result;
  result["status"] = words_of(encoding.status, [](EncodeStatus status) { return to_string(status); });
  nb::list modes;
  for (const LatentMode& mode : encoding.modes)
    modes.append(nb::make_tuple(mode.point, numbers_of(mode.x), numbers_of(mode.sd), mode.probability));
  result["modes"] = modes;
  result["weight"] = numbers_of(std::move(encoding.weight));
  result["X"] = rows_of(std::move(encoding.X));
  result["sd"] = rows_of(std::move(encoding.sd));
  if (with_density) result["log_density"] = numbers_of(std::move(log_density));
  return result;
}

// Points, and the standard deviation of data about them in each tangent direction.
nb::tuple decoded(const LoadedModel& loaded, const Rows& latents, std::optional<Rows> latent_sd) {
  const Model& model = loaded.model;
  const Columns X = latents_of(model, latents);
  std::optional<Columns> sd;
  if (latent_sd) sd.emplace(latents_of(model, *latent_sd));
  if (sd && sd->cols() != X.cols()) throw Error("latents and their standard deviations are not as many");
  Prediction prediction;
  {
    nb::gil_scoped_release release;
    prediction = sd ? model.predict_uncertain(X, *sd) : model.predict(X);
    for (const Index i : prediction.report.outside_domain)
      prediction.points.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  Vector deviation = (prediction.variance.array() + prediction.noise).sqrt();
  return nb::make_tuple(rows_of(std::move(prediction.points)), numbers_of(std::move(deviation)));
}

nb::object drawn(const LoadedModel& loaded, const Rows& latents, Index count, std::uint64_t seed, bool noise,
                 bool joint) {
  const Columns X = latents_of(loaded.model, latents);
  Matrix points;
  {
    nb::gil_scoped_release release;
    Random random(seed);
    ExpReport report;
    points = loaded.model.sample(X, count, random, noise ? SampleOf::data : SampleOf::function,
                                 joint ? SampleHow::jointly : SampleHow::separately, &report);
    for (const Index i : report.outside_domain) points.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return rows_of(std::move(points));
}

nb::dict scored(const LoadedModel& loaded, const Rows& points, const std::string& encoder, int threads) {
  const EncodeOptions options = encode_options(encoder, threads);
  Score score;
  {
    nb::gil_scoped_release release;
    score = loaded.model.score(columns(points), options);
  }
  nb::dict result;
  result["intrinsic_rmse"] = score.intrinsic_rmse;
  result["intrinsic_median"] = score.intrinsic_median;
  result["euclidean_rmse"] = score.euclidean_rmse;
  result["log_density_mean"] = score.log_density_mean;
  result["held_out_log_density"] = score.held_out_log_density;
  result["outside_support"] = score.outside_support;
  result["n"] = score.n;
  result["intrinsic"] = numbers_of(std::move(score.intrinsic));
  result["euclidean"] = numbers_of(std::move(score.euclidean));
  return result;
}

nb::dict geodesic_of(const LoadedModel& loaded, const Numbers& from, const Numbers& to, Index nodes, bool straight) {
  const Index q = loaded.model.latent_dim();
  if (vector(from).size() != q || vector(to).size() != q) throw Error("latents have " + std::to_string(q) + " numbers");
  LatentGeodesic path;
  {
    nb::gil_scoped_release release;
    path = latent_geodesic(loaded.model, vector(from), vector(to), nodes,
                           straight ? LatentPath::straight : LatentPath::shortest);
  }
  nb::dict result;
  result["nodes"] = rows_of(std::move(path.nodes));
  result["length"] = path.length;
  result["straight_length"] = path.straight_length;
  result["converged"] = path.converged;
  return result;
}

ReportOptions report_options(const std::string& name, const std::string& column, std::vector<std::string> labels) {
  return {name, "Written by wgp " WGP_VERSION ".", column, std::move(labels)};
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<LoadedModel>(module, "Model")
      .def_prop_ro("kind", [](const LoadedModel& loaded) { return to_string(loaded.model.parts().kind); })
      .def_prop_ro("manifold", [](const LoadedModel& loaded) { return loaded.model.parts().manifold; })
      .def_prop_ro("latent_dim", [](const LoadedModel& loaded) { return loaded.model.latent_dim(); })
      .def_prop_ro("angles", [](const LoadedModel& loaded) { return loaded.model.parts().latent.angles(); })
      .def_prop_ro("on_manifold", [](const LoadedModel& loaded) { return loaded.model.on_manifold(); })
      .def_prop_ro("row_form", [](const LoadedModel& loaded) { return loaded.notes.row_form; })
      .def_prop_ro("encoder", [](const LoadedModel& loaded) { return loaded.notes.encoder; })
      .def_prop_ro("X", [](const LoadedModel& loaded) { return rows_of(loaded.model.parts().X); })
      .def_prop_ro("X_sd", [](const LoadedModel& loaded) { return rows_of(loaded.model.parts().X_sd); })
      .def_prop_ro("base", [](const LoadedModel& loaded) { return numbers_of(loaded.model.parts().base); })
      .def_prop_ro("noise", [](const LoadedModel& loaded) { return loaded.model.parts().noise; })
      .def_prop_ro("points_fitted", [](const LoadedModel& loaded) { return loaded.model.parts().point_count(); })
      .def_prop_ro("summary", &summary_of)
      .def("encode", &encoded)
      .def("decode", &decoded, nb::arg("latents"), nb::arg("sd").none())
      .def("sample", &drawn)
      .def("score", &scored)
      .def("log_density",
           [](const LoadedModel& loaded, const Rows& points, const std::string& encoder, int threads) -> nb::object {
             return encoded(loaded, points, encoder, threads, true)["log_density"];
           })
      .def("conformal_radius",
           [](const LoadedModel& loaded, double level) { return loaded.model.conformal_radius(level); })
      .def("confidence_radius",
           [](const LoadedModel& loaded, const Rows& latents, double level) {
             return numbers_of(loaded.model.confidence_radius(latents_of(loaded.model, latents), level));
           })
      .def("latent_metric",
           [](const LoadedModel& loaded, const Numbers& x) {
             if (vector(x).size() != loaded.model.latent_dim())
               throw Error("latents have " + std::to_string(loaded.model.latent_dim()) + " numbers");
             return matrix_of(loaded.model.latent_metric(vector(x)));
           })
      .def("geodesic", &geodesic_of)
      .def("left_out_shares", [](const LoadedModel& loaded) { return numbers_of(loaded.summary.left_out_shares); })
      .def("html",
           [](const LoadedModel& loaded, const std::string& name, const std::string& column,
              std::vector<std::string> labels) {
             const ReportOptions options = report_options(name, column, std::move(labels));
             nb::gil_scoped_release release;
             return report_html(loaded, options);
           })
      .def("latent_svg",
           [](const LoadedModel& loaded, const std::string& column, std::vector<std::string> labels) {
             const ReportOptions options = report_options("model", column, std::move(labels));
             nb::gil_scoped_release release;
             return latent_svg(loaded, options);
           })
      .def("bytes",
           [](const LoadedModel& loaded) {
             const std::string bytes = model_bytes(loaded.model, loaded.summary, loaded.notes);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__getstate__",
           [](const LoadedModel& loaded) {
             const std::string bytes = model_bytes(loaded.model, loaded.summary, loaded.notes);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__",
           [](LoadedModel& loaded, const nb::bytes& bytes) {
             new (&loaded) LoadedModel(parse_model(std::string(bytes.c_str(), bytes.size()), "a pickled model"));
           })
      .def("save", [](const LoadedModel& loaded, const std::string& path) {
        save_model(path, loaded.model, loaded.summary, loaded.notes);
      });
  module.def("load_model", [](const std::string& path) { return load_model(path); });
  module.def("parse_model", [](const nb::bytes& bytes, const std::string& name) {
    return parse_model(std::string(bytes.c_str(), bytes.size()), name);
  });
}

}  // namespace wgp::python
