// SPDX-License-Identifier: Apache-2.0
// Loop of the executor process.
#include "executor/server.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <new>

#include "base/frame.hpp"
#include "executor/trial.hpp"
#include "model/launch_plan.hpp"
#include "model/trial.hpp"

namespace kgb::executor {
namespace {

vm::Order order_of(const std::string& name) {
  if (name == "reversed") return vm::Order::reversed;
  return name == "shuffled" ? vm::Order::shuffled : vm::Order::forward;
}

// A plan that asks for more than the host has ends in a finding, not in the host's out-of-memory killer. A
// lower limit that the process was started with stays.
void limit_own_memory() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const rlim_t share = static_cast<rlim_t>(pages) / 4 * 3 * static_cast<rlim_t>(page);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= share) return;
  limit.rlim_cur = share;
  ::setrlimit(RLIMIT_DATA, &limit);
}

Result<TrialResult> answer(const TrialRequest& request, std::string_view recording_text, Workshop& workshop,
                           DeviceState* device, const TimeSeries& series) {
  // Validated by the judge already; an executor takes nobody's word for what it will dereference.
  Recording recording;
  if (request.vendor.empty()) {
    KGB_TRY(recording, recording_from_json(recording_text, request.calls));
  } else {
    recording = recording_of_inputs(request.calls);
  }
  TrialOptions options = options_of(request);
  options.device = device;
  options.series = series;
  return run_trial(recording, request.calls, options, workshop);
}

// Answers requests for samples until one asks for none or the peer is gone.
TimeSeries series_on(int fd, std::int64_t id) {
  return [fd, id](const Replays& replays) -> Status {
    KGB_CHECK(write_frame(fd, ready_text(id), {}));
    while (true) {
      const FrameRead read = read_frame(fd, Deadline::never());
      if (read.end != FrameEnd::none) return host_error("the judge left a timed trial");
      if (const auto ms = sustain_request_from_json(read.frame.json)) {
        KGB_TRY(const Sustained done, replays.sustain(std::chrono::milliseconds(*ms)));
        KGB_CHECK(write_frame(fd, sustained_text(done, id), {}));
        continue;
      }
      KGB_TRY(const int n, samples_request_from_json(read.frame.json));
      if (n == 0) return ok_status();
      KGB_TRY(const std::vector<double> ns, replays.sample(n));
      KGB_CHECK(write_frame(fd, samples_text(ns, id), {}));
    }
  };
}

}  // namespace

TrialOptions options_of(const TrialRequest& request) {
  TrialOptions options;
  options.seed = request.seed;
  options.trial = request.trial;
  options.poison = request.poison;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(request.deadline_ms);
  options.threads = request.threads;
  options.order = order_of(request.order);
  options.max_steps = request.max_steps;
  options.track_writes = request.track_writes;
  options.flush_denormals = request.flush_denormals;
  options.images = &request.images;
  options.vendor = request.vendor;
  return options;
}

int serve(int fd, const std::string& backend) {
  Workshop workshop;
  Result<std::unique_ptr<device::Runtime>> runtime = std::unique_ptr<device::Runtime>();
  if (backend.empty()) {
    limit_own_memory();  // a device's driver reserves far more than it uses
  } else {
    runtime = device::open_runtime(backend, 0);
  }
  std::optional<DeviceState> device;
  if (runtime.ok() && *runtime != nullptr) device.emplace(**runtime);
  while (!device || !device->lost) {
    FrameRead read = read_frame(fd, Deadline::never());
    if (read.end != FrameEnd::none) return read.end == FrameEnd::closed ? 0 : 3;
    std::int64_t id = 0;
    std::string_view recording;
    Result<TrialRequest> request = trial_request_from_json(read.frame.json, read.frame.blob, recording, id);
    Result<TrialResult> result = internal_error("no trial was run");
    if (!request.ok()) {
      result = request.error();
    } else if (!runtime.ok()) {
      result = runtime.error();
    } else {
      try {
        if (request->timed && !device) {
          result = internal_error("the VM is no clock: only an executor with a device times a call");
        } else {
          result = answer(*request, recording, workshop, device ? &*device : nullptr,
                          request->timed ? series_on(fd, id) : TimeSeries());
        }
      } catch (const std::bad_alloc&) {
        result = host_error("the executor has no memory for this trial");
      }
    }
    const Status sent = result.ok() ? write_frame(fd, to_json_text(*result, id), result->blob)
                                    : write_frame(fd, error_reply_text(result.error(), id), {});
    if (!sent.ok()) return 0;
  }
  return 0;
}

}  // namespace kgb::executor
