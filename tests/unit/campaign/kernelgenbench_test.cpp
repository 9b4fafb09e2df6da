// SPDX-License-Identifier: Apache-2.0
// Runs of KernelGenBench, made by hand in its two layouts: which kernel is an operator's, and what was
// recorded.
#include "campaign/kernelgenbench.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/files.hpp"
#include "base/text.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

class KernelGenBenchRun : public ::testing::Test {
 protected:
  void write(const fs::path& name, const std::string& text) {
    ASSERT_TRUE(make_folders((folder() / name).parent_path()).ok());
    ASSERT_TRUE(write_file(folder() / name, text).ok());
  }
  std::map<std::string, CandidateFile> read(const std::vector<std::string>& names) {
    std::vector<Operator> operators(names.size());
    std::vector<const Operator*> asked;
    for (std::size_t i = 0; i < names.size(); ++i) {
      operators[i].name = names[i];
      asked.push_back(&operators[i]);
    }
    Result<CandidateSet> set = kernelgenbench_candidates(folder(), asked);
    EXPECT_TRUE(set.ok()) << (set.ok() ? "" : set.error().message);
    std::map<std::string, CandidateFile> found;
    for (CandidateFile& file : set->files) found[file.op] = file;
    missing_ = set->missing;
    return found;
  }
  [[nodiscard]] fs::path folder() const { return temporary_.path(); }
  std::vector<std::string> missing_;

 private:
  TempDir temporary_{std::move(TempDir::make("kgb-test-").value())};
};

TEST_F(KernelGenBenchRun, OfAnAgentHasAKernelAFileAndResultsByTheBareName) {
  write("kernels/aten__neg.py", "a");
  write("kernels/vllm13__rms_norm.py", "b");
  write("kernels/cublas__cublasSdot_v2.py", "c");
  write("kernels/cublas__cublasSgeam.py", "d");
  write("results.json", R"({"run_name": "r", "dataset": "KernelGenBench", "operators": {
    "neg": {"status": "passed", "total_tests": 18, "passed_tests": 18, "failed_tests": 0},
    "rms_norm": {"status": "failed", "total_tests": 4, "passed_tests": 1, "failed_tests": 3,
                 "error": "Traceback:\n  File x\nAssertionError: not close\n"},
    "cublasSdot_v2": {"status": "hacked", "total_tests": 2, "passed_tests": 2, "failed_tests": 0,
                      "hack_layer": "L1", "hack_reason": "calls torch.dot"}}})");
  ASSERT_TRUE(is_kernelgenbench_run(folder()));
  const auto found = read({"aten::neg", "vllm::rms_norm", "cublas::Sdot", "cublas::Sgeam", "aten::mul"});
  EXPECT_EQ(missing_, std::vector<std::string>{"aten::mul"});
  EXPECT_EQ(found.at("aten::neg").recorded, "passed");
  EXPECT_EQ(found.at("aten::neg").recorded_evidence, "18 of 18 tests passed");
  EXPECT_EQ(found.at("vllm::rms_norm").recorded, "failed");
  EXPECT_EQ(found.at("vllm::rms_norm").recorded_evidence, "1 of 4 tests passed; AssertionError: not close");
  EXPECT_EQ(found.at("cublas::Sdot").path.filename(), "cublas__cublasSdot_v2.py");
  EXPECT_EQ(found.at("cublas::Sdot").recorded, "hacked");
  EXPECT_EQ(found.at("cublas::Sdot").recorded_evidence, "L1: calls torch.dot");
  EXPECT_EQ(found.at("cublas::Sgeam").recorded, "") << "not in its results";
}

TEST_F(KernelGenBenchRun, ABareNameOfTwoSourcesIsNobodysResult) {
  write("kernels/aten__topk.py", "a");
  write("kernels/vllm13__topk.py", "b");
  write("results.json",
        R"({"operators": {"topk": {"status": "passed", "total_tests": 1, "passed_tests": 1}}})");
  const auto found = read({"aten::topk", "vllm::topk"});
  EXPECT_EQ(found.at("aten::topk").recorded, "");
  EXPECT_EQ(found.at("vllm::topk").recorded, "");
}

