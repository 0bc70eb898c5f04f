#include "io/model/model_json.h"

#include "core/format.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "gp/dense_posterior.h"
#include "gp/lattice_posterior.h"
#include "io/bytes/bounded_json.h"
#include "io/bytes/number.h"
#include "wgp/io.h"

namespace wgp {
namespace {

constexpr const char* format_name = "wgp-model";

std::string to_string(LengthScales lengths) { return lengths == LengthScales::shared ? "shared" : "per_dimension"; }

constexpr std::int64_t most_points_fitted = 1000000000000;

// JSON has no infinities; they stand as text.
ModelJson from_number(double value) {
  return std::isfinite(value) ? ModelJson(value) : ModelJson(format_number(value));
}

ModelJson from_start(const StartReport& start) {
  return {{"kind", start.kind},
          {"log_posterior", from_number(start.log_posterior)},
          {"log_likelihood", from_number(start.log_likelihood)},
          {"leave_one_out", from_number(start.leave_one_out)},
          {"iterations", start.iterations},
          {"evaluations", start.evaluations},
          {"stop", to_string(start.stop)},
          {"degenerate", start.degenerate},
          {"chosen", start.chosen}};
}

ModelJson from_summary(const FitSummary& summary) {
  ModelJson starts = ModelJson::array();
  for (const StartReport& start : summary.starts) starts.push_back(from_start(start));
  ModelJson object = {{"log_likelihood", from_number(summary.log_likelihood)},
                      {"log_posterior", from_number(summary.log_posterior)},
                      {"iterations", summary.iterations},
                      {"evaluations", summary.evaluations},
                      {"stop", to_string(summary.stop)},
                      {"jitter", from_number(summary.jitter)},
                      {"cut_locus_points", summary.cut_locus_points},
                      {"near_cut_points", summary.near_cut_points},
                      {"largest_nonprincipal_responsibility", from_number(summary.largest_nonprincipal_responsibility)},
                      {"cancelled", summary.cancelled},
                      {"starts", starts}};
  object["inference"] = to_string(summary.inference);
  if (!summary.inference_note.empty()) object["inference_note"] = summary.inference_note;
  if (summary.bound) object["bound"] = from_number(*summary.bound);
  for (const CandidateReport& candidate : summary.candidates) {
    ModelJson one = {{"kind", candidate.kind},
                     {"bound", from_number(candidate.bound)},
                     {"noise_sd", from_number(candidate.noise_sd)},
                     {"iterations", candidate.iterations},
                     {"chosen", candidate.chosen}};
    if (candidate.held_out_log_density) one["held_out_log_density"] = from_number(*candidate.held_out_log_density);
    object["candidates"].push_back(one);
  }
  if (!summary.outliers.empty()) object["outliers"] = summary.outliers;
  if (!summary.left_undone.empty()) object["left_undone"] = summary.left_undone;
  if (!summary.latent_note.empty()) object["latent_note"] = summary.latent_note;
  if (!summary.noise_law_note.empty()) object["noise_law_note"] = summary.noise_law_note;
  object["mean_converged"] = summary.mean_converged;
  object["mean_unique"] = summary.mean_unique;
  object["variance_scale"] = from_number(summary.variance_scale);
  if (summary.held_out_log_density) object["held_out_log_density"] = from_number(*summary.held_out_log_density);
  for (const double share : summary.left_out_shares) object["left_out_shares"].push_back(from_number(share));
  for (const BasepointReport& tried : summary.basepoints) {
    ModelJson one = {
        {"kind", to_string(tried.kind)}, {"leave_one_out", from_number(tried.leave_one_out)}, {"chosen", tried.chosen}};
    if (tried.held_out) one["held_out"] = from_number(*tried.held_out);
    if (tried.reconstruction_error) one["reconstruction_error"] = from_number(*tried.reconstruction_error);
    if (tried.standard_error) one["standard_error"] = from_number(*tried.standard_error);
    object["basepoints"].push_back(one);
  }
  return object;
}

// One object of model.json; every complaint names the file and the field.
class Fields {
 public:
  Fields(const ModelJson& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) throw Error(fmt::format("{}: not a JSON object", where_));
  }

