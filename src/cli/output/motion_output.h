// Rotations that a model predicts, as BVH motion on the skeleton of the file that it was fitted to.
#pragma once

#include <memory>
#include <string>

#include "cli/input/arguments.h"
#include "cli/output/messages.h"
#include "io/motion/bvh_writer.h"
#include "wgp/model_file.h"

namespace wgp::cli {

// -o FILE.bvh
bool has_motion_name(const std::string& path);

class MotionOutput {
 public:
  // Null where --output is no motion. Wrong usage if the model's points are not rotations of known bones, or --skeleton
  // is missing, or is there without need.
  static std::unique_ptr<MotionOutput> asked_for(const Arguments& arguments, const LoadedModel& loaded);
  // Points of the model, a frame each.
  void write(ConstMatrixRef points);
  void close(const Messages& messages);

 private:
  MotionOutput(std::string path, std::string skeleton, BvhWriter writer)
      : path_(std::move(path)), skeleton_(std::move(skeleton)), writer_(std::move(writer)) {}
  std::string path_, skeleton_;
  BvhWriter writer_;
};

}  // namespace wgp::cli
