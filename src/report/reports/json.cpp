// SPDX-License-Identifier: Apache-2.0
// The run as one JSON document: the run's facts, the counts, every evaluation.
#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "report/statistics.hpp"

namespace kgb {

std::string report_json(const RunReport& report, const ReportStyle&) {
  const RunInfo& run = report.run;
  const Counts counts = count(report);
  nlohmann::json sources = nlohmann::json::object();
  for (const auto& [source, pair] : counts.by_source)
    sources[source] = {{"passed", pair.first}, {"judged", pair.second}};
  nlohmann::json verdicts = nlohmann::json::object();
  for (const auto& [verdict, n] : counts.by_verdict) verdicts[verdict] = n;
  nlohmann::json host = nlohmann::json::parse(run.host, nullptr, false);
  if (host.is_discarded()) host = run.host;
  nlohmann::json method = nlohmann::json::parse(run.method, nullptr, false);
  if (method.is_discarded()) method = run.method;
  nlohmann::json document{{"schema", 1},
                          {"run",
                           {{"id", run.id},
                            {"created", run.created},
                            {"finished", run.finished},
                            {"status", run.status},
                            {"version", run.version},
                            {"contestant", run.contestant},
                            {"suite", run.suite},
                            {"chip", run.chip},
                            {"tiers", run.tiers},
                            {"tolerance", run.tolerance},
                            {"profile", run.profile},
                            {"targets", run.targets},
                            {"seed", run.seed},
                            {"model", run.model},
                            {"method", method},
                            {"host", host},
                            {"items", report.items}}},
                          {"counts",
                           {{"judged", counts.judged},
                            {"passed", counts.passed},
                            {"no_kernel", counts.no_kernel},
                            {"no_kernel_passed", counts.no_kernel_passed},
                            {"by_source", sources},
                            {"by_verdict", verdicts}}},
                          {"statistics", statistics_json(report)},
                          {"evaluations", nlohmann::json::array()}};
  for (const StoredEvaluation& stored : report.evaluations) {
    nlohmann::json evaluation = to_json(stored.evaluation);
    evaluation["sample"] = stored.item.sample;
    if (!stored.item.recorded.empty())
      evaluation["recorded"] = {{"verdict", stored.item.recorded},
                                {"evidence", stored.item.recorded_evidence},
                                {"disagrees", disagrees(stored)}};
    document["evaluations"].push_back(std::move(evaluation));
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace kgb
