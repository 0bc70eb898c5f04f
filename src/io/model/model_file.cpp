#include "wgp/model_file.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gp/dense_posterior.h"
#include "gp/inducing_posterior.h"
#include "gp/lattice_posterior.h"
#include "io/bytes/archive.h"
#include "io/bytes/crc32.h"
#include "io/model/model_json.h"
#include "io/tables/npy_bytes.h"
#include "io/tables/npy_text.h"
#include "lift/embedded_lift.h"

namespace wgp {
namespace {

using Entries = std::vector<ArchiveEntry>;

constexpr const char* points_entry = "points.npy";
constexpr const char* labels_entry = "labels.npy";
constexpr const char* law_arrays = "noise_law_";  // begins the names of the noise law's own
constexpr const char* ids_entry = "ids.npy";
constexpr const char* rows_entry = "rows.npy";
constexpr Index most_of_a_density = 256;  // coefficients: fits have far fewer

// Over names and bytes of all arrays in the order of the format: arrays that changed places, or came from another
// model, each with a right checksum of its own, are noticed.
std::uint32_t content_checksum(const Entries& arrays) {
  std::uint32_t crc = 0;
  for (const ArchiveEntry& entry : arrays) crc = crc32_of(entry.bytes, crc32_of(entry.name, crc));
  return crc;
}

Entries arrays_of(const Model& model) {
  const Model::Parts& parts = model.parts();
  Entries arrays;
  if (parts.has_points()) arrays.push_back({points_entry, npy_of_columns(parts.P)});
  arrays.push_back({"X.npy", npy_of_columns(parts.X)});
  arrays.push_back({"base.npy", npy_of_vector(parts.base)});
  arrays.push_back({"theta.npy", npy_of_vector(parts.theta)});
  arrays.push_back({"noise.npy", npy_of_vector(Vector::Constant(1, parts.noise))});
  // The process's own, one row per point.
  for (const auto& [name, array] : model.posterior()->arrays())
    arrays.push_back(
        {name + ".npy", array.cols() == 1 ? npy_of_vector(array.col(0)) : npy_of_columns(array.transpose())});
  if (parts.basis) arrays.push_back({"coefficients.npy", npy_of_columns(parts.coefficients)});
  if (parts.calibration.size() > 0) arrays.push_back({"calibration.npy", npy_of_vector(parts.calibration)});
  if (parts.X_sd.size() > 0) arrays.push_back({"X_sd.npy", npy_of_columns(parts.X_sd)});
  if (parts.angle_density.size() > 0) arrays.push_back({"angle_density.npy", npy_of_vector(parts.angle_density)});
  for (const auto& [name, array] : parts.law->arrays())
    arrays.push_back({law_arrays + name + ".npy", npy_of_columns(array)});
  return arrays;
}

// Names of the arrays that a process keeps, in the order of a map. Those of draws may be missing.
std::vector<std::string> arrays_of_process(const std::string& kind, const std::string& path) {
  if (kind == "dense") return {inverse_diagonal_array, weights_array};
  if (kind == "lattice")
    return {lattice_array::draw_parameters, lattice_array::draw_tables, lattice_array::draw_weights,
            lattice_array::modes,           lattice_array::periods,     lattice_array::table,
            lattice_array::weights};
  if (kind == "inducing")
    return {inducing_array::inputs, inducing_array::jitter, inducing_array::second, inducing_array::weights};
  throw Error(fmt::format("{}: there is no process '{}'; there are dense, lattice and inducing", path, kind));
}

// The arrays of a file, in the order of the format.
class ModelArrays {
 public:
  ModelArrays(const Entries& entries, const ModelHeader& header, std::string path) : path_(std::move(path)) {
    std::vector<std::string> names = {points_entry, header.version == 1 ? "latents.npy" : "X.npy", "base.npy",
                                      "theta.npy", "noise.npy"};
    latents_ = names[1];
    if (header.version > 1)
      for (const std::string& name : arrays_of_process(header.process, path_)) names.push_back(name + ".npy");
    std::vector<std::string> optional = {coefficients, calibration, latent_sd, angle_density};
    names.insert(names.end(), optional.begin(), optional.end());
    if (header.version > 1 && header.process != "dense") optional.push_back(points_entry);
    for (const char* name : {lattice_array::draw_parameters, lattice_array::draw_tables, lattice_array::draw_weights})
      optional.push_back(std::string(name) + ".npy");
    for (const std::string& name : names) {
      const auto found =
          std::find_if(entries.begin(), entries.end(), [&](const ArchiveEntry& entry) { return entry.name == name; });
      if (found != entries.end())
        arrays_.push_back(*found);
      else if (std::find(optional.begin(), optional.end(), name) == optional.end())
        throw Error(fmt::format("{}: the entry {} is missing; the file is damaged", path_, name));
    }
    std::map<std::string, const ArchiveEntry*> of_law;  // written in the order of their names
    for (const ArchiveEntry& entry : entries)
      if (entry.name.starts_with(law_arrays)) of_law.try_emplace(entry.name, &entry);
    for (const auto& [name, entry] : of_law) arrays_.push_back(*entry);
  }
  static constexpr const char* coefficients = "coefficients.npy";
  static constexpr const char* calibration = "calibration.npy";
  static constexpr const char* latent_sd = "X_sd.npy";
  static constexpr const char* angle_density = "angle_density.npy";
  const std::string& latents() const { return latents_; }

