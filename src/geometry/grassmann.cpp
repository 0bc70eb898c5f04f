#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_grassmann(Index, Index) { throw Error("stub"); }
}  // namespace wgp
