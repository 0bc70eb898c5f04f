#include "report/pages/reproduce_page.h"

#include "core/format.h"

#include <algorithm>

#include "evaluate/split.h"
#include "report/figures/calibration_grid.h"
#include "report/figures/cone_figure.h"
#include "report/figures/femur_figure.h"
#include "report/figures/geometry_figure.h"
#include "report/figures/latent_figure.h"
#include "report/figures/latent_order.h"
#include "report/figures/species_figure.h"
#include "report/pages/table_one.h"

namespace wgp::report {
namespace {

constexpr const char* fitted_names[][2] = {{"wgplvm", "WGPLVM"}, {"gplvm", "GPLVM"}, {"gplvmproj", "GPLVMProj"}};

Index latent_dim(const Reproduced& set) { return set.experiment.plan.angles + set.experiment.plan.plain; }

// How many of the sets WGPLVM wins, in words.
std::string summary_of(const std::vector<Reproduced>& sets) {
  std::size_t better = 0, calibrated = 0;
  for (const Reproduced& set : sets) {
    const ModelEvaluation &own = evaluation_of(set, "wgplvm"), &other = evaluation_of(set, "gplvmproj");
    better += own.density.intrinsic_rmse.mean() < other.density.intrinsic_rmse.mean() &&
              own.projection.intrinsic_rmse.mean() < other.projection.intrinsic_rmse.mean();
    const double ks = own.calibration.null_ks();
    calibrated += ks < evaluation_of(set, "gplvm").calibration.null_ks() && ks < other.calibration.null_ks();
  }
  const bool synthetic = sets.front().experiment.synthetic;
  return fmt::format(
      "The experiments of Mallasto, Hauberg and Feragen (2019) {}: WGPLVM, which knows the manifold, beside GPLVM, "
      "which "
      "does not, and GPLVMProj, which is projected onto it afterwards. WGPLVM reconstructs test points better than "
      "GPLVMProj, in intrinsic distance and under both encoders, on {} of {} data sets; its calibration is nearer to "
      "its "
      "null than both others' on {} of {}.",
      synthetic ? "on synthetic data of the same kind, so that the paper's numbers are not to be compared one by one"
                : "on real data",
      better, sets.size(), calibrated, sets.size());
}

Section table_section(const std::string& id, const std::string& title, Table table, const std::string& words = {}) {
  Section section{id, title};
  section.table = std::move(table);
  section.words = words;
  return section;
}

Section figure_section(const std::string& id, Figure figure) {
  std::string title = figure.title;
  Section section{id, std::move(title)};
  figure.svg.rename(id);
  section.figure = std::move(figure);
  return section;
}

Section calibration_section(const std::vector<Reproduced>& sets) {
  std::vector<CalibrationPanel> panels;
  for (const auto& [model, name] : fitted_names)
    for (const Reproduced& set : sets)
      panels.push_back({set.experiment.plan.title, name, evaluation_of(set, model).calibration,
                        set.experiment.manifold->dim(), latent_dim(set)});
  Section section = figure_section("calibration", calibration_grid(panels, static_cast<int>(sets.size())));
  section.table = calibration_table(sets);
  return section;
}

std::string order_words(const Reproduced& set, const Colouring& colouring) {
  const auto own = latent_order(*set.wgplvm, colouring), other = latent_order(*set.gplvm, colouring);
  if (!own || !other) return "";
  return fmt::format(
      "Mean latent distance of consecutive points over that of all pairs: {:.3f} for WGPLVM, {:.3f} for GPLVM; of "
      "pairs "
      "within the first third over all pairs: {:.3f} and {:.3f}.",
      own->step_share, other->step_share, own->early_share, other->early_share);
}

void add_latent_sections(Page& page, const Reproduced& set) {
  const ExperimentPlan& plan = set.experiment.plan;
  const Colouring colouring = portrait_colouring(set);
  for (const auto& [model, name] :
       {std::pair{&*set.wgplvm, std::string("WGPLVM")}, {&*set.gplvm, std::string("GPLVM")}}) {
    Figure figure = latent_figure(latent_data(*model, colouring));
    figure.title = fmt::format("{}: latent space of {}", plan.title, name);
    page.sections.push_back(
        figure_section(fmt::format("latent-{}-{}", plan.name, to_string(model->parts().kind)), std::move(figure)));
    if (model == &*set.wgplvm && plan.name == "crypto") page.sections.back().words = order_words(set, colouring);
  }
  if (colouring.kind == Colouring::Kind::groups)
    page.sections.push_back(figure_section(
        fmt::format("species-{}", plan.name),
        species_figure(*set.experiment.manifold, take_columns(set.experiment.points, set.portrayed), colouring)));
}

Section femur_section(const Reproduced& set, std::uint64_t seed) {
  std::vector<Index> rest;
  for (Index i = 0; i < set.experiment.points.cols(); ++i)
    if (std::find(set.portrayed.begin(), set.portrayed.end(), i) == set.portrayed.end()) rest.push_back(i);
  return figure_section("femur-models", femur_figure(femur_data(*set.wgplvm, *set.gplvm,
                                                                take_columns(set.experiment.points, rest), seed)));
}

Section method_section(const Reproduction& reproduction, const ReproduceOptions& options) {
  Section section{"method", "How it was done"};
  section.words =
      "Protocol of the paper where it says one. Noise is a parameter of every model; kernels, base points and starts "
      "are "
      "the paper's: an isotropic squared exponential kernel and two latent coordinates, for the femur a periodic one, "
      "one "
      "angle and a principal curve on the sphere to start from, for GPLVM too. Everything is estimated from the "
      "training "
      "points alone.";
  Table table;
  const auto add = [&](const std::string& name, const std::string& value) { table.rows.push_back({name, value}); };
  for (const Reproduced& set : reproduction.sets) {
    const Experiment& experiment = set.experiment;
    const EvaluateOptions evaluation = evaluate_options(experiment, options);
    add(experiment.plan.title,
        fmt::format("{}: {} points on {} of dimension {}, {} latent coordinate{}, kernel {}, effort {}, prior {}{}",
                    experiment.source, experiment.points.cols(), experiment.manifold->spec(),
                    experiment.manifold->dim(), latent_dim(set), latent_dim(set) == 1 ? " (an angle)" : "s",
                    experiment.plan.kernel, to_string(evaluation.fit.effort), to_string(evaluation.fit.prior),
                    experiment.synthetic || experiment.plan.remark.empty() ? "" : "; " + experiment.plan.remark));
  }
  const EvaluateOptions evaluation = evaluate_options(reproduction.sets.front().experiment, options);
  add("splits", fmt::format("{} of {:.0f} % training points; split s is numpy.random.default_rng({} + s).permutation",
                            options.repeats, 100 * evaluation.train_share, options.seed));
  add("prior of latents",
      "map: normal. auto: normal or none, whichever gives points that are left out, a fifth at a time, "
      "the higher density. Diatoms, whose fits cost most, have map, so that all of it takes less than "
      "45 minutes on two cores");
  add("effort",
      "quick: starts from principal geodesics (femur: a principal curve) and multidimensional scaling. normal: "
      "also initial maps that are extended point by point and refined");
  add("encoders",
      "by density: the latent under which the point is densest, as in the paper; by projection: the latent "
      "whose prediction is nearest");
  add("calibration", fmt::format("{} draws at each test point's latent, noise included; distances intrinsic, for GPLVM "
                                 "Euclidean",
                                 evaluation.draws));
  add("conformal regions",
      fmt::format("a fit of its own, {:.0f} % of the training points held out", 100 * evaluation.conformal_share));
  add("variance",
      "of predictions: noise times d/(d - q), since the latents took up q of d dimensions of each residual");
  section.table = std::move(table);
  return section;
}

}  // namespace

Colouring portrait_colouring(const Reproduced& set) {
  std::vector<std::string> labels;
  for (const Index i : set.portrayed) labels.push_back(set.experiment.colours[static_cast<std::size_t>(i)]);
  return colouring_from(set.experiment.plan.colour_name, std::move(labels));
}

Page reproduction_page(const Reproduction& reproduction, const ReproduceOptions& options, const std::string& foot) {
  const std::vector<Reproduced>& sets = reproduction.sets;
  Page page;
  page.title = "Submanifold learning with wrapped Gaussian processes, reproduced";
  page.summary = summary_of(sets);
  page.foot = foot;
  page.sections.push_back(table_section("table-one", "Table 1", intrinsic_table(sets)));
  page.sections.push_back(table_section("table-one-euclidean", "Table 1, Euclidean", euclidean_table(sets)));
  page.sections.push_back(calibration_section(sets));
  page.sections.push_back(table_section("densities", "Log densities", density_table(sets)));
  page.sections.push_back(table_section("coverage", "Conformal regions", coverage_table(sets)));
  if (Table clips = clip_table(sets); !clips.rows.empty())
    page.sections.push_back(table_section("clips", "The projection of GPLVMProj", std::move(clips)));
  for (const Reproduced& set : sets) {
    if (set.experiment.plan.name == "femur") page.sections.push_back(femur_section(set, options.seed));
    if (set.experiment.plan.name != "femur") add_latent_sections(page, set);
  }
  page.sections.push_back(figure_section("cone", cone_figure()));
  std::vector<GeometryPanel> panels;
  for (const Reproduced& set : sets)
    panels.push_back(geometry_panel(set.experiment.plan.title, *set.experiment.manifold, set.experiment.points));
  page.sections.push_back(figure_section("geometry", geometry_figure(panels)));
  page.sections.push_back(method_section(reproduction, options));
  return page;
}

}  // namespace wgp::report
