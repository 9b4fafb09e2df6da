// SPDX-License-Identifier: Apache-2.0
// Layouts: exact strides, every element inside the storage, no two elements in one place unless expanded.
#include "catalogue/layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kgb {
namespace {

using Ints = std::vector<std::int64_t>;

TensorSpec laid_out(LayoutKind kind, Ints shape, bool mutated = false) {
  TensorSpec spec;
  spec.shape = std::move(shape);
  spec.mutated = mutated;
  apply_layout(kind, spec);
  return spec;
}

void expect_layout(LayoutKind kind, const Ints& shape, const Ints& strides, std::int64_t offset,
                   std::int64_t storage) {
  const TensorSpec spec = laid_out(kind, shape);
  EXPECT_EQ(spec.strides, strides) << name_of(kind);
  EXPECT_EQ(spec.offset, offset) << name_of(kind);
  EXPECT_EQ(spec.storage, storage) << name_of(kind);
}

TEST(Layout, StridesOffsetAndStorage) {
  expect_layout(LayoutKind::contiguous, {2, 3, 4}, {12, 4, 1}, 0, 24);
  expect_layout(LayoutKind::transposed, {2, 3, 4}, {12, 1, 3}, 0, 24);
  expect_layout(LayoutKind::permuted, {2, 3, 4}, {1, 2, 6}, 0, 24);
  expect_layout(LayoutKind::sliced, {2, 3, 4}, {24, 8, 2}, 0, 48);
  expect_layout(LayoutKind::offset, {2, 3, 4}, {12, 4, 1}, 3, 27);
  expect_layout(LayoutKind::expanded, {2, 3, 4}, {0, 4, 1}, 0, 12);
  expect_layout(LayoutKind::padded, {2, 3, 4}, {27, 9, 1}, 0, 54);
  expect_layout(LayoutKind::channels_last, {2, 3, 4, 5}, {60, 1, 15, 3}, 0, 120);
}

TEST(Layout, ShapesThatCannotHaveItBecomeContiguous) {
  expect_layout(LayoutKind::transposed, {5}, {1}, 0, 5);
  expect_layout(LayoutKind::sliced, {}, {}, 0, 1);
  expect_layout(LayoutKind::expanded, {1, 4}, {4, 1}, 0, 4);
  expect_layout(LayoutKind::padded, {0, 4}, {4, 1}, 0, 0);
  expect_layout(LayoutKind::channels_last, {3, 4}, {4, 1}, 0, 12);
}

TEST(Layout, WrittenTensorsAreNeverExpanded) {
  EXPECT_EQ(laid_out(LayoutKind::expanded, {4, 3}, true).strides, (Ints{3, 1}));
}

TEST(Layout, NamesAreReadBack) {
  for (const std::string& name : layout_names()) EXPECT_EQ(name_of(*layout_named(name)), name);
  EXPECT_FALSE(layout_named("diagonal"));
}

TEST(Layout, EveryElementLiesInTheStorageAtAPlaceOfItsOwn) {
  const Ints shapes[] = {{},     {1},       {7},       {0},          {1, 5},         {5, 1},
                         {3, 4}, {2, 0, 3}, {2, 3, 4}, {2, 3, 4, 5}, {1, 2, 1, 3, 2}};
  for (int k = 0; k < kLayoutKinds; ++k) {
    for (const Ints& shape : shapes) {
      const TensorSpec spec = laid_out(static_cast<LayoutKind>(k), shape);
      ASSERT_TRUE(check_spec(spec).ok());
      std::set<std::int64_t> places;
      for (std::int64_t i = 0; i < spec.numel(); ++i) {
        std::int64_t rest = i, place = spec.offset;
        for (std::size_t d = shape.size(); d-- > 0;) {
          place += rest % shape[d] * spec.strides[d];
          rest /= shape[d];
        }
        EXPECT_LT(place, spec.storage);
        places.insert(place);
      }
      const bool expanded = std::find(spec.strides.begin(), spec.strides.end(), 0) != spec.strides.end();
      EXPECT_EQ(static_cast<std::int64_t>(places.size()), expanded ? spec.numel() / shape[0] : spec.numel());
    }
  }
}

}  // namespace
}  // namespace kgb
