// SPDX-License-Identifier: Apache-2.0
// The measuring process, and the file of what it found.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "device/monitor.hpp"
#include "device/runtime.hpp"
#include "judge/peaks.hpp"
#include "judge/processes.hpp"
#include "sandbox/process.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr Millis kMeasureLimit{180'000};

// {"name": {"rate", "how"}}; what is no positive number is left out.
std::map<std::string, Peak> rates_from(const json& object) {
  std::map<std::string, Peak> rates;
  if (!object.is_object()) return rates;
  for (const auto& [name, row] : object.items()) {
    if (!row.is_object() || !row.contains("rate") || !row["rate"].is_number()) continue;
    const double rate = row["rate"].get<double>();
    if (rate > 0 && std::isfinite(rate)) rates[name] = {rate, text_in(row, "how"), true};
  }
  return rates;
}

json json_of(const Peaks& peaks) {
  json rates = json::object();
  for (const auto& [name, peak] : peaks.rates)
    if (peak.measured) rates[name] = {{"rate", peak.rate}, {"how", peak.how}};
  return {{"schema", kSchema},       {"device", peaks.device}, {"uuid", peaks.uuid},
          {"driver", peaks.driver},  {"made", peaks.made},     {"rates", std::move(rates)},
          {"problem", peaks.problem}};
}

}  // namespace

const Peak* Peaks::find(const std::string& name) const {
  const auto it = rates.find(name);
  return it == rates.end() ? nullptr : &it->second;
}

void Peaks::add_nominal(const ChipCard& chip) {
  for (const auto& [name, rate] : chip.peak) rates.try_emplace(name, Peak{rate, "data sheet", false});
}

std::filesystem::path peaks_file(const Installation& at, const std::string& uuid, const std::string& driver) {
  std::string name = uuid + "-" + driver;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return at.cache_dir / "peaks" / (name + ".json");
}

Result<Peaks> peaks_from_file(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  KGB_TRY(const std::string text, read_text_file(file, kMostBytes));
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("schema") || document["schema"] != kSchema)
    return host_error(file.string() + " does not hold a device's peaks");
  Peaks peaks{text_in(document, "device"),
              text_in(document, "uuid"),
              text_in(document, "driver"),
              text_in(document, "made"),
              {},
              text_in(document, "problem")};
  if (document.contains("rates")) peaks.rates = rates_from(document["rates"]);
  if (peaks.rates.empty()) return host_error(file.string() + " holds no rate");
  return peaks;
}

Status write_peaks(const std::filesystem::path& file, const Peaks& peaks) {
  KGB_CHECK(make_folders(file.parent_path()));
  return write_file_atomic(file, json_of(peaks).dump(2) + "\n");
}

Result<Peaks> peaks_of_nothing(const DeviceChoice& device) {
  KGB_TRY(const device::Description found, device::describe_device(device.backend, device.index));
  Peaks peaks;
  peaks.device = found.name;
  peaks.uuid = found.uuid.empty() ? found.name : found.uuid;
  peaks.driver = "CUDA " + found.driver;
  if (const auto monitor = device::open_monitor(device.backend, device.index); monitor.ok())
    if (const std::string version = (*monitor)->facts().library_version; !version.empty())
      peaks.driver = version;
  return peaks;
}

Result<Peaks> measure_peaks(const Installation& at, const DeviceChoice& device) {
  KGB_TRY(Peaks peaks, peaks_of_nothing(device));
  sandbox::Command command = Processes::device_python(at, "kgbench.baseline.peaks", device);
  command.argv.back() = device.backend;
  sandbox::Limits limits;
  limits.wall = kMeasureLimit;
  KGB_TRY(const sandbox::Output output, sandbox::run(command, limits));
  const json found = json::parse(output.out, nullptr, false);
  if (!output.finished.clean() || !found.is_object())
    return host_error("the process that measures the device's peaks " + output.finished.describe());
  peaks.made = iso_utc(std::chrono::system_clock::now());
  if (found.contains("rates")) peaks.rates = rates_from(found["rates"]);
  peaks.problem = text_in(found, "problem");
  if (peaks.rates.empty()) return host_error("no peak of the device could be measured: " + peaks.problem);
  KGB_CHECK(write_peaks(peaks_file(at, peaks.uuid, peaks.driver), peaks));
  return peaks;
}

Result<Peaks> device_peaks(const Installation& at, const DeviceChoice& device) {
  KGB_TRY(const Peaks named, peaks_of_nothing(device));
  if (Result<Peaks> kept = peaks_from_file(peaks_file(at, named.uuid, named.driver)); kept.ok()) return kept;
  return measure_peaks(at, device);
}

}  // namespace kgb
