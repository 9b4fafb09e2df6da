// SPDX-License-Identifier: Apache-2.0
// Python face of the CPU timing protocol's cold caches.
#include "device/cache_flush.hpp"
#include "ext/binding.hpp"

namespace kgb::ext {
namespace {

PyObject* flush(PyObject* /*module*/, PyObject* /*args*/) {
  Py_BEGIN_ALLOW_THREADS flush_caches();
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"flush_caches", flush, METH_NOARGS, "flush_caches() -> None\n\nEvicts every cache before a timed call."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_device(PyObject* module) {
  return PyModule_AddFunctions(module, methods);
}

}  // namespace kgb::ext
