// SPDX-License-Identifier: Apache-2.0
// The table of kernel_origins.def.
#include "judge/kernel_origin.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/text.hpp"

namespace kgb {
namespace {

enum class Match { holds, begins, gemm };

namespace origin {
constexpr KernelOrigin aten_helper{"ATen", true}, aten{"ATen"}, inductor{"Inductor"},
    flash_attention{"FlashAttention"}, cudnn{"cuDNN"}, cublas{"cuBLAS"}, cutlass{"CUTLASS"}, cufft{"cuFFT"},
    cusolver{"cuSOLVER"}, cusparse{"cuSPARSE"}, curand{"cuRAND"}, nccl{"NCCL"}, magma{"MAGMA"}, vllm{"vLLM"},
    flashinfer{"FlashInfer"}, deep_gemm{"DeepGEMM"}, transformer_engine{"Transformer Engine"},
    thrust{"Thrust"}, cub{"CUB"};
}  // namespace origin

struct Row {
  Match how;
  std::string_view text;
  KernelOrigin origin;
};
constexpr Row kRows[] = {
#define KGB_KERNEL_ORIGIN(how, text, library) {Match::how, text, origin::library},
#include "judge/kernel_origins.def"
#undef KGB_KERNEL_ORIGIN
};

std::string demangled(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

std::string_view without_void(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  return name.starts_with(kVoid) ? name.substr(kVoid.size()) : name;
}

bool fits(const Row& row, std::string_view name) {
  if (row.how == Match::holds) return name.find(row.text) != std::string_view::npos;
  return name.starts_with(row.text) &&
         (row.how == Match::begins || name.find("gemm") != std::string_view::npos);
}

}  // namespace

KernelOrigin origin_of_kernel(std::string_view name) {
  const std::string plain = demangled(name);
  const std::string_view start = without_void(plain);
  for (const Row& row : kRows)
    if (fits(row, start)) return row.origin;
  return {};
}

std::string short_kernel_name(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  const std::string plain = replace_all(demangled(name), "(anonymous namespace)::", "");
  std::string_view text = without_void(plain);
  // What a function template is made for tells little and is long; an operator's own brackets are rare.
  if (const std::size_t open = text.find_first_of("<("); open != std::string_view::npos && open > 0)
    text = text.substr(0, open);
  return std::string(cut_utf8(text, kLongest));
}

}  // namespace kgb
