// SPDX-License-Identifier: Apache-2.0
// Which workloads a kernel is tuned for by itself, and how a result is told.
#include "campaign/tuning.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "campaign/probe.hpp"

namespace kgb {
namespace {

const Catalogue& catalogue() {
  static const Result<Catalogue> loaded =
      Catalogue::load(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue", {});
  return *loaded;
}
const Operator& op(const std::string& name) {
  const Result<const Operator*> found = catalogue().find(name);
  return **found;
}

TEST(WorthTuning, AreTheWorkloadsThatMoveMostOneOfAnEntryTwoAtMost) {
  for (const char* name : {"aten::cumsum", "aten::add", "aten::sum", "cublas::Sgemm", "vllm::rms_norm"}) {
    const std::vector<Workload> chosen = worth_tuning(catalogue(), op(name));
    ASSERT_FALSE(chosen.empty()) << name;
    EXPECT_LE(chosen.size(), 2U) << name;
    std::set<std::string> entries;
    const auto bytes = [&](const Workload& w) { return catalogue().cost_for(op(name), w.call)->bytes; };
    for (const Workload& workload : chosen) {
      EXPECT_FALSE(workload.edge) << name;
      EXPECT_TRUE(entries.insert(workload.call.entry).second) << name;
    }
    for (const Workload& other : catalogue().workloads(op(name), Tier::full))
      EXPECT_TRUE(other.edge || bytes(other) <= bytes(chosen.front())) << name;
  }
}

TEST(Probe, TakesSomeOfEveryEntryAndNoEdges) {
  const std::vector<Workload> all = catalogue().workloads(op("aten::add"), Tier::smoke);
  std::map<std::string, std::size_t> counts;
  for (const Workload& workload : probe_of(all, 2)) {
    EXPECT_FALSE(workload.edge);
    ++counts[workload.call.entry];
  }
  EXPECT_EQ(counts.size(), op("aten::add").entries.size());
  for (const auto& [entry, count] : counts) EXPECT_LE(count, 2U) << entry;
}

TuneRow improved() {
  TuneRow row;
  row.op = "aten::add";
  row.workloads = {"add(self=f32[8])", "add(self=f16[9])"};
  method::Tuned tuned;
  tuned.seed = "a";
  tuned.source = "b";
  tuned.changes = {{"num_warps of k", 9, "4", "8"}};
  tuned.evaluation.verdict = Verdict::pass;
  Timing timing;
  timing.workload = "t1";
  timing.candidate = 2e-6;
  timing.baseline = 3e-6;
  timing.ratio = 1.5;
  timing.ratio_low = 1.4;
  timing.ratio_high = 1.6;
  timing.call = "faster";
  tuned.evaluation.timings = {timing};
  row.tuned = tuned;
  return row;
}

TEST(TuneText, SaysWhatWonByHowMuchAndWhere) {
  const std::string text = tune_text(improved());
  EXPECT_NE(text.find("add(self=f16[9]): 3.00 us -> 2.00 us, 1.50x [1.40, 1.60] faster"), std::string::npos)
      << text;
  EXPECT_NE(text.find("line 9: num_warps of k: 4 -> 8"), std::string::npos) << text;
}

TEST(TuneText, SaysWhyNothingWon) {
  TuneRow row = improved();
  row.tuned->changes.clear();
  row.tuned->why = "no proposal was proven faster than the seed";
  EXPECT_NE(tune_text(row).find("unchanged: no proposal was proven"), std::string::npos);
  row.tuned.reset();
  row.error = "the seed does not pass";
  EXPECT_EQ(tune_text(row), "aten::add  not tuned: the seed does not pass\n");
}

TEST(TuneJson, HasTheSameFacts) {
  const nlohmann::json row = tune_json(improved());
  EXPECT_EQ(row["improved"], true);
  EXPECT_EQ(row["timings"][0]["workload"], "add(self=f16[9])");
  EXPECT_EQ(row["timings"][0]["seed_s"], 3e-6);
  EXPECT_EQ(row["changes"][0]["to"], "8");
  EXPECT_EQ(row["source"], "b");
}

}  // namespace
}  // namespace kgb
