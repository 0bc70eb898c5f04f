// wgp sample
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/output/model_tables.h"
#include "cli/output/motion_output.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

constexpr Index points_at_once = 65536;

class SampleRun {
 public:
  explicit SampleRun(const Arguments& arguments)
      : loaded_(load_model(arguments.operands()[0])),
        form_(form_of(loaded_)),
        latents_(arguments.text("at"), arguments.text("columns"), loaded_.model.latent_dim()),
        count_(arguments.integer("count", 1, 1, 1000000000)),
        random_(arguments.seed()),
        of_(arguments.has("no-noise") ? SampleOf::function : SampleOf::data),
        motion_(MotionOutput::asked_for(arguments, loaded_)),
        json_(arguments.has("json")),
        status_(arguments) {
    if (!motion_) output_.emplace(arguments, names(), std::vector<std::string>(), PointColumns{2, form_->width()});
  }

  // Independent draws: by latent, then by draw.
  void run_each() {
    const Index at_once = std::clamp<Index>(points_at_once / count_, 1, model_rows_at_once);
    Matrix X;
    while (latents_.read(at_once, X)) {
      for (Index done = 0; done < count_; done += points_at_once) {
        const Index draws = std::min(points_at_once, count_ - done);
        ExpReport found, by_row;
        const Matrix points = loaded_.model.sample(X, draws, random_, of_, SampleHow::separately, &found);
        Matrix rows(2 + form_->width(), points.cols());
        Index k = 0;
        for (Index i = 0; i < X.cols(); ++i)
          for (Index s = 0; s < draws; ++s) fill(rows.col(k++), n_ + i, done + s, points.col(s * X.cols() + i));
        for (const Index column : found.outside_domain)
          by_row.outside_domain.push_back(column % X.cols() * draws + column / X.cols());
        status_.add(by_row, rows, 2);
        output_->write(rows, {}, ids_of(rows));
      }
      n_ += X.cols();
    }
  }

  // One draw is a function on all latents: by draw, then by latent.
  void run_joint() {
    const Matrix X = latents_.read_all();
    n_ = X.cols();
    const Index at_once = std::max<Index>(1, points_at_once / n_);
    for (Index done = 0; done < count_; done += at_once) {
      const Index draws = std::min(at_once, count_ - done);
      ExpReport found;
      const Matrix points = loaded_.model.sample(X, draws, random_, of_, SampleHow::jointly, &found);
      Matrix rows(2 + form_->width(), points.cols());
      for (Index k = 0; k < points.cols(); ++k) fill(rows.col(k), k % n_, done + k / n_, points.col(k));
      status_.add(found, rows, 2);
      if (output_) output_->write(rows, {}, ids_of(rows));
      if (motion_) motion_->write(points);
    }
  }

  // Whether some draw has no point.
  bool close(const Messages& messages) {
    Json more = {{"n", n_}, {"count", count_}, {"on_manifold", loaded_.model.on_manifold()}};
    status_.add_to(more);
    if (output_) output_->close(more);
    if (motion_) motion_->close(messages);
    if (motion_ && json_) print_json(more);
    if (output_ && output_->left_out()) messages.say("TPS holds the points only; their ID is the latent and the draw");
    messages.say("{} at each of {}", plural(count_, "draw"), plural(n_, "latent"));
    status_.say(messages);
    return status_.any_outside();
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all = {"latent", "draw"};
    for (const auto& name : point_names(loaded_.model.manifold(), *form_)) all.push_back(name);
    return all;
  }
  // In a file of landmarks the latent and the draw are the specimen's name.
  std::vector<std::string> ids_of(const Matrix& rows) const {
    std::vector<std::string> ids;
    if (output_ && output_->left_out())
      for (Index i = 0; i < rows.cols(); ++i) ids.push_back(fmt::format("{}_{}", rows(0, i), rows(1, i)));
    return ids;
  }
  void fill(VectorRef row, Index latent, Index draw, ConstVectorRef point) const {
    row[0] = static_cast<double>(latent + 1);
    row[1] = static_cast<double>(draw + 1);
    row.tail(form_->width()) = form_->from_point(point);
  }

  LoadedModel loaded_;
  RowFormPtr form_;
  LatentTable latents_;
  Index count_;
  Random random_;
  SampleOf of_;
  std::unique_ptr<MotionOutput> motion_;
  bool json_;
  std::optional<RowOutput> output_;
  PointStatus status_;
  Index n_ = 0;
};

}  // namespace

int run_sample(const Arguments& arguments) {
  const Messages messages(arguments);
  check_standard_input({arguments.operands()[0], arguments.required("at", "a table of latents, one per row"),
                        arguments.text("skeleton")});
  if (has_motion_name(arguments.text("output")) && (!arguments.has("joint") || arguments.text("count", "1") != "1"))
    throw UsageError(fmt::format("--output {}: a motion is one draw of all latents jointly: add --joint{}",
                                 arguments.text("output"), arguments.has("count") ? ", and leave --count out" : ""));
  SampleRun run(arguments);
  if (arguments.has("joint"))
    run.run_joint();
  else
    run.run_each();
  return run.close(messages) && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
