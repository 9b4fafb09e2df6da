// SPDX-License-Identifier: Apache-2.0
// Gate compile: every kernel of the smoke workloads is cross-compiled for each target; resources are
// recorded.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/hash.hpp"
#include "judge/cuda.hpp"
#include "judge/gates.hpp"

namespace kgb {
namespace {

// What decides about registers and shared memory: the tiles and pointers that a kernel works on. Triton makes
// a variant for every flag, every argument that is 1 and every stride that divides by 16; of those that work
// on the same types one is compiled.
std::string types_in(std::string_view ttir) {
  std::set<std::string_view> types;
  for (const std::string_view opening : {std::string_view("tensor<"), std::string_view("!tt.ptr<")}) {
    for (std::size_t at = ttir.find(opening); at != std::string_view::npos; at = ttir.find(opening, at + 1)) {
      std::size_t end = at + opening.size();
      for (int depth = 1; end < ttir.size() && depth > 0; ++end)
        depth += ttir[end] == '<' ? 1 : ttir[end] == '>' ? -1 : 0;
      types.insert(ttir.substr(at, end - at));
    }
  }
  std::string out;
  for (const std::string_view type : types) out.append(type).append("\n");
  return out;
}

// The kernels of the smoke workloads that are worth compiling, or of all where no smoke workload was asked
// for.
std::vector<const Kernel*> kernels_of(const Case& open) {
  std::map<std::string, const Kernel*> distinct;
  for (const bool smoke_only : {true, false}) {
    for (const Job& job : open.jobs) {
      if (!job.recording || (smoke_only && job.workload.tier != Tier::smoke)) continue;
      for (const Kernel& kernel : job.recording->kernels) {
        std::string key = kernel.name + "\n" + types_in(kernel.ttir);
        for (const auto& [name, value] : kernel.options) key += "\n" + name + "=" + value;
        distinct.emplace(sha256_hex(key), &kernel);
      }
    }
    if (!distinct.empty()) break;
  }
  std::vector<const Kernel*> kernels;
  for (const auto& [key, kernel] : distinct) kernels.push_back(kernel);
  return kernels;
}

void add_kernel(TargetResult& target, const Kernel& kernel, const CompileResult& compiled,
                std::int64_t shared_limit) {
  ++target.kernels;
  target.registers = std::max(target.registers, compiled.registers);
  target.shared_bytes = std::max(target.shared_bytes, compiled.shared_bytes);
  target.spills = std::max(target.spills, compiled.spills);
  if (!target.ok) return;
  if (!compiled.ok) {
    target.ok = false;
    target.message = fmt::format("{}: {}", kernel.name, compiled.message);
  } else if (shared_limit > 0 && compiled.shared_bytes > shared_limit) {
    // Compilers do not refuse this; the launch would.
    target.ok = false;
    target.message =
        fmt::format("{}: shared memory {} > {} bytes", kernel.name, compiled.shared_bytes, shared_limit);
  }
}

}  // namespace

Status gate_compile(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.language == "cuda") return compile_cuda(open, processes, catalogue);
  if (open.language == "cpp" || open.in_process() || open.request.targets.empty()) return ok_status();
  const StageClock clock(open, "compile");
  const std::vector<const Kernel*> kernels = kernels_of(open);
  if (kernels.empty()) return ok_status();
  std::size_t done = 0;
  for (const std::string& name : open.request.targets) {
    KGB_TRY(const ChipCard* const card, catalogue.chip(name));
    const auto limit = card->facts.find("shared_optin_bytes");
    TargetResult target;
    target.target = name;
    for (const Kernel* kernel : kernels) {
      if (open.stopped()) return ok_status();
      if (open.request.progress)
        open.request.progress(Gate::compile, done++, kernels.size() * open.request.targets.size());
      KGB_TRY(const CompileResult compiled, processes.compiler().compile(*kernel, name));
      const bool was_ok = target.ok;
      add_kernel(target, *kernel, compiled, limit == card->facts.end() ? 0 : limit->second);
      if (was_ok && !target.ok)
        open.findings.push_back(make_finding(compiled.ok ? "target_limit" : "target_failure", Gate::compile,
                                             name + ": " + target.message));
    }
    open.targets.push_back(std::move(target));
  }
  return ok_status();
}

}  // namespace kgb
