// SPDX-License-Identifier: Apache-2.0
// Builds the C structs of a native call and looks after its memory.
#include "executor/native_args.hpp"

#include <cstring>

#include "model/generate.hpp"

namespace kgb {
namespace {

constexpr std::size_t kAlignment = 64;

DLDataType dl_dtype(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  if (is_complex(dtype)) return {5, bits, 1};
  if (dtype == DType::bf16) return {4, bits, 1};
  if (is_float(dtype)) return {2, bits, 1};
  const bool is_unsigned = dtype == DType::b8 || dtype == DType::u8 || dtype == DType::u16 ||
                           dtype == DType::u32 || dtype == DType::u64;
  return {static_cast<std::uint8_t>(is_unsigned ? 1 : 0), bits, 1};
}

// Elements of a view that starts at element 0 of its storage.
std::int64_t extent(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    last += (shape[d] - 1) * strides[d];
  }
  return last + 1;
}

// Copies a strided view to contiguous bytes, innermost dimension last.
void gather(const std::byte* base, const TensorSpec& spec, std::size_t dim, std::int64_t element,
            std::vector<std::byte>& out) {
  const std::size_t size = size_of(spec.dtype);
  if (dim == spec.shape.size()) {
    const std::byte* at = base + static_cast<std::size_t>(element) * size;
    out.insert(out.end(), at, at + size);
    return;
  }
  for (std::int64_t i = 0; i < spec.shape[dim]; ++i)
    gather(base, spec, dim + 1, element + i * spec.strides[dim], out);
}

}  // namespace

NativeCall::NativeCall(const Call& call, std::vector<NativeOutput> outputs) : call_(call) {
  for (const Arg& arg : call_.args) add_arg(arg);
  for (NativeOutput& output : outputs) {
    TensorSpec spec;
    spec.dtype = output.dtype;
    spec.storage = extent(output.shape, output.strides);
    spec.shape = std::move(output.shape);
    spec.strides = std::move(output.strides);
    spec.mutated = true;
    Storage storage;
    storage.path = output.path;
    storage.spec = std::move(spec);
    outputs_.push_back(std::move(storage));
  }
  for (std::deque<Storage>* all : {&inputs_, &outputs_})
    for (Storage& s : *all) {
      s.raw.resize(static_cast<std::size_t>(s.spec.storage_bytes()) + kAlignment);
      const auto address = reinterpret_cast<std::uintptr_t>(s.raw.data());
      s.data = s.raw.data() + (kAlignment - address % kAlignment) % kAlignment;
      s.shape = s.spec.shape;
      s.strides = s.spec.strides;
      s.tensor.data = s.data + static_cast<std::size_t>(s.spec.offset) * size_of(s.spec.dtype);
      s.tensor.device = {1, 0};
      s.tensor.ndim = static_cast<std::int32_t>(s.shape.size());
      s.tensor.dtype = dl_dtype(s.spec.dtype);
      s.tensor.shape = s.shape.data();
      s.tensor.strides = s.strides.data();
    }
  for (Storage& s : outputs_) output_pointers_.push_back(&s.tensor);
  abi_ = {KGB_ABI, static_cast<std::int32_t>(args_.size()), args_.data(),
          static_cast<std::int32_t>(output_pointers_.size()), output_pointers_.data()};
}

NativeCall::Storage& NativeCall::add_storage(std::string path, TensorSpec spec) {
  Storage storage;
  storage.path = std::move(path);
  storage.spec = std::move(spec);
  inputs_.push_back(std::move(storage));
  return inputs_.back();
}

void NativeCall::add_arg(const Arg& arg) {
  texts_.push_back(arg.name);
  KgbArg out{};
  out.name = texts_.back().c_str();
  const auto list = [&](const auto& items) {
    lists_.emplace_back();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::optional<TensorSpec>& item = items[i];
      const std::string path = arg.name + "[" + std::to_string(i) + "]";
      lists_.back().push_back(item ? &add_storage(path, *item).tensor : nullptr);
    }
    out.kind = KGB_TENSORS;
    out.count = static_cast<std::int64_t>(items.size());
    out.tensors = lists_.back().data();
  };
  const auto text = [&](KgbKind kind, std::string value) {
    texts_.push_back(std::move(value));
    out.kind = kind;
    out.string = texts_.back().c_str();
  };
  if (const auto* tensor = std::get_if<TensorSpec>(&arg.value)) {
    out.kind = KGB_TENSOR;
    out.tensor = &add_storage(arg.name, *tensor).tensor;
  } else if (const auto* tensors = std::get_if<TensorList>(&arg.value)) {
    list(tensors->items);
  } else if (const auto* pointers = std::get_if<PointerArray>(&arg.value)) {
    list(pointers->items);
  } else if (const auto* flag = std::get_if<bool>(&arg.value)) {
    out.kind = KGB_BOOL;
    out.integer = *flag ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
    out.kind = KGB_INT;
    out.integer = *integer;
  } else if (const auto* real = std::get_if<double>(&arg.value)) {
    out.kind = KGB_FLOAT;
    out.real = *real;
  } else if (const auto* complex = std::get_if<Complex>(&arg.value)) {
    out.kind = KGB_COMPLEX;
    out.real = complex->re;
    out.imaginary = complex->im;
  } else if (const auto* string = std::get_if<std::string>(&arg.value)) {
    text(KGB_STRING, *string);
  } else if (const auto* dtype = std::get_if<DTypeValue>(&arg.value)) {
    text(KGB_DTYPE, std::string(name_of(dtype->dtype)));
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&arg.value)) {
    out.kind = KGB_INTS;
    out.count = static_cast<std::int64_t>(integers->size());
    out.integers = integers->data();
  } else if (std::holds_alternative<GeneratorValue>(arg.value)) {
    out.kind = KGB_SEED;
  } else {
    out.kind = KGB_NONE;
  }
  args_.push_back(out);
}

void NativeCall::fill(std::uint64_t seed, int trial, int number, std::byte poison) {
  for (Storage& s : inputs_) {
    const std::span<std::byte> bytes(s.data, static_cast<std::size_t>(s.spec.storage_bytes()));
    generate(s.spec, s.path, seed, trial, number, bytes);
    s.before.clear();
    if (!s.spec.mutated) s.before.assign(bytes.begin(), bytes.end());
  }
  for (Storage& s : outputs_)
    std::memset(s.data, std::to_integer<int>(poison), static_cast<std::size_t>(s.spec.storage_bytes()));
  for (KgbArg& arg : args_)
    if (arg.kind == KGB_SEED) arg.integer = static_cast<std::int64_t>(seed >> 1);
}

std::vector<std::string> NativeCall::changed_inputs() const {
  std::vector<std::string> changed;
  for (const Storage& s : inputs_)
    if (!s.spec.mutated && !s.before.empty() && std::memcmp(s.before.data(), s.data, s.before.size()) != 0)
      changed.push_back(s.path);
  return changed;
}

std::vector<NativeCall::Taken> NativeCall::take_results() const {
  std::vector<Taken> taken;
  const auto take = [&](const Storage& s) {
    Taken out{s.path, s.spec.dtype, s.spec.shape, {}};
    out.bytes.reserve(static_cast<std::size_t>(s.spec.numel()) * size_of(s.spec.dtype));
    gather(s.data, s.spec, 0, s.spec.offset, out.bytes);
    taken.push_back(std::move(out));
  };
  for (const Storage& s : outputs_) take(s);
  for (const Storage& s : inputs_)
    if (s.spec.mutated) take(s);
  return taken;
}

}  // namespace kgb
