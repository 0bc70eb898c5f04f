// The grammar of manifold specs:
//   product  = scaled { "," scaled }
//   scaled   = [ number "*" ] power
//   power    = atom [ "^" count ]
//   atom     = name ":" sizes [ "/" metric ]  |  "(" product ")"
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/format.h"
#include "core/read_double.h"
#include "core/spelling.h"

#include "geometry/registry.h"

namespace wgp {
namespace {

constexpr Index largest_size = 100000;
constexpr Index largest_power = 10000;

struct Parts {
  std::vector<ManifoldPtr> factors;
  std::vector<double> weights;
};

class SpecParser {
 public:
  explicit SpecParser(std::string text) : text_(std::move(text)) {}

  ManifoldPtr parse() {
    if (text_.empty()) fail("it is empty; for example sphere:2 or spd:3/affine-invariant");
    Parts parts = product();
    if (position_ < text_.size()) fail(fmt::format("'{}' is left over", text_.substr(position_)));
    if (parts.factors.size() == 1 && parts.weights[0] == 1) return parts.factors[0];
    return product_manifold(std::move(parts.factors), std::move(parts.weights));
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(fmt::format("manifold '{}': {}", text_, why)); }

  bool take(char c) {
    if (position_ < text_.size() && text_[position_] == c) return ++position_, true;
    return false;
  }

  Parts product() {
    Parts all = scaled();
    while (take(',')) {
      const Parts next = scaled();
      all.factors.insert(all.factors.end(), next.factors.begin(), next.factors.end());
      all.weights.insert(all.weights.end(), next.weights.begin(), next.weights.end());
    }
    return all;
  }

  Parts scaled() {
    double weight = 1;
    const std::size_t star = text_.find_first_not_of("0123456789.eE+-", position_);
    if (star != std::string::npos && text_[star] == '*') {
      const char* end = text_.data() + star;
      const auto [stop, error] = read_double(text_.data() + position_, end, weight);
      if (error != std::errc() || stop != end || !(weight > 0) || !std::isfinite(weight))
        fail(fmt::format("the scale '{}' is not a positive number", text_.substr(position_, star - position_)));
      position_ = star + 1;
    }
    Parts parts = power();
    for (double& w : parts.weights) w *= weight;
    return parts;
  }

  Parts power() {
    const Parts base = atom();
    if (!take('^')) return base;
    const Index count = integer("the power", largest_power / static_cast<Index>(base.factors.size()));
    Parts all;
    for (Index i = 0; i < count; ++i) {
      all.factors.insert(all.factors.end(), base.factors.begin(), base.factors.end());
      all.weights.insert(all.weights.end(), base.weights.begin(), base.weights.end());
    }
    return all;
  }

  Index integer(const std::string& what, Index largest) {
    Index value = 0;
    const char* begin = text_.data() + position_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || value > largest)
      fail(fmt::format("{} is larger than {}", what, largest));
    if (error != std::errc() || value < 1) fail(fmt::format("{} must be a whole number of at least 1", what));
    position_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  std::string word() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[position_])) ||
                                        text_[position_] == '-' || text_[position_] == '_'))
      ++position_;
    return text_.substr(begin, position_ - begin);
  }

  Parts atom() {
    if (take('(')) {
      Parts inside = product();
      if (!take(')')) fail("a ')' is missing");
      return inside;
    }
    return {{named()}, {1.0}};
  }

  ManifoldPtr named() {
    const std::string name = word();
    std::vector<std::string> names;
    std::vector<const RegistryLine*> lines;
    for (const RegistryLine& line : registry()) {
      names.push_back(line.entry.name);
      if (line.entry.name == name) lines.push_back(&line);
    }
    if (lines.empty()) unknown_name(name, names);
    if (!take(':')) fail(fmt::format("'{}' needs a size, as in {}", name, lines[0]->entry.examples.back()));

    const std::string& pattern = lines[0]->sizes;
    std::vector<Index> sizes = {integer(fmt::format("the size of {}", lines[0]->entry.syntax), largest_size)};
    if (pattern == "nxp") {
      if (!take('x')) fail(fmt::format("'{}' needs two sizes, as in {}", name, lines[0]->entry.examples.back()));
      sizes.push_back(integer(fmt::format("the second size of {}", lines[0]->entry.syntax), largest_size));
    } else if (pattern != "n" && pattern != "k" && std::to_string(sizes[0]) != pattern) {
      fail(fmt::format("only {} exists", lines[0]->entry.syntax));
    }

    const RegistryLine* chosen = lines[0];
    if (take('/')) {
      const std::string metric = word();
      std::vector<std::string> metrics;
      chosen = nullptr;
      for (const RegistryLine* line : lines) {
        if (!line->metric.empty()) metrics.push_back(line->metric);
        if (!metric.empty() && line->metric == metric) chosen = line;
      }
      if (chosen == nullptr) unknown_metric(name, sizes, metric, metrics);
    }
    return chosen->build(sizes);
  }

  [[noreturn]] void unknown_name(const std::string& name, const std::vector<std::string>& names) {
    if (name.empty()) fail(fmt::format("a manifold's name is missing at '{}'", text_.substr(position_)));
    const std::string guess = nearest(name, names);
    const std::string rest = text_.substr(position_);
    if (guess.empty()) fail(fmt::format("'{}' is not known; 'wgp manifolds' lists those that are", name));
    std::string example;
    for (const RegistryLine& line : registry())
      if (line.entry.name == guess && example.empty()) example = line.entry.examples.back();
    fail(fmt::format("'{}' is not known; did you mean '{}'?", name, rest.empty() ? example : guess + rest));
  }

  [[noreturn]] void unknown_metric(const std::string& name, const std::vector<Index>& sizes, const std::string& metric,
                                   const std::vector<std::string>& metrics) {
    if (metrics.empty()) fail(fmt::format("{} has one metric only: leave out '/{}'", name, metric));
    std::string guess = nearest(metric, metrics);
    if (guess.empty()) guess = metrics.back();
    fail(fmt::format("'{}' is not a metric of {}; did you mean '{}:{}/{}'? There are: {}", metric, name, name, sizes[0],
                     guess, fmt::join(metrics, ", ")));
  }

  std::string text_;
  std::size_t position_ = 0;
};

}  // namespace

ManifoldPtr parse_manifold(const std::string& spec) {
  std::string compact;
  for (char c : spec)
    if (!std::isspace(static_cast<unsigned char>(c))) compact += c;
  return SpecParser(compact).parse();
}

}  // namespace wgp
