// wgp._core: the C++ library as the package sees it. Arrays are float64, C-contiguous, one point a row; the Python side
// makes them so. What the library calls an Error is a ValueError.
#include "module.h"

#include <nanobind/stl/string.h>

#include "wgp/types.h"

NB_MODULE(_core, module) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const wgp::Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  nanobind::set_leak_warnings(false);  // models that live as long as the interpreter are no leaks
  module.attr("version") = WGP_VERSION;
  wgp::python::bind_manifolds(module);
  wgp::python::bind_own_manifolds(module);
  wgp::python::bind_statistics(module);
  wgp::python::bind_kernels(module);
  wgp::python::bind_models(module);
  wgp::python::bind_fits(module);
  wgp::python::bind_blocks(module);
}
