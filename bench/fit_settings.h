// Options of a fit by their names, for benchmarks that take them from the command line.
#pragma once

#include <wgp/wgp.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using Settings = std::vector<std::pair<std::string, std::string>>;  // names and values

inline std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

inline std::pair<std::string, std::string> setting_from(const std::string& text) {
  const std::size_t cut = text.find('=');
  if (cut == std::string::npos) throw wgp::Error("--set " + text + ": NAME=VALUE is needed");
  return {text.substr(0, cut), text.substr(cut + 1)};
}

template <class Choice>
Choice choice_of(const std::string& name, const std::string& value, std::initializer_list<Choice> choices) {
  std::string known;
  for (const Choice choice : choices) {
    if (to_string(choice) == value) return choice;
    known += ' ' + to_string(choice);
  }
  throw wgp::Error("--set " + name + "=" + value + ": one of" + known + " is needed");
}

inline void set_option(wgp::FitOptions& options, const std::string& name, const std::string& value) {
  using namespace wgp;
  const std::map<std::string, std::function<void()>> known = {
      {"effort",
       [&] {
         options.effort = choice_of(name, value, {Effort::quick, Effort::normal, Effort::thorough});
       }},
      {"inference",
       [&] {
         options.inference = choice_of(name, value, {Inference::variational, Inference::point});
       }},
      {"outliers",
       [&] {
         options.outliers = choice_of(name, value, {OutlierRule::automatic, OutlierRule::none});
       }},
      {"noise-law",
       [&] {
         options.noise_law = choice_of(
             name, value,
             {NoiseLawChoice::automatic, NoiseLawChoice::normal, NoiseLawChoice::student, NoiseLawChoice::structured});
       }},
      {"prior",
       [&] {
         options.prior = choice_of(name, value, {Prior::map, Prior::none, Prior::automatic});
       }},
      {"variance",
       [&] {
         options.variance =
             choice_of(name, value, {VarianceRule::as_fitted, VarianceRule::dof, VarianceRule::held_out});
       }},
      {"basepoint",
       [&] {
         options.basepoint = choice_of(name, value,
                                       {BasepointKind::mean, BasepointKind::optimised, BasepointKind::geodesic,
                                        BasepointKind::spline, BasepointKind::automatic});
       }},
      {"folds",
       [&] {
         options.folds = choice_of(name, value, {FoldPolicy::random, FoldPolicy::blocks});
       }},
      {"inits", [&] { options.inits = split_at_commas(value); }},
      {"candidate", [&] { options.candidate = std::stoi(value); }},
      {"starts", [&] { options.starts = std::stoi(value); }},
      {"max-iterations", [&] { options.max_iterations = std::stoi(value); }},
      {"kernel", [&] { options.kernel = value; }},
      {"ard", [&] { options.lengths = value == "1" ? LengthScales::per_dimension : LengthScales::shared; }},
      {"fit-seed", [&] { options.seed = std::stoull(value); }},
  };
  const auto found = known.find(name);
  if (found == known.end()) {
    std::string names;
    for (const auto& [key, unused] : known) names += ' ' + key;
    throw Error("--set " + name + ": there is no such option; there are" + names);
  }
  found->second();
}

inline void apply(const Settings& settings, wgp::FitOptions& options) {
  for (const auto& [name, value] : settings) set_option(options, name, value);
}

}  // namespace bench
