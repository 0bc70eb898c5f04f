// wgp check: the input doctor.
#include <algorithm>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/mirror_images.h"
#include "cli/input/points.h"
#include "cli/input/poses.h"
#include "cli/input/shrink_flags.h"
#include "cli/output/check_report.h"
#include "geometry/rounding.h"
#include "geometry/spd_common.h"
#include "report/words/units.h"
#include "statistics/covariance_rank.h"
#include "statistics/mirror_images.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

constexpr std::size_t shown_rows = 10;

struct InvalidRow {
  Index row;
  std::string reason;
};

// Findings as lines of text and as JSON, side by side.
struct Findings {
  Json json;
  std::string text;
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    text += fmt::format(format, std::forward<T>(values)...) + "\n";
  }
  template <class... T>
  void warn(fmt::format_string<T...> format, T&&... values) {
    const std::string message = fmt::format(format, std::forward<T>(values)...);
    text += "warning: " + message + "\n";
    json["warnings"].push_back(message);
  }
};

void publish(const Arguments& arguments, const Findings& findings) {
  if (arguments.has("json"))
    print_json(findings.json);
  else if (!arguments.has("quiet"))
    write_file("-", findings.text);
}

// How the input was read, for the command that is advised.
std::string reading_flags(const Arguments& arguments) {
  std::string flags;
  for (const char* flag : {"mask", "tensor-order", "bone", "frame", "as", "skeleton", "rows", "every", "decimal",
                           "curves", "array", "sample-axis"})
    if (arguments.has(flag)) flags += fmt::format(" --{} {}", flag, arguments.text(flag));
  return flags + (arguments.has("ignore-affine") ? " --ignore-affine" : "");
}

// What the names of the columns tell: landmarks, or quaternions, perhaps with translations. KITTI's poses have no
// names, and are matrices that nothing else is.
std::optional<Candidate> told_by_file(const std::vector<std::string>& names, ConstMatrixRef rows) {
  if (are_kitti(rows)) return Candidate{"se:3", "rows of 3 x 4 matrices, as KITTI has them", rows.cols(), ""};
  if (const Index dimension = landmark_dimension(names); dimension > 0)
    return Candidate{
        fmt::format("{}:{}", dimension == 2 ? "kendall" : "kendall3d", rows.rows() / dimension),
        fmt::format("landmarks {} ..., by the names of the columns", dimension == 2 ? "x1 y1 x2 y2" : "x1 y1 z1 x2"),
        rows.cols(), ""};
  const NamedPose pose = named_pose(names);
  if (pose.quaternion.empty()) return std::nullopt;
  constexpr double tolerance = 0.01;  // of a norm: files have a few digits
  const Vector norms = Matrix(rows(pose.quaternion, Eigen::all)).colwise().norm();
  const Index fits = ((norms.array() - 1).abs() < tolerance).count();
  if (2 * fits < rows.cols()) return std::nullopt;
  std::vector<std::string> columns;
  for (const auto& part : {pose.quaternion, pose.translation})
    for (const Index j : part) columns.push_back(names[static_cast<std::size_t>(j)]);
  return Candidate{pose.translation.empty() ? "so:3" : "se:3",
                   fmt::format("{}, by the names of the columns {}",
                               pose.translation.empty() ? "unit quaternions" : "unit quaternions and translations",
                               fmt::join(columns, ", ")),
                   fits, ""};
}

