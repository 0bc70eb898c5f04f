#include "io/nifti/nifti_tensor.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "io/bytes/number.h"

namespace wgp {
namespace {

constexpr std::array<TensorOrder, 3> orders = {TensorOrder::symmatrix, TensorOrder::fsl, TensorOrder::mrtrix};
constexpr double fits = 0.9, fits_not = 0.5;

std::string entries(TensorOrder order) {
  switch (order) {
    case TensorOrder::fsl:
      return "xx xy xz yy yz zz";
    case TensorOrder::mrtrix:
      return "xx yy zz xy xz yz";
    default:
      return "xx xy yy xz yz zz";
  }
}

// By the pivots of its Cholesky factor.
bool is_positive_definite(double xx, double xy, double yy, double xz, double yz, double zz) {
  if (!(xx > 0)) return false;
  const double y = yy - xy * (xy / xx);
  if (!(y > 0)) return false;
  const double l = yz - xy * (xz / xx);
  return zz - xz * (xz / xx) - l * (l / y) > 0;
}

}  // namespace

std::string to_string(TensorOrder order) {
  switch (order) {
    case TensorOrder::symmatrix:
      return "symmatrix";
    case TensorOrder::fsl:
      return "fsl";
    case TensorOrder::mrtrix:
      return "mrtrix";
    default:
      return "automatic";
  }
}

TensorOrder parse_tensor_order(const std::string& name) {
  for (const auto order : orders)
    if (name == to_string(order)) return order;
  throw Error(
      fmt::format("tensor order {}: there are symmatrix (xx xy yy xz yz zz), fsl (xx xy xz yy yz zz) and mrtrix "
                  "(xx yy zz xy xz yz)",
                  quote_text(name)));
}

const std::array<Index, 6>& tensor_places(TensorOrder order) {
  static constexpr std::array<Index, 6> symmatrix = {0, 1, 2, 3, 4, 5}, fsl = {0, 1, 3, 2, 4, 5},
                                        mrtrix = {0, 3, 1, 4, 5, 2};
  switch (order) {
    case TensorOrder::fsl:
      return fsl;
    case TensorOrder::mrtrix:
      return mrtrix;
    default:
      return symmatrix;
  }
}

std::vector<std::string> TensorForm::channel_names() const {
  if (whole) return {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  const std::string list = entries(order);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size(); at += 3) names.push_back(list.substr(at, 2));
  return names;
}

std::string TensorForm::text() const {
  return fmt::format("{} {}{}", whole ? "matrix" : to_string(order), five_axes ? 5 : 4, has_intent ? " intent" : "");
}

std::optional<TensorForm> TensorForm::from_text(std::string_view text) {
  for (const auto order : orders)
    for (const bool whole : {false, true})
      for (const bool five_axes : {false, true})
        for (const bool has_intent : {false, true})
          if (const TensorForm form{order, whole, five_axes, has_intent}; form.text() == text) return form;
  return std::nullopt;
}

TensorForm usual_form(TensorOrder order) {
  const bool symmatrix = order == TensorOrder::symmatrix;
  return {order, false, symmatrix, symmatrix};
}

TensorOrder order_of_names(const std::vector<std::string>& names) {
  for (const auto order : orders)
    if (names == usual_form(order).channel_names()) return order;
  return TensorOrder::automatic;
}

void TensorOrderVotes::add(const double* six) {
  if (!std::all_of(six, six + 6, [](double x) { return std::isfinite(x); })) return;
  ++count_;
  for (const auto order : orders) {
    const auto& at = tensor_places(order);
    definite_[static_cast<std::size_t>(order)] +=
        is_positive_definite(six[at[0]], six[at[1]], six[at[2]], six[at[3]], six[at[4]], six[at[5]]);
  }
}

double TensorOrderVotes::share(TensorOrder order) const {
  return static_cast<double>(definite_[static_cast<std::size_t>(order)]) /
         static_cast<double>(std::max<Index>(count_, 1));
}

bool TensorOrderVotes::none() const {
  for (const auto order : orders)
    if (share(order) >= fits_not) return false;
  return true;
}

std::string TensorOrderVotes::shares_text() const {
  std::string text;
  for (const auto order : orders)
    text += fmt::format("{}{:.1f} % as {} ({})", text.empty() ? "" : ", ", 100 * share(order), to_string(order),
                        entries(order));
  return text;
}

TensorOrder TensorOrderVotes::decide(TensorOrder given, TensorOrder stated, const std::string& stated_by,
                                     const std::string& file, std::string& reason) const {
  const auto others_below = [this](TensorOrder best) {
    for (const auto order : orders)
      if (order != best && share(order) > fits_not) return false;
    return true;
  };
  TensorOrder clear = TensorOrder::automatic;
  for (const auto order : orders)
    if (share(order) >= fits && others_below(order)) clear = order;

  const auto chosen_text = [&](TensorOrder order, const char* why) {
    return fmt::format("tensor order {} ({}), {}; positive definite are {}", to_string(order), entries(order), why,
                       shares_text());
  };
  const bool says = stated != TensorOrder::automatic;
  if (given != TensorOrder::automatic) {
    // What the numbers show counts for more than what the header says, and either for more than a flag.
    if (clear != TensorOrder::automatic && clear != given && stated != given)
      throw Error(
          fmt::format("{}: --tensor-order {}, but the numbers say {}: of {} tensors are positive definite {}; leave "
                      "--tensor-order out, or give {}",
                      file, to_string(given), to_string(clear), count_, shares_text(), to_string(clear)));
    if (clear == TensorOrder::automatic && says && stated != given && share(given) <= share(stated))
      throw Error(
          fmt::format("{}: --tensor-order {}, but {} {}, and the numbers do not contradict that: of {} tensors are "
                      "positive definite {}; leave --tensor-order out",
                      file, to_string(given), stated_by, to_string(stated), count_, shares_text()));
    reason = chosen_text(given, "as asked for");
    return given;
  }
  if (says) {
    if (clear != TensorOrder::automatic && clear != stated)
      throw Error(
          fmt::format("{}: {} {}, but the numbers say {}: of {} tensors are positive definite {}; choose with "
                      "--tensor-order symmatrix|fsl|mrtrix",
                      file, stated_by, to_string(stated), to_string(clear), count_, shares_text()));
    reason = chosen_text(stated, stated_by.starts_with("its intent")  ? "by the intent code"
                                 : stated_by.starts_with("the names") ? "by its channels' names"
                                                                      : "by the definition of its format");
    return stated;
  }
  if (clear == TensorOrder::automatic)
    throw Error(
        fmt::format("{}: the order of the six tensor channels is not clear: of {} tensors are positive definite "
                    "{}; choose with --tensor-order symmatrix|fsl|mrtrix",
                    file, count_, shares_text()));
  reason = chosen_text(clear, "found from the data");
  return clear;
}

}  // namespace wgp
