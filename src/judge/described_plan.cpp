// SPDX-License-Identifier: Apache-2.0
// Buffers, copies and launches of each call, in the order of the description.
#include "judge/described_plan.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "executor/cast.hpp"
#include "executor/strided.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "judge/contract.hpp"
#include "judge/described_scope.hpp"
#include "model/launch_plan_check.hpp"

namespace kgb {
namespace {

// Each travels with the whole source, in every workload's recording.
constexpr std::size_t kMostKernels = 16;
constexpr std::array<std::int64_t, 3> kMostBlocks{std::numeric_limits<std::int32_t>::max(), 65535, 65535};

// Makes one call's nodes. Throws Misdescribed, which plan_of() catches.
class CallPlanner {
 public:
  CallPlanner(const PlanQuestion& question, const DescribedEntry& entry, Recording& recording, int number)
      : question_(question),
        entry_(entry),
        call_(question.calls[static_cast<std::size_t>(number)]),
        recording_(recording),
        number_(number),
        scope_(call_) {}

  void run() {
    add_inputs();
    add_outputs();
    for (const DescribedValue& expand : entry_.expand) this->expand(expand);
    for (const auto& [name, line] : entry_.contiguous) contiguous(name, line);
    for (const DescribedValue& let : entry_.let)
      scope_.set(let.name, value(let.value, let.line, let.name), let.line);
    for (const DescribedScratch& scratch : entry_.scratch) this->scratch(scratch);
    for (const DescribedLaunch& launch : entry_.launches) this->launch(launch);
    recording_.calls.push_back(std::move(made_));
  }

 private:
  int add_buffer(BufferKind kind, std::int64_t bytes, const std::string& arg = "") {
    PlanBuffer buffer;
    buffer.kind = kind;
    buffer.bytes = bytes;
    buffer.call = number_;
    buffer.arg = arg;
    recording_.buffers.push_back(std::move(buffer));
    return static_cast<int>(recording_.buffers.size()) - 1;
  }

  static View view_of(const TensorSpec& spec, int buffer) {
    View view;
    view.at = {buffer, spec.offset * static_cast<std::int64_t>(size_of(spec.dtype))};
    view.dtype = spec.dtype;
    view.shape = spec.shape;
    view.strides = spec.strides;
    return view;
  }

  void add_inputs() {
    for (const auto& [path, spec] : tensors_of(call_))
      scope_.set_tensor(path,
                        {spec, view_of(spec, add_buffer(BufferKind::input, spec.storage_bytes(), path))});
    for (const Arg& arg : call_.args)
      if (const auto* array = std::get_if<PointerArray>(&arg.value))
        tables_[arg.name] =
            add_buffer(BufferKind::input, static_cast<std::int64_t>(array->items.size()) * 8, arg.name);
  }

  // A tensor of its own, laid out as told.
  BoundTensor allocate(DType dtype, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& strides, int line) {
    TensorSpec spec;
    spec.dtype = dtype;
    spec.shape = shape;
    spec.strides = strides;
    spec.storage = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t reach = 0;
      if (shape[d] < 0 || shape[d] > kMaxExtent || __builtin_mul_overflow(shape[d] - 1, strides[d], &reach) ||
          __builtin_add_overflow(spec.storage, reach, &spec.storage) || spec.storage > kMaxExtent)
        throw Misdescribed{line, fmt::format("the shape [{}] is out of range", fmt::join(shape, ", "))};
    }
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) spec.storage = 0;
    return {spec, view_of(spec, add_buffer(BufferKind::alloc, spec.storage_bytes()))};
  }

