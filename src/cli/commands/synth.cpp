// wgp synth
#include "cli/commands/commands.h"
#include "cli/output/messages.h"
#include "core/spelling.h"
#include "evaluate/synthetic.h"
#include "io/bytes/number.h"
#include "wgp/io.h"

namespace wgp::cli {

int run_synth(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::string& name = arguments.operands()[0];
  std::vector<std::string> names;
  const SyntheticSource* source = nullptr;
  for (const SyntheticSource& candidate : synthetic_sources()) {
    names.push_back(candidate.name);
    if (candidate.name == name) source = &candidate;
  }
  if (source == nullptr) {
    const std::string guess = nearest(name, names);
    throw UsageError(fmt::format(
        "there is no synthetic set {}; {}", quote_text(name),
        guess.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", guess)));
  }
  const SyntheticSet set = source->make(arguments.seed());
  const Index width = set.points.rows(), N = set.points.cols();

  // The data first, so that --columns 1:W takes them; then latents, truth and labels.
  std::vector<std::string> columns = set.point_names;
  columns.insert(columns.end(), set.latent_names.begin(), set.latent_names.end());
  for (const std::string& entry : set.point_names) columns.push_back("true_" + entry);
  Matrix rows(2 * width + set.latents.rows(), N);
  rows << set.points, set.latents, set.truth;
  std::vector<std::vector<std::string>> text;
  if (!set.labels.empty()) {
    columns.push_back("group");
    text.push_back(set.labels);
  }
  const std::string path = arguments.text("output", "-");
  if (path == "-" && arguments.has("json"))
    throw UsageError("standard output cannot take both the table and the JSON object (--json); add -o FILE");
  const auto table = create_table(path, columns);
  if (text.empty())
    table->write(rows);
  else
    table->write(rows, text);
  table->close();
  if (arguments.has("json"))
    print_json({{"name", name},
                {"manifold", set.manifold},
                {"n", N},
                {"columns", fmt::format("1:{}", width)},
                {"latent", set.latent},
                {"kernel", set.kernel},
                {"seed", arguments.seed()},
                {"output", path}});
  messages.say("{}: {}; --manifold {} --columns 1:{}, truth in true_*, latents in {}", name, source->summary,
               set.manifold, width, fmt::join(set.latent_names, ", "));
  return exit_done;
}

}  // namespace wgp::cli
