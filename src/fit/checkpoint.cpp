#include "fit/checkpoint.h"

#include <cmath>
#include <cstring>
#include <set>

#include "core/fingerprint.h"
#include "core/format.h"
#include "fit/step_numbers.h"

namespace wgp {
std::uint64_t fit_fingerprint(const Manifold& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options) {
  Fingerprint print;
  print.add("search 8");  // to be raised when its steps do something else than before
  print.add(manifold.spec());
  print.add(X);
  print.add(P);
  for (const std::string& word :
       {to_string(options.model), options.kernel.spec(), to_string(options.inference), to_string(options.outliers),
        to_string(options.choose), to_string(options.noise_law), to_string(options.prior), to_string(options.effort),
        to_string(options.basepoint), to_string(options.variance), to_string(options.folds)})
    print.add(word);
  for (const std::string& init : options.inits) print.add(init);
  print.add(options.given_latents);
  print.add(options.input_sd);
  print.add(static_cast<double>(options.subsample));
  for (const double number : {static_cast<double>(options.latent.angles()),
                              static_cast<double>(options.latent.plain_count()), static_cast<double>(options.lengths),
                              static_cast<double>(options.starts), static_cast<double>(options.max_iterations),
                              options.clip, options.calibration_share, static_cast<double>(options.volume_term)})
    print.add(number);
  print.add(&options.seed, sizeof options.seed);
  return print.value();
}

namespace {

void add_state(StepWriter& writer, const FitState& state) {
  writer.add(state.X);
  writer.add(state.S);
  writer.add(state.Z);
  writer.add(state.theta);
  const auto* base = dynamic_cast<const Basepoint*>(state.lift.get());
  writer.add(base ? Matrix(base->centre()) : Matrix(0, 1));
  writer.add(base ? base->coefficients() : Matrix());
  writer.add(base && base->basis() ? base->basis()->spec() : std::string());
  for (const double number : {state.u, state.rough_sd, state.value}) writer.add(number);
}

FitState take_state(StepReader& reader, const FitProblem& problem) {
  FitState state;
  state.X = reader.matrix(problem.latent.dim(), problem.N());
  state.S = reader.matrix();
  if (state.S.size() > 0 &&
      (state.S.rows() != state.X.rows() || state.S.cols() != state.X.cols() || !state.S.allFinite()))
    throw Error("the checkpoint is damaged: variances of a step are not those of its latents");
  state.Z = reader.matrix();
  if (state.Z.size() > 0 && (state.Z.rows() != state.X.rows() || !state.Z.allFinite()))
    throw Error("the checkpoint is damaged: inducing inputs of a step are not among its latents");
  state.theta = reader.matrix(problem.kernel->parameter_count(), 1);
  const Matrix centre = reader.matrix(), coefficients = reader.matrix();
  const std::string functions = reader.text();
  state.u = reader.number();
  state.rough_sd = reader.number();
  state.value = reader.number();
  // Minus infinity is the value of a growth that came to nothing.
  if (!std::isfinite(state.u) || !std::isfinite(state.rough_sd) || !(state.value < infinity))
    throw Error("the checkpoint is damaged: a number in a step is not finite");
  if (!problem.base_is_free()) {
    if (centre.size() > 0)
      throw Error("the checkpoint is damaged: a step has a base point that this fit does not move");
    return state;
  }
  const auto& own = dynamic_cast<const Basepoint&>(*problem.lift);
  const BasisPtr basis = functions.empty() ? nullptr : parse_basis(functions);
  if (centre.rows() != own.manifold().ambient_dim() || centre.cols() != 1 || !centre.allFinite() ||
      own.manifold().defect(centre.col(0)) || (basis && basis->latent_dim() != problem.latent.dim()) ||
      coefficients.cols() != (basis ? basis->count() : 0) || (basis && coefficients.rows() != own.dim()) ||
      !coefficients.allFinite())
    throw Error("the checkpoint is damaged: the base point of a step is none of this fit's");
  state.lift = std::make_shared<const Basepoint>(problem.manifold, centre.col(0), basis, coefficients);
  state.centre = Vector::Zero(own.dim());
  state.coefficients = dynamic_cast<const Basepoint&>(*state.lift).coefficients() / problem.scale;
  return state;
}

Optimum take_optimum(StepReader& reader, const FitProblem& problem) {
  Optimum optimum;
  optimum.kind = reader.text();
  optimum.state = take_state(reader, problem);
  OptimiseResult& report = optimum.report;
  report.value = reader.number();
  report.gradient_norm = reader.number();
  report.iterations = static_cast<int>(reader.count(1 << 30));
  report.evaluations = static_cast<int>(reader.count(1 << 30));
  report.gradients = static_cast<int>(reader.count(1 << 30));
  report.stop = static_cast<StopReason>(reader.count(static_cast<Index>(StopReason::line_search_failed)));
  optimum.evaluations = reader.number();
  optimum.jitter = reader.number();
  optimum.polished = reader.count(1) == 1;
  if (!(optimum.evaluations >= 0 && optimum.evaluations < 1e9) || !(optimum.jitter >= 0))
    throw Error("the checkpoint is damaged: a count in a step is impossible");
  return optimum;
}

// With nothing left over.
template <class Take>
auto take_all(ConstVectorRef numbers, const Take& take) {
  StepReader reader(numbers);
  auto taken = take(reader);
  reader.end();
  return taken;
}

}  // namespace

Vector pack(const FitState& state) {
  StepWriter writer;
  add_state(writer, state);
  return writer.packed();
}

FitState unpack_state(ConstVectorRef numbers, const FitProblem& problem) {
  return take_all(numbers, [&](StepReader& reader) { return take_state(reader, problem); });
}

Vector pack(const Optimum& optimum) {
  StepWriter writer;
  writer.add(optimum.kind);
  add_state(writer, optimum.state);
  const OptimiseResult& report = optimum.report;
  for (const double number :
       {report.value, report.gradient_norm, static_cast<double>(report.iterations),
        static_cast<double>(report.evaluations), static_cast<double>(report.gradients),
        static_cast<double>(report.stop), optimum.evaluations, optimum.jitter, static_cast<double>(optimum.polished)})
    writer.add(number);
  return writer.packed();
}

Optimum unpack_optimum(ConstVectorRef numbers, const FitProblem& problem) {
  return take_all(numbers, [&](StepReader& reader) { return take_optimum(reader, problem); });
}

Vector pack(const MovesState& state) {
  StepWriter writer;
  writer.add(static_cast<double>(state.next_round));
  writer.add(static_cast<double>(state.leading.size()));
  for (const std::size_t k : state.leading) writer.add(static_cast<double>(k));
  writer.add(static_cast<double>(state.moved.size()));
  for (const Optimum& optimum : state.moved) writer.add(pack(optimum));
  return writer.packed();
}

MovesState unpack_moves(ConstVectorRef numbers, const FitProblem& problem, std::size_t most_moved) {
  StepReader reader(numbers);
  MovesState state;
  state.next_round = static_cast<int>(reader.count(1 << 30));
  const auto most = static_cast<Index>(most_moved);
  state.leading.resize(static_cast<std::size_t>(reader.count(most)));
  for (std::size_t& k : state.leading) k = static_cast<std::size_t>(reader.count(most));
  state.moved.resize(static_cast<std::size_t>(reader.count(most)));
  for (Optimum& optimum : state.moved) optimum = unpack_optimum(reader.matrix().reshaped(), problem);
  reader.end();
  if (state.leading.empty()) throw Error("the checkpoint is damaged: no optimum leads");
  if (std::set<std::size_t>(state.leading.begin(), state.leading.end()).size() < state.leading.size())
    throw Error("the checkpoint is damaged: one optimum leads twice");
  for (const std::size_t k : state.leading)
    if (k >= state.moved.size()) throw Error("the checkpoint is damaged: a leading optimum is missing");
  return state;
}

StepLog::StepLog(const FitOptions& options, std::uint64_t fingerprint) : options_(options), fingerprint_(fingerprint) {
  if (!options.resume) return;
  if (options.resume->fingerprint != fingerprint)
    throw Error("the checkpoint belongs to another fit: the points or the options are not the same");
  steps_ = options.resume->steps;
}

std::optional<Vector> StepLog::find(const std::string& step) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = steps_.find(step);
  if (found == steps_.end()) return std::nullopt;
  return found->second;
}

void StepLog::add(const std::string& step, const Vector& numbers) {
  if (records()) return record(step, numbers, CutShort::no);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (options_.on_step) options_.on_step(fingerprint_, {step, numbers});
}

bool StepLog::records() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.has_value();
}

void StepLog::record(const std::string& step, const Vector& numbers, CutShort cut_short) {
  const std::lock_guard<std::mutex> lock(mutex_);
  recorded_->names.push_back(step);
  recorded_->numbers.push_back(numbers);
  recorded_->whole.push_back(cut_short == CutShort::no);
}

void StepLog::begin_recording() {
  const std::lock_guard<std::mutex> lock(mutex_);
  recorded_.emplace();
}

StepLog::Steps StepLog::recorded() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Steps steps = std::move(*recorded_);
  recorded_.reset();
  return steps;
}

void StepLog::take(const Steps& of_rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t k = 0; k < of_rank.names.size(); ++k) {
    steps_.insert_or_assign(of_rank.names[k], of_rank.numbers[k]);
    if (options_.on_step && of_rank.whole[k]) options_.on_step(fingerprint_, {of_rank.names[k], of_rank.numbers[k]});
  }
}

}  // namespace wgp
