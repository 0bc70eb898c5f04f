#include "cli/input/several_files.h"

#include <algorithm>
#include <filesystem>

#include "cli/input/channels.h"
#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

// ".csv", of "a.csv.gz" as well.
std::string kind_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(to_lower(path)).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.extension().string();
}

std::string columns_words(Index width, const std::vector<std::string>& names) {
  constexpr std::size_t shown = 12;
  std::string text = fmt::format("{} number{} in each row", width, width == 1 ? "" : "s");
  if (names.empty()) return text;
  const std::size_t count = std::min(shown, names.size());
  return text + fmt::format(" ({}{})",
                            fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                            count < names.size() ? ", ..." : "");
}

}  // namespace

std::string InputFiles::name() const {
  if (paths_.size() == 1) return first() == "-" ? "standard input" : first();
  return fmt::format("{} and {} more file{}", first(), paths_.size() - 1, paths_.size() == 2 ? "" : "s");
}

std::vector<std::string> files_named_by(const std::string& operand) {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (operand == "-" || !fs::is_directory(operand, failure)) return {operand};
  std::vector<std::string> files;
  for (auto entry = fs::directory_iterator(operand, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && entry->is_regular_file(ignored)) files.push_back((fs::path(operand) / name).string());
  }
  if (failure) throw Error(fmt::format("{}: cannot be listed: {}", operand, failure.message()));
  std::sort(files.begin(), files.end());
  return files;
}

InputFiles input_files(const std::vector<std::string>& named) {
  if (named.size() == 1 && files_named_by(named[0]) == named) return named[0];
  std::vector<std::string> paths;
  for (const std::string& operand : named) {
    if (operand == "-") throw UsageError("standard input (-) cannot be one of several files");
    std::vector<std::string> files = files_named_by(operand);
    if (files.empty()) throw Error(fmt::format("{}: is a directory without files", operand));
    // Skeletons lie beside the motion that goes with them.
    if (std::any_of(files.begin(), files.end(), [](const std::string& file) { return kind_of(file) == ".amc"; }))
      std::erase_if(files, [](const std::string& file) { return kind_of(file) == ".asf"; });
    for (const std::string& file : files)
      if (kind_of(file) != kind_of(files.front()))
        throw UsageError(fmt::format("{}: {} and {} are of different kinds; name the files that are meant, e.g. {}/*{}",
                                     operand, files.front(), file, operand, kind_of(files.front())));
    paths.insert(paths.end(), files.begin(), files.end());
  }
  std::vector<std::string> sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw UsageError(fmt::format("{} is given twice", quote_text(*twice)));
  return InputFiles(std::move(paths));
}

InputFiles input_files(const Arguments& arguments, std::size_t first_operand) {
  const auto& operands = arguments.operands();
  return input_files({operands.begin() + static_cast<std::ptrdiff_t>(first_operand), operands.end()});
}

SeveralFiles::SeveralFiles(InputFiles files, TableOptions options, Open open)
    : files_(std::move(files)), options_(std::move(options)), open_(std::move(open)) {
  std::vector<std::string> own;
  for (std::size_t k = 0; k < options_.text_columns.size(); ++k)
    if (options_.text_columns[k] == file_column)
      file_at_.push_back(k);
    else
      own.push_back(options_.text_columns[k]);
  std::swap(options_.text_columns, own);
  auto first = open_(files_.first(), options_, Saying::nothing);
  if (const auto* chosen = dynamic_cast<const ChosenRows*>(first.get())) choice_ = chosen->choice();
  const auto has_one = [](const TableColumn& column) { return column.name == file_column; };
  columns_ = first->columns();
  if (std::any_of(columns_.begin(), columns_.end(), has_one)) {  // a column of that name is their own affair
    std::swap(options_.text_columns, own);
    file_at_.clear();
  } else {
    columns_.push_back({file_column, false, false});
  }
  width_ = first->width();
  names_ = first->names();
  shape_ = first->shape();
  format_ = first->format();
  channels_ = first->channel_names();
  if (format_ != "npy") return;
  // Their headers say how many rows they have.
  rows_ = first->rows();
  first.reset();
  for (std::size_t k = 1; k < files_.paths().size() && rows_; ++k) {
    const auto other = open_(files_.paths()[k], options_, Saying::nothing);
    look_at(*other, files_.paths()[k]);
    const std::optional<Index> more = other->rows();
    rows_ = more && other->format() == "npy" ? std::optional<Index>(*rows_ + *more) : std::nullopt;
  }
}

