// SPDX-License-Identifier: Apache-2.0
// Kinds of arguments, and a row of cublas.def as a function pointer of the exact C type. Source of types and
// numbers: cublas_api.h and library_types.h of CUDA 12 and 13.
#include "device/cuda/cublas_call.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "model/element.hpp"
#include "model/generate_words.hpp"

namespace kgb::device::cuda {
namespace {

struct FactorValue {
  alignas(16) std::array<std::byte, 16> bytes{};
};

// cudaDataType.
std::optional<DType> dtype_coded(std::int64_t code) {
  switch (code) {
    case 0:
      return DType::f32;
    case 1:
      return DType::f64;
    case 2:
      return DType::f16;
    case 3:
      return DType::i8;
    case 4:
      return DType::c64;
    case 5:
      return DType::c128;
    case 14:
      return DType::bf16;
    default:
      return std::nullopt;
  }
}

// Takes the call's arguments one by one. The first that does not fit is remembered; what is taken from then
// on is 0.
class Arguments {
 public:
  using Address = std::uint64_t;

  Arguments(const Call& call, DType dtype, const Places& places)
      : call_(call), dtype_(dtype), places_(places) {}

  // The operation as cuBLAS numbers it: the card has the number or its letter.
  int operation() {
    const Arg* arg = next();
    if (arg == nullptr) return 0;
    if (const auto* letter = std::get_if<std::string>(&arg->value)) {
      const std::size_t at = letter->size() == 1 ? std::string_view("NTC").find(*letter) : std::string::npos;
      if (at == std::string::npos) return refuse(*arg, "is none of N, T, C");
      return static_cast<int>(at);
    }
    return static_cast<int>(number(*arg, 0, 2));
  }
  // 0 or 1: side, triangle, diagonal.
  int choice() {
    const Arg* arg = next();
    return arg == nullptr ? 0 : static_cast<int>(number(*arg, 0, 1));
  }
  template <typename T>
  T integer() {
    const Arg* arg = next();
    if (arg == nullptr) return 0;
    return static_cast<T>(number(*arg, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
  FactorValue factor() {
    FactorValue out;
    const Arg* arg = next();
    if (arg == nullptr) return out;
    std::array<double, 2> parts{};
    if (const auto* whole = std::get_if<std::int64_t>(&arg->value)) {
      parts[0] = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&arg->value)) {
      parts[0] = *real;
    } else if (const auto* both = std::get_if<Complex>(&arg->value); both != nullptr && is_complex(dtype_)) {
      parts = {both->re, both->im};
    } else {
      refuse(*arg, "is no factor of " + std::string(name_of(dtype_)));
    }
    generating::store_values(parts.data(), is_complex(dtype_) ? 2 : 1, component_of(dtype_),
                             out.bytes.data());
    return out;
  }
  // `written`: whether the function writes it; `typed`: it is of the function's own element type.
  Address tensor(bool written, bool typed = true) {
    const Arg* arg = next();
    if (arg == nullptr) return 0;
    const auto* spec = std::get_if<TensorSpec>(&arg->value);
    if (spec == nullptr) return refuse(*arg, "is no tensor");
    last_ = spec->dtype;
    return fits(*arg, *spec, written, typed) ? places_(arg->name) : 0;
  }
  Address tensors(bool written) {
    const Arg* arg = next();
    if (arg == nullptr) return 0;
    const auto* array = std::get_if<PointerArray>(&arg->value);
    if (array == nullptr) return refuse(*arg, "is no pointer array");
    for (const TensorSpec& item : array->items)
      if (!fits(*arg, item, written, true)) return 0;
    return places_(arg->name);
  }
  // The number of the element type of the tensor in front of it.
  int type() {
    const Arg* arg = next();
    if (arg == nullptr) return 0;
    const std::int64_t code = number(*arg, 0, std::numeric_limits<int>::max());
    if (dtype_coded(code) != last_)
      return refuse(*arg, "is not the number of " + std::string(name_of(last_)));
    return static_cast<int>(code);
  }

  [[nodiscard]] Status finish(const std::string& function) {
    if (problem_.empty() && at_ < call_.args.size()) refuse(call_.args[at_], "is one argument too many");
    return problem_.empty() ? ok_status() : user_error(function + " cannot make this call: " + problem_);
  }

 private:
  const Arg* next() {
    if (!problem_.empty()) return nullptr;
    if (at_ < call_.args.size()) return &call_.args[at_++];
    problem_ = "it has too few arguments";
    return nullptr;
  }
  int refuse(const Arg& arg, const std::string& why) {
    if (problem_.empty()) problem_ = arg.name + " " + why;
    return 0;
  }
  std::int64_t number(const Arg& arg, std::int64_t least, std::int64_t most) {
    const auto* value = std::get_if<std::int64_t>(&arg.value);
    if (value == nullptr) return refuse(arg, "is no integer");
    if (*value < least || *value > most)
      return refuse(arg, "= " + std::to_string(*value) + " is out of range");
    return *value;
  }
  bool fits(const Arg& arg, const TensorSpec& spec, bool written, bool typed) {
    if (typed && spec.dtype != dtype_) {
      refuse(arg, "is " + std::string(name_of(spec.dtype)) + ", not " + std::string(name_of(dtype_)));
    } else if (spec.mutated != written) {
      refuse(arg, written ? "is written, which the card does not allow" : "is not written");
    } else {
      return true;
    }
    return false;
  }

  const Call& call_;
  DType dtype_, last_ = DType::f32;
  const Places& places_;
  std::size_t at_ = 0;
  std::string problem_;
};

const void* read_at(std::uint64_t address) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));
}
void* write_at(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

// Kinds of arguments: what is kept of each (Value), and pass(), which gives it the C type. Enumerations are
// ints.
template <typename T>
struct Plain {
  using Value = T;
  static T pass(T value) { return value; }
};
struct Op : Plain<int> {  // cublasOperation_t
  static int take(Arguments& in) { return in.operation(); }
};
struct Choice : Plain<int> {
  static int take(Arguments& in) { return in.choice(); }
};
using Side = Choice;  // cublasSideMode_t
using Fill = Choice;  // cublasFillMode_t
using Diag = Choice;  // cublasDiagType_t
template <typename T>
struct Integer : Plain<T> {
  static T take(Arguments& in) { return in.integer<T>(); }
};
using Int = Integer<int>;
using Long = Integer<std::int64_t>;
using Stride = Integer<long long>;
struct Type : Plain<int> {  // cudaDataType of the tensor in front
  static int take(Arguments& in) { return in.type(); }
};
struct Factor {  // alpha, beta: a pointer to host memory
  using Value = FactorValue;
  static Value take(Arguments& in) { return in.factor(); }
  static const void* pass(const Value& value) { return value.bytes.data(); }
};
struct In {  // device memory that is read
  using Value = std::uint64_t;
  static Value take(Arguments& in) { return in.tensor(false); }
  static const void* pass(Value value) { return read_at(value); }
};
struct Out {
  using Value = std::uint64_t;
  static Value take(Arguments& in) { return in.tensor(true); }
  static void* pass(Value value) { return write_at(value); }
};
struct InAny : In {  // of the type that follows
  static Value take(Arguments& in) { return in.tensor(false, false); }
};
struct OutAny : Out {
  static Value take(Arguments& in) { return in.tensor(true, false); }
};
struct Answer : Out {};  // one number, in device memory
struct Ins {             // device memory that holds addresses
  using Value = std::uint64_t;
  static Value take(Arguments& in) { return in.tensors(false); }
  static const void* const* pass(Value value) { return static_cast<const void* const*>(read_at(value)); }
};
struct Outs {
  using Value = std::uint64_t;
  static Value take(Arguments& in) { return in.tensors(true); }
  static void* const* pass(Value value) { return static_cast<void* const*>(write_at(value)); }
};

template <typename... Kinds>
CublasCall bind(Arguments& in) {
  using Function = int (*)(void*, decltype(Kinds::pass(std::declval<const typename Kinds::Value&>()))...);
  const std::tuple<typename Kinds::Value...> values{Kinds::take(in)...};  // from left to right
  CublasCall out;
  out.device_answer = (std::is_same_v<Kinds, Answer> || ...);
  out.run = [values](void* symbol, void* handle) {
    const auto call = [&](const typename Kinds::Value&... value) {
      return reinterpret_cast<Function>(symbol)(handle, Kinds::pass(value)...);
    };
    return std::apply(call, values);
  };
  return out;
}

struct Row {
  const char* symbol;
  DType dtype;
  CublasCall (*bind)(Arguments&);
};
constexpr Row kRows[] = {
#define KGB_CUBLAS(symbol, dtype, ...) {#symbol, DType::dtype, &bind<__VA_ARGS__>},
#include "device/cuda/cublas.def"
#undef KGB_CUBLAS
};

}  // namespace

Result<CublasCall> cublas_call(const std::string& function, const Call& call, const Places& places) {
  for (const Row& row : kRows) {
    if (function != row.symbol) continue;
    Arguments in(call, row.dtype, places);
    CublasCall bound = row.bind(in);
    KGB_CHECK(in.finish(function));
    bound.function = function;
    return bound;
  }
  return user_error("kgbench does not know " + in_quotes(function) +
                    " of cuBLAS: see src/device/cuda/cublas.def");
}

}  // namespace kgb::device::cuda
