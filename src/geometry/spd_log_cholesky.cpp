#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_spd_log_cholesky(Index) { throw Error("stub"); }
}  // namespace wgp
