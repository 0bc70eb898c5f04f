// wgp decode: streams blocks of latents through a model, in constant memory.
#include <cmath>

#include "cli/commands.h"
#include "cli/model_tables.h"

namespace wgp::cli {

int run_decode(const Arguments& arguments) {
  const Messages messages(arguments);
  check_standard_input(arguments.operands());
  const LoadedModel loaded = load_model(arguments.operands()[0]);
  const Model& model = loaded.model;
  const RowFormPtr form = form_of(loaded);
  LatentTable latents(arguments.operands()[1], arguments.text("columns"), model);

  std::vector<std::string> names = point_names(model.manifold(), *form);
  names.push_back("sd");
  std::vector<double> radii;
  for (const int percent : {50, 80, 90, 95})
    if (const auto radius = model.conformal_radius(percent / 100.0)) {
      radii.push_back(*radius);
      names.push_back(fmt::format("radius{}", percent));
    }
  RowOutput output(arguments, names);
  Index n = 0;
  Matrix X;
  while (latents.read(model_rows_at_once, X)) {
    const Prediction prediction = model.predict(X);
    Matrix rows(static_cast<Index>(names.size()), X.cols());
    rows.topRows(form->width()) = points_to_rows(*form, prediction.points);
    rows.row(form->width()) = (prediction.variance.array() + prediction.noise).sqrt().transpose();
    for (std::size_t k = 0; k < radii.size(); ++k)
      rows.row(form->width() + 1 + static_cast<Index>(k)).setConstant(radii[k]);
    output.write(rows);
    n += X.cols();
  }
  output.close({{"n", n}, {"on_manifold", model.on_manifold()}});
  messages.say("{} decoded{}", plural(n, "latent"),
               model.on_manifold() ? "" : "; predictions of gplvm are not on the manifold");
  return exit_done;
}

}  // namespace wgp::cli
