#include "wgp/model_file.h"

#include <zlib.h>
#include "core/format.h"

#include <algorithm>
#include <cmath>

#include "io/bytes/archive.h"
#include "io/model/model_json.h"
#include "io/tables/npy_bytes.h"
#include "io/tables/npy_text.h"
#include "model/coordinates.h"

namespace wgp {
namespace {

using Entries = std::vector<ArchiveEntry>;

constexpr const char* labels_entry = "labels.npy";

// Over names and bytes of all arrays in the order of the format: arrays that changed places, or came from another
// model, each with a right checksum of its own, are noticed.
std::uint32_t content_checksum(const Entries& arrays) {
  auto crc = crc32_z(0, nullptr, 0);
  const auto add = [&](const std::string& bytes) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  for (const ArchiveEntry& entry : arrays) {
    add(entry.name);
    add(entry.bytes);
  }
  return static_cast<std::uint32_t>(crc);
}

Entries arrays_of(const Model::Parts& parts) {
  Entries arrays = {{"points.npy", npy_of_columns(parts.P)},
                    {"latents.npy", npy_of_columns(parts.X)},
                    {"base.npy", npy_of_vector(parts.base)},
                    {"theta.npy", npy_of_vector(parts.theta)},
                    {"noise.npy", npy_of_vector(Vector::Constant(1, parts.noise))}};
  if (parts.basis) arrays.push_back({"coefficients.npy", npy_of_columns(parts.coefficients)});
  if (parts.calibration.size() > 0) arrays.push_back({"calibration.npy", npy_of_vector(parts.calibration)});
  return arrays;
}

// The arrays of a file, in the order of the format.
class ModelArrays {
 public:
  ModelArrays(const Entries& entries, std::string path) : path_(std::move(path)) {
    for (const char* name :
         {"points.npy", "latents.npy", "base.npy", "theta.npy", "noise.npy", coefficients, calibration}) {
      const auto found =
          std::find_if(entries.begin(), entries.end(), [&](const ArchiveEntry& entry) { return entry.name == name; });
      if (found != entries.end())
        arrays_.push_back(*found);
      else if (name != coefficients && name != calibration)
        throw Error(fmt::format("{}: the entry {} is missing; the file is damaged", path_, name));
    }
  }
  static constexpr const char* coefficients = "coefficients.npy";
  static constexpr const char* calibration = "calibration.npy";

  std::uint32_t checksum() const { return content_checksum(arrays_); }
  bool has(const std::string& name) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const ArchiveEntry& entry) { return entry.name == name; });
  }
  Matrix columns(const std::string& name) const { return columns_of_npy(entry(name).bytes, where(name)); }
  Vector vector(const std::string& name) const { return vector_of_npy(entry(name).bytes, where(name)); }
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", path_, what)); }

 private:
  const ArchiveEntry& entry(const std::string& name) const {
    const auto found =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const ArchiveEntry& one) { return one.name == name; });
    if (found == arrays_.end()) fail(fmt::format("the entry {} is missing; the file is damaged", name));
    return *found;
  }
  std::string where(const std::string& name) const { return fmt::format("{}: {}", path_, name); }
  std::string path_;
  Entries arrays_;
};

void check_sizes(const ModelArrays& arrays, const Model::Parts& parts) {
  const Index N = parts.P.cols(), ambient = parts.manifold->ambient_dim(), q = parts.latent.dim();
  const auto expect = [&](const char* what, Index found, Index expected) {
    if (found != expected)
      arrays.fail(fmt::format("{} is {}, but {} is expected; the file is damaged", what, found, expected));
  };
  expect("the width of points.npy", parts.P.rows(), ambient);
  expect("the width of latents.npy", parts.X.rows(), q);
  expect("the number of latents", parts.X.cols(), N);
  if (N < 1) arrays.fail("the model has no points");
  const bool finite = parts.P.allFinite() && parts.X.allFinite() && parts.base.allFinite() && parts.theta.allFinite();
  if (!finite) arrays.fail("a number that is not finite among the arrays");
  const bool embedded = parts.kind == ModelKind::gplvm || parts.kind == ModelKind::gplvmproj;
  expect("the length of base.npy", parts.base.size(),
         embedded ? embedded_base(*parts.manifold, parts.P.leftCols(1)).size() : ambient);
  if (parts.basis) {
    expect("the number of latent coordinates of the base point", parts.basis->latent_dim(), q);
    expect("the width of coefficients.npy", parts.coefficients.rows(), parts.manifold->dim());
    expect("the length of coefficients.npy", parts.coefficients.cols(), parts.basis->count());
    if (!parts.coefficients.allFinite()) arrays.fail("a number that is not finite in coefficients.npy");
    if (embedded) arrays.fail("a baseline in the ambient space has no base point that moves");
  }
  if (!(parts.noise >= 0 && parts.noise < infinity)) arrays.fail(fmt::format("the noise variance is {}", parts.noise));
  for (const double scale : {parts.variance_scale, parts.noise_scale})
    if (!(scale > 0 && scale < infinity))
      arrays.fail(fmt::format("variance_scale or noise_scale is {}, but a positive number is expected", scale));
  if (!std::is_sorted(parts.calibration.begin(), parts.calibration.end()) || parts.calibration.hasNaN())
    arrays.fail("calibration.npy is not sorted");
}

}  // namespace

