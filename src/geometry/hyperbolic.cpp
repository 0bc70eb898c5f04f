#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_hyperbolic(Index) { throw Error("stub"); }
}  // namespace wgp
