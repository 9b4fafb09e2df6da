// SPDX-License-Identifier: Apache-2.0
// The executable form of a module: instructions with resolved kernels, and where each value lives.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vm/numeric/numeric.hpp"
#include "vm/raw.hpp"
#include "vm/vm.hpp"

namespace kgb::vm {

struct Frame;
struct Instruction;
using Handler = void (*)(Frame& frame, const Instruction& instruction);

enum class Ending : std::uint8_t { yield, condition, give_back, branch, conditional_branch, missing };

struct Target {
  int block = 0;
  std::vector<int> operands;
};

struct Code;  // a region
namespace ptx {
struct Assembly;
}

// What only few operations need.
struct Extra {
  std::string text;                 // unsupported: its name; assert, print: the words
  std::vector<std::uint8_t> flags;  // print: isSigned
  const numeric::LibdeviceFunction* libdevice = nullptr;
  numeric::Reducer reducer;
  numeric::Scanner scanner;
  numeric::ArgReducer arg_reducer;
  numeric::DotFn dot = nullptr;
  numeric::DotFn dot_alternatives[3] = {nullptr, nullptr, nullptr};  // by Options::Tf32
  numeric::UnaryFn convert_alternatives[2] = {nullptr, nullptr};     // fp8: by fp8_saturate
  int function = -1;                                                 // tt.call
  std::shared_ptr<const ptx::Assembly> assembly;                     // inline PTX
  std::vector<std::int64_t> sizes, strides;                          // broadcast, trans: a strided copy
  Handler inner = nullptr;                                           // not Build::plain: the operation itself
  std::vector<Instruction> pair;  // in_place: what makes the elements, and the store that takes them
  std::uint32_t checks = 0;       // Build::checked: see sanitize_instrument
  std::size_t site = 0;           // Build::counted: index into CountPlan::sites
};

struct Instruction {
  Handler run = nullptr;
  std::vector<int> in, out;
  std::array<std::int64_t, 6> imm{};  // per operation; each builder says what
  union Kernel {
    numeric::BinaryKernel binary;
    numeric::UnaryFn unary;
    numeric::SelectKernel select;
    numeric::TernaryFn ternary;
    Kernel() : binary{} {}
  } kernel;
  std::int64_t row = 0;    // loads and stores of one dimension: bytes of the whole tile
  std::int32_t place = 0;  // index into ProgramImpl::places
  bool pure = false;       // no effect but its results, and never a finding: may be hoisted
  bool view = false;       // result 0 is operand 0's elements under another shape
  bool quiet = false;      // changes no memory that others see
  bool spans = false;      // each element of its result comes from the same element of its operands
  std::vector<Code> regions;
  std::shared_ptr<Extra> extra;
};

struct Block {
  std::vector<int> arguments;
  std::vector<Instruction> code;
  Ending ending = Ending::missing;
  std::vector<int> operands;  // of the terminator
  std::vector<Target> targets;
  std::int64_t cost = 0;  // elements that one run makes, for the deadline
};

struct Code {
  std::vector<Block> blocks;
  std::vector<int> values;          // regions run on spans: every value defined inside
  std::vector<int> outside;         // ... and the scalars from outside that they use
  std::vector<std::uint8_t> swaps;  // scf.for: may yield i hand its buffer over
};

struct FunctionCode {
  std::string name;
  Code body;
  std::vector<int> results_types;
  bool lowered = false;
};

struct ValueInfo {
  const Type* type = nullptr;
  std::int64_t capacity = 0;       // elements that the slot must hold (lanes of combine regions)
  std::int64_t offset = -1;        // of the slot in the frame's memory; -1: none needed
  std::int64_t table_offset = -1;  // of its tables
  std::uint8_t bytes = 4;          // per element
};

struct KernelFacts;  // Build::checked: what the sanitizer wants to know
struct CountPlan;    // Build::counted: what is known before the kernel runs

struct ProgramImpl {
  std::string text;  // the TTIR, owned: RawModule's views point here
  RawModule raw;
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<ValueInfo> values;
  std::vector<FunctionCode> functions;
  int entry = 0;
  std::vector<Instruction> prologue;  // program-invariant, run once per thread and launch
  std::vector<SourcePlace> places;
  std::vector<std::string> unsupported;
  std::int64_t frame_bytes = 0;
  bool contraction = false;                     // sums have taken their products in
  int streams = 0;                              // loads and stores, numbered
  std::shared_ptr<const KernelFacts> facts;     // null unless Build::checked
  std::shared_ptr<const CountPlan> count_plan;  // null unless Build::counted
  // Frames that no run uses now; a run takes one per thread and gives it back.
  std::mutex mutex;
  std::vector<std::unique_ptr<Frame>> idle;

  ProgramImpl();
  ~ProgramImpl();
};

}  // namespace kgb::vm
