#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_correlation_log_cholesky(Index) { throw Error("stub"); }
}  // namespace wgp
