// SPDX-License-Identifier: Apache-2.0
// tt.atomic_rmw and tt.atomic_cas, lane by lane: real atomics when other threads run, plain ones when not.
#include "vm/access.hpp"
#include "vm/atomics.hpp"
#include "vm/elementwise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace kgb::vm {
namespace {

// Float elements are combined through f32 (f64 for f64) and rounded once; `Bits` is what memory holds.
template <DType dtype>
struct Element;
template <>
struct Element<DType::f32> {
  using Bits = std::uint32_t;
  using Real = float;
};
template <>
struct Element<DType::f64> {
  using Bits = std::uint64_t;
  using Real = double;
};
template <>
struct Element<DType::f16> {
  using Bits = std::uint16_t;
  using Real = float;
};
template <>
struct Element<DType::bf16> {
  using Bits = std::uint16_t;
  using Real = float;
};
template <>
struct Element<DType::i8> {
  using Bits = std::uint8_t;
};
template <>
struct Element<DType::i16> {
  using Bits = std::uint16_t;
};
template <>
struct Element<DType::i32> {
  using Bits = std::uint32_t;
};
template <>
struct Element<DType::i64> {
  using Bits = std::uint64_t;
};

template <DType dtype>
auto decode(typename Element<dtype>::Bits bits) {
  if constexpr (dtype == DType::f16)
    return numeric::f16_to_f32(bits);
  else if constexpr (dtype == DType::bf16)
    return numeric::bf16_to_f32(bits);
  else
    return std::bit_cast<typename Element<dtype>::Real>(bits);
}

template <DType dtype, typename Real>
typename Element<dtype>::Bits encode(Real value) {
  if constexpr (dtype == DType::f16)
    return numeric::f32_to_f16(value);
  else if constexpr (dtype == DType::bf16)
    return numeric::f32_to_bf16(value);
  else
    return std::bit_cast<typename Element<dtype>::Bits>(value);
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

template <DType dtype>
typename Element<dtype>::Bits combine(Rmw kind, typename Element<dtype>::Bits old,
                                      typename Element<dtype>::Bits value) {
  using Bits = typename Element<dtype>::Bits;
  if (kind == Rmw::exch) return value;
  if constexpr (is_floating(dtype)) {
    const auto a = decode<dtype>(old), b = decode<dtype>(value);
    if constexpr (dtype == DType::f32)
      if (kind == Rmw::fadd_flush) return encode<dtype>(flushed(flushed(a) + flushed(b)));
    if (kind == Rmw::max) return encode<dtype>(std::fmax(a, b));
    if (kind == Rmw::min) return encode<dtype>(std::fmin(a, b));
    return encode<dtype>(a + b);
  } else {
    using Signed = std::make_signed_t<Bits>;
    const auto a = static_cast<Signed>(old), b = static_cast<Signed>(value);
    switch (kind) {
      case Rmw::add:
        return static_cast<Bits>(old + value);
      case Rmw::max:
        return a > b ? old : value;
      case Rmw::min:
        return a < b ? old : value;
      case Rmw::umax:
        return std::max(old, value);
      case Rmw::umin:
        return std::min(old, value);
      case Rmw::bit_and:
        return static_cast<Bits>(old & value);
      case Rmw::bit_or:
        return static_cast<Bits>(old | value);
      default:
        return static_cast<Bits>(old ^ value);
    }
  }
}

template <DType dtype>
void update(Rmw kind, bool shared, std::uint64_t address, const std::byte* value, std::byte* old_out) {
  using Bits = typename Element<dtype>::Bits;
  auto* at = reinterpret_cast<Bits*>(address);
  Bits operand, old;
  std::memcpy(&operand, value, sizeof operand);
  if (shared) {
    old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, combine<dtype>(kind, old, operand), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
  } else {
    old = *at;
    *at = combine<dtype>(kind, old, operand);
  }
  std::memcpy(old_out, &old, sizeof old);
}

}  // namespace

Update update_for(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return update<DType::f16>;
    case DType::bf16:
      return update<DType::bf16>;
    case DType::f32:
      return update<DType::f32>;
    case DType::f64:
      return update<DType::f64>;
    case DType::i8:
      return update<DType::i8>;
    case DType::i16:
      return update<DType::i16>;
    case DType::i32:
      return update<DType::i32>;
    case DType::i64:
      return update<DType::i64>;
    default:
      return nullptr;
  }
}

