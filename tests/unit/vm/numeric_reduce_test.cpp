// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: the tree by its definition, all axes and shapes, and what the tree buys in bf16.
#include <functional>

#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

const AxisShape shapes[] = {{1, 1, 1},     {3, 1, 5},     {5, 2, 1},   {7, 4, 1},    {2, 8, 3},
                            {9, 16, 1},    {4, 32, 1},    {3, 64, 17}, {2, 1024, 1}, {1, 4096, 2},
                            {1, 32768, 1}, {1, 65536, 1}, {2, 3, 4},   {1, 8192, 9}, {1, 131072, 2}};

std::vector<float> random_floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& x : values) x = std::uniform_real_distribution<float>(-1, 1)(random);
  return values;
}

template <typename T>
using Step = std::function<T(T, T)>;

// Upper half onto lower half, again and again, as the header says.
template <typename T>
T tree(std::vector<T> x, const Step<T>& step) {
  while (x.size() > 1) {
    const std::size_t half = (x.size() + 1) / 2;
    for (std::size_t i = 0; i + half < x.size(); ++i) x[i] = step(x[i], x[i + half]);
    x.resize(half);
  }
  return x[0];
}

template <typename T>
std::vector<T> line(const std::vector<T>& in, AxisShape s, std::size_t o, std::size_t j) {
  std::vector<T> out;
  for (std::size_t i = 0; i < s.n; ++i) out.push_back(in[(o * s.n + i) * s.inner + j]);
  return out;
}

template <typename T>
void expect_tree(BinaryOp op, DType dtype, const std::vector<T>& in, AxisShape s, const Step<T>& step) {
  std::vector<T> out(s.outer * s.inner);
  reducer(op, dtype)(in.data(), out.data(), s);
  for (std::size_t o = 0; o < s.outer; ++o)
    for (std::size_t j = 0; j < s.inner; ++j)
      ASSERT_EQ(out[o * s.inner + j], tree(line(in, s, o, j), step))
          << name_of(dtype) << ' ' << s.outer << 'x' << s.n << 'x' << s.inner << " at " << o << ',' << j;
}

TEST(NumericReduce, F32SumIsTheHalvingTreeBitForBit) {
  on_each_isa([](Isa) {
    for (AxisShape s : shapes)
      expect_tree<float>(BinaryOp::addf, DType::f32, random_floats(s.outer * s.n * s.inner, 1), s,
                         std::plus<>());
  });
}

TEST(NumericReduce, Bf16AndF16SumsRoundAfterEveryStep) {
  on_each_isa([](Isa) {
    for (AxisShape s : shapes) {
      for (DType dtype : {DType::bf16, DType::f16}) {
        const auto values = random_floats(s.outer * s.n * s.inner, 2);
        const auto in = run<std::uint16_t>(converter(DType::f32, dtype), values.data(), values.size());
        const bool bf16 = dtype == DType::bf16;
        expect_tree<std::uint16_t>(BinaryOp::addf, dtype, in, s, [bf16](std::uint16_t a, std::uint16_t b) {
          return bf16 ? f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b))
                      : f32_to_f16(f16_to_f32(a) + f16_to_f32(b));
        });
      }
    }
  });
}

TEST(NumericReduce, AThousandBf16OnesSumToAThousand) {
  on_each_isa([](Isa) {
    const std::vector<std::uint16_t> ones(1024, 0x3F80);
    std::uint16_t sum = 0;
    reducer(BinaryOp::addf, DType::bf16)(ones.data(), &sum, {1, 1024, 1});
    EXPECT_EQ(bf16_to_f32(sum), 1024.0F);  // one after the other they stop at 256
    std::vector<std::uint16_t> running(1024);
    scanner(BinaryOp::addf, DType::bf16)(ones.data(), running.data(), {1, 1024, 1}, false);
    EXPECT_EQ(bf16_to_f32(running[1023]), 1024.0F);
  });
}

TEST(NumericReduce, IntegerReductionsAreExact) {
  on_each_isa([](Isa) {
    for (AxisShape s : shapes) {
      std::mt19937 random(4);
      std::vector<std::int32_t> in(s.outer * s.n * s.inner);
      for (auto& x : in) x = static_cast<std::int32_t>(random());
      using I = std::int32_t;
      const auto wrap_add = [](I a, I b) {
        return static_cast<I>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
      };
      expect_tree<I>(BinaryOp::addi, DType::i32, in, s, wrap_add);
      expect_tree<I>(BinaryOp::minsi, DType::i32, in, s, [](I a, I b) { return std::min(a, b); });
      expect_tree<I>(BinaryOp::maxui, DType::i32, in, s, [](I a, I b) {
        return static_cast<std::uint32_t>(a) > static_cast<std::uint32_t>(b) ? a : b;
      });
      expect_tree<I>(BinaryOp::xori, DType::i32, in, s, [](I a, I b) { return a ^ b; });
    }
  });
}

TEST(NumericReduce, MaximumFollowsTheNanRuleOfItsOperation) {
  on_each_isa([](Isa) {
    for (std::size_t n : {2u, 16u, 64u, 1024u}) {
      for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
        std::vector<float> values(n, 1.0F);
        values[0] = NAN;
        values[n - 1] = 3.0F;
        std::vector<std::uint32_t> in(n), out(1);
        converter(DType::f32, dtype)(values.data(), in.data(), n);
        reducer(BinaryOp::maxnumf, dtype)(in.data(), out.data(), {1, n, 1});
        EXPECT_EQ(run<float>(converter(dtype, DType::f32), out.data(), 1)[0], 3.0F);
        reducer(BinaryOp::maximumf, dtype)(in.data(), out.data(), {1, n, 1});
        EXPECT_TRUE(std::isnan(run<float>(converter(dtype, DType::f32), out.data(), 1)[0]));
      }
    }
  });
}

