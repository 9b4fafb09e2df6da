// SPDX-License-Identifier: Apache-2.0
// Reports over a run: each format is one file reports/<name>.cpp and one row of reports.def.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "store/store.hpp"

namespace kgb {

struct RunReport {
  RunInfo run;
  std::vector<StoredEvaluation> evaluations;
  std::int64_t items = 0;  // asked for; more than evaluations while the run is not complete
  std::vector<Attempt> attempts;
  std::vector<ModelCall> calls;
  std::map<std::string, std::string> families;  // of operators; empty without a catalogue
};

struct ReportStyle {
  bool colour = false;  // ANSI colours, for terminals without NO_COLOR
  int width = 120;      // columns
};

using ReportFunction = std::string (*)(const RunReport&, const ReportStyle&);
struct ReportRow {
  std::string name;
  ReportFunction make;
  // Makes one text of the reports of several chips; null: the format is of one chip.
  std::string (*join)(const std::vector<std::string>&);
};
[[nodiscard]] const std::vector<ReportRow>& reports();
// The runs of a store file: one, or one for each chip where runs on several were joined. Every figure is made
// of one of them, so that none is over samples of several chips.
[[nodiscard]] Result<std::vector<RunReport>> load_reports(const Store& store);
[[nodiscard]] Result<RunReport> load_report(const Store& store, const std::string& run);
[[nodiscard]] std::map<std::string, std::string> families_of(const Catalogue& catalogue);

// Counts that every report shows. Operators without an honest kernel are counted apart.
struct Counts {
  std::int64_t judged = 0, passed = 0;               // with kernels
  std::int64_t no_kernel = 0, no_kernel_passed = 0;  // without
  std::int64_t absent = 0;  // all that keeps them from a pass: a library lacks entries
  std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>>
      by_source;  // source: passed, judged
  std::vector<std::pair<std::string, std::int64_t>> by_verdict;
};
[[nodiscard]] Counts count(const RunReport& report);

// One line each, shared by the table and the page.
[[nodiscard]] std::string headline(const RunReport& report);
[[nodiscard]] std::string worst_text(const Evaluation& evaluation);      // "0.21  f16 (7,1031)" or "exact"
[[nodiscard]] std::string workloads_text(const Evaluation& evaluation);  // "18/18"
[[nodiscard]] std::string targets_text(const Evaluation& evaluation);    // "5/5" or "4/5  gfx942: ..."
// The workload with the longest baseline, which is the one that the user waits for; nullptr: none was timed.
[[nodiscard]] const Timing* shown_timing(const Evaluation& evaluation);
// "1.8x [1.7, 1.9] faster", or why there is none.
[[nodiscard]] std::string time_text(const Evaluation& evaluation);
// What do_bench says of the same workload: "1.20x: 31.2 us against 37.4"; "-" where it was not asked.
[[nodiscard]] std::string published_text(const Evaluation& evaluation);
// Candidates on which another judge had a verdict, in reports that hold such, and those on which ours is
// another one. What is unsupported here, or failed by the host's fault, contradicts nothing.
[[nodiscard]] bool has_recorded(const RunReport& report);
[[nodiscard]] bool disagrees(const StoredEvaluation& stored);
[[nodiscard]] std::string disagreements_text(const RunReport& report);
[[nodiscard]] double total_ms(const Evaluation& evaluation);
// The finding that decided the verdict, or null.
[[nodiscard]] const Finding* deciding_finding(const Evaluation& evaluation);

}  // namespace kgb
