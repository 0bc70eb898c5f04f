// What a served page asks of the model, as docs/explore.md says it: decode, covariance, encode, and the model itself.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "cli/input/points.h"
#include "serve/http_server.h"
#include "wgp/model_file.h"

namespace wgp::cli {

class ModelApi {
 public:
  ModelApi(LoadedModel loaded, const Arguments& arguments);

  static std::vector<serve::Route> routes();
  // By several threads at a time. Errors are answers.
  serve::Answer answer(const serve::Request& request);

 private:
  serve::Answer decode(const serve::Request& request) const;
  serve::Answer covariance(const serve::Request& request) const;
  serve::Answer encode(const serve::Request& request);
  Matrix latents_of(const serve::Request& request) const;

  const LoadedModel loaded_;
  const Arguments& arguments_;
  InputOptions reading_;
  EncodeOptions encoding_;
  std::string bytes_;        // of the model's file
  std::mutex encoding_one_;  // each takes all threads
};

}  // namespace wgp::cli
