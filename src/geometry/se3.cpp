#include "geometry/factories.h"
namespace wgp {
ManifoldPtr make_se3() { throw Error("stub"); }
}  // namespace wgp
