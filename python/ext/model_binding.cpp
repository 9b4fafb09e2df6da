// SPDX-License-Identifier: Apache-2.0
// Python face of the value generator: the bytes of one tensor from its spec and seed.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ext/binding.hpp"
#include "model/call.hpp"
#include "model/generate.hpp"
#include "model/moved.hpp"
#include "nlohmann/json.hpp"

namespace kgb::ext {
namespace {

// Seeds use all 64 bits; Python hands them as non-negative integers.
bool seed_of(PyObject* object, std::uint64_t& seed) {
  seed = PyLong_AsUnsignedLongLong(object);
  return !(seed == static_cast<std::uint64_t>(-1) && PyErr_Occurred() != nullptr);
}

PyObject* generate_bytes(PyObject* /*module*/, PyObject* args) {
  PyObject *spec_object = nullptr, *path_object = nullptr, *seed_object = nullptr;
  int trial = 0, call = 0;
  if (PyArg_ParseTuple(args, "UUOii", &spec_object, &path_object, &seed_object, &trial, &call) == 0)
    return nullptr;
  std::string spec_text, path;
  std::uint64_t seed = 0;
  if (!text_of(spec_object, spec_text) || !text_of(path_object, path) || !seed_of(seed_object, seed))
    return nullptr;
  const nlohmann::json json = nlohmann::json::parse(spec_text, nullptr, false);
  if (json.is_discarded()) return raise(user_error("generate: the tensor spec is no JSON"));
  const Result<TensorSpec> spec = tensor_spec_from_json(json);
  if (!spec.ok()) return raise(spec.error());
  Ref bytes(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(spec->storage_bytes())));
  if (!bytes) return nullptr;
  char* data = PyBytes_AsString(bytes.get());
  const std::span<std::byte> storage(reinterpret_cast<std::byte*>(data),
                                     static_cast<std::size_t>(spec->storage_bytes()));
  Py_BEGIN_ALLOW_THREADS generate(*spec, path, seed, trial, call, storage);
  Py_END_ALLOW_THREADS return bytes.release();
}

PyObject* moved_bytes(PyObject* /*module*/, PyObject* args) {
  PyObject *data_object = nullptr, *precision_object = nullptr, *path_object = nullptr,
           *seed_object = nullptr;
  int trial = 0, call = 0;
  if (PyArg_ParseTuple(args, "SUUOii", &data_object, &precision_object, &path_object, &seed_object, &trial,
                       &call) == 0)
    return nullptr;
  std::string precision_text, path;
  std::uint64_t seed = 0;
  if (!text_of(precision_object, precision_text) || !text_of(path_object, path) ||
      !seed_of(seed_object, seed))
    return nullptr;
  const std::optional<DType> precision = dtype_named(precision_text);
  const Py_ssize_t size = PyBytes_Size(data_object);
  if (!precision || !is_float(*precision) || size % 8 != 0)
    return raise(user_error("moved: expected f64 values and a float dtype"));
  std::vector<double> values(static_cast<std::size_t>(size) / 8);
  if (!values.empty())
    std::memcpy(values.data(), PyBytes_AsString(data_object), static_cast<std::size_t>(size));
  Py_BEGIN_ALLOW_THREADS move_values(values, *precision, path, seed, trial, call);
  Py_END_ALLOW_THREADS return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(values.data()), size);
}

PyMethodDef methods[] = {
    {"generate", generate_bytes, METH_VARARGS,
     "generate(spec_json: str, path: str, seed: int, trial: int, call: int) -> bytes\n\n"
     "The storage of one tensor of one call, filled as docs/contracts/values.md says."},
    {"moved", moved_bytes, METH_VARARGS,
     "moved(values: bytes, precision: str, path: str, seed: int, trial: int, call: int) -> bytes\n\n"
     "f64 values, each moved by one ulp of `precision`; small integers, infinities and NaN stay."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_model(PyObject* module) {
  return PyModule_AddFunctions(module, methods);
}

}  // namespace kgb::ext