// Which zero or NaN comes out depends on the tree: the shortcut through vector registers must not show.
TEST(NumericReduce, ExtremesOfSpecialValuesAreTheTreeBitForBit) {
  const auto of_bits = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> draws = {
      {0.0F, -0.0F},
      {0.0F, -0.0F, -1.0F},
      {0.0F, -0.0F, 1.0F},
      {of_bits(0x7FC00001), of_bits(0xFFC00002), of_bits(0x7F800003)},
      {of_bits(0x7FC00001), of_bits(0xFFC00002), 0.0F, -0.0F, 2.5F, -3.5F},
      {infinity, of_bits(0x7FC00001)},
      {-infinity, of_bits(0xFFC00002)},
      {-infinity},
      {infinity, -infinity, 1.0F},
      {1.0F, 2.0F, 3.0F, of_bits(1)}};
  on_each_isa([&](Isa isa) {
    for (const BinaryOp op : {BinaryOp::maxnumf, BinaryOp::minnumf, BinaryOp::maximumf, BinaryOp::minimumf}) {
      const BinaryFn one = binary(op, DType::f32).vv;
      const Step<float> step = [&](float a, float b) {
        float out = 0;
        one(&a, &b, &out, 1);
        return out;
      };
      for (std::size_t d = 0; d < draws.size(); ++d)
        for (const std::size_t n : {std::size_t{16}, std::size_t{32}, std::size_t{64}, std::size_t{2048}}) {
          std::mt19937 random(static_cast<unsigned>(n + d));
          std::vector<float> row(n);
          for (float& x : row) x = draws[d][random() % draws[d].size()];
          float out = 0;
          reducer(op, DType::f32)(row.data(), &out, {1, n, 1});
          ASSERT_EQ(std::bit_cast<std::uint32_t>(out), std::bit_cast<std::uint32_t>(tree(row, step)))
              << name_of(isa) << " operation " << static_cast<int>(op) << " draw " << d << " of " << n;
        }
    }
  });
}

TEST(NumericReduce, BooleansReduceAsOneBitIntegers) {
  on_each_isa([](Isa) {
    const std::uint8_t in[] = {1, 0, 1, 1};
    std::uint8_t out = 9;
    reducer(BinaryOp::ori, DType::b8)(in, &out, {1, 4, 1});
    EXPECT_EQ(out, 1);
    reducer(BinaryOp::andi, DType::b8)(in, &out, {1, 4, 1});
    EXPECT_EQ(out, 0);
    reducer(BinaryOp::xori, DType::b8)(in, &out, {1, 4, 1});
    EXPECT_EQ(out, 1);
  });
}

// Scan by its definition: both halves, then the left total onto the right.
template <typename T>
void tree_scan(T* x, std::size_t n, const Step<T>& step) {
  if (n <= 1) return;
  std::size_t left = 1;
  while (left * 2 < n) left *= 2;
  tree_scan(x, left, step);
  tree_scan(x + left, n - left, step);
  for (std::size_t i = left; i < n; ++i) x[i] = step(x[left - 1], x[i]);
}

template <typename T>
void expect_scan(BinaryOp op, DType dtype, const std::vector<T>& in, AxisShape s, bool reverse,
                 const Step<T>& step) {
  std::vector<T> out(in.size());
  scanner(op, dtype)(in.data(), out.data(), s, reverse);
  for (std::size_t o = 0; o < s.outer; ++o)
    for (std::size_t j = 0; j < s.inner; ++j) {
      std::vector<T> expected = line(in, s, o, j);
      if (reverse) std::reverse(expected.begin(), expected.end());
      tree_scan(expected.data(), expected.size(), step);
      if (reverse) std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(line(out, s, o, j), expected)
          << name_of(dtype) << ' ' << s.outer << 'x' << s.n << 'x' << s.inner << " reverse " << reverse;
    }
  std::vector<T> in_place = in;
  scanner(op, dtype)(in_place.data(), in_place.data(), s, reverse);
  ASSERT_EQ(in_place, out);
}

TEST(NumericScan, IsTheTreeOfHalvesInBothDirections) {
  on_each_isa([](Isa) {
    for (AxisShape s : shapes)
      for (bool reverse : {false, true}) {
        const auto values = random_floats(s.outer * s.n * s.inner, 6);
        expect_scan<float>(BinaryOp::addf, DType::f32, values, s, reverse, std::plus<>());
        const auto halves =
            run<std::uint16_t>(converter(DType::f32, DType::bf16), values.data(), values.size());
        expect_scan<std::uint16_t>(
            BinaryOp::addf, DType::bf16, halves, s, reverse,
            [](std::uint16_t a, std::uint16_t b) { return f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b)); });
      }
  });
}

TEST(NumericScan, IntegerPrefixSumsAreExact) {
  on_each_isa([](Isa) {
    std::vector<std::int64_t> in(2048), out(2048);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int64_t>(i * i) - 1000;
    scanner(BinaryOp::addi, DType::i64)(in.data(), out.data(), {1, 2048, 1}, false);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], sum += in[i]);
  });
}

TEST(NumericReduce, WhatDoesNotAssociateHasNoReduction) {
  EXPECT_FALSE(reducer(BinaryOp::subf, DType::f32));
  EXPECT_FALSE(reducer(BinaryOp::divsi, DType::i32));
  EXPECT_FALSE(scanner(BinaryOp::addf, DType::i32));
  EXPECT_FALSE(scanner(BinaryOp::addi, DType::f32));
  EXPECT_TRUE(scanner(BinaryOp::maxsi, DType::i8));
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
