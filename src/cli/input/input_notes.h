// What a model keeps of how the rows that it was fitted to were read, and what is said of rows that are read otherwise.
#pragma once

#include "cli/input/points.h"
#include "wgp/model_file.h"

namespace wgp::cli {

// Bones of motion, names of channels, --shrink and --reflect.
void note_input(const Arguments& arguments, const Manifold& manifold, const PointSet& set, ModelNotes& notes);

// "--shrink oas --samples 64"; empty where the matrices were taken as they are.
std::string shrink_words(const ModelNotes& notes);

// Where rows go into a model that was fitted to others, shrunk or turned back: says so.
void say_how_fitted(const Arguments& arguments, const ModelNotes& notes, const Messages& messages);

}  // namespace wgp::cli
