// SPDX-License-Identifier: Apache-2.0
// Bounds of views, references, uploads and constants of a recording, in arithmetic that cannot overflow.
#include "model/launch_plan_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"

namespace kgb {
namespace {

__extension__ using Wide = __int128;

const PlanBuffer& at(const std::vector<PlanBuffer>& buffers, int index) {
  return buffers[static_cast<std::size_t>(index)];
}

// Sizes of the input buffers that a call must have, by path.
std::map<std::string, std::int64_t> wanted_inputs(const Call& call) {
  std::map<std::string, std::int64_t> wanted;
  for (const auto& [path, spec] : tensors_of(call)) wanted[path] = spec.storage_bytes();
  for (const Arg& arg : call.args)
    if (const auto* array = std::get_if<PointerArray>(&arg.value))
      wanted[arg.name] = static_cast<std::int64_t>(array->items.size()) * 8;
  return wanted;
}

bool integral(double value) {
  return std::isfinite(value) && value == std::floor(value) && std::abs(value) <= 0x1p53;
}

}  // namespace

std::string check_inputs(const std::vector<PlanBuffer>& buffers, const std::vector<Call>& calls) {
  for (std::size_t c = 0; c < calls.size(); ++c) {
    auto wanted = wanted_inputs(calls[c]);
    for (const PlanBuffer& buffer : buffers) {
      if (buffer.kind != BufferKind::input || buffer.call != static_cast<int>(c)) continue;
      const auto it = wanted.find(buffer.arg);
      if (it == wanted.end())
        return "call " + std::to_string(c) + " has no tensor " + in_quotes(buffer.arg) +
               ", or its buffer is listed twice";
      if (it->second != buffer.bytes)
        return in_quotes(buffer.arg) + " of call " + std::to_string(c) + " has " +
               std::to_string(buffer.bytes) + " bytes instead of " + std::to_string(it->second);
      wanted.erase(it);
    }
    if (!wanted.empty())
      return in_quotes(wanted.begin()->first) + " of call " + std::to_string(c) + " has no buffer";
  }
  return {};
}

std::string check_reuses(const std::vector<PlanBuffer>& buffers) {
  std::set<int> taken;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (!buffers[b].reuses) continue;
    const int other = *buffers[b].reuses;
    const std::string who = "buffer " + std::to_string(b) + " reuses buffer " + std::to_string(other);
    if (other < 0 || other >= static_cast<int>(buffers.size())) return who + ", which does not exist";
    const PlanBuffer& old = at(buffers, other);
    if (buffers[b].kind != BufferKind::input || old.kind != BufferKind::input)
      return who + ", and one of them is no input";
    if (old.call >= buffers[b].call) return who + ", which is of no earlier call";
    if (old.bytes != buffers[b].bytes) return who + ", which has another size";
    if (!taken.insert(other).second) return who + ", as another buffer does";
  }
  return {};
}

int memory_of(const std::vector<PlanBuffer>& buffers, int buffer) {
  while (const auto& earlier = at(buffers, buffer).reuses) buffer = *earlier;  // calls decrease: this ends
  return buffer;
}

std::string check_reference(const BufferRef& ref, const std::vector<PlanBuffer>& buffers, int call) {
  if (ref.buffer < 0) return ref.offset == 0 ? std::string() : "is an offset from the null pointer";
  if (ref.buffer >= static_cast<int>(buffers.size())) return "names a buffer that does not exist";
  const PlanBuffer& buffer = at(buffers, ref.buffer);
  if (ref.offset < 0 || ref.offset > buffer.bytes)
    return "points outside buffer " + std::to_string(ref.buffer);
  if (buffer.call > call)
    return "uses buffer " + std::to_string(ref.buffer) + " of call " + std::to_string(buffer.call) +
           " before it exists";
  return {};
}

std::string check_view(const View& view, const std::vector<PlanBuffer>& buffers, bool written) {
  if (view.shape.size() != view.strides.size()) return "has shape and strides of different length";
  if (view.conj && !is_complex(view.dtype)) return "is conjugated and not complex";
  if (written && (view.conj || view.neg)) return "is written through a conjugate or negative bit";
  Wide numel = 1;
  bool empty = false;
  for (const std::int64_t extent : view.shape) {
    if (extent < 0 || extent > kMaxExtent) return "has an extent outside 0 .. 2^48";
    empty = empty || extent == 0;
    numel = std::min<Wide>(numel * extent, kMaxExtent + 1);  // saturates: a later zero is in `empty`
  }
  if (empty) return {};
  if (numel > kMaxExtent) return "has too many elements";
  if (view.at.buffer < 0) return "has elements and no storage";
  const auto size = static_cast<std::int64_t>(size_of(view.dtype));
  Wide low = view.at.offset, high = view.at.offset;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.strides[d] < -kMaxExtent || view.strides[d] > kMaxExtent)
      return "has a stride outside -2^48 .. 2^48";
    const Wide reach = static_cast<Wide>(view.shape[d] - 1) * view.strides[d] * size;
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t bytes = at(buffers, view.at.buffer).bytes;
  if (low < 0 || high + size > bytes)
    return "reaches outside buffer " + std::to_string(view.at.buffer) + " of " + std::to_string(bytes) +
           " bytes";
  if (written && numel * size > bytes) return "writes elements more than once";
  return {};
}

