// Where a search with integrated latents begins.
#pragma once

#include <string>
#include <vector>

#include "fit/problem.h"

namespace wgp {

// What is searched: the problem's evidence is variational_evidence, its points are those of the lifting.
struct LatentSearchSetting {
  const Lifting& lifting;
  const FitProblem& problem;
  FitSession& session;
  std::string name;         // of this search among those of the fit, for its checkpoints
  std::vector<Index> rows;  // of the data that the fit was given: the problem's points
  bool of_more = false;     // these are some of many more points
};

// The points that a search looks at: all of them, or some, at random.
struct SearchedPart {
  explicit SearchedPart(const LatentSearchSetting& setting);
  std::vector<Index> members;  // of the problem's points
  FitProblem problem;
  Matrix rows;  // of the outputs
  bool is_all = true;
};

struct LatentStart {
  std::string kind;
  Matrix X;  // of the part's points
  Vector theta;
  double noise = 0, S = 0;
  bool annealed = true;     // begins with much noise, which forgets the start; if not, latents wait for the rest
  bool to_the_end = false;  // though not annealed
};

class LatentStarts {
 public:
  // All are kept by reference. only: the one kind that is made, "pga" or "tour 30"; empty: those that the options say.
  LatentStarts(const LatentSearchSetting& setting, const SearchedPart& part, Executor& executor, std::string only = "")
      : setting_(setting), part_(part), executor_(executor), only_(std::move(only)) {}

  LatentStart components() const;
  // Components, path lengths, a principal curve, given and random latents: those that are wanted.
  std::vector<LatentStart> common() const;
  // Short ways through cluster centres, for one coordinate.
  std::vector<LatentStart> tours() const;
  // Point estimates grown from patches, on few points; the others go where their nearest is. Throws Stopped.
  std::vector<LatentStart> growths(int count) const;

 private:
  bool wants(const char* kind, bool by_itself) const;
  LatentStart annealed(std::string kind, Matrix X) const;
  LatentStart kept(std::string kind, Matrix X) const;

  const LatentSearchSetting& setting_;
  const SearchedPart& part_;
  Executor& executor_;
  const std::string only_;
};

// "tour" of "tour 30, reconnected".
std::string family_of(const std::string& kind);
// Kernel parameters with this length-scale; a sum of kernels shares the variance of the vectors, 1.
Vector start_parameters(const FitProblem& problem, double log_length);
// Plain coordinates, whose prior is N(0, 1), centred and scaled to it.
Matrix at_unit_variance(const LatentSpace& latent, Matrix X);

}  // namespace wgp
