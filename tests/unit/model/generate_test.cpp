// SPDX-License-Identifier: Apache-2.0
// Generated values: the same bytes for ever, the statistics and promises of every domain, every dtype.
#include "model/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "base/hash.hpp"

namespace kgb {
namespace {

TensorSpec flat(DType dtype, std::int64_t count, Domain domain) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {count};
  spec.strides = {1};
  spec.storage = count;
  spec.domain = std::move(domain);
  return spec;
}

std::vector<std::byte> bytes_of(const TensorSpec& spec, std::uint64_t seed = 7, int trial = 0, int call = 0,
                                std::string_view path = "self") {
  std::vector<std::byte> out(static_cast<std::size_t>(spec.storage_bytes()), std::byte{0xAB});
  generate(spec, path, seed, trial, call, out);
  return out;
}

template <typename T>
std::vector<T> values_of(DType dtype, std::int64_t count, Domain domain, std::uint64_t seed = 7) {
  const auto bytes = bytes_of(flat(dtype, count, std::move(domain)), seed);
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double deviation_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

// The numbers themselves are the contract: stored seeds must give the same workloads in years to come,
// everywhere.
TEST(Generate, BytesNeverChange) {
  struct Golden {
    DType dtype;
    Domain domain;
    const char* sha256;
  };
  const Golden golden[] = {
      {DType::f32, {"normal", {0, 1}}, "b41800b14652ef3b9b16e3ea025b3b68a76854b0b8127f7792f5627ceba1589a"},
      {DType::f16, {"normal", {0, 1}}, "fe0ef8ab87b05ce08f74499e0f4b842126c076fc4b0cc77caab8e22a7c25fa18"},
      {DType::bf16, {"special", {0, 1}}, "10c97f89bfe477725876317bf9e0cd51245eafa4de7faf2c0c8ddbd7f98a1d54"},
      {DType::f8e4m3,
       {"uniform", {-4, 4}},
       "fe537108dc992d4cc9d40c95a136eb8db00165c37a34dc2312509711b155a1a6"},
      {DType::f64, {"precision", {}}, "8e51d6eae381698c1b2390f213dd828cf7c05224ea1674ed54f46ca08c97267f"},
      {DType::i32,
       {"integers", {-100, 100}},
       "032449192119499532403a54a8248075095344e84258603089d603bd44ae6ca8"},
      {DType::i64, {"permutation", {}}, "0ba9a8895f42480b3cfb1724015bcec07adffc765518a1f87c63f96fcc4509e5"},
      {DType::c64,
       {"triangular", {20, 17, 1, 0}},
       "8766a7c9dc701e39e25451acb34cef351336205e17f4a35906562c7167d1fc03"},
      {DType::f32, {"spike", {1000}}, "315d0a54c234be1b9d1133e5acb696362edf6a329623eea7a32cde9425cacddc"},
      {DType::f8e5m2, {"subnormal", {}}, "17e27b3760f7da586d11cfa7004f3e5b62e2b98b737a9acca0afbf1ebf71272e"},
      {DType::i16, {"sorted", {0, 50}}, "e8588fe0963a900b4d1e3502ecfff00f5d667dfdda137c44c1dc5933acf8c6df"},
      {DType::u8, {"special", {}}, "616aa7995e23081d658b9efe3dbad298dfcf0105e212c6d11705fb676e360a9d"},
      {DType::b8, {"bool", {0.25}}, "49066cad946d54258ac1a3696982f5e0a8cac51568cc595d3e14d76a78438566"},
  };
  for (const Golden& item : golden) {
    const auto bytes = bytes_of(flat(item.dtype, 1000, item.domain), 0x123456789abcdef0u, 2, 1, "A[3]");
    EXPECT_EQ(sha256_hex(bytes), item.sha256) << name_of(item.dtype) << " " << item.domain.kind;
  }
}

TEST(Generate, KeyIsTheHashOfSeedTrialCallAndPath) {
  const Digest digest = sha256("00000000000000ff/3/2/A[0]");
  const PhiloxKey key = stream_key("A[0]", 0xff, 3, 2);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(key[i / 4] >> (8 * (i % 4)) & 0xffu, digest[i]);
}

TEST(Generate, ElementsComeFromPhiloxOfTheirIndex) {
  const auto values = values_of<double>(DType::f64, 600, {"uniform", {0, 1}});
  const PhiloxKey key = stream_key("self", 7, 0, 0);
  const std::uint64_t word = std::uint64_t{key[1]} << 32 | key[0];
  for (const std::size_t i : {0u, 1u, 255u, 256u, 599u}) {
    const auto random = philox4x32(std::uint64_t{i}, word);
    const std::uint64_t bits = (std::uint64_t{random[1]} << 32 | random[0]) >> 12;
    EXPECT_EQ(values[i], static_cast<double>(bits) * 0x1p-52);
  }
}

TEST(Generate, EverythingInTheKeyMatters) {
  const TensorSpec spec = flat(DType::f32, 64, {"uniform", {0, 1}});
  const auto base = bytes_of(spec, 1, 0, 0, "self");
  EXPECT_EQ(base, bytes_of(spec, 1, 0, 0, "self"));
  EXPECT_NE(base, bytes_of(spec, 2, 0, 0, "self"));
  EXPECT_NE(base, bytes_of(spec, 1, 1, 0, "self"));
  EXPECT_NE(base, bytes_of(spec, 1, 0, 1, "self"));
  EXPECT_NE(base, bytes_of(spec, 1, 0, 0, "other"));
}

TEST(Generate, ALongerStorageStartsWithTheSameBytes) {
  for (const char* kind : {"normal", "uniform", "special", "precision", "subnormal"}) {
    const auto small = bytes_of(flat(DType::f16, 257, {kind, {}}));
    auto large = bytes_of(flat(DType::f16, 5000, {kind, {}}));
    large.resize(small.size());
    EXPECT_EQ(small, large) << kind;
  }
}

TEST(Generate, NormalHasItsMeanAndDeviation) {
  const auto x = values_of<double>(DType::f64, 200000, {"normal", {3, 2}});
  EXPECT_NEAR(mean_of(x), 3, 0.03);
  EXPECT_NEAR(deviation_of(x), 2, 0.03);
  for (const double v : x) EXPECT_LE(std::abs(v - 3), 12);
}

TEST(Generate, UniformFillsItsRangeEvenly) {
  const auto x = values_of<double>(DType::f64, 200000, {"uniform", {-1, 3}});
  EXPECT_NEAR(mean_of(x), 1, 0.02);
  EXPECT_NEAR(deviation_of(x), 4 / std::sqrt(12.0), 0.02);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -1);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 3);
}

