// SPDX-License-Identifier: Apache-2.0
// JSON between kgbench and its zygote; both ends are ours.
#include <nlohmann/json.hpp>

#include "author/zygote_wire.hpp"

namespace kgb::author {
namespace {

using Json = nlohmann::json;

}  // namespace

Result<std::string> to_json_text(const ForkRequest& request, std::string_view session) {
  if (!session.starts_with('{') || !Json::accept(session)) {
    return internal_error("an author's session must be the text of a JSON object");
  }
  Json environment = Json::object();
  for (const auto& [name, value] : request.environment) environment[name] = value;
  std::string text = Json{{"id", request.id},
                          {"nonce", request.nonce},
                          {"namespaces", request.lock.namespaces},
                          {"lock", sandbox::to_json_text(request.lock)},
                          {"workspace", request.workspace},
                          {"module", request.module},
                          {"environment", std::move(environment)}}
                         .dump();
  text.back() = ',';  // the closing brace: the session is spliced in without being parsed into objects
  return text.append("\"session\":").append(session).append("}");
}

std::string worker_request_text(std::uint64_t id, const std::string& module) {
  return Json{{"id", id}, {"worker", module}}.dump();
}

Result<ForkReply> fork_reply_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return host_error("the zygote's reply is not a JSON object");
  ForkReply reply;
  reply.id = json.value("id", std::uint64_t{0});
  reply.pid = json.value("pid", -1);
  reply.error = json.value("error", "");
  return reply;
}

Result<Hello> hello_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("hello", 0) != 1) {
    return host_error(
        "the zygote's greeting is of another version: the Python package and this program differ");
  }
  Hello hello;
  hello.interpreter.version = json.at("python").get<std::string>();
  hello.interpreter.packages = json.at("versions").get<std::map<std::string, std::string>>();
  hello.interpreter.paths = json.at("paths").get<std::vector<std::string>>();
  hello.interpreter.notes = json.at("notes").get<std::vector<std::string>>();
  hello.interpreter.warm_ms = json.at("ms").get<int>();
  hello.interpreter.threads = json.at("threads").get<int>();
  hello.needed = json.at("needed").get<std::vector<std::string>>();
  return hello;
}

std::string start_options_json(int socket, const std::string& home, const ZygoteOptions& options) {
  return Json{{"socket", socket}, {"home", home}, {"preload", options.preload}, {"module", options.module}}
      .dump();
}

}  // namespace kgb::author
