// SPDX-License-Identifier: Apache-2.0
// Sums over counters.
#include "model/counters.hpp"

#include <algorithm>
#include <map>

namespace kgb {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Traffic sum_of(Traffic sum, const Traffic& b, const Traffic& c) {
  sum += b;
  sum += c;
  return sum;
}

void add_work(CounterTotals& sum, const std::vector<Work>& all) {
  for (const Work& work : all) {
    if (work.flop()) sum.flops += work.count;
    if (work.flop() && work.tensor()) sum.tensor_flops += work.count;
    const bool integer_product = work.kind == WorkKind::dot && !work.flop();
    if (work.kind == WorkKind::integer || integer_product) sum.integer_operations += work.count;
  }
}

void add_arguments(CounterTotals& sum, const std::vector<ArgumentTraffic>& all) {
  for (const ArgumentTraffic& argument : all) {
    sum.read += argument.read;
    sum.written += argument.written;
    sum.atomic += argument.atomic;
    sum.unique_read += argument.unique_read;
    sum.unique_written += argument.unique_written;
  }
}

}  // namespace

std::string_view name_of(WorkKind kind) {
  static constexpr std::array<std::string_view, kWorkKinds> names{
      "add", "mul", "fma", "div", "special", "dot", "compare", "convert", "integer"};
  return names[static_cast<std::size_t>(kind)];
}

bool Work::flop() const {
  return kind <= WorkKind::dot && !type.starts_with('i');
}

Traffic& Traffic::operator+=(const Traffic& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  return *this;
}

double Traffic::sectors_per_request() const {
  return ratio(sectors, requests);
}
double Traffic::sector_use() const {
  return ratio(bytes, sectors * kSectorBytes);
}
Traffic ArgumentTraffic::all() const {
  return sum_of(read, written, atomic);
}

double CounterTotals::intensity() const {
  return ratio(flops, unique_bytes());
}
double CounterTotals::tensor_share() const {
  return ratio(tensor_flops, flops);
}
Traffic CounterTotals::all() const {
  return sum_of(read, written, atomic);
}

CounterTotals totals(const LaunchCounters& launch) {
  CounterTotals sum;
  sum.programs = launch.programs;
  add_work(sum, launch.work);
  add_arguments(sum, launch.arguments);
  return sum;
}

CounterTotals totals(const CallCounters& call) {
  CounterTotals sum;
  for (const LaunchCounters& launch : call.launches) {
    sum.programs += launch.programs;
    add_work(sum, launch.work);
  }
  add_arguments(sum, call.arguments);
  return sum;
}

std::vector<Work> work_of(const CallCounters& call) {
  std::map<std::pair<WorkKind, std::string>, std::uint64_t> sums;
  for (const LaunchCounters& launch : call.launches)
    for (const Work& work : launch.work) sums[{work.kind, work.type}] += work.count;
  std::vector<Work> all;
  for (const auto& [key, count] : sums) all.push_back({key.first, key.second, count});
  return all;
}

void add_traffic(std::vector<ArgumentTraffic>& all, const std::vector<ArgumentTraffic>& launch) {
  for (const ArgumentTraffic& one : launch) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const ArgumentTraffic& known) { return known.argument == one.argument; });
    if (found == all.end()) found = all.insert(all.end(), {one.argument, "", {}, {}, {}, 0, 0});
    found->read += one.read;
    found->written += one.written;
    found->atomic += one.atomic;
  }
}

}  // namespace kgb