namespace {

// Addresses of all lanes, checked; null after a report. An atomic must be aligned, as on a GPU.
const std::uint64_t* atomic_lanes(Frame& frame, const Instruction& made, const std::uint8_t* mask,
                                  std::size_t bytes) {
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  const Value& pointer = frame.at(made.in[0]);
  if (!check_lanes(frame, made, Verb::atomic, pointer.region, addresses, mask, pointer.n, bytes))
    return nullptr;
  for (std::int64_t i = 0; i < pointer.n; ++i) {
    if ((mask != nullptr && mask[i] == 0) || addresses[i] % bytes == 0) continue;
    frame.report(made, "out_of_bounds",
                 "atomic of " + std::to_string(bytes) + " bytes at an address that is no multiple of them");
    return nullptr;
  }
  return addresses;
}

void finish(Frame& frame, int id) {
  Value& out = frame.at(id);
  out.region = kAnyRegion;
  out.set_dense();
  if (out.n != 1) return;
  std::int64_t bits = 0;
  std::memcpy(&bits, out.data, frame.info(id).bytes);
  out.set_splat(bits);
}

void run_atomic(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.in[1]);
  const std::size_t bytes = type.element_bytes();
  const bool masked = made.in.size() > 2;
  const auto* mask = masked ? reinterpret_cast<const std::uint8_t*>(elements(frame, made.in[2])) : nullptr;
  const std::uint64_t* addresses = atomic_lanes(frame, made, mask, bytes);
  if (addresses == nullptr) return;
  const std::byte* values = elements(frame, made.in[1]);
  const std::int64_t n = frame.at(made.in[1]).n;
  std::byte* old = made.out.empty() ? frame.scratch_bytes(1, static_cast<std::size_t>(n) * bytes)
                                    : frame.at(made.out[0]).data;
  const Update apply = update_for(type.dtype);
  auto kind = static_cast<Rmw>(made.imm[0]);
  if (kind == Rmw::fadd && type.is(DType::f32) && frame.options->flush_denormals) kind = Rmw::fadd_flush;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i) * bytes;
    if (mask != nullptr && mask[i] == 0)
      std::memset(old + at, 0, bytes);
    else
      apply(kind, frame.shared_memory, addresses[i], values + at, old + at);
  }
  if (!made.out.empty()) finish(frame, made.out[0]);
}

template <typename Bits>
void swap_if_equal(bool shared, std::uint64_t address, const std::byte* wanted, const std::byte* value,
                   std::byte* old_out) {
  auto* at = reinterpret_cast<Bits*>(address);
  Bits expected, desired;
  std::memcpy(&expected, wanted, sizeof expected);
  std::memcpy(&desired, value, sizeof desired);
  if (shared) {
    __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  } else {
    const Bits old = *at;
    if (old == expected) *at = desired;
    expected = old;
  }
  std::memcpy(old_out, &expected, sizeof expected);
}

void run_cas(Frame& frame, const Instruction& made) {
  const std::size_t bytes = frame.info(made.in[1]).bytes;
  const std::uint64_t* addresses = atomic_lanes(frame, made, nullptr, bytes);
  if (addresses == nullptr) return;
  const std::byte *wanted = elements(frame, made.in[1]), *values = elements(frame, made.in[2]);
  const std::int64_t n = frame.at(made.in[1]).n;
  std::byte* old = made.out.empty() ? frame.scratch_bytes(1, static_cast<std::size_t>(n) * bytes)
                                    : frame.at(made.out[0]).data;
  const auto apply = bytes == 2   ? swap_if_equal<std::uint16_t>
                     : bytes == 4 ? swap_if_equal<std::uint32_t>
                                  : swap_if_equal<std::uint64_t>;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i) * bytes;
    apply(frame.shared_memory, addresses[i], wanted + at, values + at, old + at);
  }
  if (!made.out.empty()) finish(frame, made.out[0]);
}

}  // namespace

bool build_atomic(Builder& b, int) {
  static constexpr std::pair<std::string_view, Rmw> kinds[] = {
      {"fadd", Rmw::fadd},   {"add", Rmw::add},   {"max", Rmw::max},     {"min", Rmw::min},
      {"umax", Rmw::umax},   {"umin", Rmw::umin}, {"and", Rmw::bit_and}, {"or", Rmw::bit_or},
      {"xor", Rmw::bit_xor}, {"exch", Rmw::exch}};
  if (b.inputs() < 2 || b.inputs() > 3 || b.outputs() > 1 || b.op.words.empty())
    return b.malformed("wrong number of operands or results");
  const Type &pointer = b.in(0), &value = b.in(1);
  if (!pointer.pointer() || pointer.dtype != value.dtype || value.kind != Type::Kind::value ||
      !pointer.same_shape(value) || (b.outputs() == 1 && !like(value, b.out())) ||
      (b.inputs() == 3 && (!b.in(2).is(DType::b8) || !b.in(2).same_shape(value))))
    return b.malformed("pointer, value and mask do not fit");
  for (const auto& [name, kind] : kinds) {
    if (name != b.op.words[0]) continue;
    const bool real = value.floating();
    const bool fits = real ? kind == Rmw::fadd || kind == Rmw::max || kind == Rmw::min || kind == Rmw::exch
                           : kind != Rmw::fadd;
    if (!fits || update_for(value.dtype) == nullptr)
      return b.unsupported(std::string(name) + " on " + value.text);
    b.made.imm[0] = static_cast<std::int64_t>(kind);
    b.made.run = run_atomic;
    return true;
  }
  return b.unsupported(std::string(b.op.words[0]));
}

bool build_cas(Builder& b, int) {
  if (b.inputs() != 3 || b.outputs() > 1 || !same_operands(b, 1, 2)) return b.malformed("wrong operands");
  const Type &pointer = b.in(0), &value = b.in(1);
  if (!pointer.pointer() || pointer.dtype != value.dtype || value.kind != Type::Kind::value ||
      !pointer.same_shape(value) || (b.outputs() == 1 && !like(value, b.out())))
    return b.malformed("pointer and values do not fit");
  if (value.element_bytes() < 2) return b.unsupported(value.text);
  b.made.run = run_cas;
  return true;
}

}  // namespace kgb::vm
