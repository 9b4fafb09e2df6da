// SPDX-License-Identifier: Apache-2.0
// The machine on small programs: results, findings with their places, limits, and hostile text.
#include "vm/vm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace kgb::vm {
namespace {

constexpr std::string_view kAdd = R"(#loc = loc("add.py":1:0)
#loc1 = loc("add.py":7:4)
#loc9 = loc(callsite(#loc2 at #loc1))
#loc2 = loc("library.py":99:4)
module {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc)), %y: !tt.ptr<f32> loc("y"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %c8_i32 = arith.constant 8 : i32 loc(#loc)
    %p = tt.get_program_id x : i32 loc(#loc)
    %b = arith.muli %p, %c8_i32 : i32 loc(#loc)
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(#loc)
    %s = tt.splat %b : i32 -> tensor<8xi32> loc(#loc)
    %i = arith.addi %s, %r : tensor<8xi32> loc(#loc)
    %ns = tt.splat %n : i32 -> tensor<8xi32> loc(#loc)
    %m = arith.cmpi slt, %i, %ns : tensor<8xi32> loc(#loc)
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc)
    %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc)
    %v = tt.load %xp, %m : tensor<8x!tt.ptr<f32>> loc(#loc9)
    %w = arith.addf %v, %v : tensor<8xf32> loc(#loc)
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc)
    %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc)
    tt.store %yp, %w, %m : tensor<8x!tt.ptr<f32>> loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
)";

struct AddRun {
  std::vector<float> x, y;
  Memory memory;
  std::vector<Arg> args;
  AddRun(std::size_t size, std::int64_t n) : x(size), y(size, -1.0F) {
    std::iota(x.begin(), x.end(), 0.0F);
    memory.add({"x", reinterpret_cast<std::byte*>(x.data()), x.size() * 4, false});
    memory.add({"y", reinterpret_cast<std::byte*>(y.data()), y.size() * 4, true});
    args = {PointerArg{0, 0}, PointerArg{1, 0}, n};
  }
};

Program parsed(std::string_view text) {
  auto program = Program::parse(text);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return program.ok() ? *program : *Program::parse(kAdd);
}

// Wraps a body into a kernel over one i32 pointer.
std::string kernel(const std::string& body) {
  return "module {\n  tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {\n" + body + "    tt.return\n  }\n}\n";
}

TEST(VmRun, AddsWithMask) {
  AddRun given(20, 19);
  RunOptions how;
  how.grid = {3, 1, 1};
  for (const int threads : {1, 3}) {
    how.threads = threads;
    std::fill(given.y.begin(), given.y.end(), -1.0F);
    const RunResult result = run(parsed(kAdd), given.args, given.memory, how);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.programs, 3u);
    for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(given.y[i], 2.0F * static_cast<float>(i));
    EXPECT_EQ(given.y[19], -1.0F);
  }
}

// Large buffers are written past the caches, whose lines the rows here neither begin nor end at.
TEST(VmRun, RowsOfALargeBufferAreWrittenWholeAndAlone) {
  std::string text(kAdd);
  for (const std::string_view eight : {"constant 8 ", "end = 8 ", "<8x"})
    for (std::size_t at = text.find(eight); at != std::string::npos; at = text.find(eight, at))
      text.replace(at + eight.find('8'), 1, "1024");
  const std::int64_t n = 5000;
  AddRun given((std::size_t{16} << 20) / 4, n);
  given.args[1] = PointerArg{1, 12};
  RunOptions how;
  how.grid = {5, 1, 1};
  for (const int threads : {1, 2}) {
    how.threads = threads;
    std::fill(given.y.begin(), given.y.end(), -1.0F);
    EXPECT_TRUE(run(parsed(text), given.args, given.memory, how).findings.empty());
    for (std::size_t i = 0; i < 6000; ++i) {
      const bool written = i >= 3 && i < 3 + static_cast<std::size_t>(n);
      ASSERT_EQ(given.y[i], written ? 2.0F * static_cast<float>(i - 3) : -1.0F) << i;
    }
  }
}

TEST(VmRun, NamesTheFirstBadElementWithItsPlace) {
  AddRun given(20, 21);
  RunOptions how;
  how.grid = {3, 1, 1};
  const RunResult result = run(parsed(kAdd), given.args, given.memory, how);
  ASSERT_EQ(result.findings.size(), 1u);
  const VmFinding& finding = result.findings[0];
  EXPECT_EQ(finding.kind, "out_of_bounds");
  EXPECT_EQ(finding.region, "x");
  EXPECT_EQ(finding.index, 80);
  EXPECT_EQ(finding.program, (std::array<std::int64_t, 3>{2, 0, 0}));
  EXPECT_EQ(finding.file, "add.py");  // the outermost frame, not the library's
  EXPECT_EQ(finding.line, 7);
  EXPECT_EQ(finding.message,
            "load of 4 bytes at element 20 of 'x', which has 20 elements, in program (2, 0, 0) at add.py:7");
}

TEST(VmRun, RefusesStoresToReadOnlyBuffers) {
  AddRun given(8, 8);
  std::swap(given.args[0], given.args[1]);
  const RunResult result = run(parsed(kAdd), given.args, given.memory, {});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "read_only");
  EXPECT_EQ(result.findings[0].region, "x");
}

TEST(VmRun, EveryOrderRunsEveryProgramOnce) {
  RunOptions how;
  how.grid = {5, 1, 1};
  for (const Order order : {Order::forward, Order::reversed, Order::shuffled}) {
    AddRun given(40, 40);
    how.order = order;
    EXPECT_EQ(run(parsed(kAdd), given.args, given.memory, how).programs, 5u);
    EXPECT_EQ(given.y[39], 78.0F);
  }
}

TEST(VmRun, ArgumentsMustFit) {
  AddRun given(8, 8);
  given.args.pop_back();
  const RunResult few = run(parsed(kAdd), given.args, given.memory, {});
  ASSERT_EQ(few.findings.size(), 1u);
  EXPECT_EQ(few.findings[0].message, "add takes 3 arguments, got 2");
  given.args.emplace_back(PointerArg{0, 0});
  const RunResult wrong = run(parsed(kAdd), given.args, given.memory, {});
  ASSERT_EQ(wrong.findings.size(), 1u);
  EXPECT_EQ(wrong.findings[0].message, "argument 'n' of add does not fit its type i32");
}

TEST(VmRun, StopsEndlessLoops) {
  const std::string text = kernel(R"(    %t = arith.constant true
    scf.while : () -> () {
      scf.condition(%t)
    } do {
      scf.yield
    }
)");
  std::int32_t value = 0;
  Memory memory;
  memory.add({"p", reinterpret_cast<std::byte*>(&value), 4, true});
  const std::vector<Arg> args{PointerArg{0, 0}, std::int64_t{0}};
  RunOptions how;
  how.max_steps = 10'000;
  const RunResult steps = run(parsed(text), args, memory, how);
  ASSERT_EQ(steps.findings.size(), 1u);
  EXPECT_EQ(steps.findings[0].kind, "step_limit");
  how.max_steps = 0;
  how.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  const RunResult late = run(parsed(text), args, memory, how);
  ASSERT_EQ(late.findings.size(), 1u);
  EXPECT_EQ(late.findings[0].kind, "deadline");
}

TEST(VmRun, DivisionByZeroIsAFindingNotASignal) {
  const std::string text = kernel(R"(    %c1 = arith.constant 1 : i32
    %q = arith.divsi %c1, %n : i32
    tt.store %p, %q : !tt.ptr<i32>
)");
  std::int32_t value = 0;
  Memory memory;
  memory.add({"p", reinterpret_cast<std::byte*>(&value), 4, true});
  std::vector<Arg> args{PointerArg{0, 0}, std::int64_t{0}};
  const RunResult zero = run(parsed(text), args, memory, {});
  ASSERT_EQ(zero.findings.size(), 1u);
  EXPECT_EQ(zero.findings[0].kind, "division_by_zero");
  args[1] = std::int64_t{-1};
  EXPECT_TRUE(run(parsed(text), args, memory, {}).findings.empty());
  EXPECT_EQ(value, -1);
}

// Of a pair of NaN and 1 the left one stays where the comparison holds for NaN, too.
TEST(VmRun, RegionsLikeArgmaxCompareNanAsTheySay) {
  const std::string before = R"(    %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
    %pp = tt.addptr %ps, %r : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
    %b = tt.load %pp : tensor<2x!tt.ptr<i32>>
    %v = tt.bitcast %b : tensor<2xi32> -> tensor<2xf32>
    %0:2 = "tt.reduce"(%v, %r) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %c: f32, %j: i32):
      %l = arith.cmpf )";
  const std::string after = R"(, %a, %c : f32
      %x = arith.select %l, %a, %c : f32
      %y = arith.select %l, %i, %j : i32
      tt.reduce.return %x, %y : f32, i32
    }) : (tensor<2xf32>, tensor<2xi32>) -> (f32, i32)
    tt.store %p, %0#1 : !tt.ptr<i32>
)";
  for (const std::string how : {"ogt", "ugt", "olt", "ult"}) {
    std::vector<std::int32_t> values{0x7FC00000, 0x3F800000};
    Memory memory;
    memory.add({"p", reinterpret_cast<std::byte*>(values.data()), 8, true});
    const std::vector<Arg> args{PointerArg{0, 0}, std::int64_t{2}};
    const RunResult result = run(parsed(kernel(before + how + after)), args, memory, {});
    EXPECT_TRUE(result.findings.empty()) << how;
    EXPECT_EQ(values[0], how[0] == 'u' ? 0 : 1) << how;
  }
}

