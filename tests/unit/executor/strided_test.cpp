// SPDX-License-Identifier: Apache-2.0
// Strided copies, casts between all dtypes, fills and constants against plain loops.
#include "executor/strided.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace kgb::executor {
namespace {

template <typename T>
Strided on(std::vector<T>& memory, DType dtype, std::vector<std::int64_t> shape,
           std::vector<std::int64_t> strides, std::int64_t offset = 0) {
  return {reinterpret_cast<std::byte*>(memory.data() + offset), dtype, std::move(shape), std::move(strides)};
}

// One value of one dtype cast to another.
template <typename To, typename From>
To cast(DType to, DType from, From value, bool conj = false, bool neg = false) {
  To result{};
  Strided dst{reinterpret_cast<std::byte*>(&result), to, {1}, {1}};
  Strided src{reinterpret_cast<std::byte*>(&value), from, {1}, {1}, conj, neg};
  copy_strided(dst, src);
  return result;
}

constexpr DType kAll[] = {DType::b8,   DType::u8,  DType::i8,  DType::i16,    DType::i32,    DType::i64,
                          DType::u16,  DType::u32, DType::u64, DType::f8e4m3, DType::f8e5m2, DType::f16,
                          DType::bf16, DType::f32, DType::f64, DType::c64,    DType::c128};

TEST(Cast, SmallIntegersSurviveEveryPairOfTypes) {
  for (const DType from : kAll)
    for (const DType to : kAll)
      for (const double value : {0.0, 1.0, 5.0}) {
        std::array<std::byte, 16> a{}, b{};
        double in = value, out = -1;
        copy_strided({a.data(), from, {}, {}}, {reinterpret_cast<std::byte*>(&in), DType::f64, {}, {}});
        copy_strided({b.data(), to, {}, {}}, {a.data(), from, {}, {}});
        copy_strided({reinterpret_cast<std::byte*>(&out), DType::f64, {}, {}}, {b.data(), to, {}, {}});
        const bool truth = from == DType::b8 || to == DType::b8;
        EXPECT_EQ(out, truth ? (value != 0) : value) << name_of(from) << " to " << name_of(to);
      }
}

TEST(Cast, FollowsTheRulesOfTorch) {
  EXPECT_EQ((cast<std::int32_t>(DType::i32, DType::f32, -2.9F)), -2);
  EXPECT_EQ((cast<std::int32_t>(DType::i32, DType::f32, 3e9F)), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ((cast<std::uint8_t>(DType::u8, DType::f32, -1.0F)), 255);
  EXPECT_EQ((cast<std::uint8_t>(DType::u8, DType::i32, 300)), 44);
  EXPECT_EQ((cast<std::int64_t>(DType::i64, DType::u64, ~std::uint64_t{0})), -1);
  EXPECT_EQ((cast<float>(DType::f32, DType::u64, ~std::uint64_t{0})), 0x1p64F);
  EXPECT_EQ((cast<float>(DType::f32, DType::i64, std::int64_t{16777217})), 16777216.0F);
  EXPECT_EQ((cast<std::uint8_t>(DType::b8, DType::f32, std::nanf(""))), 1);
  EXPECT_EQ((cast<std::uint8_t>(DType::b8, DType::f32, -0.0F)), 0);
  EXPECT_EQ((cast<std::uint16_t>(DType::f16, DType::f32, 65520.0F)), 0x7C00);
  EXPECT_EQ((cast<std::uint16_t>(DType::bf16, DType::f32, 1.00390625F)), 0x3F80);  // a tie, to even
  EXPECT_EQ((cast<std::uint8_t>(DType::f8e4m3, DType::f32, 500.0F)), 0x7F);  // NaN: e4m3fn has no infinity
  // Through f32: torch rounds f64 twice on its way to f16.
  EXPECT_EQ((cast<std::uint16_t>(DType::f16, DType::f64, 1 + 0x1p-11 + 0x1p-40)), 0x3C00);
}

TEST(Cast, ComplexDropsAndGainsItsImaginaryPart) {
  using Pair = std::array<float, 2>;
  EXPECT_EQ((cast<float>(DType::f32, DType::c64, Pair{3, 4})), 3);
  EXPECT_EQ((cast<Pair>(DType::c64, DType::f32, 3.0F)), (Pair{3, 0}));
  EXPECT_EQ((cast<Pair>(DType::c64, DType::c64, Pair{3, 4}, true)), (Pair{3, -4}));
  EXPECT_EQ((cast<Pair>(DType::c64, DType::c64, Pair{3, 4}, false, true)), (Pair{-3, -4}));
  EXPECT_EQ((cast<std::uint8_t>(DType::b8, DType::c64, Pair{0, 4})), 1);
  EXPECT_EQ((cast<float>(DType::f32, DType::f32, 2.5F, false, true)), -2.5F);
}

TEST(Cast, EqualTypesKeepEveryBit) {
  for (const std::uint32_t bits : {0x7F800001u, 0xFFC12345u, 0x80000000u, 1u})
    EXPECT_EQ((cast<std::uint32_t>(DType::f32, DType::f32, bits)), bits);
}

TEST(CopyStrided, AgreesWithLoopsOnEveryLayout) {
  const std::vector<std::int64_t> shape{3, 4, 5};
  const std::vector<std::vector<std::int64_t>> layouts{{20, 5, 1},  {1, 3, 12}, {5, 15, 1},
                                                       {40, 10, 2}, {0, 5, 1},  {-20, -5, -1}};
  for (const auto& from : layouts)
    for (const auto& to : layouts) {
      if (to[0] == 0) continue;  // elements would be written more than once
      std::vector<float> src(400), dst(400, -1), want(400, -1);
      std::iota(src.begin(), src.end(), 0.0F);
      const auto base = [](const auto& strides) { return strides[0] < 0 ? 59 : 0; };
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
          for (std::int64_t k = 0; k < 5; ++k)
            want[static_cast<std::size_t>(base(to) + i * to[0] + j * to[1] + k * to[2])] =
                src[static_cast<std::size_t>(base(from) + i * from[0] + j * from[1] + k * from[2])];
      copy_strided(on(dst, DType::f32, shape, to, base(to)), on(src, DType::f32, shape, from, base(from)));
      EXPECT_EQ(dst, want);
    }
}

TEST(CopyStrided, OverlappingCopiesReadBeforeTheyWrite) {
  std::vector<std::int32_t> memory(10);
  std::iota(memory.begin(), memory.end(), 0);
  copy_strided(on(memory, DType::i32, {9}, {1}, 1), on(memory, DType::i32, {9}, {1}, 0));
  EXPECT_EQ(memory, (std::vector<std::int32_t>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
  std::iota(memory.begin(), memory.end(), 0);
  copy_strided(on(memory, DType::i32, {10}, {1}),
               on(memory, DType::i32, {10}, {-1}, 9));  // reversal in place
  EXPECT_EQ(memory, (std::vector<std::int32_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(CopyStrided, EmptyAndScalarViewsAreFine) {
  std::vector<float> memory{1, 2};
  copy_strided(on(memory, DType::f32, {0, 3}, {3, 1}), on(memory, DType::f32, {0, 3}, {3, 1}));
  copy_strided(on(memory, DType::f32, {}, {}), on(memory, DType::f32, {}, {}, 1));
  EXPECT_EQ(memory[0], 2);
}

TEST(FillStrided, LeavesGapsAlone) {
  std::vector<std::uint16_t> memory(12, 7);
  const std::array<std::byte, 2> value{std::byte{0x34}, std::byte{0x12}}, same{std::byte{9}, std::byte{9}};
  fill_strided(on(memory, DType::f16, {2, 3}, {6, 2}), value);
  EXPECT_EQ(memory,
            (std::vector<std::uint16_t>{0x1234, 7, 0x1234, 7, 0x1234, 7, 0x1234, 7, 0x1234, 7, 0x1234, 7}));
  fill_strided(on(memory, DType::f16, {2}, {1}, 3), same);
  EXPECT_EQ(memory[3], 0x0909);
  EXPECT_EQ(memory[5], 7);
}

TEST(Constants, AreWhatTorchMakes) {
  std::vector<std::int64_t> whole(6);
  make_constant(on(whole, DType::i64, {6}, {1}), "arange", std::array{3.0, -2.0});
  EXPECT_EQ(whole, (std::vector<std::int64_t>{3, 1, -1, -3, -5, -7}));
  std::vector<float> line(5);
  make_constant(on(line, DType::f32, {5}, {1}), "linspace", std::array{0.0, 1.0});
  EXPECT_EQ(line, (std::vector<float>{0, 0.25, 0.5, 0.75, 1}));
  std::vector<float> eye(6, 9);
  make_constant(on(eye, DType::f32, {2, 3}, {3, 1}), "eye", {});
  EXPECT_EQ(eye, (std::vector<float>{1, 0, 0, 0, 1, 0}));
  std::vector<std::int32_t> lower(12), upper(6);
  make_constant(on(lower, DType::i32, {2, 6}, {6, 1}), "tril_indices", std::array{3.0, 3.0, 0.0});
  EXPECT_EQ(lower, (std::vector<std::int32_t>{0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2}));
  make_constant(on(upper, DType::i32, {2, 3}, {3, 1}), "triu_indices", std::array{3.0, 3.0, 1.0});
  EXPECT_EQ(upper, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2}));
}

}  // namespace
}  // namespace kgb::executor
