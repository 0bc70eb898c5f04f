#include "fit/checkpoint.h"

#include <cmath>
#include <cstring>

#include "core/format.h"

namespace wgp {
namespace {

// FNV-1a, 64 bits.
class Fingerprint {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3;
  }
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    add(text.data(), text.size());
  }
  void add(double number) { add(&number, sizeof number); }
  void add(ConstMatrixRef numbers) {
    add(static_cast<double>(numbers.cols()));
    for (Index j = 0; j < numbers.cols(); ++j)
      add(numbers.col(j).data(), static_cast<std::size_t>(numbers.rows()) * sizeof(double));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

class Packer {
 public:
  void add(double number) { numbers_.push_back(number); }
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    for (const char c : text) add(static_cast<double>(c));
  }
  void add(ConstMatrixRef numbers) {
    add(static_cast<double>(numbers.rows()));
    add(static_cast<double>(numbers.cols()));
    for (Index j = 0; j < numbers.cols(); ++j)
      for (Index i = 0; i < numbers.rows(); ++i) add(numbers(i, j));
  }
  Vector packed() const { return Eigen::Map<const Vector>(numbers_.data(), static_cast<Index>(numbers_.size())); }

 private:
  std::vector<double> numbers_;
};

class Unpacker {
 public:
  explicit Unpacker(ConstVectorRef numbers) : numbers_(numbers) {}
  double number() {
    if (next_ >= numbers_.size()) throw Error("the checkpoint is damaged: a step ends too early");
    return numbers_[next_++];
  }
  Index count(Index largest) {
    const double value = number();
    if (!(value >= 0 && value <= static_cast<double>(largest)) || value != std::floor(value))
      throw Error("the checkpoint is damaged: a size in a step is impossible");
    return static_cast<Index>(value);
  }
  std::string text() {
    std::string result(static_cast<std::size_t>(count(1000)), ' ');
    for (char& c : result) c = static_cast<char>(count(127));
    return result;
  }
  // Of these sizes, with finite numbers.
  Matrix matrix(Index rows, Index cols) {
    const Matrix found = matrix();
    if (found.rows() != rows || found.cols() != cols)
      throw Error(fmt::format("the checkpoint is damaged: a step has {} x {} numbers where the fit has {} x {}",
                              found.rows(), found.cols(), rows, cols));
    if (!found.allFinite()) throw Error("the checkpoint is damaged: a number in a step is not finite");
    return found;
  }
  Matrix matrix() {
    const Index rows = count(numbers_.size()), cols = count(numbers_.size());
    if (cols > 0 && rows > (numbers_.size() - next_) / cols)
      throw Error("the checkpoint is damaged: a matrix in a step is larger than the step");
    Matrix result(rows, cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) result(i, j) = number();
    return result;
  }
  void end() const {
    if (next_ != numbers_.size()) throw Error("the checkpoint is damaged: a step goes on after its end");
  }

 private:
  Vector numbers_;
  Index next_ = 0;
};

}  // namespace

std::uint64_t fit_fingerprint(const Manifold& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options) {
  Fingerprint print;
  print.add("search 3");  // to be raised when its steps do something else than before
  print.add(manifold.spec());
  print.add(X);
  print.add(P);
  for (const std::string& word :
       {to_string(options.model), options.kernel.spec(), to_string(options.prior), to_string(options.effort),
        to_string(options.basepoint), to_string(options.variance), to_string(options.folds)})
    print.add(word);
  for (const std::string& init : options.inits) print.add(init);
  print.add(options.given_latents);
  for (const double number : {static_cast<double>(options.latent.angles()),
                              static_cast<double>(options.latent.plain_count()), static_cast<double>(options.lengths),
                              static_cast<double>(options.starts), static_cast<double>(options.max_iterations),
                              options.clip, options.calibration_share, static_cast<double>(options.volume_term)})
    print.add(number);
  print.add(&options.seed, sizeof options.seed);
  return print.value();
}

