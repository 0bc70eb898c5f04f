#include "fit_options.h"

#include <algorithm>
#include <future>
#include <thread>

#include "arrays.h"

namespace wgp::python {
namespace {

// Takes values out by name, so that what is left over in the end is known to be no option.
class Named {
 public:
  explicit Named(const nb::dict& values) : values_(values) {}

  bool has(const char* name) const { return values_.contains(name) && !nb::object(values_[name]).is_none(); }

  Index integer(const char* name, Index otherwise, Index smallest, Index largest) const {
    if (!has(name)) return otherwise;
    const nb::object value = values_[name];
    Index number = 0;
    if (nb::isinstance<nb::bool_>(value) || !nb::try_cast(value, number) || number < smallest || number > largest)
      refuse(name, value,
             "a whole number from " + std::to_string(smallest) + " to " + std::to_string(largest) + " is needed");
    return number;
  }
  double number(const char* name, double otherwise, double smallest, double largest) const {
    if (!has(name)) return otherwise;
    const nb::object value = values_[name];
    double number = 0;
    if (nb::isinstance<nb::bool_>(value) || !nb::try_cast(value, number) || !(number >= smallest && number <= largest))
      refuse(name, value, "a number from " + text_of(smallest) + " to " + text_of(largest) + " is needed");
    return number;
  }
  bool flag(const char* name) const {
    if (!has(name)) return false;
    const nb::object value = values_[name];
    bool on = false;
    if (!nb::try_cast(value, on)) refuse(name, value, "True or False is needed");
    return on;
  }
  std::string text(const char* name, const std::string& otherwise) const {
    if (!has(name)) return otherwise;
    const nb::object value = values_[name];
    std::string word;
    if (!nb::try_cast(value, word)) refuse(name, value, "a text is needed");
    return word;
  }
  template <class Choice>
  Choice choice(const char* name, std::initializer_list<Choice> known, Choice otherwise) const {
    if (!has(name)) return otherwise;
    const nb::object value = values_[name];
    std::string word, words;
    const bool is_text = nb::try_cast(value, word);
    for (const Choice one : known) {
      if (is_text && to_string(one) == word) return one;
      words += (words.empty() ? "" : " or ") + to_string(one);
    }
    refuse(name, value, words + " is needed");
  }
  nb::object object(const char* name) const { return has(name) ? nb::object(values_[name]) : nb::none(); }

 private:
  static std::string text_of(double number) { return nb::cast<std::string>(nb::str(nb::float_(number))); }
  [[noreturn]] static void refuse(const char* name, const nb::object& value, const std::string& what) {
    throw Error(std::string(name) + "=" + nb::cast<std::string>(nb::repr(value)) + ": " + what);
  }