  std::uint32_t checksum() const { return content_checksum(arrays_); }
  bool has(const std::string& name) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const ArchiveEntry& entry) { return entry.name == name; });
  }
  Matrix columns(const std::string& name) const { return columns_of_npy(entry(name).bytes, where(name)); }
  NoiseArrays of_law() const {
    NoiseArrays arrays;
    const std::size_t begin = std::string(law_arrays).size(), end = std::string(".npy").size();
    for (const ArchiveEntry& entry : arrays_)
      if (entry.name.starts_with(law_arrays) && entry.name.size() > begin + end)
        arrays[entry.name.substr(begin, entry.name.size() - begin - end)] = columns(entry.name);
    return arrays;
  }
  Vector vector(const std::string& name) const { return vector_of_npy(entry(name).bytes, where(name)); }
  // As it stands in the file; a list of numbers is a column.
  Matrix matrix(const std::string& name) const {
    const Matrix rows = columns(name).transpose();
    return rows;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", path_, what)); }
  std::string where(const std::string& name) const { return fmt::format("{}: {}", path_, name); }

 private:
  const ArchiveEntry& entry(const std::string& name) const {
    const auto found =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const ArchiveEntry& one) { return one.name == name; });
    if (found == arrays_.end()) fail(fmt::format("the entry {} is missing; the file is damaged", name));
    return *found;
  }
  std::string path_, latents_;
  Entries arrays_;
};

void check_sizes(const ModelArrays& arrays, const Model::Parts& parts) {
  const Index N = parts.X.cols(), ambient = parts.manifold->ambient_dim(), q = parts.latent.dim();
  const auto expect = [&](const char* what, Index found, Index expected) {
    if (found != expected)
      arrays.fail(fmt::format("{} is {}, but {} is expected; the file is damaged", what, found, expected));
  };
  if (parts.has_points()) {
    expect("the width of points.npy", parts.P.rows(), ambient);
    expect("the number of latents", N, parts.P.cols());
  }
  expect("the width of the latents", parts.X.rows(), q);
  if (N < 1) arrays.fail("the model has no points");
  if (parts.points_fitted > 0 && parts.points_fitted < N)
    arrays.fail(fmt::format("it holds {} of {} points; the file is damaged", N, parts.points_fitted));
  if (parts.X_sd.size() > 0) {
    expect("the width of X_sd.npy", parts.X_sd.rows(), q);
    expect("the length of X_sd.npy", parts.X_sd.cols(), N);
    if (!parts.X_sd.allFinite() || !(parts.X_sd.array() > 0).all())
      arrays.fail("a standard deviation in X_sd.npy is not a positive number");
  }
  if (parts.angle_density.size() > 0) {
    const bool integrated = parts.inference == Inference::variational && q == 1 && parts.latent.angles() == 1;
    const Index count = parts.angle_density.size();
    if (!integrated || count % 2 != 0 || count > most_of_a_density || !parts.angle_density.allFinite())
      arrays.fail("angle_density.npy is not the density of one angle that was integrated out; the file is damaged");
  }
  if (parts.inference == Inference::variational && parts.X_sd.size() == 0)
    arrays.fail("latents that were integrated out have no standard deviations (X_sd.npy); the file is damaged");
  const bool finite = parts.P.allFinite() && parts.X.allFinite() && parts.base.allFinite() && parts.theta.allFinite();
  if (!finite) arrays.fail("a number that is not finite among the arrays");
  const bool embedded = parts.kind == ModelKind::gplvm || parts.kind == ModelKind::gplvmproj;
  if (embedded && !parts.has_points()) arrays.fail("a baseline in the ambient space without its points");
  if (!embedded || !is_unaligned_base(*parts.manifold, parts.base))
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
  if (!std::is_sorted(parts.calibration.begin(), parts.calibration.end()) || parts.calibration.hasNaN())
    arrays.fail("calibration.npy is not sorted");
}

}  // namespace

