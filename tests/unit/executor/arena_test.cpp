// SPDX-License-Identifier: Apache-2.0
// The arena's layout, red zones and scrubbing.
#include "executor/arena.hpp"

#include <gtest/gtest.h>

namespace kgb::executor {
namespace {

std::vector<PlanBuffer> buffers(std::initializer_list<std::int64_t> sizes) {
  std::vector<PlanBuffer> all;
  for (const std::int64_t bytes : sizes) all.push_back({BufferKind::alloc, bytes, 0, ""});
  return all;
}

TEST(Arena, BuffersAreAlignedAndApart) {
  ArenaMemory memory;
  const auto arena = Arena::create(buffers({1, 512, 0, 1000}), kPatterns[0], memory);
  ASSERT_TRUE(arena.ok());
  std::byte* last_end = nullptr;
  for (int b = 0; b < 4; ++b) {
    const auto bytes = arena->bytes(b);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % kBufferAlignment, 0u);
    if (last_end != nullptr) {
      EXPECT_GE(bytes.data() - last_end, static_cast<std::ptrdiff_t>(kRedZone));
    }
    last_end = bytes.data() + bytes.size();
  }
  EXPECT_EQ(arena->address({-1, 0}), 0u);
  EXPECT_EQ(arena->address({1, 8}), reinterpret_cast<std::uintptr_t>(arena->data(1)) + 8);
}

TEST(Arena, ABufferThatReusesAnotherHasItsMemory) {
  ArenaMemory memory;
  std::vector<PlanBuffer> all = buffers({100, 200, 100, 100});
  all[2].reuses = 3;  // whatever order they are listed in
  all[3].reuses = 0;
  const auto arena = Arena::create(all, kPatterns[0], memory);
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ(arena->data(2), arena->data(0));
  EXPECT_EQ(arena->data(3), arena->data(0));
  EXPECT_FALSE(arena->check_red_zones());
  arena->data(2)[100] ^= std::byte{1};
  const auto hit = arena->check_red_zones();
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->before, 0);
  EXPECT_EQ(hit->after, 1);
}

TEST(Arena, EveryByteBetweenBuffersIsWatched) {
  ArenaMemory memory;
  for (const std::byte pattern : kPatterns) {
    const auto arena = Arena::create(buffers({100, 200}), pattern, memory);
    ASSERT_TRUE(arena.ok());
    EXPECT_FALSE(arena->check_red_zones());
    for (const std::ptrdiff_t at : {-1, 100, 100 + 255}) {
      std::byte& byte = arena->data(0)[at];
      byte ^= std::byte{1};
      const auto hit = arena->check_red_zones();
      ASSERT_TRUE(hit);
      EXPECT_EQ(hit->before, at < 0 ? -1 : 0);
      EXPECT_EQ(hit->after, at < 0 ? 0 : 1);
      if (at > 0) {
        EXPECT_EQ(hit->distance, at - 100);
      }
      byte ^= std::byte{1};
    }
    arena->data(1)[200] = ~pattern;
    const auto hit = arena->check_red_zones();
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->after, -1);
  }
}

TEST(Arena, NothingOfATrialSurvivesIt) {
  ArenaMemory memory;
  std::byte* where = nullptr;
  {
    const auto arena = Arena::create(buffers({4096}), kPatterns[1], memory);
    ASSERT_TRUE(arena.ok());
    where = arena->data(0);
    EXPECT_EQ(where[7], kPatterns[1]);
  }
  EXPECT_EQ(where[7], std::byte{0});
}

}  // namespace
}  // namespace kgb::executor