TEST_F(KernelGenBenchRun, OfAModelHasRoundsAndTheKernelThatPassedFirstCounts) {
  for (const char* name : {"round_0/aten::neg.py", "round_1/aten::neg.py", "round_0/aten::mul.py",
                           "round_1/aten::mul.py", "round_0/vllm13::rms_norm.py"})
    write(name, name);
  write("args.json", "{}");
  write("pass_at_k_results.json", R"({"operator_details": {
    "aten::neg": {"passed": true, "first_pass_round": 0},
    "aten::mul": {"passed": false, "first_pass_round": null},
    "vllm13::rms_norm": {"passed": true, "first_pass_round": 0}}})");
  write(
      "verification/log_1/result.json",
      R"([{"op_name": "aten::mul", "success": false, "traceback": "Traceback\nTypeError: two arguments\n"}])");
  write("pass_at_k_results_antihack.json", R"({"hacked_operators": ["vllm13::rms_norm"],
    "hack_details": {"vllm13::rms_norm": {"hacked": true, "layer": "L2/L3", "reason": "no launch"}}})");
  ASSERT_TRUE(is_kernelgenbench_run(folder()));
  const auto found = read({"aten::neg", "aten::mul", "vllm::rms_norm"});
  EXPECT_EQ(found.at("aten::neg").path, folder() / "round_0" / "aten::neg.py");
  EXPECT_EQ(found.at("aten::neg").recorded, "passed");
  EXPECT_EQ(found.at("aten::mul").path, folder() / "round_1" / "aten::mul.py");
  EXPECT_EQ(found.at("aten::mul").recorded_evidence, "failed in round 1; TypeError: two arguments");
  EXPECT_EQ(found.at("vllm::rms_norm").recorded, "hacked");
  EXPECT_EQ(found.at("vllm::rms_norm").recorded_evidence, "L2/L3: no launch");
}

TEST_F(KernelGenBenchRun, AnotherFolderIsNone) {
  write("aten/neg.py", "a");
  EXPECT_FALSE(is_kernelgenbench_run(folder()));
}

TEST_F(KernelGenBenchRun, AFolderOfKernelsWithResultsOfSomethingElseIsNone) {
  write("kernels/aten__neg.py", "a");
  for (const char* text : {"{\"operators\": ", "[]", "{\"accuracy\": 1}", "{\"operators\": [\"neg\"]}"}) {
    write("results.json", text);
    EXPECT_FALSE(is_kernelgenbench_run(folder())) << text;
  }
  write("round_0/aten::neg.py", "a");
  write("pass_at_k_results.json", R"({"operator_details": {}})");
  EXPECT_EQ(read({"aten::neg"}).at("aten::neg").path, folder() / "round_0" / "aten::neg.py")
      << "the layout that it does have";
}

TEST_F(KernelGenBenchRun, ThatWasCutOffHasKernelsWithoutARecord) {
  write("kernels/aten__neg.py", "a");
  write("progress.json", "{}");
  ASSERT_TRUE(is_kernelgenbench_run(folder()));
  EXPECT_EQ(read({"aten::neg"}).at("aten::neg").recorded, "");
}

TEST_F(KernelGenBenchRun, WithoutTheKernelThatPassedTheLastOneIsTakenAndThatIsSaid) {
  write("round_0/aten::neg.py", "a");
  write("pass_at_k_results.json",
        R"({"operator_details": {"aten::neg": {"passed": true, "first_pass_round": 3}}})");
  const auto found = read({"aten::neg"});
  EXPECT_EQ(found.at("aten::neg").path, folder() / "round_0" / "aten::neg.py");
  EXPECT_EQ(found.at("aten::neg").recorded_evidence,
            "passed in round 3, whose kernel is not there: judged is that of round 0");
}

TEST_F(KernelGenBenchRun, EvidenceIsCutBetweenCharacters) {
  write("kernels/aten__neg.py", "a");
  std::string error = "x";
  for (int i = 0; i < 200; ++i) error += "\xc3\xa4";
  write("results.json", R"({"operators": {"neg": {"status": "failed", "error": ")" + error + R"("}}})");
  const std::string evidence = read({"aten::neg"}).at("aten::neg").recorded_evidence;
  EXPECT_TRUE(is_utf8(evidence)) << evidence;
  EXPECT_GE(evidence.size(), 299U);
}

TEST_F(KernelGenBenchRun, ReportsThatCannotBeReadAreTheUsersMistake) {
  write("round_0/aten::neg.py", "a");
  write("pass_at_k_results.json", R"({"operator_details": {"aten::neg": {"passed": false}}})");
  Operator neg;
  neg.name = "aten::neg";
  write("verification/log_0/result.json", "{}");
  Result<CandidateSet> set = kernelgenbench_candidates(folder(), {&neg});
  ASSERT_FALSE(set.ok()) << "a list is meant";
  EXPECT_NE(set.error().message.find("log_0/result.json"), std::string::npos);
  write("pass_at_k_results_antihack.json", "[]");
  set = kernelgenbench_candidates(folder(), {});
  ASSERT_FALSE(set.ok()) << "an object is meant";
  EXPECT_NE(set.error().message.find("antihack.json"), std::string::npos);
}

}  // namespace
}  // namespace kgb
