// SPDX-License-Identifier: Apache-2.0
// Python face of the timing protocols: cold caches on the CPU, graphs on a device.
#include "device/bandwidth.hpp"
#include "device/cache_flush.hpp"
#include "device/cuda/activity.hpp"
#include "device/runtime.hpp"
#include "ext/binding.hpp"

namespace kgb::ext {
namespace {

PyObject* flush(PyObject* /*module*/, PyObject* /*args*/) {
  Py_BEGIN_ALLOW_THREADS flush_caches();
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

// The process's device: opened once, with the context that torch uses as well.
device::Runtime* runtime_of(const char* backend) {
  static std::unique_ptr<device::Runtime> runtime;
  if (runtime == nullptr) {
    Result<std::unique_ptr<device::Runtime>> opened = device::open_runtime(backend, 0);
    if (!opened.ok()) {
      raise(opened.error());
      return nullptr;
    }
    runtime = std::move(*opened);
  }
  return runtime.get();
}

PyObject* adopt_graph(PyObject* /*module*/, PyObject* args) {
  const char* backend = nullptr;
  unsigned long long graph = 0;
  if (PyArg_ParseTuple(args, "sK", &backend, &graph) == 0) return nullptr;
  device::Runtime* runtime = runtime_of(backend);
  if (runtime == nullptr) return nullptr;
  if (const Status adopted = runtime->adopt_graph(static_cast<std::uintptr_t>(graph)); !adopted.ok())
    return raise(adopted.error());
  Py_RETURN_NONE;
}

PyObject* time_graph(PyObject* /*module*/, PyObject* args) {
  const char* backend = nullptr;
  int samples = 0, by_activity = 0;
  if (PyArg_ParseTuple(args, "si|p", &backend, &samples, &by_activity) == 0) return nullptr;
  device::Runtime* runtime = runtime_of(backend);
  if (runtime == nullptr) return nullptr;
  const Result<std::vector<double>> times =
      runtime->time(samples, {}, by_activity != 0 ? device::Clock::activity : device::Clock::stamps);
  if (!times.ok()) return raise(times.error());
  Ref list(PyList_New(0));
  for (const double ns : *times) {
    Ref value(PyFloat_FromDouble(ns));
    if (!list || !value || PyList_Append(list.get(), value.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* measure_bandwidth(PyObject* /*module*/, PyObject* args) {
  const char* backend = nullptr;
  if (PyArg_ParseTuple(args, "s", &backend) == 0) return nullptr;
  device::Runtime* runtime = runtime_of(backend);
  if (runtime == nullptr) return nullptr;
  const Result<device::Bandwidth> made = device::measure_bandwidth(*runtime);
  if (!made.ok()) return raise(made.error());
  return Py_BuildValue("(dd)", made->copy, made->read);
}

PyObject* start_activity(PyObject* /*module*/, PyObject* /*args*/) {
  const Result<device::cuda::Activity*> activity = device::cuda::Activity::open();
  if (!activity.ok()) return raise(activity.error());
  if (const Status started = (*activity)->start(); !started.ok()) return raise(started.error());
  Py_RETURN_NONE;
}

// Copies are told by CUPTI's numbers of their kinds.
int kind_of(const device::cuda::Record& record) {
  constexpr int kMemset = 100;
  if (record.work == device::cuda::Work::kernel) return 0;
  if (record.work == device::cuda::Work::memset) return kMemset;
  return record.copy == 0 ? device::cuda::kOnDevice : record.copy;
}

PyObject* take_activity(PyObject* /*module*/, PyObject* /*args*/) {
  const Result<device::cuda::Activity*> activity = device::cuda::Activity::open();
  if (!activity.ok()) return raise(activity.error());
  const Result<std::vector<device::cuda::Record>> records = (*activity)->take();
  (*activity)->stop();
  if (!records.ok()) return raise(records.error());
  Ref list(PyList_New(0));
  for (const device::cuda::Record& record : *records) {
    Ref row(Py_BuildValue("(isIKK)", kind_of(record), record.name.c_str(), record.stream,
                          static_cast<unsigned long long>(record.start),
                          static_cast<unsigned long long>(record.end)));
    if (!list || !row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
  }
  return list.release();
}

PyMethodDef methods[] = {
    {"flush_caches", flush, METH_NOARGS, "flush_caches() -> None\n\nEvicts every cache before a timed call."},
    {"adopt_graph", adopt_graph, METH_VARARGS,
     "adopt_graph(backend, graph) -> None\n\nThe graph (its address) is what time_graph() replays."},
    {"measure_bandwidth", measure_bandwidth, METH_VARARGS,
     "measure_bandwidth(backend) -> (copy, read)\n\nBytes/s of the driver's copy on the device and of a "
     "reading kernel."},
    {"start_activity", start_activity, METH_NOARGS,
     "start_activity() -> None\n\nFrom now on CUPTI records every kernel, copy and memset of the process."},
    {"take_activity", take_activity, METH_NOARGS,
     "take_activity() -> [(kind, name, stream, start, end)]\n\nWhat ran since, in order of start, ns; ends "
     "the "
     "recording. kind: 0 a kernel, 1 a copy to the device, 2 to the host, 8 on the device, 100 a memset."},
    {"time_graph", time_graph, METH_VARARGS,
     "time_graph(backend, samples, by_activity=False) -> [ns]\n\nDevice time of replays with cold caches."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int add_device(PyObject* module) {
  return PyModule_AddFunctions(module, methods);
}

}  // namespace kgb::ext
