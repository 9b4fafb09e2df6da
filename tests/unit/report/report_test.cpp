// SPDX-License-Identifier: Apache-2.0
// Reports: counts, short texts, and formats that hold for hostile text.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  EXPECT_NE(make("csv").find("\"worst <b> at \"\"x\"\", off by 3\"\r\n"), std::string::npos);
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

}  // namespace
}  // namespace kgb
