// Built without -march=native and without optimisation, against a library built with both: the two sides would disagree
// on Eigen's allocation alignment if the exported target did not fix it. Memory therefore crosses the border both ways.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "consumer: %s\n", what);
  std::exit(1);
}

// A manifold of the consumer's own: the library frees what these methods allocate.
class Rewrapped final : public wgp::Manifold {
 public:
  explicit Rewrapped(wgp::ManifoldPtr inner) : inner_(std::move(inner)) {}
  std::string spec() const override { return inner_->spec(); }
  wgp::Index dim() const override { return inner_->dim(); }
  wgp::Index ambient_dim() const override { return inner_->ambient_dim(); }
  std::unique_ptr<const wgp::TangentSpace> at(wgp::ConstVectorRef p) const override { return inner_->at(p); }
  std::optional<std::string> defect(wgp::ConstVectorRef x, double tolerance) const override {
    return inner_->defect(x, tolerance);
  }
  wgp::Vector project(wgp::ConstVectorRef x) const override { return x / x.norm(); }
  double injectivity_radius() const override { return inner_->injectivity_radius(); }
  double mean_ball_radius() const override { return inner_->mean_ball_radius(); }
  wgp::Vector random_point(wgp::Random& random) const override { return project(random.normals(ambient_dim())); }
  std::optional<wgp::Vector> mean_start(wgp::ConstMatrixRef points, wgp::ConstVectorRef weights) const override {
    return project(points * weights);
  }

 private:
  wgp::ManifoldPtr inner_;
};

}  // namespace

int main() {
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");
  wgp::Random random(1);

  // Odd sizes and many rounds: a wrong deallocation corrupts the heap or crashes outright.
  for (wgp::Index count = 1; count < 200; ++count) {
    wgp::Matrix points(3, count);                                                         // allocated here, read there
    for (wgp::Index i = 0; i < count; ++i) points.col(i) = sphere->random_point(random);  // allocated there, freed here

    const std::unique_ptr<const wgp::TangentSpace> space = sphere->at(points.col(0));
    wgp::Matrix coords(2, count), back(3, count);
    const wgp::LogReport report = space->log(points, coords);  // vectors inside, freed here
    space->exp(coords, back);
    require((back - points).norm() < 1e-12 * static_cast<double>(count), "exp does not undo log");
    require(report.margin.size() == count, "the report is incomplete");

    wgp::Matrix ambient = space->to_ambient(coords);
    ambient.conservativeResize(3, 2 * count);  // allocated there, grown here
    wgp::Vector distances = space->distance(points);
    distances = (2 * distances).eval();
    require((coords.colwise().norm().transpose() * 2 - distances).norm() < 1e-12 * static_cast<double>(count),
            "distances are not the norms of log");
  }

  const wgp::FrechetMean mean = wgp::frechet_mean(Rewrapped(sphere), wgp::Matrix::Identity(3, 3));
  require((mean.mean - wgp::Vector::Constant(3, std::sqrt(1.0 / 3))).norm() < 1e-12, "the mean of the axes");

  try {
    wgp::parse_manifold("shpere:2");
    require(false, "a wrong spec was accepted");
  } catch (const wgp::Error& error) {  // crosses the border as well
    require(std::string(error.what()).find("sphere:2") != std::string::npos, "no nearest spec was offered");
  }
  std::puts("consumer: ok");
}