  const ModelJson& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw Error(fmt::format("{}: '{}' is missing", where_, key));
    return *found;
  }
  Fields object(const char* key) const { return {at(key), fmt::format("{}: {}", where_, key)}; }
  std::string text(const char* key) const {
    if (!at(key).is_string()) wrong(key, "text");
    return at(key).get<std::string>();
  }
  std::vector<std::string> texts(const char* key) const {
    const ModelJson& values = at(key);
    std::vector<std::string> found;
    for (const ModelJson& value : values.is_array() ? values : ModelJson::array({nullptr})) {
      if (!value.is_string()) wrong(key, "a list of texts");
      found.push_back(value.get<std::string>());
    }
    return found;
  }
  bool has(const char* key) const { return object_.contains(key); }
  bool flag(const char* key) const {
    if (!at(key).is_boolean()) wrong(key, "true or false");
    return at(key).get<bool>();
  }
  // What the processor's own Index may be too short for: a page's module has 32 bits.
  std::int64_t long_whole(const char* key, std::int64_t smallest, std::int64_t largest) const {
    const ModelJson& value = at(key);
    // Beyond the range of 63 bits a number is unsigned, and never fits.
    const bool fits =
        value.is_number_integer() &&
        !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) &&
        value.get<std::int64_t>() >= smallest;
    if (!fits) wrong(key, fmt::format("a whole number from {} to {}", smallest, largest));
    return value.get<std::int64_t>();
  }
  Index whole(const char* key, Index smallest, Index largest) const {
    return static_cast<Index>(long_whole(key, smallest, largest));
  }
  int count(const char* key) const { return static_cast<int>(whole(key, 0, 2147483647)); }
  double number(const char* key) const {
    const ModelJson& value = at(key);
    if (value.is_number()) return value.get<double>();
    if (value.is_string())
      if (const auto parsed = parse_number(value.get<std::string>())) return *parsed;
    wrong(key, "a number");
  }
  // Numbers from 0 to 1 that do not fall.
  Vector shares(const char* key) const {
    std::vector<double> found;
    const ModelJson& values = at(key);
    if (!values.is_array()) wrong(key, "a list of numbers");
    for (const ModelJson& value : values) {
      const bool fits = value.is_number() && value.get<double>() >= (found.empty() ? 0 : found.back());
      if (!fits || value.get<double>() > 1) wrong(key, "numbers from 0 to 1 in ascending order");
      found.push_back(value.get<double>());
    }
    return Eigen::Map<const Vector>(found.data(), static_cast<Index>(found.size()));
  }
  // The one of these values that the field names.
  template <class Choice>
  Choice choice(const char* key, std::initializer_list<Choice> values) const {
    const std::string name = text(key);
    std::string known;
    for (const Choice value : values) {
      if (to_string(value) == name) return value;
      known += (known.empty() ? "" : ", ") + to_string(value);
    }
    wrong(key, fmt::format("one of {}", known));
  }

 private:
  [[noreturn]] void wrong(const char* key, const std::string& expected) const {
    throw Error(fmt::format("{}: '{}' is {}, but {} is expected", where_, key,
                            quote_text(at(key).dump(-1, ' ', true, ModelJson::error_handler_t::replace)), expected));
  }
  const ModelJson& object_;
  std::string where_;
};

constexpr std::initializer_list<BasepointKind> base_kinds = {BasepointKind::mean, BasepointKind::optimised,
                                                             BasepointKind::geodesic, BasepointKind::spline};
constexpr std::initializer_list<StopReason> stops = {StopReason::gradient_small, StopReason::progress_small,
                                                     StopReason::max_iterations, StopReason::cancelled,
                                                     StopReason::line_search_failed};

StartReport read_start(const Fields& fields) {
  StartReport start;
  start.kind = fields.text("kind");
  start.log_posterior = fields.number("log_posterior");
  start.log_likelihood = fields.number("log_likelihood");
  start.leave_one_out = fields.number("leave_one_out");
  start.iterations = fields.count("iterations");
  start.evaluations = fields.count("evaluations");
  start.stop = fields.choice("stop", stops);
  start.degenerate = fields.text("degenerate");
  start.chosen = fields.flag("chosen");
  return start;
}