int guess(const Arguments& arguments) {
  for (const char* flag : {"shrink", "samples", "reflect", "quaternion"})
    if (arguments.has(flag))
      throw UsageError(fmt::format("--{} needs --manifold: it is for points of a known kind", flag));
  constexpr Index most_rows = 10000;
  TableOptions options;
  options.columns = arguments.text("columns");
  const InputFiles files = input_files(arguments);
  const std::string& input = files.first();
  const Messages messages(arguments);
  options.array = arguments.text("array");
  const auto reader = open_input(files, options, input_flags_from(arguments), nullptr, &messages);
  check_input_flags(input_flags_from(arguments), {{*reader, files.name()}});
  TableBlock block, rest;
  reader->read(most_rows, block);
  const Index judged = block.values.cols();
  Index rows = judged;
  while (reader->read(most_rows, rest)) rows += rest.values.cols();
  Findings findings;
  findings.json = {
      {"file", input}, {"files", files.paths()}, {"rows", rows}, {"judged", judged}, {"columns", reader->width()}};
  findings.line("{}: {} of {}; {}it could be", files.name(), plural(rows, "row"), plural(reader->width(), "number"),
                judged < rows ? fmt::format("by the first {} of them ", judged) : "");
  findings.json["candidates"] = Json::array();
  const auto* image = dynamic_cast<const NiftiTable*>(reader.get());
  const std::optional<Candidate> told = told_by_file(reader->names(), block.values);
  // Where the file says what its rows are, they are not what any numbers could be.
  auto candidates = guess_manifolds(block.values, told || image != nullptr ? Evidence::image : Evidence::any_numbers);
  if (told) {
    std::erase_if(candidates, [&](const Candidate& one) { return one.spec == told->spec; });
    candidates.insert(candidates.begin(), *told);
  }
  for (const auto& candidate : candidates) {
    findings.json["candidates"].push_back(
        {{"manifold", candidate.spec}, {"fits", candidate.fits}, {"reason", candidate.reason}});
    if (!candidate.columns.empty()) findings.json["candidates"].back()["columns"] = candidate.columns;
    findings.line("  {:<16} {}{}{}", candidate.spec, candidate.reason,
                  candidate.columns.empty() ? "" : ": --columns " + candidate.columns,
                  candidate.fits == judged ? "" : fmt::format(" ({} of {} rows fit)", candidate.fits, judged));
  }
  if (image != nullptr && !image->holds_tensors()) findings.warn("{}", no_tensors_text(*image));
  const std::string columns = candidates[0].columns.empty() ? arguments.text("columns") : candidates[0].columns;
  findings.line("try one of them: wgp check {}{}{} --manifold {}", fmt::join(arguments.operands(), " "),
                columns.empty() ? "" : " --columns " + columns, reading_flags(arguments), candidates[0].spec);
  publish(arguments, findings);
  return exit_done;
}

struct CheckedTable {
  Matrix points;              // the valid ones
  std::vector<Index> row_of;  // their rows, 0-based
  std::vector<InvalidRow> invalid;
  Index rows = 0;
  RowFormPtr form;
  RankSurvey ranks;         // of covariance matrices as they stand in the file
  std::vector<Index> flat;  // for each of their channels: matrices in which it has no variance
  std::vector<std::string> channels;
  std::shared_ptr<const TableReader> reader;
  bool several = false;
  // "row 7", or "b.csv, row 3".
  std::string name(Index row) const {
    const SeveralFiles::Place at = place_of(*reader, "", row);
    return several ? fmt::format("{}, row {}", at.path, at.row + 1) : fmt::format("row {}", at.row + 1);
  }
  std::string names(Index a, Index b) const {
    const Index row_a = row_of[static_cast<std::size_t>(a)], row_b = row_of[static_cast<std::size_t>(b)];
    return several ? name(row_a) + " and " + name(row_b) : fmt::format("rows {} and {}", row_a + 1, row_b + 1);
  }
  void add(ConstMatrixRef C) {
    ranks.add(C);
    flat.resize(static_cast<std::size_t>(C.rows()));
    constexpr double none = 1e-28;  // of the largest variance
    for (Index j = 0; j < C.rows(); ++j)
      flat[static_cast<std::size_t>(j)] += std::abs(C(j, j)) <= none * C.diagonal().cwiseAbs().maxCoeff();
  }
  std::string channel(std::size_t j) const {
    return channels.empty() ? fmt::format("channel {}", j + 1) : "channel " + channels[j];
  }
  std::string name_of_point(Index i) const { return name(row_of[static_cast<std::size_t>(i)]); }
};

