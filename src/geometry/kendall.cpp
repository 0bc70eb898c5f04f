#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_kendall(Index) { throw Error("stub"); }
}  // namespace wgp