TEST(Generate, IntegersReachBothEnds) {
  const auto x = values_of<std::int8_t>(DType::i8, 5000, {"integers", {-3, 4}});
  const std::set<std::int8_t> seen(x.begin(), x.end());
  EXPECT_EQ(seen, (std::set<std::int8_t>{-3, -2, -1, 0, 1, 2, 3, 4}));
  const auto wide = values_of<std::int64_t>(DType::i64, 5000, {"integers", {-1e15, 1e15}});
  EXPECT_LT(*std::min_element(wide.begin(), wide.end()), -900000000000000);
  EXPECT_GT(*std::max_element(wide.begin(), wide.end()), 900000000000000);
}

TEST(Generate, IndicesStayBelowTheirBound) {
  for (const std::int64_t v : values_of<std::int64_t>(DType::i64, 3000, {"indices", {7}})) {
    EXPECT_GE(v, 0);
    EXPECT_LT(v, 7);
  }
}

TEST(Generate, PermutationHoldsEveryIndexOnce) {
  for (const std::int64_t count : {1, 2, 3, 5, 64, 1000, 4097}) {
    auto x = values_of<std::int64_t>(DType::i64, count, {"permutation", {}});
    const bool moved = !std::is_sorted(x.begin(), x.end());
    std::sort(x.begin(), x.end());
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(x[static_cast<std::size_t>(i)], i) << count;
    EXPECT_TRUE(moved || count < 64);
  }
}

TEST(Generate, SortedRisesThroughItsRange) {
  const auto x = values_of<std::int32_t>(DType::i32, 1000, {"sorted", {5, 40}});
  EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
  EXPECT_EQ(x.front(), 5);
  EXPECT_EQ(x.back(), 40);
}

TEST(Generate, TiesHaveFewValues) {
  const auto x = values_of<float>(DType::f32, 4000, {"ties", {5}});
  EXPECT_EQ(std::set<float>(x.begin(), x.end()).size(), 5u);
}

TEST(Generate, SpikeComesOnceInEvery4096) {
  for (const std::int64_t count : {1, 100, 4096, 10000}) {
    const auto x = values_of<float>(DType::f32, count, {"spike", {1000}});
    std::vector<int> spikes(static_cast<std::size_t>((count + 4095) / 4096));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::abs(x[i]) == 1000) {
        ++spikes[i / 4096];
      } else {
        EXPECT_LE(std::abs(x[i]), 1);
      }
    }
    for (const int n : spikes) EXPECT_EQ(n, 1);
  }
}

