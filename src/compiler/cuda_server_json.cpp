// SPDX-License-Identifier: Apache-2.0
// Loop of the CUDA compiler's process.
#include "compiler/cuda_server.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/frame.hpp"
#include "base/text.hpp"
#include "compiler/ptx.hpp"
#include "model/launch_plan.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLog = 16'000;
constexpr std::int64_t kMostParameterBytes = 8 * kMostIntegers;

struct Reply {
  json header;
  std::vector<std::byte> code;
};

Reply failed(const std::string& kind, const std::string& message, const std::string& log = "") {
  return {{{"ok", false},
           {"error", {{"kind", kind}, {"message", message}}},
           {"log", to_utf8_lossy(cut_utf8(log, kMostLog))}},
          {}};
}

Result<Reply> compile(const Nvrtc& nvrtc, const json& request, const std::string& source) {
  NvrtcRequest asked{source, request.at("kernel"), request.at("target"), request.at("options")};
  if (!nvrtc.knows(asked.target))
    return failed("target_failure", "NVRTC " + nvrtc.version() + " makes no code for " + asked.target);
  const auto start = std::chrono::steady_clock::now();
  KGB_TRY(NvrtcOutput output, nvrtc.compile(asked));
  if (!output.ok) return failed("cuda_compile_error", "", output.log);
  const auto parameters = parameters_in_ptx(output.ptx, output.lowered);
  if (!parameters)
    return failed("cuda_compile_error", "the parameters of " + asked.kernel + " cannot be read off its PTX");
  for (const std::int64_t bytes : *parameters)
    if (bytes > kMostParameterBytes)
      return failed("cuda_compile_error", "a parameter of " + std::to_string(bytes) +
                                              " bytes; a launch gives " +
                                              std::to_string(kMostParameterBytes) + " at most");
  const AssemblerFigures figures = figures_in_log(output.log, output.lowered);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return Reply{{{"ok", true},
                {"entry", output.lowered},
                {"parameters", *parameters},
                {"clocks", clocks_in_ptx(output.ptx)},
                {"registers", figures.registers},
                {"shared_bytes", figures.shared_bytes},
                {"spills", figures.spills},
                {"ms", ms}},
               std::move(output.cubin)};
}

Reply answer(const Result<Nvrtc>& nvrtc, const Frame& frame) {
  if (!nvrtc.ok()) return failed("infra", nvrtc.error().message);
  try {
    const json request = json::parse(frame.json);
    const std::string source(reinterpret_cast<const char*>(frame.blob.data()), frame.blob.size());
    Result<Reply> reply = compile(*nvrtc, request, source);
    return reply.ok() ? std::move(*reply) : failed("infra", reply.error().message);
  } catch (const json::exception& error) {
    return failed("infra", std::string("a request that is none: ") + error.what());
  }
}

}  // namespace

int serve_cuda_compiler(int fd, const NvrtcPlace& place) {
  const Result<Nvrtc> nvrtc = Nvrtc::open(place);
  while (true) {
    const FrameRead read = read_frame(fd, Deadline::never());
    if (read.end != FrameEnd::none) return read.end == FrameEnd::closed ? 0 : 3;
    const Reply reply = answer(nvrtc, read.frame);
    const std::string text = reply.header.dump(-1, ' ', false, json::error_handler_t::replace);
    if (!write_frame(fd, text, reply.code).ok()) return 0;
  }
}

}  // namespace kgb
