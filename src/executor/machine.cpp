// SPDX-License-Identifier: Apache-2.0
// Execution of plan nodes: launches on the VM, fills, copies, uploads with relocations, constants.
#include "executor/machine.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "executor/definedness.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "model/generate.hpp"

namespace kgb::executor {
namespace {

// Kinds of findings of the VM as kinds of docs/contracts/findings.md.
const char* kind_of(const std::string& vm_kind) {
  static const std::map<std::string, const char*> kinds{
      {"out_of_bounds", "out_of_bounds"},
      {"read_only", "input_mutated"},
      {"unsupported", "vm_unsupported"},
      {"step_limit", "step_limit"},
      {"deadline", "deadline"},
      {"assert", "kernel_assert"},
      {"malformed", "kernel_assert"},
      {"division_by_zero", "division_by_zero"},
      {"race", "race"},
      {"uninitialised_read", "uninitialised_read"},
      {"use_after_free", "use_after_free"},
      {"offset_overflow", "offset_overflow"},
      {"endless_wait", "endless_wait"},
      {"order_dependence", "order_dependence"},
      {"undefined_value", "undefined_value"},
  };
  const auto it = kinds.find(vm_kind);
  return it == kinds.end() ? "infra" : it->second;
}

Finding needs_device(const Kernel& kernel, const Launch& launch) {
  Finding finding = make_finding(
      "needs_device",
      fmt::format("kernel {} is CUDA C++, which the virtual machine cannot run: it needs an NVIDIA GPU "
                  "(--chip nvidia)",
                  kernel.name));
  finding.file = launch.file;
  finding.line = launch.line;
  return finding;
}

}  // namespace

Finding make_finding(std::string kind, std::string message) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.gate = Gate::correct;
  finding.message = std::move(message);
  return finding;
}

Machine::Machine(const Recording& recording, const std::vector<Call>& calls, const TrialOptions& options,
                 ProgramCache& programs, Arena& arena)
    : recording_(recording),
      calls_(calls),
      options_(options),
      programs_(programs),
      arena_(arena),
      regions_(recording.buffers.size(), -1),
      owners_(recording.buffers.size()),
      specs_(recording.buffers.size()) {
  std::iota(owners_.begin(), owners_.end(), 0);
  if (options.sanitize) {
    sanitizer_ = std::make_unique<vm::Sanitizer>(options.sanitize->checks);
    neighbours_ = std::make_unique<Neighbours>(recording);
    for (std::size_t b = 0; b < recording.buffers.size(); ++b)
      if (const auto& freed = recording.buffers[b].freed)
        to_free_.emplace(std::pair{freed->call, freed->node}, static_cast<int>(b));
  } else if (options.counters != nullptr) {
    counting_ = std::make_unique<Counting>(*options.counters);
  }
  if (options.device != nullptr) options.device->runtime.renew();  // nothing outlives a trial
  if (options.device != nullptr)
    device_ = std::make_unique<DeviceSide>(recording, *options.images, *options.device, arena);
  for (std::size_t c = 0; c < calls.size(); ++c) {
    std::map<std::string, TensorSpec> tensors;
    for (auto& [path, spec] : tensors_of(calls[c])) tensors.emplace(path, std::move(spec));
    for (std::size_t b = 0; b < recording.buffers.size(); ++b) {
      const PlanBuffer& buffer = recording.buffers[b];
      if (buffer.kind != BufferKind::input || buffer.call != static_cast<int>(c)) continue;
      if (const auto it = tensors.find(buffer.arg); it != tensors.end()) specs_[b] = it->second;
    }
  }
}

std::optional<int> Machine::input_buffer(int call, const std::string& path) const {
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b) {
    const PlanBuffer& buffer = recording_.buffers[b];
    if (buffer.kind == BufferKind::input && buffer.call == call && buffer.arg == path)
      return static_cast<int>(b);
  }
  return std::nullopt;
}

const TensorSpec* Machine::spec_of(int buffer) const {
  const auto& spec = specs_[static_cast<std::size_t>(buffer)];
  return spec ? &*spec : nullptr;
}

bool Machine::writable(int buffer) const {
  const PlanBuffer& plan = recording_.buffers[static_cast<std::size_t>(buffer)];
  if (plan.kind == BufferKind::alloc) return true;
  const TensorSpec* spec = spec_of(buffer);
  return plan.call == call_ && spec != nullptr && spec->mutated;
}

