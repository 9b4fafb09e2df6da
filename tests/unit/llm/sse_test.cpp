// SPDX-License-Identifier: Apache-2.0
// Specification of the splitter of server-sent events.
#include "llm/sse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kgb::llm {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events split(const std::vector<std::string>& pieces, bool* overflow = nullptr, std::size_t limit = 1 << 20) {
  Events events;
  SseSplitter splitter(limit);
  const auto got = [&](const SseEvent& event) { events.emplace_back(event.name, event.data); };
  for (const std::string& piece : pieces) splitter.feed(piece, got);
  splitter.finish(got);
  if (overflow != nullptr) *overflow = splitter.overflow();
  return events;
}

TEST(Sse, AnEventIsItsDataUpToAnEmptyLine) {
  EXPECT_EQ(split({"data: a\n\ndata: b\n\n"}), (Events{{"", "a"}, {"", "b"}}));
  EXPECT_EQ(split({"event: x\ndata: a\n\ndata: b\n\n"}), (Events{{"x", "a"}, {"", "b"}}));
}

TEST(Sse, DataLinesAreJoinedAndOneSpaceIsTakenOff) {
  EXPECT_EQ(split({"data:a\ndata:  b\ndata\n\n"}), (Events{{"", "a\n b\n"}}));
}

TEST(Sse, CommentsOtherFieldsAndEventsWithoutDataAreNothing) {
  EXPECT_EQ(split({": ping\n\nid: 7\nretry: 10\n\nevent: x\n\ndata: a\n\n"}), (Events{{"", "a"}}));
}

TEST(Sse, AllThreeLineEndsCountWhereverTheStreamIsCut) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string stream =
        "\xef\xbb\xbf"
        "event: e" +
        end + "data: one" + end + end + ": c" + end + "data: two" + end + end;
    for (std::size_t cut = 0; cut <= stream.size(); ++cut)
      EXPECT_EQ(split({stream.substr(0, cut), stream.substr(cut)}), (Events{{"e", "one"}, {"", "two"}}))
          << cut;
  }
}

TEST(Sse, TheLastEventMayLackItsEmptyLineButNotItsEnd) {
  EXPECT_EQ(split({"data: [DONE]\n"}), (Events{{"", "[DONE]"}}));
  EXPECT_EQ(split({"data: {\"cut\": "}), Events{});
}

TEST(Sse, AnEventThatGrowsPastTheLimitEndsTheReading) {
  bool overflow = false;
  EXPECT_EQ(split({"data: ok\n\n", "data: " + std::string(100, 'x'), "\n\ndata: later\n\n"}, &overflow, 50),
            (Events{{"", "ok"}}));
  EXPECT_TRUE(overflow);
  std::vector<std::string> lines(40, "data: ab\n");
  split(lines, &overflow, 50);
  EXPECT_TRUE(overflow) << "many short lines of one event";
}

}  // namespace
}  // namespace kgb::llm
