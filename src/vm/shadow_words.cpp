// SPDX-License-Identifier: Apache-2.0
// Words of granules, by blocks.
#include "vm/shadow_words.hpp"

namespace kgb::vm {

void ShadowWords::assign(std::size_t n, std::uint32_t word) {
  size_ = n;
  blocks_.clear();
  blocks_.resize((n + kBlock - 1) / kBlock);
  if (word != 0)
    for (Block& block : blocks_) block.word = word;
}

std::uint32_t* ShadowWords::dense(Block& block) {
  if (!block.dense) {
    if (block.words == nullptr) block.words = std::make_unique_for_overwrite<std::uint32_t[]>(kBlock);
    std::fill_n(block.words.get(), kBlock, block.word);
    block.dense = true;
  }
  return block.words.get();
}

void ShadowWords::fill(std::size_t first, std::size_t n, std::uint32_t word) {
  each_block(first, n, [&](std::size_t b, std::size_t from, std::size_t to) {
    Block& block = blocks_[b];
    if (from == 0 && to == kBlock) {
      block.word = word;
      block.dense = false;
    } else if (block.dense || block.word != word) {
      std::fill_n(dense(block) + from, to - from, word);
    }
  });
}

ShadowWords ShadowWords::split(int parts, std::size_t n) const {
  ShadowWords finer;
  finer.assign(n, 0);
  const std::size_t factor = std::size_t{1} << parts;
  for (std::size_t i = 0; i < size_;) {
    const Block& block = blocks_[i / kBlock];
    const std::size_t count = block.dense ? 1 : std::min(kBlock, size_ - i);
    const std::size_t first = std::min(i * factor, n), last = std::min((i + count) * factor, n);
    finer.fill(first, last - first, (*this)[i]);
    i += count;
  }
  return finer;
}

}  // namespace kgb::vm
