// SPDX-License-Identifier: Apache-2.0
// Vector clocks over the streams of a call, and the comparison of what unordered nodes touched.
#include "executor/stream_races.hpp"

#include <algorithm>
#include <tuple>

#include "executor/machine.hpp"
#include "fmt/format.h"

namespace kgb::executor {
namespace {

constexpr std::size_t kMaxRanges = std::size_t{1} << 24;  // of one call: 256 MB

}  // namespace

StreamOrder::StreamOrder(const RecordedCall& call) : open_(call.nodes.size(), false) {
  int streams = 1;
  for (const NodeOrder& order : call.order) streams = std::max(streams, order.stream + 1);
  streams_.resize(at(streams));
  for (std::size_t i = 0; i < call.order.size(); ++i) {
    const int stream = call.order[i].stream;
    auto& row = streams_[at(stream)];
    Known known = row.empty() ? Known(at(streams), 0) : known_[at(row.back())];
    if (!row.empty()) follow(known, row.back());
    for (const int node : call.order[i].after) follow(known, node);
    known_.push_back(std::move(known));
    stream_.push_back(stream);
    position_.push_back(static_cast<int>(row.size()));
    row.push_back(static_cast<int>(i));
  }
  at_return_.assign(at(streams), 0);
  for (const int node : call.joined) follow(at_return_, node);
  mark_open();
}

void StreamOrder::follow(Known& known, int node) const {
  const Known& earlier = known_[at(node)];
  for (std::size_t s = 0; s < known.size(); ++s) known[s] = std::max(known[s], earlier[s]);
  int& own = known[at(stream_[at(node)])];
  own = std::max(own, position_[at(node)] + 1);
}

std::vector<int> StreamOrder::unordered(int node) const {
  std::vector<int> found;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (s == at(stream(node))) continue;
    for (std::size_t i = at(known_[at(node)][s]); i < streams_[s].size() && streams_[s][i] < node; ++i)
      found.push_back(streams_[s][i]);
  }
  return found;
}

void StreamOrder::mark_open() {
  // Of each stream, the nodes from the last one that a node knows to the newest one so far may run beside it:
  // where such rows begin and end.
  std::vector<std::vector<int>> edges;
  for (const auto& row : streams_) edges.emplace_back(row.size() + 1, 0);
  Known begun(streams_.size(), 0);
  for (std::size_t n = 0; n < known_.size(); ++n) {
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      if (s == at(stream_[n]) || known_[n][s] >= begun[s]) continue;
      open_[n] = true;
      ++edges[s][at(known_[n][s])];
      --edges[s][at(begun[s])];
    }
    ++begun[at(stream_[n])];
  }
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    int depth = 0;
    for (std::size_t i = 0; i < streams_[s].size(); ++i) {
      depth += edges[s][i];
      if (depth > 0) open_[at(streams_[s][i])] = true;
    }
  }
}

bool StreamOrder::before_return(int node) const {
  return position_[at(node)] < at_return_[at(stream(node))];
}

void ByteRanges::add(std::uint64_t from, std::uint64_t to) {
  if (!ranges_.empty() && ranges_.back().second == from) {
    ranges_.back().second = to;
    return;
  }
  ranges_.emplace_back(from, to);
  if (ranges_.size() < limit_) return;
  settle();
  limit_ = std::max<std::size_t>(4096, 2 * ranges_.size());
}

void ByteRanges::settle() {
  std::sort(ranges_.begin(), ranges_.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i].first <= ranges_[kept].second)
      ranges_[kept].second = std::max(ranges_[kept].second, ranges_[i].second);
    else
      ranges_[++kept] = ranges_[i];
  }
  if (!ranges_.empty()) ranges_.resize(kept + 1);
}

std::optional<std::uint64_t> ByteRanges::meets(const ByteRanges& other) const {
  auto a = ranges_.begin(), b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const std::uint64_t from = std::max(a->first, b->first);
    if (from < std::min(a->second, b->second)) return from;
    a->second <= b->second ? ++a : ++b;
  }
  return std::nullopt;
}

// What a node touched. Atomics do not disturb each other.
struct StreamRaces::Touched : vm::Footprint {
  ByteRanges loads, stores, atomics;

