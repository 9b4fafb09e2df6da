// SPDX-License-Identifier: Apache-2.0
// Running a program over its grid: arguments, threads, limits, findings.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "vm/access.hpp"
#include "vm/count.hpp"
#include "vm/count_state.hpp"
#include "vm/frame.hpp"
#include "vm/lower.hpp"
#include "vm/sanitize_instrument.hpp"
#include "vm/sanitize_wait.hpp"

namespace kgb::vm {

int Memory::add(Region region) {
  const auto start = reinterpret_cast<std::uint64_t>(region.data);
  regions_.push_back(std::move(region));
  const std::pair<std::uint64_t, int> row{start, size() - 1};
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), row), row);
  return size() - 1;
}

int Memory::add_part(Part part) {
  Region whole = region(part.region);
  regions_.push_back(std::move(whole));
  parts_.push_back(std::move(part));
  return size() - 1;
}

void Memory::drop_parts() {
  regions_.resize(regions_.size() - parts_.size());
  parts_.clear();
}

int Memory::find(std::uint64_t address) const {
  auto at = std::upper_bound(sorted_.begin(), sorted_.end(), std::pair<std::uint64_t, int>{address, size()});
  // Empty regions may share a start with the one that holds the byte.
  for (; at != sorted_.begin(); --at) {
    const auto& [start, index] = *(at - 1);
    if (address - start < region(index).bytes) return index;
    if (region(index).bytes != 0) return -1;
  }
  return -1;
}

ProgramImpl::ProgramImpl() = default;
ProgramImpl::~ProgramImpl() = default;

Result<Program> Program::parse(std::string_view ttir, Build build, bool contraction) {
  auto impl = std::make_shared<ProgramImpl>();
  impl->text = std::string(ttir);
  auto raw = read_module(impl->text);
  if (!raw) return raw.error();
  impl->raw = std::move(raw).value();
  impl->contraction = contraction;
  if (contraction) contract(impl->raw);
  KGB_CHECK(lower(*impl));
  const RawFunction& entry = impl->raw.functions[static_cast<std::size_t>(impl->entry)];
  impl->name = entry.name;
  const auto& values = entry.body.blocks.front().arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Type& type = *impl->values[static_cast<std::size_t>(values[i])].type;
    if (type.tensor || type.kind == Type::Kind::unknown)
      return user_error("parameter '" + entry.parameter_names[i] + "' has the type " + type.text +
                        ", which no launch can pass");
    impl->parameters.push_back({entry.parameter_names[i], type.text,
                                type.pointer() || type.kind == Type::Kind::descriptor, type.floating()});
  }
  if (build == Build::checked) instrument(*impl);
  if (build == Build::counted) instrument_counts(*impl);
  analyse(*impl);
  Program program;
  program.impl_ = std::move(impl);
  return program;
}

const std::string& Program::name() const {
  return impl_->name;
}
const std::vector<Parameter>& Program::parameters() const {
  return impl_->parameters;
}
const std::vector<std::string>& Program::unsupported() const {
  return impl_->unsupported;
}

