// SPDX-License-Identifier: Apache-2.0
// Shadow bytes of the arena, and the rehearsals that show stores without effect.
#include "executor/provenance.hpp"

#include <algorithm>
#include <cstring>

#include "executor/machine.hpp"

namespace kgb::executor {
namespace {

using Source = Provenance::Source;

constexpr std::uint8_t code(Source source) {
  return static_cast<std::uint8_t>(source);
}

// Bytes whose origin a rehearsal can still explain: all but a launch's own and untouched input.
bool open(std::uint8_t source) {
  return source != code(Source::launch) && source != code(Source::input);
}

}  // namespace

Provenance::Provenance(const Recording& recording, Machine& machine)
    : recording_(recording), machine_(machine) {
  for (std::size_t b = 0; b < recording.buffers.size(); ++b) {
    const PlanBuffer& buffer = recording.buffers[b];
    const bool input = buffer.kind == BufferKind::input;
    const TensorSpec* spec = machine.spec_of(static_cast<int>(b));
    addresses_in_memory_ = addresses_in_memory_ || (input && spec == nullptr);  // a pointer array
    const bool fixed = input && (spec == nullptr || !spec->mutated);
    shadow_.emplace_back(fixed ? 0 : static_cast<std::size_t>(buffer.bytes),
                         code(input ? Source::input : Source::none));
  }
  for (const RecordedCall& call : recording.calls)
    for (const Node& node : call.nodes)
      if (const auto* upload = std::get_if<Upload>(&node))
        addresses_in_memory_ = addresses_in_memory_ || !upload->relocations.empty();
}

bool Provenance::in_reach(const Launch& launch, std::size_t buffer) const {
  if (addresses_in_memory_) return true;
  return std::any_of(launch.args.begin(), launch.args.end(), [&](const KernelArg& arg) {
    const auto* ref = std::get_if<BufferRef>(&arg.value);
    return ref != nullptr && ref->buffer == static_cast<int>(buffer);
  });
}

void Provenance::begin_call(int call) {
  call_ = call;
  read_ = false;
  at_start_ = save();
  shadow_at_start_ = shadow_;
}

Provenance::Image Provenance::save(const Launch* launch) const {
  Image image(recording_.buffers.size());
  for (std::size_t b = 0; b < image.size(); ++b) {
    if (recording_.buffers[b].call > call_ || !machine_.writable(static_cast<int>(b))) continue;
    if (launch != nullptr && !in_reach(*launch, b)) continue;
    const auto bytes = machine_.arena().bytes(static_cast<int>(b));
    image[b].assign(bytes.begin(), bytes.end());
  }
  return image;
}

void Provenance::restore(const Image& image) {
  for (std::size_t b = 0; b < image.size(); ++b)
    if (!image[b].empty())
      std::memcpy(machine_.arena().data(static_cast<int>(b)), image[b].data(), image[b].size());
}

void Provenance::before_launch(const Launch& launch) {
  before_ = save(&launch);
}

void Provenance::after_launch() {
  for (std::size_t b = 0; b < before_.size(); ++b) {
    const std::byte* now = machine_.arena().data(static_cast<int>(b));
    for (std::size_t i = 0; i < before_[b].size(); ++i)
      if (before_[b][i] != now[i]) shadow_[b][i] = code(Source::launch);
  }
}

Strided Provenance::shadow_of(const View& view, std::int64_t byte) const {
  Strided out;
  auto& bytes = shadow_[static_cast<std::size_t>(view.at.buffer)];
  // Strided has no constant form; sources are only read.
  out.data = reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(bytes.data())) + view.at.offset + byte;
  out.dtype = DType::u8;
  out.shape = view.shape;
  const auto size = static_cast<std::int64_t>(size_of(view.dtype));
  for (const std::int64_t stride : view.strides) out.strides.push_back(stride * size);
  return out;
}

void Provenance::mark(const View& view, Source source) {
  const std::byte value{code(source)};
  for (std::size_t k = 0; k < size_of(view.dtype); ++k)
    fill_strided(shadow_of(view, static_cast<std::int64_t>(k)), std::span(&value, 1));
}

void Provenance::mark(const Copy& copy) {
  const bool by_host = read_ && !whole(copy.dst);
  const Source moved = by_host ? Source::upload : Source::copy;
  if (shadow_[static_cast<std::size_t>(copy.src.at.buffer)].empty()) return mark(copy.dst, moved);
  const Strided from = shadow_of(copy.src, 0);
  std::vector<std::byte> held(static_cast<std::size_t>(from.numel()));
  Strided contiguous{held.data(), DType::u8, copy.src.shape, contiguous_strides(copy.src.shape)};
  copy_strided(contiguous, from);
  for (std::byte& source : held)
    if (source == std::byte{code(Source::input)} || (by_host && source != std::byte{code(Source::launch)}))
      source = std::byte{code(moved)};
  for (std::size_t k = 0; k < size_of(copy.dst.dtype); ++k)
    copy_strided(shadow_of(copy.dst, static_cast<std::int64_t>(k)), contiguous);
}

