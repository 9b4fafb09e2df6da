// SPDX-License-Identifier: Apache-2.0
// What kernels did, counted by the virtual machine: arithmetic, traffic and loops, per launch and per call.
// docs/counters.md says what each number means.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

inline constexpr int kLanesPerRequest = 32;
inline constexpr int kSectorBytes = 32;

enum class WorkKind : std::uint8_t { add, mul, fma, div, special, dot, compare, convert, integer };
inline constexpr int kWorkKinds = 9;
[[nodiscard]] std::string_view name_of(WorkKind kind);

// Operations of one kind on one type. A multiply-add of `fma` and `dot` counts two.
struct Work {
  WorkKind kind = WorkKind::add;
  std::string type;  // "f32", "bf16", "tf32" (dot), "i64", "i1"
  std::uint64_t count = 0;
  // A floating-point operation: what the word FLOP covers.
  [[nodiscard]] bool flop() const;
  // A product that tensor cores take: any but that of f32 with IEEE precision.
  [[nodiscard]] bool tensor() const { return kind == WorkKind::dot && type != "f32"; }
  friend bool operator==(const Work&, const Work&) = default;
};

// Accesses of one kind. Lanes that a mask switches off are not in it.
struct Traffic {
  std::uint64_t requests = 0;  // of 32 neighbouring elements of a tile, at least one of them active
  std::uint64_t lanes = 0, bytes = 0;
  std::uint64_t sectors = 0;  // of 32 bytes: the distinct ones of each request
  Traffic& operator+=(const Traffic& other);
  [[nodiscard]] double sectors_per_request() const;
  [[nodiscard]] double sector_use() const;  // bytes over those of the sectors; above 1: lanes share elements
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// What was asked of one buffer. Bytes that an atomic touched are among the unique ones of both kinds.
struct ArgumentTraffic {
  std::string argument;    // as findings name it: "self", "output return", "temporary 3"
  std::string parameters;  // of the kernel that point to it: "x_ptr"
  Traffic read, written, atomic;
  std::uint64_t unique_read = 0, unique_written = 0;
  [[nodiscard]] Traffic all() const;
  friend bool operator==(const ArgumentTraffic&, const ArgumentTraffic&) = default;
};

// One load, store or atomic of the source, on one buffer.
struct AccessCount {
  std::string verb;  // "load", "store", "atomic"
  std::string argument, file;
  int line = 0;
  Traffic traffic;
  friend bool operator==(const AccessCount&, const AccessCount&) = default;
};

struct LoopCount {  // scf.for, scf.while
  std::string file;
  int line = 0;
  std::uint64_t entered = 0, trips = 0;
  friend bool operator==(const LoopCount&, const LoopCount&) = default;
};

struct LaunchCounters {
  std::string kernel, file;  // where host code launched it
  int line = 0;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::uint64_t programs = 0;
  std::vector<Work> work;  // in order of kind and type
  std::vector<ArgumentTraffic> arguments;
  std::vector<AccessCount> accesses;
  std::vector<LoopCount> loops;
  friend bool operator==(const LaunchCounters&, const LaunchCounters&) = default;
};

struct CallCounters {
  std::string op, workload;
  int call = 1;              // of the recorded ones
  std::uint64_t copies = 0;  // fills, copies and uploads of host code, which are not counted
  std::vector<LaunchCounters> launches;
  // Of all launches together; `unique` counts a byte once in the whole call.
  std::vector<ArgumentTraffic> arguments;
  friend bool operator==(const CallCounters&, const CallCounters&) = default;
};

// The numbers that one asks for first.
struct CounterTotals {
  std::uint64_t programs = 0;
  std::uint64_t flops = 0, tensor_flops = 0;
  std::uint64_t integer_operations = 0;  // products of integers included
  Traffic read, written, atomic;
  std::uint64_t unique_read = 0, unique_written = 0;
  friend bool operator==(const CounterTotals&, const CounterTotals&) = default;

  [[nodiscard]] std::uint64_t unique_bytes() const { return unique_read + unique_written; }
  [[nodiscard]] double intensity() const;     // FLOPs per unique byte; 0 without bytes
  [[nodiscard]] double tensor_share() const;  // of the FLOPs; 0 without any
  [[nodiscard]] Traffic all() const;
};
[[nodiscard]] CounterTotals totals(const LaunchCounters& launch);
[[nodiscard]] CounterTotals totals(const CallCounters& call);
// The work of all launches, merged.
[[nodiscard]] std::vector<Work> work_of(const CallCounters& call);
// Adds what one launch asked of its buffers to `all`, by name; unique bytes are left to who knows them.
void add_traffic(std::vector<ArgumentTraffic>& all, const std::vector<ArgumentTraffic>& launch);

// docs/counters.md describes the form.
[[nodiscard]] nlohmann::json to_json(const LaunchCounters& launch);
[[nodiscard]] nlohmann::json to_json(const CallCounters& call);
[[nodiscard]] Result<CallCounters> call_counters_from_json(const nlohmann::json& json);

}  // namespace kgb