TEST(VmRun, UnknownOperationsAreFoundWhenReached) {
  const std::string text = kernel(R"(    %q = tt.frobnicate %n : i32
)");
  const Program program = parsed(text);
  ASSERT_EQ(program.unsupported().size(), 1u);
  const std::vector<Arg> args{PointerArg{}, std::int64_t{0}};
  const RunResult result = run(program, args, Memory{}, {});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "unsupported");
  EXPECT_EQ(result.findings[0].message, "unsupported by the VM: tt.frobnicate");
}

TEST(VmRun, NullAndWildPointersAreFindings) {
  const std::string text = kernel(R"(    tt.store %p, %n : !tt.ptr<i32>
)");
  for (const Arg& pointer : {Arg{PointerArg{}}, Arg{std::int64_t{0x1234567890}}}) {
    const std::vector<Arg> args{pointer, std::int64_t{0}};
    const RunResult result = run(parsed(text), args, Memory{}, {});
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_EQ(result.findings[0].kind, "out_of_bounds");
  }
}

TEST(VmParse, ErrorsNameTheLine) {
  const auto error = [](std::string_view text) { return Program::parse(text).error().message; };
  EXPECT_EQ(error(kernel("    %a = arith.addi %n, %zz : i32\n")),
            "line 3 of the TTIR: value '%zz' is not defined here, got 'zz'");
  EXPECT_EQ(error(kernel("    %a = arith.addi %n, %p : i32\n")),
            "line 3 of the TTIR: 'arith.addi': operands differ in type");
  EXPECT_EQ(error("module {\n"), "line 2 of the TTIR: the module is never closed, got the end of the text");
}

