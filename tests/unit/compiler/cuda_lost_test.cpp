// SPDX-License-Identifier: Apache-2.0
// Whose fault it is when the process of NVRTC ends without an answer.
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "compiler/cuda_compiler.hpp"

namespace kgb {
namespace {

Result<CudaBuild> build_by(const std::string& script) {
  const TempDir cache = TempDir::make("kgb-cuda").value();
  sandbox::Command worker;
  worker.argv = {"/bin/sh", "-c", script};
  CudaCompiler compiler(std::move(worker), 1, cache.path(), "none", Millis(10'000));
  Kernel kernel;
  kernel.name = "k";
  kernel.cuda = "__global__ void k() {}";
  return compiler.build(kernel, "sm_90");
}

TEST(CudaCompiler, AProgramThatDoesNotStartIsTheHostsFault) {
  const auto built = build_by("echo 'libnone.so.7: cannot open shared object file' >&2; exit 127");
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().fault, Fault::host);
  EXPECT_EQ(built.error().message,
            "the process of NVRTC does not start: libnone.so.7: cannot open shared object file");
}

TEST(CudaCompiler, ASourceThatTakesTheCompilerDownIsTheCandidates) {
  const auto built = build_by("kill -SEGV $$");
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built->kind, "cuda_compile_error");
  EXPECT_NE(built->message.find("signal 11"), std::string::npos) << built->message;
}

}  // namespace
}  // namespace kgb