  nb::dict values_;
};

std::vector<std::string> inits_from(const Named& named, const LatentSpace& latent, bool integrated) {
  std::vector<std::string> inits;
  const nb::object given = named.object("init");
  if (given.is_none()) return inits;
  if (nb::isinstance<nb::str>(given)) {
    std::string word;
    for (const char c : nb::cast<std::string>(given) + ",")
      if (c == ',')
        inits.push_back(std::exchange(word, ""));
      else
        word += c;
  } else if (!nb::try_cast(given, inits)) {
    throw Error("init: a text like \"pga,random\" or a list of words is needed");
  }
  for (std::string& word : inits) {
    if (word == "pca") word = "pga";
    if (integrated && word == "mds")
      throw Error("init=\"mds\" is for inference=\"point\"; isomap does the same with path lengths");
    const std::vector<std::string> known = {"pga",    "growth", "curve", "tour", integrated ? "isomap" : "mds",
                                            "random", "given"};
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      std::string words;
      for (const std::string& one : known) words += (words.empty() ? "" : " or ") + one;
      throw Error("init=\"" + word + "\": " + words + " is needed, or several of them");
    }
    if ((word == "curve" || word == "tour") && latent.dim() != 1)
      throw Error("init=\"" + word + "\": a " + word + " has one latent coordinate, not " +
                  std::to_string(latent.dim()) + "; n_latent=1");
  }
  return inits;
}

KernelChoice kernel_from(const Named& named, const LatentSpace& latent, LengthScales lengths) {
  const nb::object given = named.object("kernel");
  if (given.is_none()) return "rbf";
  std::string spec;
  if (nb::try_cast(given, spec)) {
    try {
      parse_kernel(spec, latent, lengths);
    } catch (const Error& error) {
      throw Error("kernel=\"" + spec + "\": " + error.what());
    }
    return spec;
  }
  std::shared_ptr<const Kernel> own;
  if (nb::try_cast(given, own) && own) return own;
  throw Error("kernel: a text like \"rbf\" or a wgp.CustomKernel is needed");
}

// What only one way of dealing with latents has, and the other would pass over in silence.
void check_inference(const Named& named, const FitOptions& options) {
  if (integrates_latents(options)) {
    if (named.has("prior"))
      throw Error(
          "prior: latents that are integrated out have the prior N(0, 1), or are uniform on a circle; "
          "inference=\"point\" estimates them, with the prior of one's choice");
    if (named.has("variance"))
      throw Error(
          "variance: latents that are integrated out have taken up no noise, and variances are as left-out points "
          "show them; inference=\"point\" has other rules");
    return;
  }
  for (const char* name : {"choose", "candidate", "noise_law", "outliers", "subsample", "keep_latents"})
    if (named.has(name))
      throw Error(std::string(name) + " is for latents that are integrated out" +
                  (options.inference == Inference::point
                       ? ", not for inference=\"point\""
                       : ", which is not possible here: " + why_not_variational(options)));
}

}  // namespace

FitOptions fit_options_from(const nb::dict& values, const Manifold& manifold) {
  const Named named(values);
  FitOptions options;
  // Two coordinates leave nothing of a plane.
  const Index q = named.integer("n_latent", manifold.dim() <= 2 ? 1 : 2, 1, 100000);
  std::string kernel;
  const bool periodic = nb::try_cast(named.object("kernel"), kernel) && kernel.find("periodic") != std::string::npos;
  const Index angles = named.integer("periodic", periodic ? q : 0, 0, q);
  options.latent = LatentSpace(angles, q - angles);
  options.lengths = named.flag("ard") ? LengthScales::per_dimension : LengthScales::shared;
  options.kernel = kernel_from(named, options.latent, options.lengths);
  options.model = named.choice("model", {ModelKind::wgplvm, ModelKind::gplvm, ModelKind::gplvmproj}, ModelKind::wgplvm);
  options.inference = named.choice("inference", {Inference::variational, Inference::point}, Inference::variational);
  options.outliers = named.choice("outliers", {OutlierRule::automatic, OutlierRule::none}, OutlierRule::automatic);
  options.choose = named.choice("choose", {ChooseBy::bound, ChooseBy::density}, ChooseBy::bound);
  options.noise_law = named.choice(
      "noise_law",
      {NoiseLawChoice::automatic, NoiseLawChoice::normal, NoiseLawChoice::student, NoiseLawChoice::structured},
      NoiseLawChoice::automatic);
  options.candidate = static_cast<int>(named.integer("candidate", 0, 1, 1000));
  options.subsample = named.integer("subsample", options.subsample, 50, 1000000000);
  options.keep_latents = named.flag("keep_latents");
  check_inference(named, options);
  options.prior = named.choice("prior", {Prior::map, Prior::none, Prior::automatic}, Prior::map);
  options.basepoint = named.choice("basepoint",
                                   {BasepointKind::mean, BasepointKind::optimised, BasepointKind::geodesic,
                                    BasepointKind::spline, BasepointKind::automatic},
                                   BasepointKind::mean);
  options.volume_term = !named.flag("no_volume");
  options.effort = named.choice("effort", {Effort::quick, Effort::normal, Effort::thorough}, Effort::normal);
  options.variance = named.choice("variance", {VarianceRule::as_fitted, VarianceRule::dof, VarianceRule::held_out},
                                  VarianceRule::held_out);
  options.folds = named.choice("folds", {FoldPolicy::random, FoldPolicy::blocks}, FoldPolicy::random);
  options.inits = inits_from(named, options.latent, integrates_latents(options));
  options.starts = static_cast<int>(named.integer("starts", 0, 0, 100000));
  options.max_iterations = static_cast<int>(named.integer("max_iter", options.max_iterations, 0, 1000000));
  options.clip = named.number("clip", options.clip, 0, 1);
  options.calibration_share = named.number("calibrate", 0, 1e-6, 0.95);
  if (options.calibration_share > 0 && options.model == ModelKind::gplvm)
    throw Error("calibrate: predictions of a GPLVM are not on the manifold and have no distances there");
  options.threads = static_cast<int>(named.integer("threads", 1, 1, 1024));
  options.seed = static_cast<std::uint64_t>(named.integer("seed", 0, 0, std::numeric_limits<Index>::max()));
  const bool wants_given = std::find(options.inits.begin(), options.inits.end(), "given") != options.inits.end();
  if (const nb::object at = named.object("at"); !at.is_none()) {
    if (!wants_given) throw Error("at gives latents to start from: init=\"given\" as well");
    options.given_latents = columns(nb::cast<Rows>(at));
    if (options.given_latents.rows() != q)
      throw Error("at: latents have " + std::to_string(q) + " numbers, not " +
                  std::to_string(options.given_latents.rows()));
  } else if (wants_given) {
    throw Error("init=\"given\": which latents? at=... are they");
  }
  return options;
}