void Machine::hand_on_memory() {
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b) {
    const PlanBuffer& buffer = recording_.buffers[b];
    if (!buffer.reuses || buffer.call != call_) continue;
    if (device_) device_->forget(*buffer.reuses);
    for (int& owner : owners_)
      if (owner == *buffer.reuses) owner = static_cast<int>(b);
  }
}

void Machine::begin_call(int call) {
  call_ = call;
  hand_on_memory();
  if (counting_) counting_->begin_call(calls_[static_cast<std::size_t>(call)], call + 1);
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b) {
    const PlanBuffer& buffer = recording_.buffers[b];
    if (buffer.kind != BufferKind::input || buffer.call != call) continue;
    if (const TensorSpec* spec = spec_of(static_cast<int>(b)))
      generate(*spec, buffer.arg, options_.seed, options_.trial, call, arena_.bytes(static_cast<int>(b)));
  }
  for (const Arg& arg : calls_[static_cast<std::size_t>(call)].args) {
    const auto* array = std::get_if<PointerArray>(&arg.value);
    const auto at = array != nullptr ? input_buffer(call, arg.name) : std::nullopt;
    if (!at) continue;
    for (std::size_t i = 0; i < array->items.size(); ++i) {
      const auto item = input_buffer(call, fmt::format("{}[{}]", arg.name, i));
      const auto bytes = array->items[i].offset * static_cast<std::int64_t>(size_of(array->items[i].dtype));
      const std::uint64_t address = arena_.address({item.value_or(-1), bytes});
      std::memcpy(arena_.data(*at) + 8 * i, &address, sizeof address);
    }
  }
  for (std::size_t b = 0; device_ && b < recording_.buffers.size(); ++b)
    if (recording_.buffers[b].kind == BufferKind::input && recording_.buffers[b].call == call &&
        !writable(static_cast<int>(b)))
      device_->remember(static_cast<int>(b));
  memory_ = {};
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b) {
    regions_[b] = -1;
    if (recording_.buffers[b].call > call) continue;  // does not exist yet
    if (owners_[b] != static_cast<int>(b)) continue;  // gone
    const auto bytes = arena_.bytes(static_cast<int>(b));
    regions_[b] = memory_.add(
        {name_of_buffer(static_cast<int>(b)), bytes.data(), bytes.size(), writable(static_cast<int>(b))});
    const PlanBuffer& buffer = recording_.buffers[b];
    if (sanitizer_ && buffer.kind == BufferKind::alloc && buffer.call == call)
      sanitizer_->allocate(bytes.data(), bytes.size());
  }
  // An address that host code kept is that of whatever lies there now.
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b)
    regions_[b] = regions_[static_cast<std::size_t>(owners_[b])];
}

void Machine::free_before(const NodeRef& node) {
  while (!to_free_.empty() && to_free_.begin()->first <= std::pair{node.call, node.node}) {
    sanitizer_->release(arena_.data(to_free_.begin()->second));
    to_free_.erase(to_free_.begin());
  }
}

void Machine::watch(vm::Footprint* footprint) {
  if (footprint != nullptr && !sanitizer_ && !watcher_)
    watcher_ = std::make_unique<vm::Sanitizer>(vm::Checks{false, false, false, false});
  footprint_ = footprint;
  if (sanitizer_) sanitizer_->watch(footprint);
  if (watcher_) watcher_->watch(footprint);
}

std::pair<int, std::int64_t> Machine::find(std::uint64_t address) const {
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b) {
    const std::uint64_t offset = address - arena_.address({static_cast<int>(b), 0});
    if (offset < static_cast<std::uint64_t>(recording_.buffers[b].bytes))
      return {owners_[b], static_cast<std::int64_t>(offset)};
  }
  return {-1, 0};
}

std::string Machine::name_of_node(const Node& node) const {
  return std::visit(
      [this](const auto& n) -> std::string {
        if constexpr (requires { n.kernel; })
          return "kernel " + recording_.kernels[static_cast<std::size_t>(n.kernel)].name;
        else if constexpr (requires { n.op; })
          return n.op;
        else
          return n.kind;
      },
      node);
}

