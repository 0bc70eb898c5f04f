#include "cli/output/report_files.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/format.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "wgp/io.h"

extern char** environ;

namespace wgp::cli {
namespace {

// rsvg-convert, at twice the size; false where there is none or it fails. The picture appears complete or not at all.
bool convert_to_png(const std::string& svg, const std::string& png) {
  const std::string beside = png + ".part";
  std::vector<std::string> words = {"rsvg-convert", "--zoom=2", "--background-color=white", "-o", beside, svg};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  if (posix_spawnp(&process, "rsvg-convert", nullptr, nullptr, pointers.data(), environ) != 0) return false;
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::remove(beside.c_str());
    return false;
  }
  return std::rename(beside.c_str(), png.c_str()) == 0;
}

// A tab or a line break in a label would make another column or row of it.
std::string one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

FigureFiles write_figures(const std::string& directory, const report::Page& page) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) throw Error(fmt::format("{}: cannot make this directory: {}", directory, failure.message()));
  FigureFiles files;
  files.has_png = true;
  for (const report::Section& section : page.sections) {
    if (!section.figure) continue;
    const std::string stem = (std::filesystem::path(directory) / section.figure->svg.name()).string();
    write_file(stem + ".svg", section.figure->svg.file());
    files.paths.push_back(stem + ".svg");
    files.has_png = files.has_png && convert_to_png(stem + ".svg", stem + ".png");
    if (files.has_png) files.paths.push_back(stem + ".png");
  }
  return files;
}

std::vector<std::string> write_projector_tables(const std::string& prefix, const Model& model,
                                                const report::ReportData& data) {
  const Matrix features = model.parts().latent.features(model.parts().X);
  const report::Colouring& colouring = data.latent.colouring;
  const bool has_ids = data.points.heading() != "row";
  std::string vectors, metadata = "row" + (has_ids ? "\t" + one_field(data.points.heading()) : "");
  if (data.residuals.known()) metadata += "\tdistance";
  if (!colouring.labels.empty()) metadata += "\t" + one_field(colouring.name);
  metadata += "\n";
  for (Index i = 0; i < features.cols(); ++i) {
    for (Index j = 0; j < features.rows(); ++j) vectors += (j == 0 ? "" : "\t") + format_number(features(j, i));
    vectors += "\n";
    metadata += fmt::format("{}", data.points.row(i) + 1);
    if (has_ids) metadata += "\t" + one_field(data.points.cell(i));
    if (data.residuals.known()) metadata += "\t" + format_number(data.residuals.distances[i]);
    if (!colouring.labels.empty()) metadata += "\t" + one_field(colouring.labels[static_cast<std::size_t>(i)]);
    metadata += "\n";
  }
  write_file(prefix + "_vectors.tsv", vectors);
  write_file(prefix + "_metadata.tsv", metadata);
  return {prefix + "_vectors.tsv", prefix + "_metadata.tsv"};
}

}  // namespace wgp::cli
