// SPDX-License-Identifier: Apache-2.0
// The launch plan: all that a candidate's call amounts to, as a closed set of nodes over buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "model/call.hpp"
#include "model/dtype.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

inline constexpr int kPlanVersion = 1;

// A byte position in a buffer of the recording. buffer < 0 is the null pointer.
struct BufferRef {
  int buffer = -1;
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const BufferRef&, const BufferRef&) = default;
};

struct View {  // strides in elements; the base is at `at`
  BufferRef at;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  bool conj = false, neg = false;  // torch's lazy bits
  friend bool operator==(const View&, const View&) = default;
};

struct Kernel {
  std::string name;  // symbol in the TTIR; of CUDA C++ the expression that names it: "add<float>"
  std::string ttir;  // empty: the kernel is CUDA C++
  std::map<std::string, std::string> options;  // num_warps, num_stages, ... as text
  std::vector<std::string> signature;   // Triton's type words in order, constexprs left out: "*fp32", "i32"
  std::vector<std::string> parameters;  // the parameter names, same order
  std::string cuda{};                   // source text of a `.cu` candidate, in place of TTIR
};

// What one launch of a CUDA kernel may have at most, on every device.
inline constexpr std::array<std::int64_t, 3> kMostThreads{1024, 1024, 64};
inline constexpr std::int64_t kMostThreadsOfBlock = 1024;
// Integers that travel together as one parameter: a struct of an array.
inline constexpr std::size_t kMostIntegers = 64;

struct KernelArg {
  // Integers travel by value as a struct of 64-bit integers, to CUDA kernels alone; what they do not fill is
  // 0.
  std::variant<BufferRef, std::int64_t, double, std::vector<std::int64_t>> value;
  // Of a pointer: the tensor whose address it is, where that is a part of its buffer. Nothing is known of an
  // address that was made from a number.
  std::optional<View> part{};
};

struct Launch {
  int kernel = 0;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::vector<KernelArg> args;
  std::string file;  // where the candidate launched it
  int line = 0;
  // Of CUDA kernels, whose compiler chooses neither: threads of a block, and dynamic shared memory in bytes.
  std::array<std::int64_t, 3> block{0, 0, 0};
  std::int64_t shared_bytes = 0;
};
struct Fill {  // every element of dst becomes `value`, already in dst's bytes
  View dst;
  std::vector<std::byte> value;
  std::string op;
};
struct Copy {  // element by element, broadcast allowed; differing dtypes are a cast with torch's rules
  View dst, src;
  std::string op;
  std::string file;
  int line = 0;
};
struct Relocation {  // the eight bytes at `byte` hold the address of `target`
  std::int64_t byte = 0;
  BufferRef target;
};
struct Upload {  // host bytes; limited in size by the policy
  BufferRef dst;
  std::vector<std::byte> bytes;
  std::vector<Relocation> relocations;
  std::string op;
  std::string file;
  int line = 0;
};
struct Constant {  // "arange" (start, step), "linspace" (start, end, steps), "eye" (), "tril_indices",
                   // "triu_indices" (row, col, offset)
  std::string kind;
  View dst;
  std::vector<double> params;
};
// Host code looked at an intermediate of the candidate's own, which its card allows, and went on from what it
// saw. Without bytes it wants to see them: the plan ends here, and what follows is recorded once they are
// known.
struct Read {
  View src;
  std::optional<std::vector<std::byte>> bytes;  // elements in row-major order
  std::string op;
  std::string file;
  int line = 0;
};
using Node = std::variant<Launch, Fill, Copy, Upload, Constant, Read>;

// What host code may read of its own intermediates in one call. docs/contracts/plan.md says why no more.
inline constexpr std::size_t kReadBytes = 256;
inline constexpr std::size_t kReadsPerCall = 4;

// Where a node stands among streams. It follows the one before it on its stream, and those in `after`.
struct NodeOrder {
  int stream = 0;          // 0: the one that the call is made on
  std::vector<int> after;  // earlier nodes of the call
};
struct NodeRef {
  int call = 0, node = 0;
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

enum class BufferKind { input, alloc };
struct PlanBuffer {
  BufferKind kind = BufferKind::alloc;
  std::int64_t bytes = 0;
  int call = 0;     // the call (0, 1, 2) that brought or allocated it
  std::string arg;  // input: path of the argument, as in tensors_of()
  // Host code has let go of an allocation before this node; a node behind the call's last one is its end.
  std::optional<NodeRef> freed{};
  // Input: the one of an earlier call, of the same size, whose memory this one gets.
  std::optional<int> reuses{};
};
// The buffer whose memory this one has in the end: itself where it reuses none.
[[nodiscard]] int memory_of(const std::vector<PlanBuffer>& buffers, int buffer);

struct OutputLeaf {
  std::string path;  // "return", "return[1]"
  std::string type;  // "Tensor", "Parameter", or the Python type name of what is no tensor
  bool tensor = true;
  View view;           // tensors
  std::string scalar;  // JSON text of a Python number, bool, string or None; [re, im] of a complex number
  bool odd = false;    // a subclass, instance attributes, or lazy bits: evidence of tampering
};

// What host code did besides launching. docs/contracts/findings.md maps each kind to its verdict.
struct Event {
  std::string kind;  // "compute", "random", "read", "cast", "forbidden", "unsupported", "benchmark", ...
  std::string what;  // operator or API: "aten::add.Tensor"
  std::string file;
  int line = 0;
};

struct RecordedCall {
  std::vector<Node> nodes;       // in a legal order
  std::vector<NodeOrder> order;  // of each node; empty: all are on stream 0
  std::vector<int> joined;       // the nodes that the return waits for; only with `order`
  std::vector<OutputLeaf> outputs;
  std::string structure;  // "tensor", "tuple[2]", "list[3]", "none", "int", ...
  std::vector<Event> events;
};

struct Recording {
  int version = kPlanVersion;
  std::string target;  // chip card that host code saw: "h200"
  std::vector<Kernel> kernels;
  std::vector<PlanBuffer> buffers;
  std::vector<RecordedCall> calls;  // calls 1, 2, 3 in the order made
};

// The read that the recording ends with, for want of its bytes.
[[nodiscard]] std::optional<NodeRef> wanted_read(const Recording& recording);
// Whether host code read intermediates: then the recording holds for one set of values.
[[nodiscard]] bool reads_intermediates(const Recording& recording);

struct PlanLimits {
  std::size_t json_bytes = 64u << 20;
  std::size_t kernels = 4096, buffers = 65536, nodes = 65536;
  std::int64_t streams = 64;  // of one call
  std::int64_t buffer_bytes = std::int64_t{64} << 30;
};

// Parses and validates as hostile input: every reference in range, every view inside its buffer, counts
// limited. `calls` are what was asked for: input buffers must name their tensors with the right sizes.
[[nodiscard]] Result<Recording> recording_from_json(std::string_view text, const std::vector<Call>& calls,
                                                    const PlanLimits& limits = {});
[[nodiscard]] std::string to_json_text(const Recording& recording);
// Canonical hash, hex SHA-256: equal for plans that do the same work. docs/contracts/plan.md.
// For random operators, integer arguments equal to the generator's seed or offset are hashed as such.
[[nodiscard]] std::string canonical_hash(const Recording& recording, std::optional<std::int64_t> seed = {},
                                         std::optional<std::int64_t> offset = {});

}  // namespace kgb
