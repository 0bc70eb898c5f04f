// Kernels: those of the registry by their names, and a user's own written in Python.
#include "wgp/kernel.h"

#include "arrays.h"
#include "module.h"

namespace wgp::python {
namespace {

// A Python object with parameter_names, default_parameters, cov(theta, a, b) and gradient(theta, a, b, G): see
// wgp.CustomKernel. Its methods are called with the interpreter's lock; arrays have a latent a row.
class OwnKernel final : public Kernel {
 public:
  explicit OwnKernel(nb::object object) : object_(std::move(object)) {
    names_ = nb::cast<std::vector<std::string>>(nb::object(object_.attr("parameter_names")));
    spec_ = nb::cast<std::string>(object_.attr("spec"));
    const auto defaults = nb::cast<std::vector<double>>(nb::list(object_.attr("default_parameters")));
    if (defaults.size() != names_.size())
      throw Error(spec_ + ": " + std::to_string(defaults.size()) + " default_parameters for " +
                  std::to_string(names_.size()) + " parameter_names");
    defaults_ = Eigen::Map<const Vector>(defaults.data(), static_cast<Index>(defaults.size()));
    amplitudes_ = nb::cast<std::vector<Index>>(nb::list(object_.attr("amplitude_parameters")));
    lengths_ = nb::cast<std::vector<Index>>(nb::list(object_.attr("length_parameters")));
    angle_lengths_ = nb::cast<std::vector<Index>>(nb::list(object_.attr("angle_length_parameters")));
  }
  ~OwnKernel() override {
    nb::gil_scoped_acquire acquire;
    object_.reset();
  }

  std::string spec() const override { return spec_; }
  std::vector<std::string> parameter_names() const override { return names_; }
  Vector default_parameters() const override { return defaults_; }
  std::vector<Index> amplitude_parameters() const override { return amplitudes_; }
  std::vector<Index> length_parameters() const override { return lengths_; }
  std::vector<Index> angle_length_parameters() const override { return angle_lengths_; }

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    nb::gil_scoped_acquire acquire;
    const nb::object K = object_.attr("cov")(numbers_of(theta), rows_of(a), rows_of(b));
    return columns_from(K, b.cols(), a.cols(), "cov").transpose();
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    nb::gil_scoped_acquire acquire;
    return columns_from(object_.attr("diag")(numbers_of(theta), rows_of(a)), a.cols(), 1, "diag").col(0);
  }
  void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef, ConstMatrixRef G,
                 VectorRef d_theta, MatrixRef d_a) const override {
    nb::gil_scoped_acquire acquire;
    const nb::tuple both(object_.attr("gradient")(numbers_of(theta), rows_of(a), rows_of(b), matrix_of(G)));
    d_theta += columns_from(both[0], theta.size(), 1, "gradient by theta").col(0);
    d_a += columns_from(both[1], a.rows(), a.cols(), "gradient by latents");
  }
  void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const override {
    nb::gil_scoped_acquire acquire;
    d_a += columns_from(object_.attr("diag_gradient")(numbers_of(theta), rows_of(a), numbers_of(g)), a.rows(), a.cols(),
                        "diag_gradient");
  }

 private:
  nb::object object_;
  std::string spec_;
  std::vector<std::string> names_;
  Vector defaults_;
  std::vector<Index> amplitudes_, lengths_, angle_lengths_;
};

}  // namespace

Matrix columns_from(nb::handle array, Index rows, Index columns, const char* what) {
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object made = numpy.attr("ascontiguousarray")(array, numpy.attr("float64"));
  nb::ndarray<const double, nb::c_contig, nb::device::cpu> numbers;
  if (!nb::try_cast(made, numbers)) throw Error(std::string(what) + " returned no array of numbers");
  if (static_cast<Index>(numbers.size()) != rows * columns)
    throw Error(std::string(what) + " returned an array of shape " + nb::repr(nb::object(made.attr("shape"))).c_str() +
                "; " + std::to_string(columns) + " x " + std::to_string(rows) + " numbers are needed");
  return Columns(numbers.data(), rows, columns);
}

void bind_kernels(nb::module_& module) {
  nb::class_<Kernel>(module, "Kernel")
      .def_prop_ro("spec", &Kernel::spec)
      .def_prop_ro("parameter_names", &Kernel::parameter_names)
      .def_prop_ro("default_parameters", [](const Kernel& kernel) { return numbers_of(kernel.default_parameters()); })
      .def("cov", [](const Kernel& kernel, const Numbers& theta, const Rows& a, const Rows& b) {
        if (vector(theta).size() != kernel.parameter_count())
          throw Error(kernel.spec() + " has " + std::to_string(kernel.parameter_count()) + " parameters");
        return matrix_of(kernel.cov(vector(theta), columns(a), columns(b)));
      });
  module.def("own_kernel", [](nb::object object) -> std::shared_ptr<const Kernel> {
    return std::make_shared<OwnKernel>(std::move(object));
  });
  module.def("parse_kernel", [](const std::string& spec, Index angles, Index plain, bool ard) {
    return parse_kernel(spec, LatentSpace(angles, plain), ard ? LengthScales::per_dimension : LengthScales::shared);
  });
  module.def("registered_kernels", [] {
    return words_of(registered_kernels(),
                    [](const KernelEntry& entry) { return nb::make_tuple(entry.name, entry.formula, entry.use); });
  });
}

}  // namespace wgp::python
