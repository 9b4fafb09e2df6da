// SPDX-License-Identifier: Apache-2.0
// Reads a recording from JSON that hostile code may have written: every field is checked before it is used.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "model/launch_plan.hpp"
#include "model/launch_plan_check.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxName = 1024, kMaxFile = 4096, kMaxTtir = std::size_t{32} << 20;
constexpr std::size_t kMaxRank = 64, kMaxEvents = 65536, kMaxLeaves = 65536, kMaxArgs = 1024;
constexpr int kMaxDepth = 10;                             // a recording needs 8
constexpr std::size_t kMaxValues = std::size_t{8} << 20;  // JSON values in the whole text

// Ends the reading; never leaves this file.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Refused(where + ": " + what);
}

// A JSON value with the place where it stands, for messages.
struct At {
  const Json* json;
  std::string where;

  [[nodiscard]] At operator[](const char* key) const {
    if (!json->is_object()) refuse(where, "is not an object");
    const auto it = json->find(key);
    if (it == json->end()) refuse(where, std::string("has no ") + in_quotes(key));
    return {&*it, where + "." + key};
  }
  [[nodiscard]] bool has(const char* key) const { return json->is_object() && json->contains(key); }
  [[nodiscard]] At item(std::size_t i) const { return {&(*json)[i], where + "[" + std::to_string(i) + "]"}; }
  [[nodiscard]] std::size_t array(std::size_t limit) const {
    if (!json->is_array()) refuse(where, "is not an array");
    if (json->size() > limit) refuse(where, "has more than " + std::to_string(limit) + " items");
    return json->size();
  }
  [[nodiscard]] std::string text(std::size_t limit) const {
    if (!json->is_string()) refuse(where, "is not text");
    const auto& value = json->get_ref<const std::string&>();
    if (value.size() > limit) refuse(where, "is longer than " + std::to_string(limit) + " bytes");
    return value;
  }
  [[nodiscard]] bool flag() const {
    if (!json->is_boolean()) refuse(where, "is not true or false");
    return json->get<bool>();
  }
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const {
    if (!json->is_number_integer()) refuse(where, "is not an integer");
    const bool too_large =
        json->is_number_unsigned() &&
        json->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::int64_t value = too_large ? 0 : json->get<std::int64_t>();
    if (too_large || value < low || value > high)
      refuse(where, "is outside " + std::to_string(low) + " .. " + std::to_string(high));
    return value;
  }
  // A JSON number, or "nan", "inf", "-inf".
  [[nodiscard]] double real() const {
    if (json->is_number()) return json->get<double>();
    const std::string word = text(8);
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    refuse(where, "is no number");
  }
  [[nodiscard]] std::vector<std::byte> base64() const {
    auto bytes = base64_decode(text(std::numeric_limits<std::size_t>::max()));
    if (!bytes) refuse(where, "is not base64");
    return *std::move(bytes);
  }
};

class Reader {
 public:
  Reader(const std::vector<Call>& calls, const PlanLimits& limits) : calls_(calls), limits_(limits) {}

  Recording read(const At& at) {
    out_.version = static_cast<int>(at["version"].integer(kPlanVersion, kPlanVersion));
    out_.target = at["target"].text(64);
    const At kernels = at["kernels"];
    for (std::size_t i = 0, n = kernels.array(limits_.kernels); i < n; ++i)
      out_.kernels.push_back(kernel(kernels.item(i)));
    const At buffers = at["buffers"];
    for (std::size_t i = 0, n = buffers.array(limits_.buffers); i < n; ++i) buffer(buffers.item(i));
    check(check_inputs(out_.buffers, calls_), buffers);
    check(check_reuses(out_.buffers), buffers);
    const At calls = at["calls"];
    if (calls.array(1024) != calls_.size())
      refuse(calls.where, "holds " + std::to_string(calls.json->size()) + " calls instead of " +
                              std::to_string(calls_.size()));
    for (std::size_t i = 0; i < calls_.size(); ++i) call(calls.item(i), static_cast<int>(i));
    check(check_reads(out_), calls);
    check_freed(buffers);
    return std::move(out_);
  }