TEST(Generate, PrecisionNeedsMoreThanHalfPrecision) {
  const auto x = values_of<float>(DType::f32, 1000, {"precision", {}});
  int lost = 0;
  for (const float v : x) {
    EXPECT_GE(std::abs(v), 1);
    EXPECT_LE(std::abs(v), 1.02f);
    EXPECT_EQ(v * 4096, std::round(v * 4096));
    if (v * 1024 != std::round(v * 1024)) ++lost;  // f16 and TF32 have a step of 1/1024 here
  }
  EXPECT_GT(lost, 600);
  int lost_in_f32 = 0;
  for (const double v : values_of<double>(DType::f64, 1000, {"precision", {}})) {
    if (static_cast<double>(static_cast<float>(v)) != v) ++lost_in_f32;
  }
  EXPECT_GT(lost_in_f32, 900);
}

TEST(Generate, SpecialHoldsOneOddValueInEight) {
  const auto x = values_of<float>(DType::f32, 100000, {"special", {0, 1}});
  int infinite = 0, nan = 0, zero = 0, negative_zero = 0, subnormal = 0, largest = 0;
  for (const float v : x) {
    infinite += std::isinf(v) ? 1 : 0;
    nan += std::isnan(v) ? 1 : 0;
    zero += v == 0 ? 1 : 0;
    negative_zero += v == 0 && std::signbit(v) ? 1 : 0;
    subnormal += std::fpclassify(v) == FP_SUBNORMAL ? 1 : 0;
    largest += std::abs(v) == std::numeric_limits<float>::max() ? 1 : 0;
  }
  for (const int n : {infinite, nan, zero, negative_zero, subnormal, largest}) EXPECT_GT(n, 500);
  EXPECT_LT(infinite + nan + zero + subnormal + largest, 100000 / 8 + 1500);
}

TEST(Generate, FiniteSpecialIsFinite) {
  for (const float v : values_of<float>(DType::f32, 50000, {"finite_special", {0, 1}})) {
    ASSERT_TRUE(std::isfinite(v));
    ASSERT_LT(std::abs(v), 10);
  }
}

TEST(Generate, SubnormalsAreSubnormalInTheirType) {
  int zeros = 0;
  for (const std::uint16_t bits : values_of<std::uint16_t>(DType::f16, 4000, {"subnormal", {}})) {
    EXPECT_EQ(bits & 0x7c00u, 0u);
    zeros += (bits & 0x3ffu) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(zeros, 500, 120);
}

TEST(Generate, TriangleHoldsNanWhereNothingMayBeRead) {
  constexpr std::size_t ld = 7, n = 5;
  for (const int upper : {0, 1}) {
    for (const int unit : {0, 1}) {
      const auto x = values_of<double>(DType::f64, ld * n, {"triangular", {ld, n, 1.0 * upper, 1.0 * unit}});
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < ld; ++i) {
          const double v = x[i + j * ld];
          const bool named = i < n && (upper != 0 ? i < j : i > j);
          if (named) {
            EXPECT_LE(std::abs(v), 1.0 / n);
          } else if (i == j && unit == 0) {
            EXPECT_GE(std::abs(v), 1);
            EXPECT_LE(std::abs(v), 2);
          } else {
            EXPECT_TRUE(std::isnan(v)) << i << "," << j;
          }
        }
      }
    }
  }
}

TEST(Generate, NarrowFloatsRoundToNearestEven) {
  // The same stream as f32, rounded by the compiler's own conversion to _Float16.
  const auto wide = values_of<float>(DType::f32, 20000, {"normal", {0, 1}});
  const auto half = values_of<std::uint16_t>(DType::f16, 20000, {"normal", {0, 1}});
  for (std::size_t i = 0; i < wide.size(); ++i) {
    ASSERT_EQ(half[i], std::bit_cast<std::uint16_t>(static_cast<_Float16>(wide[i]))) << wide[i];
  }
  const auto tiny = values_of<float>(DType::f32, 20000, {"normal", {0, 1e-7}});
  const auto tiny_half = values_of<std::uint16_t>(DType::f16, 20000, {"normal", {0, 1e-7}});
  for (std::size_t i = 0; i < tiny.size(); ++i) {
    ASSERT_EQ(tiny_half[i], std::bit_cast<std::uint16_t>(static_cast<_Float16>(tiny[i]))) << tiny[i];
  }
}

