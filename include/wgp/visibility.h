// What a shared library shows: the declarations of namespaces that are marked so, which all public headers have.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define WGP_PUBLIC __attribute__((visibility("default")))
#else
#define WGP_PUBLIC
#endif
