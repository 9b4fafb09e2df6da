// SPDX-License-Identifier: Apache-2.0
// The distinct parts of each buffer over all launches of a recording, and which of them lie apart.
#include "executor/neighbours.hpp"

#include <algorithm>

#include "fmt/format.h"

namespace kgb::executor {
namespace {

constexpr std::size_t kMaxTensors = 256;  // of one buffer: each is compared with each

vm::ByteView bytes_of(const View& view) {
  return {view.at.offset, size_of(view.dtype), view.shape, view.strides};
}

}  // namespace

Neighbours::Neighbours(const Recording& recording) : tensors_(recording.buffers.size()) {
  for (const RecordedCall& call : recording.calls)
    for (const Node& node : call.nodes) {
      const auto* launch = std::get_if<Launch>(&node);
      if (launch == nullptr) continue;
      const Kernel& kernel = recording.kernels[static_cast<std::size_t>(launch->kernel)];
      for (std::size_t i = 0; i < launch->args.size(); ++i) {
        const auto& part = launch->args[i].part;
        if (!part || part->at.buffer < 0) continue;
        auto& known = tensors_[static_cast<std::size_t>(part->at.buffer)];
        vm::ByteView view = bytes_of(*part);
        const bool fresh =
            std::none_of(known.begin(), known.end(), [&](const Tensor& t) { return t.view == view; });
        if (fresh && known.size() < kMaxTensors)
          known.push_back(
              {std::move(view), fmt::format("'{}' of {}", kernel.parameters[i], kernel.name), {}});
      }
    }
  for (auto& known : tensors_)
    for (std::size_t a = 0; a < known.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (disjoint(known[a].view, known[b].view)) {
          known[a].others.push_back(static_cast<int>(b));
          known[b].others.push_back(static_cast<int>(a));
        }
}

std::optional<vm::Part> Neighbours::of(const Launch& launch, std::size_t argument) const {
  const auto& part = launch.args[argument].part;
  if (!part || part->at.buffer < 0) return std::nullopt;
  const auto& known = tensors_[static_cast<std::size_t>(part->at.buffer)];
  const vm::ByteView view = bytes_of(*part);
  const auto own = std::find_if(known.begin(), known.end(), [&](const Tensor& t) { return t.view == view; });
  if (own == known.end() || own->others.empty()) return std::nullopt;
  vm::Part found{-1, own->name, view, {}};
  for (const int other : own->others) {
    const Tensor& tensor = known[static_cast<std::size_t>(other)];
    found.others.emplace_back(tensor.name, tensor.view);
  }
  return found;
}

}  // namespace kgb::executor
