// SPDX-License-Identifier: Apache-2.0
// What of a call fits a function of cuBLAS, and where the library is looked for.
#include "device/cuda/cublas.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "device/cuda/cublas_call.hpp"

namespace kgb::device::cuda {
namespace {

TensorSpec flat(DType dtype, bool mutated = false) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {6};
  spec.strides = {1};
  spec.storage = 6;
  spec.mutated = mutated;
  return spec;
}

// cublasSaxpy_v2(n, alpha, x, incx, y, incy)
Call saxpy() {
  Call call{"cublas::Saxpy", "saxpy", "s0", {}};
  call.args.push_back({"n", std::int64_t{3}});
  call.args.push_back({"alpha", 0.5});
  call.args.push_back({"x", flat(DType::f32)});
  call.args.push_back({"incx", std::int64_t{2}});
  call.args.push_back({"y", flat(DType::f32, true)});
  call.args.push_back({"incy", std::int64_t{-1}});
  return call;
}

std::uint64_t place_of(const std::string& argument) {
  return argument == "x" ? 0x1000 : argument == "y" ? 0x2000 : 0x3000;
}

Result<CublasCall> bound(const std::string& function, const Call& call) {
  return cublas_call(function, call, place_of);
}

std::string refusal(const std::string& function, const Call& call) {
  const auto made = bound(function, call);
  return made.ok() ? "fits" : made.error().message;
}

// Stands for the library's function: what it was called with.
struct Seen {
  void* handle;
  int n, incx, incy;
  float alpha;
  std::uintptr_t x, y;
} seen;
int saxpy_seen(void* handle, int n, const float* alpha, const float* x, int incx, float* y, int incy) {
  seen = {handle,
          n,
          incx,
          incy,
          *alpha,
          reinterpret_cast<std::uintptr_t>(x),
          reinterpret_cast<std::uintptr_t>(y)};
  return 14;
}

TEST(CublasCall, PutsEveryArgumentInItsPlaceAndGivesTheStatus) {
  const auto made = bound("cublasSaxpy_v2", saxpy());
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_FALSE(made->device_answer);
  int handle = 0;
  EXPECT_EQ(made->run(reinterpret_cast<void*>(&saxpy_seen), &handle), 14);
  EXPECT_EQ(seen.handle, &handle);
  EXPECT_EQ(seen.n, 3);
  EXPECT_EQ(seen.alpha, 0.5F);
  EXPECT_EQ(seen.x, 0x1000u);
  EXPECT_EQ(seen.incx, 2);
  EXPECT_EQ(seen.y, 0x2000u);
  EXPECT_EQ(seen.incy, -1);
}

struct SeenMatrix {
  int transa, transb;
  std::int64_t m, ldc, batch;
  long long stride;
  double alpha, beta;
} matrix;
int dgemm_seen(void*, int transa, int transb, std::int64_t m, std::int64_t, std::int64_t, const double* alpha,
               const double*, std::int64_t, long long, const double*, std::int64_t, long long,
               const double* beta, double*, std::int64_t ldc, long long stride, std::int64_t batch) {
  matrix = {transa, transb, m, ldc, batch, stride, *alpha, *beta};
  return 0;
}

TEST(CublasCall, TakesLettersOf64BitsAndWideIntegers) {
  Call call{"cublas::DgemmStridedBatched_64", "dgemm_strided_batched_64", "s0", {}};
  const auto add = [&](const char* name, ArgValue value) { call.args.push_back({name, std::move(value)}); };
  add("transa", std::string("T"));
  add("transb", std::int64_t{2});
  for (const char* name : {"m", "n", "k"}) add(name, std::int64_t{1} << 33);
  add("alpha", std::int64_t{2});
  for (const char* name : {"A", "B"}) {
    add(name, flat(DType::f64));
    for (const char* size : {"ld", "stride"}) add(size, std::int64_t{4});
  }
  add("beta", -1.5);
  add("C", flat(DType::f64, true));
  add("ldc", std::int64_t{5});
  add("stride_c", std::int64_t{1} << 40);
  add("batch", std::int64_t{7});
  const auto made = bound("cublasDgemmStridedBatched_64", call);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->run(reinterpret_cast<void*>(&dgemm_seen), nullptr), 0);
  EXPECT_EQ(matrix.transa, 1);
  EXPECT_EQ(matrix.transb, 2);
  EXPECT_EQ(matrix.m, std::int64_t{1} << 33);
  EXPECT_EQ(matrix.alpha, 2.0);
  EXPECT_EQ(matrix.beta, -1.5);
  EXPECT_EQ(matrix.ldc, 5);
  EXPECT_EQ(matrix.stride, 1LL << 40);
  EXPECT_EQ(matrix.batch, 7);
  EXPECT_EQ(refusal("cublasDgemmStridedBatched", call),
            "cublasDgemmStridedBatched cannot make this call: m = 8589934592 is out of range");
}

TEST(CublasCall, AnswersAreWrittenToTheDevice) {
  Call call{"cublas::Dasum", "dasum", "s0", {}};
  call.args.push_back({"n", std::int64_t{6}});
  call.args.push_back({"x", flat(DType::f64)});
  call.args.push_back({"incx", std::int64_t{1}});
  call.args.push_back({"result", flat(DType::f64, true)});
  const auto made = bound("cublasDasum_v2", call);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->device_answer);
}

