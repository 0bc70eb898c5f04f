#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_stiefel(Index, Index) { throw Error("stub"); }
}  // namespace wgp
