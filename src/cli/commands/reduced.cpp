#include "cli/commands/reduced.h"

#include "cli/commands/commands.h"
#include "cli/input/inputs.h"
#include "cli/output/messages.h"
#include "geometry/spd_common.h"
#include "statistics/covariance_rank.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

// n of rows of n * n numbers or of lower triangles.
Index size_of_rows(Index width, const std::string& input) {
  for (Index n = 1; n <= width; ++n)
    if (n * n == width || n * (n + 1) / 2 == width) return n;
  throw Error(
      fmt::format("{}: {} in each row are neither n x n numbers nor the lower triangle of n x n; choose with "
                  "--columns",
                  input, plural(width, "number")));
}

Matrix matrix_of(ConstVectorRef row, Index n) {
  for (const auto& form : symmetric_row_forms(n))
    if (form->width() == row.size()) return as_matrix(form->to_point(row), n);
  throw std::logic_error("a row of another width than its table's");
}

// Rows of the file are those of the matrix, so that it can be read back from any format.
void write_basis(const std::string& path, const Matrix& U) {
  std::vector<std::string> names;
  for (Index j = 1; j <= U.cols(); ++j) names.push_back(fmt::format("u{}", j));
  const auto writer = create_table(path, names);
  writer->write(Matrix(U.transpose()));
  writer->close();
}

Matrix read_basis(const std::string& path, Index n) {
  const Matrix U = read_table(path).values.transpose();
  if (U.rows() != n || U.cols() > n)
    throw Error(fmt::format("{}: {} x {} numbers, but the matrices are {} x {}: a basis has a row for each channel",
                            path, U.rows(), U.cols(), n, n));
  if ((U.transpose() * U - Matrix::Identity(U.cols(), U.cols())).norm() > 1e-6)
    throw Error(fmt::format("{}: its columns are not orthonormal; --basis reads what --basis-out wrote", path));
  return U;
}

}  // namespace

bool reduces_rank(const Arguments& arguments) {
  const bool rank = arguments.has("rank"), basis = arguments.has("basis");
  if (rank && basis) throw UsageError("--rank finds directions, --basis reads them from a file: give one of them");
  if (arguments.has("basis-out") && !rank)
    throw UsageError("--basis-out writes the directions that --rank R finds: add --rank");
  if (!rank && !basis) return false;
  for (const char* flag : {"dim", "labels", "dry-run"})
    if (arguments.has(flag)) throw UsageError(fmt::format("--{} does not go with --{}", flag, rank ? "rank" : "basis"));
  return true;
}

int run_reduced(const Arguments& arguments) {
  const Messages messages(arguments);
  if (arguments.has("json") && !arguments.has("output"))
    throw UsageError("--json tells about the conversion; -o FILE is needed for the table");
  const InputFiles files = input_files(arguments);
  const std::string input = files.name();
  TableOptions options;
  options.columns = arguments.text("columns");
  options.array = arguments.text("array");
  const auto reader = open_input(files, options, input_flags_from(arguments), nullptr, &messages);
  check_input_flags(input_flags_from(arguments), {{*reader, input}});
  const Matrix rows = read_rest(*reader).values;
  const Index n = size_of_rows(rows.rows(), input), N = rows.cols();
  RankSurvey survey;
  for (Index i = 0; i < N; ++i) {
    const Matrix C = matrix_of(rows.col(i), n);
    if (covariance_rank(C) == 0)
      throw Error(fmt::format("{}: row {} is no covariance matrix: it is not symmetric, or has a negative eigenvalue",
                              place_of(*reader, input, i).path, place_of(*reader, input, i).row + 1));
    survey.add(C);
  }

  double share = 1;
  Matrix U;
  if (arguments.has("basis")) {
    U = read_basis(arguments.text("basis"), n);
  } else {
    const Index R = arguments.integer("rank", n, 1, n);
    if (R > survey.shared())
      throw Error(
          fmt::format("{}: --rank {}: the matrices share {} dimensions, all others are empty in every one of "
                      "them; --rank {} keeps all there is",
                      input, R, survey.shared(), survey.shared()));
    U = survey.directions(R, share);
  }
  Matrix reduced(U.cols() * U.cols(), N);
  RankSurvey left;
  for (Index i = 0; i < N; ++i) {
    const Matrix S = U.transpose() * matrix_of(rows.col(i), n) * U;
    const Matrix symmetric = (S + S.transpose()) / 2;
    left.add(symmetric);
    reduced.col(i) = as_column(symmetric);
  }
  if (arguments.has("basis-out")) write_basis(arguments.text("basis-out"), U);
  const auto writer = create_table(arguments.text("output"), matrix_entry_names("p", U.cols()), {U.cols(), U.cols()});
  writer->write(reduced);
  writer->close();

  messages.say("{}: {} {} of {} x {} reduced to {} x {}{}", input, N, N == 1 ? "matrix" : "matrices", n, n, U.cols(),
               U.cols(),
               arguments.has("rank") ? fmt::format(", with {:.4g} % of the variance of their mean", 100 * share) : "");
  if (left.deficient() > 0)
    messages.say(
        "warning: {} of them are still singular, of rank {} and more; a smaller --rank, or --shrink in the "
        "commands that follow, makes all of them positive definite",
        left.deficient(), left.lowest());
  if (arguments.has("json"))
    print_json({{"input", arguments.operands()[0]},
                {"rows", N},
                {"size", n},
                {"rank", U.cols()},
                {"share", share},
                {"deficient", left.deficient()},
                {"output", arguments.text("output")}});
  return exit_done;
}

}  // namespace wgp::cli
