// SPDX-License-Identifier: Apache-2.0
// Reading of the reward stream's requests.
#include "stream_request.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/generate.hpp"

namespace kgb::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLine = std::size_t{16} << 20;

bool is_id(const json& id) {
  return id.is_string() || id.is_number_integer();
}

}  // namespace

Result<StreamRequest> stream_request_from_json(std::string_view line) {
  if (line.size() > kMaxLine) return user_error("the line is longer than 16 MiB");
  const json object = json::parse(line, nullptr, false);
  if (object.is_discarded()) return user_error("the line is no JSON");
  if (!object.is_object()) return user_error("the line is no JSON object");
  static const std::vector<std::string> known{"id", "op", "source", "file", "language", "seed"};
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return user_error("unknown key " + in_quotes(key) + did_you_mean(key, known));
  StreamRequest request;
  request.id = object.value("id", json());
  if (!is_id(request.id)) return user_error("`id` must be a text or an integer");
  for (const char* key : {"op", "source", "file", "language", "seed"})
    if (object.contains(key) && !object[key].is_string())
      return user_error("`" + std::string(key) + "` must be a text");
  if (!object.contains("op")) return user_error("`op` is missing");
  if (object.contains("source") == object.contains("file"))
    return user_error("give either `source` or `file`");
  request.op = object["op"].get<std::string>();
  request.language = object.value("language", "triton");
  if (request.language != "triton" && request.language != "cpp" && request.language != "cuda")
    return user_error("`language` is triton, cpp or cuda");
  if (object.contains("source")) request.source = object["source"].get<std::string>();
  if (object.contains("file")) request.file = object["file"].get<std::string>();
  if (object.contains("seed")) {
    request.seed = seed_from_text(object["seed"].get<std::string>());
    if (!request.seed) return user_error("`seed` is not 1 to 16 hexadecimal digits");
  }
  return request;
}

json stream_id_of(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return nullptr;
  const json id = object.value("id", json());
  return is_id(id) ? id : json();
}

}  // namespace kgb::app
