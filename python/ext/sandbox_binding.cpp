// SPDX-License-Identifier: Apache-2.0
// Python face of the sandbox for the zygote: fork into namespaces, then lock the child.
#include "ext/binding.hpp"

namespace kgb::ext {

int add_sandbox(PyObject* module) { return PyModule_AddIntConstant(module, "ABI", 1); }

}  // namespace kgb::ext
