// Motion as a table: one row a frame, with the columns frame, time_s (where the file tells it) and the bone's numbers,
// which are selected unless others are asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/motion/skeleton.h"

namespace wgp {

// Where frames come from.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // The next frame's numbers, angles in radians; false at the end.
  virtual bool next(std::vector<double>& numbers) = 0;
  virtual Index frame() const = 0;                    // the number of the one given last
  virtual std::optional<Index> frames() const = 0;    // where the file says how many there are
  virtual std::optional<double> seconds() const = 0;  // from one frame to the next
};

std::unique_ptr<TableReader> motion_table(std::unique_ptr<FrameSource> frames, Skeleton skeleton,
                                          const MotionOptions& options, const std::string& file,
                                          const std::string& format);

}  // namespace wgp
