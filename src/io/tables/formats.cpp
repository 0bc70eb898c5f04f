#include "io/tables/formats.h"

#include "core/format.h"

#include <algorithm>

#include "io/bytes/line_reader.h"
#include "io/motion/asf_amc.h"
#include "io/motion/bvh.h"
#include "io/nifti/nifti.h"
#include "io/nifti/other_headers.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

std::string ending_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto dot = file.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : to_lower(file.substr(dot));
}

std::string written_endings() {
  std::vector<std::string> endings;
  for (const Format& format : formats())
    if (format.create != nullptr) endings.push_back(format.endings.front());
  const std::string last = endings.back();
  endings.pop_back();
  return fmt::format("{} or {}", fmt::join(endings, ", "), last);
}

}  // namespace

// Recognised from the top; text tables come last, since any text could be one.
const std::vector<Format>& formats() {
  using Content = Format::Content;
  static const std::vector<Format> table = {
      {"csv", "CSV", "text table", {".csv", ".txt"}, Content::text, nullptr, open_csv, create_csv, true},
      {"tsv", "TSV", "text table", {".tsv"}, Content::text, nullptr, open_csv, create_tsv, true},
      {"npy", "NPY", "NumPy array", {".npy"}, Content::binary, is_npy, open_npy, create_npy, false},
      {"npz", "NPZ", "archive of NumPy arrays", {".npz"}, Content::binary, is_npz, open_npz, create_npz, true},
      {"mat", "MAT", "arrays of MATLAB", {".mat"}, Content::binary, is_mat, open_mat, nullptr, false},
      {"tps", "TPS", "landmarks, tpsDig", {".tps"}, Content::text, is_tps, open_tps, create_tps, true},
      {"nts", "NTS", "landmarks, NTSYS", {".nts"}, Content::text, is_nts, open_nts, nullptr, false},
      {"morphologika",
       "Morphologika",
       "landmarks",
       {".morphologika"},
       Content::text,
       is_morphologika,
       open_morphologika,
       nullptr,
       false},
      {"mrk.json",
       "MRK.JSON",
       "landmarks, Slicer",
       {".mrk.json"},
       Content::text,
       is_mrk_json,
       open_mrk_json,
       nullptr,
       false},
      {"fcsv", "FCSV", "landmarks, Slicer", {".fcsv"}, Content::text, is_fcsv, open_fcsv, nullptr, false},
      {"nifti", "NIfTI", "tensor image or maps", {".nii"}, Content::binary, is_nifti, open_nifti_table, nullptr, false},
      {"mif", "MIF", "tensor image, MRtrix", {".mif"}, Content::binary, is_mif, open_nifti_table, nullptr, false},
      {"nrrd", "NRRD", "tensor image", {".nrrd", ".nhdr"}, Content::binary, is_nrrd, open_nifti_table, nullptr, false},
      {"bvh", "BVH", "motion", {".bvh"}, Content::text, is_bvh, open_bvh_table, nullptr, false},
      {"amc", "AMC", "motion, Acclaim", {".amc"}, Content::text, is_amc, open_amc_table, nullptr, false},
  };
  return table;
}

const Format& format_to_write(const std::string& path) {
  const std::string ending = path == "-" ? "" : ending_of(path);
  if (ending.empty()) return formats().front();
  for (const Format& format : formats())
    if (std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end()) {
      if (format.create == nullptr)
        throw Error(
            fmt::format("{}: {} files are read only; tables are written as {}", path, format.title, written_endings()));
      return format;
    }
  throw Error(fmt::format("{}: tables are written as {}, not {}", path, written_endings(), ending));
}

}  // namespace wgp
