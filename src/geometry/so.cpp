#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_so(Index) { throw Error("stub"); }
}  // namespace wgp
