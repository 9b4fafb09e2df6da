// SPDX-License-Identifier: Apache-2.0
// What every binding file needs: the limited Python API, owned references, and errors turned into exceptions.
#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include "base/result.hpp"

namespace kgb::ext {

// One owned Python reference.
class Ref {
 public:
  explicit Ref(PyObject* owned = nullptr) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    if (this != &other) {
      Py_XDECREF(object_);
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

// Sets the Python exception for an error (user: ValueError, host: OSError, internal: RuntimeError);
// returns nullptr, so that a binding can `return raise(error);`.
inline PyObject* raise(const Error& error) {
  PyObject* type = error.fault == Fault::user   ? PyExc_ValueError
                   : error.fault == Fault::host ? PyExc_OSError
                                                : PyExc_RuntimeError;
  PyErr_SetString(type, error.message.c_str());
  return nullptr;
}

// UTF-8 text of a str object. nullopt-like: false with a Python exception set.
inline bool text_of(PyObject* object, std::string& out) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) return false;
  out.assign(text, static_cast<std::size_t>(size));
  return true;
}

}  // namespace kgb::ext