FitWatch::FitWatch(nb::object callback, double time_limit) : callback_(std::move(callback)), time_limit_(time_limit) {}

void FitWatch::attach(FitOptions& options) {
  options.keep_going = [this](const Progress& progress) { return keep_going(progress); };
}

bool FitWatch::keep_going(const Progress& progress) {
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (spent >= time_limit_ || interrupted_) return false;
  if (callback_.is_none()) return true;
  nb::gil_scoped_acquire acquire;
  nb::dict words;
  words["phase"] = progress.phase;
  words["step"] = progress.step;
  words["steps"] = progress.steps;
  words["best"] = std::isfinite(progress.best) ? nb::object(nb::float_(progress.best)) : nb::object(nb::none());
  words["seconds"] = spent;
  const nb::object answer = callback_(words);
  return !answer.is(nb::bool_(false));
}

void FitWatch::look_for_signals() {
  if (interrupted_ || PyErr_CheckSignals() == 0) return;
  interrupted_ = true;
  nb::python_error raised;
  if (!raised.matches(PyExc_KeyboardInterrupt)) of_signal_ = std::make_exception_ptr(std::move(raised));
}

void FitWatch::run(const std::function<void()>& work) {
  constexpr auto between_looks = std::chrono::milliseconds(50);
  const bool in_main_thread = nb::module_::import_("threading")
                                  .attr("current_thread")()
                                  .is(nb::module_::import_("threading").attr("main_thread")());
  if (!in_main_thread) {
    nb::gil_scoped_release release;
    return work();
  }
  std::promise<void> done;
  std::future<void> end = done.get_future();
  std::thread worker;
  try {
    worker = std::thread([&] {
      try {
        work();
        done.set_value();
      } catch (...) {
        done.set_exception(std::current_exception());
      }
    });
  } catch (const std::system_error&) {  // no thread is to be had
    nb::gil_scoped_release release;
    return work();
  }
  for (bool over = false; !over;) {
    {
      nb::gil_scoped_release release;
      over = end.wait_for(between_looks) == std::future_status::ready;
    }
    look_for_signals();
  }
  {
    nb::gil_scoped_release release;
    worker.join();
  }
  if (of_signal_) std::rethrow_exception(of_signal_);
  end.get();
}

}  // namespace wgp::python
