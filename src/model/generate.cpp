// SPDX-License-Identifier: Apache-2.0
// The domains of docs/contracts/values.md, each a pure function of stream key and element index.
#include "model/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "fmt/format.h"
#include "model/generate_special.hpp"
#include "model/generate_words.hpp"

namespace kgb {
namespace {

using generating::kLanes;
using generating::Words;

// Block numbers (third counter word) of a stream; one for each purpose, so that no two share random bits.
enum Block : std::uint32_t { kValue = 0, kMore = 1, kSpike = 2, kPermutation = 3 };

enum class Kind : std::uint8_t {
  normal,
  uniform,
  integers,
  boolean,
  constant,
  arange,
  special,
  finite_special,
  ties,
  spike,
  precision,
  subnormal,
  permutation,
  sorted,
  triangular,
  nan,
};

struct DomainRule {
  std::string_view name;
  Kind kind;
  std::size_t least, most;         // number of parameters
  std::array<double, 4> defaults;  // for parameters that are left out
};

constexpr DomainRule kRules[] = {
    {"normal", Kind::normal, 0, 2, {0, 1}},
    {"uniform", Kind::uniform, 0, 2, {0, 1}},
    {"integers", Kind::integers, 2, 2, {}},
    {"bool", Kind::boolean, 0, 1, {0.5}},
    {"constant", Kind::constant, 1, 1, {}},
    {"zeros", Kind::constant, 0, 0, {0}},
    {"arange", Kind::arange, 0, 2, {0, 1}},
    {"special", Kind::special, 0, 2, {0, 1}},
    {"finite_special", Kind::finite_special, 0, 2, {0, 1}},
    {"ties", Kind::ties, 0, 1, {4}},
    {"spike", Kind::spike, 0, 1, {1000}},
    {"precision", Kind::precision, 0, 0, {}},
    {"large", Kind::uniform, 0, 1, {1000}},
    {"subnormal", Kind::subnormal, 0, 0, {}},
    {"indices", Kind::integers, 1, 1, {}},
    {"permutation", Kind::permutation, 0, 0, {}},
    {"sorted", Kind::sorted, 2, 2, {}},
    {"triangular", Kind::triangular, 2, 4, {0, 0, 0, 0}},
    {"nan", Kind::nan, 0, 0, {}},
};

const DomainRule* rule_named(std::string_view name) {
  for (const DomainRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

// A domain made ready: parameters in one form for names that share a kind.
struct Stream {
  Kind kind = Kind::normal;
  std::array<double, 4> p{};
  PhiloxKey key{};
  DType dtype = DType::f32;  // of a component
  bool complex = false;
  std::uint64_t components = 0;  // in the whole storage
};

std::array<std::uint32_t, 4> words_at(const Stream& s, std::uint64_t index, std::uint32_t block) {
  return philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), block, 0},
                    s.key);
}

Stream make_stream(const TensorSpec& spec, PhiloxKey key) {
  Stream s;
  s.key = key;
  s.complex = is_complex(spec.dtype);
  s.dtype = spec.dtype == DType::c64 ? DType::f32 : spec.dtype == DType::c128 ? DType::f64 : spec.dtype;
  s.components = static_cast<std::uint64_t>(spec.storage) * (s.complex ? 2 : 1);
  const DomainRule* rule = rule_named(spec.domain.kind);
  if (rule == nullptr) rule = &kRules[0];  // callers check; a wrong kind must not crash
  s.kind = rule->kind;
  s.p = rule->defaults;
  for (std::size_t i = 0; i < std::min<std::size_t>(spec.domain.params.size(), 4); ++i)
    s.p[i] = spec.domain.params[i];
  if (rule->name == "large") s.p = {-s.p[0], s.p[0]};
  if (rule->name == "indices") s.p = {0, std::max(s.p[0], 1.0) - 1};
  return s;
}

void normals(const Stream& s, const Words& a, const Words& b, double* out) {
  generating::unit_normals(a, b, out);
  generating::affine(s.p[0], s.p[1], out);
}

// low + a uniform integer below `count`; wide counts use a 64-bit fraction.
void integers(const Words& words, double low, double high, double* out) {
  const double count = high - low + 1;
  if (count <= 4294967295.0) {
    const auto n = static_cast<std::uint64_t>(std::max(count, 1.0));
    for (std::size_t i = 0; i < kLanes; ++i) {
      out[i] = low + static_cast<double>(static_cast<std::int64_t>(words.word[0][i] * n >> 32));
    }
    return;
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t fraction = std::uint64_t{words.word[1][i]} << 32 | words.word[0][i];
    out[i] = low + std::floor(static_cast<double>(fraction >> 11) * 0x1p-53 * count);
  }
}

void precisions(const Stream& s, const Words& words, double* out) {
  const double fine = s.dtype == DType::f64 ? 0x1p-40 : 0.0;  // what shows f32 arithmetic in f64
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double j = static_cast<double>(static_cast<std::int32_t>(words.word[0][i] & 63u));
    const double value = 1.0 + j * (0x1p-12 + fine);
    out[i] = (words.word[1][i] & 1u) != 0 ? -value : value;
  }
}