 private:
  static void check(const std::string& complaint, const At& at) {
    if (!complaint.empty()) refuse(at.where, complaint);
  }

  Kernel kernel(const At& at) {
    Kernel kernel;
    kernel.name = at["name"].text(kMaxName);
    const bool cuda = at.has("cuda");
    (cuda ? kernel.cuda : kernel.ttir) = at[cuda ? "cuda" : "ttir"].text(kMaxTtir);
    if (kernel.name.empty() || (kernel.ttir.empty() && kernel.cuda.empty()))
      refuse(at.where, "has an empty name or an empty module");
    const At options = at["options"];
    if (!options.json->is_object() || options.json->size() > 256)
      refuse(options.where, "is no object of at most 256 options");
    for (const auto& [key, value] : options.json->items()) {
      if (key.size() > kMaxName) refuse(options.where, "has an option name that is too long");
      kernel.options[key] = At{&value, options.where + "." + std::string(cut_utf8(key, 40))}.text(kMaxName);
    }
    const At signature = at["signature"], parameters = at["parameters"];
    const std::size_t n = signature.array(kMaxArgs);
    if (parameters.array(kMaxArgs) != n) refuse(parameters.where, "and the signature differ in length");
    for (std::size_t i = 0; i < n; ++i) {
      kernel.signature.push_back(signature.item(i).text(128));
      kernel.parameters.push_back(parameters.item(i).text(kMaxName));
      if (kernel.signature.back().empty()) refuse(signature.item(i).where, "is empty");
    }
    return kernel;
  }

  void buffer(const At& at) {
    PlanBuffer buffer;
    const std::string kind = at["kind"].text(16);
    if (kind != "input" && kind != "alloc") refuse(at.where, "has the unknown kind " + in_quotes(kind));
    buffer.kind = kind == "input" ? BufferKind::input : BufferKind::alloc;
    buffer.bytes = at["bytes"].integer(0, limits_.buffer_bytes);
    total_ += buffer.bytes;  // at most 65536 times 2^36: no overflow
    if (total_ > limits_.buffer_bytes) refuse(at.where, "brings all buffers over the size limit");
    buffer.call = static_cast<int>(at["call"].integer(0, static_cast<std::int64_t>(calls_.size()) - 1));
    if (buffer.kind == BufferKind::input) buffer.arg = at["arg"].text(kMaxName);
    if (at.has("reuses"))
      buffer.reuses =
          static_cast<int>(at["reuses"].integer(0, static_cast<std::int64_t>(limits_.buffers) - 1));
    if (at.has("freed")) buffer.freed = freed(at["freed"], buffer);
    out_.buffers.push_back(std::move(buffer));
  }

  NodeRef freed(const At& at, const PlanBuffer& buffer) {
    if (buffer.kind == BufferKind::input)
      refuse(at.where, "is said of an input, which host code cannot free");
    if (at.array(2) != 2) refuse(at.where, "is no [call, node]");
    NodeRef ref;
    ref.call =
        static_cast<int>(at.item(0).integer(buffer.call, static_cast<std::int64_t>(calls_.size()) - 1));
    ref.node = static_cast<int>(at.item(1).integer(0, static_cast<std::int64_t>(limits_.nodes)));
    return ref;
  }

  BufferRef reference(const At& at) {
    if (at.array(2) != 2) refuse(at.where, "is no [buffer, byte offset]");
    BufferRef ref;
    ref.buffer = static_cast<int>(at.item(0).integer(-1, static_cast<std::int64_t>(out_.buffers.size()) - 1));
    ref.offset = at.item(1).integer(0, limits_.buffer_bytes);
    check(check_reference(ref, out_.buffers, call_), at);
    return ref;
  }

