// SPDX-License-Identifier: Apache-2.0
// One thread's state while it runs program instances, and the helpers that every handler uses.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "vm/program.hpp"
#include "vm/value.hpp"

namespace kgb::vm {

// Shared by the threads of one run.
struct RunState {
  const RunOptions* how = nullptr;
  const Options* options = nullptr;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> steps{0};
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, VmFinding>> findings;  // with the program's linear number
  std::set<std::pair<int, std::string>> seen;                // (place, kind) already reported
  std::string printed;
};

struct FrameCheck;
struct FrameCount;

struct Frame {
  const ProgramImpl* program = nullptr;
  const Memory* memory = nullptr;
  const Options* options = nullptr;
  RunState* state = nullptr;
  std::array<std::int64_t, 3> id{}, grid{};
  std::int64_t number = 0;      // of the program instance, linear
  bool trapped = false;         // this instance ended with a finding
  bool shared_memory = false;   // other threads run too: atomics must be real
  std::uint64_t steps = 0;      // not yet added to state->steps
  std::int64_t cost = 0;        // elements made since the limits were looked at
  FrameCheck* check = nullptr;  // sanitized runs
  FrameCount* count = nullptr;  // counted runs
  std::vector<Value> values;
  std::unique_ptr<std::byte[]> storage;
  std::byte* base = nullptr;  // 64-byte aligned start inside storage
  std::vector<std::byte> scratch[4];
  std::vector<std::int64_t> streams;  // by load or store: where its newest access began

  Value& at(int value) { return values[static_cast<std::size_t>(value)]; }
  [[nodiscard]] const ValueInfo& info(int value) const {
    return program->values[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] const Type& type(int value) const { return *info(value).type; }
  std::byte* scratch_bytes(int which, std::size_t bytes) {
    auto& buffer = scratch[which];
    if (buffer.size() < bytes) buffer.resize(bytes);
    return buffer.data();
  }

  // Records a finding and ends the program instance.
  void report(const Instruction& at, std::string kind, std::string message, std::string region = {},
              std::int64_t index = 0);
  // Adds `steps` to the run's; false, with the instance ended, once a limit is passed or the run is stopped.
  bool count_steps(const Instruction* at);
};

// How many steps a thread takes before it looks at the limits.
inline constexpr std::uint64_t kStepBatch = 512;
// ... and how many elements it makes: a few milliseconds.
inline constexpr std::int64_t kCostBatch = std::int64_t{1} << 22;

void prepare(Frame& frame, const ProgramImpl& program);

// Runs one region's blocks; the block whose terminator ended it, or nullptr when the instance was trapped.
const Block* run_code(Frame& frame, const Code& code);

// The elements of a value, made from its form if need be.
std::byte* elements(Frame& frame, int value);
// dst = src, whatever the forms; both have the same type.
void assign(Frame& frame, int dst, int src);

// A uniform integer, sign extended. Works for every form of a one-element value.
std::int64_t scalar_int(Frame& frame, int value);
bool scalar_bool(Frame& frame, int value);

inline std::int64_t sign_extend(std::int64_t bits, DType dtype) {
  switch (dtype) {
    case DType::b8:
      return bits & 1;
    case DType::i8:
      return static_cast<std::int8_t>(bits);
    case DType::i16:
      return static_cast<std::int16_t>(bits);
    case DType::i32:
      return static_cast<std::int32_t>(bits);
    default:
      return bits;
  }
}
// What a kernel wrote as one element. Read in its own width: a wider load would wait for the narrow store.
inline std::int64_t one_element(const void* from, std::size_t bytes) {
  const auto as = [&](auto value) {
    std::memcpy(&value, from, sizeof value);
    return static_cast<std::int64_t>(value);
  };
  switch (bytes) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    default:
      return as(std::uint64_t{});
  }
}
// Integer i of a row, sign extended.
inline std::int64_t integer_at(const std::byte* data, std::int64_t i, DType dtype) {
  const std::size_t bytes = bytes_of(dtype);
  std::int64_t bits = 0;
  std::memcpy(&bits, data + static_cast<std::size_t>(i) * bytes, bytes);
  return sign_extend(bits, dtype);
}
inline std::int64_t low_bytes(std::int64_t value, std::size_t bytes) {
  return bytes >= 8 ? value : value & static_cast<std::int64_t>((std::uint64_t{1} << (bytes * 8)) - 1);
}

}  // namespace kgb::vm
