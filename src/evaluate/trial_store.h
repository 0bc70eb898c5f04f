// Finished trials and models in a directory, one file each, so that a long evaluation can go on where it was stopped.
//
// A file's name ends in the fingerprint of the points and options it was made with: another run's files are never taken
// for this one's. Trials carry a checksum; what is damaged counts as missing. Files appear complete or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/trial.h"
#include "wgp/model_file.h"

namespace wgp {

class TrialStore {
 public:
  explicit TrialStore(std::string directory);  // is made if it is missing

  // name: of letters, digits and dashes. Nothing where there is no such file, or a damaged one.
  std::optional<std::vector<Trial>> find_trials(const std::string& name, std::uint64_t fingerprint) const;
  void add_trials(const std::string& name, std::uint64_t fingerprint, const std::vector<Trial>& trials) const;
  std::optional<LoadedModel> find_model(const std::string& name, std::uint64_t fingerprint) const;
  void add_model(const std::string& name, std::uint64_t fingerprint, const FitResult& result,
                 const ModelNotes& notes) const;

  bool has_trials(const std::string& name, std::uint64_t fingerprint) const;
  bool has_model(const std::string& name, std::uint64_t fingerprint) const;
  std::string trials_path(const std::string& name, std::uint64_t fingerprint) const;
  std::string model_path(const std::string& name, std::uint64_t fingerprint) const;
  static std::string bytes_of(const std::string& path);  // of either; empty where there is no such file

 private:
  std::string directory_;
};

}  // namespace wgp