void save_model(const std::string& path, const Model& model, const FitSummary& summary, const ModelNotes& notes) {
  const Model::Parts& parts = model.parts();
  const std::string spec = parts.manifold->spec();
  try {
    parse_manifold(spec);
  } catch (const Error&) {
    throw Error(fmt::format(
        "{}: a model on '{}' cannot be saved: only manifolds that parse_manifold knows can be read back", path, spec));
  }
  if (parts.basis) {
    try {
      parse_basis(parts.basis->spec());
    } catch (const Error&) {
      throw Error(
          fmt::format("{}: a model with base point functions '{}' cannot be saved: only those that parse_basis "
                      "knows can be read back",
                      path, parts.basis->spec()));
    }
  }
  Entries entries = arrays_of(parts);
  const std::uint32_t crc = content_checksum(entries);
  entries.insert(entries.begin(), {model_json_entry, write_model_json(parts, summary, notes, crc)});
  if (!notes.labels.empty()) entries.push_back({labels_entry, npy_of_texts(notes.labels)});
  write_archive(path, entries);
}

namespace {

LoadedModel load(std::unique_ptr<ByteSource> source) {
  const std::string name = source->name();
  Entries entries;
  try {
    entries = read_archive(std::move(source));
  } catch (const Error& error) {
    const std::string what = error.what();
    throw Error(what.find("not a zip archive") == std::string::npos ? what
                                                                    : name + ": not a model of wgp fit or wgp regress");
  }
  const auto json = std::find_if(entries.begin(), entries.end(),
                                 [](const ArchiveEntry& entry) { return entry.name == model_json_entry; });
  if (json == entries.end())
    throw Error(
        fmt::format("{}: not a model of wgp fit or wgp regress: the archive has no {}", name, model_json_entry));
  ModelHeader header = read_model_json(json->bytes, name);
  const ModelArrays arrays(entries, name);
  if (checksums_matter && arrays.checksum() != header.content_crc32)
    arrays.fail(
        fmt::format("the arrays are not those that {} was written with (checksum {:08x}, expected {:08x}); the file "
                    "is damaged or was put together by hand",
                    model_json_entry, arrays.checksum(), header.content_crc32));
  Model::Parts& parts = header.parts;
  parts.P = arrays.columns("points.npy");
  parts.X = arrays.columns("latents.npy");
  parts.base = arrays.vector("base.npy");
  const Vector theta = arrays.vector("theta.npy"), noise = arrays.vector("noise.npy");
  if (noise.size() != 1) arrays.fail(fmt::format("noise.npy has {} numbers, but 1 is expected", noise.size()));
  if (theta.size() != parts.theta.size())
    arrays.fail(fmt::format("theta.npy has {} numbers, but {} are expected; the file is damaged", theta.size(),
                            parts.theta.size()));
  if (theta != parts.theta || noise[0] != parts.noise)
    arrays.fail(
        fmt::format("the parameters in {} are not those of theta.npy and noise.npy; the file is damaged or was "
                    "changed by hand",
                    model_json_entry));
  if (parts.basis) parts.coefficients = arrays.columns(ModelArrays::coefficients);
  if (arrays.has(ModelArrays::calibration)) parts.calibration = arrays.vector(ModelArrays::calibration);
  check_sizes(arrays, parts);
  for (const ArchiveEntry& entry : entries)
    if (entry.name == labels_entry)
      header.notes.labels = texts_of_npy(entry.bytes, fmt::format("{}: {}", name, entry.name));
  if (const auto count = static_cast<Index>(header.notes.labels.size()); count > 0 && count != parts.P.cols())
    arrays.fail(fmt::format("{} has {} texts, but the model has {} points; the file is damaged", labels_entry, count,
                            parts.P.cols()));
  try {
    return {Model(std::move(parts)), std::move(header.summary), std::move(header.notes)};
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

LoadedModel load_model(const std::string& path) { return load(open_bytes(path)); }

LoadedModel parse_model(std::string bytes, const std::string& name) {
  return load(memory_bytes(std::move(bytes), name));
}

}  // namespace wgp
