// SPDX-License-Identifier: Apache-2.0
// Counted runs on TTIR text: what the front end makes rarely or never, and what must not be counted at all.
// Kernels of the front end are in tests/python/vm/test_counters.py.
#include "vm/count.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace kgb::vm {
namespace {

// A kernel over pointers %a, %b of floats and a number %n, whose lines end as at "k.py":1.
std::string kernel(const std::string& body) {
  return "#loc = loc(\"k.py\":1:0)\nmodule {\n  tt.func public @k(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: "
         "i32) {\n" +
         body + "  }\n}\n";
}

struct Counted {
  std::vector<float> memory = std::vector<float>(256);
  Memory regions;
  Counter counter;
  RunOptions how;

  // Two buffers of 64 elements with a gap between them, or none.
  explicit Counted(bool gap = true) {
    std::iota(memory.begin(), memory.end(), 0.0F);
    regions.add({"a", reinterpret_cast<std::byte*>(memory.data()), 256, true});
    regions.add({"b", reinterpret_cast<std::byte*>(memory.data() + (gap ? 128 : 64)), 256, true});
    how.counter = &counter;
  }
  RunResult run(const Program& program, std::int64_t n = 0) {
    const std::vector<Arg> args{PointerArg{0, 0}, PointerArg{1, 0}, n};
    return vm::run(program, args, regions, how);
  }
  LaunchCounters count(const std::string& text, std::int64_t n = 0) {
    const auto program = Program::parse(text, Build::counted);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
    if (!program.ok()) return {};
    const RunResult result = run(*program, n);
    EXPECT_TRUE(result.findings.empty()) << result.findings[0].message;
    return counter.take(*program, regions);
  }
};

std::uint64_t work(const LaunchCounters& counters, WorkKind kind, const std::string& type) {
  for (const Work& one : counters.work)
    if (one.kind == kind && one.type == type) return one.count;
  return 0;
}

const std::string kCopy = R"(
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %ap = tt.addptr %as, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %bp = tt.addptr %bs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %ap : tensor<64x!tt.ptr<f32>>
    tt.store %bp, %v : tensor<64x!tt.ptr<f32>>
    tt.return
)";

TEST(Count, WhatDoesNotDependOnTheInstanceCountsForEach) {
  Counted run;
  run.how.grid = {5, 1, 1};
  const LaunchCounters c = run.count(kernel(kCopy));
  EXPECT_EQ(c.programs, 5u);
  EXPECT_EQ(work(c, WorkKind::integer, "i64"), 5u * 2 * 64);
  EXPECT_EQ(c.arguments[0].read, (Traffic{10, 320, 1280, 40}));
  EXPECT_EQ(c.arguments[0].unique_read, 256u);
}

TEST(Count, ALaunchBeginsAnewAndTheCallRemembersItsBytes) {
  Counted run;
  const auto program = Program::parse(kernel(kCopy), Build::counted).value();
  run.run(program);
  const LaunchCounters first = run.counter.take(program, run.regions);
  run.run(program);
  EXPECT_EQ(run.counter.take(program, run.regions), first);
  EXPECT_EQ(run.counter.unique(0).read, 256u);
  EXPECT_EQ(run.counter.unique(0).written, 0u);
  EXPECT_EQ(run.counter.unique(1).written, 256u);
}

TEST(Count, ALoopOfBranchesIsNoLoopButWhatItComputesCounts) {
  Counted run;
  const LaunchCounters c = run.count(kernel(R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = arith.constant 1.5 : f32
    cf.br ^head(%zero, %x : i32, f32)
  ^head(%i: i32, %s: f32):
    %more = arith.cmpi slt, %i, %n : i32
    cf.cond_br %more, ^body, ^end
  ^body:
    %t = arith.mulf %s, %x : f32
    %j = arith.addi %i, %one : i32
    cf.br ^head(%j, %t : i32, f32)
  ^end:
    tt.store %b, %s : !tt.ptr<f32>
    tt.return
)"),
                                     9);
  EXPECT_TRUE(c.loops.empty());
  EXPECT_EQ(work(c, WorkKind::mul, "f32"), 9u);
  EXPECT_EQ(work(c, WorkKind::integer, "i32"), 10u + 9);
}

