// Whatever a checkpoint holds, a fit that goes on from it ends with a model or an Error.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "wgp/model_file.h"

namespace wgp {
namespace {

struct Job {
  std::string name;
  int mutants;
  ManifoldPtr manifold;
  Matrix points;
  FitOptions options;

  FitResult run() const { return fit(manifold, points, options); }
  FitCheckpoint finished() const {
    FitCheckpoint checkpoint;
    Job logged = *this;
    logged.options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
      checkpoint.fingerprint = fingerprint;
      checkpoint.steps[step.name] = step.numbers;
    };
    logged.run();
    return checkpoint;
  }
  FitResult resumed(const FitCheckpoint& checkpoint) const {
    Job job = *this;
    job.options.resume = std::make_shared<const FitCheckpoint>(checkpoint);
    return job.run();
  }
};

Job make_job(const std::string& name, int mutants, const std::string& spec, Index q, Index count,
             const FitOptions& options) {
  const ManifoldPtr manifold = parse_manifold(spec);
  Random random(3);
  const auto space = manifold->at(manifold->random_point(random));
  Matrix points(manifold->ambient_dim(), count);
  space->exp(0.3 * random.normals(manifold->dim(), count), points);
  for (Index i = 0; i < count; ++i) points.col(i) = manifold->project(points.col(i));
  Job job{name, mutants, manifold, points, options};
  job.options.latent = LatentSpace::plain(q);
  job.options.max_iterations = 5;
  return job;
}

std::vector<Job> jobs() {
  FitOptions quick, moving, grown;
  quick.effort = moving.effort = Effort::quick;
  moving.basepoint = BasepointKind::spline;
  grown.prior = Prior::none;
  return {make_job("quick", 160, "sphere:2", 2, 12, quick), make_job("moving", 30, "hyperbolic:2", 1, 12, moving),
          make_job("grown", 110, "euclidean:3", 1, 20, grown)};
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  FitCheckpoint mutant(const FitCheckpoint& whole) {
    FitCheckpoint mutant = whole;
    for (std::size_t k = 0; k < 1 + below(3); ++k) {
      Vector& numbers = one_of(mutant);
      const Index size = numbers.size();
      switch (below(8)) {
        case 0:
          numbers.conservativeResize(static_cast<Index>(below(static_cast<std::size_t>(size) + 1)));
          break;
        case 1:
          numbers.conservativeResize(size + 3);
          numbers.tail(3).setOnes();
          break;
        case 2:
          numbers = Vector(one_of(mutant));
          break;
        case 3:
          mutant.steps.erase(std::next(mutant.steps.begin(), static_cast<long>(below(mutant.steps.size()))));
          if (mutant.steps.empty()) return mutant;
          break;
        default:
          if (size > 0) numbers[place(size)] = number(numbers[place(size)]);
      }
    }
    return mutant;
  }

  std::string mutant(std::string bytes) {
    for (std::size_t k = 0; k < 1 + below(4); ++k) switch (below(4)) {
        case 0:
          bytes.resize(below(bytes.size() + 1));
          break;
        case 1:
          bytes.insert(below(bytes.size() + 1), 1 + below(40), static_cast<char>(below(256)));
          break;
        default:
          if (!bytes.empty()) bytes[below(bytes.size())] = static_cast<char>(below(256));
      }
    return bytes;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  Vector& one_of(FitCheckpoint& checkpoint) {
    return std::next(checkpoint.steps.begin(), static_cast<long>(below(checkpoint.steps.size())))->second;
  }
  // Sizes stand at the beginning, counts at the end.
  Index place(Index size) {
    const auto n = static_cast<std::size_t>(size), few = std::min<std::size_t>(n, 14);
    const std::size_t at = below(3) == 0 ? below(few) : below(2) == 0 ? n - 1 - below(few) : below(n);
    return static_cast<Index>(at);
  }
  double number(double before) {
    const double others[] = {-1,   0,     0.5,    1,      2,        3,         17,           1e3,        1e9,
                             1e18, 1e300, -1e300, 5e-324, infinity, -infinity, std::nan(""), before + 1, -before};
    return others[below(std::size(others))];
  }
  std::mt19937 random_;
};

TEST(DamagedCheckpoints, StepsThatAreWrongGiveAModelOrAnError) {
  Damage damage(11);
  int models = 0, refused = 0;
  for (const Job& job : jobs()) {
    const FitCheckpoint whole = job.finished();
    const Model model = job.resumed(whole).model;
    EXPECT_EQ(model.parts().X, job.run().model.parts().X) << job.name;
    for (int round = 0; round < job.mutants; ++round) {
      SCOPED_TRACE(job.name + " " + std::to_string(round));
      const FitCheckpoint mutant = damage.mutant(whole);
      try {
        const FitResult result = job.resumed(mutant);
        EXPECT_EQ(result.model.parts().X.cols(), job.points.cols());
        ++models;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(models, 30);
  EXPECT_GT(refused, 30);
}

// Checksums stop what is no checkpoint any more; what is left is a part of it, and leads to the same model.
TEST(DamagedCheckpoints, BytesThatAreWrongGiveTheSameModelOrAnError) {
  Damage damage(12);
  const Job job = jobs().front();
  const Matrix X = job.run().model.parts().X;
  std::string path = (std::filesystem::temp_directory_path() / "wgp-damaged-XXXXXX").string();
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  close(file);
  CheckpointWriter(path, job.finished());
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  int models = 0;
  for (int round = 0; round < 300; ++round) {
    try {
      EXPECT_EQ(job.resumed(parse_checkpoint(damage.mutant(content.str()), "mutant")).model.parts().X, X) << round;
      ++models;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(models, 10);
}

}  // namespace
}  // namespace wgp
