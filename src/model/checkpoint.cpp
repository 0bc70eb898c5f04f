#include "model/checkpoint.h"

#include <cstring>

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
    if (!(value >= 0 && value <= static_cast<double>(largest)))
      throw Error("the checkpoint is damaged: a size in a step is impossible");
    return static_cast<Index>(value);
  }
  std::string text() {
    std::string result(static_cast<std::size_t>(count(1000)), ' ');
    for (char& c : result) c = static_cast<char>(count(127));
    return result;
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

 private:
  Vector numbers_;
  Index next_ = 0;
};

}  // namespace

std::uint64_t fit_fingerprint(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options) {
  Fingerprint print;
  print.add("search 2");  // to be raised when its steps do something else than before
  print.add(manifold.spec());
  print.add(P);
  for (const std::string& word :
       {to_string(options.model), options.kernel, to_string(options.prior), to_string(options.effort)})
    print.add(word);
  for (const std::string& init : options.inits) print.add(init);
  print.add(options.given_latents);
  for (const double number :
       {static_cast<double>(options.latent.angles()), static_cast<double>(options.latent.plain_count()),
        static_cast<double>(options.lengths), static_cast<double>(options.starts),
        static_cast<double>(options.max_iterations), options.clip})
    print.add(number);
  print.add(&options.seed, sizeof options.seed);
  return print.value();
}

Vector pack(const Optimum& optimum) {
  Packer packer;
  packer.add(optimum.kind);
  packer.add(optimum.state.X);
  packer.add(optimum.state.theta);
  const OptimiseResult& report = optimum.report;
  for (const double number : {optimum.state.u, optimum.state.value, report.value, report.gradient_norm,
                              static_cast<double>(report.iterations), static_cast<double>(report.evaluations),
                              static_cast<double>(report.gradients), static_cast<double>(report.stop),
                              optimum.evaluations, optimum.jitter, static_cast<double>(optimum.polished)})
    packer.add(number);
  return packer.packed();
}

Optimum unpack(ConstVectorRef numbers) {
  Unpacker unpacker(numbers);
  Optimum optimum;
  optimum.kind = unpacker.text();
  optimum.state.X = unpacker.matrix();
  optimum.state.theta = unpacker.matrix();
  optimum.state.u = unpacker.number();
  optimum.state.value = unpacker.number();
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
  return optimum;
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

MovesState unpack_moves(ConstVectorRef numbers) {
  Unpacker unpacker(numbers);
  MovesState state;
  state.next_round = static_cast<int>(unpacker.count(1 << 30));
  state.leading.resize(static_cast<std::size_t>(unpacker.count(1000)));
  for (std::size_t& k : state.leading) k = static_cast<std::size_t>(unpacker.count(1000));
  state.moved.resize(static_cast<std::size_t>(unpacker.count(1000)));
  for (Optimum& optimum : state.moved) optimum = unpack(unpacker.matrix().reshaped());
  for (const std::size_t k : state.leading)
    if (k >= state.moved.size()) throw Error("the checkpoint is damaged: a leading optimum is missing");
  return state;
}

StepLog::StepLog(const FitOptions& options, std::uint64_t fingerprint) : options_(options) {
  checkpoint_.fingerprint = fingerprint;
  if (!options.resume) return;
  if (options.resume->fingerprint != fingerprint)
    throw Error("the checkpoint belongs to another fit: the points or the options are not the same");
  checkpoint_.steps = options.resume->steps;
}

std::optional<Vector> StepLog::find(const std::string& step) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = checkpoint_.steps.find(step);
  if (found == checkpoint_.steps.end()) return std::nullopt;
  return found->second;
}

void StepLog::add(const std::string& step, Vector numbers) {
  if (!options_.on_step) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  checkpoint_.steps[step] = std::move(numbers);
  options_.on_step(checkpoint_);
}

}  // namespace wgp