bool Provenance::whole(const View& view) const {
  const PlanBuffer& buffer = recording_.buffers[static_cast<std::size_t>(view.at.buffer)];
  return buffer.kind == BufferKind::alloc && view.at.offset == 0 &&
         view.strides == contiguous_strides(view.shape) &&
         machine_.at(view).numel() * static_cast<std::int64_t>(size_of(view.dtype)) == buffer.bytes;
}

void Provenance::after(const Node& node) {
  const auto numel = [this](const View& view) { return machine_.at(view).numel(); };
  if (const auto* fill = std::get_if<Fill>(&node)) {
    if (numel(fill->dst) > 0) mark(fill->dst, read_ && !whole(fill->dst) ? Source::upload : Source::fill);
  } else if (const auto* constant = std::get_if<Constant>(&node)) {
    if (numel(constant->dst) > 0) mark(constant->dst, read_ ? Source::upload : Source::fill);
  } else if (const auto* copy = std::get_if<Copy>(&node)) {
    if (numel(copy->dst) > 0) mark(*copy);
  } else if (const auto* upload = std::get_if<Upload>(&node)) {
    if (upload->bytes.empty()) return;
    auto& shadow = shadow_[static_cast<std::size_t>(upload->dst.buffer)];
    std::fill_n(shadow.begin() + upload->dst.offset, upload->bytes.size(), code(Source::upload));
  } else if (std::holds_alternative<Read>(node)) {
    read_ = true;
  }
}

WriteSources Provenance::count(const View& view) const {
  WriteSources counts;
  if (machine_.at(view).numel() == 0) return counts;
  if (shadow_[static_cast<std::size_t>(view.at.buffer)].empty()) {
    counts.kept = machine_.at(view).numel();
    return counts;
  }
  const Strided from = shadow_of(view, 0);
  std::vector<std::byte> best(static_cast<std::size_t>(from.numel()), std::byte{0}), held(best.size());
  const Strided contiguous{held.data(), DType::u8, view.shape, contiguous_strides(view.shape)};
  for (std::size_t k = 0; k < size_of(view.dtype);
       ++k) {  // an element is a launch's when any of its bytes is
    copy_strided(contiguous, shadow_of(view, static_cast<std::int64_t>(k)));
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], held[i]);
  }
  std::array<std::int64_t, 6> sums{};
  for (const std::byte source : best) ++sums[std::to_integer<std::size_t>(source)];
  counts.none = sums[code(Source::none)];
  counts.kept = sums[code(Source::input)];
  counts.fill = sums[code(Source::fill)];
  counts.copy = sums[code(Source::copy)];
  counts.upload = sums[code(Source::upload)];
  counts.launch = sums[code(Source::launch)];
  return counts;
}

void Provenance::rehearse(const Launch& launch, std::uint64_t max_steps) {
  const Image before = save(&launch);
  for (const std::size_t b : targets_) {
    std::byte* now = machine_.arena().data(static_cast<int>(b));
    for (std::size_t i = 0; i < before[b].size(); ++i)
      if (open(shadow_[b][i])) now[i] = ~before[b][i];
  }
  machine_.rehearse(launch, max_steps);
  for (const std::size_t b : targets_) {
    const std::byte* now = machine_.arena().data(static_cast<int>(b));
    for (std::size_t i = 0; i < before[b].size(); ++i)
      if (open(shadow_[b][i]) && now[i] != ~before[b][i]) shadow_[b][i] = code(Source::launch);
  }
  restore(before);
}

void Provenance::find_targets(const RecordedCall& call) {
  targets_.clear();
  for (const OutputLeaf& leaf : call.outputs)
    if (leaf.tensor && leaf.view.at.buffer >= 0)
      targets_.insert(static_cast<std::size_t>(leaf.view.at.buffer));
  for (std::size_t b = 0; b < recording_.buffers.size(); ++b)
    if (recording_.buffers[b].kind == BufferKind::input && recording_.buffers[b].call == call_ &&
        machine_.writable(static_cast<int>(b)))
      targets_.insert(b);
  for (auto node = call.nodes.rbegin(); node != call.nodes.rend(); ++node)
    if (const auto* copy = std::get_if<Copy>(&*node))
      if (copy->src.at.buffer >= 0 && targets_.contains(static_cast<std::size_t>(copy->dst.at.buffer)))
        targets_.insert(static_cast<std::size_t>(copy->src.at.buffer));
}

void Provenance::explain(const RecordedCall& call, const std::vector<std::uint64_t>& steps) {
  find_targets(call);
  const Image at_end = save();
  restore(at_start_);
  shadow_ = shadow_at_start_;
  read_ = false;
  std::size_t launch_number = 0;
  for (const Node& node : call.nodes) {
    const auto* launch = std::get_if<Launch>(&node);
    if (launch != nullptr) {
      // A rehearsal on other values may loop for longer, or without end.
      const std::uint64_t taken = launch_number < steps.size() ? steps[launch_number] : 0;
      rehearse(*launch, 4 * taken + 10'000);
      ++launch_number;
      before_launch(*launch);
      machine_.rehearse(*launch, 2 * taken + 10'000);
      after_launch();
    } else {
      if (machine_.execute(node)) break;  // the deadline: what is known by now has to do
      after(node);
    }
  }
  restore(at_end);
}

}  // namespace kgb::executor
