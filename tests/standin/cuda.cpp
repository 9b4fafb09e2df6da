// SPDX-License-Identifier: Apache-2.0
// A CUDA driver without a GPU: the symbols of src/device/cuda/driver.def, device memory on the heap, kernels
// on the virtual machine. Their code is TTIR (chip card tests/standin/catalogue/chips/standin.toml, target
// "ttir"). The device layer of the executor runs on it in CI, and a vendor's own stand-in can start from it.
//
// As on a device, launches see one flat memory: bounds between buffers of one allocation are not checked, and
// a stray access is an error that stays until the process ends.
//
// KGBENCH_STANDIN_DEVICES says how many devices there are (one, where it is not set); CUDA_VISIBLE_DEVICES
// picks among up to eight by number or UUID, as on a real host. Every kernel fails on devices whose numbers
// stand in the file <this library>.broken, which is read at every launch.
// A kernel that takes more than kMostSteps steps never ends: what waits for the device waits from then on.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "activity.hpp"
#include "device/cuda/driver.hpp"
#include "device/runtime.hpp"
#include "standin/work.hpp"
#include "vm/vm.hpp"

namespace {

namespace cuda = kgb::device::cuda;
using kgb::device::CopyAxis;

constexpr int kInvalidValue = 1, kInvalidImage = 200, kNotFound = 500;

using kgb::standin::submit;
using kgb::standin::Work;
using standin::recorded;

struct Function {
  std::string name;
  std::shared_ptr<kgb::vm::Program> program;  // nullptr: one of kgbench's own kernels
};
struct Module {
  std::string text;
  std::vector<std::unique_ptr<Function>> functions;
};
// As a context holds them, a lost one too; never destroyed either.
auto& modules = *new std::vector<std::unique_ptr<Module>>;
struct Graph {
  std::vector<Work> work;
};

std::map<std::uint64_t, std::vector<std::byte>>& memory() {
  // Never destroyed: as with a driver, who uses the device may still give it back while the process ends.
  static auto& blocks = *new std::map<std::uint64_t, std::vector<std::byte>>;
  return blocks;
}
int sticky = 0;              // an error that no later call survives
bool hung = false;           // behind a kernel that takes more steps than any honest one here
int current = 0;             // the device that the process holds
Graph* capturing = nullptr;  // what queued work goes to
constexpr std::size_t kAlign = 512;
constexpr std::uint64_t kMostSteps = 50'000'000;

// What waits for the device waits for ever.
void wait_behind_a_hung_kernel() {
  while (hung) ::pause();
}

// The UUID's text, as CUDA_VISIBLE_DEVICES has it.
std::string uuid_of(int device) {
  return "GPU-0" + std::to_string(device) + "010203-0405-0607-0809-0a0b0c0d0e0f";
}

// Devices that this process sees, by their numbers on the host.
const std::vector<int>& visible() {
  static const std::vector<int> devices = [] {
    constexpr int kMost = 8;
    std::vector<int> found;
    const char* count = std::getenv("KGBENCH_STANDIN_DEVICES");
    const char* named = std::getenv("CUDA_VISIBLE_DEVICES");
    if (named == nullptr || *named == '\0') {
      for (int i = 0; i < (count == nullptr ? 1 : std::atoi(count)); ++i) found.push_back(i);
      return found;
    }
    std::istringstream names(named);
    for (std::string name; std::getline(names, name, ',');)
      for (int i = 0; i < kMost; ++i)
        if (name == std::to_string(i) || uuid_of(i).starts_with(name)) found.push_back(i);
    return found;
  }();
  return devices;
}

bool broken(int device) {
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&uuid_of), &own);
  std::ifstream file(std::string(own.dli_fname) + ".broken");
  for (int number = 0; file >> number;)
    if (number == device) return true;
  return false;
}

std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

