#include "core/read_double.h"

#ifdef WGP_FAST_FLOAT
#include <fast_float/fast_float.h>
#endif

namespace wgp {

std::from_chars_result read_double(const char* first, const char* last, double& value) {
#ifdef WGP_FAST_FLOAT
  const auto [end, error] = fast_float::from_chars(first, last, value);
  return {end, error};
#else
  return std::from_chars(first, last, value);
#endif
}

}  // namespace wgp
