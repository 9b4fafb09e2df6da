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
constexpr std::size_t kMostImageBytes = std::size_t{64} << 20;

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

Result<sandbox::Answer> Compiler::ask(const Kernel& kernel, const std::string& target, bool image) {
  const json request{
      {"id", 1},
      {"run", "compile"},
      {"target", target},
      {"image", image},
      {"kernel",
       {{"name", kernel.name}, {"options", options_json(kernel)}, {"signature", kernel.signature}}}};
  return pool_.ask(request.dump(-1, ' ', false, json::error_handler_t::replace),
                   std::as_bytes(std::span(kernel.ttir.data(), kernel.ttir.size())), kLimit);
}

Result<CompileResult> Compiler::compile(const Kernel& kernel, const std::string& target) {
  const std::filesystem::path file = cache_ / (key(kernel, target) + ".json");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    Result<std::string> text = read_file(file, 1u << 20);
    if (text.ok())
      if (std::optional<CompileResult> cached = from_cache(*text)) return *cached;
  }
  KGB_TRY(sandbox::Answer answer, ask(kernel, target, false));
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

namespace {

// In the cache an image is one line of JSON, then the code.
std::optional<KernelImage> image_from_cache(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const json entry = json::parse(text.substr(0, end), nullptr, false);
  const auto code = std::as_bytes(std::span(text)).subspan(end + 1);
  Result<KernelImage> image = kernel_image_from_json(entry, {code.begin(), code.end()});
  return image.ok() ? std::optional(std::move(*image)) : std::nullopt;
}

std::string to_cache(const KernelImage& image) {
  std::string text = to_json(image).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  text.append(reinterpret_cast<const char*>(image.code.data()), image.code.size());
  return text;
}

}  // namespace

Result<Compiler::Image> Compiler::image(const Kernel& kernel, const std::string& target) {
  const std::filesystem::path file = cache_ / (key(kernel, target) + ".image");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    const Result<std::string> text = read_file(file, kMostImageBytes);
    if (text.ok())
      if (std::optional<KernelImage> cached = image_from_cache(*text)) return Image{std::move(*cached), {}};
  }
  KGB_TRY(sandbox::Answer answer, ask(kernel, target, true));
  if (answer.loss) return Image{{}, "the compiler " + answer.loss->finished.describe()};
  const CompileResult result = from_reply(answer.frame.json);
  if (!result.ok) return Image{{}, result.message};
  const json reply = json::parse(answer.frame.json, nullptr, false);
  KGB_TRY(KernelImage image,
          kernel_image_from_json(reply.value("image", json::object()), std::move(answer.frame.blob)));
  KGB_CHECK(make_folders(cache_));
  KGB_CHECK(write_file_atomic(file, to_cache(image)));
  return Image{std::move(image), {}};
}

}  // namespace kgb
