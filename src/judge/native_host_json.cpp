// SPDX-License-Identifier: Apache-2.0
// Requests to a native candidate's process, and what becomes of its claims.
#include "judge/native_host.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "judge/loss.hpp"
#include "judge/trials.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr Millis kLoadLimit{30'000};

sandbox::Command host_command(const JudgeSetup& setup, sandbox::LockSpec lock) {
  sandbox::Command command;
  command.argv = {setup.installation.self.string(), "executor", "--native", "--fd", "3"};
  command.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  command.cwd = lock.workspace;
  // The program itself is started inside the lock: its folder must be reachable.
  lock.read.push_back(setup.installation.self.string());
  lock.execute = {setup.installation.self.string(), "/lib64", "/lib", "/usr/lib"};
  command.lock = std::move(lock);
  return command;
}

json contract_json(const Expectation& expectation) {
  json rows = json::array();
  for (const ExpectedOutput& output : expectation.outputs)
    if (output.path.rfind("return", 0) == 0)
      rows.push_back({{"path", output.path},
                      {"dtype", name_of(output.dtype)},
                      {"shape", output.shape},
                      {"strides", output.strides}});
  return rows;
}

}  // namespace

struct NativeHost::Claim {
  bool ok = false;
  json header;
  std::vector<std::byte> blob;
  double wall_s = 0;  // by our clock, channel included
};

NativeHost::NativeHost(sandbox::Worker worker, TempDir workspace, const JudgeSetup& setup)
    : worker_(std::move(worker)),
      workspace_(std::move(workspace)),
      limit_(static_cast<std::int64_t>(1e3 * setup.limits.trial_s)) {}

Result<std::shared_ptr<NativeHost>> NativeHost::load(const JudgeSetup& setup, sandbox::LockSpec lock,
                                                     TempDir workspace, Case& open) {
  const std::string library = (workspace.path() / "candidate.so").string();
  std::shared_ptr<NativeHost> host(
      new NativeHost(sandbox::Worker(host_command(setup, std::move(lock))), std::move(workspace), setup));
  host->library_ = library;
  std::set<std::string> entries;
  for (const Job& job : open.jobs) entries.insert(job.workload.call.entry);
  host->entries_.assign(entries.begin(), entries.end());
  const json request{{"id", 0}, {"run", "load"}, {"library", library}, {"entries", host->entries_}};
  KGB_TRY(sandbox::Answer answer, host->worker_.ask(request.dump(), {}, kLoadLimit));
  if (answer.loss) {
    open.findings.push_back(finding_of_loss(*answer.loss, ""));
    return std::shared_ptr<NativeHost>();
  }
  const json reply = json::parse(answer.frame.json, nullptr, false);
  if (reply.is_object() && reply.value("ok", false)) return host;
  open.findings.push_back(make_finding(
      reply.is_object() ? reply.value(json::json_pointer("/error/kind"), "native_compile_error")
                        : "forged_result",
      Gate::static_,
      reply.is_object() ? reply.value(json::json_pointer("/error/message"), "the library does not load")
                        : "wrote into the judge's channel"));
  const json::json_pointer missing("/error/details/entries");
  if (reply.is_object() && reply.contains(missing))
    open.findings.back().details["entries"] = reply.value(missing, "");
  return std::shared_ptr<NativeHost>();
}

Result<NativeHost::Claim> NativeHost::call(const Case& open, Job& job, const ValueSet& set, const char* run,
                                           bool verify, Processes& processes) {
  KGB_TRY(const std::shared_ptr<const Expectation> contract,
          processes.expectations().contract(open.op, job.workload.call));
  const json request{{"id", 1},
                     {"run", run},
                     {"call", to_json(job.workload.call)},
                     {"contract", contract_json(*contract)},
                     {"seed", seed_text(set.seed)},
                     {"trial", set.trial},
                     {"number", set.number},
                     {"poison", std::to_integer<int>(poison_byte(set.trial % 3))},
                     {"verify", verify}};
  const auto start = Steady::now();
  KGB_TRY(sandbox::Answer answer, worker_.ask(request.dump(), {}, limit_, {}, open.request.stop));
  Claim claim;
  claim.wall_s = 1e-3 * millis_since(start);
  if (answer.loss) {
    job.findings.push_back(finding_of_loss(*answer.loss, job.workload.call.workload));
    if (open.stopped()) return claim;
    // The next call finds a fresh process with the library loaded again.
    const json load{{"id", 0}, {"run", "load"}, {"library", library_}, {"entries", entries_}};
    KGB_TRY(const sandbox::Answer again, worker_.ask(load.dump(), {}, kLoadLimit));
    (void)again;
    return claim;
  }
  claim.header = json::parse(answer.frame.json, nullptr, false);
  claim.blob = std::move(answer.frame.blob);
  claim.ok = claim.header.is_object() && claim.header.value("ok", false);
  if (claim.ok) return claim;
  const std::string message =
      claim.header.is_object()
          ? claim.header.value(json::json_pointer("/error/message"), "failed without a reason")
          : "wrote into the judge's channel";
  job.findings.push_back(make_finding(claim.header.is_object() ? "host_exception" : "forged_result",
                                      Gate::correct, to_utf8_lossy(message), job.workload.call.workload));
  return claim;
}

