#include "cli/serve/model_api.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "cli/input/fit_flags.h"
#include "cli/input/input_notes.h"
#include "cli/input/mirror_images.h"
#include "cli/output/encoded_block.h"
#include "cli/output/model_tables.h"
#include "cli/serve/dropped_file.h"
#include "model/decoder.h"

namespace wgp::cli {
namespace {

// Bounds on what one request makes: a program that wants more asks again, or calls the command.
constexpr std::size_t most_question_bytes = std::size_t{1} << 23, most_file_bytes = std::size_t{1} << 26;
constexpr Index most_numbers = Index{1} << 22, most_joint = 1000, most_rows = 100000;

constexpr const char *json_type = "application/json", *raw_type = "application/octet-stream";

// What is wrong with a question.
class Refused : public std::runtime_error {
 public:
  Refused(int status, const std::string& words) : std::runtime_error(words), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

serve::Answer json_answer(const Json& json, int status = 200) {
  return {status, json_type, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}
serve::Answer error_answer(int status, const std::string& words) { return json_answer({{"error", words}}, status); }

// Columns one after the other, little-endian.
serve::Answer raw_answer(const Matrix& numbers) {
  const auto* bytes = reinterpret_cast<const char*>(numbers.data());
  return {200, raw_type, std::string(bytes, static_cast<std::size_t>(numbers.size()) * sizeof(double))};
}

Matrix raw_latents(const std::string& body, Index q) {
  const std::size_t width = static_cast<std::size_t>(q) * sizeof(double);
  if (body.size() % width != 0)
    throw Refused(400, fmt::format("{} bytes are no latents of {} coordinates, 8 bytes each", body.size(), q));
  Matrix X(q, static_cast<Index>(body.size() / width));
  std::memcpy(X.data(), body.data(), body.size());
  return X;
}

Matrix json_latents(const std::string& body, Index q) {
  const Json json = Json::parse(body, nullptr, false);
  const Json* const list = json.is_object() && json.contains("latents") ? &json["latents"] : &json;
  if (!list->is_array())
    throw Refused(400, "{\"latents\": [[...], ...]} is needed, with the coordinates of each latent in JSON");
  Matrix X(q, static_cast<Index>(list->size()));
  for (Index i = 0; i < X.cols(); ++i) {
    const Json& latent = (*list)[static_cast<std::size_t>(i)];
    if (!latent.is_array() || static_cast<Index>(latent.size()) != q)
      throw Refused(400, fmt::format("latent {}: {} are needed", i + 1, plural(q, "coordinate")));
    for (Index j = 0; j < q; ++j) {
      const Json& number = latent[static_cast<std::size_t>(j)];
      if (!number.is_number()) throw Refused(400, fmt::format("latent {}: not a number: {}", i + 1, number.dump()));
      X(j, i) = number.get<double>();
    }
  }
  return X;
}

// Rows of text and numbers as JSON, NaN as null.
Json rows_of(const EncodedBlock& block, Json rows) {
  for (Index i = 0; i < block.numbers.cols(); ++i) {
    Json row = to_json(block.numbers.col(i));
    for (const auto& column : block.text) row.push_back(column[static_cast<std::size_t>(i)]);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

ModelApi::ModelApi(LoadedModel loaded, const Arguments& arguments)
    : loaded_(std::move(loaded)),
      arguments_(arguments),
      reading_(input_options(arguments, loaded_.model.manifold())),
      encoding_{encoder_from(arguments, loaded_), threads_from(arguments)},
      bytes_(model_bytes(loaded_.model, loaded_.summary, loaded_.notes)) {
  reading_.channels = loaded_.notes.channels;
  reading_.channels_of = arguments.operands()[0];
  check_reflect(arguments, loaded_.model.manifold());
  if (arguments.has("reflect")) reading_.reflect_towards = mirror_reference(loaded_.model);
}

std::vector<serve::Route> ModelApi::routes() {
  return {{"GET", "model"},
          {"POST", "decode", most_question_bytes},
          {"POST", "covariance", most_question_bytes},
          {"POST", "encode", most_file_bytes}};
}

serve::Answer ModelApi::answer(const serve::Request& request) {
  try {
    if (request.route == "model") return {200, raw_type, bytes_};
    if (request.route == "decode") return decode(request);
    if (request.route == "covariance") return covariance(request);
    if (request.route == "encode") return encode(request);
    return error_answer(404, "nothing is here");
  } catch (const Refused& error) {
    return error_answer(error.status(), error.what());
  } catch (const Error& error) {
    return error_answer(422, error.what());
  } catch (const UsageError& error) {
    return error_answer(422, error.what());
  } catch (const std::bad_alloc&) {
    return error_answer(422, "the input needs more memory than there is");
  } catch (const std::exception& error) {
    return error_answer(500, fmt::format("internal error: {}", error.what()));
  }
}

Matrix ModelApi::latents_of(const serve::Request& request) const {
  const Index q = loaded_.model.latent_dim();
  Matrix X = request.content_type == raw_type ? raw_latents(request.body, q) : json_latents(request.body, q);
  for (Index i = 0; i < X.cols(); ++i)
    if (!X.col(i).allFinite()) throw Refused(400, fmt::format("latent {}: not finite", i + 1));
  if (X.cols() == 0) throw Refused(400, "no latent");
  return X;
}

// The rows of wgp decode.
serve::Answer ModelApi::decode(const serve::Request& request) const {
  const Matrix X = latents_of(request);
  const DecodedRows decoded(loaded_);
  const auto width = static_cast<Index>(decoded.columns().size());
  if (X.cols() > most_numbers / width)
    throw Refused(413, fmt::format("at most {} latents of this model are decoded at a time", most_numbers / width));
  // Whatever was asked before: a decoder of its own, as a table of latents has.
  const Prediction prediction = Decoder(loaded_.model).predict(X);
  Matrix rows = decoded.rows(prediction);
  for (const Index i : prediction.report.outside_domain) rows.col(i).setConstant(std::nan(""));
  decoded.add_radii(rows);
  if (request.content_type == raw_type) return raw_answer(rows);
  return json_answer({{"columns", decoded.columns()}, {"rows", columns_to_json(rows)}});
}

// Of the process at several latents together. Every tangent coordinate has the same covariance, and they are
// independent of one another.
serve::Answer ModelApi::covariance(const serve::Request& request) const {
  const Matrix X = latents_of(request);
  if (X.cols() > most_joint) throw Refused(413, fmt::format("at most {} latents have a joint covariance", most_joint));
  const Model& model = loaded_.model;
  const Matrix joint = model.law().function_scale() * model.posterior()->covariance(X);
  if (request.content_type == raw_type) return raw_answer(joint);
  const Prediction prediction = model.predict(X);
  return json_answer({{"covariance", columns_to_json(joint)},
                      {"dimension", model.dim()},
                      {"coordinates", columns_to_json(prediction.coords)},
                      {"noise_variance", prediction.noise}});
}

// As wgp encode --json, and the row of the file that each is from.
serve::Answer ModelApi::encode(const serve::Request& request) {
  const std::lock_guard one(encoding_one_);
  const Model& model = loaded_.model;
  const DroppedFile file(request.file_name, request.body);
  std::vector<std::string> said;
  const Messages messages(said);
  try {
    InputOptions reading = reading_;
    reading.messages = messages;
    say_how_fitted(arguments_, loaded_.notes, messages);
    PointTable table(file.path(), model.parts().manifold, reading);
    table.check_flags();
    std::vector<std::string> columns = encoded_columns(model.latent_dim());
    columns.emplace_back("status");
    Json rows = Json::array(), row_numbers = Json::array();
    EncodedBlock sum;
    PointBlock block;
    while (table.read(std::min(many_rows_at_once(model.manifold()), most_rows), block)) {
      const EncodedBlock found = encoded(model, encoding_, block, EncodedAs::rows);
      for (const Index i : block.valid()) row_numbers.push_back(block.first_row + i + 1);
      rows = rows_of(found, std::move(rows));
      sum.n += found.n;
      sum.dropped += found.dropped;
      sum.reflected += found.reflected;
      sum.outside += found.outside;
      sum.open += found.open;
      sum.ambiguous += found.ambiguous;
      sum.density += found.density;
      sum.units.add(found.units);
      if (sum.n + sum.dropped > most_rows)
        throw Error(fmt::format("{}: more than {} rows; 'wgp encode' takes any number", table.path(), most_rows));
    }
    if (sum.n == 0) throw Error(fmt::format("{}: no valid row is left", table.path()));
    if (sum.reflected > 0) messages.say("{} reflected", plural(sum.reflected, "row"));
    if (sum.dropped > 0) messages.say("{} dropped", plural(sum.dropped, "invalid row"));
    if (const std::string hint = sum.units.hint(); !hint.empty()) messages.say("{}", hint);
    for (std::string& message : said) message = file.without_folder(message);
    return json_answer({{"columns", columns},
                        {"rows", std::move(rows)},
                        {"n", sum.n},
                        {"log_density_mean", sum.density / static_cast<double>(sum.n)},
                        {"outside_support", sum.outside},
                        {"not_converged", sum.open},
                        {"ambiguous", sum.ambiguous},
                        {"dropped", sum.dropped},
                        {"row_numbers", std::move(row_numbers)},
                        {"messages", said}});
  } catch (const Error& error) {
    throw Error(file.without_folder(error.what()));
  } catch (const UsageError& error) {
    throw UsageError(file.without_folder(error.what()));
  }
}

}  // namespace wgp::cli
