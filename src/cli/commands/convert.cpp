// wgp convert: streams blocks of rows from one format to another, in constant memory.
#include <algorithm>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "cli/commands/reduced.h"
#include "cli/input/inputs.h"
#include "cli/input/label_file.h"
#include "cli/input/row_order.h"
#include "cli/output/messages.h"
#include "io/landmarks/landmark_reader.h"
#include "io/tables/columns.h"
#include "io/tables/formats.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

constexpr Index numbers_at_once = Index{1} << 20;

const Format& format_of(const TableReader& reader) {
  const auto found = std::find_if(formats().begin(), formats().end(),
                                  [&](const Format& format) { return format.name == reader.format(); });
  if (found == formats().end()) throw std::logic_error("a format without a line in its table: " + reader.format());
  return *found;
}

class Conversion {
 public:
  explicit Conversion(const Arguments& arguments)
      : arguments_(arguments), files_(input_files(arguments)), messages_(arguments), output_(arguments.text("output")) {
    const bool dry = arguments.has("dry-run");
    if (arguments.has("json") && !arguments.has("output") && !dry)
      throw UsageError("--json tells about the conversion; -o FILE is needed for the table");
    target_ = &format_to_write(output_);
    const Index dimension = arguments.integer("dim", 0, 2, 3);
    TableOptions options;
    options.columns = arguments.text("columns");
    options.array = arguments.text("array");
    options.non_finite = TableOptions::NonFinite::keep;  // other programs have their own use for them
    if (arguments.has("labels")) options.text_columns = {arguments.text("labels")};
    reader_ = open_input(files_, options, input_flags_from(arguments), nullptr, &messages_);
    check_input_flags(input_flags_from(arguments), {{*reader_, input_name()}});
    name_columns();
    shape_ = reader_->shape();
    if (dimension > 0) set_dimension(dimension);
    if (!labels_.empty() && !target_->writes_text)
      throw UsageError(fmt::format("--output {}: {} has no place for the text column {}; write .csv, .npz or .tps",
                                   output_, target_->title, labels_.front()));
  }

  int run() {
    if (arguments_.has("dry-run")) return describe();
    std::vector<std::string> all = names_;
    all.insert(all.end(), labels_.begin(), labels_.end());
    const auto writer = create_table(output_, all, shape_);
    const Index block_rows = std::max<Index>(1, numbers_at_once / reader_->width());
    TableBlock block;
    while (reader_->read(block_rows, block)) {
      writer->write(block.values, block.text);
      rows_ += block.values.cols();
      not_finite_ += block.values.size() - block.values.array().isFinite().count();
    }
    writer->close();
    report();
    return exit_done;
  }

 private:
  std::string input_name() const { return files_.name(); }
  bool to_standard_output() const { return output_.empty() || output_ == "-"; }

  void name_columns() {
    names_ = reader_->names();
    if (names_.empty()) names_ = landmark_names(reader_->width(), 1);
    std::vector<std::string> all;
    for (const TableColumn& column : reader_->columns()) {
      all.push_back(column.name);
      if (!column.numeric) left_out_.push_back(column.name.empty() ? std::to_string(all.size()) : column.name);
    }
    if (!arguments_.has("labels")) return;
    if (label_file(arguments_.text("labels"))) {
      labels_.push_back(label_name(arguments_.text("labels")));
      return;
    }
    for (const Index j : select_columns(arguments_.text("labels"), all, static_cast<Index>(all.size()), input_name())) {
      const std::string& name = all[static_cast<std::size_t>(j)];
      labels_.push_back(name.empty() ? "label" : name);
      std::erase(left_out_, name.empty() ? std::to_string(j + 1) : name);
    }
  }

  void set_dimension(Index dimension) {
    if (const Index stated = stated_landmark_dimension(*reader_); stated != 0 && stated != dimension)
      throw UsageError(
          fmt::format("--dim {}: the landmarks of {} have {} coordinates", dimension, input_name(), stated));
    if (reader_->width() % dimension != 0)
      throw Error(fmt::format("{}: {} in each row are no landmarks of {} coordinates; choose with --columns",
                              input_name(), plural(reader_->width(), "number"), dimension));
    shape_ = {reader_->width() / dimension, dimension};
    names_ = landmark_names(reader_->width(), dimension);
  }

  std::string content(std::optional<Index> rows) const {
    return fmt::format("{}{} a row{}", rows ? plural(*rows, "row") + ", " : "", plural(reader_->width(), "number"),
                       labels_.empty() ? "" : fmt::format(", text: {}", fmt::join(labels_, ", ")));
  }

  Json object(std::optional<Index> rows) const {
    Json json = {{"input", files_.first()},   {"files", files_.paths()},   {"format", reader_->format()},
                 {"width", reader_->width()}, {"shape", reader_->shape()}, {"labels", labels_},
                 {"left_out", left_out_},     {"output", output_},         {"output_format", target_->name}};
    json["rows"] = rows ? Json(*rows) : Json(nullptr);
    return json;
  }

  int describe() const {
    if (arguments_.has("json"))
      print_json(object(reader_->rows()));
    else
      write_file("-", fmt::format("{}: {} ({}), {}\nto {}: {}\nnothing was converted (--dry-run)\n", input_name(),
                                  format_of(*reader_).title, format_of(*reader_).about, content(reader_->rows()),
                                  to_standard_output() ? "standard output" : output_, target_->title));
    return exit_done;
  }

  void report() const {
    messages_.say("{}: {}, {}", input_name(), format_of(*reader_).title, content(rows_));
    if (not_finite_ > 0) messages_.say("{} missing or not finite", plural(not_finite_, "number"));
    if (!left_out_.empty())
      messages_.say("left out: text column{} {} (--labels {} keeps {})", left_out_.size() == 1 ? "" : "s",
                    fmt::join(left_out_, ", "), left_out_.front(), left_out_.size() == 1 ? "it" : "the first");
    if (!to_standard_output()) messages_.say("{}: {}, written", output_, target_->title);
    if (arguments_.has("json")) {
      Json json = object(rows_);
      json["not_finite"] = not_finite_;
      print_json(json);
    }
  }

  const Arguments& arguments_;
  const InputFiles files_;
  Messages messages_;
  std::string output_;
  const Format* target_;
  std::unique_ptr<TableReader> reader_;
  std::vector<std::string> names_, labels_, left_out_;
  std::vector<Index> shape_;
  Index rows_ = 0, not_finite_ = 0;
};

}  // namespace

int run_convert(const Arguments& arguments) {
  return reduces_rank(arguments) ? run_reduced(arguments) : Conversion(arguments).run();
}

}  // namespace wgp::cli
