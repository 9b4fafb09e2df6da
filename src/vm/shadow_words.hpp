// SPDX-License-Identifier: Apache-2.0
// One word for each granule of a buffer. Tiles are mostly stored as rows of one program instance, so a block
// of granules whose words are all the same is kept as that word: looking at it is one comparison, and memory
// is not touched for each element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kgb::vm {

class ShadowWords {
 public:
  // `n` words, all of them `word`.
  void assign(std::size_t n, std::uint32_t word);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    const Block& block = blocks_[i / kBlock];
    return block.dense ? block.words[i % kBlock] : block.word;
  }
  // To be read or changed alone.
  [[nodiscard]] std::uint32_t& single(std::size_t i) { return dense(blocks_[i / kBlock])[i % kBlock]; }
  void fill(std::size_t first, std::size_t n, std::uint32_t word);
  // The words of granules of 1 / 2^parts the size, `n` of them.
  [[nodiscard]] ShadowWords split(int parts, std::size_t n) const;

  // Whether `is` holds for any of the words [first, first + n).
  template <typename Is>
  [[nodiscard]] bool any(std::size_t first, std::size_t n, const Is& is) const {
    bool found = false;
    each_block(first, n, [&](std::size_t b, std::size_t from, std::size_t to) {
      const Block& block = blocks_[b];
      if (!block.dense) {
        found |= is(block.word);
        return;
      }
      std::uint32_t some = 0;
      for (std::size_t i = from; i < to; ++i) some |= static_cast<std::uint32_t>(is(block.words[i]));
      found |= some != 0;
    });
    return found;
  }
  // Each of them becomes `change` of itself.
  template <typename Change>
  void update(std::size_t first, std::size_t n, const Change& change) {
    each_block(first, n, [&](std::size_t b, std::size_t from, std::size_t to) {
      Block& block = blocks_[b];
      if (!block.dense) {
        const std::uint32_t word = change(block.word);
        if (word == block.word) return;
        if (from == 0 && to == kBlock) {
          block.word = word;
          return;
        }
      }
      std::uint32_t* words = dense(block);
      for (std::size_t i = from; i < to; ++i) words[i] = change(words[i]);
    });
  }

 private:
  static constexpr std::size_t kBlock = 64;
  struct Block {
    std::unique_ptr<std::uint32_t[]> words;
    std::uint32_t word = 0;  // of all, unless dense
    bool dense = false;
  };

  template <typename Visit>
  static void each_block(std::size_t first, std::size_t n, const Visit& visit) {
    const std::size_t end = first + n;
    while (first < end) {
      const std::size_t b = first / kBlock, start = b * kBlock, stop = std::min(end, start + kBlock);
      visit(b, first - start, stop - start);
      first = stop;
    }
  }
  static std::uint32_t* dense(Block& block);

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace kgb::vm