TEST(Generate, FiniteValuesNeverOverflowToInfinity) {
  for (const std::uint16_t bits : values_of<std::uint16_t>(DType::f16, 2000, {"large", {1e9}})) {
    EXPECT_LT(bits & 0x7fffu, 0x7c00u);
  }
  for (const std::uint8_t bits : values_of<std::uint8_t>(DType::f8e4m3, 2000, {"large", {1e9}})) {
    EXPECT_NE(bits & 0x7fu, 0x7fu);
  }
  for (const std::uint8_t bits : values_of<std::uint8_t>(DType::f8e5m2, 2000, {"large", {1e9}})) {
    EXPECT_LT(bits & 0x7fu, 0x7cu);
  }
}

TEST(Generate, IntegersAreClampedToTheirType) {
  for (const std::int8_t v : values_of<std::int8_t>(DType::i8, 100, {"constant", {1000}})) EXPECT_EQ(v, 127);
  for (const std::uint8_t v : values_of<std::uint8_t>(DType::u8, 100, {"constant", {-5}})) EXPECT_EQ(v, 0);
  for (const std::int64_t v : values_of<std::int64_t>(DType::i64, 100, {"constant", {1e300}})) {
    EXPECT_EQ(v, std::numeric_limits<std::int64_t>::max());
  }
}

TEST(Generate, BoolsAreZeroOrOne) {
  for (const char* kind : {"bool", "normal", "special", "ties", "nan"}) {
    int ones = 0;
    for (const std::uint8_t v : values_of<std::uint8_t>(DType::b8, 2000, {kind, {}})) {
      ASSERT_LE(v, 1) << kind;
      ones += v;
    }
    if (std::string_view(kind) != "nan") {
      EXPECT_NEAR(ones, 1000, 600) << kind;
    }
  }
}

TEST(Generate, ComplexPartsAreElements2iAnd2iPlus1) {
  const auto complex = values_of<float>(DType::c64, 500, {"uniform", {0, 1}});
  const auto real = values_of<float>(DType::f32, 1000, {"uniform", {0, 1}});
  EXPECT_EQ(complex, real);
  const auto counted = values_of<double>(DType::c128, 10, {"arange", {5, 2}});
  EXPECT_EQ(counted[4], 9);
  EXPECT_EQ(counted[5], 0);
}

TEST(Generate, EveryDomainFillsEveryDtype) {
  for (const std::string& kind : domain_kinds()) {
    for (int d = 0; d <= static_cast<int>(DType::c128); ++d) {
      Domain domain{kind, {}};
      if (kind == "integers" || kind == "sorted") domain.params = {1, 9};
      if (kind == "indices" || kind == "constant") domain.params = {1};
      if (kind == "triangular") domain.params = {9, 9};
      ASSERT_TRUE(check_domain(domain).ok()) << kind;
      for (const std::int64_t count : {0, 1, 255, 257}) {
        const TensorSpec spec = flat(static_cast<DType>(d), count, domain);
        std::vector<std::byte> guarded(static_cast<std::size_t>(spec.storage_bytes()) + 16, std::byte{0xCD});
        generate(spec, "x", 1, 0, 0,
                 std::span(guarded).first(static_cast<std::size_t>(spec.storage_bytes())));
        for (std::size_t i = guarded.size() - 16; i < guarded.size(); ++i)
          ASSERT_EQ(guarded[i], std::byte{0xCD});
      }
    }
  }
}

TEST(CheckDomain, SaysWhatIsWrong) {
  const auto message = [](Domain domain) {
    return check_domain(domain).ok() ? "" : check_domain(domain).error().message;
  };
  EXPECT_EQ(message({"unifrom", {0, 1}}), "'unifrom' is no domain (did you mean 'uniform'?)");
  EXPECT_EQ(message({"integers", {1}}), "domain integers takes 2 parameters, got 1");
  EXPECT_EQ(message({"normal", {1, 2, 3}}), "domain normal takes 0 to 2 parameters, got 3");
  EXPECT_EQ(message({"integers", {5, 1}}), "domain integers has an empty range 5 .. 1");
  EXPECT_EQ(message({"uniform", {0, std::nan("")}}), "domain uniform needs finite parameters");
  EXPECT_EQ(message({"constant", {std::numeric_limits<double>::infinity()}}), "");
}

TEST(Seeds, ReadWhatTheyWrite) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x81f3}, ~std::uint64_t{0}}) {
    EXPECT_EQ(seed_from_text(seed_text(seed)), seed);
  }
  EXPECT_EQ(seed_text(0x81f3), "00000000000081f3");
  EXPECT_EQ(seed_from_text("0x1F"), 31u);
  for (const char* bad : {"", "0x", "g1", "12345678901234567", "-1", " 1"})
    EXPECT_FALSE(seed_from_text(bad)) << bad;
}

}  // namespace
}  // namespace kgb
