// Sums and products of kernels; theta is that of the parts, one after the other.
#include <algorithm>

#include "gp/kernels.h"

namespace wgp {
namespace {

class Composite : public Kernel {
 public:
  Composite(std::vector<KernelPtr> parts, char sign) : parts_(std::move(parts)), sign_(sign) {
    offsets_.push_back(0);
    for (const auto& part : parts_) offsets_.push_back(offsets_.back() + part->parameter_count());
  }

  std::string spec() const override {
    std::string text;
    for (const auto& part : parts_) text += (text.empty() ? "" : std::string(1, sign_)) + part->spec();
    return text;
  }
  std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (const auto& name : parts_[i]->parameter_names()) names.push_back(std::to_string(i + 1) + "." + name);
    return names;
  }
  Vector default_parameters() const override {
    Vector theta(offsets_.back());
    for (std::size_t i = 0; i < parts_.size(); ++i)
      theta.segment(offsets_[i], parts_[i]->parameter_count()) = parts_[i]->default_parameters();
    return theta;
  }
  std::vector<Index> amplitude_parameters() const override {
    return sign_ == '+' ? collect(&Kernel::amplitude_parameters) : parts_[0]->amplitude_parameters();
  }
  bool is_invariant() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const KernelPtr& part) { return part->is_invariant(); });
  }
  std::vector<Index> length_parameters() const override { return collect(&Kernel::length_parameters); }
  std::vector<Index> angle_length_parameters() const override { return collect(&Kernel::angle_length_parameters); }
  bool is_sum() const { return sign_ == '+'; }
  const std::vector<KernelPtr>& parts() const { return parts_; }
  Index offset(std::size_t part) const { return offsets_[part]; }

 protected:
  auto part_theta(ConstVectorRef theta, std::size_t i) const {
    return theta.segment(offsets_[i], parts_[i]->parameter_count());
  }
  auto part_theta(VectorRef theta, std::size_t i) const {
    return theta.segment(offsets_[i], parts_[i]->parameter_count());
  }
  std::vector<KernelPtr> parts_;

 private:
  std::vector<Index> collect(std::vector<Index> (Kernel::*which)() const) const {
    std::vector<Index> found;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (const Index index : (parts_[i].get()->*which)()) found.push_back(offsets_[i] + index);
    return found;
  }
  std::vector<Index> offsets_;
  char sign_;
};

class Sum final : public Composite {
 public:
  explicit Sum(std::vector<KernelPtr> terms) : Composite(std::move(terms), '+') {}

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    Matrix K = parts_[0]->cov(part_theta(theta, 0), a, b);
    for (std::size_t i = 1; i < parts_.size(); ++i) K += parts_[i]->cov(part_theta(theta, i), a, b);
    return K;
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    Vector k = parts_[0]->diag(part_theta(theta, 0), a);
    for (std::size_t i = 1; i < parts_.size(); ++i) k += parts_[i]->diag(part_theta(theta, i), a);
    return k;
  }
  void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef, ConstMatrixRef G,
                 VectorRef d_theta, MatrixRef d_a) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto own = part_theta(theta, i);
      parts_[i]->pull_back(own, a, b, parts_[i]->cov(own, a, b), G, part_theta(d_theta, i), d_a);
    }
  }
  void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->pull_back_diag(part_theta(theta, i), a, g, d_a);
  }
};

class Product final : public Composite {
 public:
  explicit Product(std::vector<KernelPtr> factors) : Composite(std::move(factors), '*') {}

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    Matrix K = parts_[0]->cov(part_theta(theta, 0), a, b);
    for (std::size_t i = 1; i < parts_.size(); ++i) K.array() *= parts_[i]->cov(part_theta(theta, i), a, b).array();
    return K;
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    Vector k = parts_[0]->diag(part_theta(theta, 0), a);
    for (std::size_t i = 1; i < parts_.size(); ++i) k.array() *= parts_[i]->diag(part_theta(theta, i), a).array();
    return k;
  }
  // Each factor sees G times all the others.
  void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef, ConstMatrixRef G,
                 VectorRef d_theta, MatrixRef d_a) const override {
    std::vector<Matrix> K;
    for (std::size_t i = 0; i < parts_.size(); ++i) K.push_back(parts_[i]->cov(part_theta(theta, i), a, b));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Matrix others = G;
      for (std::size_t j = 0; j < parts_.size(); ++j)
        if (j != i) others.array() *= K[j].array();
      parts_[i]->pull_back(part_theta(theta, i), a, b, K[i], others, part_theta(d_theta, i), d_a);
    }
  }
  void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Vector others = g;
      for (std::size_t j = 0; j < parts_.size(); ++j)
        if (j != i) others.array() *= parts_[j]->diag(part_theta(theta, j), a).array();
      parts_[i]->pull_back_diag(part_theta(theta, i), a, others, d_a);
    }
  }
};

}  // namespace

std::optional<std::vector<SpectralTerm>> spectral_terms(const Kernel& kernel, const LatentSpace& latent) {
  if (const auto term = stationary_term(kernel)) return std::vector<SpectralTerm>{*term};
  if (kernel.spec() == "constant" && kernel.parameter_count() == 1)
    return std::vector<SpectralTerm>{{SpectralShape::constant, 0, {}}};
  const auto* sum = dynamic_cast<const Composite*>(&kernel);
  if (!sum || !sum->is_sum()) return std::nullopt;
  std::vector<SpectralTerm> all;
  for (std::size_t i = 0; i < sum->parts().size(); ++i) {
    auto terms = spectral_terms(*sum->parts()[i], latent);
    if (!terms) return std::nullopt;
    for (SpectralTerm& term : *terms) {
      term.log_variance += sum->offset(i);
      for (Index& length : term.log_length) length += sum->offset(i);
      all.push_back(std::move(term));
    }
  }
  return all;
}

KernelPtr make_sum(std::vector<KernelPtr> terms) { return std::make_shared<Sum>(std::move(terms)); }
KernelPtr make_product(std::vector<KernelPtr> factors) { return std::make_shared<Product>(std::move(factors)); }

}  // namespace wgp
