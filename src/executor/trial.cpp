// SPDX-License-Identifier: Apache-2.0
// The course of a trial: fill, run, check, copy out; then the checks between calls.
#include "executor/trial.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/hash.hpp"
#include "executor/machine.hpp"
#include "executor/provenance.hpp"
#include "executor/stream_races.hpp"
#include "fmt/format.h"

namespace kgb::executor {
namespace {

constexpr std::size_t kMaxPrograms = 1024;

// One output of one call: where it is read from.
struct OutputSource {
  int call = 0;
  std::string path;
  View view;
  bool mutated_argument = false;
};

class Trial {
 public:
  Trial(const Recording& recording, const std::vector<Call>& calls, const TrialOptions& options,
        Workshop& workshop, Arena& arena)
      : recording_(recording),
        calls_(calls),
        arena_(arena),
        series_(options.series != nullptr),
        vendor_(!options.vendor.empty()),
        machine_(recording, calls, options, workshop.programs, arena) {
    if (options.track_writes) provenance_ = std::make_unique<Provenance>(recording, machine_);
  }

  TrialResult run() {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t c = 0; c < recording_.calls.size() && result_.findings.empty() && !result_.read; ++c)
      run_call(static_cast<int>(c));
    if (result_.findings.empty() && !result_.read) check_overlap();
    for (Finding& finding : result_.findings)
      if (finding.workload.empty() && !calls_.empty()) finding.workload = calls_.front().workload;
    result_.counters = machine_.counters();
    result_.library = machine_.library();
    result_.counters.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  void run_call(int c) {
    const RecordedCall& call = recording_.calls[static_cast<std::size_t>(c)];
    machine_.begin_call(c);
    if (provenance_) provenance_->begin_call(c);
    std::vector<std::uint64_t> steps;
    const bool timed = series_ && static_cast<std::size_t>(c) + 1 == recording_.calls.size();
    if (timed) {
      if (auto finding = machine_.time(call.nodes)) {
        result_.findings.push_back(*std::move(finding));
        return;
      }
    } else if (vendor_) {
      if (auto finding = machine_.call_vendor()) {
        end_with(c, *std::move(finding));
        return;
      }
    } else if (!run_nodes(c, steps)) {
      return;
    }
    if (!check_red_zones(c)) return;
    if (auto finding = machine_.check_inputs()) {
      result_.findings.push_back(*std::move(finding));
      return;
    }
    const std::size_t first = result_.outputs.size();
    for (const OutputSource& source : sources_of(c)) copy_out(source);
    if (provenance_) explain_outputs(first, call, steps);
  }

  // The nodes in the order of the list, which is a legal one. False: a finding, or a read whose bytes are
  // wanted, ended the trial.
  bool run_nodes(int c, std::vector<std::uint64_t>& steps) {
    const RecordedCall& call = recording_.calls[static_cast<std::size_t>(c)];
    std::unique_ptr<StreamRaces> races;
    if (!call.order.empty() && machine_.can_watch()) races = std::make_unique<StreamRaces>(call, machine_);
    for (std::size_t i = 0; i < call.nodes.size(); ++i) {
      const Node& node = call.nodes[i];
      const int number = static_cast<int>(i);
      const auto* launch = std::get_if<Launch>(&node);
      machine_.free_before({c, number});
      if (races) machine_.watch(races->watch(number));
      if (provenance_ && launch != nullptr) provenance_->before_launch(*launch);
      if (auto finding = machine_.execute(node)) return end_with(c, *std::move(finding));
      if (races)
        if (auto finding = races->after(number)) return end_with(c, *std::move(finding));
      if (launch != nullptr) steps.push_back(machine_.last_steps());
      if (provenance_ && launch != nullptr) provenance_->after_launch();
      if (provenance_ && launch == nullptr) provenance_->after(node);
      if (const auto* read = std::get_if<Read>(&node)) {
        if (auto finding = check_read(*read)) return end_with(c, *std::move(finding));
        if (!read->bytes) {
          result_.read = machine_.elements(read->src);
          return false;
        }
      }
    }
    machine_.free_before({c, static_cast<int>(call.nodes.size())});
    machine_.watch(nullptr);
    if (races)
      if (auto finding = races->at_return()) return end_with(c, *std::move(finding));
    return true;
  }

  // A copy of an input is no intermediate: reading it is reading the input.
  std::optional<Finding> check_read(const Read& read) const {
    if (!provenance_) return std::nullopt;
    // A store of what was there already leaves no trace: elements that look copied stand beside others.
    if (const WriteSources from = provenance_->count(read.src); from.copy == 0 || from.launch > 0)
      return std::nullopt;
    Finding finding =
        make_finding("host_read", fmt::format("{} reads what a copy took from an input, which the card does "
                                              "not allow: only what kernels computed may be read",
                                              read.op));
    finding.file = read.file;
    finding.line = read.line;
    return finding;
  }