void spikes(const Stream& s, const Words& words, std::uint64_t first, double* out) {
  constexpr std::uint64_t group_size = 4096;
  generating::unit_reals(words, out);
  generating::affine(-1.0, 2.0, out);
  const std::uint64_t group = first / group_size;
  const std::uint64_t size = std::min(group_size, s.components - group * group_size);
  const auto random = words_at(s, group, kSpike);
  const std::uint64_t at = group * group_size + (random[0] * size >> 32);
  if (at >= first && at < first + kLanes) out[at - first] = (random[1] & 1u) != 0 ? -s.p[0] : s.p[0];
}

// A keyed bijection on [0, count): six Feistel rounds on the next even number of bits, walked until inside.
class Permutation {
 public:
  explicit Permutation(const Stream& s) : count_(s.complex ? s.components / 2 : s.components) {
    const int bits = std::max(2, static_cast<int>(std::bit_width(count_ > 0 ? count_ - 1 : 0)));
    half_ = (bits + 1) / 2;
    for (std::size_t i = 0; i < 6; i += 2) {
      const auto words = words_at(s, i, kPermutation);
      keys_[i] = std::uint64_t{words[1]} << 32 | words[0];
      keys_[i + 1] = std::uint64_t{words[3]} << 32 | words[2];
    }
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const {
    if (index >= count_) return index;
    do {
      index = once(index);
    } while (index >= count_);
    return index;
  }

 private:
  [[nodiscard]] std::uint64_t once(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = value >> half_, right = value & mask;
    for (const std::uint64_t key : keys_) {
      std::uint64_t mixed = (right + key) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 29;
      mixed *= 0xbf58476d1ce4e5b9u;
      mixed ^= mixed >> 32;
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  std::uint64_t count_;
  int half_ = 1;
  std::array<std::uint64_t, 6> keys_{};
};

void triangle(const Stream& s, const Words& words, std::uint64_t first, double* out) {
  const auto ld = static_cast<std::uint64_t>(std::max(s.p[0], 1.0));
  const auto n = static_cast<std::uint64_t>(std::max(s.p[1], 1.0));
  const bool upper = s.p[2] != 0, unit = s.p[3] != 0;
  generating::unit_reals(words, out);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t element = s.complex ? (first + i) / 2 : first + i;
    const bool imaginary = s.complex && (first + i) % 2 == 1;
    const std::uint64_t row = element % ld, column = element / ld % n;
    const double small = (2.0 * out[i] - 1.0) / static_cast<double>(n);
    const double diagonal = (words.word[2][i] & 1u) != 0 ? -1.0 - out[i] : 1.0 + out[i];
    const bool named = row < n && (upper ? row < column : row > column);
    out[i] = std::numeric_limits<double>::quiet_NaN();
    if (named) out[i] = small;
    if (row == column && !unit) out[i] = imaginary ? small : diagonal;
  }
}

// Kinds whose values follow from the element's index, with little or no randomness.
void indexed(const Stream& s, const Words& words, std::uint64_t first, double* out) {
  const Permutation permutation(s);
  if (s.kind == Kind::sorted) generating::unit_reals(words, out);
  const double range = s.p[1] - s.p[0] + 1, count = static_cast<double>(s.components);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t component = first + i;
    const std::uint64_t element = s.complex ? component / 2 : component;
    if (s.kind == Kind::sorted) {
      const double place = std::floor((static_cast<double>(component) + out[i]) * range / count);
      out[i] = s.p[0] + std::min(place, range - 1);
    } else if (s.complex && component % 2 == 1) {
      out[i] = 0;
    } else if (s.kind == Kind::constant) {
      out[i] = s.p[0];
    } else if (s.kind == Kind::arange) {
      out[i] = s.p[0] + static_cast<double>(element) * s.p[1];
    } else {
      out[i] = static_cast<double>(permutation(element));
    }
  }
}

// Values of components first .. first + kLanes - 1. Lanes past the end are made and dropped.
void fill(const Stream& s, std::uint64_t first, const Words& a, const Words& b, double* out) {
  switch (s.kind) {
    case Kind::normal:
    case Kind::special:
    case Kind::finite_special:
      return normals(s, a, b, out);
    case Kind::uniform:
      generating::unit_reals(a, out);
      return generating::affine(s.p[0], s.p[1] - s.p[0], out);
    case Kind::integers:
      return integers(a, s.p[0], s.p[1], out);
    case Kind::boolean:
      generating::unit_reals(a, out);
      for (std::size_t i = 0; i < kLanes; ++i) out[i] = out[i] < s.p[0] ? 1 : 0;
      return;
    case Kind::ties: {
      const double distinct = std::max(std::floor(s.p[0]), 1.0);
      integers(a, 0, distinct - 1, out);
      const bool real = is_float(s.dtype);
      const bool natural = s.dtype == DType::b8 || s.dtype == DType::u8 || s.dtype == DType::u16 ||
                           s.dtype == DType::u32 || s.dtype == DType::u64;
      return generating::affine(natural ? 0 : -std::floor(distinct / 2) * (real ? 0.5 : 1.0),
                                real ? 0.5 : 1.0, out);
    }
    case Kind::spike:
      return spikes(s, a, first, out);
    case Kind::precision:
      return precisions(s, a, out);
    case Kind::triangular:
      return triangle(s, a, first, out);
    case Kind::nan:
    case Kind::subnormal:  // its bits are set by generating::replace
      std::fill(out, out + kLanes, s.kind == Kind::nan ? std::numeric_limits<double>::quiet_NaN() : 0.0);
      return;
    default:
      return indexed(s, a, first, out);
  }
}

}  // namespace

