#include "report/figures/figure.h"

#include "core/format.h"

namespace wgp::report {

Index drawn_every(Index points) {
  constexpr Index most = 5000;
  return (points + most - 1) / most;
}

std::string drawn_words(Index points) {
  return drawn_every(points) > 1 ? fmt::format(" Of {} points one in {} is drawn.", points, drawn_every(points)) : "";
}

}  // namespace wgp::report
