// SPDX-License-Identifier: Apache-2.0
// Uninitialised and freed memory, granules, 32-bit wraps, waits, divisions and program orders.
#include "sanitize_support.hpp"
#include "vm/sanitize_shadow.hpp"

namespace kgb::vm {
namespace {

using Kinds = std::vector<std::string>;

constexpr const char* kLoadNth = R"(    %at = tt.addptr %a, %n : !tt.ptr<i32>, i32
    %v = tt.load %at : !tt.ptr<i32>
    tt.store %b, %v : !tt.ptr<i32>
)";

TEST(SanitizeMemory, ReadsOfWhatNothingWrote) {
  Sanitized given(8, 1);
  given.sanitizer.allocate(given.start(given.a), 32);
  given.sanitizer.define(given.start(given.a) + 8, 4);
  EXPECT_EQ(given.kinds(kLoadNth, 2), Kinds{});
  EXPECT_EQ(given.kinds(kLoadNth, 3), Kinds{"uninitialised_read"});
  given.sanitizer.define(given.start(given.a), 32);
  EXPECT_EQ(given.kinds(kLoadNth, 3), Kinds{});
}

TEST(SanitizeMemory, AKernelsStoreDefines) {
  Sanitized given(8, 1);
  given.sanitizer.allocate(given.start(given.a), 32);
  EXPECT_EQ(given.kinds("    tt.store %a, %n : !tt.ptr<i32>\n", 1), Kinds{});
  EXPECT_EQ(given.kinds(kLoadNth, 0), Kinds{});
  EXPECT_EQ(given.kinds(kLoadNth, 1), Kinds{"uninitialised_read"});
  EXPECT_TRUE(given.sanitizer.defined(given.start(given.a), 4));
  EXPECT_FALSE(given.sanitizer.defined(given.start(given.a), 5));
}

TEST(SanitizeMemory, HalfAnElementIsNotEnough) {
  Sanitized given(8, 1);
  given.sanitizer.allocate(given.start(given.a), 32);
  given.sanitizer.define(given.start(given.a), 2);
  EXPECT_EQ(given.kinds(kLoadNth, 0), Kinds{"uninitialised_read"});
}

TEST(SanitizeMemory, FreedTensors) {
  Sanitized given(8, 1);
  given.sanitizer.allocate(given.start(given.a), 32);
  given.sanitizer.define(given.start(given.a), 32);
  given.sanitizer.release(given.start(given.a));
  EXPECT_EQ(given.kinds(kLoadNth, 0), Kinds{"use_after_free"});
  given.sanitizer.allocate(given.start(given.a), 32);  // the address again
  given.sanitizer.define(given.start(given.a), 32);
  EXPECT_EQ(given.kinds(kLoadNth, 0), Kinds{});
}

TEST(SanitizeMemory, GranulesSplitAndKeepTheirWords) {
  std::vector<std::byte> bytes(24);
  RegionShadow region;
  region.bytes = 24;
  region.fit(0, 8);
  ASSERT_EQ(region.writer.size(), 3u);
  region.writer.single(1) = 77;
  region.fit(8, 4);
  ASSERT_EQ(region.writer.size(), 6u);
  EXPECT_EQ(region.writer[2], 77u);
  EXPECT_EQ(region.writer[3], 77u);
  EXPECT_EQ(region.writer[4], kHostTag);
  region.fit(3, 8);
  EXPECT_EQ(region.writer.size(), 24u);
  EXPECT_EQ(region.writer[15], 77u);
  region.fit(0, 8);  // never coarser again
  EXPECT_EQ(region.writer.size(), 24u);
}

std::vector<std::uint32_t> words_of(const ShadowWords& words) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < words.size(); ++i) out.push_back(words[i]);
  return out;
}

