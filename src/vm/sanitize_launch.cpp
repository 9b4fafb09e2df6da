// SPDX-License-Identifier: Apache-2.0
// Runs of one launch from the same memory under other orders and other undefined values, compared afterwards.
#include "vm/sanitize_launch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vm/sanitize_check.hpp"

namespace kgb::vm {
namespace {

struct Difference {
  int region = -1;
  std::int64_t offset = 0;
  std::size_t bytes = 1;
};

class Repeats {
 public:
  Repeats(const Program& program, std::span<const Arg> args, const Memory& memory, const RunOptions& how,
          const Options& options, const LaunchChecks& checks)
      : program_(program), args_(args), memory_(memory), how_(how), options_(options), checks_(checks) {
    const KernelFacts& facts = *program.impl().facts;
    if (!checks.orders && !checks.undefined) return;
    for (int i = 0; i < memory.size(); ++i) {
      const Region& region = memory.region(i);
      if (memory.part(i) != nullptr || !region.writable || region.bytes == 0 ||
          !(facts.writes_anywhere || may_write(facts, i)))
        continue;
      kept_.push_back({i, dtype_of(i), std::vector<std::byte>(region.data, region.data + region.bytes), {}});
    }
  }

  RunResult run() {
    state().variant = UndefinedValue::zero;
    state().zero_divisions.clear();
    RunResult result = vm::run(program_, args_, memory_, how_, options_);
    if (!result.findings.empty() || how_.grid[0] * how_.grid[1] * how_.grid[2] == 0) return result;
    const std::vector<int> divided = state().zero_divisions;
    const KernelFacts& facts = *program_.impl().facts;
    const bool several = how_.grid[0] * how_.grid[1] * how_.grid[2] > 1;
    const bool undefined = checks_.undefined && (facts.masked_without_other || !divided.empty());
    if (!(checks_.orders && several) && !undefined) return result;
    for (Kept& kept : kept_) {
      const Region& region = memory_.region(kept.region);
      kept.after.assign(region.data, region.data + region.bytes);
    }
    if (checks_.orders && several) orders(result);
    if (undefined && result.findings.empty()) undefined_values(result, divided);
    for (const Kept& kept : kept_)
      std::memcpy(memory_.region(kept.region).data, kept.after.data(), kept.after.size());
    return result;
  }

 private:
  struct Kept {
    int region = -1;
    DType dtype = DType::u8;
    std::vector<std::byte> before, after;
  };

  [[nodiscard]] SanitizerState& state() const { return how_.sanitizer->state(); }

  [[nodiscard]] bool reaches(const PointerArg& pointer, int region) const {
    return pointer.region >= 0 && memory_.whole(pointer.region) == region;
  }

  [[nodiscard]] bool may_write(const KernelFacts& facts, int region) const {
    for (std::size_t i = 0; i < args_.size() && i < facts.written.size(); ++i) {
      const auto* pointer = std::get_if<PointerArg>(&args_[i]);
      if (pointer != nullptr && reaches(*pointer, region) && facts.written[i] != 0) return true;
    }
    return false;
  }

  // Of the pointers that reach the region, if they agree; else bytes.
  [[nodiscard]] DType dtype_of(int region) const {
    const ProgramImpl& impl = program_.impl();
    const auto& values =
        impl.raw.functions[static_cast<std::size_t>(impl.entry)].body.blocks.front().arguments;
    std::optional<DType> found;
    for (std::size_t i = 0; i < args_.size() && i < values.size(); ++i) {
      const auto* pointer = std::get_if<PointerArg>(&args_[i]);
      if (pointer == nullptr || !reaches(*pointer, region)) continue;
      const DType dtype = impl.values[static_cast<std::size_t>(values[i])].type->dtype;
      if (found && *found != dtype) return DType::u8;
      found = dtype;
    }
    return found.value_or(DType::u8);
  }

  RunResult again(Order order, UndefinedValue variant) {
    for (const Kept& kept : kept_)
      std::memcpy(memory_.region(kept.region).data, kept.before.data(), kept.before.size());
    Checks few{false, false, false, state().checks.waits};
    Sanitizer plain(few);
    plain.state().variant = variant;
    RunOptions how = how_;
    how.sanitizer = &plain;
    how.order = order;
    Options options = options_;
    options.poison_masked = variant == UndefinedValue::poison;
    return vm::run(program_, args_, memory_, how, options);
  }

  [[nodiscard]] bool close(const Kept& kept, const std::byte* a, const std::byte* b, double scale) const {
    double x = 0, y = 0;
    numeric::converter(kept.dtype, DType::f64)(a, &x, 1);
    numeric::converter(kept.dtype, DType::f64)(b, &y, 1);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (x == y) return true;
    const std::size_t bytes = bytes_of(kept.dtype);
    const double part = checks_.float_tolerance * (bytes == 8   ? 1e-3
                                                   : bytes == 4 ? 1.0
                                                   : bytes == 2 ? 16.0
                                                                : 128.0);
    return std::fabs(x - y) <= part * (std::max(std::fabs(x), std::fabs(y)) + scale);
  }

  // The mean size of the finite elements that the launch changed: sums that cancel are compared with what
  // they sum, not with what happens to lie around them.
  static double scale_of(const Kept& kept) {
    const auto convert = numeric::converter(kept.dtype, DType::f64);
    double sum = 0;
    std::int64_t n = 0;
    const std::size_t bytes = bytes_of(kept.dtype);
    for (std::size_t at = 0; at + bytes <= kept.after.size(); at += bytes) {
      double value = 0;
      convert(kept.after.data() + at, &value, 1);
      if (!std::isfinite(value) || std::memcmp(kept.after.data() + at, kept.before.data() + at, bytes) == 0)
        continue;
      sum += std::fabs(value);
      ++n;
    }
    return n == 0 ? 0 : sum / static_cast<double>(n);
  }