template <typename T>
T read_as(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double half_to_double(std::uint16_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = static_cast<double>(bits & ((1 << fraction_bits) - 1)) / (1 << fraction_bits);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                       : sign * std::ldexp(1 + fraction, exponent - bias);
}

kgb::vm::Arg argument(const kgb::vm::Parameter& parameter, const void* bytes,
                      const kgb::vm::Memory& regions) {
  const std::string& type = parameter.type;
  if (parameter.pointer) {
    const auto address = read_as<std::uint64_t>(bytes);
    const int region = regions.find(address);
    if (region < 0) return kgb::vm::PointerArg{};
    const auto start = reinterpret_cast<std::uintptr_t>(regions.region(region).data);
    return kgb::vm::PointerArg{region, static_cast<std::int64_t>(address - start)};
  }
  if (type == "f64") return read_as<double>(bytes);
  if (type == "f32") return static_cast<double>(read_as<float>(bytes));
  if (type == "f16") return half_to_double(read_as<std::uint16_t>(bytes), 5, 10);
  if (type == "bf16") return half_to_double(read_as<std::uint16_t>(bytes), 8, 7);
  if (type == "i1" || type == "i8") return static_cast<std::int64_t>(read_as<std::int8_t>(bytes));
  if (type == "i16") return static_cast<std::int64_t>(read_as<std::int16_t>(bytes));
  if (type == "i32") return static_cast<std::int64_t>(read_as<std::int32_t>(bytes));
  return read_as<std::int64_t>(bytes);
}

int run_program(const kgb::vm::Program& program, const std::vector<std::array<std::byte, 8>>& bytes,
                std::array<std::int64_t, 3> grid) {
  kgb::vm::Memory regions;
  for (auto& [address, block] : memory())
    regions.add({"device memory", at(address), block.size() - kAlign, true});
  std::vector<kgb::vm::Arg> args;
  for (std::size_t i = 0; i < program.parameters().size(); ++i)
    args.push_back(argument(program.parameters()[i], bytes[i].data(), regions));
  kgb::vm::RunOptions how;
  how.grid = grid;
  how.max_steps = kMostSteps;
  const kgb::vm::RunResult result = kgb::vm::run(program, args, regions, how, kgb::vm::judging_options());
  if (result.findings.empty()) return 0;
  if (result.findings[0].kind == "step_limit") {
    hung = true;
    return 0;
  }
  return sticky = result.findings[0].kind == "assert" ? cuda::code::kAssert : cuda::code::kIllegalAddress;
}

int run_copy(std::size_t bytes, std::uint64_t to, std::uint64_t from, std::uint32_t n,
             const std::array<CopyAxis, kgb::device::kCopyAxes>& axes) {
  for (std::uint32_t i = 0; i < n; ++i) {
    std::int64_t rest = i, to_offset = 0, from_offset = 0;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      to_offset += rest % axes[axis].extent * axes[axis].to_stride;
      from_offset += rest % axes[axis].extent * axes[axis].from_stride;
      rest /= axes[axis].extent;
    }
    std::memcpy(at(to) + to_offset, at(from) + from_offset, bytes);
  }
  return 0;
}

// There is no cache to read cold, so the large buffer of the flush is left alone.
int run_read(std::uint64_t from, std::uint64_t words) {
  constexpr std::uint64_t kMostWords = std::uint64_t{1} << 17;
  volatile std::uint64_t seen = 0;
  if (words <= kMostWords)
    for (std::uint64_t i = 0; i < 2 * words; ++i) seen = seen | read_as<std::uint64_t>(at(from) + 8 * i);
  return 0;
}

// The work of one launch; its arguments are read now, as the driver does.
Work work_of(const Function& function, std::array<std::int64_t, 3> grid, void** parameters) {
  if (function.program != nullptr) {
    std::vector<std::array<std::byte, 8>> bytes(function.program->parameters().size());
    for (std::size_t i = 0; i < bytes.size(); ++i) std::memcpy(bytes[i].data(), parameters[i], 8);
    return [program = function.program, bytes = std::move(bytes), grid] {
      return run_program(*program, bytes, grid);
    };
  }
  const auto first = read_as<std::uint64_t>(parameters[0]);
  if (function.name == "kgb_stamp")
    return [first] {
      const auto now = std::chrono::steady_clock::now().time_since_epoch();
      const std::uint64_t ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
      std::memcpy(at(first), &ns, sizeof ns);
      return 0;
    };
  if (function.name.starts_with("kgb_copy"))
    return [bytes = std::stoul(function.name.substr(8)), first, from = read_as<std::uint64_t>(parameters[1]),
            n = read_as<std::uint32_t>(parameters[2]),
            axes = read_as<std::array<CopyAxis, kgb::device::kCopyAxes>>(parameters[3])] {
      return run_copy(bytes, first, from, n, axes);
    };
  if (function.name == "kgb_read")
    return [first, words = read_as<std::uint64_t>(parameters[1])] { return run_read(first, words); };
  return [] { return 0; };
}

