// SPDX-License-Identifier: Apache-2.0
// JSON of trial requests and replies between kgbench and its executors.
#include <algorithm>
#include <limits>

#include "base/base64.hpp"
#include "model/generate.hpp"
#include "model/launch_plan.hpp"
#include "model/trial.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const WriteSources& s) {
  return {{"launch", s.launch}, {"kept", s.kept},     {"fill", s.fill},
          {"copy", s.copy},     {"upload", s.upload}, {"none", s.none}};
}
WriteSources sources_from(const Json& json) {
  return {json.at("launch"), json.at("kept"),   json.at("fill"),
          json.at("copy"),   json.at("upload"), json.at("none")};
}

Result<TrialOutput> output_from(const Json& json, std::size_t blob_bytes) {
  TrialOutput output;
  output.call = json.at("call");
  output.path = json.at("path");
  const auto dtype = dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) return host_error("the executor named an unknown dtype");
  output.dtype = *dtype;
  output.shape = json.at("shape").get<std::vector<std::int64_t>>();
  output.offset = json.at("offset");
  output.bytes = json.at("bytes");
  output.poisoned = json.at("poisoned");
  output.written = json.at("written");
  output.sources = sources_from(json.at("sources"));
  std::size_t wanted = size_of(output.dtype);
  for (const std::int64_t extent : output.shape) {
    if (extent < 0) return host_error("the executor named a negative extent");
    if (__builtin_mul_overflow(wanted, static_cast<std::size_t>(extent), &wanted))
      return host_error("the executor named a shape that is too large");
  }
  if (output.bytes != wanted || output.bytes > blob_bytes || output.offset > blob_bytes - output.bytes)
    return host_error("the executor's outputs do not fit its reply");
  return output;
}

}  // namespace

std::byte poison_byte(int index) {
  constexpr std::byte patterns[] = {std::byte{0xFF}, std::byte{0x7B}, std::byte{0xFB}};
  return patterns[(index % 3 + 3) % 3];
}

std::vector<std::byte> blob_of(const TrialRequest& request, std::string_view recording) {
  const auto text = std::as_bytes(std::span(recording.data(), recording.size()));
  std::vector<std::byte> blob(text.begin(), text.end());
  for (const KernelImage& image : request.images)
    blob.insert(blob.end(), image.code.begin(), image.code.end());
  return blob;
}