std::pair<std::string, int> place_of(const Node& node) {
  return std::visit(
      [](const auto& n) -> std::pair<std::string, int> {
        if constexpr (requires { n.line; })
          return {n.file, n.line};
        else
          return {};
      },
      node);
}

std::string Machine::name_of_buffer(int index) const {
  index = owners_[static_cast<std::size_t>(index)];
  const PlanBuffer& buffer = recording_.buffers[static_cast<std::size_t>(index)];
  if (buffer.kind == BufferKind::input)
    return buffer.call == call_ ? buffer.arg : fmt::format("{} of call {}", buffer.arg, buffer.call + 1);
  for (const OutputLeaf& leaf : recording_.calls[static_cast<std::size_t>(buffer.call)].outputs)
    if (leaf.tensor && leaf.view.at.buffer == index)
      return buffer.call == call_ ? "output " + leaf.path
                                  : fmt::format("output {} of call {}", leaf.path, buffer.call + 1);
  return fmt::format("temporary {}", index);
}

Strided Machine::at(const View& view) const {
  Strided out;
  out.data = view.at.buffer < 0 ? nullptr : arena_.data(view.at.buffer) + view.at.offset;
  out.dtype = view.dtype;
  out.shape = view.shape;
  out.strides = view.strides;
  out.conj = view.conj;
  out.neg = view.neg;
  return out;
}

std::vector<std::byte> Machine::elements(const View& view) const {
  const Strided from = at(view);
  std::vector<std::byte> bytes(static_cast<std::size_t>(from.numel()) * size_of(view.dtype));
  if (!bytes.empty())
    copy_strided({bytes.data(), view.dtype, view.shape, contiguous_strides(view.shape)}, from);
  return bytes;
}

std::optional<Finding> Machine::execute(const Node& node) {
  if (std::chrono::steady_clock::now() >= options_.deadline)
    return make_finding("deadline", "the time limit of the trial passed");
  if (counting_ && !std::holds_alternative<Launch>(node) && !std::holds_alternative<Read>(node))
    counting_->note_copy();
  return std::visit([&](const auto& n) { return run(n); }, node);
}

std::optional<Finding> Machine::check_writable(const BufferRef& dst, const std::string& op,
                                               const std::string& file, int line) const {
  if (dst.buffer < 0 || writable(dst.buffer)) return std::nullopt;
  const std::string name = name_of_buffer(dst.buffer);
  Finding finding =
      make_finding("input_mutated", fmt::format("{} writes {}, which the schema does not allow", op, name));
  finding.file = file;
  finding.line = line;
  finding.details["argument"] = name;
  return finding;
}

std::optional<Finding> Machine::run(const Fill& fill) {
  if (auto finding = check_writable(fill.dst.at, fill.op, "", 0)) return finding;
  const Strided dst = at(fill.dst);
  if (dst.numel() > 0) fill_strided(dst, fill.value);
  note_written(dst);
  return std::nullopt;
}

std::optional<Finding> Machine::run(const Copy& copy) {
  if (auto finding = check_writable(copy.dst.at, copy.op, copy.file, copy.line)) return finding;
  const Strided dst = at(copy.dst);
  const Strided src = at(copy.src);
  if (dst.numel() > 0) copy_strided(dst, src);
  note_written(dst, &src);
  return std::nullopt;
}

std::optional<Finding> Machine::run(const Upload& upload) {
  if (upload.bytes.empty()) return std::nullopt;
  if (auto finding = check_writable(upload.dst, upload.op, upload.file, upload.line)) return finding;
  std::byte* dst = arena_.data(upload.dst.buffer) + upload.dst.offset;
  std::memcpy(dst, upload.bytes.data(), upload.bytes.size());
  if (sanitizer_) sanitizer_->define(dst, upload.bytes.size());
  for (const Relocation& relocation : upload.relocations) {
    const std::uint64_t address = arena_.address(relocation.target);
    std::memcpy(dst + relocation.byte, &address, sizeof address);
  }
  return std::nullopt;
}

std::optional<Finding> Machine::run(const Constant& constant) {
  if (auto finding = check_writable(constant.dst.at, constant.kind, "", 0)) return finding;
  const Strided dst = at(constant.dst);
  if (dst.numel() > 0) make_constant(dst, constant.kind, constant.params);
  note_written(dst);
  return std::nullopt;
}