CheckedTable read_all(const InputFiles& files, const ManifoldPtr& manifold, const InputOptions& reading) {
  PointTable table(files, manifold, reading);
  table.check_flags();
  CheckedTable all;
  all.reader = table.reader_pointer();
  all.several = files.several();
  all.channels = table.channels();
  all.form = table.form_pointer();
  std::vector<double> numbers;
  PointBlock block;
  const Index n = covariance_size(*manifold);
  while (table.read(4096, block)) {
    for (Index i = 0; i < block.rows.cols() && n > 0; ++i) all.add(as_matrix(all.form->to_point(block.rows.col(i)), n));
    for (Index i = 0; i < block.rows.cols(); ++i) {
      const auto& defect = block.defects[static_cast<std::size_t>(i)];
      if (!defect.empty()) {
        all.invalid.push_back({block.first_row + i, defect});
        continue;
      }
      const auto point = block.points.col(i);
      numbers.insert(numbers.end(), point.begin(), point.end());
      all.row_of.push_back(block.first_row + i);
    }
    all.rows += block.rows.cols();
  }
  all.points = Eigen::Map<const Matrix>(numbers.data(), manifold->ambient_dim(), static_cast<Index>(all.row_of.size()));
  return all;
}

void report_invalid(const CheckedTable& table, Findings& findings) {
  Json list = Json::array();
  for (std::size_t i = 0; i < table.invalid.size(); ++i) {
    const SeveralFiles::Place at = place_of(*table.reader, "", table.invalid[i].row);
    list.push_back({{"row", at.row + 1}, {"reason", table.invalid[i].reason}});
    if (table.several) list.back()["file"] = at.path;
    if (i < shown_rows) findings.line("{}: {}", table.name(table.invalid[i].row), table.invalid[i].reason);
  }
  if (table.invalid.size() > shown_rows)
    findings.line("... and {} more", plural(static_cast<Index>(table.invalid.size() - shown_rows), "row"));
  findings.json["invalid"] = list;
}

void report_duplicates(const CheckedTable& table, Findings& findings) {
  const Duplicates duplicates = find_duplicates(table.points);
  findings.json["duplicates"] = duplicates.exact;
  findings.json["near_duplicates"] = duplicates.near;
  if (duplicates.exact > 0) findings.warn("{} the same as an earlier one", plural(duplicates.exact, "point"));
  if (duplicates.near > 0) findings.warn("{} within 1e-9 of another", plural(duplicates.near, "point"));
}

void report_conditions(const CheckedTable& table, Findings& findings) {
  const Conditions conditions = find_conditions(table.points);
  findings.json["condition"] = {{"smallest", conditions.smallest},
                                {"largest", conditions.largest},
                                {"largest_scaled", conditions.largest_scaled}};
  if (table.ranks.deficient() == table.rows) return;  // said already, and why
  findings.line("condition numbers {:.3g} to {:.3g}", conditions.smallest, conditions.largest);
  if (conditions.largest_scaled > 1e12)
    findings.warn("{} has condition number {:.3g} even with its diagonal scaled to 1: digits are lost",
                  table.name_of_point(conditions.worst), conditions.largest_scaled);
}

void report_flat_channels(const CheckedTable& table, Findings& findings) {
  constexpr std::size_t shown = 5;
  std::size_t count = 0;
  findings.json["rank"]["flat_channels"] = Json::array();
  for (std::size_t j = 0; j < table.flat.size(); ++j) {
    if (table.flat[j] == 0) continue;
    findings.json["rank"]["flat_channels"].push_back(table.channels.empty() ? Json(j + 1) : Json(table.channels[j]));
    if (++count <= shown)
      findings.line("  {} has no variance in {} of {} matrices: leave it out", table.channel(j), table.flat[j],
                    table.rows);
  }
  if (count > shown) findings.line("  ... and {} more", plural(static_cast<Index>(count - shown), "channel"));
}