  bool end_with(int c, Finding finding) {
    finding.details["call"] = std::to_string(c + 1);
    result_.findings.push_back(std::move(finding));
    for (Finding& further : machine_.take_further()) result_.findings.push_back(std::move(further));
    return false;
  }

  bool check_red_zones(int c) {
    const auto hit = arena_.check_red_zones();
    if (!hit) return true;
    const std::string before = hit->before < 0 ? "the first buffer" : machine_.name_of_buffer(hit->before);
    Finding finding = make_finding(
        "red_zone",
        hit->before < 0
            ? fmt::format("memory before {} was written", machine_.name_of_buffer(hit->after))
            : fmt::format("memory {} bytes past the end of {} was written", hit->distance, before));
    finding.details["argument"] = before;
    finding.details["byte"] = std::to_string(hit->distance);
    finding.details["call"] = std::to_string(c + 1);
    result_.findings.push_back(std::move(finding));
    return false;
  }

  // Returned tensors, then the arguments that the schema lets the call write.
  std::vector<OutputSource> sources_of(int c) const {
    std::vector<OutputSource> sources;
    for (const OutputLeaf& leaf : recording_.calls[static_cast<std::size_t>(c)].outputs)
      if (leaf.tensor) sources.push_back({c, leaf.path, leaf.view, false});
    for (const auto& [path, spec] : tensors_of(calls_[static_cast<std::size_t>(c)])) {
      const auto buffer = spec.mutated ? machine_.input_buffer(c, path) : std::nullopt;
      if (!buffer) continue;
      View view;
      view.at = {*buffer, spec.offset * static_cast<std::int64_t>(size_of(spec.dtype))};
      view.dtype = spec.dtype;
      view.shape = spec.shape;
      view.strides = spec.strides;
      sources.push_back({c, path, std::move(view), true});
    }
    return sources;
  }

  void copy_out(const OutputSource& source) {
    const std::vector<std::byte> bytes = machine_.elements(source.view);
    TrialOutput output;
    output.call = source.call;
    output.path = source.path;
    output.dtype = source.view.dtype;
    output.shape = source.view.shape;
    output.offset = result_.blob.size();
    output.bytes = bytes.size();
    const std::size_t size = size_of(output.dtype);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      const auto element = std::span(bytes).subspan(i, size);
      output.poisoned +=
          std::all_of(element.begin(), element.end(), [&](std::byte b) { return b == arena_.pattern(); });
    }
    result_.blob.insert(result_.blob.end(), bytes.begin(), bytes.end());
    result_.outputs.push_back(std::move(output));
    read_from_.push_back(source);
  }

  [[nodiscard]] static bool explained(const WriteSources& sources, bool mutated, bool launches) {
    const bool kept_is_fine = mutated && launches;
    return sources.fill + sources.copy + sources.upload + sources.none + (kept_is_fine ? 0 : sources.kept) ==
           0;
  }

  void explain_outputs(std::size_t first, const RecordedCall& call, const std::vector<std::uint64_t>& steps) {
    const bool launches = !steps.empty();
    const auto count = [&] {
      bool all = true;
      for (std::size_t i = first; i < result_.outputs.size(); ++i) {
        TrialOutput& output = result_.outputs[i];
        output.sources = provenance_->count(read_from_[i].view);
        output.written = explained(output.sources, read_from_[i].mutated_argument, launches);
        all = all && output.written;
      }
      return all;
    };
    if (count() || !launches) return;
    provenance_->explain(call, steps);
    count();
  }

  // An output that a later call changed, or whose memory a later call's output uses too.
  void check_overlap() {
    for (std::size_t i = 0; i < read_from_.size(); ++i) {
      const OutputSource& source = read_from_[i];
      if (source.mutated_argument || !in_allocation(source.view)) continue;
      const TrialOutput& output = result_.outputs[i];
      const std::vector<std::byte> now = machine_.elements(source.view);
      const auto then = result_.bytes_of(output);
      const bool changed = !std::equal(now.begin(), now.end(), then.begin(), then.end());
      int other = changed ? source.call + 1 : -1;
      for (std::size_t j = i + 1; j < read_from_.size() && other < 0; ++j)
        if (read_from_[j].call > source.call && shares_memory(source.view, read_from_[j].view))
          other = read_from_[j].call;
      if (other < 0) continue;
      Finding finding = make_finding(
          "output_overlap",
          changed
              ? fmt::format("output {} of call {} was changed by a later call", source.path, source.call + 1)
              : fmt::format("output {} of call {} shares memory with an output of call {}", source.path,
                            source.call + 1, other + 1));
      finding.details["path"] = source.path;
      finding.details["call"] = std::to_string(source.call + 1);
      result_.findings.push_back(std::move(finding));
      return;
    }
  }

  bool in_allocation(const View& view) const {
    return view.at.buffer >= 0 &&
           recording_.buffers[static_cast<std::size_t>(view.at.buffer)].kind == BufferKind::alloc;
  }