// Refuses what does not go with the first file.
void SeveralFiles::look_at(const TableReader& reader, const std::string& path) {
  check_same_channels(reader.channel_names(), path, channels_, files_.first());
  const std::vector<std::string> names = reader.names();
  const bool other_names = !names.empty() && !names_.empty() && names != names_;
  if (reader.width() == width_ && !other_names && reader.shape() == shape_) return;
  throw Error(fmt::format("{}: {}, but {} has {}; files that are read as one table must have the same columns{}", path,
                          columns_words(reader.width(), names), files_.first(), columns_words(width_, names_),
                          reader.width() == width_ && !other_names ? ", in rows of the same shape" : ""));
}

bool SeveralFiles::open_next() {
  if (reader_) return true;
  const std::size_t at = starts_.size();
  if (at == files_.paths().size()) return false;
  reader_ = open_(files_.paths()[at], options_, Saying::notes);
  look_at(*reader_, files_.paths()[at]);
  starts_.push_back(next_row_);
  return true;
}

void SeveralFiles::add_file_column(TableBlock& part) const {
  const std::vector<std::string> names(static_cast<std::size_t>(part.values.cols()),
                                       files_.paths()[starts_.size() - 1]);
  for (const std::size_t at : file_at_) part.text.insert(part.text.begin() + static_cast<std::ptrdiff_t>(at), names);
}

bool SeveralFiles::read(Index max_rows, TableBlock& block) {
  std::vector<TableBlock> parts;
  Index count = 0;
  voxels_.clear();
  while (count < max_rows && open_next()) {
    TableBlock part;
    if (!reader_->read(max_rows - count, part)) {
      reader_.reset();
      continue;
    }
    if (const auto* image = dynamic_cast<const NiftiTable*>(reader_.get()))
      voxels_.push_back({count, image->grid(), image->block_voxels()});
    add_file_column(part);
    part.first_row = next_row_;
    next_row_ += part.values.cols();
    count += part.values.cols();
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return false;
  block = std::move(parts.front());
  if (parts.size() == 1) return true;
  Matrix values(width_, count);
  values.leftCols(block.values.cols()) = block.values;
  Index at = block.values.cols();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    values.middleCols(at, parts[k].values.cols()) = parts[k].values;
    at += parts[k].values.cols();
    for (std::size_t j = 0; j < block.text.size(); ++j)
      std::move(parts[k].text[j].begin(), parts[k].text[j].end(), std::back_inserter(block.text[j]));
  }
  block.values = std::move(values);
  return true;
}

// Files that say how many rows they have are not read for it.
void SeveralFiles::skip(Index count) {
  constexpr Index rows_at_once = 4096;
  while (count > 0 && open_next()) {
    const Index left = reader_->rows() ? *reader_->rows() - (next_row_ - starts_.back()) : 0;
    if (reader_->rows() && count >= left) {
      next_row_ += left;
      count -= left;
      reader_.reset();
    } else if (reader_->rows()) {
      reader_->skip(count);
      next_row_ += count;
      count = 0;
    } else if (TableBlock block; reader_->read(std::min(rows_at_once, count), block)) {
      next_row_ += block.values.cols();
      count -= block.values.cols();
    } else {
      reader_.reset();
    }
  }
}

SeveralFiles::Place SeveralFiles::place(Index row) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), row);
  const auto file = static_cast<std::size_t>(after - starts_.begin() - 1);
  return {files_.paths()[file], choice_.in_file(row - starts_[file])};
}

std::string SeveralFiles::voxel_of(Index in_block) const {
  for (const Voxels& some : voxels_)
    if (const Index at = in_block - some.first; at >= 0 && at < static_cast<Index>(some.voxels.size()))
      return voxel_text(some.grid, some.voxels[static_cast<std::size_t>(at)]);
  return "";
}

SeveralFiles::Place place_of(const TableReader& reader, const std::string& path, Index row) {
  const auto* several = dynamic_cast<const SeveralFiles*>(&reader);
  if (several != nullptr) return several->place(row);
  const auto* chosen = dynamic_cast<const ChosenRows*>(&reader);
  return {path, chosen != nullptr ? chosen->choice().in_file(row) : row};
}

}  // namespace wgp::cli
