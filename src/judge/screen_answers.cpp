// SPDX-License-Identifier: Apache-2.0
// Builds the answers: as doubles or integers first, then as the output's bytes.
#include "judge/screen_answers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "model/element.hpp"
#include "model/generate.hpp"
#include "model/generate_words.hpp"

namespace kgb {
namespace {

// Elements of one tensor: reals (complex as pairs) for float and complex dtypes, else integers.
struct Elements {
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
};

bool holds_reals(DType dtype) {
  return is_float(dtype) || is_complex(dtype);
}
std::size_t width_of(DType dtype) {
  return is_complex(dtype) ? 2 : 1;
}

std::size_t numel_of(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (const std::int64_t extent : shape) n *= static_cast<std::size_t>(extent);
  return n;
}

std::int64_t to_integer(double value, DType dtype) {
  if (dtype == DType::b8) return value != 0 ? 1 : 0;
  const double bits = 8.0 * static_cast<double>(size_of(dtype));
  const bool is_signed =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  const double least = is_signed ? -std::exp2(bits - 1) : 0;
  const double most =
      std::exp2(is_signed ? bits - 1 : bits) - 1;  // 2^63 or 2^64 for the widest: capped below
  const double whole = std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), least, most);
  if (whole >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(whole);
}

Elements elements_of(const ExpectedOutput& expected) {
  Elements out;
  const std::size_t n = numel_of(expected.shape);
  if (holds_reals(expected.dtype) || expected.kind == ValueKind::f64) {
    std::vector<double> values(n * (expected.kind == ValueKind::c128 ? 2 : 1));
    if (expected.kind == ValueKind::f64 || expected.kind == ValueKind::c128) {
      std::memcpy(values.data(), expected.value.data(), 8 * values.size());
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        std::int64_t whole = 0;
        if (expected.kind == ValueKind::i64) std::memcpy(&whole, expected.value.data() + 8 * i, 8);
        values[i] = expected.kind == ValueKind::b8 ? (expected.value[i] != std::byte{0} ? 1.0 : 0.0)
                                                   : static_cast<double>(whole);
      }
    }
    if (holds_reals(expected.dtype)) {
      out.reals = std::move(values);
    } else {
      for (const double value : values) out.integers.push_back(to_integer(value, expected.dtype));
    }
    return out;
  }
  out.integers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (expected.kind == ValueKind::b8) {
      out.integers[i] = expected.value[i] != std::byte{0} ? 1 : 0;
    } else {
      std::memcpy(&out.integers[i], expected.value.data() + 8 * i, 8);
    }
  }
  return out;
}

std::vector<std::byte> encoded(const Elements& elements, DType dtype) {
  if (holds_reals(dtype)) {
    const DType component = component_of(dtype);
    std::vector<double> rounded(elements.reals.size());
    std::transform(elements.reals.begin(), elements.reals.end(), rounded.begin(),
                   [&](double value) { return round_to_dtype(value, component); });
    std::vector<std::byte> bytes(rounded.size() * size_of(component));
    generating::store_values(rounded.data(), rounded.size(), component, bytes.data());
    return bytes;
  }
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(elements.integers.size() * size);
  for (std::size_t i = 0; i < elements.integers.size(); ++i)
    std::memcpy(bytes.data() + i * size, &elements.integers[i], size);  // little-endian: the low bytes
  return bytes;
}

// By value: -0 equals 0, NaN equals NaN.
bool same_values(const std::vector<std::byte>& a, const std::vector<std::byte>& b, DType dtype) {
  if (!holds_reals(dtype)) return a == b;
  const std::size_t n = a.size() / size_of(component_of(dtype));
  std::vector<double> x(n), y(n);
  decode_reals(dtype, a.data(), x);
  decode_reals(dtype, b.data(), y);
  for (std::size_t i = 0; i < n; ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
  return true;
}

// The storage's elements that the spec addresses, in row-major order.
Elements gathered(const TensorSpec& spec, const std::string& path, const ValueSet& set) {
  std::vector<std::byte> storage(static_cast<std::size_t>(spec.storage_bytes()));
  generate(spec, path, set.seed, set.trial, set.number, storage);
  const std::size_t n = numel_of(spec.shape), size = size_of(spec.dtype);
  std::vector<std::byte> bytes(n * size);
  std::vector<std::int64_t> at(spec.shape.size(), 0);
  std::int64_t place = spec.offset;
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(bytes.data() + i * size, storage.data() + static_cast<std::size_t>(place) * size, size);
    for (std::size_t d = at.size(); d-- > 0;) {
      place += spec.strides[d];
      if (++at[d] < spec.shape[d]) break;
      place -= spec.strides[d] * spec.shape[d];
      at[d] = 0;
    }
  }
  Elements out;
  if (holds_reals(spec.dtype)) {
    out.reals.resize(n * width_of(spec.dtype));
    decode_reals(spec.dtype, bytes.data(), out.reals);
  } else {
    out.integers.resize(n);
    decode_integers(spec.dtype, bytes.data(), out.integers);
  }
  return out;
}

