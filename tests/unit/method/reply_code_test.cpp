// SPDX-License-Identifier: Apache-2.0
// Which part of a model's reply is the candidate.
#include "method/reply_code.hpp"

#include <gtest/gtest.h>

namespace kgb::method {
namespace {

const std::string kKernel = "import triton\n\n\ndef add(x, y):\n    return x\n";

TEST(ReplyCode, TakesTheFencedBlockAndNothingAround) {
  EXPECT_EQ(code_of_reply("Here it is:\n```python\n" + kKernel + "```\nIt adds.\n"), kKernel);
}

TEST(ReplyCode, TakesTheLaterOfTwoWholeFilesForACorrectionFollowsWhatItCorrects) {
  const std::string wrong = "import triton\n\n\ndef add(x, y):\n    return y\n";
  EXPECT_EQ(code_of_reply("```python\n" + wrong + "```\nNo, wait:\n```python\n" + kKernel + "```\n"),
            kKernel);
}

TEST(ReplyCode, ALineOfUseAfterwardsIsNotTheFile) {
  EXPECT_EQ(code_of_reply("```python\n" + kKernel + "```\nCall it:\n```python\nadd(a, b)\n```\n"), kKernel);
}

TEST(ReplyCode, AShellCommandIsNoFile) {
  EXPECT_EQ(code_of_reply("```sh\npip install triton\n```\n"), "");
}

TEST(ReplyCode, ABlockThatTheTokenLimitCutOffStillCounts) {
  EXPECT_EQ(code_of_reply("```python\n" + kKernel), kKernel);
}

TEST(ReplyCode, TildesAndLongerFencesHoldShorterOnes) {
  const std::string inner = "def f():\n    \"\"\"\n    ```\n    text\n    ```\n    \"\"\"\n";
  EXPECT_EQ(code_of_reply("````python\n" + inner + "````\n"), inner);
  EXPECT_EQ(code_of_reply("~~~python\n" + kKernel + "~~~\n"), kKernel);
}

TEST(ReplyCode, AReplyThatIsPythonFromItsFirstLineNeedsNoFence) {
  EXPECT_EQ(code_of_reply("\n" + kKernel), "\n" + kKernel);
}

TEST(ReplyCode, ProseHasNoCode) {
  EXPECT_EQ(code_of_reply("I cannot write this kernel, but you may define add as x + y."), "");
  EXPECT_EQ(code_of_reply(""), "");
  EXPECT_EQ(code_of_reply("from the docs: a kernel is a function"), "");
}

TEST(ReplyCode, IsBounded) {
  const std::string huge = "def f():\n" + std::string(std::size_t{3} << 20, ' ') + "\n";
  EXPECT_LE(code_of_reply("```python\n" + huge).size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace kgb::method
