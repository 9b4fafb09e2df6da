// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error that says what happened, to what, and what to do next.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace kgb {

// Whose fault an error is. It decides the exit code: user 2, host and internal 3.
enum class Fault { user, host, internal };

struct Error {
  Fault fault = Fault::internal;
  std::string message;  // one line, no trailing full stop needed
};

inline Error user_error(std::string message) {
  return {Fault::user, std::move(message)};
}
inline Error host_error(std::string message) {
  return {Fault::host, std::move(message)};
}
inline Error internal_error(std::string message) {
  return {Fault::internal, std::move(message)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  // By value: a reference into a temporary would dangle in `for (x : f().value())`.
  [[nodiscard]] T value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Unit {};
using Status = Result<Unit>;
inline Status ok_status() {
  return Unit{};
}

}  // namespace kgb

// KGB_TRY(auto x, f()): binds the value or returns the error from the enclosing function.
#define KGB_TRY_CONCAT_(a, b) a##b
#define KGB_TRY_NAME_(a, b) KGB_TRY_CONCAT_(a, b)
#define KGB_TRY(decl, expr)                                                                      \
  auto KGB_TRY_NAME_(kgb_try_, __LINE__) = (expr);                                               \
  if (!KGB_TRY_NAME_(kgb_try_, __LINE__).ok()) return KGB_TRY_NAME_(kgb_try_, __LINE__).error(); \
  decl = std::move(KGB_TRY_NAME_(kgb_try_, __LINE__)).value()
#define KGB_CHECK(expr)                                \
  do {                                                 \
    auto kgb_status_ = (expr);                         \
    if (!kgb_status_.ok()) return kgb_status_.error(); \
  } while (false)
