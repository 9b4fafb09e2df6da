// SPDX-License-Identifier: Apache-2.0
// Entry point of the extension kgbench._kgbench: adds every binding named in the generated table.
#include "ext/binding.hpp"

namespace kgb::ext {
#define KGB_BINDING(area) int add_##area(PyObject* module);
#include "bindings.def"
#undef KGB_BINDING
}  // namespace kgb::ext

namespace {

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_kgbench",
    "Native parts of kgbench: process isolation, the VM, generated values.",
    -1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit__kgbench() {
  kgb::ext::Ref module(PyModule_Create(&definition));
  if (!module) return nullptr;
#define KGB_BINDING(area) \
  if (kgb::ext::add_##area(module.get()) < 0) return nullptr;
#include "bindings.def"
#undef KGB_BINDING
  return module.release();
}