TEST(Count, RowsThatGoOnInTheNextBufferCountForEachBuffer) {
  Counted run(false);  // `b` follows `a` without a gap
  // From an address made of an integer: 32 elements, half of them in each buffer.
  const LaunchCounters c = run.count(kernel(R"(
    %address = tt.ptr_to_int %a : !tt.ptr<f32> -> i64
    %bytes = arith.constant 192 : i64
    %from = arith.addi %address, %bytes : i64
    %p = tt.int_to_ptr %from : i64 -> !tt.ptr<f32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
    tt.return
)"));
  ASSERT_EQ(c.arguments.size(), 2u);
  for (const ArgumentTraffic& argument : c.arguments) {
    EXPECT_EQ(argument.read, (Traffic{1, 16, 64, 2})) << argument.argument;
    EXPECT_EQ(argument.unique_read, 64u);
  }
}

TEST(Count, ACompareAndSwapIsAnAtomic) {
  Counted run;
  const LaunchCounters c = run.count(kernel(R"(
    %zero = arith.constant 0.0 : f32
    %old = tt.atomic_cas acq_rel, gpu, %a, %zero, %zero : (!tt.ptr<f32>, f32, f32) -> f32
    tt.return
)"));
  EXPECT_EQ(c.arguments.at(0).atomic, (Traffic{1, 1, 4, 1}));
  EXPECT_EQ(c.accesses.at(0).verb, "atomic");
}

TEST(Count, RowsOfADescriptorCountWhatLiesInside) {
  Counted run;
  // A tensor of 6 rows of 8; rows 5, 6 (outside), 0 and 5 again, 8 columns from the third on: 6 of them
  // inside.
  const LaunchCounters c = run.count(kernel(R"(
    %rows = arith.constant 6 : i32
    %columns = arith.constant 8 : i32
    %stride = arith.constant 8 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i32
    %five = arith.constant dense<5> : tensor<4xi32>
    %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %s = arith.addi %five, %i : tensor<4xi32>
    %d = tt.make_tensor_descriptor %a, [%rows, %columns], [%stride, %one] : <f32>, <tensor<1x8xf32>>
    %v = tt.descriptor_gather %d[%s, %two] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<4xi32>, i32) -> tensor<4x8xf32>
    tt.return
)"));
  // Row 5 alone is inside: six lanes from its third element, in one sector.
  EXPECT_EQ(c.arguments.at(0).read, (Traffic{1, 6, 24, 1}));
  EXPECT_EQ(c.arguments.at(0).unique_read, 24u);
}

TEST(Count, AProgramMustBeParsedForCountingAndThenCounted) {
  Counted run;
  const auto plain = Program::parse(kernel(kCopy)).value();
  EXPECT_EQ(run.run(plain).findings.at(0).message, "k needs both or neither of a counter and Build::counted");
  run.how.counter = nullptr;
  const auto counted = Program::parse(kernel(kCopy), Build::counted).value();
  EXPECT_EQ(run.run(counted).findings.at(0).kind, "malformed");
}

TEST(Count, WhatCannotBeExecutedIsAFindingAsEver) {
  Counted run;
  const auto program = Program::parse(kernel(R"(
    %x = "tt.strange"(%n) : (i32) -> f32
    tt.return
)"),
                                      Build::counted);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(run.run(*program).findings.at(0).kind, "unsupported");
  EXPECT_TRUE(run.counter.take(*program, run.regions).work.empty());
}

TEST(Count, ALimitIsReportedAtTheLineWhereItWasMet) {
  Counted run;
  run.how.max_steps = 2000;
  const auto program = Program::parse(kernel(R"(
    %zero = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %end = arith.constant 1000000 : i32
    scf.for %i = %zero to %end step %step : i32 {
      %v = tt.load %a : !tt.ptr<f32> loc(#loc)
      tt.store %b, %v : !tt.ptr<f32> loc(#loc)
    } loc(#loc)
    tt.return
)"),
                                      Build::counted)
                           .value();
  const RunResult result = run.run(program);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "step_limit");
  EXPECT_EQ(result.findings[0].line, 1);
}

}  // namespace
}  // namespace kgb::vm
