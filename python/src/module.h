// The parts of the extension module; each names its classes and functions.
#pragma once

#include <nanobind/nanobind.h>

namespace wgp::python {

void bind_manifolds(nanobind::module_& module);
void bind_own_manifolds(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_fits(nanobind::module_& module);
void bind_blocks(nanobind::module_& module);

}  // namespace wgp::python
