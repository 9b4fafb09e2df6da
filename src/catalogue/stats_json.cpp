// SPDX-License-Identifier: Apache-2.0
// `kgbench list --stats`: what the catalogue holds, counted, and what was measured of it, from
// catalogue/measured.json.
#include <algorithm>
#include <map>

#include "base/files.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

// One column of the table: a source, or all of them.
struct Column {
  std::int64_t operators = 0, no_kernel = 0, random = 0, thinned = 0, entries = 0, smoke = 0, full = 0,
               published = 0, hidden = 0;
  std::int64_t measured = 0, mutated = 0, screened = 0;  // operators with results
  std::int64_t mutants = 0, found = 0, found_published = 0, equivalent = 0, holes = 0, refused = 0,
               sensitive = 0;
  std::vector<double> headroom, caught, caught_published;

  void count(const Operator& op) {
    ++operators;
    no_kernel += op.tagged("no_kernel") ? 1 : 0;
    random += op.tagged("random") ? 1 : 0;
    thinned += op.thinned.empty() ? 0 : 1;
    entries += static_cast<std::int64_t>(op.entries.size());
    for (const Workload& workload : op.fixed)
      ++(workload.tier == Tier::smoke ? smoke : workload.tier == Tier::full ? full : published);
    for (const WorkloadTemplate& t : op.templates) hidden += t.hidden() ? t.count : 0;
  }
  void add(const Json& row) {
    measured += row.contains("headroom") ? 1 : 0;
    mutated += row.contains("mutants") ? 1 : 0;
    screened += row.contains("holes") ? 1 : 0;
    mutants += row.value("mutants", 0);
    found += row.value("found", 0);
    found_published += row.value("found_published", 0);
    equivalent += row.value("equivalent", 0);
    holes += row.value("holes", 0);
    refused += row.value("refused_published", 0);
    const Json moves = row.value("moves_sensitive", Json(0));
    sensitive += moves == "inf" || (moves.is_number() && moves.get<double>() > 1) ? 1 : 0;
    const auto take = [&](const char* key, std::vector<double>& into) {
      if (const auto at = row.find(key); at != row.end() && at->is_number())
        into.push_back(at->get<double>());
    };
    take("headroom", headroom);
    take("caught", caught);
    take("caught_published", caught_published);
  }
};

double median(const std::vector<double>& given) {
  std::vector<double> values = given;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
// What was not measured is no zero.
std::string summed(const std::vector<double>& values, double (*sum)(const std::vector<double>&),
                   const char* format) {
  return values.empty() ? "-" : fmt::format(fmt::runtime(format), sum(values));
}
std::string counted(std::int64_t value, std::int64_t measured) {
  return measured == 0 ? "-" : fmt::format("{}", value);
}
std::string share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

using Row = std::pair<std::string, std::string (*)(const Column&)>;

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"operators", [](const Column& c) { return fmt::format("{}", c.operators); }},
      {"  without an honest kernel", [](const Column& c) { return fmt::format("{}", c.no_kernel); }},
      {"  random", [](const Column& c) { return fmt::format("{}", c.random); }},
      {"entries", [](const Column& c) { return fmt::format("{}", c.entries); }},
      {"smoke workloads", [](const Column& c) { return fmt::format("{}", c.smoke); }},
      {"full workloads", [](const Column& c) { return fmt::format("{}", c.full); }},
      {"  operators with a thinned grid", [](const Column& c) { return fmt::format("{}", c.thinned); }},
      {"hidden workloads of one draw", [](const Column& c) { return fmt::format("{}", c.hidden); }},
      {"expert's worst error / bound, median",
       [](const Column& c) { return summed(c.headroom, median, "{:.2f}"); }},
      {"expert's worst error / bound, largest",
       [](const Column& c) { return summed(c.headroom, largest, "{:.2f}"); }},
      {"smallest error found, median", [](const Column& c) { return summed(c.caught, median, "{:.1e}"); }},
      {"  by the published tolerance",
       [](const Column& c) { return summed(c.caught_published, median, "{:.1e}"); }},
      {"right answers it refuses, operators", [](const Column& c) { return counted(c.refused, c.measured); }},
      {"mutants judged", [](const Column& c) { return counted(c.mutants, c.mutated); }},
      {"  found", [](const Column& c) { return share(c.found, c.mutants); }},
      {"  found by the published tolerance",
       [](const Column& c) { return share(c.found_published, c.mutants); }},
      {"  besides, equivalent", [](const Column& c) { return counted(c.equivalent, c.mutated); }},
      {"operators screened", [](const Column& c) { return counted(c.screened, c.screened); }},
      {"  holes", [](const Column& c) { return counted(c.holes, c.screened); }},
      {"  sensitive to one ulp, with a reason",
       [](const Column& c) { return counted(c.sensitive, c.screened); }},
  };
  return all;
}

}  // namespace

std::string thinned_text(const std::vector<const Operator*>& operators) {
  std::size_t width = 0;
  for (const Operator* const op : operators)
    if (!op->thinned.empty()) width = std::max(width, op->name.size());
  std::string out;
  for (const Operator* const op : operators)
    for (const std::string& thinned : op->thinned)
      out += fmt::format("{:<{}}  {}\n", op->name, width, thinned);
  return out;
}

Result<std::string> stats_text(const std::vector<const Operator*>& operators,
                               const std::filesystem::path& measured) {
  Json stored = Json::object();
  std::error_code ignored;
  if (std::filesystem::exists(measured, ignored)) {
    KGB_TRY(const std::string text, read_file(measured, std::size_t{16} << 20));
    stored = Json::parse(text, nullptr, false);
    if (!stored.is_object())
      return user_error(measured.string() + " is no JSON object (tools/store_measured.py writes it)");
  }
  const Json results = stored.value("operators", Json::object());
  std::map<std::string, Column> columns;
  Column all;
  for (const Operator* const op : operators)
    for (Column* column : {&columns[op->group()], &all}) {
      column->count(*op);
      if (const auto row = results.find(op->name); row != results.end()) column->add(*row);
    }
  std::string out = fmt::format("{:<40}", "");
  for (const auto& [name, column] : columns) out += fmt::format("{:>10}", name);
  out += fmt::format("{:>10}\n", "all");
  for (const auto& [label, value] : rows()) {
    out += fmt::format("{:<40}", label);
    for (const auto& [name, column] : columns) out += fmt::format("{:>10}", value(column));
    out += fmt::format("{:>10}\n", value(all));
  }
  for (const Json& line : stored.value("commands", Json::array()))
    out += "measured by: " + line.get<std::string>() + "\n";
  return out;
}

}  // namespace kgb
