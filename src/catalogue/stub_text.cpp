// SPDX-License-Identifier: Apache-2.0
// Candidates to start from.
#include <algorithm>

#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

bool is_pointer_array(const Entry& entry, const Parameter& parameter) {
  const auto it = entry.pointer_arrays.find(parameter.name);
  return it != entry.pointer_arrays.end() && it->second;
}

// The tensor that the kernel gets, and whose shape and dtype a new output takes until the author knows
// better; "" when there is none.
std::string model_tensor(const Entry& entry) {
  for (const Parameter& parameter : entry.schema.parameters) {
    const SchemaType& type = parameter.type;
    if (!type.is_tensor() || type.optional || is_pointer_array(entry, parameter)) continue;
    return type.list ? parameter.name + "[0]" : parameter.name;
  }
  return {};
}

// The argument that a return of type Tensor(a!) is.
std::string returned_argument(const Entry& entry, const SchemaType& returned) {
  for (const Parameter& parameter : entry.schema.parameters) {
    if (parameter.type.writes && parameter.type.alias == returned.alias) return parameter.name;
  }
  return {};
}

std::string launch_line(const std::string& tensor, const std::string& model) {
  return fmt::format("    launch({}, {})\n", tensor, model.empty() ? tensor : model);
}

std::string written_lines(const Entry& entry, const std::string& model) {
  std::string out;
  for (const Parameter& parameter : entry.schema.parameters) {
    if (!parameter.type.writes) continue;
    if (is_pointer_array(entry, parameter)) {
      out +=
          fmt::format("    # {} is an int64 tensor: the addresses of the tensors to write\n", parameter.name);
    } else if (parameter.type.list) {
      out += fmt::format("    for tensor in {}:\n    {}", parameter.name, launch_line("tensor", model));
    } else if (parameter.type.optional) {
      out +=
          fmt::format("    if {} is not None:\n    {}", parameter.name, launch_line(parameter.name, model));
    } else {
      out += launch_line(parameter.name, model);
    }
  }
  return out;
}

std::string entry_stub(const Entry& entry) {
  std::string out = fmt::format("\n\ndef {}:\n", signature_text(entry.name, entry.schema));
  const std::vector<std::string> lines = split_lines(trim(entry.baseline));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += fmt::format("    # {}{}\n", i == 0 ? "the operator: " : "", lines[i]);
  }
  const std::string model = model_tensor(entry);
  std::string body = written_lines(entry, model);
  std::vector<std::string> results;
  for (std::size_t i = 0; i < entry.schema.returns.size(); ++i) {
    const SchemaType& type = entry.schema.returns[i].type;
    if (type.writes) {
      const std::string argument = returned_argument(entry, type);
      results.push_back(argument.empty() ? "None" : argument);
      continue;
    }
    if (!type.is_tensor()) {
      results.emplace_back(type.base == BaseType::boolean ? "False" : "0");
      continue;
    }
    const std::string name = entry.schema.returns.size() == 1 ? "out" : fmt::format("out{}", i);
    body += model.empty()
                ? fmt::format(
                      "    {} = torch.empty((), device=\"cuda\")  # shape and dtype are yours to set\n", name)
                : fmt::format("    {} = torch.empty_like({})  # give it the operator's shape and dtype\n",
                              name, model);
    body += launch_line(name, model);
    results.push_back(type.list ? "[" + name + "]" : name);
  }
  if (results.size() == 1) body += fmt::format("    return {}\n", results[0]);
  if (results.size() > 1) body += fmt::format("    return {}\n", join(results, ", "));
  if (body.empty() || trim(body).starts_with("#")) body += "    return None\n";
  return out + body;
}

}  // namespace

std::string stub_text(const Operator& op) {
  const std::string kernel = op.entries.empty() ? "fill_kernel" : op.entries.front().name + "_kernel";
  std::string out = fmt::format(
      "# {}: kgbench show {}\n"
      "import torch\n"
      "import triton\n"
      "import triton.language as tl\n"
      "\n\n"
      "@triton.jit\n"
      "def {}(out, x, n, BLOCK: tl.constexpr):\n"
      "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
      "    value = tl.zeros([BLOCK], dtype=tl.float32)  # compute here; load with tl.load(x + at, mask=...)\n"
      "    tl.store(out + at, value.to(out.dtype.element_ty), mask=at < n)\n"
      "\n\n"
      "def real(tensor):\n"
      "    return torch.view_as_real(tensor) if tensor.is_complex() else tensor  # Triton has no complex "
      "numbers\n"
      "\n\n"
      "def launch(out, x):  # hand on whatever else the kernel needs: sizes, strides, more tensors\n"
      "    n = real(out).numel()\n"
      "    if n > 0:\n"
      "        {}[(triton.cdiv(n, 1024),)](real(out), real(x), n, BLOCK=1024)\n",
      op.name, op.name, kernel, kernel);
  if (!op.no_kernel.empty()) out += fmt::format("\n\n# This operator needs no kernel: {}\n", op.no_kernel);
  for (const Entry& entry : op.entries) out += entry_stub(entry);
  return out;
}

}  // namespace kgb
