// SPDX-License-Identifier: Apache-2.0
// `kgbench list --json` and `kgbench show --json`: the facts of the texts under stable names.
#include "catalogue/texts.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

Json counts(const Operator& op) {
  Json out{{"smoke", 0}, {"full", 0}, {"published", 0}, {"hidden", 0}};
  for (const Workload& workload : op.fixed) {
    Json& count = out[std::string(name_of(workload.tier))];
    count = count.get<int>() + 1;
  }
  int hidden = 0;
  for (const WorkloadTemplate& t : op.templates) hidden += t.hidden() ? t.count : 0;
  out["hidden"] = hidden;
  return out;
}

Json summary(const Operator& op) {
  return {{"name", op.name},
          {"family", op.family},
          {"tags", op.tags},
          {"entries", op.entries.size()},
          {"workloads", counts(op)}};
}

Json entry_json(const Entry& entry) {
  Json args = Json::array();
  for (const Parameter& parameter : entry.schema.parameters) {
    Json arg{{"name", parameter.name}, {"type", to_text(parameter.type)}, {"keyword", parameter.keyword}};
    if (parameter.fallback) arg["default"] = python_literal(*parameter.fallback);
    args.push_back(std::move(arg));
  }
  return {{"name", entry.name},
          {"signature", signature_text(entry.name, entry.schema)},
          {"schema", entry.schema.text},
          {"args", std::move(args)},
          {"outputs", entry.outputs},
          {"baseline", entry.baseline},
          {"vendor", entry.vendor},
          {"vllm", entry.vllm},
          {"exact_strides", entry.exact_strides},
          {"host", entry.host},
          {"reads_own", entry.reads_own},
          {"forbid", entry.forbid},
          {"native", entry.native}};
}

}  // namespace

Result<Json> list_json(const Catalogue& catalogue, const ListFilter& filter) {
  KGB_TRY(const std::vector<const Operator*> operators, listed(catalogue, filter));
  Json out = Json::array();
  for (const Operator* op : operators) out.push_back(summary(*op));
  return out;
}

Json show_json(const Catalogue& /*catalogue*/, const Operator& op) {
  Json out = summary(op);
  out["source"] = op.source;
  out["no_kernel"] = op.no_kernel;
  out["doubt"] = op.doubt;
  out["published"] = op.published;
  out["error_class"] = name_of(op.error.error_class);
  Json entries = Json::array();
  for (const Entry& entry : op.entries) entries.push_back(entry_json(entry));
  out["entries"] = std::move(entries);
  Json workloads = Json::array();
  for (const Workload& workload : op.fixed) {
    workloads.push_back({{"id", workload.call.workload},
                         {"tier", name_of(workload.tier)},
                         {"entry", workload.call.entry},
                         {"description", describe(workload.call)},
                         {"weight", workload.weight},
                         {"edge", workload.edge},
                         {"flush", workload.flush}});
  }
  out["fixed_workloads"] = std::move(workloads);
  return out;
}

}  // namespace kgb