Status NativeHost::compare_claim(const Case& open, Job& job, const ValueSet& set, const Claim& claim,
                                 Processes& processes) {
  for (const json& path : claim.header.value("changed", json::array()))
    job.findings.push_back(
        make_finding("input_mutated", Gate::correct,
                     "wrote the input `" + path.get<std::string>() + "`, which the schema does not allow",
                     job.workload.call.workload));
  KGB_TRY(const std::shared_ptr<const Expectation> expectation,
          processes.expectations().values(open.op, job.workload.call, set));
  const json rows = claim.header.value("outputs", json::array());
  for (const ExpectedOutput& expected : expectation->outputs) {
    const json* row = nullptr;
    for (const json& candidate : rows)
      if (candidate.value("path", "") == expected.path) row = &candidate;
    std::size_t count = size_of(expected.dtype);
    for (const std::int64_t extent : expected.shape) count *= static_cast<std::size_t>(extent);
    const std::size_t offset = row == nullptr ? 0 : row->value("offset", std::size_t{0});
    if (row == nullptr || row->value("bytes", std::size_t{0}) != count || offset > claim.blob.size() ||
        count > claim.blob.size() - offset) {
      job.findings.push_back(make_finding(
          "forged_result", Gate::correct,
          expected.path + ": the candidate's process sent other bytes than the contract asks for",
          job.workload.call.workload));
      return ok_status();
    }
    TrialOutput output;
    output.path = expected.path;
    output.dtype = expected.dtype;
    output.shape = expected.shape;
    output.written = false;  // nobody watched: an element may be what was there before
    const std::span<const std::byte> bytes = std::span<const std::byte>(claim.blob).subspan(offset, count);
    KGB_TRY(const bool right, judge_output(open, job, set.number, output, bytes, expected, set.trial % 3));
    if (!right) return ok_status();
  }
  return ok_status();
}

Status NativeHost::judge_call(const Case& open, Job& job, const ValueSet& set, Processes& processes) {
  KGB_TRY(const Claim claim, call(open, job, set, "trial", true, processes));
  if (!claim.ok) return ok_status();
  try {
    return compare_claim(open, job, set, claim, processes);
  } catch (const json::exception&) {  // a claim of the wrong form
    job.findings.push_back(make_finding("forged_result", Gate::correct,
                                        "the candidate's process sent a malformed answer",
                                        job.workload.call.workload));
    return ok_status();
  }
}

Result<std::optional<double>> NativeHost::time_call(const Case& open, Job& job, const ValueSet& set,
                                                    bool verify, Processes& processes) {
  KGB_TRY(const Claim claim, call(open, job, set, "time", verify, processes));
  if (!claim.ok) return std::optional<double>();
  try {
    if (verify) {
      KGB_CHECK(compare_claim(open, job, set, claim, processes));
      if (!job.findings.empty()) return std::optional<double>();
    }
    const double seconds = 1e-9 * claim.header.at("ns").get<double>();
    // The claim can be too small, never larger than what we saw; the floor is the physical limit, judged by
    // the caller.
    return std::optional<double>(std::min(seconds, claim.wall_s));
  } catch (const json::exception&) {
    job.findings.push_back(make_finding("forged_result", Gate::correct,
                                        "the candidate's process sent a malformed answer",
                                        job.workload.call.workload));
    return std::optional<double>();
  }
}

}  // namespace kgb