std::optional<Finding> Machine::run(const Read& read) {
  if (!read.bytes || *read.bytes == elements(read.src)) return std::nullopt;
  Finding finding = make_finding(
      "read_differs",
      fmt::format(
          "host code went on from other values of {} than its kernels leave there: what it reads must "
          "be the same each time",
          name_of_buffer(read.src.at.buffer)));
  finding.file = read.file;
  finding.line = read.line;
  finding.details["argument"] = name_of_buffer(read.src.at.buffer);
  return finding;
}

void Machine::note_written(const Strided& dst, const Strided* src) {
  if (sanitizer_) define_elements(*sanitizer_, dst, src);
}

vm::Arg Machine::pointer(const Launch& launch, std::size_t argument, const BufferRef& ref) {
  const int region = ref.buffer < 0 ? -1 : regions_[static_cast<std::size_t>(ref.buffer)];
  if (neighbours_ && region >= 0)
    if (auto part = neighbours_->of(launch, argument)) {
      part->region = region;
      return vm::PointerArg{memory_.add_part(*std::move(part)), ref.offset};
    }
  return vm::PointerArg{region, ref.offset};
}

std::vector<vm::Arg> Machine::arguments(const Launch& launch) {
  memory_.drop_parts();
  const auto& signature = recording_.kernels[static_cast<std::size_t>(launch.kernel)].signature;
  std::vector<vm::Arg> args;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const auto& value = launch.args[i].value;
    if (const auto* ref = std::get_if<BufferRef>(&value)) {
      // `x.data_ptr()` handed over as an integer is the address itself.
      if (!signature[i].starts_with('*') && !signature[i].starts_with("tensordesc")) {
        args.emplace_back(static_cast<std::int64_t>(arena_.address(*ref)));
      } else {
        args.push_back(pointer(launch, i, *ref));
      }
    } else if (const auto* real = std::get_if<double>(&value)) {
      args.emplace_back(*real);
    } else {
      args.emplace_back(std::get<std::int64_t>(value));
    }
  }
  return args;
}

vm::Options Machine::choices() const {
  vm::Options chosen = vm::judging_options();
  chosen.flush_denormals = options_.flush_denormals;
  return chosen;
}

vm::RunOptions Machine::run_options(const Launch& launch) const {
  vm::RunOptions how;
  how.grid = launch.grid;
  how.threads = options_.threads;
  how.max_steps = options_.max_steps;
  how.deadline = options_.deadline;
  how.order = options_.order;
  how.sanitizer = sanitizer_ || footprint_ == nullptr ? sanitizer_.get() : watcher_.get();
  how.counter = counting_ ? counting_->counter() : nullptr;
  how.seed = options_.seed ^ static_cast<std::uint64_t>(options_.trial);
  return how;
}

Result<std::unique_ptr<device::VendorCall>> Machine::bind_vendor() {
  const Call& call = calls_[static_cast<std::size_t>(call_)];
  const device::Places places = [this](const std::string& argument) {
    const int buffer = input_buffer(call_, argument).value_or(-1);
    const TensorSpec* spec = buffer < 0 ? nullptr : spec_of(buffer);
    const std::int64_t offset =
        spec == nullptr ? 0 : spec->offset * static_cast<std::int64_t>(size_of(spec->dtype));
    return arena_.address({buffer, offset});
  };
  KGB_TRY(auto bound, options_.device->runtime.vendor_call(options_.vendor, call, places));
  library_ = bound->library();
  return bound;
}

std::optional<Finding> Machine::call_vendor() {
  const auto bound = bind_vendor();
  if (!bound.ok()) return make_finding("untimed", bound.error().message);
  return device_->run(**bound, options_.deadline);
}

std::optional<Finding> Machine::time(const std::vector<Node>& nodes) {
  if (options_.vendor.empty()) return device_->time(nodes, nullptr, options_.series, options_.deadline);
  const auto bound = bind_vendor();
  if (!bound.ok()) return make_finding("untimed", bound.error().message);
  return device_->time(nodes, bound->get(), options_.series, options_.deadline);
}

std::optional<Finding> Machine::check_inputs() {
  if (!device_) return std::nullopt;
  if (const auto buffer = device_->changed()) {
    const std::string name = name_of_buffer(*buffer);
    Finding finding = make_finding("input_mutated",
                                   fmt::format("a kernel wrote {}, which the schema does not allow", name));
    finding.details["argument"] = name;
    finding.details["call"] = std::to_string(call_ + 1);
    return finding;
  }
  // What this call was allowed to change belongs to the past now.
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b)
    if (recording_.buffers[b].kind == BufferKind::input && recording_.buffers[b].call == call_)
      device_->remember(static_cast<int>(b));
  return std::nullopt;
}

