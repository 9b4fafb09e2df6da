// SPDX-License-Identifier: Apache-2.0
// Parameters and clocks in PTX, figures and complaints in the compiler's words.
#include "compiler/ptx.hpp"

#include <gtest/gtest.h>

#include "compiler/cuda_compiler.hpp"

namespace kgb {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr const char* kPtx = R"(
.version 9.0
/* .entry fake( .param .u64 a ) */
.visible .entry _Z3addIfEvPKT_(
	.param .u64 .ptr .align 1 _Z3addIfEvPKT__param_0,
	.param .f64 _Z3addIfEvPKT__param_1,
	.param .align 8 .b8 _Z3addIfEvPKT__param_2[64], // a struct
	.param .b32 _Z3addIfEvPKT__param_3
)
.maxntid 256
{ mov.u64 %rd1, %clock64; ret; }
.visible .entry none() { ret; }
)";

TEST(Ptx, TellsTheBytesOfEachParameter) {
  EXPECT_EQ(parameters_in_ptx(kPtx, "_Z3addIfEvPKT_"), (Sizes{8, 8, 64, 4}));
  EXPECT_EQ(parameters_in_ptx(kPtx, "none"), Sizes{});
}

TEST(Ptx, KnowsNoKernelThatIsNotThere) {
  EXPECT_FALSE(parameters_in_ptx(kPtx, "fake").has_value()) << "it stands in a comment";
  EXPECT_FALSE(parameters_in_ptx(kPtx, "_Z3add").has_value());
  EXPECT_FALSE(parameters_in_ptx(".entry odd(.param .texref t)", "odd").has_value());
  EXPECT_FALSE(parameters_in_ptx(".entry odd(.reg .u32 t)", "odd").has_value());
}

TEST(Ptx, FindsClocksInCodeAlone) {
  EXPECT_EQ(clocks_in_ptx(kPtx), std::vector<std::string>{"%clock64"});
  EXPECT_EQ(clocks_in_ptx("mov.u64 %rd1,%globaltimer;mov.u32 %r1, %clock;"),
            (std::vector<std::string>{"%globaltimer", "%clock"}));
  EXPECT_TRUE(clocks_in_ptx("// %clock64\n/* %clock */ mov.u32 %clocks, %r1; .string \"%clock\"").empty());
}

TEST(AssemblerLog, GivesTheFiguresOfOneKernel) {
  const std::string log =
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
      "ptxas info    : Used 99 registers, used 0 barriers, 64 bytes smem\n"
      "ptxas info    : Compiling entry function 'mine' for 'sm_90a'\n"
      "ptxas info    : Function properties for mine\n"
      "ptxas         .     64 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 31 registers, used 1 barriers, 4096 bytes smem\n";
  const AssemblerFigures figures = figures_in_log(log, "mine");
  EXPECT_EQ(figures.registers, 31);
  EXPECT_EQ(figures.shared_bytes, 4096);
  EXPECT_EQ(figures.spills, 12);
  EXPECT_EQ(figures_in_log(log, "none").registers, 0);
}

TEST(CudaComplaint, NamesTheLineOfTheCandidate) {
  const CudaComplaint plain =
      complaint_in_log("candidate.cu(12): error: identifier \"y\" is undefined\n   y\n   ^\n");
  EXPECT_EQ(plain.line, 12);
  EXPECT_EQ(plain.message, "identifier \"y\" is undefined");
}

TEST(CudaComplaint, FindsTheLineThatLedIntoAHeader) {
  const CudaComplaint deep = complaint_in_log(
      "/opt/include/cuda_fp16.hpp(7): error: no operator \"+\" matches\n"
      "          detected during instantiation of \"void f(T *) [with T=S]\" at line 31 of candidate.cu\n");
  EXPECT_EQ(deep.line, 31);
  EXPECT_EQ(deep.message, "no operator \"+\" matches");
}

TEST(CudaComplaint, MakesDoWithWhatThereIs) {
  EXPECT_EQ(complaint_in_log("").message, "the compiler gave no reason");
  EXPECT_EQ(complaint_in_log("out of luck\nreally").message, "out of luck");
}

}  // namespace
}  // namespace kgb
