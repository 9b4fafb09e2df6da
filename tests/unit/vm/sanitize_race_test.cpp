// SPDX-License-Identifier: Apache-2.0
// Races between program instances: who is blamed, what orders them, and what is no race.
#include "sanitize_support.hpp"

namespace kgb::vm {
namespace {

using Kinds = std::vector<std::string>;

// Each program stores its number to a[0].
constexpr const char* kStoreOne = R"(    %p = tt.get_program_id x : i32
    tt.store %a, %p : !tt.ptr<i32> loc("k.py":7:4)
)";

TEST(SanitizeRace, NamesBothProgramsAndThePlace) {
  Sanitized given(8);
  const auto findings = given.run(kStoreOne);
  ASSERT_EQ(findings.size(), 1u);
  const VmFinding& race = findings[0];
  EXPECT_EQ(race.kind, "race");
  EXPECT_EQ(race.message,
            "store of 4 bytes at element 0 of 'a', which program (0, 0, 0) stores to in the same launch, in "
            "program (1, 0, 0) at k.py:7");
  EXPECT_EQ(race.region, "a");
  EXPECT_EQ(race.index, 0);
  EXPECT_EQ(race.program, (std::array<std::int64_t, 3>{1, 0, 0}));
  EXPECT_EQ(race.line, 7);
  ASSERT_EQ(race.notes, (std::vector<std::string>{"written at k.py:7"}));
  ASSERT_EQ(race.picture.size(), 3u);
  EXPECT_EQ(race.picture[0], "'a': 32 bytes, 8 elements of 4");
  EXPECT_NE(race.picture[1].find("[0]"), std::string::npos);
  EXPECT_NE(race.picture[2].find("W p0"), std::string::npos);
}

TEST(SanitizeRace, OneProgramAndTwoLaunchesAreNoRace) {
  Sanitized one(8, 1);
  EXPECT_EQ(one.kinds(kStoreOne), Kinds{});
  EXPECT_EQ(one.kinds(kStoreOne), Kinds{});  // the launch before is over
}

TEST(SanitizeRace, StoringTheSameBytesIsNoRace) {
  Sanitized given(8);
  EXPECT_EQ(given.kinds("    tt.store %a, %n : !tt.ptr<i32>\n", 5), Kinds{});
  EXPECT_EQ(given.a[0], 5);
}

TEST(SanitizeRace, AtomicsRaceWithPlainAccessesOnly) {
  const std::string add =
      "    %t = arith.constant true\n    %old = tt.atomic_rmw add, acq_rel, gpu, %a, %n, %t : "
      "(!tt.ptr<i32>, i32, i1) -> i32\n";
  EXPECT_EQ(Sanitized(8).kinds(add, 1), Kinds{});
  EXPECT_EQ(Sanitized(8).kinds(add + "    %v = tt.load %a : !tt.ptr<i32>\n", 1), Kinds{"race"});
}

// Reads b[p], writes b[p + 1]: the next program reads what this one wrote.
constexpr const char* kShift = R"(    %p = tt.get_program_id x : i32
    %c1 = arith.constant 1 : i32
    %from = tt.addptr %b, %p : !tt.ptr<i32>, i32
    %q = arith.addi %p, %c1 : i32
    %to = tt.addptr %b, %q : !tt.ptr<i32>, i32
    %v = tt.load %from : !tt.ptr<i32>
    %w = arith.addi %v, %c1 : i32
    tt.store %to, %w : !tt.ptr<i32>
)";

TEST(SanitizeRace, ReadersAreRememberedInEveryOrder) {
  for (const Order order : {Order::forward, Order::reversed, Order::shuffled}) {
    Sanitized given(8);
    given.how.order = order;
    const auto found = given.kinds(kShift);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0], "race");
  }
}

std::string locked(const std::string& take, const std::string& give) {
  return R"(    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = arith.constant true
    %p = tt.get_program_id x : i32
    scf.while : () -> () {
      %old = tt.atomic_cas )" +
         take + R"(, gpu, %a, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
      %held = arith.cmpi eq, %old, %c1 : i32
      scf.condition(%held)
    } do {
      scf.yield
    }
    %v = tt.load %b : !tt.ptr<i32>
    %w = arith.addi %v, %p : i32
    tt.store %b, %w : !tt.ptr<i32>
    %u = tt.atomic_rmw exch, )" +
         give + R"(, gpu, %a, %c0, %t : (!tt.ptr<i32>, i32, i1) -> i32
)";
}

TEST(SanitizeRace, ALockOrdersWhatItGuards) {
  Sanitized given(8);
  given.a[0] = 0;
  EXPECT_EQ(given.kinds(locked("acquire", "release")), Kinds{});
  EXPECT_EQ(given.b[0], 0 + 1 + 2 + 3);
}

TEST(SanitizeRace, ARelaxedLockOrdersNothing) {
  EXPECT_EQ(Sanitized(8).kinds(locked("relaxed", "release")), Kinds{"race"});
  EXPECT_EQ(Sanitized(8).kinds(locked("acquire", "relaxed")), Kinds{"race"});
  EXPECT_EQ(Sanitized(8).kinds(locked("release", "acquire")), Kinds{"race"});
}

TEST(SanitizeRace, TurnedOffNothingIsCompared) {
  Sanitized given(8, 4, Checks{false, false, false, false});
  given.checks.orders = false;
  EXPECT_EQ(given.kinds(kStoreOne), Kinds{});
  given.checks.orders = true;
  EXPECT_EQ(given.kinds(kStoreOne), Kinds{"order_dependence"});
}

TEST(SanitizeRace, ManyLaunchesWrapTheTags) {
  Sanitized given(8, 4);
  given.checks.orders = false;
  given.how.grid = {1 << 20, 1, 1};
  given.how.max_steps = 0;
  const std::string nothing = "    %p = tt.get_program_id x : i32\n";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(given.kinds(nothing), Kinds{});
  given.how.grid = {4, 1, 1};
  EXPECT_EQ(given.kinds(kStoreOne), Kinds{"race"});
}

}  // namespace
}  // namespace kgb::vm
