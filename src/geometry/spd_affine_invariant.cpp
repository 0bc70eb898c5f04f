#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_spd_affine_invariant(Index) { throw Error("stub"); }
}  // namespace wgp
