// SPDX-License-Identifier: Apache-2.0
// Starts the processes and says how each is reached.
#include "judge/processes.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "base/loaded.hpp"
#include "base/text.hpp"
#include "compiler/nvrtc.hpp"
#include "device/cuda/cublas.hpp"
#include "judge/memcheck.hpp"

namespace kgb {
namespace {

constexpr Millis kProbeLimit{60'000};   // of contexts, too: hosts of many GPUs take seconds for one
constexpr uid_t kCompilerUid = 64990;   // as root; below the authors' range, so neither can touch the other
constexpr uid_t kCandidateUid = 64992;  // as root: of a candidate that holds the device

std::vector<std::string> base_environment(int threads = 1) {
  const std::string n = std::to_string(threads);
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "LANG=C.UTF-8",
          "CUDA_VISIBLE_DEVICES=",
          "OMP_NUM_THREADS=" + n,
          "MKL_NUM_THREADS=" + n,
          "OPENBLAS_NUM_THREADS=" + n,
          "KGVM=0",  // the Triton plug-in is for users' scripts: workers bring drivers of their own
          "PYTHONDONTWRITEBYTECODE=1",
          "PYTHONNOUSERSITE=1"};
}

// A process that holds the device sees it, and the driver's library that was named.
void show_device(sandbox::Command& command, int index) {
  std::erase(command.environment, "CUDA_VISIBLE_DEVICES=");
  for (std::string& variable : device_environment(index)) command.environment.push_back(std::move(variable));
  if (const char* library = std::getenv("KGBENCH_CUDA_LIBRARY"))
    command.environment.push_back(std::string("KGBENCH_CUDA_LIBRARY=") + library);
}

sandbox::Command executor_command(const Installation& at, const DeviceChoice* device = nullptr) {
  sandbox::Command command;
  command.argv = {at.self.string(), "executor", "--fd", "3"};
  command.environment = base_environment();
  if (device != nullptr) {
    show_device(command, device->index);
    command.argv.insert(command.argv.end(), {"--backend", device->backend});
  }
  return command;
}

// The lock of Python that runs what candidates wrote: it may read and start the toolchain, and write in one
// folder.
sandbox::LockSpec python_lock(const JudgeSetup& setup, const author::Interpreter& python,
                              const std::filesystem::path& scratch) {
  sandbox::LockSpec lock;
  lock.workspace = scratch.string();
  lock.read = python.paths;
  lock.read.push_back(setup.installation.python_dir.string());
  if (!setup.installation.extension_dir.empty())
    lock.read.push_back(setup.installation.extension_dir.string());
  for (const char* system :
       {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo"})
    lock.read.emplace_back(system);
  lock.execute = lock.read;
  lock.hidden = answers_of(setup.installation);
  if (::geteuid() == 0) lock.uid = kCompilerUid;
  lock.memory_bytes = setup.limits.memory_bytes;
  lock.cpu_seconds = 100'000;  // a long-lived worker: the request's limit counts, not its age
  lock.allow_weak = setup.allow_weak_lock;
  return lock;
}

// The compiler runs a candidate's TTIR through LLVM and assemblers: it is locked like an author, but may
// start the toolchain's programs.
sandbox::Command compiler_command(const JudgeSetup& setup, const author::Interpreter& python,
                                  const std::filesystem::path& scratch) {
  sandbox::Command command = Processes::python_worker(setup.installation, "kgbench.compiler.worker");
  for (const char* name : {"HOME=", "TMPDIR=", "TRITON_CACHE_DIR="})
    command.environment.push_back(name + scratch.string());
  command.lock = python_lock(setup, python, scratch);
  return command;
}

// NVRTC reads CUDA C++ that a candidate wrote, `#include` of any path among it: it may read itself, the
// system's libraries and the CUDA headers, write nothing and start nothing.
sandbox::Command cuda_compiler_command(const JudgeSetup& setup, const NvrtcPlace& place) {
  const std::string self = setup.installation.self.string();
  sandbox::Command command;
  command.argv = {self, "nvrtc", "--fd", "3", "--library", place.library.string()};
  // NVRTC opens its built-ins by name alone. No more than that: a source can include its own process's
  // environment.
  command.environment = {"LANG=C.UTF-8", "LD_LIBRARY_PATH=" + place.library.parent_path().string()};
  sandbox::LockSpec lock;
  lock.read = {self, place.library.parent_path().string(), "/etc/ld.so.cache"};
  for (const auto& folder : place.includes) {
    command.argv.insert(command.argv.end(), {"--include", folder.string()});
    lock.read.push_back(folder.string());
  }
  for (const char* system : {"/usr/lib", "/usr/lib64", "/lib", "/lib64"}) lock.read.emplace_back(system);
  for (std::string& library : loaded_libraries()) lock.read.push_back(std::move(library));
  lock.execute = {self, "/usr/lib", "/usr/lib64", "/lib", "/lib64"};  // itself, by the system's loader
  lock.hidden = answers_of(setup.installation);
  if (::geteuid() == 0) lock.uid = kCompilerUid;
  lock.memory_bytes = setup.limits.memory_bytes;
  lock.cpu_seconds = 100'000;  // a long-lived worker: the request's limit counts, not its age
  lock.allow_weak = setup.allow_weak_lock;
  command.lock = lock;
  return command;
}

CudaCompiler make_cuda_compiler(const JudgeSetup& setup, const std::vector<std::string>& packages) {
  const Result<NvrtcPlace> place = find_nvrtc(packages);
  Result<sandbox::Command> command = host_error("");
  if (place.ok())
    command = cuda_compiler_command(setup, *place);
  else
    command = place.error();
  return {std::move(command), static_cast<std::size_t>(setup.lanes), setup.installation.cache_dir / "compile",
          place.ok() ? identity_of(*place) : std::string(),
          Millis(static_cast<std::int64_t>(1e3 * setup.limits.author_s))};
}

// An executor that makes calls of the vendor's library: the one that was named, else torch's own.
sandbox::Command vendor_command(const JudgeSetup& setup, const DeviceChoice& device,
                                const std::vector<std::string>& packages) {
  sandbox::Command command = executor_command(setup.installation, &device);
  const char* named = std::getenv("KGBENCH_CUBLAS_LIBRARY");
  const std::string library = named != nullptr ? named : device::cuda::cublas_in(packages);
  if (!library.empty()) command.environment.push_back("KGBENCH_CUBLAS_LIBRARY=" + library);
  return command;
}

Crew make_crew(const JudgeSetup& setup, const DeviceChoice& device,
               const std::vector<std::string>& packages) {
  sandbox::Command baseline =
      Processes::device_python(setup.installation, "kgbench.baseline.device_worker", device, setup.threads);
  return {sandbox::Worker(executor_command(setup.installation, &device)),
          sandbox::Worker(std::move(baseline)), sandbox::Worker(vendor_command(setup, device, packages))};
}

// In a process of its own: what a device does to a context is done to that one.
Result<std::string> probe_device(const Installation& at, const DeviceChoice& device) {
  sandbox::Command command = executor_command(at, &device);
  command.argv = {at.self.string(), "executor", "--probe", "--backend", device.backend};
  sandbox::Limits limits;
  limits.wall = kProbeLimit;
  KGB_TRY(const sandbox::Output output, sandbox::run(command, limits));
  if (output.finished.clean()) return std::string();
  const std::string said = to_utf8_lossy(cut_utf8(trim(output.err), 300));
  return said.empty() ? "its probe " + output.finished.describe() : said;
}

author::ZygoteOptions zygote_options(const JudgeSetup& setup) {
  author::ZygoteOptions options;
  options.python = setup.installation.interpreter;
  options.python_path = {setup.installation.python_dir.string()};
  if (!setup.installation.extension_dir.empty())
    options.environment.push_back("KGBENCH_EXT_DIR=" + setup.installation.extension_dir.string());
  options.lock.memory_bytes = setup.limits.memory_bytes;
  options.lock.hidden = answers_of(setup.installation);
  for (const auto& folder : setup.library ? setup.library->folders : std::vector<std::filesystem::path>())
    options.lock.read.push_back(folder.string());
  options.lock.allow_weak = setup.allow_weak_lock;
  return options;
}

std::string compiler_version(const author::Interpreter& python) {
  const auto triton = python.packages.find("triton");
  return "triton " + (triton == python.packages.end() ? std::string("unknown") : triton->second);
}

}  // namespace

std::string visible_device(int index) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::vector<std::string> names = split(visible == nullptr ? "" : visible, ',');
  const auto at = static_cast<std::size_t>(index);
  return at < names.size() && !names[at].empty() ? names[at] : std::to_string(index);
}

std::vector<std::string> device_environment(int index) {
  std::vector<std::string> out{"CUDA_VISIBLE_DEVICES=" + visible_device(index)};
  // By number a device is found only in the order in which it was counted.
  if (const char* order = std::getenv("CUDA_DEVICE_ORDER"))
    out.push_back(std::string("CUDA_DEVICE_ORDER=") + order);
  return out;
}

std::vector<std::string> answers_of(const Installation& installation) {
  std::vector<std::string> folders{(installation.home / "catalogue").string()};
  for (const auto& folder : installation.more_catalogues) folders.push_back(folder.string());
  return folders;
}

sandbox::Command Processes::python_worker(const Installation& at, const std::string& module, int threads) {
  sandbox::Command command;
  command.argv = {at.interpreter, "-m", module, "3"};
  command.environment = base_environment(threads);
  command.environment.push_back("PYTHONPATH=" + at.python_dir.string());
  if (!at.extension_dir.empty())
    command.environment.push_back("KGBENCH_EXT_DIR=" + at.extension_dir.string());
  return command;
}

sandbox::Command Processes::device_python(const Installation& at, const std::string& module,
                                          const DeviceChoice& device, int threads) {
  sandbox::Command command = python_worker(at, module, threads);
  show_device(command, device.index);
  return command;
}

sandbox::Command Processes::candidate_command(const std::filesystem::path& workspace,
                                              const DeviceChoice& device) const {
  constexpr std::uint64_t kLeastMemory = std::uint64_t{16} << 30;  // of the host: torch, CUDA, pinned buffers
  sandbox::Command command = device_python(setup_.installation, "kgbench.inprocess.worker", device);
  for (const char* name :
       {"HOME=", "TMPDIR=", "TRITON_CACHE_DIR=", "CUDA_CACHE_PATH=", "TORCHINDUCTOR_CACHE_DIR="})
    command.environment.push_back(name + workspace.string());
  // Its user is in no list of users, and torch.compile asks for a name.
  for (const char* who : {"USER=candidate", "LOGNAME=candidate"}) command.environment.emplace_back(who);
  command.cwd = workspace.string();
  sandbox::LockSpec lock = python_lock(setup_, zygote_.interpreter(), workspace);
  if (setup_.library)
    for (const auto& folder : setup_.library->folders) lock.read.push_back(folder.string());
  lock.execute = lock.read;
  for (const char* place : {"/proc/devices", "/proc/modules", "/proc/driver", "/proc/sys/vm", "/sys/devices",
                            "/sys/bus/pci", "/sys/class", "/sys/module", "/sys/kernel/mm"})
    lock.read.emplace_back(place);
  if (const char* library = std::getenv("KGBENCH_CUDA_LIBRARY")) lock.read.emplace_back(library);
  if (const char* library = std::getenv("KGBENCH_CUPTI_LIBRARY")) {
    lock.read.emplace_back(library);
    command.environment.push_back(std::string("KGBENCH_CUPTI_LIBRARY=") + library);
  }
  lock.drivers = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps"};
  constexpr int kMostDevices = 32;
  for (int i = 0; i < kMostDevices; ++i) lock.drivers.push_back("/dev/nvidia" + std::to_string(i));
  if (::geteuid() == 0) lock.uid = kCandidateUid;
  lock.memory_bytes = std::max(lock.memory_bytes, kLeastMemory);
  lock.processes = 512;  // with threads: those of torch, of the driver and of the compiler
  command.lock = lock;
  return command;
}

Status Processes::give_to_candidate(const std::filesystem::path& workspace) {
  if (::geteuid() == 0 && ::chown(workspace.c_str(), kCandidateUid, kCandidateUid) != 0)
    return errno_error("cannot give " + workspace.string() + " to the candidate's user");
  return ok_status();
}

Processes::Processes(const JudgeSetup& setup, author::Zygote zygote, TempDir scratch)
    : setup_(setup),
      scratch_(std::move(scratch)),
      zygote_(std::move(zygote)),
      executors_(executor_command(setup.installation), static_cast<std::size_t>(setup.lanes)),
      expectations_(oracle::Oracle(sandbox::Starter([this](int channel) {
                                     return zygote_.start_worker("kgbench.oracle.worker", channel);
                                   }),
                                   static_cast<std::size_t>(setup.lanes)),
                    setup.expectation_bytes),
      compiler_(compiler_command(setup, zygote_.interpreter(), scratch_.path()),
                static_cast<std::size_t>(setup.lanes), setup.installation.cache_dir / "compile",
                compiler_version(zygote_.interpreter())),
      cuda_compiler_(make_cuda_compiler(setup, zygote_.interpreter().paths)) {
  std::vector<std::unique_ptr<Station>> stations;
  for (const DeviceChoice& device : setup.devices) {
    Station::Parts parts{device,
                         {},
                         executor_command(setup.installation, &device),
                         [this, device] { return make_crew(setup_, device, zygote_.interpreter().paths); },
                         [this, device] { return device_peaks(setup_.installation, device); },
                         [this, device] { return probe_device(setup_.installation, device); },
                         setup.lanes};
    parts.told.name = device.backend;
    if (Result<device::Description> told = device::describe_device(device.backend, device.index); told.ok())
      parts.told = std::move(*told);
    stations.push_back(std::make_unique<Station>(std::move(parts)));
  }
  stations_ = std::make_unique<Stations>(std::move(stations));
}

Result<std::unique_ptr<Processes>> Processes::start(const JudgeSetup& setup) {
  KGB_TRY(author::Zygote zygote, author::Zygote::start(zygote_options(setup)));
  KGB_TRY(TempDir scratch, TempDir::make("kgbench-compile"));
  if (::geteuid() == 0 && ::chown(scratch.path().c_str(), kCompilerUid, kCompilerUid) != 0)
    return errno_error("cannot give " + scratch.path().string() + " to the compiler's user");
  std::string tool;
  if (!setup.devices.empty()) {
    KGB_TRY(tool, find_compute_sanitizer(zygote.interpreter().paths));
  }
  std::unique_ptr<Processes> started(new Processes(setup, std::move(zygote), std::move(scratch)));
  started->memcheck_tool_ = std::move(tool);
  return started;
}

Result<author::AuthorOutcome> Processes::author(const std::string& session,
                                                const std::filesystem::path& workspace, double seconds,
                                                const std::atomic<bool>* stop) {
  sandbox::Limits limits;
  limits.stop = stop;
  limits.wall = Millis(static_cast<std::int64_t>(1e3 * seconds));
  limits.keep_result = std::size_t{512} << 20;
  return zygote_.author(session, workspace, limits);
}

Result<Processes::TrialAnswer> Processes::trial(const TrialRequest& request,
                                                const std::string& recording_json, Station* station,
                                                const std::atomic<bool>* stop) {
  static std::atomic<std::int64_t> next_id{1};
  TrialAnswer answer;
  sandbox::WorkerPool& pool = station != nullptr ? station->executors() : executors_;
  const std::vector<std::byte> blob = blob_of(request, recording_json);
  // A dead executor is asked once more: only what happens twice with the same plan is the plan's doing.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::int64_t id = next_id++;
    const auto limit = Millis(request.deadline_ms + 30'000);
    Result<sandbox::Answer> asked = internal_error("no executor was asked");
    pool.with([&](sandbox::Worker& executor) {
      // Not before there is an executor: whoever wants the device alone would wait for the queue, too.
      const Lease::Held shared = station != nullptr ? station->share() : Lease::Held();
      asked = executor.ask(to_json_text(request, id), blob, limit, {}, stop);
    });
    KGB_TRY(sandbox::Answer reply, std::move(asked));
    if (!reply.loss) {
      KGB_TRY(answer.result, trial_result_from_json(reply.frame.json, std::move(reply.frame.blob), id));
      answer.fault.reset();
      return answer;
    }
    const bool late = reply.loss->end == FrameEnd::deadline;
    const bool memory = reply.loss->finished.end == sandbox::End::out_of_memory;
    answer.fault = make_finding(late     ? "deadline"
                                : memory ? "memory_limit"
                                         : "native_crash",
                                Gate::correct,
                                "the executor " + reply.loss->finished.describe() + " while it ran the plan");
    answer.fault->details["stderr"] = reply.loss->error_output;
    if (late) return answer;
  }
  return answer;
}

}  // namespace kgb
