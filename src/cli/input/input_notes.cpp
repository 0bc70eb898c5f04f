#include "cli/input/input_notes.h"

#include "core/format.h"

namespace wgp::cli {

void note_input(const Arguments& arguments, const Manifold& manifold, const PointSet& set, ModelNotes& notes) {
  const std::string format = set.reader->format();
  if (format == "bvh" || format == "amc") {
    const MotionFlags flags = motion_flags_from(arguments);
    notes.motion = {flags.bone, flags.frame.empty() ? "world" : flags.frame,
                    wants_rotations(flags, &manifold) ? "rotation" : "direction"};
  }
  notes.channels = set.channels;
  notes.shrink = arguments.text("shrink");
  notes.samples = arguments.integer("samples", 0, 2, 1000000000);
  notes.reflected = arguments.has("reflect");
}

std::string shrink_words(const ModelNotes& notes) {
  if (notes.shrink.empty()) return "";
  return fmt::format("--shrink {}{}", notes.shrink,
                     notes.samples > 0 ? fmt::format(" --samples {}", notes.samples) : "");
}

void say_how_fitted(const Arguments& arguments, const ModelNotes& notes, const Messages& messages) {
  ModelNotes given;
  given.shrink = arguments.text("shrink");
  given.samples = arguments.integer("samples", 0, 2, 1000000000);
  const std::string fitted = shrink_words(notes), now = shrink_words(given);
  if (!fitted.empty() && now.empty())
    messages.say(
        "the model was fitted to matrices shrunk by {}; these are taken as they are (add it, unless they have "
        "been shrunk before)",
        fitted);
  else if (!fitted.empty() && now != fitted)
    messages.say("the model was fitted to matrices shrunk by {}, these are shrunk by {}", fitted, now);
  if (notes.reflected && !arguments.has("reflect"))
    messages.say(
        "the model was fitted with --reflect; mirror images among these rows are taken as they are (add "
        "--reflect)");
}

}  // namespace wgp::cli
