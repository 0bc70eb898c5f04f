// The real data sets of the experiments, read from a directory outside the project.
#pragma once

#include <wgp/wgp.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

struct RealSet {
  std::string file, manifold, kernel;
  wgp::Index first, count, latent;  // columns of the file; latent dimensions
};

inline const std::map<std::string, RealSet>& real_sets() {
  static const std::map<std::string, RealSet> sets = {
      {"femur", {"femur/femur.csv", "sphere:2", "periodic", 2, 3, 1}},
      {"dti", {"dti/dti.csv", "spd:3", "rbf", 4, 9, 2}},
      {"crypto", {"crypto/crypto_cov.csv", "spd:10", "rbf", 2, 100, 2}},
      {"diatoms", {"diatoms/diatoms.csv", "kendall:90", "rbf", 3, 180, 2}},
  };
  return sets;
}

inline wgp::Matrix read_points(const std::string& path, const RealSet& set, const wgp::Manifold& manifold) {
  std::ifstream file(path);
  if (!file) throw wgp::Error("cannot open " + path);
  std::string line, field;
  std::getline(file, line);
  std::vector<wgp::Vector> points;
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    wgp::Vector row(set.count);
    for (wgp::Index j = 0; std::getline(fields, field, ','); ++j)
      if (j >= set.first && j < set.first + set.count) row[j - set.first] = std::stod(field);
    points.push_back(manifold.project(row));
  }
  wgp::Matrix P(set.count, static_cast<wgp::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) P.col(static_cast<wgp::Index>(i)) = points[i];
  return P;
}

inline wgp::FitOptions options_for(const RealSet& set) {
  wgp::FitOptions options;
  options.inference = wgp::Inference::point;
  options.kernel = set.kernel;
  options.latent = set.kernel == "periodic" ? wgp::LatentSpace(set.latent, 0) : wgp::LatentSpace::plain(set.latent);
  options.threads = 2;
  return options;
}

}  // namespace bench
