// SPDX-License-Identifier: Apache-2.0
// Requests to a candidate's process that holds a device, and what becomes of its claims.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "judge/census.hpp"
#include "judge/contract.hpp"
#include "judge/device_host.hpp"
#include "judge/loss.hpp"
#include "judge/number.hpp"
#include "judge/trials.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr Millis kLoadLimit{180'000}, kBenchLimit{120'000};
constexpr std::size_t kShownError = 400;

// Unforeseen by the candidate, so that an answer which it wrote beforehand is none.
std::int64_t fresh_id() {
  constexpr int kExact = 11;  // 53 bits are whole numbers everywhere
  return static_cast<std::int64_t>(fresh_seed() >> kExact);
}

// The storages of all tensors of the call, one behind the other.
std::vector<std::byte> values_of(const Call& call, const ValueSet& set) {
  std::size_t size = 0;
  const auto tensors = tensors_of(call);
  for (const auto& [path, spec] : tensors) size += static_cast<std::size_t>(spec.storage_bytes());
  std::vector<std::byte> values(size);
  std::size_t at = 0;
  for (const auto& [path, spec] : tensors) {
    const auto bytes = static_cast<std::size_t>(spec.storage_bytes());
    generate(spec, path, set.seed, set.trial, set.number, std::span(values).subspan(at, bytes));
    at += bytes;
  }
  return values;
}

std::size_t bytes_of(const ExpectedOutput& expected) {
  std::size_t count = size_of(expected.dtype);
  for (const std::int64_t extent : expected.shape) count *= static_cast<std::size_t>(extent);
  return count;
}

std::int64_t integer_in(const json& object, const char* key) {
  const json* value = member(object, key);
  return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : -1;
}

bool is_ok(const json& reply) {
  const json* ok = member(reply, "ok");
  return ok != nullptr && *ok == true;
}

const json& array_in(const json& object, const char* key) {
  static const json kNone = json::array();
  const json* value = member(object, key);
  return value != nullptr && value->is_array() ? *value : kNone;
}

// What the process says of the candidate: a kind with a verdict that is not the judge's own; else it is
// forged.
Finding told(const json& error, const JudgeRequest& request, const std::string& workload) {
  const std::string kind = text_in(error, "kind");
  if (finding_rank(kind) < 0 || !verdict_of(kind) || verdict_of(kind) == Verdict::infra)
    return make_finding("forged_result", Gate::correct, "wrote into the judge's channel", workload);
  Finding finding = make_finding(kind, Gate::correct, to_utf8_lossy(text_in(error, "message")), workload);
  finding.line = static_cast<int>(std::max<std::int64_t>(0, integer_in(error, "line")));
  finding.file = shown_file(request, text_in(error, "file"));
  if (const json* details = member(error, "details"); details != nullptr && details->is_object())
    for (const auto& [key, value] : details->items())
      if (value.is_string()) finding.details[to_utf8_lossy(key)] = to_utf8_lossy(value.get<std::string>());
  return finding;
}

std::vector<CensusRow> rows_of(const json& header, const JudgeRequest& request) {
  std::vector<CensusRow> rows;
  for (const json& entry : array_in(header, "census")) {
    CensusRow row;
    row.kind = to_utf8_lossy(text_in(entry, "kind"));
    row.name = to_utf8_lossy(text_in(entry, "name"));
    if (const std::string file = text_in(entry, "file"); !file.empty()) row.file = shown_file(request, file);
    row.count = std::max<std::int64_t>(0, integer_in(entry, "count"));
    row.ns = static_cast<double>(std::max<std::int64_t>(0, integer_in(entry, "ns")));
    rows.push_back(std::move(row));
  }
  name_origins(rows);
  return rows;
}

}  // namespace

struct DeviceHost::Reply {
  json header;
  std::vector<std::byte> blob;
};