CandidateReport read_candidate(const Fields& fields) {
  CandidateReport candidate;
  candidate.kind = fields.text("kind");
  candidate.bound = fields.number("bound");
  if (fields.has("held_out_log_density")) candidate.held_out_log_density = fields.number("held_out_log_density");
  candidate.noise_sd = fields.number("noise_sd");
  candidate.iterations = fields.count("iterations");
  candidate.chosen = fields.flag("chosen");
  return candidate;
}

FitSummary read_summary(const Fields& fields, const std::string& where) {
  constexpr Index many = std::numeric_limits<Index>::max();
  FitSummary summary;
  summary.log_likelihood = fields.number("log_likelihood");
  summary.log_posterior = fields.number("log_posterior");
  summary.iterations = fields.count("iterations");
  summary.evaluations = fields.count("evaluations");
  summary.stop = fields.choice("stop", stops);
  summary.jitter = fields.number("jitter");
  summary.cut_locus_points = fields.whole("cut_locus_points", 0, many);
  summary.near_cut_points = fields.whole("near_cut_points", 0, many);
  summary.largest_nonprincipal_responsibility = fields.number("largest_nonprincipal_responsibility");
  summary.cancelled = fields.flag("cancelled");
  for (const ModelJson& start : fields.at("starts"))
    summary.starts.push_back(read_start({start, where + ": a start of the fit"}));
  // Files of format 1 do not have these.
  if (fields.has("inference"))
    summary.inference = fields.choice("inference", {Inference::point, Inference::variational});
  if (fields.has("inference_note")) summary.inference_note = fields.text("inference_note");
  if (fields.has("left_undone")) summary.left_undone = fields.text("left_undone");
  if (fields.has("latent_note")) summary.latent_note = fields.text("latent_note");
  if (fields.has("noise_law_note")) summary.noise_law_note = fields.text("noise_law_note");
  if (fields.has("bound")) summary.bound = fields.number("bound");
  if (fields.has("candidates"))
    for (const ModelJson& candidate : fields.at("candidates"))
      summary.candidates.push_back(read_candidate({candidate, where + ": a candidate of the fit"}));
  if (fields.has("outliers"))
    for (const ModelJson& row : fields.at("outliers")) {
      if (!row.is_number_integer() || row.get<std::int64_t>() < 0)
        throw Error(fmt::format("{}: an outlier is {}, but a row is expected", where, quote_text(row.dump())));
      summary.outliers.push_back(row.get<Index>());
    }
  if (fields.has("mean_converged")) summary.mean_converged = fields.flag("mean_converged");
  if (fields.has("mean_unique")) summary.mean_unique = fields.flag("mean_unique");
  if (fields.has("variance_scale")) summary.variance_scale = fields.number("variance_scale");
  if (fields.has("held_out_log_density")) summary.held_out_log_density = fields.number("held_out_log_density");
  if (fields.has("left_out_shares")) summary.left_out_shares = fields.shares("left_out_shares");
  if (fields.has("basepoints"))
    for (const ModelJson& tried : fields.at("basepoints")) {
      const Fields one(tried, where + ": a base point of the fit");
      BasepointReport report;
      report.kind = one.choice("kind", base_kinds);
      report.leave_one_out = one.number("leave_one_out");
      if (one.has("held_out")) report.held_out = one.number("held_out");
      if (one.has("reconstruction_error")) report.reconstruction_error = one.number("reconstruction_error");
      if (one.has("standard_error")) report.standard_error = one.number("standard_error");
      report.chosen = one.flag("chosen");
      summary.basepoints.push_back(report);
    }
  return summary;
}

// How the rows of the table were read, where that needs to be known.
void write_preparation(const ModelNotes& notes, ModelJson& object) {
  if (!notes.motion.bones.empty())
    object["motion"] = {{"bones", notes.motion.bones}, {"frame", notes.motion.frame}, {"rows", notes.motion.quantity}};
  if (!notes.channels.empty()) object["channels"] = notes.channels;
  if (!notes.shrink.empty()) object["shrink"] = notes.shrink;
  if (notes.samples > 0) object["samples"] = notes.samples;
  if (notes.reflected) object["reflected"] = true;
}