TEST(CublasCall, WhatDoesNotFitIsNamed) {
  const std::string head = "cublasSaxpy_v2 cannot make this call: ";
  const auto changed = [](std::size_t at, ArgValue value) {
    Call call = saxpy();
    call.args[at].value = std::move(value);
    return call;
  };
  EXPECT_EQ(refusal("cublasSaxpy_v2", saxpy()), "fits");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(2, flat(DType::f64))), head + "x is f64, not f32");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(4, flat(DType::f32))),
            head + "y is written, which the card does not allow");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(2, flat(DType::f32, true))), head + "x is not written");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(2, None{})), head + "x is no tensor");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(0, 3.0)), head + "n is no integer");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(1, Complex{1, 2})), head + "alpha is no factor of f32");
  EXPECT_EQ(refusal("cublasSaxpy_v2", changed(1, std::string("N"))), head + "alpha is no factor of f32");
  Call longer = saxpy(), shorter = saxpy();
  longer.args.push_back({"more", std::int64_t{1}});
  shorter.args.pop_back();
  EXPECT_EQ(refusal("cublasSaxpy_v2", longer), head + "more is one argument too many");
  EXPECT_EQ(refusal("cublasSaxpy_v2", shorter), head + "it has too few arguments");
  EXPECT_NE(refusal("cublasSaxpy", saxpy()).find("does not know 'cublasSaxpy'"), std::string::npos);
}

TEST(CublasCall, OperationsTypesAndPointerArraysAreChecked) {
  Call call{"cublas::Stbmv", "stbmv", "s0", {}};
  for (const char* name : {"uplo", "trans", "diag", "n", "k"}) call.args.push_back({name, std::int64_t{1}});
  call.args.push_back({"A", flat(DType::f32)});
  call.args.push_back({"lda", std::int64_t{2}});
  call.args.push_back({"x", flat(DType::f32, true)});
  call.args.push_back({"incx", std::int64_t{1}});
  const std::string head = "cublasStbmv_v2 cannot make this call: ";
  EXPECT_EQ(refusal("cublasStbmv_v2", call), "fits");
  call.args[0].value = std::int64_t{2};
  EXPECT_EQ(refusal("cublasStbmv_v2", call), head + "uplo = 2 is out of range");
  call.args[0].value = std::int64_t{0};
  call.args[1].value = std::string("H");
  EXPECT_EQ(refusal("cublasStbmv_v2", call), head + "trans is none of N, T, C");

  Call rank{"cublas::CsyrkEx", "csyrk_ex", "s0", {}};
  for (const char* name : {"uplo", "trans", "n", "k"}) rank.args.push_back({name, std::int64_t{1}});
  rank.args.push_back({"alpha", Complex{1, -1}});
  rank.args.push_back({"A", flat(DType::c64)});
  rank.args.push_back({"Atype", std::int64_t{8}});
  EXPECT_EQ(refusal("cublasCsyrkEx", rank),
            "cublasCsyrkEx cannot make this call: Atype is not the number of c64");

  Call batch{"cublas::SgemvBatched", "sgemv_batched", "s0", {}};
  batch.args.push_back({"trans", std::string("N")});
  for (const char* name : {"m", "n"}) batch.args.push_back({name, std::int64_t{1}});
  batch.args.push_back({"alpha", 1.0});
  batch.args.push_back({"A", flat(DType::f32)});
  EXPECT_EQ(refusal("cublasSgemvBatched", batch),
            "cublasSgemvBatched cannot make this call: A is no pointer array");
}

// The factors of hgemm are halves: 0.1 is 0x2e66.
std::uint16_t half_seen = 0;
int hgemm_seen(void*, int, int, int, int, int, const std::uint16_t* alpha, const void* const*, int,
               const void* const*, int, const std::uint16_t*, void* const*, int, int) {
  half_seen = *alpha;
  return 0;
}

TEST(CublasCall, FactorsHaveTheElementsType) {
  Call call{"cublas::HgemmBatched", "hgemm_batched", "s0", {}};
  const auto add = [&](const char* name, ArgValue value) { call.args.push_back({name, std::move(value)}); };
  for (const char* name : {"transa", "transb"}) add(name, std::string("N"));
  for (const char* name : {"m", "n", "k"}) add(name, std::int64_t{1});
  add("alpha", 0.1);
  for (const char* name : {"A", "B"}) {
    add(name, PointerArray{{flat(DType::f16)}});
    add("ld", std::int64_t{1});
  }
  add("beta", 0.0);
  add("C", PointerArray{{flat(DType::f16, true)}});
  add("ldc", std::int64_t{1});
  add("batch", std::int64_t{1});
  const auto made = bound("cublasHgemmBatched", call);
  ASSERT_TRUE(made.ok()) << made.error().message;
  made->run(reinterpret_cast<void*>(&hgemm_seen), nullptr);
  EXPECT_EQ(half_seen, 0x2e66);
}

TEST(CublasLibrary, OneThatIsNotThereSaysWhatToDo) {
  ::setenv("KGBENCH_CUBLAS_LIBRARY", "/nowhere/libcublas.so.99", 1);
  const auto opened = CublasLibrary::open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().fault, kgb::Fault::host);
  EXPECT_NE(opened.error().message.find("/nowhere/libcublas.so.99"), std::string::npos);
}

TEST(CublasLibrary, LiesBesideTorch) {
  const auto folder = TempDir::make("kgbench-cublas");
  ASSERT_TRUE(folder.ok());
  const auto site = folder->path() / "site-packages";
  EXPECT_EQ(cublas_in({site.string()}), "");
  for (const char* inside : {"nvidia/cublas/lib/libcublas.so.12", "nvidia/cu13/lib/libcublas.so.13"}) {
    std::filesystem::create_directories((site / inside).parent_path());
    std::ofstream(site / inside) << "x";
    EXPECT_EQ(cublas_in({"/nowhere", site.string()}), (site / inside).string());
  }
}

}  // namespace
}  // namespace kgb::device::cuda
