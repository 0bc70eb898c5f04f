#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_kendall3d(Index) { throw Error("stub"); }
}  // namespace wgp