DeviceHost::DeviceHost(sandbox::Worker worker, TempDir workspace, const Processes& processes,
                       std::string backend)
    : worker_(std::move(worker)),
      workspace_(std::move(workspace)),
      // The first call also compiles.
      limit_(static_cast<std::int64_t>(
          1e3 * (processes.setup().limits.trial_s + processes.setup().limits.author_s))),
      backend_(std::move(backend)) {}

Result<std::shared_ptr<DeviceHost>> DeviceHost::load(Case& open, TempDir workspace, Processes& processes) {
  sandbox::Command command = processes.candidate_command(workspace.path(), open.seat->station().device());
  std::shared_ptr<DeviceHost> host(new DeviceHost(sandbox::Worker(std::move(command)), std::move(workspace),
                                                  processes, open.seat->station().device().backend));
  host->target_ = open.chip.name;
  std::set<std::string> entries;
  for (const Job& job : open.jobs) entries.insert(job.workload.call.entry);
  json request{{"id", 0}, {"run", "load"}, {"file", kCandidateFile}, {"entries", entries}};
  if (const auto& site = processes.setup().library; site && !open.request.library.empty()) {
    json library{{"folders", json::array()}, {"environment", json::object()}};
    for (const auto& folder : site->folders) library["folders"].push_back(folder.string());
    for (const auto& [name, value] : site->environment) library["environment"][name] = value;
    request["library"] = std::move(library);
  }
  host->load_ = request.dump();
  const auto shared = open.seat->station().share();
  KGB_TRY(std::optional<Finding> wrong, host->start(open));
  if (!wrong) return host;
  wrong->gate = Gate::static_;
  open.findings.push_back(std::move(*wrong));
  return std::shared_ptr<DeviceHost>();
}

// In two steps, so that a process without a device is the host's fault and nothing that a candidate says is.
Result<std::optional<Finding>> DeviceHost::start(const Case& open) {
  const json device{{"id", 0}, {"run", "open"}, {"backend", backend_}};
  KGB_TRY(const sandbox::Answer opened, worker_.ask(device.dump(), {}, kLoadLimit, {}, open.request.stop));
  if (opened.loss)
    return host_error("the candidate's process " + opened.loss->finished.describe() +
                      " before the candidate was in it: " + opened.loss->error_output.substr(0, kShownError));
  const json answer = json::parse(opened.frame.json, nullptr, false);
  if (!is_ok(answer)) {
    const json* error = member(answer, "error");
    return host_error(error == nullptr ? "the candidate's process does not answer"
                                       : text_in(*error, "message"));
  }
  KGB_TRY(const sandbox::Answer loaded, worker_.ask(load_, {}, kLoadLimit, {}, open.request.stop));
  if (loaded.loss) return std::optional(finding_of_loss(*loaded.loss, ""));
  const json reply = json::parse(loaded.frame.json, nullptr, false);
  if (is_ok(reply)) return std::optional<Finding>();
  const json* error = member(reply, "error");
  return std::optional(error == nullptr
                           ? make_finding("forged_result", Gate::static_, "wrote into the judge's channel")
                           : told(*error, open.request, ""));
}

Result<std::optional<DeviceHost::Reply>> DeviceHost::ask(const Case& open, Job& job,
                                                         const std::string& request,
                                                         const std::vector<std::byte>& values) {
  json asked = json::parse(request);
  const std::int64_t id = fresh_id();
  asked["id"] = id;
  KGB_TRY(sandbox::Answer answer, worker_.ask(asked.dump(), values, limit_, {}, open.request.stop));
  const std::string& workload = job.workload.call.workload;
  if (answer.loss) {
    job.findings.push_back(finding_of_loss(*answer.loss, workload));
    if (open.stopped()) return std::optional<Reply>();
    // The next workload finds a fresh process with the candidate imported again.
    KGB_TRY([[maybe_unused]] const std::optional<Finding> again, start(open));
    return std::optional<Reply>();
  }
  Reply reply{json::parse(answer.frame.json, nullptr, false), std::move(answer.frame.blob)};
  const bool ours = reply.header.is_object() && integer_in(reply.header, "id") == id;
  if (ours && is_ok(reply.header)) return std::optional(std::move(reply));
  const json* error = ours ? member(reply.header, "error") : nullptr;
  Finding finding = error == nullptr ? make_finding("forged_result", Gate::correct,
                                                    "wrote into the judge's channel", workload)
                                     : told(*error, open.request, workload);
  // Behind a fault the context is lost, and behind a forged answer others may wait.
  if (finding.kind == "device_fault" || finding.kind == "forged_result") {
    worker_.stop();
    KGB_TRY([[maybe_unused]] const std::optional<Finding> again, start(open));
  }
  job.findings.push_back(std::move(finding));
  return std::optional<Reply>();
}

