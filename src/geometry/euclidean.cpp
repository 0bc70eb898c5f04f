#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_euclidean(Index) { throw Error("stub"); }
}  // namespace wgp
