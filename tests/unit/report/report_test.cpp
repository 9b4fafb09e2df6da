// SPDX-License-Identifier: Apache-2.0
// Reports: counts, short texts, and formats that hold for hostile text.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/conditions_text.hpp"
#include "report/verdict_text.hpp"

namespace kgb {
namespace {

StoredEvaluation stored(const std::string& op, Verdict verdict, bool no_kernel = false) {
  StoredEvaluation s;
  s.item = {1, op, 0, "dir/" + op + ".py"};
  s.evaluation.op = op;
  s.evaluation.verdict = verdict;
  s.evaluation.no_kernel = no_kernel;
  s.evaluation.stage_ms = {{"total", 20}};
  s.source = "import torch\nx = '<script>alert(1)</script>'\n";
  return s;
}

RunReport demo() {
  RunReport report;
  report.run = {"r1",    "2026-12-01T10:00:00Z",
                "",      "complete",
                "0.1.0", "experts",
                "demo",  "cpu",
                "smoke", "model",
                "",      "aa",
                "{}",    "",
                "{}"};
  report.evaluations = {stored("aten::add", Verdict::pass), stored("aten::reshape", Verdict::pass, true),
                        stored("vllm::rms_norm", Verdict::wrong_value)};
  report.evaluations[0].evaluation.workloads.push_back(
      {"s0", "smoke", "self f32[4]", Verdict::pass, 0.21, "return[0]", 4, "h"});
  report.evaluations[0].evaluation.targets = {{"sm_90", true, "", 1, 0, 0, 1},
                                              {"gfx942", false, "shared memory 81920 > 65536", 0, 0, 0, 1}};
  report.evaluations[2].evaluation.findings.push_back(
      {"value_mismatch", Gate::correct, "worst <b> at \"x\", off by 3", "s1", "mine.py", 2, {}});
  report.items = 4;
  return report;
}

std::string make(const std::string& format) {
  for (const ReportRow& row : reports())
    if (row.name == format) return row.make(demo(), {});
  return {};
}

TEST(Report, CountsOperatorsWithoutAKernelApart) {
  EXPECT_EQ(
      headline(demo()),
      "2 of 3 pass: aten 1 of 1, vllm 0 of 1 with kernels; 1 of 1 without an honest kernel, counted apart. "
      "1 not judged yet");
}

TEST(Report, TellsWhatOnlyMissesEntriesOfALibrary) {
  RunReport report = demo();
  report.evaluations[0].evaluation.verdict = Verdict::unsupported;
  report.evaluations[0].evaluation.findings.push_back(
      {"not_in_library", Gate::static_, "not in tiny: add_out", "s3", "", 0, {}});
  EXPECT_NE(headline(report).find("; 1 fail for nothing but entries that the library lacks"),
            std::string::npos);
  report.evaluations[0].evaluation.findings.insert(
      report.evaluations[0].evaluation.findings.begin(),
      {"recorder_unsupported", Gate::honest, "x", "s0", "", 0, {}});
  EXPECT_EQ(headline(report).find("lacks"), std::string::npos);
}

TEST(Report, NamesTheFirstTargetThatFailed) {
  EXPECT_EQ(targets_text(demo().evaluations[0].evaluation), "1/2  gfx942: shared memory 81920 > 65536");
  EXPECT_EQ(worst_text(demo().evaluations[0].evaluation), "0.21  s0");
}

TEST(Report, TableShowsTheReasonUnderAFailure) {
  const std::string table = make("table");
  EXPECT_NE(table.find("vllm::rms_norm"), std::string::npos);
  EXPECT_NE(table.find("      worst <b> at \"x\", off by 3  (s1)\n"), std::string::npos);
  EXPECT_EQ(table.find("\x1b["), std::string::npos) << "colour was not asked for";
}

TEST(Report, CsvQuotesWhatNeedsIt) {
  EXPECT_NE(make("csv").find("\"worst <b> at \"\"x\"\", off by 3\",careful,"), std::string::npos);
}

TEST(Report, JunitHasACaseForEachOperatorAndEscapesReasons) {
  const std::string xml = make("junit");
  EXPECT_NE(xml.find("<testsuite name=\"vllm\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("type=\"wrong_value\" message=\"worst &lt;b&gt; at &quot;x&quot;, off by 3\""),
            std::string::npos)
      << xml;
  EXPECT_EQ(xml.find("<b>"), std::string::npos);
}

TEST(Report, JsonIsOneDocumentWithEveryEvaluation) {
  const nlohmann::json document = nlohmann::json::parse(make("json"));
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_EQ(document.at("evaluations").size(), 3U);
  EXPECT_EQ(document.at("counts").at("by_verdict").at("wrong_value"), 1);
}

TEST(Report, PageEscapesTextOfCandidates) {
  const std::string page = make("html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("worst &lt;b&gt; at"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos) << "the page needs no network";
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

// A timing with everything that a device told.
Evaluation timed() {
  Evaluation e = stored("aten::add", Verdict::pass).evaluation;
  Timing t;
  t.workload = "s0";
  t.candidate = 1e-4;
  t.baseline = 2e-4;
  t.ratio = t.ratio_low = t.ratio_high = 2;
  t.call = "cannot tell";
  t.baseline_name = "torch";
  t.why = "it was hot";
  t.roof = RoofShare{8.1e-5, 0.81, "memory", "bandwidth", 4e12, true, false};
  t.energy = Energy{12.34, ""};
  t.conditions.emplace();
  t.conditions->sm_mhz = Sampled{1980, 1755, 1700, 1980};
  t.conditions->memory_mhz = Sampled{3201, 3201, 3201, 3201};
  t.conditions->throttled = std::vector<std::string>{"power_cap", "hw_thermal"};
  t.conditions->foreign = std::vector<ForeignProcess>{{7, 3'100'000'000, 30}};
  t.conditions->unknown = {"the power: not permitted"};
  e.timings = {t, t};
  return e;
}

TEST(Verdict, TellsTheRoofTheEnergyAndHowTheDeviceWas) {
  const std::string text = verdict_text(timed(), false);
  EXPECT_NE(
      text.find(
          "  time      s0: 2.00x [2.00, 2.00] cannot tell against torch: it was hot; 81 % of the memory "
          "roof; 12.3 mJ a call\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  device    SM 1980 to 1755 MHz (down to 1700), memory 3201 MHz; power cap; thermal "
                      "slowdown by the hardware; process 7 computes beside (up to 30 %), 3.1 GB\n"),
            std::string::npos)
      << text;
  const std::string unknown = "  unknown   the power: not permitted\n";
  EXPECT_NE(text.find(unknown), std::string::npos) << text;
  EXPECT_EQ(text.find(unknown), text.rfind(unknown)) << "once for all workloads";
}

TEST(Verdict, OfATimingWithoutADeviceNothingIsSaid) {
  Evaluation e = timed();
  for (Timing& t : e.timings) t.roof.reset(), t.energy.reset(), t.conditions.reset();
  const std::string text = verdict_text(e, false);
  for (const char* word : {"roof", "mJ", "device", "unknown"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
}

TEST(Roof, SaysWhenItIsNominalOrBelowALaunch) {
  Timing t;
  EXPECT_EQ(roof_text(t), "");
  t.roof = RoofShare{1e-7, 0.031, "compute", "bf16_dot", 9e14, false, true};
  EXPECT_EQ(roof_text(t), "3 % of the bf16_dot roof (data sheet), launch-bound");
}

// do_bench's figures stand beside ours: the ratio of the row stays what our clock said.
TEST(Report, PublishedFiguresHaveAColumnOfTheirOwn) {
  RunReport report = demo();
  const auto formatted = [&](const std::string& format) {
    for (const ReportRow& row : reports())
      if (row.name == format) return row.make(report, {});
    return std::string();
  };
  EXPECT_EQ(formatted("table").find("do_bench"), std::string::npos);
  report.evaluations[0].evaluation.timings = timed().timings;
  for (Timing& t : report.evaluations[0].evaluation.timings) t.published = Published{2e-5, 3e-5, ""};
  const std::string table = formatted("table");
  EXPECT_NE(table.find("  do_bench "), std::string::npos) << table;
  EXPECT_NE(table.find("1.50x: 20 us against 30  2.00x [2.00, 2.00]"), std::string::npos) << table;
  EXPECT_NE(formatted("csv").find(",20,30\r\n"), std::string::npos);
  EXPECT_NE(
      verdict_text(report.evaluations[0].evaluation, false).find("  do_bench  s0: 1.50x: 20 us against 30\n"),
      std::string::npos);
}

TEST(Verdict, NamesWhatRanOnTheDeviceInProcess) {
  Evaluation e = stored("aten::mm", Verdict::not_custom).evaluation;
  e.mode = "in-process";
  e.census = {{"kernel", "ampere_sgemm_128x64_tn", "cuBLAS", "", 3, 750, false},
              {"kernel", "mine", "", "mine.py", 1, 200, false},
              {"memset", "", "", "", 2, 50, false}};
  const std::string text = verdict_text(e, false);
  EXPECT_NE(text.find("  ran       75.0 % kernel ampere_sgemm_128x64_tn of cuBLAS (x3)\n"
                      "  ran       20.0 % kernel mine of mine.py (x1)\n"
                      "  ran       5.0 % memset (x2)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  trust     in-process mode"), std::string::npos) << text;
}

TEST(Report, EveryFormatHasWhatTheDeviceTold) {
  RunReport report = demo();
  report.evaluations[0].evaluation.timings = timed().timings;
  const auto formatted = [&](const std::string& format) {
    for (const ReportRow& row : reports())
      if (row.name == format) return row.make(report, {});
    return std::string();
  };
  EXPECT_NE(formatted("table").find("cannot tell; 81 % of the memory roof\n"), std::string::npos);
  EXPECT_NE(
      formatted("html").find("81 % of the memory roof</td><td>12.3 mJ a call</td><td>SM 1980 to 1755 MHz"),
      std::string::npos);
  const std::string csv = formatted("csv");
  EXPECT_NE(csv.find(",ratio_high,roof_share,energy_mj,throttled,total_ms,reason"), std::string::npos);
  EXPECT_NE(csv.find(",2,2,2,0.81,12.34,power_cap hw_thermal,20.000,"), std::string::npos) << csv;
  const nlohmann::json document = nlohmann::json::parse(formatted("json"));
  EXPECT_EQ(document.at("evaluations").at(0).at("timings").at(0).at("roof").at("share"), 0.81);
}

}  // namespace
}  // namespace kgb