Result<bool> DeviceHost::begin(const Case& open, Job& job) {
  const json request{{"run", "begin"}, {"call", to_json(job.workload.call)}, {"target", target_}};
  KGB_TRY(const std::optional<Reply> reply, ask(open, job, request.dump(), {}));
  return reply.has_value();
}

Result<bool> DeviceHost::call(const Case& open, Job& job, const ValueSet& set, Processes& processes,
                              std::vector<CensusRow>& census) {
  KGB_TRY(const std::shared_ptr<const Expectation> contract,
          processes.expectations().contract(open.op, job.workload.call));
  std::size_t spoil = 0;
  for (const ExpectedOutput& output : contract->outputs) spoil += bytes_of(output);
  const json request{
      {"run", "call"}, {"spoil", spoil}, {"poison", std::to_integer<int>(poison_byte(set.trial % 3))}};
  KGB_TRY(const std::optional<Reply> reply,
          ask(open, job, request.dump(), values_of(job.workload.call, set)));
  if (!reply) return false;
  add_census(census, rows_of(reply->header, open.request));
  for (const json& late : array_in(reply->header, "late"))
    if (late.is_string())
      job.findings.push_back(
          make_finding("race", Gate::correct,
                       fmt::format("work goes on behind the call's return, and nobody waits for it: {}",
                                   to_utf8_lossy(late.get<std::string>()).substr(0, 200)),
                       job.workload.call.workload));
  const json* overlap = member(reply->header, "overlap");
  if (overlap != nullptr && *overlap == true)
    job.findings.push_back(make_finding("output_overlap", Gate::correct,
                                        "an output lies in memory that an earlier call returned",
                                        job.workload.call.workload));
  return judge(open, job, set, *reply, processes);
}

Result<std::optional<std::string>> DeviceHost::record(const Case& open, Job& job) {
  KGB_TRY(const std::optional<Reply> reply, ask(open, job, R"({"run": "record"})", {}));
  if (!reply) return std::optional<std::string>();
  const json* recorded = member(reply->header, "recorded");
  if (recorded != nullptr && *recorded == true) return std::optional<std::string>("");
  const std::string why = to_utf8_lossy(text_in(reply->header, "why"));
  return std::optional<std::string>(why.empty() ? "no reason given" : why);
}

Result<bool> DeviceHost::replay(const Case& open, Job& job, const ValueSet& set, Processes& processes) {
  const json request{{"run", "replay"}, {"poison", std::to_integer<int>(poison_byte(set.trial % 3))}};
  KGB_TRY(const std::optional<Reply> reply,
          ask(open, job, request.dump(), values_of(job.workload.call, set)));
  if (!reply) return false;
  return judge(open, job, set, *reply, processes);
}

Result<bool> DeviceHost::ready(const Case& open, Job& job) {
  KGB_TRY(const std::optional<Reply> reply, ask(open, job, R"({"run": "ready"})", {}));
  return reply.has_value();
}

Result<double> DeviceHost::do_bench() {
  KGB_TRY(const sandbox::Answer answer, worker_.ask(R"({"id": 1, "run": "do_bench"})", {}, kBenchLimit));
  if (answer.loss) return host_error("the candidate's process " + answer.loss->finished.describe());
  return published_seconds(answer.frame.json);
}

