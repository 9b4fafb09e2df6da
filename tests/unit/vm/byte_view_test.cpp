// SPDX-License-Identifier: Apache-2.0
// Which bytes a strided tensor covers, compared with a map of them.
#include "vm/byte_view.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kgb::vm {
namespace {

using Sizes = std::vector<std::int64_t>;

// Every byte of every element, relative to `base`.
std::vector<bool> map_of(std::int64_t offset, std::size_t element, const Sizes& shape, const Sizes& strides,
                         std::size_t bytes) {
  std::vector<bool> map(bytes, false);
  Sizes index(shape.size(), 0);
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = offset, rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at += rest % shape[d] * strides[d] * static_cast<std::int64_t>(element);
    for (std::size_t b = 0; b < element; ++b) map[static_cast<std::size_t>(at) + b] = true;
  }
  return map;
}

TEST(ByteView, RowsOfASliceAndTheGapsBetweenThem) {
  const ByteView left(0, 4, Sizes{3, 2}, Sizes{8, 1});
  EXPECT_EQ(left.rows(), 3);
  EXPECT_EQ(left.high(), 4 * (2 * 8 + 2));
  EXPECT_TRUE(left.contains(7));
  EXPECT_FALSE(left.contains(8));
  EXPECT_TRUE(left.contains(32));
  EXPECT_FALSE(left.contains(72));
}

TEST(ByteView, WhatIsDenseIsOneRow) {
  EXPECT_EQ(ByteView(0, 4, Sizes{3, 8}, Sizes{8, 1}).rows(), 1);
  EXPECT_EQ(ByteView(0, 4, Sizes{8, 3}, Sizes{1, 8}).rows(), 1);   // transposed
  EXPECT_EQ(ByteView(0, 4, Sizes{5, 3}, Sizes{1, 1}).rows(), 1);   // sliding windows
  EXPECT_EQ(ByteView(0, 4, Sizes{9, 3}, Sizes{0, 1}).high(), 12);  // expanded
  EXPECT_EQ(ByteView(4, 4, Sizes{}, Sizes{}).high(), 8);
  EXPECT_EQ(ByteView(4, 4, Sizes{2, 0}, Sizes{1, 1}).rows(), 0);
}

TEST(ByteView, NeighboursThatInterleaveAreDisjoint) {
  const Sizes half{4, 8}, strides{16, 1};
  EXPECT_TRUE(disjoint(ByteView(0, 4, half, strides), ByteView(32, 4, half, strides)));
  EXPECT_FALSE(disjoint(ByteView(0, 4, half, strides), ByteView(28, 4, half, strides)));
  EXPECT_TRUE(disjoint(ByteView(0, 4, Sizes{8}, Sizes{1}), ByteView(32, 4, Sizes{8}, Sizes{1})));
  EXPECT_FALSE(disjoint(ByteView(0, 4, Sizes{16}, Sizes{1}), ByteView(8, 4, Sizes{1}, Sizes{1})));
}

TEST(ByteView, AgreesWithAMapOfEveryNestedView) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    Sizes shape, strides;
    std::int64_t step = 1;
    for (int d = 0; d < 3; ++d) {
      shape.push_back(1 + below(4));
      strides.push_back(step * (1 + below(3)));
      step = strides.back() * shape.back();
    }
    const std::int64_t offset = below(9);
    const std::size_t element = std::size_t{1} << below(3);
    const auto map = map_of(offset, element, shape, strides, 20000);
    const ByteView view(offset, element, shape, strides);
    for (std::int64_t byte = 0; byte < view.high() + 9; ++byte)
      ASSERT_EQ(view.contains(byte), map[static_cast<std::size_t>(byte)]) << round << " byte " << byte;
    std::vector<bool> rows(map.size(), false);
    view.each_row([&](std::int64_t from, std::int64_t to) {
      for (std::int64_t byte = from; byte < to; ++byte) rows[static_cast<std::size_t>(byte)] = true;
    });
    EXPECT_EQ(rows, map) << round;
  }
}

}  // namespace
}  // namespace kgb::vm