// Whatever a block keeps as one word must read, change and split like an array of words.
TEST(SanitizeMemory, ShadowWordsAreAnArray) {
  constexpr std::size_t n = 500;
  ShadowWords words;
  words.assign(n, 7);
  std::vector<std::uint32_t> plain(n, 7);
  std::uint32_t state = 1;
  const auto draw = [&](std::size_t below) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::size_t>(state >> 8) % below;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::size_t first = draw(n), count = 1 + draw(n - first);
    const auto word = static_cast<std::uint32_t>(draw(3));
    const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(first),
               end = begin + static_cast<std::ptrdiff_t>(count);
    switch (draw(3)) {
      case 0:
        words.fill(first, count, word);
        std::fill(begin, end, word);
        break;
      case 1:
        words.update(first, count, [&](std::uint32_t w) { return w == word ? 2u : w; });
        std::replace(begin, end, word, 2u);
        break;
      default:
        words.single(first) = word;
        plain[first] = word;
    }
    ASSERT_EQ(words_of(words), plain) << "round " << round;
    const bool any = std::find(begin, end, word) != end;
    ASSERT_EQ(words.any(first, count, [&](std::uint32_t w) { return w == word; }), any);
    if (round % 100 != 0) continue;
    const ShadowWords halves = words.split(1, 2 * n - 1);
    for (std::size_t i = 0; i < 2 * n - 1; ++i) ASSERT_EQ(halves[i], plain[i / 2]);
  }
}

TEST(SanitizeMemory, TagsThatRunOutForgetWhoWroteButNotWhat) {
  SanitizerState state;
  std::byte memory[8];
  RegionShadow& region = state.at(memory, 8);
  region.fit(0, 4);
  region.writer.assign(2, 0);
  region.writer.single(1) = 4000;
  region.reader.assign(2, 4000);
  state.next_tag = kTagMask - 10;
  ASSERT_TRUE(state.reserve(100));
  EXPECT_EQ(words_of(region.writer), (std::vector<std::uint32_t>{0, kHostTag}));
  EXPECT_EQ(words_of(region.reader), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_FALSE(state.reserve(kTagMask));
}

// a[i * n] for i of 0..3 where i < 2.
constexpr const char* kScaled = R"(    %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %ns = tt.splat %n : i32 -> tensor<4xi32>
    %two = arith.constant dense<2> : tensor<4xi32>
    %at = arith.muli %i, %ns : tensor<4xi32> loc("k.py":3:4)
    %as = tt.splat %a : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %ap = tt.addptr %as, %at : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
)";

TEST(SanitizeMemory, WrapsAreBlamedInLanesThatAreUsed) {
  const std::string masked = std::string(kScaled) +
                             "    %m = arith.cmpi slt, %i, %two : tensor<4xi32>\n"
                             "    %v = tt.load %ap, %m : tensor<4x!tt.ptr<i32>>\n";
  const std::string all = std::string(kScaled) + "    %v = tt.load %ap : tensor<4x!tt.ptr<i32>>\n";
  Sanitized given(8, 1);
  EXPECT_EQ(given.kinds(masked, 1), Kinds{});
  // 2 * 2^30 wraps in lane 2 alone, and lane 1 leaves the buffer.
  const auto findings = given.run(all, 1 << 30);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "offset_overflow");
  EXPECT_EQ(findings[0].line, 3);
  EXPECT_EQ(given.kinds(masked, 1 << 30), Kinds{"out_of_bounds"});
}

TEST(SanitizeMemory, ScalarDivisionByZero) {
  const std::string divides = "    %q = arith.divsi %n, %n : i32\n    tt.store %b, %q : !tt.ptr<i32>\n";
  EXPECT_EQ(Sanitized(8, 1).kinds(divides, 3), Kinds{});
  EXPECT_EQ(Sanitized(8, 1).kinds(divides, 0), Kinds{"division_by_zero"});
}

std::string waiting(const std::string& passing) {
  return R"(    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = arith.constant true
    %p = tt.get_program_id x : i32
    %mine = arith.cmpi eq, %p, %n : i32
    scf.if %mine {
      %u = tt.atomic_rmw )" +
         passing + R"(, release, gpu, %b, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32
    } else {
      scf.while : () -> () {
        %old = tt.atomic_cas acquire, gpu, %b, %c1, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
        %shut = arith.cmpi eq, %old, %c0 : i32
        scf.condition(%shut)
      } do {
        scf.yield
      }
    }
)";
}