Result<double> published_seconds(const std::string& text) {
  const json reply = json::parse(text, nullptr, false);
  const json* ns = member(reply, "ns");
  if (ns != nullptr && ns->is_number() && ns->get<double>() > 0) return 1e-9 * ns->get<double>();
  const json* error = member(reply, "error");
  return host_error(error == nullptr ? "do_bench gave no time" : to_utf8_lossy(text_in(*error, "message")));
}

Result<bool> DeviceHost::judge(const Case& open, Job& job, const ValueSet& set, const Reply& reply,
                               Processes& processes) {
  const std::string& workload = job.workload.call.workload;
  const std::size_t before = job.findings.size();
  for (const json& found : array_in(reply.header, "findings"))
    job.findings.push_back(told(found, open.request, workload));
  for (const json& path : array_in(reply.header, "changed"))
    if (path.is_string())
      job.findings.push_back(make_finding(
          "input_mutated", Gate::correct,
          "wrote the input `" + to_utf8_lossy(path.get<std::string>()) + "`, which the schema does not allow",
          workload));
  KGB_TRY(const std::shared_ptr<const Expectation> expectation,
          processes.expectations().values(open.op, job.workload.call, set));
  const json* returned = member(reply.header, "recording");
  const Result<Recording> recording =
      recording_from_json(returned == nullptr ? "{}" : returned->dump(), {job.workload.call});
  if (!recording.ok()) {
    job.findings.push_back(make_finding(
        "forged_result", Gate::correct,
        "what the process says of the returned objects is malformed: " + recording.error().message,
        workload));
    return false;
  }
  const Entry& entry = open.entry_of(job);
  for (Finding& finding : contract_findings(
           *recording, 0, {entry.schema, job.workload.call, *expectation, entry.exact_strides})) {
    finding.workload = workload;
    finding.details["call"] = std::to_string(set.number + 1);
    job.findings.push_back(std::move(finding));
  }
  if (job.findings.size() > before) return false;
  if (!entry.schema.gives_number()) return judge_outputs(open, job, set, reply, *expectation);
  const ExpectedOutput& expected = expectation->outputs.front();
  const auto& outputs = recording->calls.front().outputs;
  const std::optional<std::vector<std::byte>> bytes =
      outputs.empty() ? std::nullopt : number_bytes(outputs.front().scalar, expected.dtype);
  TrialOutput output;
  output.dtype = expected.dtype;
  if (bytes) return judge_output(open, job, set.number, output, *bytes, expected, std::nullopt);
  job.findings.push_back(make_finding(
      "wrong_structure", Gate::correct,
      fmt::format("{} is no number that {} can hold", expected.path, name_of(expected.dtype)), workload));
  return false;
}

Result<bool> DeviceHost::judge_outputs(const Case& open, Job& job, const ValueSet& set, const Reply& reply,
                                       const Expectation& expectation) {
  const json& rows = array_in(reply.header, "outputs");
  for (const ExpectedOutput& expected : expectation.outputs) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const json& candidate) {
      return text_in(candidate, "path") == expected.path;
    });
    const std::size_t count = bytes_of(expected);
    const std::int64_t offset = row == rows.end() ? -1 : integer_in(*row, "offset");
    if (offset < 0 || integer_in(*row, "bytes") != static_cast<std::int64_t>(count) ||
        static_cast<std::size_t>(offset) > reply.blob.size() ||
        count > reply.blob.size() - static_cast<std::size_t>(offset)) {
      job.findings.push_back(make_finding(
          "forged_result", Gate::correct,
          expected.path + ": the candidate's process sent other bytes than the contract asks for",
          job.workload.call.workload));
      return false;
    }
    TrialOutput output;
    output.path = expected.path;
    output.dtype = expected.dtype;
    output.shape = expected.shape;
    output.written = false;  // nobody watched: an element may be what was there before
    const auto bytes =
        std::span<const std::byte>(reply.blob).subspan(static_cast<std::size_t>(offset), count);
    KGB_TRY(const bool right, judge_output(open, job, set.number, output, bytes, expected, set.trial % 3));
    if (!right) return false;
  }
  job.judged = true;
  return true;
}

}  // namespace kgb