PhiloxKey stream_key(std::string_view path, std::uint64_t seed, int trial, int call) {
  const Digest digest = sha256(fmt::format("{}/{}/{}/{}", seed_text(seed), trial, call, path));
  const auto word = [&](std::size_t at) {
    return std::uint32_t{digest[at]} | std::uint32_t{digest[at + 1]} << 8 |
           std::uint32_t{digest[at + 2]} << 16 | std::uint32_t{digest[at + 3]} << 24;
  };
  return {word(0), word(4)};
}

void generate(const TensorSpec& spec, std::string_view path, std::uint64_t seed, int trial, int call,
              std::span<std::byte> storage) {
  const Stream s = make_stream(spec, stream_key(path, seed, trial, call));
  const std::size_t bytes_each = size_of(s.dtype);
  const std::uint64_t count = std::min<std::uint64_t>(s.components, storage.size() / bytes_each);
  const bool twelve = s.kind == Kind::normal || s.kind == Kind::special || s.kind == Kind::finite_special;
  const bool still = s.kind == Kind::constant || s.kind == Kind::arange || s.kind == Kind::nan;
  Words a{}, b{};
  alignas(64) double values[kLanes];
  for (std::uint64_t first = 0; first < count; first += kLanes) {
    if (!still) generating::random_words(first, kValue, s.key, a);
    if (twelve) generating::random_words(first, kMore, s.key, b);
    fill(s, first, a, b, values);
    const auto lanes = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, count - first));
    std::byte* to = storage.data() + first * bytes_each;
    generating::store_values(values, lanes, s.dtype, to);
    if (s.kind == Kind::special) generating::replace_special(s.dtype, b, lanes, to);
    if (s.kind == Kind::finite_special) generating::replace_finite(s.dtype, b, lanes, to);
    if (s.kind == Kind::subnormal) generating::replace_subnormal(s.dtype, a, lanes, to);
  }
}

Status check_domain(const Domain& domain) {
  const DomainRule* rule = rule_named(domain.kind);
  if (rule == nullptr) {
    return user_error(
        fmt::format("{} is no domain{}", in_quotes(domain.kind), did_you_mean(domain.kind, domain_kinds())));
  }
  const std::size_t given = domain.params.size();
  if (given < rule->least || given > rule->most) {
    const std::string wants = rule->least == rule->most ? fmt::format("{}", rule->least)
                                                        : fmt::format("{} to {}", rule->least, rule->most);
    return user_error(fmt::format("domain {} takes {} parameters, got {}", rule->name, wants, given));
  }
  for (const double value : domain.params) {
    if (!std::isfinite(value) && domain.kind != "constant") {
      return user_error(fmt::format("domain {} needs finite parameters", rule->name));
    }
  }
  const auto at_least = [&](std::size_t i, double least) { return given <= i || domain.params[i] >= least; };
  const bool ranged = domain.kind == "integers" || domain.kind == "sorted" || domain.kind == "uniform";
  if (ranged && given == 2 && domain.params[0] > domain.params[1]) {
    return user_error(
        fmt::format("domain {} has an empty range {} .. {}", rule->name, domain.params[0], domain.params[1]));
  }
  if ((domain.kind == "indices" && !at_least(0, 0)) || (domain.kind == "ties" && !at_least(0, 1)) ||
      (domain.kind == "triangular" && (!at_least(0, 0) || !at_least(1, 0)))) {
    return user_error(fmt::format("domain {} has a parameter that is too small", rule->name));
  }
  return ok_status();
}

std::vector<std::string> domain_kinds() {
  std::vector<std::string> names;
  for (const DomainRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

std::string seed_text(std::uint64_t seed) {
  return fmt::format("{:016x}", seed);
}

std::optional<std::uint64_t> seed_from_text(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (text.empty() || text.size() > 16) return std::nullopt;
  std::uint64_t seed = 0;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower >= '0' && lower <= '9') {
      seed = seed << 4 | static_cast<std::uint64_t>(lower - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      seed = seed << 4 | static_cast<std::uint64_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return seed;
}

}  // namespace kgb
