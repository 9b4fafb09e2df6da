// SPDX-License-Identifier: Apache-2.0
// Trials whose calls are made by the vendor's library, on the stand-ins of the driver and of cuBLAS. The
// file's name puts them before those of device_test.cpp, the last of which takes the stand-in's context.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "executor/trial.hpp"
#include "model/element.hpp"
#include "model/generate.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

class CallsByVendor : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("KGBENCH_CUDA_LIBRARY", KGB_STANDIN, 1);
    ::setenv("KGBENCH_CUBLAS_LIBRARY", KGB_STANDIN, 1);
    auto opened = device::open_runtime("cuda", 0);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime = opened->release();
  }

  TrialResult trial(const Call& call, const std::string& vendor, TimeSeries series = {}, int calls = 2) {
    const std::vector<Call> all(static_cast<std::size_t>(calls), call);
    const std::vector<KernelImage> images;
    TrialOptions options;
    options.seed = kSeed;
    options.device = &state;
    options.images = &images;
    options.vendor = vendor;
    options.series = std::move(series);
    options.track_writes = false;
    Workshop workshop;
    auto result = run_trial(recording_of_inputs(all), all, options, workshop);
    if (result.ok()) return *std::move(result);
    ADD_FAILURE() << result.error().message;
    return {};
  }

  static std::vector<double> filled(const TensorSpec& spec, const std::string& path, int call) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(spec.storage_bytes()));
    generate(spec, path, kSeed, 0, call, bytes);
    return decoded(spec.dtype, bytes);
  }
  static std::vector<double> decoded(DType dtype, std::span<const std::byte> bytes) {
    std::vector<double> values(bytes.size() / size_of(component_of(dtype)));
    decode_reals(dtype, bytes.data(), values);
    return values;
  }

  static constexpr std::uint64_t kSeed = 0x5eed;
  static inline device::Runtime* runtime = nullptr;
  DeviceState state{*runtime};
};

Call sscal(std::int64_t incx = 2) {
  Call call{"cublas::Sscal", "sscal", "s0", {}};
  call.args.push_back({"n", std::int64_t{5}});
  call.args.push_back({"alpha", -0.5});
  call.args.push_back({"x", plans::spec(DType::f32, {10}, true)});
  call.args.push_back({"incx", incx});
  return call;
}

TEST_F(CallsByVendor, GiveTheirOutputsForEveryCall) {
  const TrialResult result = trial(sscal(), "cublasSscal_v2");
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(result.library, "cuBLAS 13.7");
  ASSERT_EQ(result.outputs.size(), 2u);
  for (int c = 0; c < 2; ++c) {
    const TrialOutput& output = result.outputs[static_cast<std::size_t>(c)];
    EXPECT_EQ(output.path, "x");
    std::vector<double> x = filled(plans::spec(DType::f32, {10}), "x", c);
    for (std::size_t i = 0; i < 10; i += 2) x[i] *= -0.5;
    EXPECT_EQ(decoded(DType::f32, result.bytes_of(output)), x);
  }
}

TEST_F(CallsByVendor, AreTimedAsAGraphOnMemoryThatIsPutBack) {
  std::size_t taken = 0;
  const TimeSeries series = [&](const Replays& replays) -> Status {
    KGB_TRY(const std::vector<double> ns, replays.sample(5));
    taken = ns.size();
    return ok_status();
  };
  const TrialResult result = trial(sscal(1), "cublasSscal_v2", series);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(taken, 5u);
  std::vector<double> x = filled(plans::spec(DType::f32, {10}), "x", 1);
  for (std::size_t i = 0; i < 5; ++i) x[i] *= -0.5;  // once, not seven times
  EXPECT_EQ(decoded(DType::f32, result.bytes_of(result.outputs[1])), x);
}

