#include "cli/input/fit_flags.h"

#include <algorithm>
#include <filesystem>

#include "cli/ranks.h"
#include "core/format.h"
#include "io/bytes/number.h"
#include "io/bytes/output_file.h"

namespace wgp::cli {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

namespace {

std::vector<std::string> inits_from(const Arguments& arguments, const LatentSpace& latent, bool integrated) {
  std::vector<std::string> inits;
  if (!arguments.has("init")) {
    if (arguments.has("at")) throw UsageError("--at gives latents to start from: add --init given");
    return inits;
  }
  for (std::string word : split_list(arguments.text("init"))) {
    if (word == "pca") word = "pga";
    std::vector<std::string> known = {"pga", "growth", "curve", "tour", "mds", "isomap", "random"};
    if (integrated && word == "mds")
      throw UsageError("--init mds is for --inference point; isomap does the same with path lengths");
    known.erase(std::find(known.begin(), known.end(), integrated ? "mds" : "isomap"));
    if (arguments.command().name == "fit") known.push_back("given");
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw UsageError(fmt::format("--init {}: {} is needed, or several of them with commas", quote_text(word),
                                   fmt::join(known, " or ")));
    if ((word == "curve" || word == "tour") && latent.dim() != 1)
      throw UsageError(
          fmt::format("--init {0}: a {0} has one latent coordinate, not {1}; add --latent 1", word, latent.dim()));
    inits.push_back(word);
  }
  const bool given = std::find(inits.begin(), inits.end(), "given") != inits.end();
  if (given && !arguments.has("at"))
    throw UsageError("--init given: which latents? --at LATENTS names a table of them");
  if (!given && arguments.has("at")) throw UsageError("--at gives latents to start from: add --init given");
  return inits;
}

template <class Choice>
Choice choice_from(const Arguments& arguments, const std::string& flag, std::initializer_list<Choice> values,
                   Choice otherwise) {
  std::vector<std::string> names;
  for (const Choice value : values) names.push_back(to_string(value));
  const std::string name = arguments.choice(flag, to_string(otherwise), names);
  for (const Choice value : values)
    if (to_string(value) == name) return value;
  return otherwise;
}

}  // namespace

// Threads change the time, never the result.
int threads_from(const Arguments& arguments) {
  return static_cast<int>(arguments.integer("threads", threads_by_default(), 1, 1024));
}

void set_common_options(const Arguments& arguments, Index q, FitOptions& options) {
  const std::string kernel = arguments.text("kernel", "rbf");
  options.kernel = kernel;
  options.lengths = arguments.has("ard") ? LengthScales::per_dimension : LengthScales::shared;
  const bool periodic = kernel.find("periodic") != std::string::npos;
  const Index angles = arguments.integer("periodic", periodic ? q : 0, 0, q);
  options.latent = LatentSpace(angles, q - angles);
  try {
    parse_kernel(kernel, options.latent, options.lengths);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--kernel {}: {}", quote_text(kernel), error.what()));
  }
  options.seed = arguments.seed();
  options.threads = threads_from(arguments);
  options.max_iterations = static_cast<int>(arguments.integer("max-iterations", options.max_iterations, 0, 1000000));
  options.basepoint = choice_from(arguments, "basepoint",
                                  {BasepointKind::mean, BasepointKind::optimised, BasepointKind::geodesic,
                                   BasepointKind::spline, BasepointKind::automatic},
                                  BasepointKind::mean);
  options.volume_term = !arguments.has("no-volume");
}

Effort effort_from(const Arguments& arguments) {
  return choice_from(arguments, "effort", {Effort::quick, Effort::normal, Effort::thorough}, Effort::normal);
}

namespace {

// What only one way of dealing with latents has, and the other would pass over in silence.
void set_inference(const Arguments& arguments, FitOptions& options) {
  options.inference =
      choice_from(arguments, "inference", {Inference::variational, Inference::point}, options.inference);
  options.outliers =
      choice_from(arguments, "outliers", {OutlierRule::automatic, OutlierRule::none}, OutlierRule::automatic);
  options.choose = choice_from(arguments, "choose", {ChooseBy::bound, ChooseBy::density}, ChooseBy::bound);
  options.noise_law = choice_from(
      arguments, "noise-law",
      {NoiseLawChoice::automatic, NoiseLawChoice::normal, NoiseLawChoice::student, NoiseLawChoice::structured},
      NoiseLawChoice::automatic);
  options.candidate = static_cast<int>(arguments.integer("candidate", 0, 1, 1000));
  options.subsample = arguments.integer("subsample", options.subsample, 50, 1000000000);
  options.keep_latents = arguments.has("keep-latents");
  if (integrates_latents(options)) {
    if (arguments.has("prior"))
      throw UsageError(
          "--prior: latents that are integrated out have the prior N(0, 1), or are uniform on a circle; "
          "--inference point estimates them, with the prior of one's choice");
    if (arguments.has("variance"))
      throw UsageError(
          "--variance: latents that are integrated out have taken up no noise, and variances are as left-out points "
          "show them; --inference point has other rules");
    return;
  }
  for (const char* flag : {"choose", "candidate", "noise-law", "outliers", "subsample", "keep-latents"})
    if (arguments.has(flag))
      throw UsageError(fmt::format("--{} is for latents that are integrated out{}", flag,
                                   options.inference == Inference::point
                                       ? ", not for --inference point"
                                       : ", which is not possible here: " + why_not_variational(options)));
}

}  // namespace

bool latent_is_automatic(const Arguments& arguments) {
  if (arguments.text("latent") != "auto") return false;
  if (arguments.command().name != "fit")
    throw UsageError("--latent auto: wgp fit finds out how many coordinates there are; a number is needed here");
  for (const char* flag : {"periodic", "at", "candidate", "checkpoint", "resume"})
    if (arguments.has(flag))
      throw UsageError(
          fmt::format("--latent auto: --{} needs to know how many coordinates there are; say --latent Q", flag));
  return true;
}

FitOptions fit_options_from(const Arguments& arguments, const Manifold& manifold, Prior default_prior) {
  FitOptions options;
  // How many is found out once there are points.
  const bool automatic = latent_is_automatic(arguments);
  // Two coordinates leave nothing of a plane.
  const Index by_itself = manifold.dim() <= 2 ? 1 : 2;
  set_common_options(arguments, automatic ? 1 : arguments.integer("latent", by_itself, 1, 100000), options);
  options.model =
      choice_from(arguments, "model", {ModelKind::wgplvm, ModelKind::gplvm, ModelKind::gplvmproj}, ModelKind::wgplvm);
  set_inference(arguments, options);
  options.prior = choice_from(arguments, "prior", {Prior::map, Prior::none, Prior::automatic}, default_prior);
  options.effort = effort_from(arguments);
  options.variance =
      choice_from(arguments, "variance", {VarianceRule::as_fitted, VarianceRule::dof, VarianceRule::held_out},
                  VarianceRule::held_out);
  options.folds = choice_from(arguments, "folds", {FoldPolicy::random, FoldPolicy::blocks}, FoldPolicy::random);
  options.inits = inits_from(arguments, options.latent, integrates_latents(options));
  options.starts = static_cast<int>(arguments.integer("starts", 0, 0, 100000));
  if (options.starts > 0 && options.starts < static_cast<int>(options.inits.size()))
    throw UsageError(fmt::format("--starts {} is fewer than the {} that --init names; it counts all starts",
                                 options.starts, options.inits.size()));
  options.clip = arguments.number("clip", options.clip, 0, 1);
  options.calibration_share = arguments.number("calibrate", 0, 1e-6, 0.95);
  if (options.calibration_share > 0 && options.model == ModelKind::gplvm)
    throw UsageError(
        "--calibrate: predictions of gplvm are not on the manifold and have no distances there; use gplvmproj");
  return options;
}

std::string model_path_from(const Arguments& arguments) {
  const std::string path = arguments.required("output", "the model is written there, e.g. -o model.wgp");
  if (path == "-" && arguments.has("json"))
    throw UsageError("standard output cannot take both the model (-o -) and the JSON object (--json)");
  return path;
}

void check_writable(const std::string& path) {
  std::error_code ignored;
  // A device or a pipe must be opened once only.
  if (path != "-" && !std::filesystem::is_other(path, ignored)) OutputFile probe(path);
}

}  // namespace wgp::cli