void read_preparation(const Fields& fields, const std::string& where, ModelNotes& notes) {
  if (fields.has("motion")) {
    const Fields motion = fields.object("motion");
    notes.motion = {motion.text("bones"), motion.text("frame"), motion.text("rows")};
  }
  if (fields.has("channels")) notes.channels = fields.texts("channels");
  if (fields.has("samples")) notes.samples = fields.whole("samples", 2, 1000000000);
  if (fields.has("reflected")) notes.reflected = fields.flag("reflected");
  if (!fields.has("shrink")) return;
  notes.shrink = fields.text("shrink");
  const auto share = parse_number(notes.shrink);
  const bool by_samples = (notes.shrink == "oas" || notes.shrink == "ledoit-wolf") && notes.samples > 0;
  if (!by_samples && !(share && *share > 0 && *share < 1))
    throw Error(fmt::format("{}: 'shrink' is {}, but oas or ledoit-wolf with 'samples', or a share, is expected", where,
                            quote_text(notes.shrink)));
}

}  // namespace

std::string write_model_json(const Model& model, const FitSummary& summary, const ModelNotes& notes,
                             std::uint32_t content_crc32) {
  const Model::Parts& parts = model.parts();
  ModelJson parameters = ModelJson::object(), law = {{"kind", parts.law->kind()}};
  for (const auto& [name, value] : parts.law->parameters()) law[name] = from_number(value);
  const auto names = parts.kernel->parameter_names();
  for (std::size_t i = 0; i < names.size(); ++i) parameters[names[i]] = from_number(parts.theta[static_cast<Index>(i)]);
  ModelJson object = {{"format", format_name},
                      {"format_version", model_format_version},
                      {"program", notes.program},
                      {"kind", to_string(parts.kind)},
                      {"manifold", parts.manifold->spec()},
                      {"row_form", notes.row_form},
                      {"encoder", notes.encoder},
                      {"label_column", notes.label_column},
                      {"id_column", notes.id_column},
                      {"columns", notes.columns},
                      {"kernel", parts.kernel->spec()},
                      {"length_scales", to_string(parts.lengths)},
                      {"latent", {{"angles", parts.latent.angles()}, {"plain", parts.latent.plain_count()}}},
                      {"prior", to_string(parts.prior)},
                      {"clip", from_number(parts.clip)},
                      {"parameters", parameters},
                      {"noise_variance", from_number(parts.noise)},
                      {"noise_law", law},
                      {"inference", to_string(parts.inference)},
                      {"process", model.posterior()->kind()},
                      {"jitter", from_number(jitter_of(*model.posterior()))},
                      {"fit", from_summary(summary)},
                      {"content_crc32", content_crc32}};
  write_preparation(notes, object);
  if (const LatticePosteriorParts* lattice = lattice_parts(*model.posterior()))
    object["neglected_variance"] = from_number(lattice->neglected);
  if (!drawn_processes(*model.posterior()).empty())
    object["noise_law_of_draws"] = {{"variance_scale", from_number(parts.scales_of_draws.variances)},
                                    {"function_scale", from_number(parts.scales_of_draws.function)}};
  if (parts.points_fitted > 0) object["points_fitted"] = parts.points_fitted;
  if (parts.basepoint != BasepointKind::mean) {
    object["basepoint"] = {{"kind", to_string(parts.basepoint)}};
    if (parts.basis) object["basepoint"]["functions"] = parts.basis->spec();
  }
  return object.dump(2, ' ', false, ModelJson::error_handler_t::replace) + "\n";
}