TEST(VmParse, EveryTruncationIsAnErrorNotACrash) {
  for (std::size_t i = 0; i < kAdd.size() - 20; ++i)
    EXPECT_FALSE(Program::parse(kAdd.substr(0, i)).ok() && i < 1500) << i;
}

TEST(VmParse, DeepNestingIsRefused) {
  std::string body;
  for (int i = 0; i < 5000; ++i) body += "    scf.while : () -> () {\n";
  EXPECT_FALSE(Program::parse(kernel(body)).ok());
  EXPECT_FALSE(Program::parse("module { tt.func public @k(%x: " + std::string(100'000, '<') + "\n").ok());
}

// Damaged text must end in an error or in findings.
TEST(VmParse, DamagedTextNeverCrashes) {
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  static constexpr char letters[] = "%#(){}<>0123:=,\"xi!^@- \nf";
  for (int round = 0; round < 3000; ++round) {
    std::string text(kAdd);
    for (unsigned k = 0; k < 1 + next() % 3; ++k)
      text[(next() >> 8) % text.size()] = letters[(next() >> 8) % (sizeof letters - 1)];
    const auto program = Program::parse(text);
    if (!program.ok() || program->parameters().size() != 3) continue;
    AddRun given(16, 16);
    RunOptions how;
    how.max_steps = 10'000;
    (void)run(*program, given.args, given.memory, how);
  }
}

}  // namespace
}  // namespace kgb::vm