Work recorded_work_of(const Function& function, std::array<std::int64_t, 3> grid, void** parameters) {
  return recorded(function.name, work_of(function, grid, parameters));
}

}  // namespace

int kgb::standin::submit(Work work) {
  if (sticky != 0) return sticky;
  if (capturing == nullptr) return hung ? 0 : work();  // queued, and never reached
  capturing->work.push_back(std::move(work));
  return 0;
}

extern "C" {

using cuda::KernelNode;
using cuda::LaunchConfig;
#define KGB_CUDA(name, symbol, parameters) int symbol parameters;
#include "device/cuda/driver.def"
#undef KGB_CUDA

int cuInit(unsigned /*flags*/) {
  return 0;
}
int cuDriverGetVersion(int* version) {
  return *version = 12000, 0;
}
int cuGetErrorName(int error, const char** text) {
  static const std::map<int, std::string> names{{cuda::code::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                {cuda::code::kAssert, "CUDA_ERROR_ASSERT"},
                                                {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
                                                {kNotFound, "CUDA_ERROR_NOT_FOUND"}};
  const auto it = names.find(error);
  return *text = it == names.end() ? "CUDA_ERROR_UNKNOWN" : it->second.c_str(), 0;
}
int cuGetErrorString(int /*error*/, const char** text) {
  return *text = "an error of the stand-in", 0;
}
int cuDeviceGetCount(int* count) {
  return *count = static_cast<int>(visible().size()), 0;
}
int cuDeviceGet(int* device, int ordinal) {
  if (ordinal < 0 || ordinal >= static_cast<int>(visible().size())) return kInvalidValue;
  return *device = visible()[static_cast<std::size_t>(ordinal)], 0;
}
int cuDeviceGetName(char* name, int length, int /*device*/) {
  return std::strncpy(name, "kgbench stand-in", static_cast<std::size_t>(length)), 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  namespace which = cuda::device_attribute;
  *value = attribute == which::kMultiprocessors ? 4
           : attribute == which::kL2Bytes       ? 1 << 16
           : attribute == which::kMajor         ? 9
           : attribute == which::kSharedOptin   ? 232448
                                                : 0;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
  return *bytes = std::size_t{1} << 30, 0;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (unsigned char i = 0; i < 16; ++i) uuid[i] = i;
  uuid[0] = static_cast<unsigned char>(device);
  return 0;
}
int cuDeviceGetPCIBusId(char* bus, int length, int device) {
  const std::string text = "0000:c" + std::to_string(1 + device) + ":00.0";
  return std::strncpy(bus, text.c_str(), static_cast<std::size_t>(length)), 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  current = device;
  return *context = &sticky, 0;
}
int cuCtxSetCurrent(void* /*context*/) {
  return 0;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  std::vector<std::byte> block(bytes + kAlign);
  const auto start = reinterpret_cast<std::uintptr_t>(block.data());
  *address = (start + kAlign - 1) / kAlign * kAlign;
  memory().emplace(*address, std::move(block));
  return sticky;
}
int cuMemFree_v2(std::uint64_t address) {
  wait_behind_a_hung_kernel();
  return memory().erase(address) == 1 ? sticky : kInvalidValue;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* /*stream*/) {
  return submit([=] { return std::memcpy(at(to), from, bytes), 0; });
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* /*stream*/) {
  return submit([=] { return std::memcpy(to, at(from), bytes), 0; });
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* /*stream*/) {
  return submit(recorded("", [=] { return std::memmove(at(to), at(from), bytes), 0; }));
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t n, void* /*stream*/) {
  return submit(recorded("", [=] { return std::memset(at(to), value, n), 0; }));
}

int cuModuleLoadData(void** module, const void* image) {
  // Machine code, of a CUDA candidate for one: there is no GPU here that could run it.
  if (std::string_view(static_cast<const char*>(image))
          .starts_with("\x7f"
                       "ELF")) {
    std::fprintf(stderr, "the driver's stand-in runs Triton's IR, and no machine code of a GPU\n");
    return kInvalidImage;
  }
  auto made = std::make_unique<Module>();
  made->text = static_cast<const char*>(image);
  *module = modules.emplace_back(std::move(made)).get();
  return sticky;
}
int cuModuleUnload(void* module) {
  wait_behind_a_hung_kernel();
  return std::erase_if(modules, [&](const auto& held) { return held.get() == module; }) == 1 ? 0 : kNotFound;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  auto* from = static_cast<Module*>(module);
  auto made = std::make_unique<Function>();
  made->name = name;
  if (!from->text.starts_with(".version")) {
    auto program = kgb::vm::Program::parse(from->text);
    if (!program.ok()) return kInvalidImage;
    if (program->name() != name) return kNotFound;
    made->program = std::make_shared<kgb::vm::Program>(std::move(*program));
  } else if (from->text.find(std::string(".entry ") + name + "(") == std::string::npos) {
    return kNotFound;
  }
  *function = from->functions.emplace_back(std::move(made)).get();
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void* /*function*/) {
  namespace which = cuda::function_attribute;
  return *value = attribute == which::kMaxThreads ? 1024 : attribute == which::kRegisters ? 32 : 0, 0;
}
int cuFuncSetAttribute(void* /*function*/, int /*attribute*/, int /*value*/) {
  return 0;
}
int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** parameters, void** /*extra*/) {
  if (broken(current)) sticky = cuda::code::kIllegalAddress;
  return submit(recorded_work_of(*static_cast<Function*>(function),
                                 {config->grid[0], config->grid[1], config->grid[2]}, parameters));
}

int cuStreamCreate(void** stream, unsigned /*flags*/) {
  return *stream = &sticky, 0;
}
int cuStreamQuery(void* /*stream*/) {
  return hung ? cuda::code::kNotReady : sticky;
}
int cuStreamSynchronize(void* /*stream*/) {
  wait_behind_a_hung_kernel();
  return sticky;
}
int cuStreamBeginCapture_v2(void* /*stream*/, int /*mode*/) {
  return capturing = new Graph, sticky;
}
int cuStreamEndCapture(void* /*stream*/, void** graph) {
  return *graph = std::exchange(capturing, nullptr), sticky;
}
int cuGraphCreate(void** graph, unsigned /*flags*/) {
  return *graph = new Graph, 0;
}
int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* /*after*/, std::size_t /*n*/,
                            const KernelNode* kernel) {
  auto* into = static_cast<Graph*>(graph);
  into->work.push_back(recorded_work_of(*static_cast<Function*>(kernel->function),
                                        {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                        kernel->parameters));
  return *node = graph, 0;
}
int cuGraphAddChildGraphNode(void** node, void* graph, void* const* /*after*/, std::size_t /*n*/,
                             void* child) {
  auto& work = static_cast<Graph*>(graph)->work;
  const auto& inner = static_cast<Graph*>(child)->work;
  work.insert(work.end(), inner.begin(), inner.end());
  return *node = graph, 0;
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long /*flags*/) {
  return *exec = new Graph(*static_cast<Graph*>(graph)), 0;
}
int cuGraphLaunch(void* exec, void* /*stream*/) {
  for (const Work& work : static_cast<Graph*>(exec)->work)
    if (const int result = submit(work); result != 0) return result;
  return sticky;
}
int cuGraphDestroy(void* graph) {
  return delete static_cast<Graph*>(graph), 0;
}
int cuGraphExecDestroy(void* exec) {
  return delete static_cast<Graph*>(exec), 0;
}

}  // extern "C"
