// SPDX-License-Identifier: Apache-2.0
// Counts of threads put together, and the launch's counters made of them.
#include "vm/count.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "vm/count_state.hpp"

namespace kgb::vm {

void Coverage::mark(std::int64_t from, std::int64_t bytes, bool shared) {
  auto word = static_cast<std::size_t>(from / 64);
  auto bit = static_cast<unsigned>(from % 64);
  while (bytes > 0) {
    const auto n = static_cast<unsigned>(std::min<std::int64_t>(64 - bit, bytes));
    const std::uint64_t ones = n == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << n) - 1) << bit;
    if (!shared) {
      words_[word] |= ones;
    } else if (const std::atomic_ref<std::uint64_t> at(words_[word]);
               (at.load(std::memory_order_relaxed) & ones) != ones) {
      at.fetch_or(ones, std::memory_order_relaxed);  // a locked instruction, spared where data is read again
    }
    bytes -= n;
    bit = 0;
    ++word;
  }
}

void Coverage::merge(const Coverage& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

std::uint64_t Coverage::count() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

Traffic& FrameCount::traffic(std::size_t site, int region) {
  for (OnRegion& known : sites[site])
    if (known.region == region) return known.traffic;
  return sites[site].emplace_back(OnRegion{region, {}}).traffic;
}

Coverage& FrameCount::covered(const Memory& memory, int region, bool written) {
  Coverage*& known = coverage[2 * static_cast<std::size_t>(region) + (written ? 1 : 0)];
  if (known == nullptr) {
    const std::lock_guard lock(counter->mutex);
    known = &counter->launch.try_emplace({region, written}, memory.region(region).bytes).first->second;
  }
  return *known;
}

void CounterState::add(const FrameCount& part) {
  blocks.resize(part.blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] += part.blocks[i];
  for (std::size_t site = 0; site < part.sites.size(); ++site)
    for (const FrameCount::OnRegion& on : part.sites[site]) traffic[{site, on.region}] += on.traffic;
}

Counter::Counter() : state_(std::make_unique<CounterState>()) {}
Counter::~Counter() = default;

namespace {

std::uint64_t count_of(const Coverages& coverages, int region, bool written) {
  const auto found = coverages.find({region, written});
  return found == coverages.end() ? 0 : found->second.count();
}

Traffic& traffic_of(ArgumentTraffic& argument, Verb verb) {
  return verb == Verb::load ? argument.read : verb == Verb::store ? argument.written : argument.atomic;
}

}  // namespace

LaunchCounters Counter::take(const Program& program, const Memory& memory) {
  static constexpr const char* verbs[] = {"load", "store", "atomic"};
  const ProgramImpl& impl = program.impl();
  const CountPlan& plan = *impl.count_plan;
  CounterState& state = *state_;
  state.blocks.resize(plan.blocks.size());  // a refused run counts nothing
  LaunchCounters out;
  out.programs = state.programs;
  WorkSum work;
  for (std::size_t i = 0; i < state.blocks.size(); ++i)
    for (const auto& [key, count] : plan.blocks[i]) work[key] += count * state.blocks[i];
  for (const auto& [key, count] : work)
    if (count > 0) out.work.push_back({key.first, key.second, count});
  for (const CountPlan::Loop& loop : plan.loops) {
    const SourcePlace& at = impl.places[static_cast<std::size_t>(loop.place)];
    out.loops.push_back({at.file, at.line, state.blocks[loop.outside], state.blocks[loop.body]});
  }
  std::map<int, ArgumentTraffic> arguments;
  for (const auto& [key, traffic] : state.traffic) {
    const CountPlan::Site& site = plan.sites[key.first];
    const SourcePlace& at = impl.places[static_cast<std::size_t>(site.place)];
    const std::string& name = memory.region(key.second).name;
    out.accesses.push_back({verbs[static_cast<std::size_t>(site.verb)], name, at.file, at.line, traffic});
    traffic_of(arguments[key.second], site.verb) += traffic;
  }
  for (auto& [region, argument] : arguments) {
    argument.argument = memory.region(region).name;
    argument.unique_read = count_of(state.launch, region, false);
    argument.unique_written = count_of(state.launch, region, true);
    out.arguments.push_back(std::move(argument));
  }
  for (auto& [key, seen] : state.launch) {
    const auto [whole, first] = state.call.try_emplace(key, std::move(seen));
    if (!first) whole->second.merge(seen);  // then it was not moved from
  }
  state.programs = 0;
  state.blocks.clear();
  state.traffic.clear();
  state.launch.clear();
  return out;
}

Counter::Unique Counter::unique(int region) const {
  return {count_of(state_->call, region, false), count_of(state_->call, region, true)};
}

}  // namespace kgb::vm
