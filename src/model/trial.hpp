// SPDX-License-Identifier: Apache-2.0
// What an executor says of a trial: outputs, findings, counters; and the request for one.
// docs/contracts/wire.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/call.hpp"
#include "model/kernel_image.hpp"
#include "model/verdict.hpp"

namespace kgb {

// Where the elements of an output come from; counts of elements.
struct WriteSources {
  std::int64_t launch = 0;  // a launch wrote it last
  std::int64_t kept = 0;    // as the input was: memory of an argument that nothing wrote
  std::int64_t fill = 0;    // fills and generated constants
  std::int64_t copy = 0;    // copied from an input without any launch between
  std::int64_t upload = 0;  // host bytes, or a copy of them
  std::int64_t none = 0;    // nothing wrote it
  friend bool operator==(const WriteSources&, const WriteSources&) = default;
};

struct TrialOutput {
  int call = 0;      // 0, 1, 2
  std::string path;  // "return", "return[1]", or the path of a mutated argument
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, bytes = 0;  // contiguous row-major elements in the blob
  std::int64_t poisoned = 0;          // elements that hold nothing but the poison pattern
  // Every element was written by a launch (for a mutated argument: or kept, and the call launches at all).
  bool written = true;
  WriteSources sources;
};

struct TrialCounters {
  std::uint64_t programs = 0, launches = 0, steps = 0;
  double ms = 0;
};

struct TrialResult {
  std::vector<TrialOutput> outputs;  // in order of calls; complete only when there is no finding
  std::vector<Finding> findings;     // gate correct; the first one ended the trial
  TrialCounters counters;
  // What the recording ends in wanting to read; then there are no outputs of its call, nor of later ones.
  std::optional<std::vector<std::byte>> read;
  // Name and version of the vendor's library that made the calls: "cuBLAS 13.1".
  std::string library;
  std::vector<std::byte> blob;

  [[nodiscard]] std::span<const std::byte> bytes_of(const TrialOutput& output) const {
    return std::span<const std::byte>(blob).subspan(output.offset, output.bytes);
  }
};

// What kgbench asks of an executor; the frame's blob is the recording's JSON, then the images' code in order.
struct TrialRequest {
  std::vector<Call> calls;
  std::uint64_t seed = 0;
  int trial = 0;   // number of the value set
  int poison = 0;  // 0, 1, 2: 0xFF, 0x7B, 0xFB
  std::int64_t deadline_ms = 60'000;
  int threads = 1;
  std::string order = "forward";  // or "reversed", "shuffled"
  std::uint64_t max_steps = 0;    // of one launch; 0: no limit
  bool track_writes = true;
  // On a device: every call is made by this function of the vendor's library, and there is no recording.
  std::string vendor;
  bool flush_denormals = false;     // of the virtual machine
  bool timed = false;               // on a device: the last call becomes a graph, of which samples are asked
  std::vector<KernelImage> images;  // on a device: of every kernel; their code travels behind the recording
};
[[nodiscard]] std::string to_json_text(const TrialRequest& request, std::int64_t id);
// The blob of a request, and the request with the recording that came in its blob.
[[nodiscard]] std::vector<std::byte> blob_of(const TrialRequest& request, std::string_view recording);
[[nodiscard]] Result<TrialRequest> trial_request_from_json(std::string_view text,
                                                           std::span<const std::byte> blob,
                                                           std::string_view& recording, std::int64_t& id);

// The reply without its blob. An executor can be overwritten by a kernel that escapes the VM, so the reader
// checks that every output lies in the blob and that dtypes, shapes and sizes fit.
[[nodiscard]] std::string to_json_text(const TrialResult& result, std::int64_t id);
[[nodiscard]] Result<TrialResult> trial_result_from_json(std::string_view text, std::vector<std::byte> blob,
                                                         std::int64_t id);
// A reply that says that the executor itself failed.
[[nodiscard]] std::string error_reply_text(const Error& error, std::int64_t id);

// A timed trial: once its call stands the executor says so, then answers requests for samples (nanoseconds of
// device time); zero samples end it, and its trial's result follows.
[[nodiscard]] std::string ready_text(std::int64_t id);
[[nodiscard]] bool is_ready(std::string_view reply);
[[nodiscard]] std::string samples_request_text(int samples, std::int64_t id);
[[nodiscard]] Result<int> samples_request_from_json(std::string_view text);
// Between samples it may be asked to replay its call back to back for a while.
struct Sustained {
  std::int64_t replays = 0;
  double seconds = 0;  // by the host's clock, from the first to the end of the last
};
[[nodiscard]] std::string sustain_request_text(int ms, std::int64_t id);
// Milliseconds; nullopt: it is no such request.
[[nodiscard]] std::optional<int> sustain_request_from_json(std::string_view text);
[[nodiscard]] std::string sustained_text(const Sustained& done, std::int64_t id);
[[nodiscard]] Result<Sustained> sustained_from_json(std::string_view text);
[[nodiscard]] std::string samples_text(std::span<const double> ns, std::int64_t id);
[[nodiscard]] Result<std::vector<double>> samples_from_json(std::string_view text);

// The byte of poison and red zones for a value set.
[[nodiscard]] std::byte poison_byte(int index);

}  // namespace kgb
