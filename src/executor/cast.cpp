// SPDX-License-Identifier: Apache-2.0
// A cast is a load into the widest type of the source's kind and a store from it, in short blocks.
#include "executor/cast.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <span>

#include "vm/numeric/scalar.hpp"

namespace kgb::executor {
namespace {

namespace num = vm::numeric;
using ComplexValue = std::complex<double>;

constexpr std::int64_t kBlock = 256;

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Element types as tags that can be read as, and written from, wide values.
template <typename Stored, typename Wide>
struct Plain {
  using Bits = Stored;
  using WideType = Wide;
  static Wide widen(Stored value) { return static_cast<Wide>(value); }
};
struct Bool : Plain<std::uint8_t, std::int64_t> {
  static std::int64_t widen(std::uint8_t value) { return value != 0 ? 1 : 0; }
};
template <typename F>
struct Small {
  using Bits = typename F::Bits;
  using WideType = double;
  static double widen(Bits bits) { return num::decode<F>(bits); }
};
template <typename Part>
struct Pair {
  using Bits = std::array<Part, 2>;
  using WideType = ComplexValue;
  static ComplexValue widen(const Bits& bits) { return {bits[0], bits[1]}; }
};

template <typename Type>
void load_block(const std::byte* src, std::int64_t step, std::span<typename Type::WideType> out) {
  for (auto& value : out) {
    value = Type::widen(load<typename Type::Bits>(src));
    src += step;
  }
}

// The real number in a wide value: torch drops the imaginary part.
template <typename Wide>
auto real_of(const Wide& value) {
  if constexpr (std::is_same_v<Wide, ComplexValue>) {
    return value.real();
  } else {
    return value;
  }
}

template <typename Int, typename Wide>
Int to_integer(const Wide& wide) {
  const auto value = real_of(wide);
  if constexpr (std::is_floating_point_v<decltype(value)>) {
    // Narrow results wrap what a wider conversion gives; out of that range the GPU saturates.
    if constexpr (std::is_same_v<Int, std::uint64_t>) {
      return value < 0 ? static_cast<Int>(num::float_to_int<std::int64_t>(value))
                       : num::float_to_int<Int>(value);
    } else if constexpr (std::is_unsigned_v<Int>) {
      return static_cast<Int>(num::float_to_int<std::int64_t>(value));
    } else if constexpr (sizeof(Int) == 8) {
      return num::float_to_int<std::int64_t>(value);
    } else {
      return static_cast<Int>(value != value ? 0 : num::float_to_int<std::int32_t>(value));
    }
  } else {
    return static_cast<Int>(value);
  }
}

template <typename Wide>
bool truth(const Wide& value) {
  return value != Wide{};
}

// One wide value as an element of `to`. Narrow floats round twice, through f32, as torch does.
template <typename Wide>
void store_block(DType to, std::byte* dst, std::int64_t step, std::span<const Wide> values) {
  const auto each = [&](auto convert) {
    for (const Wide& value : values) {
      store(dst, convert(value));
      dst += step;
    }
  };
  const auto as_float = [](const Wide& v) { return static_cast<float>(real_of(v)); };
  switch (to) {
    case DType::b8:
      return each([](const Wide& v) { return static_cast<std::uint8_t>(truth(v)); });
    case DType::u8:
      return each(to_integer<std::uint8_t, Wide>);
    case DType::i8:
      return each(to_integer<std::int8_t, Wide>);
    case DType::i16:
      return each(to_integer<std::int16_t, Wide>);
    case DType::i32:
      return each(to_integer<std::int32_t, Wide>);
    case DType::i64:
      return each(to_integer<std::int64_t, Wide>);
    case DType::u16:
      return each(to_integer<std::uint16_t, Wide>);
    case DType::u32:
      return each(to_integer<std::uint32_t, Wide>);
    case DType::u64:
      return each(to_integer<std::uint64_t, Wide>);
    case DType::f8e4m3:
      return each([&](const Wide& v) { return num::f32_to_f8e4m3(as_float(v), num::Fp8Overflow::ieee); });
    case DType::f8e5m2:
      return each([&](const Wide& v) { return num::f32_to_f8e5m2(as_float(v), num::Fp8Overflow::ieee); });
    case DType::f16:
      return each([&](const Wide& v) { return num::f32_to_f16(as_float(v)); });
    case DType::bf16:
      return each([&](const Wide& v) { return num::f32_to_bf16(as_float(v)); });
    case DType::f32:
      return each(as_float);
    case DType::f64:
      return each([](const Wide& v) { return static_cast<double>(real_of(v)); });
    case DType::c64:
    case DType::c128:
      break;
  }
  const auto pair = [&]<typename Part>(Part) {
    each([](const Wide& v) {
      if constexpr (std::is_same_v<Wide, ComplexValue>) {
        return std::array<Part, 2>{static_cast<Part>(v.real()), static_cast<Part>(v.imag())};
      } else {
        return std::array<Part, 2>{static_cast<Part>(v), Part{0}};
      }
    });
  };
  if (to == DType::c64) {
    pair(float{});
  } else {
    pair(double{});
  }
}

template <typename Type>
void cast_from(DType to, const Run& run, CastFlags flags) {
  using Wide = typename Type::WideType;
  std::array<Wide, kBlock> block;
  for (std::int64_t first = 0; first < run.n; first += kBlock) {
    const std::span<Wide> values(block.data(), static_cast<std::size_t>(std::min(kBlock, run.n - first)));
    load_block<Type>(run.src + first * run.src_step, run.src_step, values);
    if constexpr (std::is_same_v<Wide, ComplexValue>) {
      if (flags.conj)
        for (Wide& v : values) v = std::conj(v);
    }
    if constexpr (std::is_same_v<Wide, std::int64_t>) {
      if (flags.neg)
        for (Wide& v : values) v = static_cast<std::int64_t>(-static_cast<std::uint64_t>(v));
    } else if (flags.neg) {
      for (Wide& v : values) v = -v;
    }
    store_block<Wide>(to, run.dst + first * run.dst_step, run.dst_step, values);
  }
}

template <std::size_t Size>
void move_elements(const Run& run) {
  const std::byte* src = run.src;
  std::byte* dst = run.dst;
  for (std::int64_t i = 0; i < run.n; ++i) {
    std::memcpy(dst, src, Size);
    dst += run.dst_step;
    src += run.src_step;
  }
}

void move_run(std::size_t size, const Run& run) {
  const auto whole = static_cast<std::int64_t>(size);
  if (run.dst_step == whole && run.src_step == whole) {
    std::memcpy(run.dst, run.src, size * static_cast<std::size_t>(run.n));
    return;
  }
  switch (size) {
    case 1:
      return move_elements<1>(run);
    case 2:
      return move_elements<2>(run);
    case 4:
      return move_elements<4>(run);
    case 8:
      return move_elements<8>(run);
    default:
      return move_elements<16>(run);
  }
}

}  // namespace

void cast_run(DType to, DType from, const Run& run, CastFlags flags) {
  if (run.n <= 0) return;
  if (to == from && !flags.conj && !flags.neg) return move_run(size_of(to), run);
  switch (from) {
    case DType::b8:
      return cast_from<Bool>(to, run, flags);
    case DType::u8:
      return cast_from<Plain<std::uint8_t, std::int64_t>>(to, run, flags);
    case DType::i8:
      return cast_from<Plain<std::int8_t, std::int64_t>>(to, run, flags);
    case DType::i16:
      return cast_from<Plain<std::int16_t, std::int64_t>>(to, run, flags);
    case DType::i32:
      return cast_from<Plain<std::int32_t, std::int64_t>>(to, run, flags);
    case DType::i64:
      return cast_from<Plain<std::int64_t, std::int64_t>>(to, run, flags);
    case DType::u16:
      return cast_from<Plain<std::uint16_t, std::int64_t>>(to, run, flags);
    case DType::u32:
      return cast_from<Plain<std::uint32_t, std::int64_t>>(to, run, flags);
    case DType::u64:
      return cast_from<Plain<std::uint64_t, std::uint64_t>>(to, run, flags);
    case DType::f8e4m3:
      return cast_from<Small<num::F8E4M3>>(to, run, flags);
    case DType::f8e5m2:
      return cast_from<Small<num::F8E5M2>>(to, run, flags);
    case DType::f16:
      return cast_from<Small<num::F16>>(to, run, flags);
    case DType::bf16:
      return cast_from<Small<num::BF16>>(to, run, flags);
    case DType::f32:
      return cast_from<Plain<float, double>>(to, run, flags);
    case DType::f64:
      return cast_from<Plain<double, double>>(to, run, flags);
    case DType::c64:
      return cast_from<Pair<float>>(to, run, flags);
    case DType::c128:
      return cast_from<Pair<double>>(to, run, flags);
  }
}

}  // namespace kgb::executor