namespace {

RunResult refused(std::string message) {
  RunResult result;
  VmFinding finding;
  finding.kind = "malformed";
  finding.message = std::move(message);
  result.findings.push_back(std::move(finding));
  return result;
}

std::int64_t address_of(const Memory& memory, const PointerArg& pointer) {
  if (pointer.region < 0) return pointer.offset;
  const auto base = reinterpret_cast<std::uint64_t>(memory.region(pointer.region).data);
  return static_cast<std::int64_t>(base + static_cast<std::uint64_t>(pointer.offset));
}

std::int64_t float_bits(double value, DType dtype) {
  std::int64_t bits = 0;
  if (const auto convert = numeric::converter(DType::f64, dtype))
    convert(&value, &bits, 1);
  else
    std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// A host descriptor is the pointer parameter and the shape and strides that follow it.
void bind_descriptor(Frame& frame, const std::vector<int>& values, std::span<const Arg> args,
                     std::size_t at) {
  const int rank = frame.type(values[at]).rank();
  std::int64_t* table = frame.at(values[at]).table;
  for (int i = 0; i < 2 * rank; ++i) {
    const std::size_t from = at + 1 + static_cast<std::size_t>(i);
    const auto* integer = from < args.size() ? std::get_if<std::int64_t>(&args[from]) : nullptr;
    table[i] = integer != nullptr ? *integer : 0;
  }
  table[2 * rank] = 0;
}

bool bind(Frame& frame, std::span<const Arg> args, std::string& error) {
  const ProgramImpl& program = *frame.program;
  const auto& values =
      program.functions[static_cast<std::size_t>(program.entry)].body.blocks.front().arguments;
  if (args.size() != values.size()) {
    error = program.name + " takes " + std::to_string(values.size()) + " arguments, got " +
            std::to_string(args.size());
    return false;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type& type = frame.type(values[i]);
    Value& value = frame.at(values[i]);
    value.region = kAnyRegion;
    const auto* pointer = std::get_if<PointerArg>(&args[i]);
    const auto* integer = std::get_if<std::int64_t>(&args[i]);
    if (type.pointer() || type.kind == Type::Kind::descriptor) {
      if (pointer != nullptr && pointer->region < frame.memory->size()) {
        value.set_splat(address_of(*frame.memory, *pointer));
        value.region = pointer->region < 0 ? kAnyRegion : pointer->region;
        if (!type.pointer()) bind_descriptor(frame, values, args, i);
        continue;
      }
      if (integer != nullptr && type.pointer()) {  // a raw address
        value.set_splat(*integer);
        continue;
      }
    } else if (pointer == nullptr) {
      const double real = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(args[i]);
      if (type.floating())
        value.set_splat(float_bits(real, type.dtype));
      else if (type.is(DType::b8))
        value.set_splat(integer != nullptr ? (*integer & 1) : (real != 0));
      else if (integer != nullptr)
        value.set_splat(low_bytes(*integer, type.element_bytes()));
      if (type.floating() || type.is(DType::b8) || integer != nullptr) continue;
    }
    error = "argument '" + program.parameters[i].name + "' of " + program.name + " does not fit its type " +
            type.text;
    return false;
  }
  return true;
}

class Permutation {
 public:
  Permutation(std::int64_t total, const RunOptions& how) : total_(total), order_(how.order) {
    if (order_ != Order::shuffled) return;
    shuffled_.resize(static_cast<std::size_t>(total));
    std::iota(shuffled_.begin(), shuffled_.end(), std::int64_t{0});
    std::uint64_t state = how.seed;
    for (std::size_t i = shuffled_.size(); i > 1; --i) {  // splitmix64 drives Fisher-Yates
      std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
      std::swap(shuffled_[i - 1], shuffled_[static_cast<std::size_t>((z ^ (z >> 31)) % i)]);
    }
  }
  [[nodiscard]] std::int64_t operator()(std::int64_t i) const {
    if (order_ == Order::shuffled) return shuffled_[static_cast<std::size_t>(i)];
    return order_ == Order::reversed ? total_ - 1 - i : i;
  }

 private:
  std::int64_t total_;
  Order order_;
  std::vector<std::int64_t> shuffled_;
};

struct Work {
  const Permutation* order = nullptr;
  std::int64_t total = 0, chunk = 1;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> finished{0};
};

void run_programs(Frame& frame, Work& work) {
  const ProgramImpl& program = *frame.program;
  const Code& body = program.functions[static_cast<std::size_t>(program.entry)].body;
  frame.trapped = false;
  frame.steps = 0;
  frame.number = 0;
  frame.id = {0, 0, 0};
  for (const Instruction& instruction : program.prologue) instruction.run(frame, instruction);
  std::uint64_t finished = 0;
  while (!frame.state->stop.load(std::memory_order_relaxed)) {
    const std::int64_t from = work.next.fetch_add(work.chunk);
    if (from >= work.total) break;
    for (std::int64_t i = from; i < std::min(from + work.chunk, work.total); ++i) {
      frame.number = (*work.order)(i);
      frame.id = {frame.number % frame.grid[0], frame.number / frame.grid[0] % frame.grid[1],
                  frame.number / (frame.grid[0] * frame.grid[1])};
      frame.trapped = false;
      run_code(frame, body);
      if (!frame.trapped) ++finished;
      if (frame.state->stop.load(std::memory_order_relaxed)) break;
    }
  }
  finish_copies();
  frame.state->steps += frame.steps;
  work.finished += finished;
}

std::unique_ptr<Frame> take_frame(const ProgramImpl& program) {
  auto& owner = const_cast<ProgramImpl&>(program);  // the idle list is a cache behind a mutex
  {
    const std::lock_guard lock(owner.mutex);
    if (!owner.idle.empty()) {
      auto frame = std::move(owner.idle.back());
      owner.idle.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  prepare(*frame, program);
  return frame;
}

void give_frame(const ProgramImpl& program, std::unique_ptr<Frame> frame) {
  auto& owner = const_cast<ProgramImpl&>(program);
  const std::lock_guard lock(owner.mutex);
  if (owner.idle.size() < 8) owner.idle.push_back(std::move(frame));
}

// A new thread may stay for milliseconds on the processor of the one that made it, while another is idle. So
// those of a run begin elsewhere, each on a processor of its own where the run is to fill the machine; from
// then on the scheduler may move them, since others may need the machine too.
class Processors {
 public:
#if defined(__linux__)
  Processors() {
    if (::sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
    makers_ = ::sched_getcpu();
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (cpu != makers_ && CPU_ISSET(cpu, &allowed_)) others_.push_back(cpu);
  }
  // For thread `i` of `threads`, of which the maker is number 0; called by itself.
  void take(std::size_t i, std::size_t threads) const {
    if (makers_ < 0 || others_.empty()) return;
    cpu_set_t mine = allowed_;
    CPU_CLR(makers_, &mine);
    if (threads > others_.size()) {
      CPU_ZERO(&mine);
      CPU_SET(others_[(i - 1) % others_.size()], &mine);
    }
    // Refused: it stays where it is.
    if (::sched_setaffinity(0, sizeof mine, &mine) == 0) ::sched_setaffinity(0, sizeof allowed_, &allowed_);
  }

 private:
  cpu_set_t allowed_{};
  int makers_ = -1;
  std::vector<int> others_;
#else
  void take(std::size_t, std::size_t) const {}
#endif
};

// One instance at a time, with the sanitizer's state beside the frame.
void run_checked(Frame& frame, std::span<const Arg> args, Work& work) {
  std::vector<int> regions;
  for (const Arg& arg : args) {
    const auto* pointer = std::get_if<PointerArg>(&arg);
    regions.push_back(pointer != nullptr ? pointer->region : -1);
  }
  const ProgramImpl& program = *frame.program;
  LaunchCheck launch(*frame.state->how->sanitizer, program, *frame.memory, regions, frame.grid, work.total);
  const auto another = [&] {
    auto made = std::make_unique<Frame>();
    prepare(*made, program);
    made->memory = frame.memory;
    made->options = frame.options;
    made->state = frame.state;
    made->grid = frame.grid;
    std::string error;
    bind(*made, args, error);  // as it did for the first
    return made;
  };
  work.chunk = 1;
  // As many as a device may hold at once, and as memory allows.
  const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(
      (std::int64_t{1} << 29) / std::max<std::int64_t>(program.frame_bytes, 1), 2, 512));
  Turns turns(
      launch, another, [&](Frame& mine) { run_programs(mine, work); },
      [&] { return work.next.load() < work.total; }, limit);
  turns.run(frame);
}

RunResult collect(RunState& state, const Work& work) {
  RunResult result;
  std::stable_sort(state.findings.begin(), state.findings.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [number, finding] : state.findings) result.findings.push_back(std::move(finding));
  result.programs = work.finished;
  result.steps = state.steps;
  result.printed = std::move(state.printed);
  return result;
}

}  // namespace

RunResult run(const Program& program, std::span<const Arg> args, const Memory& memory, const RunOptions& how,
              const Options& options) {
  const ProgramImpl& impl = program.impl();
  Work work;
  work.total = 1;
  for (const std::int64_t dim : how.grid) {
    if (dim < 0 || dim > INT32_MAX || __builtin_mul_overflow(work.total, dim, &work.total))
      return refused("the grid of " + impl.name + " is negative or too large");
  }
  if (static_cast<std::uint64_t>(impl.frame_bytes) > options.max_memory)
    return refused(impl.name + " needs " + std::to_string(impl.frame_bytes) +
                   " bytes of tiles per program, more than " + std::to_string(options.max_memory));
  if (how.order == Order::shuffled && work.total > (std::int64_t{1} << 28))
    return refused("a shuffled order is limited to 2^28 programs");
  if (how.sanitizer != nullptr && impl.facts == nullptr)
    return refused(impl.name + " was not parsed for a sanitizer (Build::checked)");
  if (options.contraction != impl.contraction)
    return refused(impl.name + " was parsed for another choice of contraction");
  if ((how.counter != nullptr) != (impl.count_plan != nullptr))
    return refused(impl.name + " needs both or neither of a counter and Build::counted");
  const auto threads = static_cast<std::size_t>(
      std::clamp<std::int64_t>(how.sanitizer != nullptr ? 1 : how.threads, 1,
                               std::max<std::int64_t>(1, std::min<std::int64_t>(work.total, 256))));
  RunState state;
  state.how = &how;
  state.options = &options;
  const Permutation order(work.total, how);
  work.order = &order;
  work.chunk = std::clamp<std::int64_t>(work.total / static_cast<std::int64_t>(threads * 8), 1, 256);
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<FrameCount>> counts;
  for (std::size_t i = 0; i < threads; ++i) {
    frames.push_back(take_frame(impl));
    Frame& frame = *frames.back();
    frame.memory = &memory;
    frame.options = &options;
    frame.state = &state;
    frame.grid = how.grid;
    frame.shared_memory = threads > 1;
    frame.check = nullptr;
    if (how.counter != nullptr) {
      counts.push_back(std::make_unique<FrameCount>(*impl.count_plan, how.counter->state(), memory.size()));
      frame.count = counts.back().get();
    }
    std::string error;
    if (!bind(frame, args, error)) return refused(error);
  }
  if (how.sanitizer != nullptr) {
    run_checked(*frames[0], args, work);
    give_frame(impl, std::move(frames[0]));
    return collect(state, work);
  }
  std::optional<Processors> processors;
  if (threads > 1) processors.emplace();
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i)
    others.emplace_back([&, i] {
      processors->take(i, threads);
      run_programs(*frames[i], work);
    });
  run_programs(*frames[0], work);
  for (std::thread& other : others) other.join();
  for (auto& frame : frames) give_frame(impl, std::move(frame));
  for (const auto& part : counts) how.counter->state().add(*part);
  if (how.counter != nullptr) how.counter->state().programs += work.finished;
  return collect(state, work);
}

}  // namespace kgb::vm
