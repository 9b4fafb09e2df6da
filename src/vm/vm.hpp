// SPDX-License-Identifier: Apache-2.0
// The Triton virtual machine: parses one TTIR module and runs its kernel over a grid, checking every access.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "vm/byte_view.hpp"

namespace kgb::vm {

// One buffer that a kernel may touch. Regions must not overlap; what lies between them is out of bounds.
struct Region {
  std::string name;  // used in findings: the argument's name
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool writable = true;
};

// A tensor that is a part of a region, and others of the same region that share no byte with it. Sanitized
// runs report an access through its pointer that leaves it for one of them.
struct Part {
  int region = -1;
  std::string name;  // for findings: the argument's name
  ByteView own;      // in bytes of the region
  std::vector<std::pair<std::string, ByteView>> others;
};

// All buffers of a launch, with a sorted table for addresses that a kernel made from integers.
class Memory {
 public:
  int add(Region region);  // index of the region, to be used in PointerArg
  // A further index for the part's region, which pointers to the part carry in its place. After all regions.
  int add_part(Part part);
  void drop_parts();
  [[nodiscard]] const Part* part(int index) const {
    const std::size_t first = regions_.size() - parts_.size(), at = static_cast<std::size_t>(index);
    return at < first ? nullptr : &parts_[at - first];
  }
  [[nodiscard]] int whole(int index) const { return part(index) == nullptr ? index : part(index)->region; }
  [[nodiscard]] const Region& region(int index) const { return regions_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int size() const { return static_cast<int>(regions_.size()); }
  // The region that holds the byte at `address`, or -1.
  [[nodiscard]] int find(std::uint64_t address) const;

 private:
  std::vector<Region> regions_;  // a part's is that of its region
  std::vector<Part> parts_;
  std::vector<std::pair<std::uint64_t, int>> sorted_;  // (start, index)
};

struct PointerArg {
  int region = -1;          // < 0: the null pointer
  std::int64_t offset = 0;  // bytes
};
using Arg = std::variant<PointerArg, std::int64_t, double>;

// What TTIR leaves open. The defaults are those of judging.
struct Options {
  // f32 tl.dot whose inputPrecision is tf32: operands rounded to nearest (ties away), truncated as a tensor
  // core does (measured on an H200), or left IEEE.
  enum class Tf32 : std::uint8_t { round, truncate, ieee } tf32 = Tf32::truncate;
  // Lanes that a masked load without `other` leaves undefined: zero (as PTX does), or a poison pattern
  // (quiet NaN for floats, 0x5A bytes for integers) that shows reliance on them.
  bool poison_masked = false;
  // f32/f64 to fp8 beyond the largest finite value: saturate, or NaN (e4m3) / infinity (e5m2).
  bool fp8_saturate = true;
  // Any order is legal for `tt.cat` and `tt.reshape allow_reorder`: false keeps it, true reverses it.
  bool reorder = false;
  // Integer division by zero is a finding, also in a lane that no store will use, which a GPU forgives:
  // judging turns this off. The value is all ones (remainder: the dividend) either way, and INT_MIN / -1 is
  // INT_MIN.
  bool check_division = true;
  // A sum takes a product of its own block with one rounding, as a GPU's compiler does by default. The
  // program must have been parsed for it.
  bool contraction = false;
  // Where Triton's code for a GPU takes f32 denormals for zeros and gives zeros for them (libdevice; floor,
  // ceil, exp2, sqrt and rsqrt; atomic addition), the machine does so, too.
  bool flush_denormals = false;
  // x % y of f32 and f64 is fmod; else x - trunc(x / y) y, as a GPU computes it.
  bool exact_remainder = true;
  std::size_t max_findings = 16;       // the run stops once so many have been met
  std::size_t max_printed = 1u << 20;  // bytes of tt.print text kept
  std::size_t max_memory = 1u << 30;   // bytes of tiles per thread
};

// One line of what was chosen where TTIR leaves a choice: an option and its value as words.
struct Choice {
  std::string_view name;  // as in Options and in vm_run()
  std::string value;
  std::string_view meaning;
  bool option = false;  // else fixed
};
// Every option and every fixed choice, for reports; docs/vm.md lists the same.
[[nodiscard]] std::vector<Choice> choices(const Options& options = {});
// The options that judging runs with.
[[nodiscard]] Options judging_options();
// The names of all operations that can be executed, sorted.
[[nodiscard]] std::vector<std::string_view> operations();

struct VmFinding {
  // "out_of_bounds" (also a misaligned atomic), "read_only", "unsupported", "step_limit", "deadline",
  // "assert", "division_by_zero", "malformed" (a value that the IR cannot have meant, such as a loop step of
  // 0). Sanitized runs (vm/sanitize.hpp): "race", "uninitialised_read", "use_after_free", "offset_overflow",
  // "endless_wait".
  std::string kind;
  std::string message;
  std::string region;      // out_of_bounds, read_only: name of the region; else empty
  std::int64_t index = 0;  // byte offset from the region's start
  std::array<std::int64_t, 3> program{0, 0, 0};
  std::string file;  // outermost source position that is known
  int line = 0;
  std::vector<std::string> notes{};    // further evidence, a line each: where the other access was made
  std::vector<std::string> picture{};  // the buffer around the element, for people; sanitized runs only
};

class Sanitizer;
class Counter;

enum class Verb : std::uint8_t { load, store, atomic };  // what an access does

enum class Order : std::uint8_t { forward, reversed, shuffled };

struct RunOptions {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  int threads = 1;
  std::uint64_t max_steps = 0;  // executed operations over all programs; 0: no limit
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  Order order = Order::forward;
  std::uint64_t seed = 0;          // of the shuffled order
  Sanitizer* sanitizer = nullptr;  // checks more, on one thread; the program must be Build::checked
  Counter* counter = nullptr;      // takes the counts; set if, and only if, the program is Build::counted
};

struct RunResult {
  std::vector<VmFinding> findings;  // in order of program, each place in the source at most once
  std::uint64_t programs = 0;       // program instances that were finished
  std::uint64_t steps = 0;
  std::string printed;  // text of tt.print
};

struct Parameter {
  std::string name;
  std::string type;  // as in the text: "!tt.ptr<f32>", "i32"
  bool pointer = false, floating = false;
};

struct ProgramImpl;

// Handlers that look closer stand before those that work. checked: for runs with a sanitizer; counted: for
// runs with a counter (vm/count.hpp).
enum class Build : std::uint8_t { plain, checked, counted };
inline constexpr std::size_t kBuilds = 3;

// A parsed and analysed module. Copies share the analysis; running one from several threads at once is safe.
class Program {
 public:
  // Errors: text that is no TTIR module, or one whose operations do not fit their types, with its line.
  // Operations that the machine does not know are accepted here; reaching one is a finding.
  static Result<Program> parse(std::string_view ttir, Build build = Build::plain, bool contraction = false);
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<Parameter>& parameters() const;
  // "tt.foo at file:line" for each operation that cannot be executed.
  [[nodiscard]] const std::vector<std::string>& unsupported() const;
  [[nodiscard]] const ProgramImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<ProgramImpl> impl_;
};

// Runs every program instance of the grid. Arguments that do not fit the parameters are one "malformed"
// finding.
RunResult run(const Program& program, std::span<const Arg> args, const Memory& memory, const RunOptions& how,
              const Options& options = {});

}  // namespace kgb::vm