// Why matrices are singular, and what can be done about it.
void report_ranks(const CheckedTable& table, const InputOptions& reading, const std::string& input,
                  Findings& findings) {
  const RankSurvey& ranks = table.ranks;
  if (reading.shrinkage.by != Shrinkage::By::none || ranks.size() == 0) return;
  const Index n = ranks.size(), shared = ranks.shared();
  findings.json["rank"] = {{"deficient", ranks.deficient()}, {"shared", shared}};
  if (ranks.deficient() == 0) return;
  findings.json["rank"]["lowest"] = ranks.lowest();
  findings.json["rank"]["highest"] = ranks.highest();
  const std::string rank = ranks.lowest() == ranks.highest() ? fmt::format("{}", ranks.lowest())
                                                             : fmt::format("{} to {}", ranks.lowest(), ranks.highest());
  findings.warn("{} of {} matrices have rank {} of {}: all smaller eigenvalues are rounding{}", ranks.deficient(),
                table.rows, rank, n,
                ranks.sums_to_zero()       ? "; every row sums to 0, as after an average reference"
                : shared > ranks.highest() ? "; windows of fewer samples than channels have such covariances"
                                           : "");
  report_flat_channels(table, findings);
  findings.line(
      "  --shrink oas --samples N (each from N samples) or --shrink A (a share, e.g. 0.01) draws them towards a "
      "multiple of the identity, here and in all other commands");
  if (shared < n)
    findings.line("  wgp convert {} --rank {} -o reduced.npy keeps the {} dimensions that they share{}", input, shared,
                  shared, ranks.sums_to_zero() ? "; so does leaving out one channel, whichever" : "");
  else
    findings.line("  no direction is empty in all of them: longer windows, or fewer channels, give full rank{}",
                  ranks.lowest() > 1
                      ? fmt::format("; wgp convert {} --rank {} -o reduced.npy keeps the {} dimensions of "
                                    "most variance",
                                    input, ranks.lowest(), ranks.lowest())
                      : "");
}

void report_mirror_images(const Manifold& manifold, const Arguments& arguments, CheckedTable& table,
                          Findings& findings) {
  if (landmark_coordinates(manifold) == 0) return;
  const MirrorImages found = find_mirror_images(manifold, table.points);
  Json list = Json::array();
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const Index row = table.row_of[static_cast<std::size_t>(found.points[k])] + 1;
    const std::string name = table.name_of_point(found.points[k]);
    const double distance = found.distance[static_cast<Index>(k)];
    const double reflected = found.mirrored_distance[static_cast<Index>(k)];
    list.push_back({{"row", row}, {"distance", distance}, {"reflected", reflected}});
    if (k < shown_rows)
      findings.line("{}: a mirror image: {:.3g} rad from the mean shape, {:.3g} rad when reflected", name, distance,
                    reflected);
  }
  findings.json["mirror_images"] = list;
  if (found.points.empty()) return;
  if (found.points.size() > shown_rows)
    findings.line("... and {} more", plural(static_cast<Index>(found.points.size() - shown_rows), "row"));
  const auto count = static_cast<Index>(found.points.size());
  const std::string lie = count == 1 ? "configuration lies" : "configurations lie";
  if (!arguments.has("reflect")) {
    findings.warn(
        "{} {} closer to the mean when reflected; --reflect turns such rows back, here and in mean, pga, curve, "
        "fit, encode, score and evaluate",
        count, lie);
    return;
  }
  table.points(Eigen::all, found.points) =
      mirrored(table.points(Eigen::all, found.points), landmark_coordinates(manifold));
  findings.line("{} {} closer to the mean when reflected; what follows is with these turned back (--reflect)", count,
                lie);
}

