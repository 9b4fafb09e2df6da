// SPDX-License-Identifier: Apache-2.0
// Python face of the sandbox for the zygote: fork into namespaces, shed descriptors, put on the lock.
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "ext/binding.hpp"
#include "sandbox/lock.hpp"
#include "sandbox/namespaces.hpp"

namespace kgb::ext {
namespace {

bool ints_of(PyObject* list, std::vector<int>& out) {
  const Py_ssize_t size = PySequence_Size(list);
  if (size < 0) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Ref item(PySequence_GetItem(list, i));
    if (!item) return false;
    const long value = PyLong_AsLong(item.get());
    if (value == -1 && PyErr_Occurred() != nullptr) return false;
    if (value < 0 || value > 1'000'000) {
      PyErr_SetString(PyExc_ValueError, "a descriptor is out of range");
      return false;
    }
    out.push_back(static_cast<int>(value));
  }
  return true;
}

// fork(namespaces) -> (pid, pidfd); (0, -1) in the new process, which leads its own session and is a child of
// our parent: only that one can wait for it.
PyObject* fork_process(PyObject*, PyObject* args) {
  unsigned namespaces = 0;
  if (PyArg_ParseTuple(args, "I", &namespaces) == 0) return nullptr;
  PyOS_BeforeFork();
  const sandbox::Cloned cloned = sandbox::clone_process(namespaces, sandbox::Parent::of_caller);
  if (cloned.pid == 0) {
    // Before anything else can run: a signal to "its group" must not reach the zygote.
    ::setsid();
    if (cloned.map_error != 0) ::_exit(1);  // kgbench sees that it died unlocked
    PyOS_AfterFork_Child();
    return Py_BuildValue("ii", 0, -1);
  }
  const int code = errno;
  PyOS_AfterFork_Parent();
  if (cloned.pid < 0) {
    errno = code;
    return PyErr_SetFromErrno(PyExc_OSError);
  }
  return Py_BuildValue("ii", static_cast<int>(cloned.pid), cloned.pidfd);
}

// close_others(keep): closes every descriptor from 3 on that is not in `keep`.
PyObject* close_others(PyObject*, PyObject* args) {
  PyObject* list = nullptr;
  std::vector<int> keep;
  if (PyArg_ParseTuple(args, "O", &list) == 0 || !ints_of(list, keep)) return nullptr;
  std::sort(keep.begin(), keep.end());
  unsigned next = 3;
  for (const int fd : keep) {
    const auto number = static_cast<unsigned>(fd);
    if (number > next) ::syscall(SYS_close_range, next, number - 1, 0U);
    next = std::max(next, number + 1);
  }
  ::syscall(SYS_close_range, next, ~0U, 0U);
  Py_RETURN_NONE;
}

// lock(spec, cgroup_fds) -> layers: both JSON texts. The lock cannot be taken off.
PyObject* lock(PyObject*, PyObject* args) {
  PyObject* text = nullptr;
  PyObject* list = nullptr;
  std::string json;
  std::vector<int> fds;
  if (PyArg_ParseTuple(args, "OO", &text, &list) == 0 || !text_of(text, json) || !ints_of(list, fds))
    return nullptr;
  const Result<sandbox::LockSpec> spec = sandbox::lock_from_json(json);
  if (!spec.ok()) return raise(spec.error());
  const Result<sandbox::LockLayers> layers = sandbox::apply_lock(*spec, fds);
  if (!layers.ok()) return raise(layers.error());
  return PyUnicode_FromString(sandbox::to_json_text(*layers).c_str());
}

PyMethodDef methods[] = {
    {"sandbox_fork", fork_process, METH_VARARGS, "sandbox_fork(namespaces) -> (pid, pidfd)"},
    {"sandbox_close_others", close_others, METH_VARARGS, "sandbox_close_others(keep)"},
    {"sandbox_lock", lock, METH_VARARGS, "sandbox_lock(spec, cgroup_fds) -> layers"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_sandbox(PyObject* module) {
  for (PyMethodDef* method = methods; method->ml_name != nullptr; ++method) {
    Ref function(PyCFunction_New(method, nullptr));
    if (!function) return -1;
    // Steals the reference on success only.
    if (PyModule_AddObject(module, method->ml_name, function.get()) < 0) return -1;
    static_cast<void>(function.release());
  }
  return 0;
}

}  // namespace kgb::ext
