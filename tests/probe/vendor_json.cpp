// SPDX-License-Identifier: Apache-2.0
// The vendor's functions that cards name, against the reference, workload by workload: what the tests in
// Python and the device's tests run. Usage: vendor_probe [OP...]; a JSON line for each smoke workload, and
// status 3 after a fault that took the device.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "device/runtime.hpp"
#include "executor/trial.hpp"
#include "judge/case.hpp"
#include "judge/expectations.hpp"
#include "judge/processes.hpp"
#include "judge/trials.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr std::uint64_t kSeed = 0x5eed;
constexpr int kSamples = 5, kFaulted = 3;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Installation installation() {
  Installation found;
  found.home = environment("KGBENCH_HOME");
  found.python_dir = found.home / "python";
  found.extension_dir = environment("KGBENCH_EXT_DIR");
  found.interpreter = environment("KGBENCH_PYTHON");
  return found;
}

class Probe {
 public:
  Probe(device::Runtime& runtime, const Catalogue& catalogue, const Installation& at)
      : state_(runtime),
        catalogue_(catalogue),
        expectations_(oracle::Oracle(Processes::python_worker(at, "kgbench.oracle.worker"), 1),
                      std::size_t{64} << 20) {}

  [[nodiscard]] bool lost() const { return state_.lost; }

  Status operator_named(const std::string& name) {
    JudgeRequest request;
    request.op = name;
    request.tiers = {Tier::smoke};
    request.seed = kSeed;
    KGB_TRY(Case open, open_case(request, catalogue_));
    for (Job& job : open.jobs) {
      json line = workload(open, job);
      line["op"] = name;
      line["workload"] = job.workload.call.workload;
      line["edge"] = job.workload.edge;
      line["call"] = describe(job.workload.call);
      std::printf("%s\n", line.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
      std::fflush(stdout);
      if (state_.lost) break;
    }
    return ok_status();
  }

 private:
  // One timed call, and what its last replay left against the reference.
  json workload(const Case& open, Job& job) {
    std::vector<double> ns;
    const Result<TrialResult> result = timed(open, job, ns);
    if (!result.ok()) return {{"status", "error"}, {"message", result.error().message}};
    if (!result->findings.empty()) return {{"status", "refused"}, {"message", result->findings[0].message}};
    if (const Status done = compare(open, job, *result); !done.ok())
      return {{"status", "error"}, {"message", done.error().message}};
    json line{{"status", job.findings.empty() ? "right" : "wrong"},
              {"library", result->library},
              {"ns", ns.empty() ? 0.0 : median(ns)},
              {"share of bound", job.worst_ratio}};
    if (!job.findings.empty()) line["message"] = job.findings[0].message;
    return line;
  }

  Result<TrialResult> timed(const Case& open, const Job& job, std::vector<double>& ns) {
    const std::vector<Call> calls{job.workload.call};
    const std::vector<KernelImage> images;
    TrialOptions options;
    options.seed = kSeed;
    options.device = &state_;
    options.images = &images;
    options.vendor = open.entry_of(job).vendor;
    options.track_writes = false;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    options.series = [&](const executor::Replays& replays) -> Status {
      KGB_TRY(ns, replays.sample(kSamples));
      return ok_status();
    };
    return run_trial(executor::recording_of_inputs(calls), calls, options, workshop_);
  }

  Status compare(const Case& open, Job& job, const TrialResult& result) {
    KGB_TRY(const auto expectation, expectations_.values(open.op, job.workload.call, {kSeed, 0, 0}));
    for (const ExpectedOutput& expected : expectation->outputs)
      for (const TrialOutput& output : result.outputs)
        if (output.path == expected.path) {
          KGB_TRY([[maybe_unused]] const bool same,
                  judge_output(open, job, 0, output, result.bytes_of(output), expected, 0));
        }
    return ok_status();
  }

  using TrialOptions = executor::TrialOptions;
  executor::DeviceState state_;
  const Catalogue& catalogue_;
  Expectations expectations_;
  executor::Workshop workshop_;
};

Result<int> probe(std::vector<std::string> names) {
  const Installation at = installation();
  KGB_TRY(const Catalogue catalogue, Catalogue::load(at.home / "catalogue"));
  if (names.empty())
    for (const Operator& op : catalogue.operators())
      if (!op.entries.front().vendor.empty()) names.push_back(op.name);
  KGB_TRY(const auto runtime, device::open_runtime("cuda", 0));
  Probe probe(*runtime, catalogue, at);
  for (const std::string& name : names) {
    KGB_CHECK(probe.operator_named(name));
    if (probe.lost()) return kFaulted;
  }
  return 0;
}

}  // namespace
}  // namespace kgb

int main(int argc, char** argv) {
  const kgb::Result<int> done = kgb::probe({argv + 1, argv + argc});
  if (done.ok()) return *done;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 2;
}
