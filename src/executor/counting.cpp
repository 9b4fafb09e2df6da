// SPDX-License-Identifier: Apache-2.0
// Names for what the machine counted: kernels, their parameters, the call's arguments.
#include "executor/counting.hpp"

#include <map>

namespace kgb::executor {

void Counting::begin_call(const Call& call, int number) {
  counter_ = std::make_unique<vm::Counter>();
  CallCounters& made = calls_.emplace_back();
  made.op = call.op;
  made.workload = call.workload;
  made.call = number;
}

void Counting::take(const Launch& launch, const Kernel& kernel, const vm::Program& program,
                    const vm::Memory& memory, const std::vector<int>& regions) {
  LaunchCounters made = counter_->take(program, memory);
  made.kernel = kernel.name;
  made.file = launch.file;
  made.line = launch.line;
  made.grid = launch.grid;
  std::map<std::string, std::string> parameters;
  for (std::size_t i = 0; i < launch.args.size() && i < kernel.parameters.size(); ++i) {
    const auto* ref = std::get_if<BufferRef>(&launch.args[i].value);
    const int region =
        ref == nullptr || ref->buffer < 0 ? -1 : regions[static_cast<std::size_t>(ref->buffer)];
    if (region < 0) continue;
    std::string& names = parameters[memory.region(region).name];
    names += (names.empty() ? "" : ", ") + kernel.parameters[i];
  }
  for (ArgumentTraffic& argument : made.arguments) argument.parameters = parameters[argument.argument];
  CallCounters& call = calls_.back();
  add_traffic(call.arguments, made.arguments);
  std::map<std::string, ArgumentTraffic*> by_name;
  for (ArgumentTraffic& argument : call.arguments) by_name[argument.argument] = &argument;
  for (int region = 0; region < memory.size(); ++region) {
    const auto found = by_name.find(memory.region(region).name);
    if (found == by_name.end()) continue;
    const vm::Counter::Unique unique = counter_->unique(region);
    found->second->unique_read = unique.read;
    found->second->unique_written = unique.written;
  }
  call.launches.push_back(std::move(made));
}

}  // namespace kgb::executor