  void add_outputs() {
    made_.structure = question_.contract.structure;
    const std::int64_t several = sequence_length(made_.structure);
    const std::size_t count = made_.structure == "none" ? 0
                              : several < 0             ? 1
                                                        : static_cast<std::size_t>(several);
    TensorList all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = several < 0 ? "return" : fmt::format("return[{}]", i);
      OutputLeaf leaf;
      leaf.path = path;
      const auto tensor = output(path, i);
      leaf.tensor = tensor.has_value();
      leaf.type = tensor ? "Tensor" : "NoneType";
      if (tensor) {
        leaf.view = tensor->view;
        scope_.set_tensor(path, *tensor);
        all.items.emplace_back(tensor->spec);
      } else {
        leaf.scalar = "null";
        all.items.emplace_back();
      }
      made_.outputs.push_back(std::move(leaf));
    }
    if (several >= 0) scope_.set("return", all, entry_.line);
  }

  // What the entry returns at `path`: an argument where the schema says so, else memory of its own; nullopt:
  // None.
  std::optional<BoundTensor> output(const std::string& path, std::size_t index) {
    const ExpectedOutput* due = nullptr;
    for (const ExpectedOutput& output : question_.contract.outputs)
      if (output.path == path) due = &output;
    const std::string argument = aliased_argument(question_.schema, index, due != nullptr);
    if (!argument.empty())
      if (const BoundTensor* held = scope_.tensor(argument)) return *held;
    if (due == nullptr) return std::nullopt;
    return allocate(due->dtype, due->shape, due->strides, entry_.line);
  }

  ArgValue value(const Expression& expression, int line, const std::string& what) {
    Result<ArgValue> value = expression.evaluate(scope_);
    if (!value.ok()) throw Misdescribed{line, what + ": " + value.error().message};
    return *std::move(value);
  }
  std::int64_t integer(const Expression& expression, int line, const std::string& what) {
    const Result<std::int64_t> value = expression.integer(scope_);
    if (!value.ok()) throw Misdescribed{line, what + ": " + value.error().message};
    return *value;
  }

  const BoundTensor& named_tensor(const std::string& name, int line) const {
    const BoundTensor* tensor = scope_.tensor(name);
    if (tensor == nullptr) throw Misdescribed{line, in_quotes(name) + " is no tensor of the call"};
    return *tensor;
  }

  void expand(const DescribedValue& described) {
    if (scope_.none(described.name)) return;  // an argument that was left out
    BoundTensor tensor = named_tensor(described.name, described.line);
    const ArgValue like = value(described.value, described.line, "expand");
    std::vector<std::int64_t> shape;
    if (const auto* spec = std::get_if<TensorSpec>(&like))
      shape = spec->shape;
    else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&like))
      shape = *list;
    else
      throw Misdescribed{described.line,
                         "expand wants a tensor or a list of sizes, got " + std::string(kind_of(like))};
    const std::size_t rank = tensor.spec.shape.size();
    bool fits = rank <= shape.size();
    std::vector<std::int64_t> strides(shape.size(), 0);
    for (std::size_t d = 0; fits && d < rank; ++d) {
      const std::size_t to = shape.size() - rank + d;
      fits = tensor.spec.shape[d] == shape[to] || tensor.spec.shape[d] == 1;
      if (tensor.spec.shape[d] == shape[to]) strides[to] = tensor.spec.strides[d];
    }
    if (!fits)
      throw Misdescribed{described.line,
                         fmt::format("{} of shape {} cannot be expanded to {}", described.name,
                                     shape_text(tensor.spec.shape), shape_text(shape))};
    tensor.spec.shape = tensor.view.shape = std::move(shape);
    tensor.spec.strides = tensor.view.strides = std::move(strides);
    scope_.set_tensor(described.name, std::move(tensor));
  }

  void contiguous(const std::string& name, int line) {
    if (scope_.none(name)) return;
    const BoundTensor tensor = named_tensor(name, line);
    if (tensor.spec.mutated)
      throw Misdescribed{line, name + " is written by the call: kernels must take it as it is"};
    const std::vector<std::int64_t> strides = executor::contiguous_strides(tensor.spec.shape);
    bool same = true;
    for (std::size_t d = 0; d < strides.size(); ++d)
      same = same && (tensor.spec.shape[d] <= 1 || tensor.spec.strides[d] == strides[d]);
    if (same || tensor.spec.numel() == 0) {
      // Dimensions of one element may have had any stride.
      BoundTensor plain = tensor;
      plain.spec.strides = plain.view.strides = strides;
      return scope_.set_tensor(name, std::move(plain));
    }
    const BoundTensor copy = allocate(tensor.spec.dtype, tensor.spec.shape, strides, line);
    made_.nodes.emplace_back(Copy{copy.view, tensor.view, "contiguous", "", line});
    scope_.set_tensor(name, copy);
  }

  void scratch(const DescribedScratch& described) {
    const Result<DType> dtype = described.dtype.dtype(scope_);
    if (!dtype.ok()) throw Misdescribed{described.line, dtype.error().message};
    std::vector<std::int64_t> shape;
    for (const Expression& side : described.shape) shape.push_back(integer(side, described.line, "shape"));
    const BoundTensor tensor = allocate(*dtype, shape, executor::contiguous_strides(shape), described.line);
    if (scope_.tensor(described.name) != nullptr)
      throw Misdescribed{described.line,
                         "scratch " + in_quotes(described.name) + " has the name of a tensor"};
    scope_.set_tensor(described.name, tensor);
    if (!described.fill) return;
    const Result<double> number = described.fill->number(scope_);
    if (!number.ok()) throw Misdescribed{described.line, "fill: " + number.error().message};
    Fill fill{tensor.view, std::vector<std::byte>(size_of(*dtype)), "fill"};
    executor::cast_run(*dtype, DType::f64,
                       {fill.value.data(), reinterpret_cast<const std::byte*>(&*number), 1, 0, 0}, {});
    made_.nodes.emplace_back(std::move(fill));
  }

  std::string name_of_kernel(const DescribedLaunch& described) {
    std::string name = described.kernel.begin;
    for (const auto& [expression, text] : described.kernel.rest) {
      const ArgValue value = this->value(expression, described.line, "kernel");
      if (const auto* dtype = std::get_if<DTypeValue>(&value))
        name += cuda_name_of(dtype->dtype);
      else if (const auto* flag = std::get_if<bool>(&value))
        name += *flag ? "true" : "false";
      else if (const auto* number = std::get_if<std::int64_t>(&value))
        name += std::to_string(*number);
      else
        throw Misdescribed{
            described.line,
            fmt::format("kernel: {} gives {}, and names hold dtypes, integers and truth values",
                        in_quotes(expression.text()), kind_of(value))};
      name += text;
    }
    return name;
  }

  // False: the grid is empty, and nothing is launched.
  bool set_shape(const DescribedLaunch& described, Launch& launch) {
    std::int64_t threads = 1;
    launch.block = {1, 1, 1};
    for (std::size_t i = 0; i < described.block.size(); ++i) {
      launch.block[i] = integer(described.block[i], described.line, "block");
      if (launch.block[i] < 1 || launch.block[i] > kMostThreads[i])
        throw Misdescribed{described.line, fmt::format("block[{}] is {}, outside 1 .. {}", i, launch.block[i],
                                                       kMostThreads[i])};
      threads *= launch.block[i];
    }
    if (threads > kMostThreadsOfBlock)
      throw Misdescribed{described.line, fmt::format("a block of {} threads; a device takes {}", threads,
                                                     kMostThreadsOfBlock)};
    if (described.shared_bytes)
      launch.shared_bytes = integer(*described.shared_bytes, described.line, "shared_bytes");
    if (launch.shared_bytes < 0 || launch.shared_bytes > std::numeric_limits<std::int32_t>::max())
      throw Misdescribed{described.line, fmt::format("shared_bytes is {}", launch.shared_bytes)};
    for (std::size_t i = 0; i < described.grid.size(); ++i) {
      launch.grid[i] = integer(described.grid[i], described.line, "grid");
      if (launch.grid[i] < 0 || launch.grid[i] > kMostBlocks[i])
        throw Misdescribed{described.line,
                           fmt::format("grid[{}] is {}, outside 0 .. {}", i, launch.grid[i], kMostBlocks[i])};
    }
    return std::find(launch.grid.begin(), launch.grid.end(), 0) == launch.grid.end();
  }

  void launch(const DescribedLaunch& described) {
    if (described.when) {
      const Result<bool> when = described.when->truth(scope_);
      if (!when.ok()) throw Misdescribed{described.line, "when: " + when.error().message};
      if (!*when) return;
    }
    Launch launch;
    launch.line = described.line;
    if (!set_shape(described, launch)) return;
    Kernel kernel;
    kernel.name = name_of_kernel(described);
    kernel.cuda = question_.source;
    kernel.options = question_.description.compile;
    for (const DescribedArgument& argument : described.args)
      add_argument(argument, described.line, kernel, launch);
    launch.kernel = number_of(std::move(kernel));
    if (recording_.kernels.size() > kMostKernels)
      throw Misdescribed{described.line,
                         fmt::format("more than {} different kernels for one workload", kMostKernels)};
    made_.nodes.emplace_back(std::move(launch));
  }

  int number_of(Kernel&& kernel) {
    for (std::size_t k = 0; k < recording_.kernels.size(); ++k)
      if (recording_.kernels[k].name == kernel.name && recording_.kernels[k].signature == kernel.signature)
        return static_cast<int>(k);
    recording_.kernels.push_back(std::move(kernel));
    return static_cast<int>(recording_.kernels.size()) - 1;
  }

  void add_argument(const DescribedArgument& argument, int line, Kernel& kernel, Launch& launch) {
    const auto add = [&](const std::string& word, KernelArg arg) {
      kernel.signature.push_back(word);
      kernel.parameters.push_back(argument.text);
      launch.args.push_back(std::move(arg));
    };
    const std::string path = argument.as ? std::string() : argument.text;
    if (const BoundTensor* tensor = scope_.tensor(path)) {
      KernelArg arg{tensor->view.at};
      // A part of a storage travels as the tensor that it is.
      if (tensor->spec.numel() != tensor->spec.storage && tensor->spec.numel() > 0) arg.part = tensor->view;
      return add("*" + std::string(name_of(tensor->spec.dtype)), std::move(arg));
    }
    if (const auto table = tables_.find(path); table != tables_.end())
      return add("*i64", {BufferRef{table->second, 0}});
    const ArgValue value = this->value(*argument.value, line, "args");
    if (argument.as)
      return add(std::string(triton_word_of(*argument.as)), {number(value, argument.text, line)});
    if (std::holds_alternative<None>(value)) return add("*i8", {BufferRef{}});
    if (const auto* flag = std::get_if<bool>(&value)) return add("i64", {std::int64_t{*flag ? 1 : 0}});
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return add("i64", {*integer});
    if (const auto* real = std::get_if<double>(&value)) return add("fp32", {*real});
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
      if (list->size() > kMostIntegers)
        throw Misdescribed{line, fmt::format("args: {} gives {} integers; {} travel by value",
                                             in_quotes(argument.text), list->size(), kMostIntegers)};
      return add("ints", {*list});
    }
    if (std::holds_alternative<TensorList>(value))
      return add("*i64", {address_table(path, std::get<TensorList>(value), line)});
    if (std::holds_alternative<TensorSpec>(value))
      throw Misdescribed{line, "args: " + in_quotes(argument.text) +
                                   " is a tensor: name it alone, as an argument, a scratch or return"};
    throw Misdescribed{
        line, fmt::format("args: {} is {}, which no kernel takes", in_quotes(argument.text), kind_of(value))};
  }

  static std::string_view triton_word_of(DType dtype) {
    return dtype == DType::f16    ? "fp16"
           : dtype == DType::bf16 ? "bf16"
           : dtype == DType::f32  ? "fp32"
                                  : "fp64";
  }

  static double number(const ArgValue& value, const std::string& text, int line) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
    throw Misdescribed{line, fmt::format("args: {} holds {}, not a number", in_quotes(text), kind_of(value))};
  }

  // The addresses of a list of tensors, in memory of their own.
  BufferRef address_table(const std::string& name, const TensorList& list, int line) {
    Upload upload;
    const auto bytes = static_cast<std::int64_t>(8 * list.items.size());
    upload.dst = {add_buffer(BufferKind::alloc, bytes), 0};
    upload.bytes.resize(static_cast<std::size_t>(bytes));
    upload.op = "addresses";
    upload.line = line;
    for (std::size_t i = 0; i < list.items.size(); ++i)
      if (const BoundTensor* item = scope_.tensor(fmt::format("{}[{}]", name, i)))
        upload.relocations.push_back({static_cast<std::int64_t>(8 * i), item->view.at});
    if (upload.relocations.empty() && !list.items.empty())
      throw Misdescribed{line,
                         "args: " + in_quotes(name) + " is a list of tensors: name the argument itself"};
    const BufferRef at = upload.dst;
    made_.nodes.emplace_back(std::move(upload));
    return at;
  }

  const PlanQuestion& question_;
  const DescribedEntry& entry_;
  const Call& call_;
  Recording& recording_;
  int number_;
  DescribedScope scope_;
  std::map<std::string, int> tables_;  // buffers of pointer arrays
  RecordedCall made_;
};

