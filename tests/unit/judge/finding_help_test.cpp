// SPDX-License-Identifier: Apache-2.0
// The explanations of findings are those of the documentation, one for each kind.
#include "judge/finding_help.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/verdict.hpp"

namespace kgb {
namespace {

TEST(FindingHelp, ExplainsEveryKindInTheOrderOfTheTable) {
  int rank = 0;
  for (const FindingHelp& help : finding_helps()) {
    EXPECT_EQ(finding_rank(help.kind), rank++) << help.kind;
    EXPECT_FALSE(help.seen.empty()) << help.kind;
    EXPECT_FALSE(help.cure.empty()) << help.kind;
  }
  EXPECT_EQ(deciding_finding({}), nullptr);
  EXPECT_EQ(finding_rank("not_in_library") + 1, rank);
}

TEST(FindingHelp, SaysWhatTheDocumentationSays) {
  const Result<std::string> page = read_text_file(KGB_SOURCE_DIR "/docs/contracts/findings.md");
  ASSERT_TRUE(page.ok());
  std::size_t rows = 0;
  for (const std::string& line : split_lines(*page)) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 5 || !cells[1].starts_with(" `")) continue;
    const std::string kind = replace_all(std::string(trim(cells[1])), "`", "");
    const FindingHelp* help = finding_help(kind);
    ASSERT_NE(help, nullptr) << kind;
    EXPECT_EQ(help->seen, trim(cells[3])) << kind;
    ++rows;
  }
  EXPECT_EQ(rows, finding_helps().size());
}

TEST(FindingHelp, KnowsNoOtherKind) {
  EXPECT_EQ(finding_help("value_mismatc"), nullptr);
}

}  // namespace
}  // namespace kgb
