// SPDX-License-Identifier: Apache-2.0
// Small recordings for tests: kernels in TTIR, calls, and plans put together by hand.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "executor/trial.hpp"
#include "model/call.hpp"
#include "model/launch_plan.hpp"

namespace kgb::plans {

// out[i] = x[i] + y[i] for i < n, in blocks of 16; the mask compares with `n`.
inline Kernel add_kernel(const std::string& body = {}) {
  const std::string text = R"(module {
  tt.func public @add_kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c16_i32 = arith.constant 16 : i32
    %pid = tt.get_program_id x : i32
    %base = arith.muli %pid, %c16_i32 : i32
    %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %bases = tt.splat %base : i32 -> tensor<16xi32>
    %i = arith.addi %bases, %range : tensor<16xi32>
    %ns = tt.splat %n : i32 -> tensor<16xi32>
    %mask = arith.cmpi slt, %i, %ns : tensor<16xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %outp = tt.addptr %outs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
)" +
                           (body.empty() ? R"(    %a = tt.load %xp, %mask : tensor<16x!tt.ptr<f32>>
    %b = tt.load %yp, %mask : tensor<16x!tt.ptr<f32>>
    %c = arith.addf %a, %b : tensor<16xf32>
    tt.store %outp, %c, %mask : tensor<16x!tt.ptr<f32>>
)"
                                         : body) +
                           R"(    tt.return
  }
}
)";
  return {
      "add_kernel", text, {{"num_warps", "4"}}, {"*fp32", "*fp32", "*fp32", "i32"}, {"x", "y", "out", "n"}};
}

inline TensorSpec spec(DType dtype, std::vector<std::int64_t> shape, bool mutated = false) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = std::move(shape);
  std::int64_t stride = 1;
  spec.strides.assign(spec.shape.size(), 1);
  for (std::size_t d = spec.shape.size(); d-- > 0;) {
    spec.strides[d] = stride;
    stride *= spec.shape[d];
  }
  spec.storage = stride;
  spec.domain = {"normal", {0, 1}};
  spec.mutated = mutated;
  return spec;
}

inline View view(int buffer, DType dtype, std::vector<std::int64_t> shape, std::int64_t offset = 0) {
  View v;
  v.at = {buffer, offset};
  v.dtype = dtype;
  v.strides = spec(dtype, shape).strides;
  v.shape = std::move(shape);
  return v;
}

inline OutputLeaf returned(View v, std::string path = "return") {
  OutputLeaf leaf;
  leaf.path = std::move(path);
  leaf.type = "Tensor";
  leaf.view = std::move(v);
  return leaf;
}

inline KernelArg pointer(int buffer, std::int64_t offset = 0) {
  return {BufferRef{buffer, offset}};
}
inline KernelArg integer(std::int64_t value) {
  return {value};
}

// `self + other` on n floats, recorded for `calls` calls: buffers 3c (self), 3c + 1 (other), 3c + 2 (the
// output).
struct AddPlan {
  std::vector<Call> calls;
  Recording recording;

  explicit AddPlan(std::int64_t n = 19, int n_calls = 3, bool in_place = false) {
    recording.target = "h200";
    recording.kernels.push_back(add_kernel());
    for (int c = 0; c < n_calls; ++c) {
      Call call{"aten::add", "add_Tensor", "s1", {}};
      call.args.push_back({"self", spec(DType::f32, {n}, in_place), false});
      call.args.push_back({"other", spec(DType::f32, {n}), false});
      calls.push_back(std::move(call));
      recording.buffers.push_back({BufferKind::input, 4 * n, c, "self"});
      recording.buffers.push_back({BufferKind::input, 4 * n, c, "other"});
      recording.buffers.push_back({BufferKind::alloc, 4 * n, c, ""});
      RecordedCall recorded;
      recorded.structure = "tensor";
      recorded.nodes.push_back(launch(c, in_place ? 3 * c : 3 * c + 2, n));
      recorded.outputs.push_back(returned(view(in_place ? 3 * c : 3 * c + 2, DType::f32, {n})));
      recording.calls.push_back(std::move(recorded));
    }
  }

  static Launch launch(int call, int out, std::int64_t n) {
    Launch launch;
    launch.grid = {(n + 15) / 16, 1, 1};
    launch.args = {pointer(3 * call), pointer(3 * call + 1), pointer(out), integer(n)};
    launch.file = "mine.py";
    launch.line = 7;
    return launch;
  }
};

inline std::vector<float> floats(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace kgb::plans
