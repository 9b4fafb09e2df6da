// SPDX-License-Identifier: Apache-2.0
// A kernel of TTIR text on buffers of int32, run under the sanitizer.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "vm/sanitize_launch.hpp"

namespace kgb::vm {

// A kernel over pointers %a, %b and a number %n; lines end as at "k.py":1 unless the body says otherwise.
inline std::string two_buffers(const std::string& body) {
  return "#loc = loc(\"k.py\":1:0)\nmodule {\n  tt.func public @k(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %n: "
         "i32) {\n" +
         body + "    tt.return\n  }\n}\n";
}

struct Sanitized {
  std::vector<std::int32_t> a, b;
  Memory memory;
  Sanitizer sanitizer;
  RunOptions how;
  LaunchChecks checks;

  explicit Sanitized(std::size_t size, std::int64_t programs = 4, Checks which = {})
      : a(size), b(size), sanitizer(which) {
    std::iota(a.begin(), a.end(), 0);
    memory.add({"a", reinterpret_cast<std::byte*>(a.data()), 4 * size, true});
    memory.add({"b", reinterpret_cast<std::byte*>(b.data()), 4 * size, true});
    how.grid = {programs, 1, 1};
    how.sanitizer = &sanitizer;
    how.max_steps = 1'000'000;
  }
  std::vector<VmFinding> run(const std::string& body, std::int64_t n = 0) {
    const auto program = Program::parse(two_buffers(body), Build::checked);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
    if (!program.ok()) return {};
    const std::vector<Arg> args{PointerArg{0, 0}, PointerArg{1, 0}, n};
    return run_sanitized(*program, args, memory, how, {}, checks).findings;
  }
  std::vector<std::string> kinds(const std::string& body, std::int64_t n = 0) {
    std::vector<std::string> out;
    for (const VmFinding& finding : run(body, n)) out.push_back(finding.kind);
    return out;
  }
  std::byte* start(std::vector<std::int32_t>& buffer) { return reinterpret_cast<std::byte*>(buffer.data()); }
};

}  // namespace kgb::vm
