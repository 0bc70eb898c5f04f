// wgp synth
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/output/messages.h"
#include "cli/output/model_tables.h"
#include "core/spelling.h"
#include "evaluate/synthetic.h"
#include "evaluate/truth_sets.h"
#include "io/bytes/number.h"
#include "wgp/io.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

// What was written, for the messages.
struct WrittenSet {
  std::string summary, manifold, kernel;
  Index n, width, latent;
  std::vector<std::string> latent_names;
};

std::string output_path(const Arguments& arguments) {
  const std::string path = arguments.text("output", "-");
  if (path == "-" && arguments.has("json"))
    throw UsageError("standard output cannot take both the table and the JSON object (--json); add -o FILE");
  return path;
}

// The data first, so that --columns 1:W takes them; then latents, truth and labels.
std::vector<std::string> columns_of(const std::vector<std::string>& entries, const std::vector<std::string>& latents) {
  std::vector<std::string> columns = entries;
  columns.insert(columns.end(), latents.begin(), latents.end());
  for (const std::string& entry : entries) columns.push_back("true_" + entry);
  return columns;
}

WrittenSet write_synthetic(const SyntheticSource& source, const Arguments& arguments) {
  const SyntheticSet set = source.make(arguments.seed());
  const Index width = set.points.rows(), N = set.points.cols();
  if (arguments.has("count"))
    throw UsageError(
        fmt::format("--count: {} has {} points, as many as its original; sets about a submanifold, such as "
                    "circle and sheet, have as many as are wanted",
                    source.name, N));
  std::vector<std::string> columns = columns_of(set.point_names, set.latent_names);
  Matrix rows(2 * width + set.latents.rows(), N);
  rows << set.points, set.latents, set.truth;
  std::vector<std::vector<std::string>> text;
  if (!set.labels.empty()) {
    columns.push_back("group");
    text.push_back(set.labels);
  }
  const auto table = create_number_table(output_path(arguments), columns);
  if (text.empty())
    table->write(rows);
  else
    table->write(rows, text);
  table->close();
  return {source.summary, set.manifold, set.kernel, N, width, set.latent, set.latent_names};
}

// Block by block: sets larger than memory.
WrittenSet write_truth(const TruthSource& source, const Arguments& arguments) {
  const Index N = arguments.integer("count", 200, 1, 1000000000);
  const TruthSet set = source.make(arguments.seed());
  const bool marked = set.outlier_box > 0;
  std::vector<std::string> columns = columns_of(ambient_names(*set.manifold), set.parameter_names);
  if (marked) columns.push_back("outlier");
  const auto table = create_number_table(output_path(arguments), columns);
  TruthStream stream(set, arguments.seed(), TruthPart::training);
  constexpr Index block = 10000;
  for (Index done = 0; done < N; done += block) {
    const TruthPoints drawn = stream.next(std::min(block, N - done));
    Matrix rows(static_cast<Index>(columns.size()), drawn.points.cols());
    rows.topRows(rows.rows() - (marked ? 1 : 0)) << drawn.points, drawn.parameters, drawn.truth;
    for (std::size_t i = 0; i < drawn.outlier.size(); ++i)
      rows(rows.rows() - 1, static_cast<Index>(i)) = drawn.outlier[i] ? 1 : 0;
    table->write(rows);
  }
  table->close();
  return {source.summary,   set.manifold->spec(), set.kernel, N, set.manifold->ambient_dim(),
          set.latent.dim(), set.parameter_names};
}

WrittenSet write_set(const std::string& name, const Arguments& arguments) {
  std::vector<std::string> names;
  for (const SyntheticSource& source : synthetic_sources()) {
    if (source.name == name) return write_synthetic(source, arguments);
    names.push_back(source.name);
  }
  if (const TruthSource* source = find_truth_source(name)) return write_truth(*source, arguments);
  for (const TruthSource& source : truth_sources()) names.push_back(source.name);
  const std::string guess = nearest(name, names);
  throw UsageError(fmt::format(
      "there is no synthetic set {}; {}", quote_text(name),
      guess.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", guess)));
}

}  // namespace

int run_synth(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::string& name = arguments.operands()[0];
  const WrittenSet set = write_set(name, arguments);
  if (arguments.has("json"))
    print_json({{"name", name},
                {"manifold", set.manifold},
                {"n", set.n},
                {"columns", fmt::format("1:{}", set.width)},
                {"latent", set.latent},
                {"kernel", set.kernel},
                {"seed", arguments.seed()},
                {"output", arguments.text("output", "-")}});
  messages.say("{}: {}; --manifold {} --columns 1:{}, truth in true_*, latents in {}", name, set.summary, set.manifold,
               set.width, fmt::join(set.latent_names, ", "));
  return exit_done;
}

}  // namespace wgp::cli
