// Fits of points that are spread over blocks, anywhere: see wgp/block_fit.h. All that travels is bytes.
#include "wgp/block_fit.h"

#include "arrays.h"
#include "fit_options.h"
#include "loaded_model.h"
#include "module.h"

namespace wgp::python {
namespace {

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// With the watch that its steps ask.
struct WatchedFit {
  std::shared_ptr<const Manifold> manifold;
  FitWatch watch;
  std::optional<BlockFit> fit;

  WatchedFit(std::shared_ptr<const Manifold> given, Index count, const nb::dict& named, nb::object callback,
             double time_limit)
      : manifold(std::move(given)), watch(std::move(callback), time_limit) {
    FitOptions options = fit_options_from(named, *manifold);
    watch.attach(options);
    fit.emplace(manifold, count, options);
  }
};

}  // namespace

void bind_blocks(nb::module_& module) {
  module.def("fits_in_passes", [](const Manifold& manifold, Index count, const nb::dict& named) {
    return fits_in_passes(manifold, count, fit_options_from(named, manifold));
  });
  module.attr("block_multiple") = PointBlock::multiple;
  nb::class_<PointBlock>(module, "PointBlock")
      .def("__init__",
           [](PointBlock* self, std::shared_ptr<const Manifold> manifold, Index first, const Rows& points) {
             new (self) PointBlock(std::move(manifold), first, Matrix(columns(points)));
           })
      .def("partial", [](const PointBlock& block, const nb::bytes& parameters, const nb::bytes& latents) {
        const std::string of_fit = text_of(parameters), of_block = text_of(latents);
        BlockPartial part;
        {
          nb::gil_scoped_release release;
          part = block.partial(of_fit, of_block);
        }
        return nb::make_tuple(bytes_of(part.sums), bytes_of(part.latents));
      });
  module.def("add_block_sums",
             [](const nb::bytes& a, const nb::bytes& b) { return bytes_of(add_block_sums(text_of(a), text_of(b))); });
  nb::class_<WatchedFit>(module, "BlockFit")
      .def(nb::init<std::shared_ptr<const Manifold>, Index, const nb::dict&, nb::object, double>(), nb::arg("manifold"),
           nb::arg("count"), nb::arg("options"), nb::arg("callback").none(), nb::arg("time_limit"))
      .def_prop_ro("done", [](const WatchedFit& self) { return self.fit->done(); })
      .def_prop_ro("interrupted", [](const WatchedFit& self) { return self.watch.interrupted(); })
      .def("parameters", [](const WatchedFit& self) { return bytes_of(self.fit->parameters()); })
      .def("step",
           [](WatchedFit& self, const nb::bytes& sums) {
             const std::string of_blocks = text_of(sums);
             self.watch.run([&] { self.fit->step(of_blocks); });
           })
      .def("result", [](const WatchedFit& self, const std::string& form, const std::string& encoder) {
        FitResult result = self.fit->result();
        return LoadedModel{
            std::move(result.model), std::move(result.summary), {"wgp " WGP_VERSION " (Python)", form, encoder}};
      });
}

}  // namespace wgp::python
