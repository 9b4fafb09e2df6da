// SPDX-License-Identifier: Apache-2.0
// CUDA candidates to start from.
#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

// The tensor that the entry gives first, as a launch description calls it; empty: it gives none.
std::string first_output(const Entry& entry) {
  const auto& returns = entry.schema.returns;
  if (!returns.empty() && returns.front().type.is_tensor())
    return returns.size() > 1 || returns.front().type.list ? "return[0]" : "return";
  for (const Parameter& parameter : entry.schema.parameters)
    if (parameter.type.writes && !parameter.type.list) return parameter.name;
  return {};
}

}  // namespace

std::string cuda_stub_text(const Operator& op) {
  std::string out = fmt::format(
      "/* kgbench\n# {}: kgbench show {}; keys and expressions: docs/contracts/cuda.md\n", op.name, op.name);
  for (const Entry& entry : op.entries) {
    const std::string output = first_output(entry);
    if (output.empty()) continue;
    out += fmt::format(
        "\n# {}\n"
        "[[entry]]\n"
        "name = \"{}\"\n"
        "let  = {{ elements = \"numel({})\" }}\n"
        "\n"
        "[[entry.launch]]\n"
        "kernel = \"fill<{{dtype({})}}>\"\n"
        "grid   = \"cdiv(elements, 256)\"\n"
        "block  = 256\n"
        "args   = [\"{}\", \"elements\"]\n",
        signature_text(entry.name, entry.schema), entry.name, output, output, output);
  }
  out +=
      "*/\n"
      "#include <cuda_bf16.h>\n"
      "#include <cuda_fp16.h>\n"
      "#include <cuda_fp8.h>\n"
      "\n"
      "template <typename T>\n"
      "__global__ void fill(T* out, long long elements) {\n"
      "  const long long i = blockIdx.x * 256ll + threadIdx.x;\n"
      "  if (i < elements) out[i] = T();  // compute here\n"
      "}\n";
  return out;
}

}  // namespace kgb
