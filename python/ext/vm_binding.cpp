// SPDX-License-Identifier: Apache-2.0
// vm_run(): one launch on the Triton virtual machine over buffers given by address.
#define PY_SSIZE_T_CLEAN  // "s#" takes Py_ssize_t
#include "ext/binding.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "nlohmann/json.hpp"
#include "vm/count.hpp"
#include "vm/sanitize_launch.hpp"
#include "vm/vm.hpp"

namespace kgb::ext {
namespace {

using vm::Arg;

constexpr const char* kDoc =
    "vm_run(ttir, grid, args, buffers, threads=1, max_steps=0, seconds=0.0, order='forward', seed=0,\n"
    "       tf32='truncate', poison_masked=False, fp8_saturate=True, reorder=False, check_division=True,\n"
    "       sanitize='', undefined=(), contraction=False, flush_denormals=False,\n"
    "       exact_remainder=True, count=False) -> dict\n\n"
    "args: int, float, or ('ptr', buffer index or -1, byte offset). buffers: (name, address, bytes, "
    "writable).\n"
    "sanitize: names of checks, or 'all'; undefined: buffers that nothing has written yet.\n"
    "count: the dict's counters are JSON text (docs/counters.md); not together with sanitize.\n"
    "The dict has findings (list of dicts), printed, programs, steps and seconds (of the run, without "
    "parsing).\n"
    "Raises ValueError for text that is no TTIR module.";

bool set(PyObject* dict, const char* key, PyObject* owned) {
  const Ref value(owned);
  return value && PyDict_SetItemString(dict, key, value.get()) == 0;
}

PyObject* text(const std::string& value) {
  return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace");
}

PyObject* lines(const std::vector<std::string>& texts) {
  Ref list(PyList_New(0));
  for (const std::string& line : texts) {
    const Ref item(text(line));
    if (!list || !item || PyList_Append(list.get(), item.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* finding_dict(const vm::VmFinding& finding) {
  Ref dict(PyDict_New());
  if (!dict) return nullptr;
  PyObject* d = dict.get();
  const auto& id = finding.program;
  if (!set(d, "kind", text(finding.kind)) || !set(d, "message", text(finding.message)) ||
      !set(d, "region", text(finding.region)) || !set(d, "index", PyLong_FromLongLong(finding.index)) ||
      !set(d, "notes", lines(finding.notes)) || !set(d, "picture", lines(finding.picture)) ||
      !set(d, "file", text(finding.file)) || !set(d, "line", PyLong_FromLong(finding.line)) ||
      !set(d, "program",
           Py_BuildValue("(LLL)", static_cast<long long>(id[0]), static_cast<long long>(id[1]),
                         static_cast<long long>(id[2]))))
    return nullptr;
  return dict.release();
}

bool read_grid(PyObject* object, std::array<std::int64_t, 3>& grid) {
  const Py_ssize_t n = PySequence_Size(object);
  if (n < 0 || n > 3) {
    if (n > 3) PyErr_SetString(PyExc_ValueError, "grid has at most three dimensions");
    return false;
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Ref item(PySequence_GetItem(object, i));
    if (!item) return false;
    grid[static_cast<std::size_t>(i)] = PyLong_AsLongLong(item.get());
    if (PyErr_Occurred() != nullptr) return false;
  }
  return true;
}

bool read_arg(PyObject* item, int buffers, std::vector<Arg>& args) {
  if (PyFloat_Check(item)) {
    args.emplace_back(PyFloat_AsDouble(item));
  } else if (PyTuple_Check(item)) {
    const char* kind = nullptr;
    int buffer = -1;
    long long offset = 0;
    if (PyArg_ParseTuple(item, "siL;an argument must be int, float or ('ptr', buffer, offset)", &kind,
                         &buffer, &offset) == 0)
      return false;
    if (buffer >= buffers) {
      PyErr_Format(PyExc_ValueError, "an argument points to buffer %d of %d", buffer, buffers);
      return false;
    }
    args.emplace_back(vm::PointerArg{buffer, offset});
  } else {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (overflow > 0) {  // an unsigned 64-bit value
      value = static_cast<long long>(PyLong_AsUnsignedLongLong(item));
    }
    if (PyErr_Occurred() != nullptr) return false;
    args.emplace_back(std::int64_t{value});
  }
  return true;
}

bool read_buffers(PyObject* list, vm::Memory& memory) {
  const Py_ssize_t n = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Ref item(PySequence_GetItem(list, i));
    const char* name = nullptr;
    unsigned long long address = 0;
    Py_ssize_t bytes = 0;
    int writable = 1;
    if (!item || PyArg_ParseTuple(item.get(), "sKnp;a buffer must be (name, address, bytes, writable)", &name,
                                  &address, &bytes, &writable) == 0)
      return false;
    if (bytes < 0) {
      PyErr_SetString(PyExc_ValueError, "a buffer has a negative size");
      return false;
    }
    memory.add({name, reinterpret_cast<std::byte*>(address), static_cast<std::size_t>(bytes), writable != 0});
  }
  return n >= 0;
}

// Parsed programs by text: a launch in a loop pays for its analysis once.
Result<vm::Program> cached(const std::string& ttir, vm::Build build, bool contraction) {
  static std::map<std::string, vm::Program> caches[vm::kBuilds][2];  // under the GIL
  auto& cache = caches[static_cast<std::size_t>(build)][contraction ? 1 : 0];
  const auto found = cache.find(ttir);
  if (found != cache.end()) return found->second;
  auto program = vm::Program::parse(ttir, build, contraction);
  if (!program) return program.error();
  if (cache.size() >= 64) cache.clear();
  return cache.emplace(ttir, std::move(program).value()).first->second;
}

struct Sanitizing {
  std::unique_ptr<vm::Sanitizer> sanitizer;
  vm::LaunchChecks repeats{false, false};

  // `names`: comma-separated checks, or "all"; `undefined`: buffers that nothing has written, by number.
  bool read(const std::string& names, PyObject* undefined, const vm::Memory& memory) {
    if (names.empty()) return true;
    vm::Checks checks{false, false, false, false};
    const std::map<std::string, bool*> known{
        {"races", &checks.races},       {"uninitialised", &checks.uninitialised},
        {"overflow", &checks.overflow}, {"waits", &checks.waits},
        {"orders", &repeats.orders},    {"undefined", &repeats.undefined}};
    for (std::size_t at = 0; at <= names.size();) {
      const std::size_t end = std::min(names.find(',', at), names.size());
      const std::string name = names.substr(at, end - at);
      const auto found = known.find(name);
      if (name != "all" && found == known.end()) {
        PyErr_Format(PyExc_ValueError, "'%s' is no check of the sanitizer", name.c_str());
        return false;
      }
      for (const auto& [other, on] : known)
        if (name == "all" || name == other) *on = true;
      at = end + 1;
    }
    sanitizer = std::make_unique<vm::Sanitizer>(checks);
    const Py_ssize_t n = undefined == nullptr ? 0 : PySequence_Size(undefined);
    for (Py_ssize_t i = 0; i < n; ++i) {
      const Ref item(PySequence_GetItem(undefined, i));
      const long index = item ? PyLong_AsLong(item.get()) : -1;
      if (PyErr_Occurred() != nullptr) return false;
      if (index < 0 || index >= memory.size()) {
        PyErr_Format(PyExc_ValueError, "there is no buffer %ld", index);
        return false;
      }
      const vm::Region& region = memory.region(static_cast<int>(index));
      sanitizer->allocate(region.data, region.bytes);
    }
    return n >= 0;
  }
};

bool read_choices(const char* order, const char* tf32, vm::RunOptions& how, vm::Options& options) {
  const std::string o = order, t = tf32;
  const bool good = (o == "forward" || o == "reversed" || o == "shuffled") &&
                    (t == "round" || t == "truncate" || t == "ieee");
  if (!good)
    PyErr_SetString(PyExc_ValueError,
                    "order is forward, reversed or shuffled; tf32 is round, truncate or ieee");
  how.order = o == "reversed"   ? vm::Order::reversed
              : o == "shuffled" ? vm::Order::shuffled
                                : vm::Order::forward;
  options.tf32 = t == "truncate" ? vm::Options::Tf32::truncate
                 : t == "ieee"   ? vm::Options::Tf32::ieee
                                 : vm::Options::Tf32::round;
  return good;
}

PyObject* result_dict(const vm::RunResult& result, double seconds) {
  Ref dict(PyDict_New()), findings(PyList_New(0));
  if (!dict || !findings) return nullptr;
  for (const vm::VmFinding& finding : result.findings) {
    const Ref entry(finding_dict(finding));
    if (!entry || PyList_Append(findings.get(), entry.get()) != 0) return nullptr;
  }
  if (!set(dict.get(), "findings", findings.release()) || !set(dict.get(), "printed", text(result.printed)) ||
      !set(dict.get(), "programs", PyLong_FromUnsignedLongLong(result.programs)) ||
      !set(dict.get(), "steps", PyLong_FromUnsignedLongLong(result.steps)) ||
      !set(dict.get(), "seconds", PyFloat_FromDouble(seconds)))
    return nullptr;
  return dict.release();
}

PyObject* vm_run(PyObject*, PyObject* positional, PyObject* named) {
  static const char* names[] = {"ttir",
                                "grid",
                                "args",
                                "buffers",
                                "threads",
                                "max_steps",
                                "seconds",
                                "order",
                                "seed",
                                "tf32",
                                "poison_masked",
                                "fp8_saturate",
                                "reorder",
                                "check_division",
                                "sanitize",
                                "undefined",
                                "contraction",
                                "flush_denormals",
                                "exact_remainder",
                                "count",
                                nullptr};
  const char *ttir = nullptr, *order = "forward", *tf32 = "truncate", *sanitize = "";
  PyObject* undefined = nullptr;
  Py_ssize_t size = 0;
  PyObject *grid = nullptr, *arg_list = nullptr, *buffers = nullptr;
  int threads = 1, poison = 0, saturate = 1, reorder = 0, division = 1, contraction = 0, flush = 0,
      remainder = 1, count = 0;
  unsigned long long max_steps = 0, seed = 0;
  double seconds = 0;
  if (PyArg_ParseTupleAndKeywords(positional, named, "s#OOO|iKdsKsppppsOpppp", const_cast<char**>(names),
                                  &ttir, &size, &grid, &arg_list, &buffers, &threads, &max_steps, &seconds,
                                  &order, &seed, &tf32, &poison, &saturate, &reorder, &division, &sanitize,
                                  &undefined, &contraction, &flush, &remainder, &count) == 0)
    return nullptr;
  vm::RunOptions how;
  vm::Options options;
  vm::Memory memory;
  std::vector<Arg> args;
  if (!read_grid(grid, how.grid) || !read_choices(order, tf32, how, options) ||
      !read_buffers(buffers, memory))
    return nullptr;
  const Py_ssize_t n = PySequence_Size(arg_list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Ref item(PySequence_GetItem(arg_list, i));
    if (!item || !read_arg(item.get(), memory.size(), args)) return nullptr;
  }
  if (n < 0) return nullptr;
  Sanitizing sanitizing;
  if (!sanitizing.read(sanitize, undefined, memory)) return nullptr;
  how.sanitizer = sanitizing.sanitizer.get();
  if (count != 0 && how.sanitizer != nullptr) {
    PyErr_SetString(PyExc_ValueError, "a launch is either sanitized or counted");
    return nullptr;
  }
  vm::Counter counter;
  if (count != 0) how.counter = &counter;
  const auto build = how.sanitizer != nullptr ? vm::Build::checked
                     : count != 0             ? vm::Build::counted
                                              : vm::Build::plain;
  const auto program = cached(std::string(ttir, static_cast<std::size_t>(size)), build, contraction != 0);
  if (!program) return raise(program.error());
  how.threads = threads;
  how.max_steps = max_steps;
  how.seed = seed;
  options.poison_masked = poison != 0;
  options.fp8_saturate = saturate != 0;
  options.reorder = reorder != 0;
  options.check_division = division != 0;
  options.contraction = contraction != 0;
  options.flush_denormals = flush != 0;
  options.exact_remainder = remainder != 0;
  const auto start = std::chrono::steady_clock::now();
  if (seconds > 0)
    how.deadline = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(seconds));
  vm::RunResult result;
  Py_BEGIN_ALLOW_THREADS result =
      how.sanitizer != nullptr ? vm::run_sanitized(*program, args, memory, how, options, sanitizing.repeats)
                               : vm::run(*program, args, memory, how, options);
  Py_END_ALLOW_THREADS const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  Ref dict(result_dict(result, taken.count()));
  if (dict && count != 0 &&
      !set(dict.get(), "counters", text(to_json(counter.take(*program, memory)).dump())))
    return nullptr;
  return dict.release();
}

PyObject* vm_operations(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const std::string_view name : vm::operations()) {
    const Ref entry(text(std::string(name)));
    if (!entry || PyList_Append(list.get(), entry.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* vm_choices(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const vm::Choice& choice : vm::choices()) {
    const Ref entry(Py_BuildValue("(s#s#s#)", choice.name.data(), static_cast<Py_ssize_t>(choice.name.size()),
                                  choice.value.data(), static_cast<Py_ssize_t>(choice.value.size()),
                                  choice.meaning.data(), static_cast<Py_ssize_t>(choice.meaning.size())));
    if (!entry || PyList_Append(list.get(), entry.get()) != 0) return nullptr;
  }
  return list.release();
}

PyMethodDef operations_method = {"vm_operations", vm_operations, METH_NOARGS,
                                 "vm_operations() -> list of the operations that the machine executes."};
PyMethodDef choices_method = {"vm_choices", vm_choices, METH_NOARGS,
                              "vm_choices() -> list of (name, default, meaning) of what TTIR leaves open."};

PyMethodDef method = {"vm_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(vm_run)),
                      METH_VARARGS | METH_KEYWORDS, kDoc};

}  // namespace

int add_vm(PyObject* module) {
  const Ref function(PyCFunction_NewEx(&method, nullptr, nullptr));
  const Ref operations(PyCFunction_NewEx(&operations_method, nullptr, nullptr));
  const Ref choices(PyCFunction_NewEx(&choices_method, nullptr, nullptr));
  if (!function || !operations || !choices) return -1;
  if (PyModule_AddObjectRef(module, "vm_run", function.get()) != 0 ||
      PyModule_AddObjectRef(module, "vm_operations", operations.get()) != 0)
    return -1;
  return PyModule_AddObjectRef(module, "vm_choices", choices.get());
}

}  // namespace kgb::ext