std::optional<Elements> converted(Elements elements, DType from, DType to) {
  if (is_complex(from) != is_complex(to)) return std::nullopt;
  if (holds_reals(from) == holds_reals(to)) {
    if (to == DType::b8)
      for (std::int64_t& value : elements.integers) value = value != 0 ? 1 : 0;
    return elements;
  }
  Elements out;
  for (const std::int64_t value : elements.integers) out.reals.push_back(static_cast<double>(value));
  for (const double value : elements.reals) out.integers.push_back(to_integer(value, to));
  return out;
}

// The first other tensor of the output's shape, or the output's own argument before the call.
std::optional<Elements> input_like(const AnswerSource& source, bool itself) {
  for (const auto& [path, spec] : tensors_of(source.call)) {
    if ((path == source.expected.path) != itself || spec.shape != source.expected.shape) continue;
    if (auto found = converted(gathered(spec, path, source.set), spec.dtype, source.expected.dtype))
      return found;
  }
  return std::nullopt;
}

// Every element becomes f(component number, old value).
template <typename F>
Elements mapped(Elements elements, std::size_t width, F f) {
  for (std::size_t i = 0; i < elements.reals.size(); ++i) elements.reals[i] = f(i % width, elements.reals[i]);
  for (std::int64_t& value : elements.integers)
    value = static_cast<std::int64_t>(f(0, static_cast<double>(value)));
  return elements;
}

Elements filled(const Elements& like, double value, std::size_t width) {
  return mapped(like, width, [&](std::size_t component, double) { return component == 0 ? value : 0.0; });
}

Elements repeated_first(Elements elements, std::size_t width) {
  for (std::size_t i = width; i < elements.reals.size(); ++i) elements.reals[i] = elements.reals[i % width];
  for (std::int64_t& value : elements.integers) value = elements.integers.front();
  return elements;
}

Elements averaged(const Elements& elements, std::size_t width, DType dtype) {
  double sum[2] = {0, 0};
  std::size_t count = 0;
  for (std::size_t i = 0; i < elements.reals.size(); ++i)
    if (std::isfinite(elements.reals[i])) {
      sum[i % width] += elements.reals[i];
      ++count;
    }
  for (const std::int64_t value : elements.integers) sum[0] += static_cast<double>(value);
  const double n = std::max(1.0, holds_reals(dtype) ? static_cast<double>(count) / static_cast<double>(width)
                                                    : static_cast<double>(elements.integers.size()));
  Elements out = mapped(elements, width, [&](std::size_t component, double) { return sum[component] / n; });
  for (std::int64_t& value : out.integers)
    value = dtype == DType::b8 ? (sum[0] / n > 0.5 ? 1 : 0) : to_integer(sum[0] / n, dtype);
  return out;
}

// Rotated by one along the last dimension that has more than one element.
template <typename T>
void rotate_elements(std::vector<T>& values, const std::vector<std::int64_t>& shape, std::size_t width) {
  std::size_t inner = width, d = shape.size();
  while (d > 0 && shape[d - 1] == 1) --d;
  if (d == 0) return;
  for (std::size_t k = d; k < shape.size(); ++k) inner *= static_cast<std::size_t>(shape[k]);
  const std::size_t line = inner * static_cast<std::size_t>(shape[d - 1]);
  for (std::size_t first = 0; first + line <= values.size(); first += line) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    std::rotate(begin, begin + static_cast<std::ptrdiff_t>(inner), begin + static_cast<std::ptrdiff_t>(line));
  }
}

Elements rotated(Elements elements, const std::vector<std::int64_t>& shape, std::size_t width) {
  rotate_elements(elements.reals, shape, width);
  rotate_elements(elements.integers, shape, width);
  return elements;
}

Elements without_last_block(Elements elements, std::size_t width) {
  const std::size_t n = std::max(elements.reals.size() / width, elements.integers.size());
  const auto block = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, n / 8));
  if (!elements.reals.empty())
    std::fill(elements.reals.end() - block * static_cast<std::ptrdiff_t>(width), elements.reals.end(), 0.0);
  if (!elements.integers.empty()) std::fill(elements.integers.end() - block, elements.integers.end(), 0);
  return elements;
}

// Bits of the significand, the hidden one included, of the next lower precision; 0: there is none. A bound
// made for sums in 16 bits lets a result of 8 bits pass by intent: then it is the precision below that.
int lower_bits(DType dtype, DType accumulate) {
  if (size_of(accumulate) == 2 && size_of(dtype) == 2) return 4;
  switch (component_of(dtype)) {
    case DType::f64:
      return dtype == DType::f64 || dtype == DType::c128 ? 24 : 0;
    case DType::f32:
      return 11;  // TF32, f16
    case DType::f16:
      return 8;  // bf16
    case DType::bf16:
      return 4;  // f8e4m3
    default:
      return 0;
  }
}

