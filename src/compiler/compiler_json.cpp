// SPDX-License-Identifier: Apache-2.0
// Requests to the compiler process, and the cache of its answers.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "compiler/compiler.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr Millis kLimit{180'000};
constexpr int kCacheFormat = 1;

json options_json(const Kernel& kernel) {
  json options = json::object();
  for (const auto& [name, value] : kernel.options) options[name] = value;
  return options;
}

json to_cache(const CompileResult& result) {
  return {{"format", kCacheFormat},
          {"ok", result.ok},
          {"message", result.message},
          {"registers", result.registers},
          {"shared_bytes", result.shared_bytes},
          {"spills", result.spills}};
}

// nullopt when the text is no cache entry of this format: a half-written or foreign file is compiled anew.
std::optional<CompileResult> from_cache(const std::string& text) {
  const json entry = json::parse(text, nullptr, false);
  if (!entry.is_object() || entry.value("format", 0) != kCacheFormat) return std::nullopt;
  CompileResult result;
  result.ok = entry.value("ok", false);
  result.message = entry.value("message", "");
  result.registers = entry.value("registers", std::int64_t{0});
  result.shared_bytes = entry.value("shared_bytes", std::int64_t{0});
  result.spills = entry.value("spills", std::int64_t{0});
  return result;
}

CompileResult from_reply(const std::string& text) {
  CompileResult result;
  const json reply = json::parse(text, nullptr, false);
  if (!reply.is_object()) {
    result.message = "the compiler's answer is no JSON";
    return result;
  }
  result.ok = reply.value("ok", false);
  if (result.ok) {
    result.registers = reply.value("registers", std::int64_t{0});
    result.shared_bytes = reply.value("shared_bytes", std::int64_t{0});
    result.spills = reply.value("spills", std::int64_t{0});
    result.ms = reply.value("ms", 0.0);
  } else {
    result.message = reply.value(json::json_pointer("/error/message"), std::string("no reason given"));
  }
  return result;
}

}  // namespace

Compiler::Compiler(sandbox::Command worker, std::size_t processes, std::filesystem::path cache,
                   std::string compiler_version)
    : pool_(std::move(worker), processes), cache_(std::move(cache)), version_(std::move(compiler_version)) {}

std::string Compiler::key(const Kernel& kernel, const std::string& target) const {
  const json identity{
      {"version", version_}, {"target", target}, {"options", options_json(kernel)}, {"ttir", kernel.ttir}};
  return sha256_hex(identity.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<CompileResult> Compiler::compile(const Kernel& kernel, const std::string& target) {
  const std::filesystem::path file = cache_ / (key(kernel, target) + ".json");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    Result<std::string> text = read_file(file, 1u << 20);
    if (text.ok())
      if (std::optional<CompileResult> cached = from_cache(*text)) return *cached;
  }
  const json request{
      {"id", 1},
      {"run", "compile"},
      {"target", target},
      {"kernel",
       {{"name", kernel.name}, {"options", options_json(kernel)}, {"signature", kernel.signature}}}};
  KGB_TRY(sandbox::Answer answer,
          pool_.ask(request.dump(-1, ' ', false, json::error_handler_t::replace),
                    std::as_bytes(std::span(kernel.ttir.data(), kernel.ttir.size())), kLimit));
  if (answer.loss) {
    // Not cached: a machine short of memory must not condemn the kernel for ever.
    CompileResult lost;
    lost.message = "the compiler " + answer.loss->finished.describe();
    return lost;
  }
  const CompileResult result = from_reply(answer.frame.json);
  KGB_CHECK(make_folders(cache_));
  KGB_CHECK(write_file_atomic(file, to_cache(result).dump()));
  return result;
}

}  // namespace kgb