namespace {

// Takes the images off the blob; what is left in front of them is the recording.
Result<std::vector<KernelImage>> images_from(const Json& entries, std::span<const std::byte>& blob) {
  std::size_t total = 0;
  for (const Json& entry : entries) {
    const std::size_t bytes = entry.at("code_bytes");
    if (bytes > blob.size() - total) return user_error("the images do not fit the request");
    total += bytes;
  }
  std::span<const std::byte> codes = blob.last(total);
  blob = blob.first(blob.size() - total);
  std::vector<KernelImage> images;
  for (const Json& entry : entries) {
    const std::span<const std::byte> code = codes.first(entry.at("code_bytes").get<std::size_t>());
    codes = codes.subspan(code.size());
    KGB_TRY(KernelImage image, kernel_image_from_json(entry, {code.begin(), code.end()}));
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace

std::string to_json_text(const TrialRequest& request, std::int64_t id) {
  Json calls = Json::array(), images = Json::array();
  for (const Call& call : request.calls) calls.push_back(to_json(call));
  for (const KernelImage& image : request.images) images.push_back(to_json(image));
  Json json({{"id", id},
             {"run", request.timed ? "time" : "trial"},
             {"calls", std::move(calls)},
             {"seed", seed_text(request.seed)},
             {"trial", request.trial},
             {"poison", request.poison},
             {"deadline_ms", request.deadline_ms},
             {"threads", request.threads},
             {"order", request.order},
             {"max_steps", request.max_steps},
             {"track_writes", request.track_writes},
             {"flush_denormals", request.flush_denormals},
             {"images", std::move(images)}});
  if (!request.vendor.empty()) json["vendor"] = request.vendor;
  return text_of(json);
}

Result<TrialRequest> trial_request_from_json(std::string_view text, std::span<const std::byte> blob,
                                             std::string_view& recording, std::int64_t& id) {
  try {
    const Json json = Json::parse(text);
    id = json.at("id");
    const std::string run = json.at("run");
    if (run != "trial" && run != "time")
      return user_error("the executor knows no request but \"trial\", \"time\" and \"native\"");
    TrialRequest request;
    request.timed = run == "time";
    for (const Json& entry : json.at("calls")) {
      KGB_TRY(Call call, call_from_json(entry));
      request.calls.push_back(std::move(call));
    }
    const auto seed = seed_from_text(json.at("seed").get<std::string>());
    if (!seed) return user_error("the seed is no hexadecimal number");
    request.seed = *seed;
    request.trial = json.at("trial");
    request.poison = json.value("poison", 0);
    request.deadline_ms = json.value("deadline_ms", std::int64_t{60'000});
    request.threads = json.value("threads", 1);
    request.order = json.value("order", std::string("forward"));
    request.max_steps = json.value("max_steps", std::uint64_t{0});
    request.track_writes = json.value("track_writes", true);
    request.vendor = json.value("vendor", std::string());
    request.flush_denormals = json.value("flush_denormals", false);
    KGB_TRY(request.images, images_from(json.value("images", Json::array()), blob));
    recording = {reinterpret_cast<const char*>(blob.data()), blob.size()};
    return request;
  } catch (const Json::exception& error) {
    return user_error(std::string("the request is malformed: ") + error.what());
  }
}

std::string to_json_text(const TrialResult& result, std::int64_t id) {
  Json outputs = Json::array(), findings = Json::array();
  for (const TrialOutput& o : result.outputs)
    outputs.push_back({{"call", o.call},
                       {"path", o.path},
                       {"dtype", name_of(o.dtype)},
                       {"shape", o.shape},
                       {"offset", o.offset},
                       {"bytes", o.bytes},
                       {"poisoned", o.poisoned},
                       {"written", o.written},
                       {"sources", to_json(o.sources)}});
  for (const Finding& finding : result.findings) findings.push_back(to_json(finding));
  const TrialCounters& c = result.counters;
  Json reply{
      {"id", id},
      {"ok", true},
      {"outputs", std::move(outputs)},
      {"findings", std::move(findings)},
      {"counters", {{"programs", c.programs}, {"launches", c.launches}, {"steps", c.steps}, {"ms", c.ms}}}};
  if (result.read) reply["read"] = base64_encode(*result.read);
  if (!result.library.empty()) reply["library"] = result.library;
  return text_of(reply);
}

Result<TrialResult> trial_result_from_json(std::string_view text, std::vector<std::byte> blob,
                                           std::int64_t id) {
  try {
    const Json json = Json::parse(text);
    if (json.at("id") != id) return host_error("the executor answered another request");
    if (!json.at("ok").get<bool>()) return host_error(json.at("error").at("message").get<std::string>());
    TrialResult result;
    for (const Json& entry : json.at("outputs")) {
      KGB_TRY(TrialOutput output, output_from(entry, blob.size()));
      result.outputs.push_back(std::move(output));
    }
    for (const Json& entry : json.at("findings")) result.findings.push_back(finding_from_json(entry));
    const Json& c = json.at("counters");
    result.counters = {c.at("programs"), c.at("launches"), c.at("steps"), c.at("ms")};
    result.library = json.value("library", std::string());
    if (json.contains("read")) {
      result.read = base64_decode(json["read"].get<std::string>());
      if (!result.read || result.read->size() > kReadBytes)
        return host_error("the executor's bytes of a read are none");
    }
    result.blob = std::move(blob);
    return result;
  } catch (const Json::exception& error) {
    return host_error(std::string("the executor's reply is malformed: ") + error.what());
  }
}

std::string error_reply_text(const Error& error, std::int64_t id) {
  return text_of({{"id", id}, {"ok", false}, {"error", {{"kind", "infra"}, {"message", error.message}}}});
}

std::string ready_text(std::int64_t id) {
  return text_of({{"id", id}, {"ok", true}, {"ready", true}});
}

bool is_ready(std::string_view reply) {
  const Json json = Json::parse(reply, nullptr, false);
  return json.is_object() && json.contains("ready");
}

std::string samples_request_text(int samples, std::int64_t id) {
  return text_of({{"id", id}, {"run", "samples"}, {"samples", samples}});
}

Result<int> samples_request_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("run", "") != "samples" || !json.contains("samples") ||
      !json["samples"].is_number_integer())
    return user_error("a timed trial is asked for samples and for nothing else");
  return std::clamp(json["samples"].get<int>(), 0, 100'000);
}

std::string samples_text(std::span<const double> ns, std::int64_t id) {
  return text_of({{"id", id}, {"ok", true}, {"ns", std::vector<double>(ns.begin(), ns.end())}});
}

Result<std::vector<double>> samples_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (!json.at("ok").get<bool>()) return host_error(json.at("error").at("message").get<std::string>());
    auto ns = json.at("ns").get<std::vector<double>>();
    if (!std::all_of(ns.begin(), ns.end(), [](double t) { return t >= 0 && t < 1e15; }))
      return host_error("an executor gave a time that is none");
    return ns;
  } catch (const Json::exception& error) {
    return host_error(std::string("the samples are malformed: ") + error.what());
  }
}

std::string sustain_request_text(int ms, std::int64_t id) {
  return text_of({{"id", id}, {"run", "sustain"}, {"ms", ms}});
}

std::optional<int> sustain_request_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("run", "") != "sustain" || !json.contains("ms") ||
      !json["ms"].is_number_integer())
    return std::nullopt;
  return std::clamp(json["ms"].get<int>(), 1, 60'000);
}

std::string sustained_text(const Sustained& done, std::int64_t id) {
  return text_of({{"id", id}, {"ok", true}, {"replays", done.replays}, {"seconds", done.seconds}});
}

Result<Sustained> sustained_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (!json.at("ok").get<bool>()) return host_error(json.at("error").at("message").get<std::string>());
    const Sustained done{json.at("replays").get<std::int64_t>(), json.at("seconds").get<double>()};
    if (done.replays <= 0 || !(done.seconds > 0 && done.seconds < 1e6))
      return host_error("an executor replayed a call in no time");
    return done;
  } catch (const Json::exception& error) {
    return host_error(std::string("what was replayed is malformed: ") + error.what());
  }
}

}  // namespace kgb