TEST_F(CallsByVendor, ReachTensorsThroughArraysOfAddressesAndBeyondAnOffset) {
  Call call{"cublas::HgemmBatched", "hgemm_batched", "s0", {}};
  const auto add = [&](const char* name, ArgValue value) { call.args.push_back({name, std::move(value)}); };
  TensorSpec moved = plans::spec(DType::f16, {4});
  moved.storage = 7;
  moved.offset = 3;
  TensorSpec written = moved;
  written.mutated = true;
  for (const char* name : {"transa", "transb"}) add(name, std::string("N"));
  for (const char* name : {"m", "n", "k"}) add(name, std::int64_t{2});
  add("alpha", 1.0);
  add("A", PointerArray{{moved, moved}});
  add("lda", std::int64_t{2});
  add("B", PointerArray{{moved, moved}});
  add("ldb", std::int64_t{2});
  add("beta", 0.0);
  add("C", PointerArray{{written, written}});
  add("ldc", std::int64_t{2});
  add("batch", std::int64_t{2});
  const TrialResult result = trial(call, "cublasHgemmBatched", {}, 1);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  ASSERT_EQ(result.outputs.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result.outputs[i].path, "C[" + std::to_string(i) + "]");
    const std::vector<double> a = filled(moved, "A[" + std::to_string(i) + "]", 0),
                              b = filled(moved, "B[" + std::to_string(i) + "]", 0),
                              c = decoded(DType::f16, result.bytes_of(result.outputs[i]));
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t column = 0; column < 2; ++column) {
        const double right = a[3 + row] * b[3 + 2 * column] + a[5 + row] * b[4 + 2 * column];
        EXPECT_NEAR(c[row + 2 * column], right, 1e-2);
      }
  }
}

TEST_F(CallsByVendor, WhatCannotBeCalledSaysWhy) {
  TrialResult result = trial(sscal(), "cublasSswap_v2");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "untimed");
  EXPECT_NE(result.findings[0].message.find("does not know 'cublasSswap_v2'"), std::string::npos);

  Call call = sscal();
  call.args[2].value = plans::spec(DType::f32, {10});
  result = trial(call, "cublasSscal_v2");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].message.find("x is written"), std::string::npos);

  // In the table, but not in this library.
  call = {"cublas::Dasum", "dasum", "s0", {}};
  call.args.push_back({"n", std::int64_t{3}});
  call.args.push_back({"x", plans::spec(DType::f64, {3})});
  call.args.push_back({"incx", std::int64_t{1}});
  call.args.push_back({"result", plans::spec(DType::f64, {1}, true)});
  result = trial(call, "cublasDasum_v2");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].message.find("cuBLAS 13.7 has no cublasDasum_v2"), std::string::npos);
}

TEST_F(CallsByVendor, AStatusIsNoResult) {
  Call call{"cublas::Sgemm", "sgemm", "s0", {}};
  const auto add = [&](const char* name, ArgValue value) { call.args.push_back({name, std::move(value)}); };
  for (const char* name : {"transa", "transb"}) add(name, std::string("N"));
  for (const char* name : {"m", "n", "k"}) add(name, std::int64_t{2});
  add("alpha", 1.0);
  add("A", plans::spec(DType::f32, {4}));
  add("lda", std::int64_t{1});  // smaller than m
  add("B", plans::spec(DType::f32, {4}));
  add("ldb", std::int64_t{2});
  add("beta", 0.0);
  add("C", plans::spec(DType::f32, {4}, true));
  add("ldc", std::int64_t{2});
  const TrialResult result = trial(call, "cublasSgemm_v2", {}, 1);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "untimed");
  EXPECT_EQ(result.findings[0].message, "cublasSgemm_v2 of cuBLAS 13.7: CUBLAS_STATUS_INVALID_VALUE");
  EXPECT_TRUE(result.outputs.empty());
}

TEST_F(CallsByVendor, NeedADevice) {
  const std::vector<Call> calls{sscal()};
  TrialOptions options;
  options.vendor = "cublasSscal_v2";
  Workshop workshop;
  EXPECT_FALSE(run_trial(recording_of_inputs(calls), calls, options, workshop).ok());
}

}  // namespace
}  // namespace kgb::executor
