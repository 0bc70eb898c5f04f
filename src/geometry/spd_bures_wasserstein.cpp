#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_spd_bures_wasserstein(Index) { throw Error("stub"); }
}  // namespace wgp