namespace {

// All of the file, its entries in order.
Entries entries_of(const std::string& name, const Model& model, const FitSummary& summary, const ModelNotes& notes) {
  const Model::Parts& parts = model.parts();
  const auto known = [&](const std::string& what, const std::string& spec, const auto& parse) {
    try {
      parse();
    } catch (const Error&) {
      throw Error(
          fmt::format("{}: a model with the {} '{}' cannot be saved: it could not be read back", name, what, spec));
    }
  };
  known("manifold", parts.manifold->spec(), [&] { parse_manifold(parts.manifold->spec()); });
  known("kernel", parts.kernel->spec(), [&] {
    // A kernel of one's own may have the name of a known one.
    const KernelPtr again = parse_kernel(parts.kernel->spec(), parts.latent, parts.lengths);
    if (again->parameter_count() != parts.theta.size()) throw Error("other parameters");
    const Matrix some = parts.X.leftCols(std::min<Index>(8, parts.X.cols()));
    const Matrix own = parts.kernel->cov(parts.theta, some, some);
    const Matrix difference = again->cov(parts.theta, some, some) - own;
    if (!(difference.cwiseAbs().maxCoeff() <= 1e-12 * own.cwiseAbs().maxCoeff())) throw Error("other covariances");
  });
  if (parts.basis) known("base point functions", parts.basis->spec(), [&] { parse_basis(parts.basis->spec()); });
  known("noise law", parts.law->kind(), [&] {
    const NoiseLawPtr again =
        restore_noise_law(parts.law->kind(), parts.law->dim(), parts.law->parameters(), parts.law->arrays());
    if (again->density(1, 1).log_density != parts.law->density(1, 1).log_density) throw Error("another law");
  });
  Entries entries = arrays_of(model);
  const std::uint32_t crc = content_checksum(entries);
  entries.insert(entries.begin(), {model_json_entry, write_model_json(model, summary, notes, crc)});
  if (!notes.labels.empty()) entries.push_back({labels_entry, npy_of_texts(notes.labels)});
  if (!notes.ids.empty()) entries.push_back({ids_entry, npy_of_texts(notes.ids)});
  if (!notes.rows.empty()) {
    Vector rows(static_cast<Index>(notes.rows.size()));
    for (Index i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(notes.rows[static_cast<std::size_t>(i)]);
    entries.push_back({rows_entry, npy_of_vector(rows)});
  }
  return entries;
}

}  // namespace

void save_model(const std::string& path, const Model& model, const FitSummary& summary, const ModelNotes& notes) {
  write_archive(path, entries_of(path, model, summary, notes));
}

std::string model_bytes(const Model& model, const FitSummary& summary, const ModelNotes& notes) {
  return archive_bytes(entries_of("a model in memory", model, summary, notes));
}

namespace {

// Of format 1 the process is made anew from its data; later files hold it.
Model restored(const ModelArrays& arrays, ModelHeader&& header) {
  Model::Parts& parts = header.parts;
  const LiftPtr lift = lift_of(parts);
  parts.law = restore_noise_law(header.law_kind, lift->dim(), header.law_parameters, arrays.of_law());
  if (header.version == 1) return Model(std::move(parts));
  if (header.process != "dense") {
    std::map<std::string, Matrix> own;
    for (const std::string& name : arrays_of_process(header.process, ""))
      if (arrays.has(name + ".npy")) own[name] = arrays.matrix(name + ".npy");
    PosteriorPtr process;
    if (header.process == "lattice") {
      LatticePosteriorParts known;
      known.kernel = parts.kernel;
      known.latent = parts.latent;
      known.theta = parts.theta;
      known.noise = parts.noise;
      known.neglected = header.neglected;
      known.X = parts.X;
      process = restore_lattice_posterior(std::move(known), own);
    } else {
      process = restore_inducing_posterior(parts.kernel, parts.latent, parts.theta, parts.noise, parts.X, own);
    }
    if (process->outputs() != lift->dim())
      arrays.fail(fmt::format("the process has {} outputs, but {} are expected; the file is damaged",
                              process->outputs(), lift->dim()));
    return Model(std::move(parts), std::move(process));
  }
  DensePosteriorParts process{parts.kernel,
                              parts.latent,
                              parts.theta,
                              parts.noise,
                              header.jitter,
                              parts.X,
                              lift->lift(parts.X, parts.P).V,
                              arrays.matrix(weights_array + std::string(".npy")),
                              arrays.vector(inverse_diagonal_array + std::string(".npy"))};
  const Index N = parts.X.cols();
  if (process.A.rows() != N || process.A.cols() != lift->dim() || process.inverse_diagonal.size() != N ||
      !process.A.allFinite() || !process.inverse_diagonal.allFinite() || !(process.inverse_diagonal.minCoeff() > 0) ||
      !(process.jitter >= 0 && process.jitter < infinity))
    arrays.fail("weights.npy or inverse_diagonal.npy is not what a process of these points has; the file is damaged");
  return Model(std::move(parts), restore_dense_posterior(std::move(process)));
}

// Labels, ids and rows: one for each point, where there are any.
void read_notes_of_points(const Entries& entries, const ModelArrays& arrays, Index N, ModelNotes& notes) {
  const auto expect = [&](const char* entry, Index count, const char* what) {
    if (count != N)
      arrays.fail(fmt::format("{} has {} {}, but the model has {} points; the file is damaged", entry, count, what, N));
  };
  for (const ArchiveEntry& entry : entries) {
    const std::string where = arrays.where(entry.name);
    if (entry.name == labels_entry) {
      notes.labels = texts_of_npy(entry.bytes, where);
      expect(labels_entry, static_cast<Index>(notes.labels.size()), "texts");
    } else if (entry.name == ids_entry) {
      notes.ids = texts_of_npy(entry.bytes, where);
      expect(ids_entry, static_cast<Index>(notes.ids.size()), "texts");
    } else if (entry.name == rows_entry) {
      const Vector rows = vector_of_npy(entry.bytes, where);
      expect(rows_entry, rows.size(), "numbers");
      constexpr double most = 1e15;  // whole numbers that a double holds
      for (const double row : rows) {
        if (!(row >= 0 && row <= most) || row != std::floor(row))
          arrays.fail(fmt::format("{} holds {}, which is no row; the file is damaged", rows_entry, row));
        notes.rows.push_back(static_cast<Index>(row));
      }
    }
  }
}

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
  const ModelArrays arrays(entries, header, name);
  if (checksums_matter && arrays.checksum() != header.content_crc32)
    arrays.fail(
        fmt::format("the arrays are not those that {} was written with (checksum {:08x}, expected {:08x}); the file "
                    "is damaged or was put together by hand",
                    model_json_entry, arrays.checksum(), header.content_crc32));
  Model::Parts& parts = header.parts;
  if (arrays.has(points_entry)) parts.P = arrays.columns(points_entry);
  parts.X = arrays.columns(arrays.latents());
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
  if (arrays.has(ModelArrays::latent_sd)) parts.X_sd = arrays.columns(ModelArrays::latent_sd);
  if (arrays.has(ModelArrays::angle_density)) parts.angle_density = arrays.vector(ModelArrays::angle_density);
  check_sizes(arrays, parts);
  read_notes_of_points(entries, arrays, parts.X.cols(), header.notes);
  try {
    return {restored(arrays, std::move(header)), std::move(header.summary), std::move(header.notes)};
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