bool fits(std::int64_t value, std::int64_t bytes) {
  if (bytes >= 8) return true;
  // Either signed or unsigned: the kernel's text says which.
  const std::int64_t span = std::int64_t{1} << (8 * bytes);
  return value >= -span / 2 && value < span;
}

}  // namespace

std::string_view cuda_name_of(DType dtype) {
  constexpr std::string_view names[] = {"bool",           "unsigned char", "signed char",
                                        "short",          "int",           "long long",
                                        "unsigned short", "unsigned int",  "unsigned long long",
                                        "__nv_fp8_e4m3",  "__nv_fp8_e5m2", "__half",
                                        "__nv_bfloat16",  "float",         "double",
                                        "float2",         "double2"};
  return names[static_cast<std::size_t>(dtype)];
}

std::string misfit(const Kernel& kernel, const Launch& launch, const std::vector<std::int64_t>& parameters) {
  if (launch.args.size() != parameters.size())
    return fmt::format("kernel {} takes {} arguments, and the launch gives {}", kernel.name,
                       parameters.size(), launch.args.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::int64_t bytes = parameters[i];
    const std::string who =
        fmt::format("kernel {}: argument {}, {},", kernel.name, i + 1, in_quotes(kernel.parameters[i]));
    const std::string& word = kernel.signature[i];
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&launch.args[i].value)) {
      const auto needed = static_cast<std::int64_t>(8 * list->size());
      if (bytes % 8 != 0 || bytes < needed || bytes > static_cast<std::int64_t>(8 * kMostIntegers))
        return fmt::format(
            "{} is {} integers of 8 bytes, and the parameter has {} bytes: take a struct of an array of "
            "long long with room for them",
            who, list->size(), bytes);
    } else if (std::holds_alternative<BufferRef>(launch.args[i].value)) {
      if (bytes != 8) return fmt::format("{} is a pointer, and the parameter has {} bytes", who, bytes);
    } else if (word == "i64") {
      const std::int64_t value = std::get<std::int64_t>(launch.args[i].value);
      if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return fmt::format("{} is an integer, and the parameter has {} bytes", who, bytes);
      if (!fits(value, bytes))
        return fmt::format("{} is {}, which does not fit the {} bytes of the parameter: take a long long",
                           who, value, bytes);
    } else {
      const std::int64_t wanted = word == "fp64" ? 8 : word == "fp32" ? 4 : 2;
      if (bytes != wanted)
        return fmt::format(
            "{} is a real of {} bytes, and the parameter has {}: write f16(..), bf16(..), f32(..) or "
            "f64(..) around it as the kernel declares it",
            who, wanted, bytes);
    }
  }
  return {};
}

DescribedPlan plan_of(const PlanQuestion& question) {
  DescribedPlan out;
  Recording recording;
  recording.target = question.target;
  const DescribedEntry* entry = question.description.find(question.calls.front().entry);
  if (entry == nullptr) return {{}, "has no entry " + in_quotes(question.calls.front().entry), 1};
  try {
    for (std::size_t c = 0; c < question.calls.size(); ++c)
      CallPlanner(question, *entry, recording, static_cast<int>(c)).run();
  } catch (const Misdescribed& wrong) {
    return {{}, wrong.what, wrong.line};
  }
  out.recording = std::move(recording);
  return out;
}

}  // namespace kgb
