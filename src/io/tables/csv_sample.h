// What the first records of a text table say of all others: which are comments, what the delimiter is, which decimal
// mark numbers have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wgp {

// Numbers with a decimal point, or with a decimal comma where it was said that they have one.
class FieldNumbers {
 public:
  explicit FieldNumbers(char decimal) : decimal_(decimal) {}
  char decimal() const { return decimal_; }
  std::optional<double> operator()(std::string_view field) const;
  // "; write ..." where the field would be a number with the other mark; else empty.
  std::string advice(std::string_view field) const;

 private:
  char decimal_;
};

bool starts_as_comment(std::string_view record);

struct TextSample {
  std::vector<std::string> records;  // a header that stood in a comment comes first
  char delimiter = ',';
  bool comments_follow = false;  // lines that start with # are comments after the sample as well
};
// Lines before the first row that start with # are comments, unless they have numbers in the columns of the others, and
// so are those between rows that start with a number ("#ff0000" in a first column of text is no comment). The last one
// before the first row is the header if it names each column: "# timestamp tx ty tz qx qy qz qw".
TextSample sort_out_comments(std::vector<std::string> records, const FieldNumbers& parse);

}  // namespace wgp
