// SPDX-License-Identifier: Apache-2.0
// Reads requests of agents, asks the judge, and tells no more than a contestant may know.
#include "method/agent_verify.hpp"

#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.hpp"

extern "C" const char kgb_verify_client[], kgb_verify_client_end[];

namespace kgb::method {
namespace {

using Json = nlohmann::json;
using Served = llm::AccountSettings::Answer;

Served say(int status, const Json& json) {
  return {status, json.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json"};
}

Served refuse(int status, const std::string& why) {
  return say(status, {{"error", why}});
}

// Times of the workloads that the contestant knows, and the mean over all of them.
Json times_of(const Evaluation& evaluation) {
  Json known = Json::array();
  for (const Timing& timing : evaluation.timings) {
    if (!is_public_workload(evaluation, timing.workload)) continue;
    Json row{{"workload", timing.workload}, {"call", timing.call}, {"baseline", timing.baseline_name}};
    if (timing.candidate) row["seconds"] = *timing.candidate;
    if (timing.baseline) row["baseline_seconds"] = *timing.baseline;
    if (timing.ratio) row["speedup"] = *timing.ratio;
    known.push_back(std::move(row));
  }
  Json times{{"workloads", std::move(known)}};
  if (const std::optional<double> speedup = mean_speedup(evaluation)) times["speedup"] = *speedup;
  return times;
}

}  // namespace

std::string_view name_of(Verify verify) {
  switch (verify) {
    case Verify::off:
      return "off";
    case Verify::correct:
      return "correct";
    case Verify::timed:
      return "timed";
  }
  return "off";
}

std::optional<Verify> verify_named(std::string_view name) {
  for (const Verify verify : {Verify::off, Verify::correct, Verify::timed})
    if (name_of(verify) == name) return verify;
  return std::nullopt;
}

Served Verifier::serve(const std::string& body) {
  if (limits_.mode == Verify::off) return refuse(404, "this run has no kgbench verify");
  const Json request = Json::parse(body, nullptr, false);
  const auto source = request.is_object() ? request.find("source") : request.end();
  if (!request.is_object() || source == request.end() || !source->is_string())
    return refuse(400, "the request must be {\"source\": \"...\"}");
  const std::unique_lock hold(mutex_, std::try_to_lock);
  if (!hold.owns_lock()) return refuse(429, "one file at a time: wait for the answer to the last");
  if (closed_) return refuse(410, "the time is over");
  if (error_) return refuse(500, "the judge failed");
  if (used_ >= limits_.most)
    return refuse(429, "all " + std::to_string(limits_.most) + " calls of kgbench verify are used up");
  if (last_) std::this_thread::sleep_until(*last_ + limits_.pause);
  ++used_;
  Served answer = judge(source->get<std::string>());
  last_ = Steady::now();
  return answer;
}

Served Verifier::judge(const std::string& source) {
  Result<Feedback> feedback = task_.evaluate(source, "verify " + std::to_string(used_.load()));
  if (!feedback.ok()) {
    error_ = feedback.error();
    return refuse(500, "the judge failed");
  }
  Json answer{{"verdict", name_of(feedback->evaluation.verdict)},
              {"passed", feedback->passed()},
              {"text", feedback->text},
              {"left", limits_.most - used_}};
  if (limits_.mode == Verify::timed) answer["times"] = times_of(feedback->evaluation);
  return say(200, answer);
}

void Verifier::close() {
  const std::lock_guard hold(mutex_);
  closed_ = true;
}

std::optional<Error> Verifier::error() const {
  const std::lock_guard hold(mutex_);
  return error_;
}

std::string verify_client(const std::string& interpreter) {
  const std::string start = interpreter.starts_with('/') ? interpreter : "/usr/bin/env " + interpreter;
  return "#!" + start + "\n" +
         std::string(kgb_verify_client, static_cast<std::size_t>(kgb_verify_client_end - kgb_verify_client));
}

}  // namespace kgb::method