std::string check_upload(Upload& upload, const std::vector<PlanBuffer>& buffers) {
  const auto size = static_cast<std::int64_t>(upload.bytes.size());
  if (size > 0 && upload.dst.buffer < 0) return "uploads to the null pointer";
  if (size > 0 && upload.dst.offset > at(buffers, upload.dst.buffer).bytes - size)
    return "uploads past the end of buffer " + std::to_string(upload.dst.buffer);
  std::sort(upload.relocations.begin(), upload.relocations.end(),
            [](const Relocation& a, const Relocation& b) { return a.byte < b.byte; });
  for (std::size_t i = 0; i < upload.relocations.size(); ++i) {
    const std::int64_t byte = upload.relocations[i].byte;
    if (byte < 0 || byte > size - 8) return "has a relocation outside its bytes";
    if (i > 0 && byte < upload.relocations[i - 1].byte + 8) return "has relocations that overlap";
  }
  return {};
}

std::string check_read(const Read& read, const std::vector<PlanBuffer>& buffers) {
  const View& src = read.src;
  if (is_float(src.dtype) || is_complex(src.dtype)) return "reads what is neither integer nor boolean";
  if (src.conj || src.neg) return "reads through a conjugate or negative bit";
  if (src.at.buffer < 0 || at(buffers, src.at.buffer).kind != BufferKind::alloc)
    return "reads what is no allocation of the candidate's";
  std::size_t bytes = size_of(src.dtype);
  for (const std::int64_t extent : src.shape) {
    if (extent == 0) return "reads nothing";
    // check_view has seen the shape: at most 2^48 elements
    bytes *= static_cast<std::size_t>(extent);
  }
  if (bytes > kReadBytes) return "reads more than " + std::to_string(kReadBytes) + " bytes";
  if (read.bytes && read.bytes->size() != bytes) return "has bytes of another size than its view";
  return {};
}

std::string check_reads(const Recording& recording) {
  bool ended = false;
  for (std::size_t c = 0; c < recording.calls.size(); ++c) {
    const RecordedCall& call = recording.calls[c];
    std::size_t count = 0, bytes = 0;
    for (const Node& node : call.nodes) {
      if (ended) return "go on behind a read whose bytes are wanted";
      const auto* read = std::get_if<Read>(&node);
      if (read == nullptr) continue;
      std::size_t size = size_of(read->src.dtype);
      for (const std::int64_t extent : read->src.shape) size *= static_cast<std::size_t>(extent);
      bytes += size;
      ended = !read->bytes;
      if (++count > kReadsPerCall || bytes > kReadBytes)
        return "hold a call that reads more than " + std::to_string(kReadsPerCall) + " times or " +
               std::to_string(kReadBytes) + " bytes";
    }
    if (ended && !call.outputs.empty()) return "return something behind a read whose bytes are wanted";
  }
  return {};
}

std::optional<NodeRef> wanted_read(const Recording& recording) {
  for (std::size_t c = 0; c < recording.calls.size(); ++c) {
    const std::vector<Node>& nodes = recording.calls[c].nodes;
    if (nodes.empty()) continue;
    const auto* last = std::get_if<Read>(&nodes.back());
    if (last != nullptr && !last->bytes)
      return NodeRef{static_cast<int>(c), static_cast<int>(nodes.size()) - 1};
  }
  return std::nullopt;
}

bool reads_intermediates(const Recording& recording) {
  for (const RecordedCall& call : recording.calls)
    for (const Node& node : call.nodes)
      if (std::holds_alternative<Read>(node)) return true;
  return false;
}

std::int64_t triangle_count(bool lower, std::int64_t row, std::int64_t col, std::int64_t offset) {
  // Row r of the lower triangle has clamp(r + 1 + offset, 0, col) elements; the upper one has the rest for
  // offset - 1.
  if (!lower) return row * col - triangle_count(true, row, col, offset - 1);
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, row);          // rows before it have none
  const std::int64_t full = std::clamp<std::int64_t>(col - offset, first, row);  // rows from it on have `col`
  const Wide ramp = full - first;
  const Wide sloped = ramp * (first + 1 + offset) + ramp * (ramp - 1) / 2;
  return static_cast<std::int64_t>(sloped + static_cast<Wide>(row - full) * col);
}

std::string check_constant(const Constant& constant) {
  const auto& shape = constant.dst.shape;
  const auto& params = constant.params;
  if (is_complex(constant.dst.dtype)) return "makes a complex constant, which is not supported";
  if (constant.kind == "arange" || constant.kind == "linspace") {
    if (params.size() != 2) return "needs two parameters";
    if (!std::isfinite(params[0]) || !std::isfinite(params[1])) return "has a parameter that is not finite";
    return shape.size() == 1 ? std::string() : "needs a destination of one dimension";
  }
  if (constant.kind == "eye") {
    if (!params.empty()) return "takes no parameters";
    return shape.size() == 2 ? std::string() : "needs a destination of two dimensions";
  }
  if (constant.kind != "tril_indices" && constant.kind != "triu_indices")
    return "is the unknown constant " + in_quotes(constant.kind);
  if (params.size() != 3 || !std::all_of(params.begin(), params.end(), integral))
    return "needs three integers";
  constexpr double limit = 0x1p30;
  if (params[0] < 0 || params[0] > limit || params[1] < 0 || params[1] > limit || std::abs(params[2]) > limit)
    return "has a parameter outside -2^30 .. 2^30";
  const std::int64_t count =
      triangle_count(constant.kind == "tril_indices", static_cast<std::int64_t>(params[0]),
                     static_cast<std::int64_t>(params[1]), static_cast<std::int64_t>(params[2]));
  if (shape.size() != 2 || shape[0] != 2 || shape[1] != count)
    return "needs a destination of shape [2, " + std::to_string(count) + "]";
  return {};
}

}  // namespace kgb
