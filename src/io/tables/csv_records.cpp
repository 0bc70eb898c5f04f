#include "io/tables/csv_records.h"

#include "core/format.h"

#include <algorithm>
#include <cstring>

#include "io/bytes/number.h"
#include "wgp/types.h"

namespace wgp {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr std::size_t longest_record = std::size_t{1} << 25;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A quote opens a quoted field only at the start of a field; elsewhere (5") it is an ordinary character.
bool opens_field(char before) { return is_blank(before) || before == ',' || before == ';'; }

}  // namespace

RecordReader::RecordReader(std::unique_ptr<ByteSource> source, Quotes quotes)
    : source_(std::move(source)), quotes_(quotes) {
  fill();
  if (std::string_view(buffer_).substr(0, end_).starts_with("\xEF\xBB\xBF")) begin_ = 3;
  const bool line_feeds = std::memchr(buffer_.data(), '\n', end_) != nullptr;
  if (!line_feeds && std::memchr(buffer_.data(), '\r', end_) != nullptr) terminator_ = '\r';
}

bool RecordReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Never much more than the longest record, which next() does not go beyond.
  buffer_.resize(std::min(end_ + std::max(chunk, end_), longest_record + chunk));
  const std::size_t wanted = buffer_.size() - end_, got = source_->read(buffer_.data() + end_, wanted);
  at_end_ = got < wanted;
  end_ += got;
  return got > 0;
}

// Position of the record's terminator (end_ if it is not in the buffer yet). Scanning resumes where it stopped, so a
// long record is looked at once.
std::size_t RecordReader::find_end(std::size_t& scanned, bool& in_quotes, std::size_t from) const {
  const char* data = buffer_.data();
  std::size_t i = std::max(scanned, from);
  while (i < end_) {
    if (!in_quotes) {
      const auto* stop = static_cast<const char*>(std::memchr(data + i, terminator_, end_ - i));
      const std::size_t line_end = stop != nullptr ? static_cast<std::size_t>(stop - data) : end_;
      const auto* quote = static_cast<const char*>(std::memchr(data + i, '"', line_end - i));
      if (quote == nullptr || quotes_ == Quotes::ordinary) {
        scanned = line_end;
        return line_end;
      }
      const auto at = static_cast<std::size_t>(quote - data);
      in_quotes = at == from || opens_field(data[at - 1]);
      i = at + 1;
    } else {
      // "" leaves and enters again, which comes to the same for finding the end.
      const auto* quote = static_cast<const char*>(std::memchr(data + i, '"', end_ - i));
      if (quote == nullptr) {
        i = end_;
        break;
      }
      const auto at = static_cast<std::size_t>(quote - data);
      if (at + 1 == end_ && !at_end_) {  // whether it is doubled is in the next chunk
        i = at;
        break;
      }
      if (at + 1 < end_ && data[at + 1] == '"') {
        i = at + 2;
      } else {
        in_quotes = false;
        i = at + 1;
      }
    }
  }
  scanned = i;
  return end_;
}

bool RecordReader::next(std::string_view& record) {
  std::size_t scanned = begin_;
  bool in_quotes = false;
  while (true) {
    const std::size_t stop = find_end(scanned, in_quotes, begin_);
    if (stop < end_ || (at_end_ && stop > begin_)) {
      if (in_quotes)
        throw Error(fmt::format("{}: a quoted field is never closed: {}", name(),
                                quote_text(std::string_view(buffer_).substr(begin_, end_ - begin_))));
      record = std::string_view(buffer_).substr(begin_, stop - begin_);
      if (record.ends_with('\r')) record.remove_suffix(1);
      begin_ = std::min(stop + 1, end_);
      return true;
    }
    if (at_end_) return false;
    if (end_ - begin_ > longest_record)
      throw Error(fmt::format("{}: a row of more than {} MiB{}; is this a text table?", name(), longest_record >> 20,
                              in_quotes ? ", in a quoted field that is not closed" : ""));
    scanned -= begin_;
    fill();  // moves the record to the front
  }
}

std::string_view FieldSplitter::quoted_field(std::string_view record, std::size_t& position) {
  std::size_t close = position + 1;
  bool doubled = false;
  while (close < record.size()) {
    if (record[close] == '"') {
      if (close + 1 == record.size() || record[close + 1] != '"') break;
      doubled = true;
      ++close;
    }
    ++close;
  }
  std::string_view field = record.substr(position + 1, std::min(close, record.size()) - position - 1);
  position = close + 1;
  if (doubled) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
      text += field[i];
      if (field[i] == '"') ++i;
    }
    field = unescaped_.emplace_back(std::move(text));
  }
  return field;
}

const std::vector<std::string_view>& FieldSplitter::split(std::string_view record) {
  fields_.clear();
  unescaped_.clear();
  const bool blanks = delimiter_ == blank_separated;
  const auto skip_blanks = [&](std::size_t i) {
    while (i < record.size() && is_blank(record[i]) && (blanks || record[i] != delimiter_)) ++i;
    return i;
  };
  const auto is_delimiter = [&](char c) { return blanks ? is_blank(c) : c == delimiter_; };
  std::size_t i = skip_blanks(0);
  if (blanks && i == record.size()) return fields_;
  while (true) {
    if (i < record.size() && record[i] == '"') {
      const std::string_view field = quoted_field(record, i);
      // What stands between the closing quote and the delimiter belongs to the field and makes it text.
      const std::size_t rest = i = std::min(i, record.size());
      while (i < record.size() && !is_delimiter(record[i])) ++i;
      const std::string_view tail = trim(record.substr(rest, i - rest));
      fields_.push_back(tail.empty() ? field : unescaped_.emplace_back(std::string(field) + std::string(tail)));
    } else {
      const std::size_t start = i;
      while (i < record.size() && !is_delimiter(record[i])) ++i;
      fields_.push_back(trim(record.substr(start, i - start)));
    }
    if (i >= record.size()) return fields_;
    i = skip_blanks(i + 1);
    if (blanks && i == record.size()) return fields_;
  }
}

char detect_delimiter(const std::vector<std::string>& records, char decimal) {
  char best = decimal == ',' ? ';' : ',';
  double best_score = -1;
  // Where blanks and another character split equally well ("1, 2"), the other character comes first.
  for (const char candidate : {',', ';', '\t', blank_separated}) {
    if (candidate == decimal) continue;
    FieldSplitter splitter(candidate);
    const std::size_t fields = splitter.split(records.front()).size();
    if (fields < 2) continue;
    std::size_t even = 0, numbers = 0, total = 0;
    for (const auto& record : records) {
      const auto& parts = splitter.split(record);
      even += parts.size() == fields;
      total += parts.size();
      for (const auto part : parts) {
        // 1,5;2,5 is split by the semicolon, whatever is said about the decimal commas afterwards.
        std::string text(part);
        if (candidate != ',') std::replace(text.begin(), text.end(), ',', '.');
        numbers += parse_number(text).has_value() || text.empty();
      }
    }
    const double evenness = static_cast<double>(even) / static_cast<double>(records.size());
    const double numeric = static_cast<double>(numbers) / static_cast<double>(total);
    const double score = evenness + numeric + 1e-9 * static_cast<double>(std::min<std::size_t>(fields, 1000));
    if (score > best_score + 1e-12) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

}  // namespace wgp