Elements rounded_to_bits(Elements elements, int bits) {
  for (double& value : elements.reals) {
    if (!std::isfinite(value) || value == 0) continue;
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    value = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
  return elements;
}

bool lowers_by_rounding(const TensorSpec& spec) {
  static const std::set<std::string> kinds{"normal",  "uniform",     "integers", "bool",       "constant",
                                           "zeros",   "arange",      "ties",     "spike",      "precision",
                                           "indices", "permutation", "sorted",   "triangular", "nan"};
  // f16 ends at 65504; six standard deviations stay inside.
  return kinds.count(spec.domain.kind) != 0 &&
         std::all_of(spec.domain.params.begin(), spec.domain.params.end(),
                     [](double p) { return std::abs(p) <= 1e4; });
}

// False when the tensor forbids lowering the call.
bool lower_spec(TensorSpec& spec, bool& any) {
  const DType to = spec.dtype == DType::f64    ? DType::f32
                   : spec.dtype == DType::f32  ? DType::f16
                   : spec.dtype == DType::c128 ? DType::c64
                                               : spec.dtype;
  if (to == spec.dtype) return true;
  any = true;
  spec.dtype = to;
  return lowers_by_rounding(spec);
}

template <typename F>
void for_each_spec(Call& call, F f) {
  for (Arg& arg : call.args) {
    if (auto* spec = std::get_if<TensorSpec>(&arg.value)) f(*spec);
    if (auto* list = std::get_if<TensorList>(&arg.value))
      for (std::optional<TensorSpec>& item : list->items)
        if (item) f(*item);
    if (auto* pointers = std::get_if<PointerArray>(&arg.value))
      std::for_each(pointers->items.begin(), pointers->items.end(), f);
  }
}

}  // namespace

std::optional<Call> lowered(const Call& call) {
  Call out = call;
  bool any = false, fine = true;
  for_each_spec(out, [&](TensorSpec& spec) { fine = lower_spec(spec, any) && fine; });
  if (!any || !fine) return std::nullopt;
  return out;
}

std::optional<Call> enlivened(const Call& call) {
  static const std::set<std::string> monotonous{"constant", "zeros",          "nan",
                                                "special",  "finite_special", "subnormal"};
  Call out = call;
  for_each_spec(out, [](TensorSpec& spec) {
    if (monotonous.count(spec.domain.kind) == 0) return;
    if (holds_reals(spec.dtype)) {
      spec.domain = {"normal", {0, 1}};
    } else if (spec.domain.kind == "special" || spec.domain.kind == "finite_special") {
      spec.domain = {"integers", {0, 100}};  // a constant integer may be an index or a length: it stays
    }
  });
  if (out == call) return std::nullopt;
  return out;
}

std::vector<std::byte> right_answer(const ExpectedOutput& expected) {
  return encoded(elements_of(expected), expected.dtype);
}

std::vector<WrongAnswer> wrong_answers(const AnswerSource& source) {
  const ExpectedOutput& expected = source.expected;
  const ExpectedOutput* const lower = source.lower;
  const DType dtype = expected.dtype;
  const std::size_t width = width_of(dtype);
  const Elements right = elements_of(expected);
  const std::vector<std::byte> right_bytes = encoded(right, dtype);
  std::vector<WrongAnswer> out;
  const auto offer = [&](std::string_view name, const Elements& elements) {
    std::vector<std::byte> bytes = encoded(elements, dtype);
    if (bytes.size() == right_bytes.size() && !same_values(bytes, right_bytes, dtype))
      out.push_back({name, std::move(bytes)});
  };
  offer("zeros", filled(right, 0, width));
  offer("ones", filled(right, 1, width));
  offer("constant", repeated_first(right, width));
  offer("mean", averaged(right, width, dtype));
  if (holds_reals(dtype))
    offer("nan",
          mapped(right, width, [](std::size_t, double) { return std::numeric_limits<double>::quiet_NaN(); }));
  if (const auto input = input_like(source, false)) offer("input", *input);
  if (const auto untouched = input_like(source, true)) offer("untouched", *untouched);
  if (expected.rule != "unordered")
    offer("shuffled", rotated(right, expected.shape, width));  // free order: right
  offer("last_block_missing", without_last_block(right, width));
  if (const int bits = lower_bits(dtype, source.accumulate); bits > 0)
    offer("lower_precision", rounded_to_bits(right, bits));
  if (lower != nullptr && lower->shape == expected.shape && lower->value.size() == expected.value.size() &&
      lower->kind == expected.kind) {
    ExpectedOutput as_asked = *lower;
    as_asked.dtype = dtype;
    offer("lower_operands", elements_of(as_asked));
  }
  return out;
}

}  // namespace kgb