std::optional<Finding> Machine::run(const Launch& launch) {
  if (device_) {
    ++counters_.launches;
    return device_->run(launch, options_.deadline);
  }
  const Kernel& kernel = recording_.kernels[static_cast<std::size_t>(launch.kernel)];
  if (!kernel.cuda.empty()) return needs_device(kernel, launch);
  std::string why;
  const vm::Program* program = programs_.find(kernel.ttir, why, build());
  if (program == nullptr) {
    Finding finding =
        make_finding("vm_unsupported", fmt::format("the VM cannot read kernel {}: {}", kernel.name, why));
    finding.file = launch.file;
    finding.line = launch.line;
    finding.details["kernel"] = kernel.name;
    return finding;
  }
  const auto args = arguments(launch);
  const vm::RunOptions how = run_options(launch);
  const vm::RunResult result =
      sanitizer_ ? vm::run_sanitized(*program, args, memory_, how, choices(), options_.sanitize->launch)
                 : vm::run(*program, args, memory_, how, choices());
  counters_.programs += result.programs;
  counters_.steps += result.steps;
  ++counters_.launches;
  last_steps_ = result.steps;
  if (counting_) counting_->take(launch, kernel, *program, memory_, regions_);
  if (result.findings.empty()) return std::nullopt;
  for (std::size_t i = 1; sanitizer_ && i < result.findings.size(); ++i)
    further_.push_back(to_finding(result.findings[i], launch));
  return to_finding(result.findings.front(), launch);
}

void Machine::rehearse(const Launch& launch, std::uint64_t max_steps) {
  if (device_) {
    (void)device_->run(launch, options_.deadline);
    return;
  }
  const Kernel& kernel = recording_.kernels[static_cast<std::size_t>(launch.kernel)];
  std::string why;
  const vm::Program* program = programs_.find(kernel.ttir, why);
  if (program == nullptr) return;
  vm::RunOptions how = run_options(launch);
  how.max_steps = max_steps;
  how.sanitizer = nullptr;
  how.counter = nullptr;
  const auto args = arguments(launch);
  (void)vm::run(*program, args, memory_, how, choices());
}

Finding Machine::to_finding(const vm::VmFinding& found, const Launch& launch) const {
  const Kernel& kernel = recording_.kernels[static_cast<std::size_t>(launch.kernel)];
  const char* kind = kind_of(found.kind);
  std::string message = fmt::format("kernel {}: {}", kernel.name, found.message);
  if (std::string_view(kind) == "input_mutated")
    message = fmt::format("kernel {} writes {}, which the schema does not allow", kernel.name, found.region);
  if (std::string_view(kind) == "infra")
    message += fmt::format(" (unknown finding '{}' of the VM)", found.kind);
  Finding finding = make_finding(kind, std::move(message));
  finding.file = found.line > 0 ? found.file : launch.file;
  finding.line = found.line > 0 ? found.line : launch.line;
  finding.details["kernel"] = kernel.name;
  finding.details["program"] = fmt::format("{},{},{}", found.program[0], found.program[1], found.program[2]);
  finding.details["call"] = std::to_string(call_ + 1);
  if (found.line > 0 && launch.line > 0)
    finding.details["launched_at"] = fmt::format("{}:{}", launch.file, launch.line);
  const auto joined = [](const std::vector<std::string>& lines) {
    return fmt::format("{}", fmt::join(lines, "\n"));
  };
  if (!found.notes.empty()) finding.details["notes"] = joined(found.notes);
  if (!found.picture.empty()) finding.details["picture"] = joined(found.picture);
  if (!found.region.empty()) {
    finding.details["argument"] = found.region;
    finding.details["byte"] = std::to_string(found.index);
    for (std::size_t b = 0; b < regions_.size(); ++b)
      if (regions_[b] >= 0 && memory_.region(regions_[b]).name == found.region)
        finding.details["bytes"] = std::to_string(recording_.buffers[b].bytes);
  }
  return finding;
}

}  // namespace kgb::executor