  std::vector<std::int64_t> integers(const At& at) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0, n = at.array(kMaxRank); i < n; ++i)
      values.push_back(at.item(i).integer(-kMaxExtent, kMaxExtent));
    return values;
  }

  View view(const At& at, bool written = false) {
    View view = tensor(at, "at");
    view.conj = at.has("conj") && at["conj"].flag();
    view.neg = at.has("neg") && at["neg"].flag();
    check(check_view(view, out_.buffers, written), at);
    return view;
  }

  // A view without lazy bits; `key` holds its place.
  View tensor(const At& at, const char* key) {
    View view;
    view.at = reference(at[key]);
    const std::string name = at["dtype"].text(16);
    const auto dtype = dtype_named(name);
    if (!dtype) refuse(at.where, "has the unknown dtype " + in_quotes(name));
    view.dtype = *dtype;
    view.shape = integers(at["shape"]);
    view.strides = integers(at["strides"]);
    check(check_view(view, out_.buffers, false), at);
    return view;
  }

  void source(const At& at, std::string& file, int& line) {
    file = at["file"].text(kMaxFile);
    line = static_cast<int>(at["line"].integer(0, std::numeric_limits<int>::max()));
  }

  Launch launch(const At& at) {
    Launch launch;
    if (out_.kernels.empty()) refuse(at.where, "launches a kernel, and the recording has none");
    launch.kernel =
        static_cast<int>(at["kernel"].integer(0, static_cast<std::int64_t>(out_.kernels.size()) - 1));
    const At grid = at["grid"];
    if (grid.array(3) != 3) refuse(grid.where, "has not three sides");
    for (std::size_t i = 0; i < 3; ++i)
      launch.grid[i] = grid.item(i).integer(1, std::numeric_limits<std::int32_t>::max());
    const auto& signature = out_.kernels[static_cast<std::size_t>(launch.kernel)].signature;
    const At args = at["args"];
    if (args.array(kMaxArgs) != signature.size())
      refuse(args.where, "and the kernel's signature differ in length");
    for (std::size_t i = 0; i < signature.size(); ++i)
      launch.args.push_back(argument(args.item(i), signature[i]));
    source(at, launch.file, launch.line);
    if (!out_.kernels[static_cast<std::size_t>(launch.kernel)].cuda.empty()) {
      block(at, launch);
    } else if (std::any_of(launch.args.begin(), launch.args.end(), [](const KernelArg& arg) {
                 return std::holds_alternative<std::vector<std::int64_t>>(arg.value);
               })) {
      refuse(args.where, "hold integers by value, which CUDA kernels alone take");
    }
    return launch;
  }

  static void block(const At& at, Launch& launch) {
    const At block = at["block"];
    if (block.array(3) != 3) refuse(block.where, "has not three sides");
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      launch.block[i] = block.item(i).integer(1, kMostThreads[i]);
      threads *= launch.block[i];
    }
    if (threads > kMostThreadsOfBlock)
      refuse(block.where, "has more than " + std::to_string(kMostThreadsOfBlock) + " threads");
    launch.shared_bytes = at["shared_bytes"].integer(0, std::numeric_limits<std::int32_t>::max());
  }

  KernelArg argument(const At& at, const std::string& word) {
    const bool part = at.json->is_object() && at.has("ptr") && at.has("shape");
    if (!at.json->is_object() || at.json->size() != (part ? 4 : 1))
      refuse(at.where, "is no object with one key, or a pointer with dtype, shape and strides");
    if (at.has("ptr"))  // for an integer parameter: the address itself
      return {reference(at["ptr"]), part ? std::optional(tensor(at, "ptr")) : std::nullopt};
    if (word.starts_with('*')) refuse(at.where, "is not a pointer, and its parameter is " + in_quotes(word));
    if (at.has("int"))
      return {at["int"].integer(std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max())};
    if (at.has("float")) return {at["float"].real()};
    if (at.has("ints")) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0, n = at["ints"].array(kMostIntegers); i < n; ++i)
        values.push_back(at["ints"].item(i).integer(std::numeric_limits<std::int64_t>::min(),
                                                    std::numeric_limits<std::int64_t>::max()));
      return {std::move(values)};
    }
    refuse(at.where, "is neither ptr, int, float nor ints");
  }

  Node node(const At& at) {
    const std::string kind = at["node"].text(16);
    if (kind == "launch") return launch(at);
    if (kind == "fill") {
      Fill fill{view(at["dst"], true), at["value"].base64(), at["op"].text(kMaxName)};
      if (fill.value.size() != size_of(fill.dst.dtype))
        refuse(at.where, "has a value of another size than its dtype");
      return fill;
    }
    if (kind == "copy") {
      Copy copy{view(at["dst"], true), view(at["src"]), at["op"].text(kMaxName), {}, 0};
      if (copy.dst.shape != copy.src.shape) refuse(at.where, "copies between different shapes");
      source(at, copy.file, copy.line);
      return copy;
    }
    if (kind == "upload") return upload(at);
    if (kind == "constant") return constant(at);
    if (kind == "read") return read_back(at);
    refuse(at.where, "is the unknown node " + in_quotes(kind));
  }

  Upload upload(const At& at) {
    Upload upload{reference(at["dst"]), at["bytes"].base64(), {}, at["op"].text(kMaxName), {}, 0};
    const At relocations = at["relocations"];
    for (std::size_t i = 0, n = relocations.array(upload.bytes.size() / 8); i < n; ++i) {
      const At entry = relocations.item(i);
      if (entry.array(2) != 2) refuse(entry.where, "is no [byte, [buffer, byte offset]]");
      const std::int64_t byte = entry.item(0).integer(0, static_cast<std::int64_t>(upload.bytes.size()) - 8);
      upload.relocations.push_back({byte, reference(entry.item(1))});
    }
    check(check_upload(upload, out_.buffers), at);
    source(at, upload.file, upload.line);
    return upload;
  }

  Constant constant(const At& at) {
    Constant constant{at["kind"].text(32), view(at["dst"], true), {}};
    const At params = at["params"];
    for (std::size_t i = 0, n = params.array(4); i < n; ++i) {
      if (!params.item(i).json->is_number()) refuse(params.item(i).where, "is no number");
      constant.params.push_back(params.item(i).real());
    }
    check(check_constant(constant), at);
    return constant;
  }

  Read read_back(const At& at) {
    Read read{view(at["src"]), {}, at["op"].text(kMaxName), {}, 0};
    if (!at["bytes"].json->is_null()) read.bytes = at["bytes"].base64();
    check(check_read(read, out_.buffers), at);
    source(at, read.file, read.line);
    return read;
  }

  OutputLeaf leaf(const At& at) {
    OutputLeaf leaf;
    leaf.path = at["path"].text(kMaxName);
    leaf.type = at["type"].text(kMaxName);
    if (!leaf.path.starts_with("return")) refuse(at.where, "is no path of a returned value");
    leaf.odd = at["odd"].flag();
    leaf.tensor = at.has("tensor");
    if (leaf.tensor == at.has("scalar")) refuse(at.where, "must have either a tensor or a scalar");
    if (leaf.tensor) {
      leaf.view = view(at["tensor"]);
    } else {
      const At scalar = at["scalar"];
      const bool pair = scalar.json->is_array() && scalar.json->size() == 2 &&
                        std::none_of(scalar.json->begin(), scalar.json->end(),
                                     [](const Json& part) { return part.is_structured(); });
      if (scalar.json->is_structured() && !pair) refuse(scalar.where, "is no single value");
      leaf.scalar = scalar.json->dump(-1, ' ', false, Json::error_handler_t::replace);
      if (leaf.scalar.size() > kMaxFile) refuse(scalar.where, "is too long");
    }
    return leaf;
  }

  void call(const At& at, int number) {
    call_ = number;
    RecordedCall call;
    const At nodes = at["nodes"], outputs = at["outputs"], events = at["events"];
    const std::size_t n = nodes.array(limits_.nodes);
    n_nodes_ += n;
    if (n_nodes_ > limits_.nodes) refuse(nodes.where, "bring the recording over the limit of nodes");
    for (std::size_t i = 0; i < n; ++i) call.nodes.push_back(node(nodes.item(i)));
    order(at, call);
    call.structure = at["structure"].text(kMaxName);
    std::set<std::string> paths;
    for (std::size_t i = 0, m = outputs.array(kMaxLeaves); i < m; ++i) {
      call.outputs.push_back(leaf(outputs.item(i)));
      if (!paths.insert(call.outputs.back().path).second)
        refuse(outputs.item(i).where, "has the path of another output");
    }
    for (std::size_t i = 0, m = events.array(kMaxEvents); i < m; ++i) {
      const At entry = events.item(i);
      Event event{entry["kind"].text(64), entry["what"].text(kMaxName), {}, 0};
      source(entry, event.file, event.line);
      call.events.push_back(std::move(event));
    }
    out_.calls.push_back(std::move(call));
  }

  // Streams and waits: `after` and `joined` name nodes that stand before, so that the order of the list is
  // legal.
  void order(const At& at, RecordedCall& call) {
    const At nodes = at["nodes"];
    const auto earlier = [](const At& list, std::size_t end) {
      std::vector<int> found;
      for (std::size_t i = 0, n = list.array(end); i < n; ++i)
        found.push_back(static_cast<int>(list.item(i).integer(0, static_cast<std::int64_t>(end) - 1)));
      return found;
    };
    bool several = false;
    std::vector<NodeOrder> order(call.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const At node = nodes.item(i);
      if (node.has("stream"))
        order[i].stream = static_cast<int>(node["stream"].integer(0, limits_.streams - 1));
      if (node.has("after")) order[i].after = earlier(node["after"], i);
      several = several || order[i].stream != 0 || !order[i].after.empty();
    }
    if (!several) return;
    call.order = std::move(order);
    call.joined = earlier(at["joined"], call.nodes.size());
  }

  void check_freed(const At& buffers) {
    for (std::size_t i = 0; i < out_.buffers.size(); ++i) {
      const auto& freed = out_.buffers[i].freed;
      if (freed &&
          freed->node > static_cast<int>(out_.calls[static_cast<std::size_t>(freed->call)].nodes.size()))
        refuse(buffers.item(i).where, "is freed behind the end of its call");
    }
  }

  const std::vector<Call>& calls_;
  const PlanLimits& limits_;
  Recording out_;
  std::int64_t total_ = 0;
  std::size_t n_nodes_ = 0;
  int call_ = 0;
};

// Parses with limits on depth and number of values, so that a small text cannot take much memory.
Json parse_limited(std::string_view text) {
  std::size_t values = 0;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw Refused("the JSON is nested too deeply");
    if (++values > kMaxValues) throw Refused("the JSON has too many values");
    return true;
  };
  return Json::parse(text.begin(), text.end(), watch);
}

}  // namespace

Result<Recording> recording_from_json(std::string_view text, const std::vector<Call>& calls,
                                      const PlanLimits& limits) {
  if (calls.empty()) return internal_error("a recording is read without the calls that it answers");
  if (text.size() > limits.json_bytes)
    return user_error("the launch plan is larger than " + human_bytes(limits.json_bytes));
  try {
    const Json json = parse_limited(text);
    return Reader(calls, limits).read({&json, "plan"});
  } catch (const Refused& refused) {
    return user_error(std::string("the launch plan is invalid: ") + refused.what());
  } catch (const Json::exception& error) {
    return user_error("the launch plan is no valid JSON: " + std::string(cut_utf8(error.what(), 200)));
  } catch (const std::bad_alloc&) {
    return user_error("the launch plan needs more memory than there is");
  }
}

}  // namespace kgb