void report_mean(const Manifold& manifold, const CheckedTable& table, std::uint64_t seed, Findings& findings) {
  MeanOptions options;
  options.seed = seed;
  const FrechetMean mean = frechet_mean(manifold, table.points, options);
  const double ball = manifold.mean_ball_radius();
  findings.json["mean"] = {
      {"unique", mean.unique}, {"status", to_string(mean.status)}, {"radius", mean.radius}, {"ball_radius", ball}};
  findings.line("Frechet mean {}: the points lie within {:.4g}{} of it{}",
                mean.unique ? "unique" : "not certified to be unique", mean.radius, report::distance_unit(manifold),
                ball == infinity ? ""
                : ball > 0       ? fmt::format(", unique below {:.4g}", ball)
                                 : "; no radius is known below which it would be");
  if (mean.status != MeanStatus::converged)
    findings.warn("the search for the mean ended with the status {} (GUIDE, section 22)", to_string(mean.status));

  const CutPairs pairs = find_cut_pairs(manifold, table.points, mean.radius, seed);
  findings.json["cut_pairs"] = {{"checked", pairs.checked},
                                {"all_pairs", pairs.all_pairs},
                                {"cut_locus", pairs.cut_locus},
                                {"near_cut", pairs.near_cut}};
  if (pairs.first >= 0)
    findings.warn("{} on and {} near each other's cut locus{}, e.g. {}", plural(pairs.cut_locus, "pair"),
                  pairs.near_cut, pairs.all_pairs ? "" : fmt::format(" among {} sampled", pairs.checked),
                  table.names(pairs.first, pairs.second));
  else if (!pairs.all_pairs)
    findings.line("no pair at its cut locus among {} sampled", pairs.checked);
}

// The input as it was given, to be given again.
std::string given_words(const Arguments& arguments) {
  return fmt::format("{}{}", fmt::join(arguments.operands(), " "),
                     arguments.has("columns") ? " --columns " + arguments.text("columns") : "");
}

}  // namespace

int run_check(const Arguments& arguments) {
  if (!arguments.has("manifold")) return guess(arguments);
  const ManifoldPtr manifold = manifold_from(arguments);
  check_reflect(arguments, *manifold);
  InputOptions reading = input_options(arguments, *manifold);
  reading.invalid = InputOptions::InvalidRows::keep;
  const InputFiles files = input_files(arguments);
  CheckedTable table = read_all(files, manifold, reading);
  const Index valid = table.points.cols();

  Findings findings;
  findings.json = {{"file", files.first()},
                   {"files", files.paths()},
                   {"manifold", manifold->spec()},
                   {"form", table.form->name()},
                   {"rows", table.rows},
                   {"columns", table.form->width()},
                   {"valid", valid},
                   {"warnings", Json::array()}};
  findings.line("{}: {} of {} ({}), {} on {}", files.name(), plural(table.rows, "row"),
                plural(table.form->width(), "number"), table.form->name(),
                valid == table.rows ? "all" : fmt::format("{}", valid), manifold->spec());
  report_invalid(table, findings);
  report_ranks(table, reading, given_words(arguments), findings);
  if (valid > 0) {
    report_duplicates(table, findings);
    if (manifold->spec().starts_with("spd:") && table.points.rows() == manifold->ambient_dim() &&
        manifold->spec().find_first_of(",^*") == std::string::npos)
      report_conditions(table, findings);
    const bool equal = all_points_equal(*manifold, table.points);
    findings.json["all_equal"] = equal;
    if (equal && valid > 1 && table.ranks.deficient() == 0) findings.warn("all points are equal");
    report_mirror_images(*manifold, arguments, table, findings);
    report_mean(*manifold, table, arguments.seed(), findings);
  }
  publish(arguments, findings);
  return table.invalid.empty() ? exit_done : exit_input;
}

}  // namespace wgp::cli
