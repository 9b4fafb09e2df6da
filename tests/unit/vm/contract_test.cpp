// SPDX-License-Identifier: Apache-2.0
// Contraction of products and sums to fused multiply-adds: which product a sum takes in.
#include <gtest/gtest.h>

#include <string>

#include "vm/vm.hpp"

namespace kgb::vm {
namespace {

constexpr double kOne = 1 + 0x1p-12;      // its square needs a bit more than f32 has
constexpr double kRounded = 1 + 0x1p-11;  // the square, rounded

// The f32 that a body over the scalars %a (1 + 2^-12), %b (1 + 2^-12) and %c stores as %r.
float result(const std::string& body, double c, bool contraction) {
  const auto program =
      Program::parse("module {\n  tt.func public @k(%p: !tt.ptr<f32>, %a: f32, %b: f32, %c: f32) {\n" + body +
                         "    tt.store %p, %r : !tt.ptr<f32>\n    tt.return\n  }\n}\n",
                     Build::plain, contraction);
  EXPECT_TRUE(program.ok()) << program.error().message;
  float out = -1;
  Memory memory;
  memory.add({"p", reinterpret_cast<std::byte*>(&out), sizeof out, true});
  const std::vector<Arg> args{PointerArg{0, 0}, kOne, kOne, c};
  Options options;
  options.contraction = contraction;
  const RunResult ran = run(*program, args, memory, {}, options);
  EXPECT_TRUE(ran.findings.empty()) << ran.findings[0].message;
  return out;
}

TEST(VmContract, ASumTakesItsProductIn) {
  const std::string body = "    %m = arith.mulf %a, %b : f32\n    %r = arith.addf %m, %c : f32\n";
  EXPECT_EQ(result(body, -kRounded, false), 0.0F);
  EXPECT_EQ(result(body, -kRounded, true), 0x1p-24F);
}

TEST(VmContract, EitherSideOfADifference) {
  const std::string right = "    %m = arith.mulf %a, %b : f32\n    %r = arith.subf %c, %m : f32\n";
  const std::string left = "    %m = arith.mulf %a, %b : f32\n    %r = arith.subf %m, %c : f32\n";
  EXPECT_EQ(result(right, kRounded, true), -0x1p-24F);
  EXPECT_EQ(result(left, kRounded, true), 0x1p-24F);
}

TEST(VmContract, OfTwoProductsTheLeftOneIsExact) {
  // a b - a b: one product exact, the other rounded.
  const std::string body =
      "    %m = arith.mulf %a, %b : f32\n    %n = arith.mulf %b, %a : f32\n    %r = arith.subf %m, %n : "
      "f32\n";
  EXPECT_EQ(result(body, 0, true), 0x1p-24F);
}

TEST(VmContract, OfTwoProductsTheOneWithFewerUsesIsExact) {
  const std::string body =
      "    %m = arith.mulf %a, %b : f32\n    %n = arith.mulf %b, %a : f32\n    %s = arith.subf %m, %n : f32\n"
      "    %t = arith.maxnumf %m, %c : f32\n    %u = arith.minnumf %t, %c : f32\n    %r = arith.addf %s, %u "
      ": f32\n";
  EXPECT_EQ(result(body, 0, true), -0x1p-24F);
}

TEST(VmContract, AProductWithOtherUsesStays) {
  const std::string body =
      "    %m = arith.mulf %a, %b : f32\n    %s = arith.addf %m, %c : f32\n"
      "    %r = arith.maxnumf %s, %m : f32\n";
  EXPECT_EQ(result(body, -kRounded, true), static_cast<float>(kRounded));
}

TEST(VmContract, AProductOfAnotherBlockIsRounded) {
  const std::string body =
      "    %m = arith.mulf %a, %b : f32\n    %zero = arith.constant 0 : i32\n    %one = arith.constant 1 : "
      "i32\n"
      "    %r = scf.for %i = %zero to %one step %one iter_args(%t = %c) -> (f32)  : i32 {\n"
      "      %s = arith.addf %t, %m : f32\n      scf.yield %s : f32\n    }\n";
  EXPECT_EQ(result(body, -kRounded, true), 0.0F);
}

TEST(VmContract, AProgramRunsWithTheChoiceThatItWasParsedFor) {
  const auto program = Program::parse("module {\n  tt.func public @k() {\n    tt.return\n  }\n}\n");
  Options options;
  options.contraction = true;
  const RunResult ran = run(*program, {}, {}, {}, options);
  ASSERT_EQ(ran.findings.size(), 1u);
  EXPECT_NE(ran.findings[0].message.find("another choice of contraction"), std::string::npos);
}

}  // namespace
}  // namespace kgb::vm