  void touched(const std::byte* first, std::int64_t count, std::int64_t stride, std::size_t bytes,
               vm::Verb verb) override {
    ByteRanges& ranges = verb == vm::Verb::load ? loads : verb == vm::Verb::store ? stores : atomics;
    const auto start = reinterpret_cast<std::uintptr_t>(first);
    const bool dense = stride == static_cast<std::int64_t>(bytes);
    for (std::int64_t i = 0; i < (dense ? 1 : count); ++i) {
      const std::uint64_t from = start + static_cast<std::uint64_t>(i * stride);
      ranges.add(from, from + bytes * static_cast<std::uint64_t>(dense ? count : 1));
    }
  }
  void view(const Strided& view, ByteRanges& ranges) const {
    const auto start = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data));
    if (view.numel() == 0) return;
    vm::ByteView(start, size_of(view.dtype), view.shape, view.strides)
        .each_row([&](std::int64_t from, std::int64_t to) {
          ranges.add(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
        });
  }
  // How many ranges are left.
  std::size_t settle() {
    for (ByteRanges* ranges : {&loads, &stores, &atomics}) ranges->settle();
    return loads.size() + stores.size() + atomics.size();
  }
  [[nodiscard]] std::optional<std::uint64_t> conflict(const Touched& other) const {
    for (const auto& [mine, theirs] : {std::pair{&stores, &other.stores},
                                       {&stores, &other.loads},
                                       {&stores, &other.atomics},
                                       {&loads, &other.stores},
                                       {&loads, &other.atomics},
                                       {&atomics, &other.stores},
                                       {&atomics, &other.loads}})
      if (const auto found = mine->meets(*theirs)) return found;
    return std::nullopt;
  }
};

StreamRaces::StreamRaces(const RecordedCall& call, const Machine& machine)
    : call_(call), machine_(machine), order_(call), touched_(call.nodes.size()) {}

StreamRaces::~StreamRaces() = default;

vm::Footprint* StreamRaces::watch(int node) {
  if (!order_.open(node)) return nullptr;
  auto& touched = touched_[static_cast<std::size_t>(node)];
  touched = std::make_unique<Touched>();
  return touched.get();
}

std::optional<Finding> StreamRaces::after(int node) {
  Touched* touched = touched_[static_cast<std::size_t>(node)].get();
  if (touched == nullptr) return std::nullopt;
  const Node& which = call_.nodes[static_cast<std::size_t>(node)];
  if (const auto* copy = std::get_if<Copy>(&which)) touched->view(machine_.at(copy->src), touched->loads);
  if (const auto* read = std::get_if<Read>(&which)) touched->view(machine_.at(read->src), touched->loads);
  std::visit(
      [&](const auto& n) {
        if constexpr (requires { n.dst.shape; }) touched->view(machine_.at(n.dst), touched->stores);
      },
      which);
  if (const auto* upload = std::get_if<Upload>(&which)) {
    const auto start = machine_.address(upload->dst);
    touched->stores.add(start, start + upload->bytes.size());
  }
  ranges_ += touched->settle();
  if (ranges_ > kMaxRanges)
    return make_finding("memory_limit",
                        "launches on several streams that nothing orders touch too many pieces of "
                        "memory to be compared: let the streams wait for each other");
  for (const int other : order_.unordered(node))
    if (const auto address = touched->conflict(*touched_[static_cast<std::size_t>(other)]))
      return conflict(node, other, *address);
  return std::nullopt;
}

std::optional<Finding> StreamRaces::at_return() const {
  for (int node = 0; node < static_cast<int>(call_.nodes.size()); ++node) {
    if (order_.before_return(node)) continue;
    Finding finding =
        make_finding("race", fmt::format("nothing waits for {} before the call returns: wait for its "
                                         "stream",
                                         describe(node)));
    std::tie(finding.file, finding.line) = place_of(call_.nodes[static_cast<std::size_t>(node)]);
    return finding;
  }
  return std::nullopt;
}

std::string StreamRaces::describe(int node) const {
  const Node& which = call_.nodes[static_cast<std::size_t>(node)];
  const int line = place_of(which).second;
  return fmt::format("{}{} on stream {}", machine_.name_of_node(which),
                     line > 0 ? fmt::format(" (line {})", line) : "", order_.stream(node));
}

Finding StreamRaces::conflict(int node, int other, std::uint64_t address) const {
  const auto [buffer, byte] = machine_.find(address);
  Finding finding = make_finding(
      "race", fmt::format("{} and {} touch byte {} of {}, and neither waits for the other", describe(node),
                          describe(other), byte, buffer < 0 ? "memory" : machine_.name_of_buffer(buffer)));
  std::tie(finding.file, finding.line) = place_of(call_.nodes[static_cast<std::size_t>(node)]);
  if (buffer >= 0) finding.details["argument"] = machine_.name_of_buffer(buffer);
  finding.details["byte"] = std::to_string(byte);
  return finding;
}

}  // namespace kgb::executor