ModelHeader read_model_json(const std::string& text, const std::string& path) {
  const std::string where = fmt::format("{}: {}", path, model_json_entry);
  const ModelJson object = parse_bounded_json(text);
  if (object.is_discarded()) throw Error(fmt::format("{}: not JSON; the file is damaged", where));
  const Fields fields(object, where);
  if (object.value("format", ModelJson()) != format_name)
    throw Error(fmt::format("{}: not a model: 'format' is not \"{}\"", where, format_name));
  const Index version = fields.whole("format_version", 1, std::numeric_limits<Index>::max());
  if (version > model_format_version)
    throw Error(
        fmt::format("{}: this model has format {}; this wgp reads up to {}", path, version, model_format_version));
  const Fields latent = fields.object("latent");
  ModelHeader header;
  header.version = static_cast<int>(version);
  header.content_crc32 = static_cast<std::uint32_t>(fields.long_whole("content_crc32", 0, 0xffffffff));
  header.notes.program = fields.text("program");
  header.notes.row_form = fields.text("row_form");
  // Files of earlier versions do not have these.
  if (object.contains("encoder")) header.notes.encoder = fields.text("encoder");
  if (const std::string& encoder = header.notes.encoder;
      !encoder.empty() && encoder != to_string(Encoder::density) && encoder != to_string(Encoder::projection))
    throw Error(fmt::format("{}: 'encoder' is '{}', but density or projection is expected", where, encoder));
  if (object.contains("label_column")) header.notes.label_column = fields.text("label_column");
  if (object.contains("id_column")) header.notes.id_column = fields.text("id_column");
  if (object.contains("columns")) header.notes.columns = fields.text("columns");
  read_preparation(fields, where, header.notes);
  Model::Parts& parts = header.parts;
  parts.kind =
      fields.choice("kind", {ModelKind::wgplvm, ModelKind::gplvm, ModelKind::gplvmproj, ModelKind::regression});
  parts.lengths = fields.choice("length_scales", {LengthScales::shared, LengthScales::per_dimension});
  parts.prior = fields.choice("prior", {Prior::map, Prior::none});
  parts.clip = fields.number("clip");
  if (fields.has("basepoint")) {
    const Fields base = fields.object("basepoint");
    parts.basepoint = base.choice("kind", base_kinds);
    if (base.has("functions")) {
      try {
        parts.basis = parse_basis(base.text("functions"));
      } catch (const Error& error) {
        throw Error(fmt::format("{}: basepoint: {}", where, error.what()));
      }
    }
  }
  header.summary = read_summary(fields.object("fit"), where);
  constexpr Index most = 1000000;
  try {
    parts.latent = LatentSpace(latent.whole("angles", 0, most), latent.whole("plain", 0, most));
    parts.manifold = parse_manifold(fields.text("manifold"));
    if (const auto names = static_cast<Index>(header.notes.channels.size());
        names > 0 && names * names != parts.manifold->ambient_dim())
      throw Error(
          fmt::format("'channels' has {} names, which are not those of a matrix of {}", names, parts.manifold->spec()));
    parts.kernel = parse_kernel(fields.text("kernel"), parts.latent, parts.lengths);
    const auto names = parts.kernel->parameter_names();
    const Fields parameters = fields.object("parameters");
    parts.theta.resize(static_cast<Index>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i)
      parts.theta[static_cast<Index>(i)] = parameters.number(names[i].c_str());
    parts.noise = fields.number("noise_variance");
    if (version == 1) {
      header.law_kind = "normal";
      const auto positive = [&](const char* key) {
        const double value = fields.number(key);
        if (!(value > 0 && value < infinity))
          throw Error(fmt::format("'{}' is {}, but a positive number is expected", key, value));
        return value;
      };
      const double scale = positive("variance_scale");
      header.law_parameters = {{"function_scale", scale},
                               {"noise_variance", scale * positive("noise_scale") * parts.noise}};
    } else {
      const Fields law = fields.object("noise_law");
      header.law_kind = law.text("kind");
      for (const auto& [name, value] : fields.at("noise_law").items())
        if (name != "kind") header.law_parameters[name] = law.number(name.c_str());
      if (fields.has("noise_law_of_draws")) {  // the first files with draws have none
        const Fields scales = fields.object("noise_law_of_draws");
        const auto positive = [&](const char* key) {
          const double value = scales.number(key);
          if (!(value > 0 && value < infinity))
            throw Error(fmt::format("'{}' is {}, but a positive number is expected", key, value));
          return value;
        };
        parts.scales_of_draws = {positive("variance_scale"), positive("function_scale")};
      }
      header.jitter = fields.number("jitter");
      if (fields.has("inference"))
        parts.inference = fields.choice("inference", {Inference::point, Inference::variational});
      if (fields.has("points_fitted"))
        parts.points_fitted = static_cast<Index>(fields.long_whole("points_fitted", 1, most_points_fitted));
      if (fields.has("process")) header.process = fields.text("process");
      if (header.process == "lattice") header.neglected = fields.number("neglected_variance");
    }
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.starts_with(where) ? what : fmt::format("{}: {}", where, what));
  }
  return header;
}

}  // namespace wgp
