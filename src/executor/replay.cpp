// SPDX-License-Identifier: Apache-2.0
// Reads the stored frame, runs it, and tells launches, resources and times.
#include "executor/replay.hpp"

#include <fcntl.h>

#include <algorithm>

#include "base/fd.hpp"
#include "base/frame.hpp"
#include "base/text.hpp"
#include "device/tracing.hpp"
#include "executor/server.hpp"
#include "fmt/format.h"
#include "model/launch_plan.hpp"
#include "stats/order.hpp"

namespace kgb::executor {
namespace {

using Trace = std::vector<device::NodeTime>;

Result<Frame> read_stored(const std::filesystem::path& file) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.open()) return errno_error("cannot open " + in_quotes(file.string(), 400));
  FrameRead read = read_frame(fd.get(), Deadline::never());
  if (read.end != FrameEnd::none)
    return user_error(file.string() + " holds no stored plan. kgbench profile writes one");
  return std::move(read.frame);
}

bool alike(const Trace& a, const Trace& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name; });
}

// The median of each node over the replays that ran the same nodes as the first.
std::vector<ReplayedNode> medians(const std::vector<Trace>& traces) {
  std::vector<ReplayedNode> nodes;
  for (std::size_t i = 0; i < traces.front().size(); ++i) {
    std::vector<double> starts, durations;
    for (const Trace& trace : traces) {
      if (!alike(trace, traces.front())) continue;
      starts.push_back(trace[i].start_ns);
      durations.push_back(trace[i].ns);
    }
    nodes.push_back({traces.front()[i].name, median(std::move(starts)), median(std::move(durations))});
  }
  return nodes;
}

// What the device cannot tell by itself (no CUPTI, say) leaves the rest as it is.
TimeSeries series_into(Replayed& out, int samples) {
  return [&out, samples](const Replays& replays) -> Status {
    KGB_TRY(out.call_ns, replays.sample(samples));
    std::vector<Trace> traces;
    for (int i = 0; i < samples; ++i) {
      const Result<Trace> trace = replays.trace();
      if (!trace.ok()) {
        out.untraced = trace.error().message;
        return ok_status();
      }
      traces.push_back(*trace);
    }
    out.nodes = medians(traces);
    if (out.nodes.empty()) out.untraced = "the device recorded no activity of the call";
    return ok_status();
  };
}

Result<ReplayedLaunch> describe(const Launch& launch, const Recording& recording, const TrialRequest& request,
                                device::Runtime& runtime) {
  const auto at = static_cast<std::size_t>(launch.kernel);
  const KernelImage& image = request.images[at];
  KGB_TRY(const int loaded, runtime.load(image));
  const device::KernelResources resources = runtime.resources(loaded);
  const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];  // 0: as compiled
  return ReplayedLaunch{recording.kernels[at].name,
                        launch.file,
                        launch.line,
                        launch.grid,
                        threads > 0 ? (threads + 31) / 32 : image.warps,
                        image.shared_bytes + launch.shared_bytes + resources.static_shared,
                        resources.registers,
                        resources.local_bytes};
}

}  // namespace

Result<Replayed> replay(const std::filesystem::path& file, const ReplayOptions& options) {
  KGB_TRY(const Frame frame, read_stored(file));
  std::string_view text;
  std::int64_t id = 0;
  KGB_TRY(const TrialRequest request, trial_request_from_json(frame.json, frame.blob, text, id));
  KGB_TRY(const Recording recording, recording_from_json(text, request.calls));
  if (recording.calls.empty() || request.images.size() != recording.kernels.size())
    return user_error(file.string() + " holds no call, or kernels without code");
  // Where it fails, a trace says why; until there is one nothing is recorded.
  if (options.samples > 0) static_cast<void>(device::begin_tracing(options.backend));
  KGB_TRY(const std::unique_ptr<device::Runtime> runtime, device::open_runtime(options.backend, 0));
  if (options.samples > 0) device::end_tracing(options.backend);
  DeviceState device(*runtime, options.apart);
  Replayed replayed;
  replayed.device = runtime->description().name;
  replayed.driver = runtime->description().driver;
  TrialOptions trial = options_of(request);
  trial.device = &device;
  if (options.samples > 0) trial.series = series_into(replayed, options.samples);
  Workshop workshop;
  KGB_TRY(TrialResult result, run_trial(recording, request.calls, trial, workshop));
  for (Finding& finding : result.findings) {
    if (finding.kind == "untimed")
      replayed.untimed = finding.message;
    else
      replayed.findings.push_back(std::move(finding));
  }
  if (device.lost && !replayed.findings.empty()) return replayed;
  for (const Node& node : recording.calls.back().nodes)
    if (const auto* launch = std::get_if<Launch>(&node)) {
      KGB_TRY(ReplayedLaunch told, describe(*launch, recording, request, *runtime));
      replayed.launches.push_back(std::move(told));
    }
  return replayed;
}

}  // namespace kgb::executor
