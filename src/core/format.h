// Text from numbers: the fmt library, compiled once (core/format.cpp) and in a namespace of its own, so that nothing
// else has to be linked and a program with another fmt may link this library.
#pragma once

#ifdef FMT_VERSION
#error "include core/format.h in place of fmt's own headers"
#endif

#define FMT_BEGIN_NAMESPACE \
  namespace fmt {           \
  inline namespace in_wgp {
#define FMT_END_NAMESPACE \
  }                       \
  }
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
