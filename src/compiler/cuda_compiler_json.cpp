// SPDX-License-Identifier: Apache-2.0
// Requests to the CUDA compiler's process, and the cache of its answers.
#include "compiler/cuda_compiler.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr int kCudaFormat = 1;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The compiler's process read hostile text: every field is checked.
Result<CudaBuild> build_of(const json& reply, std::vector<std::byte> code) {
  try {
    CudaBuild build;
    if (!reply.at("ok").get<bool>()) {
      const json& error = reply.at("error");
      build.kind = error.at("kind");
      if (build.kind == "infra") return host_error("NVRTC: " + error.at("message").get<std::string>());
      if (build.kind != "target_failure") build.kind = "cuda_compile_error";
      build.log = reply.value("log", "");
      build.message = error.at("message");
      if (build.message.empty()) {
        const CudaComplaint complaint = complaint_in_log(build.log);
        build.message = complaint.message;
        build.line = complaint.line;
      }
      return build;
    }
    json image{{"entry", reply.at("entry")},
               {"warps", 1},
               {"ctas", 1},
               {"shared_bytes", 0},
               {"scratch_bytes", 0},
               {"profile_bytes", 0},
               {"cooperative", false},
               {"dependent_launch", false},
               {"code_bytes", code.size()},
               {"parameters", reply.at("parameters")}};
    KGB_TRY(build.image, kernel_image_from_json(image, std::move(code)));
    build.clocks = reply.at("clocks").get<std::vector<std::string>>();
    build.registers = reply.at("registers");
    build.shared_bytes = reply.at("shared_bytes");
    build.spills = reply.at("spills");
    return build;
  } catch (const json::exception& error) {
    return host_error(std::string("the CUDA compiler's answer is malformed: ") + error.what());
  }
}

// A source can take the compiler down, but not make it a program that does not start.
Result<CudaBuild> lost(const sandbox::WorkerLoss& loss) {
  constexpr int kNoProgram = 126, kNoLibrary = 127;  // as the system's loader and shells say it
  const bool started = loss.finished.end != sandbox::End::exited ||
                       (loss.finished.code != kNoProgram && loss.finished.code != kNoLibrary);
  if (!started)
    return host_error("the process of NVRTC does not start: " +
                      to_utf8_lossy(cut_utf8(trim(loss.error_output), 400)));
  CudaBuild build;
  build.kind = loss.end == FrameEnd::deadline                     ? "deadline"
               : loss.finished.end == sandbox::End::out_of_memory ? "memory_limit"
                                                                  : "cuda_compile_error";
  build.message = build.kind == "deadline"       ? "NVRTC was stopped at its time limit (--author-limit)"
                  : build.kind == "memory_limit" ? "NVRTC was stopped at its memory limit"
                                                 : "NVRTC " + loss.finished.describe();
  build.log = to_utf8_lossy(cut_utf8(loss.error_output, 2000));
  return build;
}

}  // namespace

CudaCompiler::CudaCompiler(Result<sandbox::Command> worker, std::size_t processes,
                           std::filesystem::path cache, std::string identity, Millis limit)
    : cache_(std::move(cache)), identity_(std::move(identity)), limit_(limit) {
  if (worker.ok())
    pool_ = std::make_unique<sandbox::WorkerPool>(std::move(*worker), processes);
  else
    missing_ = worker.error();
}

Result<CudaBuild> CudaCompiler::build(const Kernel& kernel, const std::string& target) {
  if (missing_) return *missing_;
  json request{{"run", "compile"}, {"kernel", kernel.name}, {"target", target}, {"options", kernel.options}};
  const std::string key =
      sha256_hex(dumped({{"nvrtc", identity_}, {"request", request}, {"source", kernel.cuda}}));
  const std::filesystem::path file = cache_ / (key + ".cuda");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    // One line of JSON, then the code. What cannot be read is compiled anew.
    const Result<std::string> text = read_file(file, kMostBytes);
    const std::size_t end = text.ok() ? text->find('\n') : std::string::npos;
    if (end != std::string::npos) {
      const json entry = json::parse(text->substr(0, end), nullptr, false);
      const auto code = std::as_bytes(std::span(*text)).subspan(end + 1);
      if (entry.is_object() && entry.value("format", 0) == kCudaFormat)
        if (Result<CudaBuild> cached = build_of(entry, {code.begin(), code.end()}); cached.ok())
          return std::move(*cached);
    }
  }
  KGB_TRY(
      sandbox::Answer answer,
      pool_->ask(dumped(request), std::as_bytes(std::span(kernel.cuda.data(), kernel.cuda.size())), limit_));
  // Not cached: a machine short of memory must not condemn the kernel for ever.
  if (answer.loss) return lost(*answer.loss);
  json reply = json::parse(answer.frame.json, nullptr, false);
  if (!reply.is_object()) return host_error("the CUDA compiler's answer is no JSON");
  const std::string_view code(reinterpret_cast<const char*>(answer.frame.blob.data()),
                              answer.frame.blob.size());
  reply["format"] = kCudaFormat;
  const std::string stored = dumped(reply) + "\n" + std::string(code);
  KGB_TRY(CudaBuild build, build_of(reply, std::move(answer.frame.blob)));
  KGB_CHECK(make_folders(cache_));
  KGB_CHECK(write_file_atomic(file, stored));
  return build;
}

}  // namespace kgb
