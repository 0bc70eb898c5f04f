#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_correlation_off_log(Index) { throw Error("stub"); }
}  // namespace wgp