TEST(SanitizeMemory, WaitsForLaterProgramsEnd) {
  for (const std::int64_t last : {0, 3}) {
    Sanitized given(8);
    EXPECT_EQ(given.kinds(waiting("exch"), last), Kinds{});
    EXPECT_EQ(given.b[0], 1);
  }
}

TEST(SanitizeMemory, WaitsThatCannotEndAreReported) {
  Sanitized given(8);
  const auto findings = given.run(waiting("and"), 3);  // leaves 0
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "endless_wait");
  EXPECT_EQ(findings[0].region, "b");
}

TEST(SanitizeMemory, ALoopThatCarriesNothingNewIsEndless) {
  const std::string body =
      "    %t = arith.constant true\n    scf.while : () -> () {\n      scf.condition(%t)\n    } do {\n      "
      "scf.yield\n"
      "    }\n";
  EXPECT_EQ(Sanitized(8).kinds(body), Kinds{"endless_wait"});
}

TEST(SanitizeMemory, RunsNeedAProgramThatWasBuiltForThem) {
  Sanitized given(8);
  const auto plain = Program::parse(two_buffers(""));
  ASSERT_TRUE(plain.ok());
  const std::vector<Arg> args{PointerArg{0, 0}, PointerArg{1, 0}, std::int64_t{0}};
  const auto findings = run(*plain, args, given.memory, given.how).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "malformed");
}

// a[n] through the pointer to the left half of `a`, with the right half as its neighbour.
struct Halves : Sanitized {
  Halves() : Sanitized(8, 1) {
    const std::vector<std::int64_t> four{4}, one{1};
    memory.add_part(
        {0, "'left' of k", ByteView(0, 4, four, one), {{"'right' of k", ByteView(16, 4, four, one)}}});
  }
  std::vector<VmFinding> nth(const char* body, std::int64_t n) {
    const auto program = Program::parse(two_buffers(body), Build::checked);
    const std::vector<Arg> args{PointerArg{2, 0}, PointerArg{1, 0}, n};
    return run_sanitized(*program, args, memory, how, {}, checks).findings;
  }
};

TEST(SanitizeParts, AnAccessThatLeavesItsTensorForANeighbourIsOutOfBounds) {
  Halves given;
  EXPECT_TRUE(given.nth(kLoadNth, 3).empty());
  const auto found = given.nth(kLoadNth, 4);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "out_of_bounds");
  EXPECT_EQ(found[0].index, 16);
  EXPECT_NE(found[0].message.find("outside of the tensor 'left' of k and inside of 'right' of k"),
            std::string::npos)
      << found[0].message;
}

TEST(SanitizeParts, StoresAndAtomicsToo) {
  Halves given;
  const char* store = R"(    %at = tt.addptr %a, %n : !tt.ptr<i32>, i32
    tt.store %at, %n : !tt.ptr<i32>
)";
  const char* atomic = R"(    %at = tt.addptr %a, %n : !tt.ptr<i32>, i32
    %t = arith.constant true
    %old = tt.atomic_rmw add, acq_rel, gpu, %at, %n, %t : (!tt.ptr<i32>, i32, i1) -> i32
)";
  for (const char* body : {store, atomic}) {
    EXPECT_TRUE(given.nth(body, 3).empty());
    EXPECT_EQ(given.nth(body, 5).size(), 1u);
  }
}

TEST(SanitizeParts, WhatIsNobodysTensorIsNotBlamed) {
  Sanitized given(8, 1);
  const std::vector<std::int64_t> two{2}, one{1};
  given.memory.add_part(
      {0, "'left' of k", ByteView(0, 4, two, one), {{"'right' of k", ByteView(24, 4, two, one)}}});
  const auto program = Program::parse(two_buffers(kLoadNth), Build::checked);
  for (const auto& [n, findings] : {std::pair<std::int64_t, std::size_t>{3, 0}, {6, 1}}) {
    const std::vector<Arg> args{PointerArg{2, 0}, PointerArg{1, 0}, n};
    EXPECT_EQ(run_sanitized(*program, args, given.memory, given.how, {}, given.checks).findings.size(),
              findings);
  }
}

}  // namespace
}  // namespace kgb::vm
