// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text as TTIR; a module that is accepted runs under tight limits, plainly and sanitized.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vm/sanitize_launch.hpp"
#include "vm/vm.hpp"

namespace {

using namespace kgb::vm;

// Buffers of exactly their size on the heap: AddressSanitizer sees what leaves them.
struct Arguments {
  std::vector<std::vector<std::byte>> buffers;
  Memory memory;
  std::vector<Arg> args;

  explicit Arguments(const Program& program) {
    static constexpr std::int64_t integers[] = {64, 32, 1, 16};
    buffers.reserve(program.parameters().size());
    for (const Parameter& parameter : program.parameters()) {
      if (parameter.pointer) {
        auto& bytes = buffers.emplace_back(4096);
        for (std::size_t i = 0; i < bytes.size(); i += 4) bytes[i] = static_cast<std::byte>(i / 4 % 64);
        args.emplace_back(PointerArg{memory.add({parameter.name, bytes.data(), bytes.size(), true}), 0});
      } else if (parameter.floating) {
        args.emplace_back(1.5);
      } else {
        args.emplace_back(integers[args.size() % 4]);
      }
    }
  }
};

void run_bounded(std::string_view text, Build build) {
  const auto program = Program::parse(text, build);
  if (!program.ok()) return;
  Arguments given(*program);
  Options options;
  options.max_memory = std::size_t{32} << 20;
  options.max_printed = 4096;
  Sanitizer sanitizer(Checks{true, true, true, true});
  RunOptions how;
  how.grid = {3, 2, 1};
  how.max_steps = 3000;
  how.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  if (build == Build::checked) how.sanitizer = &sanitizer;
  (void)run_sanitized(*program, given.args, given.memory, how, options, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  run_bounded(text, Build::plain);
  run_bounded(text, Build::checked);
  return 0;
}