  [[nodiscard]] std::optional<Difference> compare(bool tolerant) const {
    for (const Kept& kept : kept_) {
      const std::byte* now = memory_.region(kept.region).data;
      if (std::memcmp(now, kept.after.data(), kept.after.size()) == 0) continue;
      const std::size_t bytes = std::min(bytes_of(kept.dtype), kept.after.size());
      const bool loose = tolerant && checks_.float_tolerance > 0 && is_floating(kept.dtype) &&
                         numeric::converter(kept.dtype, DType::f64) != nullptr;
      const double scale = loose ? scale_of(kept) : 0;
      for (std::size_t at = 0; at + bytes <= kept.after.size(); at += bytes) {
        if (std::memcmp(now + at, kept.after.data() + at, bytes) == 0) continue;
        if (loose && close(kept, now + at, kept.after.data() + at, scale)) continue;
        return Difference{kept.region, static_cast<std::int64_t>(at), bytes};
      }
    }
    return std::nullopt;
  }

  VmFinding describe(const Difference& at, std::string kind, std::string tail) const {
    const Region& region = memory_.region(at.region);
    VmFinding finding;
    finding.kind = std::move(kind);
    finding.region = region.name;
    finding.index = at.offset;
    finding.message = "element " + std::to_string(at.offset / static_cast<std::int64_t>(at.bytes)) + " of '" +
                      region.name + "' " + std::move(tail);
    RegionShadow& shadow = state().at(region.data, region.bytes);
    const ProgramImpl& impl = program_.impl();
    if (!shadow.write_places.empty()) {
      const SourcePlace& place = impl.places[static_cast<std::size_t>(shadow.write_places.front())];
      finding.file = place.file;
      finding.line = place.line;
      if (!place.file.empty())
        finding.message += ", stored at " + place.file + ":" + std::to_string(place.line);
    }
    if (shadow.shift >= 0 && !impl.facts->synchronises) {
      const std::uint32_t tag = shadow.writer[static_cast<std::size_t>(at.offset) >> shadow.shift] & kTagMask;
      if (tag >= state().last_first) {
        const std::int64_t number = tag - state().last_first;
        finding.program = {number % how_.grid[0], number / how_.grid[0] % how_.grid[1],
                           number / (how_.grid[0] * how_.grid[1])};
      }
    }
    return finding;
  }

  void orders(RunResult& result) {
    const KernelFacts& facts = *program_.impl().facts;
    for (const Order order : {Order::reversed, Order::shuffled}) {
      if (order == how_.order) continue;
      const char* name = order == Order::reversed ? "reversed" : "shuffled";
      RunResult other = again(order, UndefinedValue::zero);
      if (!other.findings.empty()) {
        VmFinding finding = std::move(other.findings.front());
        finding.message = "with the programs in " + std::string(name) + " order: " + finding.message;
        result.findings.push_back(std::move(finding));
        return;
      }
      const auto found = compare(facts.float_atomics || facts.synchronises);
      if (!found) continue;
      result.findings.push_back(describe(
          *found, "order_dependence", "is another when the programs run in " + std::string(name) + " order"));
      return;
    }
  }

  void undefined_values(RunResult& result, const std::vector<int>& divided) {
    const ProgramImpl& impl = program_.impl();
    const std::string what = divided.empty() ? "lanes of a masked load that has no `other`"
                             : impl.facts->masked_without_other
                                 ? "lanes of a masked load that has no `other`, or of a division by zero"
                                 : "lanes of an integer division by zero";
    for (const UndefinedValue variant : {UndefinedValue::poison, UndefinedValue::large}) {
      RunResult other = again(how_.order, variant);
      VmFinding finding;
      if (!other.findings.empty()) {
        finding = std::move(other.findings.front());
        finding.notes.push_back("found with other values there: " + finding.message);
        finding.message =
            what + " reach an address, a condition or an assertion" +
            (finding.line > 0 ? " at " + finding.file + ":" + std::to_string(finding.line) : "");
        finding.kind = "undefined_value";
      } else if (const auto found = compare(false)) {
        finding = describe(*found, "undefined_value", "depends on " + what);
      } else {
        continue;
      }
      for (const int place : impl.facts->undefined_loads) note(finding, impl, place, "loaded at ");
      for (const int place : divided) note(finding, impl, place, "divided by zero at ");
      result.findings.push_back(std::move(finding));
      return;
    }
  }

  static void note(VmFinding& finding, const ProgramImpl& impl, int place, const std::string& verb) {
    const SourcePlace& at = impl.places[static_cast<std::size_t>(place)];
    const std::string text = verb + at.file + ":" + std::to_string(at.line);
    if (!at.file.empty() &&
        std::find(finding.notes.begin(), finding.notes.end(), text) == finding.notes.end())
      finding.notes.push_back(text);
  }

  const Program& program_;
  std::span<const Arg> args_;
  const Memory& memory_;
  const RunOptions& how_;
  const Options& options_;
  const LaunchChecks& checks_;
  std::vector<Kept> kept_;
};

}  // namespace

RunResult run_sanitized(const Program& program, std::span<const Arg> args, const Memory& memory,
                        const RunOptions& how, const Options& options, const LaunchChecks& checks) {
  if (how.sanitizer == nullptr || program.impl().facts == nullptr)
    return vm::run(program, args, memory, how, options);
  Options judged = options;
  judged.check_division = false;  // what a lane divides by matters where the lane matters
  return Repeats(program, args, memory, how, judged, checks).run();
}

}  // namespace kgb::vm
