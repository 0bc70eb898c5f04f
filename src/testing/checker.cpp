#include "testing/checker.h"

#include <sstream>

namespace wgp {
namespace {

std::string brief(ConstMatrixRef x) {
  std::ostringstream out;
  out.precision(10);
  const Index shown = std::min<Index>(x.size(), 12);
  out << "[";
  for (Index i = 0; i < shown; ++i) out << (i > 0 ? " " : "") << x(i % x.rows(), i / x.rows());
  if (shown < x.size()) out << " ... (" << x.rows() << "x" << x.cols() << ")";
  out << "]";
  return out.str();
}

}  // namespace

void Checker::fail(const std::string& property, const std::string& message) {
  failures_.push_back({property, message + (context_.empty() ? "" : "\n  at " + context_)});
}

void Checker::close(const std::string& property, ConstMatrixRef actual, ConstMatrixRef expected, double tolerance,
                    double scale) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) {
    fail(property, "sizes differ: " + brief(actual) + " and " + brief(expected));
    return;
  }
  const double difference = (actual - expected).norm();
  const double allowed = tolerance * std::max(scale, expected.norm());
  if (difference <= allowed) return;
  std::ostringstream out;
  out << "actual " << brief(actual) << "\n  expected " << brief(expected) << "\n  difference " << difference
      << ", allowed " << allowed;
  fail(property, out.str());
}

void Checker::close(const std::string& property, double actual, double expected, double tolerance, double scale) {
  close(property, Vector(Vector::Constant(1, actual)), Vector(Vector::Constant(1, expected)), tolerance, scale);
}

void Checker::that(const std::string& property, bool holds, const std::string& message) {
  if (!holds) fail(property, message);
}

void Checker::guard(const std::string& property, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    fail(property, std::string("threw: ") + error.what());
  }
}

}  // namespace wgp