namespace {

void add_state(Packer& packer, const FitState& state) {
  packer.add(state.X);
  packer.add(state.theta);
  const auto* base = dynamic_cast<const Basepoint*>(state.lift.get());
  packer.add(base ? Matrix(base->centre()) : Matrix(0, 1));
  packer.add(base ? base->coefficients() : Matrix());
  packer.add(base && base->basis() ? base->basis()->spec() : std::string());
  for (const double number : {state.u, state.rough_sd, state.value}) packer.add(number);
}

FitState take_state(Unpacker& unpacker, const FitProblem& problem) {
  FitState state;
  state.X = unpacker.matrix(problem.latent.dim(), problem.N());
  state.theta = unpacker.matrix(problem.kernel->parameter_count(), 1);
  const Matrix centre = unpacker.matrix(), coefficients = unpacker.matrix();
  const std::string functions = unpacker.text();
  state.u = unpacker.number();
  state.rough_sd = unpacker.number();
  state.value = unpacker.number();
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

Optimum take_optimum(Unpacker& unpacker, const FitProblem& problem) {
  Optimum optimum;
  optimum.kind = unpacker.text();
  optimum.state = take_state(unpacker, problem);
  OptimiseResult& report = optimum.report;
  report.value = unpacker.number();
  report.gradient_norm = unpacker.number();
  report.iterations = static_cast<int>(unpacker.count(1 << 30));
  report.evaluations = static_cast<int>(unpacker.count(1 << 30));
  report.gradients = static_cast<int>(unpacker.count(1 << 30));
  report.stop = static_cast<StopReason>(unpacker.count(static_cast<Index>(StopReason::line_search_failed)));
  optimum.evaluations = unpacker.number();
  optimum.jitter = unpacker.number();
  optimum.polished = unpacker.count(1) == 1;
  if (!(optimum.evaluations >= 0 && optimum.evaluations < 1e9) || !(optimum.jitter >= 0))
    throw Error("the checkpoint is damaged: a count in a step is impossible");
  return optimum;
}

// With nothing left over.
template <class Take>
auto take_all(ConstVectorRef numbers, const Take& take) {
  Unpacker unpacker(numbers);
  auto taken = take(unpacker);
  unpacker.end();
  return taken;
}

}  // namespace

Vector pack(const FitState& state) {
  Packer packer;
  add_state(packer, state);
  return packer.packed();
}

FitState unpack_state(ConstVectorRef numbers, const FitProblem& problem) {
  return take_all(numbers, [&](Unpacker& unpacker) { return take_state(unpacker, problem); });
}

Vector pack(const Optimum& optimum) {
  Packer packer;
  packer.add(optimum.kind);
  add_state(packer, optimum.state);
  const OptimiseResult& report = optimum.report;
  for (const double number :
       {report.value, report.gradient_norm, static_cast<double>(report.iterations),
        static_cast<double>(report.evaluations), static_cast<double>(report.gradients),
        static_cast<double>(report.stop), optimum.evaluations, optimum.jitter, static_cast<double>(optimum.polished)})
    packer.add(number);
  return packer.packed();
}

Optimum unpack_optimum(ConstVectorRef numbers, const FitProblem& problem) {
  return take_all(numbers, [&](Unpacker& unpacker) { return take_optimum(unpacker, problem); });
}

Vector pack(const MovesState& state) {
  Packer packer;
  packer.add(static_cast<double>(state.next_round));
  packer.add(static_cast<double>(state.leading.size()));
  for (const std::size_t k : state.leading) packer.add(static_cast<double>(k));
  packer.add(static_cast<double>(state.moved.size()));
  for (const Optimum& optimum : state.moved) packer.add(pack(optimum));
  return packer.packed();
}

MovesState unpack_moves(ConstVectorRef numbers, const FitProblem& problem, std::size_t most_moved) {
  Unpacker unpacker(numbers);
  MovesState state;
  state.next_round = static_cast<int>(unpacker.count(1 << 30));
  state.leading.resize(static_cast<std::size_t>(unpacker.count(2)));
  for (std::size_t& k : state.leading) k = static_cast<std::size_t>(unpacker.count(1));
  state.moved.resize(static_cast<std::size_t>(unpacker.count(static_cast<Index>(most_moved))));
  for (Optimum& optimum : state.moved) optimum = unpack_optimum(unpacker.matrix().reshaped(), problem);
  unpacker.end();
  if (state.leading.empty()) throw Error("the checkpoint is damaged: no optimum leads");
  if (state.leading.front() == state.leading.back() && state.leading.size() == 2)
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
  if (!options_.on_step) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  options_.on_step(fingerprint_, {step, numbers});
}

}  // namespace wgp
