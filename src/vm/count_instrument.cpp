// SPDX-License-Identifier: Apache-2.0
// Finds what each block computes, and gives blocks and accesses their counting handlers.
#include <algorithm>

#include "vm/combine.hpp"
#include "vm/count_state.hpp"
#include "vm/instrument.hpp"

namespace kgb::vm {
namespace {

// How often a region that runs on spans is applied by one run of its operation. A scan is counted as a serial
// one: what a machine adds to it for the sake of parallelism is its own affair.
std::uint64_t applications(const ProgramImpl& program, const RawOp& op, const Instruction& made) {
  const Type& type = *program.values[static_cast<std::size_t>(op.operands[0])].type;
  if (op.name == "tt.map_elementwise")  // 0: it cannot be executed
    return made.imm[0] == 0 ? 0 : static_cast<std::uint64_t>(type.count / made.imm[0]);
  const std::int64_t length = type.shape[static_cast<std::size_t>(made.imm[0])];
  return static_cast<std::uint64_t>(type.count / length * (length - 1));
}

class Instrumentation {
 public:
  explicit Instrumentation(ProgramImpl& program) : program_(program) {}

  void region(const RawRegion& raw, Code& code) {
    for (std::size_t b = 0; b < raw.blocks.size() && b < code.blocks.size(); ++b)
      block(raw.blocks[b], code.blocks[b]);
  }

  CountPlan plan;

 private:
  std::size_t block(const RawBlock& raw, Block& code) {
    const std::size_t number = plan.blocks.size();
    plan.blocks.emplace_back();
    WorkSum work;
    each_instruction(raw, code, [&](const RawOp& op, Instruction& made) {
      if (!known_types(program_, made)) return;  // reaching it is a finding
      add_work(program_, op, made, 1, work);
      if (lane_by_lane(op))
        region_of_lanes(op, made, work);
      else if (op.name == "scf.for" || op.name == "scf.while")
        loop(op, made, number);
      else
        for (std::size_t r = 0; r < op.regions.size() && r < made.regions.size(); ++r)
          region(op.regions[r], made.regions[r]);
      access(op, made);
    });
    plan.blocks[number] = std::move(work);
    Instruction count;
    count.run = counted::run_block;
    count.imm[0] = static_cast<std::int64_t>(number);
    if (!code.code.empty())
      count.place = code.code.front().place;  // where a limit that is met here is reported
    code.code.insert(code.code.begin(), std::move(count));
    return number;
  }

  void region_of_lanes(const RawOp& op, const Instruction& made, WorkSum& work) {
    const std::uint64_t times = applications(program_, op, made);
    for (const RawOp& inner : op.regions[0].blocks[0].ops)
      if (!is_terminator(inner.name)) add_work(program_, inner, made, times, work);
  }

  void loop(const RawOp& op, Instruction& made, std::size_t outside) {
    const std::size_t number = plan.loops.size();
    plan.loops.push_back({made.place, outside, outside});
    for (std::size_t r = 0; r < op.regions.size() && r < made.regions.size(); ++r)
      for (std::size_t b = 0; b < op.regions[r].blocks.size(); ++b)  // one; the last region is the body
        plan.loops[number].body = block(op.regions[r].blocks[b], made.regions[r].blocks[b]);
  }

  void access(const RawOp& op, Instruction& made) {
    CountPlan::Site site;
    site.place = made.place;
    Handler handler = counted::run_access;
    std::size_t value = 1;  // operand that has the elements' type
    if (op.name == "tt.load") {
      if (op.operands.size() > 1) site.mask = 1;
    } else if (op.name == "tt.store" || op.name == "tt.atomic_rmw") {
      site.verb = op.name == "tt.store" ? Verb::store : Verb::atomic;
      if (op.operands.size() > 2) site.mask = 2;
    } else if (op.name == "tt.atomic_cas") {
      site.verb = Verb::atomic;
    } else if (op.name == "tt.descriptor_load" || op.name == "tt.descriptor_store" ||
               op.name == "tt.descriptor_reduce") {
      handler = counted::run_descriptor;
      site.verb = op.name.ends_with("load")    ? Verb::load
                  : op.name.ends_with("store") ? Verb::store
                                               : Verb::atomic;
      value = op.operands.size() - 1;
    } else if (op.name == "tt.descriptor_gather" || op.name == "tt.descriptor_scatter") {
      handler = counted::run_rows;
      site.verb = op.name.ends_with("gather") ? Verb::load : Verb::store;
      value = 3;
    } else {
      return;
    }
    const int typed = site.verb == Verb::load ? op.results.at(0) : op.operands.at(value);
    site.bytes = program_.values[static_cast<std::size_t>(typed)].bytes;
    put_before(made, handler).site = plan.sites.size();
    plan.sites.push_back(site);
  }

  ProgramImpl& program_;
};

}  // namespace

void instrument_counts(ProgramImpl& program) {
  Instrumentation made(program);
  for (std::size_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].lowered) made.region(program.raw.functions[i].body, program.functions[i].body);
  program.count_plan = std::make_shared<CountPlan>(std::move(made.plan));
}

}  // namespace kgb::vm
