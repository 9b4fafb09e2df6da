// SPDX-License-Identifier: Apache-2.0
// JSON text of a recording: what is stored, sent to executors and hashed. docs/contracts/plan.md.
#include <cmath>

#include "base/base64.hpp"
#include "model/launch_plan_write.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;  // std::map objects: keys come out sorted

Json real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

class Writer {
 public:
  explicit Writer(const PlanWriteOptions& options) : options_(options) {}

  [[nodiscard]] Json recording(const Recording& recording) const {
    Json out{{"version", recording.version}, {"target", recording.target}};
    Json& kernels = out["kernels"] = Json::array();
    for (const Kernel& kernel : recording.kernels) kernels.push_back(this->kernel(kernel));
    Json& buffers = out["buffers"] = Json::array();
    for (const PlanBuffer& buffer : recording.buffers) {
      Json entry{{"kind", buffer.kind == BufferKind::input ? "input" : "alloc"},
                 {"bytes", buffer.bytes},
                 {"call", buffer.call}};
      if (buffer.kind == BufferKind::input) entry["arg"] = buffer.arg;
      if (buffer.reuses) entry["reuses"] = *buffer.reuses;
      if (buffer.freed && !options_.canonical)
        entry["freed"] = Json::array({buffer.freed->call, buffer.freed->node});
      buffers.push_back(std::move(entry));
    }
    Json& calls = out["calls"] = Json::array();
    for (const RecordedCall& call : recording.calls) calls.push_back(this->call(call));
    return out;
  }

 private:
  [[nodiscard]] Json kernel(const Kernel& kernel) const {
    Json out{{"options", kernel.options}, {"signature", kernel.signature}};
    out[kernel.cuda.empty() ? "ttir" : "cuda"] = kernel.cuda.empty() ? kernel.ttir : kernel.cuda;
    // One source may hold several kernels: which one runs is its name.
    if (!kernel.cuda.empty()) out["name"] = kernel.name;
    if (options_.canonical) return out;
    out["name"] = kernel.name;
    out["parameters"] = kernel.parameters;
    return out;
  }

  static Json ref(const BufferRef& ref) { return Json::array({ref.buffer, ref.offset}); }

  static Json view(const View& view) {
    return {{"at", ref(view.at)},  {"dtype", name_of(view.dtype)},
            {"shape", view.shape}, {"strides", view.strides},
            {"conj", view.conj},   {"neg", view.neg}};
  }

  void source(Json& out, const std::string& file, int line) const {
    if (options_.canonical) return;
    out["file"] = file;
    out["line"] = line;
  }

  [[nodiscard]] Json argument(const KernelArg& arg) const {
    if (const auto* pointer = std::get_if<BufferRef>(&arg.value)) {
      Json out{{"ptr", ref(*pointer)}};
      if (arg.part && !options_.canonical) {
        out["dtype"] = name_of(arg.part->dtype);
        out["shape"] = arg.part->shape;
        out["strides"] = arg.part->strides;
      }
      return out;
    }
    if (const auto* number = std::get_if<double>(&arg.value)) return {{"float", real(*number)}};
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&arg.value)) return {{"ints", *list}};
    const std::int64_t value = std::get<std::int64_t>(arg.value);
    if (options_.seed == value) return {{"int", "seed"}};
    if (options_.offset == value) return {{"int", "offset"}};
    return {{"int", value}};
  }

  [[nodiscard]] Json node(const Launch& launch) const {
    Json args = Json::array();
    for (const KernelArg& arg : launch.args) args.push_back(argument(arg));
    Json out{{"node", "launch"}, {"kernel", launch.kernel}, {"grid", launch.grid}, {"args", std::move(args)}};
    source(out, launch.file, launch.line);
    if (launch.block[0] > 0) {
      out["block"] = launch.block;
      out["shared_bytes"] = launch.shared_bytes;
    }
    return out;
  }
  [[nodiscard]] Json node(const Fill& fill) const {
    return {{"node", "fill"}, {"dst", view(fill.dst)}, {"value", base64_encode(fill.value)}, {"op", fill.op}};
  }
  [[nodiscard]] Json node(const Copy& copy) const {
    Json out{{"node", "copy"}, {"dst", view(copy.dst)}, {"src", view(copy.src)}, {"op", copy.op}};
    source(out, copy.file, copy.line);
    return out;
  }
  [[nodiscard]] Json node(const Upload& upload) const {
    Json relocations = Json::array();
    for (const Relocation& r : upload.relocations)
      relocations.push_back(Json::array({r.byte, ref(r.target)}));
    Json out{{"node", "upload"},
             {"dst", ref(upload.dst)},
             {"bytes", base64_encode(upload.bytes)},
             {"relocations", std::move(relocations)},
             {"op", upload.op}};
    source(out, upload.file, upload.line);
    return out;
  }
  [[nodiscard]] Json node(const Constant& constant) const {
    return {{"node", "constant"},
            {"kind", constant.kind},
            {"dst", view(constant.dst)},
            {"params", constant.params}};
  }

  [[nodiscard]] Json node(const Read& read) const {
    Json out{{"node", "read"}, {"src", view(read.src)}, {"op", read.op}};
    source(out, read.file, read.line);
    // What was read follows from the values of the trial: it makes no other work.
    if (!options_.canonical) out["bytes"] = read.bytes ? Json(base64_encode(*read.bytes)) : Json();
    return out;
  }

  static Json leaf(const OutputLeaf& leaf) {
    Json out{{"path", leaf.path}, {"type", leaf.type}, {"odd", leaf.odd}};
    if (leaf.tensor) {
      out["tensor"] = view(leaf.view);
    } else {
      out["scalar"] = Json::parse(leaf.scalar, nullptr, false);
    }
    return out;
  }

  [[nodiscard]] Json call(const RecordedCall& call) const {
    Json out{{"structure", call.structure}};
    Json& nodes = out["nodes"] = Json::array();
    for (std::size_t i = 0; i < call.nodes.size(); ++i) {
      nodes.push_back(std::visit([&](const auto& n) { return this->node(n); }, call.nodes[i]));
      if (call.order.empty()) continue;
      if (call.order[i].stream != 0) nodes.back()["stream"] = call.order[i].stream;
      if (!call.order[i].after.empty()) nodes.back()["after"] = call.order[i].after;
    }
    if (!call.order.empty()) out["joined"] = call.joined;
    Json& outputs = out["outputs"] = Json::array();
    for (const OutputLeaf& leaf : call.outputs) outputs.push_back(Writer::leaf(leaf));
    if (options_.canonical) return out;
    Json& events = out["events"] = Json::array();
    for (const Event& event : call.events)
      events.push_back(
          {{"kind", event.kind}, {"what", event.what}, {"file", event.file}, {"line", event.line}});
    return out;
  }

  const PlanWriteOptions& options_;
};

}  // namespace

std::string plan_text(const Recording& recording, const PlanWriteOptions& options) {
  return Writer(options).recording(recording).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json_text(const Recording& recording) {
  return plan_text(recording, {});
}

}  // namespace kgb
