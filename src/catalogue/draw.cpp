// SPDX-License-Identifier: Apache-2.0
// Sizes and shapes that break kernels: odd, prime, empty, next to powers of two, and one large.
#include "catalogue/draw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/hash.hpp"
#include "fmt/format.h"
#include "model/generate.hpp"

namespace kgb {
namespace {

enum Kind : int { kLarge, kOdd, kPrime, kTiny, kPower, kOnes, kEmpty, kLowest, kKinds };

bool is_prime(std::int64_t n) {
  if (n < 2) return false;
  for (std::int64_t d = 2; d <= n / d; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

}  // namespace

Draw::Draw(std::uint64_t seed, std::string_view op, int hidden_template, int draw, int attempt,
           const Uses& uses)
    : seed_(seed), op_(op), template_(hidden_template), draw_(draw), attempt_(attempt), uses_(uses) {
  key_ = key_of(fmt::format("draw {} {}", draw, attempt));
}

PhiloxKey Draw::key_of(std::string_view purpose) const {
  const Digest digest = sha256(fmt::format("hidden/{}/{}/{}/{}", seed_text(seed_), op_, template_, purpose));
  PhiloxKey key{};
  for (std::size_t i = 0; i < 8; ++i) key[i / 4] |= std::uint32_t{digest[i]} << (8 * (i % 4));
  return key;
}

std::uint32_t Draw::bits() {
  const auto words = philox4x32({static_cast<std::uint32_t>(counter_ / 4), 0, 0, 0}, key_);
  return words[counter_++ % 4];
}

std::int64_t Draw::below(std::int64_t count) {
  if (count <= 1) return 0;
  const std::uint64_t random = std::uint64_t{bits()} << 32 | bits();
  return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(count));
}

double Draw::unit() {
  return static_cast<double>((std::uint64_t{bits()} << 32 | bits()) >> 12) * 0x1p-52;
}

double Draw::real(double lo, double hi) {
  switch (below(8)) {
    case 0:
      return lo;
    case 1:
      return hi;
    default:
      return lo + unit() * (hi - lo);
  }
}

int Draw::uses_of(const std::string& choice) const {
  const auto found = uses_.find(choice);
  return found == uses_.end() ? 0 : found->second;
}

std::size_t Draw::pick(const std::string& what, std::span<const std::string> names) {
  const bool any = by_chance();
  std::vector<std::size_t> open;
  int fewest = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int used = any ? 0 : uses_of(what + "/" + names[i]);
    if (open.empty() || used < fewest) {
      open.clear();
      fewest = used;
    }
    if (used == fewest) open.push_back(i);
  }
  const std::size_t chosen = open[static_cast<std::size_t>(below(static_cast<std::int64_t>(open.size())))];
  chosen_.push_back(what + "/" + names[chosen]);
  return chosen;
}

std::int64_t Draw::alternative(std::int64_t count) {
  const int axis = axis_++;
  if (count <= 1) return 0;
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return static_cast<std::int64_t>(pick(fmt::format("template {} axis {}", template_, axis), names));
}

void Draw::count_into(Uses& uses) const {
  for (const std::string& choice : chosen_) ++uses[choice];
}

std::int64_t Draw::rank(std::int64_t lo, std::int64_t hi, bool lowest) {
  const std::string what = fmt::format("rank of shape {}", shapes_);
  const auto settle = [&](std::int64_t rank) {
    chosen_.push_back(fmt::format("{}/{}", what, rank));
    return rank;
  };
  // Once for the entry, unless `when` goes on refusing it.
  if (!by_chance() && attempt_ % 8 < 2 && uses_of(fmt::format("{}/{}", what, hi)) == 0) return settle(hi);
  if (lowest) return settle(lo);
  std::vector<std::string> names;
  for (std::int64_t r = lo; r <= hi; ++r) names.push_back(std::to_string(r));
  return lo + static_cast<std::int64_t>(pick(what, names));
}

std::int64_t Draw::log_uniform(std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  const double base = static_cast<double>(std::max<std::int64_t>(lo, 0)) + 1;
  const double span = static_cast<double>(hi) + 2 - base;
  // Between uniform and logarithmic without a logarithm, whose last bit differs between machines: u^3.
  const double u = unit();
  const auto value = static_cast<std::int64_t>(base - 1 + u * u * u * span);
  return std::clamp(value, lo, hi);
}

std::int64_t Draw::prime_below(std::int64_t hi) {
  std::int64_t n = std::min<std::int64_t>(log_uniform(2, std::max<std::int64_t>(hi, 2)), 1 << 22);
  while (n > 2 && !is_prime(n)) --n;
  return std::max<std::int64_t>(n, 2);
}

std::int64_t Draw::size(std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  if (hi - lo < 6) return lo + below(hi - lo + 1);
  std::int64_t value = lo;
  switch (below(8)) {
    case 0:
      return lo;
    case 1:
      return hi;
    case 2:
    case 3:
      value = prime_below(hi);
      break;
    case 4:
    case 5:
      value = log_uniform(lo, hi) | 1;
      break;
    case 6: {
      std::int64_t power = 1;
      const std::int64_t target = log_uniform(std::max<std::int64_t>(lo, 1), hi);
      while (power * 2 <= target) power *= 2;
      value = power - 1 + below(3);
      break;
    }
    default:
      value = lo + below(hi - lo + 1);
      break;
  }
  return value < lo || value > hi ? lo + below(hi - lo + 1) : value;
}

// One side of a shape of the kind, with room for at most `room` elements.
std::int64_t Draw::side(int kind, std::int64_t room) {
  if (room <= 1) return 1;
  switch (kind) {
    case kPrime:
      return std::min(prime_below(room), room);
    case kTiny:
      return 1 + below(std::min<std::int64_t>(room, 3));
    case kPower: {
      std::int64_t power = 1;
      const std::int64_t target = log_uniform(1, room);
      while (power * 2 <= target) power *= 2;
      return std::clamp<std::int64_t>(power - 1 + below(3), 1, room);
    }
    case kOnes:
      return below(2) == 0 ? 1 : log_uniform(1, room);
    case kEmpty:
      return 1 + below(std::min<std::int64_t>(room, 7));
    default: {  // odd
      const std::int64_t odd = log_uniform(std::min<std::int64_t>(3, room), room) | 1;
      return odd > room ? room : odd;
    }
  }
}

std::vector<std::int64_t> Draw::dims(std::int64_t rank_lo, std::int64_t rank_hi, std::int64_t max_numel) {
  // The first draw is the large one and the second the odd one; the order of the rest is the seed's.
  std::array<int, kKinds> order{kLarge, kOdd, kPrime, kTiny, kPower, kOnes, kEmpty, kLowest};
  const auto words = philox4x32({static_cast<std::uint32_t>(shapes_), 1, 0, 0}, key_of("kinds"));
  std::uint64_t random = std::uint64_t{words[1]} << 32 | words[0];
  for (std::size_t i = kKinds - 1; i > 2; --i) {
    std::swap(order[i], order[2 + random % (i - 1)]);
    random /= i - 1;
  }
  const int kind = order[static_cast<std::size_t>(draw_ + attempt_) % kKinds];
  const bool has_sides = kind == kEmpty || kind == kLarge;
  const std::int64_t lowest = has_sides ? std::max(rank_lo, std::min<std::int64_t>(1, rank_hi)) : rank_lo;
  const std::int64_t rank = this->rank(lowest, rank_hi, kind == kLowest);
  ++shapes_;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  std::vector<std::size_t> sides(shape.size());
  std::iota(sides.begin(), sides.end(), std::size_t{0});
  for (std::size_t i = sides.size(); i > 1; --i) {
    std::swap(sides[i - 1], sides[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }
  std::int64_t room = std::max<std::int64_t>(max_numel, 1);
  if (kind != kLarge) room = std::max<std::int64_t>(room / 8, std::min<std::int64_t>(room, 64));
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool last = i + 1 == sides.size();
    // Leave something for the sides that come later: the square root for each but the last.
    const auto share = static_cast<std::int64_t>(std::sqrt(static_cast<double>(room)));
    std::int64_t chosen = side(kind, last ? room : std::max<std::int64_t>(share, 1));
    if (kind == kLarge && last) chosen = std::max<std::int64_t>(1, room - (room > 8 ? below(room / 8) : 0));
    shape[sides[i]] = chosen;
    room = std::max<std::int64_t>(room / std::max<std::int64_t>(chosen, 1), 1);
  }
  if (kind == kEmpty && !shape.empty()) shape[sides[0]] = 0;
  return shape;
}

}  // namespace kgb