  // Whether any byte belongs to both views.
  bool shares_memory(const View& a, const View& b) const {
    if (a.at.buffer != b.at.buffer) return false;
    const Strided x = machine_.at(a), y = machine_.at(b);
    if (x.numel() == 0 || y.numel() == 0) return false;
    const Extent ex = extent_of(a.dtype, a.shape, a.strides), ey = extent_of(b.dtype, b.shape, b.strides);
    const std::int64_t low = a.at.offset + ex.low, high = a.at.offset + ex.high;
    if (b.at.offset + ey.low >= high || b.at.offset + ey.high <= low) return false;
    std::vector<std::byte> map(static_cast<std::size_t>(high - low));  // a's bytes, relative to `low`
    const auto bytes_of = [](const View& view, std::byte* base, std::int64_t k) {
      Strided bytes{base + k, DType::u8, view.shape, view.strides};
      for (std::int64_t& stride : bytes.strides) stride *= static_cast<std::int64_t>(size_of(view.dtype));
      return bytes;
    };
    const std::byte one{1};
    for (std::size_t k = 0; k < size_of(a.dtype); ++k)
      fill_strided(bytes_of(a, map.data() - ex.low, static_cast<std::int64_t>(k)), std::span(&one, 1));
    // b over a map of the whole buffer would be simpler and as large as the buffer: widen the map to both
    // extents.
    const std::int64_t b_low = b.at.offset + ey.low, b_high = b.at.offset + ey.high;
    const std::int64_t front = std::max<std::int64_t>(low - b_low, 0),
                       back = std::max<std::int64_t>(b_high - high, 0);
    map.insert(map.begin(), static_cast<std::size_t>(front), std::byte{0});
    map.insert(map.end(), static_cast<std::size_t>(back), std::byte{0});
    std::byte* b_base = map.data() + (b.at.offset - (low - front));
    std::vector<std::byte> found(static_cast<std::size_t>(y.numel()));
    for (std::size_t k = 0; k < size_of(b.dtype); ++k) {
      copy_strided({found.data(), DType::u8, b.shape, contiguous_strides(b.shape)},
                   bytes_of(b, b_base, static_cast<std::int64_t>(k)));
      if (std::find(found.begin(), found.end(), one) != found.end()) return true;
    }
    return false;
  }

  const Recording& recording_;
  const std::vector<Call>& calls_;
  Arena& arena_;
  bool series_, vendor_;
  Machine machine_;
  std::unique_ptr<Provenance> provenance_;
  TrialResult result_;
  std::vector<OutputSource> read_from_;  // beside result_.outputs
};

}  // namespace

const vm::Program* ProgramCache::find(const std::string& ttir, std::string& why, vm::Build build) {
  const std::string key = sha256_hex(ttir);
  auto& programs = programs_[static_cast<std::size_t>(build)];
  auto it = programs.find(key);
  if (it == programs.end()) {
    if (programs.size() >= kMaxPrograms) programs.clear();
    it = programs.emplace(key, vm::Program::parse(ttir, build)).first;
  }
  if (it->second.ok()) return &it->second.value();
  why = it->second.error().message;
  return nullptr;
}

Recording recording_of_inputs(const std::vector<Call>& calls) {
  Recording recording;
  const auto add = [&](std::int64_t bytes, const std::string& path) {
    recording.buffers.push_back({BufferKind::input, bytes, static_cast<int>(recording.calls.size()), path});
  };
  for (const Call& call : calls) {
    for (const auto& [path, spec] : tensors_of(call)) add(spec.storage_bytes(), path);
    for (const Arg& arg : call.args)
      if (const auto* array = std::get_if<PointerArray>(&arg.value))
        add(static_cast<std::int64_t>(array->items.size() * sizeof(std::uint64_t)), arg.name);
    recording.calls.emplace_back();
  }
  return recording;
}

Result<TrialResult> run_trial(const Recording& recording, const std::vector<Call>& calls,
                              const TrialOptions& options, Workshop& workshop) {
  if (recording.calls.size() != calls.size())
    return internal_error("a trial needs as many recorded calls as calls");
  if (options.poison < 0 || options.poison >= static_cast<int>(kPatterns.size()))
    return internal_error(fmt::format("there is no poison pattern {}", options.poison));
  if (options.device == nullptr && !options.vendor.empty())
    return internal_error("a vendor's function needs its device");
  if (options.device != nullptr &&
      (options.images == nullptr || options.images->size() != recording.kernels.size()))
    return internal_error("a trial on a device needs an image of every kernel");
  auto arena = Arena::create(recording.buffers, kPatterns[static_cast<std::size_t>(options.poison)],
                             workshop.memory, options.device != nullptr ? &options.device->memory : nullptr);
  if (!arena) {
    TrialResult result;
    Finding finding = make_finding("memory_limit", arena.error().message);
    if (!calls.empty()) finding.workload = calls.front().workload;
    result.findings.push_back(std::move(finding));
    return result;
  }
  return Trial(recording, calls, options, workshop, *arena).run();
}

}  // namespace kgb::executor
