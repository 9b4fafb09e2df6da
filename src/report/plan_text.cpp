// SPDX-License-Identifier: Apache-2.0
// Buffers by name, nodes in order, equal calls folded.
#include "report/plan_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kgb {
namespace {

class PlanWriter {
 public:
  explicit PlanWriter(const Recording& recording) : recording_(recording) {}

  std::string buffer(const BufferRef& ref) const {
    if (ref.buffer < 0) return "null";
    const PlanBuffer& b = recording_.buffers[static_cast<std::size_t>(ref.buffer)];
    std::string name = b.kind == BufferKind::input ? b.arg : fmt::format("tmp{}", ref.buffer);
    if (b.call > 0) name += fmt::format("@{}", b.call + 1);
    return ref.offset == 0 ? name : fmt::format("{}+{}B", name, ref.offset);
  }

  std::string view(const View& v) const {
    return fmt::format("{} {}[{}]", buffer(v.at), name_of(v.dtype), fmt::join(v.shape, ","));
  }

  std::string node(const Node& node) const {
    return std::visit([this](const auto& n) { return text(n); }, node);
  }

 private:
  std::string text(const Launch& launch) const {
    const Kernel& kernel = recording_.kernels[static_cast<std::size_t>(launch.kernel)];
    std::string args;
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const std::string name = i < kernel.parameters.size() ? kernel.parameters[i] : fmt::format("arg{}", i);
      args += fmt::format("{}{}={}", i == 0 ? "" : ", ", name,
                          std::visit([&](const auto& v) { return value(v); }, launch.args[i].value));
      if (const auto& part = launch.args[i].part)
        args += fmt::format(" {}[{}]", name_of(part->dtype), fmt::join(part->shape, ","));
    }
    const auto warps = kernel.options.find("num_warps");
    std::string how = warps == kernel.options.end() ? "" : "  num_warps " + warps->second;
    if (launch.block[0] > 0)
      how = fmt::format("  block {}, shared {} B", fmt::join(launch.block, ","), launch.shared_bytes);
    return fmt::format("launch   {}[{}]({}){}{}", kernel.name, fmt::join(launch.grid, ","), args, how,
                       place(launch.file, launch.line));
  }
  std::string text(const Fill& fill) const { return fmt::format("fill     {}  {}", view(fill.dst), fill.op); }
  std::string text(const Copy& copy) const {
    return fmt::format("{}     {} <- {}  {}{}", copy.dst.dtype == copy.src.dtype ? "copy" : "cast",
                       view(copy.dst), view(copy.src), copy.op, place(copy.file, copy.line));
  }
  std::string text(const Upload& upload) const {
    return fmt::format("upload   {} <- {} bytes, {} addresses  {}{}", buffer(upload.dst), upload.bytes.size(),
                       upload.relocations.size(), upload.op, place(upload.file, upload.line));
  }
  std::string text(const Constant& constant) const {
    return fmt::format("{:<8} {}", constant.kind, view(constant.dst));
  }

  std::string text(const Read& read) const {
    return fmt::format("read     {}{}  {}{}", view(read.src), read.bytes ? "" : " (wanted)", read.op,
                       place(read.file, read.line));
  }

  std::string value(const BufferRef& ref) const { return buffer(ref); }
  static std::string value(std::int64_t number) { return std::to_string(number); }
  static std::string value(double number) { return fmt::format("{}", number); }
  static std::string value(const std::vector<std::int64_t>& list) {
    return fmt::format("[{}]", fmt::join(list, ","));
  }
  static std::string place(const std::string& file, int line) {
    return line > 0 ? fmt::format("  {}:{}", file, line) : "";
  }

  const Recording& recording_;
};

// Nodes are counted from 1 here, as calls are.
std::string order_text(const NodeOrder& order, std::size_t number) {
  std::string out = fmt::format("  #{} stream {}", number + 1, order.stream);
  for (std::size_t i = 0; i < order.after.size(); ++i)
    out += fmt::format("{}#{}", i == 0 ? " after " : ", ", order.after[i] + 1);
  return out;
}

std::string call_text(const Recording& recording, std::size_t number, const PlanWriter& writer) {
  std::string out = fmt::format("  call {}\n", number + 1);
  const RecordedCall& call = recording.calls[number];
  for (std::size_t i = 0; i < call.nodes.size(); ++i)
    out +=
        "    " + writer.node(call.nodes[i]) + (call.order.empty() ? "" : order_text(call.order[i], i)) + '\n';
  for (const OutputLeaf& leaf : call.outputs)
    out += fmt::format("    {:<8} {}\n", leaf.path, leaf.tensor ? writer.view(leaf.view) : leaf.scalar);
  for (const Event& event : call.events)
    out += fmt::format("    event    {}: {}{}\n", event.kind, event.what,
                       event.line > 0 ? fmt::format("  line {}", event.line) : "");
  return out;
}

// The same nodes over buffers that differ only in the call that they belong to.
bool same_work(const Recording& recording, std::size_t a, std::size_t b, const PlanWriter& writer) {
  const auto signature = [&](std::size_t number) {
    std::string text = call_text(recording, number, writer).substr(9);
    const std::string mark = fmt::format("@{}", number + 1);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.erase(at, mark.size());
    std::string stable;  // temporaries are numbered through; their order says which is which
    for (std::size_t i = 0; i < text.size(); ++i) {
      stable += text[i];
      if (text.compare(i, 3, "tmp") == 0) {
        stable += "mp";
        i += 2;
        while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]))) ++i;
      }
    }
    return stable;
  };
  return signature(a) == signature(b);
}

}  // namespace

std::string plan_text(const Call& call, const Recording* recording, const std::vector<Finding>& findings,
                      bool with_ttir) {
  std::string out = fmt::format("{}  {}: {}\n", call.workload, call.entry, describe(call));
  for (const Finding& f : findings)
    out += fmt::format("  {}{}: {}\n", f.kind, f.line > 0 ? fmt::format(" at {}:{}", f.file, f.line) : "",
                       f.message);
  if (recording == nullptr) return out;
  const PlanWriter writer(*recording);
  for (std::size_t c = 0; c < recording->calls.size(); ++c) {
    if (c > 0 && same_work(*recording, 0, c, writer))
      out += fmt::format("  call {}: as call 1\n", c + 1);
    else
      out += call_text(*recording, c, writer);
  }
  out +=
      fmt::format("  plan {}  {} kernels, {} buffers, target {}\n", canonical_hash(*recording).substr(0, 16),
                  recording->kernels.size(), recording->buffers.size(), recording->target);
  if (with_ttir)
    for (const Kernel& kernel : recording->kernels)
      if (kernel.cuda.empty()) out += fmt::format("\n// {}\n{}\n", kernel.name, kernel.ttir);
  return out;
}

}  // namespace kgb
