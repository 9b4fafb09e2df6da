// SPDX-License-Identifier: Apache-2.0
// Reads the report line by line. Its form, by the tool's manual and its output since CUDA 11:
//   ========= Invalid __global__ write of size 4 bytes
//   =========     at kernel(float *)+0x70 in file.py:6          older: at 0x70 in file.py:6:kernel(float *)
//   =========     by thread (255,0,0) in block (3,0,0)
//   =========     Access to 0x74b834000ffc is out of bounds     older: Address 0x.. is out of bounds
//   =========     and is 1 bytes after the nearest allocation at 0x74b834000000 of size 4,092 bytes
//   ========= ERROR SUMMARY: 2 errors
#include "judge/memcheck_report.hpp"

#include <charconv>

#include "base/text.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMostText = 300;
constexpr std::string_view kMark = "=========";

// Cuts at `end`, and gives what stood before it; the whole where it is not there.
std::string_view take_to(std::string_view& rest, std::string_view end) {
  const std::size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + end.size());
  return head;
}

bool take_prefix(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

std::string kept(std::string_view text) {
  return to_utf8_lossy(cut_utf8(trim(text), kMostText));
}

// "9,820,160"; nullopt: no number, or none that fits.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::string digits;
  for (const char c : text.substr(0, text.find(' ')))
    if (c != ',') digits += c;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
  return value;
}

// "Invalid __global__ write of size 4 bytes"
bool begins_error(std::string_view line, MemoryError& error) {
  if (!take_prefix(line, "Invalid __")) return false;
  error.space = kept(take_to(line, "__ "));
  error.access = kept(take_to(line, " of size "));
  const auto bytes = number_in(line);
  if (!bytes || (error.access != "read" && error.access != "write" && error.access != "atomic")) return false;
  error.bytes = *bytes;
  return true;
}

// "kernel(float *)+0x70" or "void ns::kernel<int>(T1 *)": the name alone.
std::string name_in(std::string_view text) {
  const std::size_t plus = text.rfind("+0x");
  if (plus != std::string_view::npos) text = text.substr(0, plus);
  text = trim(text.substr(0, text.find_first_of("(<")));
  return kept(text.substr(text.rfind(' ') + 1));
}

// "file.py:6"
void place_in(std::string_view text, MemoryError& error) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return;
  const auto line = number_in(text.substr(colon + 1));
  constexpr std::int64_t kMostLines = 10'000'000;
  if (!line || *line > kMostLines) return;
  error.file = kept(text.substr(0, colon));
  error.line = static_cast<int>(*line);
}

// Behind "at ".
void read_at(std::string_view rest, MemoryError& error) {
  if (!rest.starts_with("0x")) {
    const std::size_t in = rest.rfind(" in ");
    error.kernel = name_in(rest.substr(0, in));
    if (in != std::string_view::npos) place_in(rest.substr(in + 4), error);
    return;
  }
  // Older: the offset, then the place with the name behind it, or the name alone.
  take_to(rest, " in ");
  const std::size_t paren = rest.find('(');
  const std::size_t colon = rest.substr(0, paren).rfind(':');
  const bool scope = colon != std::string_view::npos && colon > 0 && rest[colon - 1] == ':';
  if (colon == std::string_view::npos || scope) {
    error.kernel = name_in(rest);
    return;
  }
  error.kernel = name_in(rest.substr(colon + 1));
  place_in(rest.substr(0, colon), error);
}

// "1889 bytes after the nearest allocation at 0x.. of size 160 bytes", or "inside the nearest ...".
void read_nearest(std::string_view rest, MemoryError& error) {
  error.inside = rest.starts_with("inside ");
  const std::string_view head = take_to(rest, " at 0x");
  const std::size_t size = rest.find("of size ");
  error.place = kept(head);
  if (size != std::string_view::npos) error.place += ", " + kept(rest.substr(size));
}

// A line of the error that was begun; false: it is none.
bool continue_error(std::string_view line, MemoryError& error) {
  if (take_prefix(line, "at ")) {
    if (error.kernel.empty()) read_at(line, error);
  } else if (take_prefix(line, "in ")) {
    if (error.line == 0) place_in(line, error);
  } else if (take_prefix(line, "by thread ")) {
    error.thread = kept(take_to(line, " in block "));
    error.block = kept(line);
  } else if (take_prefix(line, "Access to ") || take_prefix(line, "Access at ") ||
             take_prefix(line, "Address ")) {
    error.address = kept(take_to(line, " is "));
    error.misaligned = line.starts_with("misaligned");
  } else if (take_prefix(line, "and is ")) {
    read_nearest(line, error);
  } else {
    return line.starts_with("Saved host") || line.starts_with("Host Frame") ||
           line.starts_with("Device Frame") || line.starts_with("of size ");
  }
  return true;
}

}  // namespace

MemcheckReport memcheck_report(std::string_view text) {
  MemcheckReport report;
  std::optional<MemoryError> open;
  const auto close = [&] {
    if (open && report.errors.size() < kMostMemoryErrors) report.errors.push_back(*std::move(open));
    open.reset();
  };
  while (!text.empty()) {
    std::string_view line = take_to(text, "\n");
    if (!take_prefix(line, kMark)) continue;
    const bool indented = line.starts_with("  ");
    line = trim(line);
    MemoryError begun;
    if (line.empty() || line.starts_with("COMPUTE-SANITIZER")) {
      close();
    } else if (take_prefix(line, "ERROR SUMMARY: ")) {
      close();
      report.total = number_in(line);
    } else if (begins_error(line, begun)) {
      close();
      open = std::move(begun);
    } else if (!(indented && open && continue_error(line, *open))) {
      if (!indented && report.complaint.empty()) report.complaint = kept(line);
    }
  }
  close();
  return report;
}

std::string describe(const MemoryError& error) {
  std::string out = (error.access == "atomic" ? "an atomic access of " : "a " + error.access + " of ") +
                    std::to_string(error.bytes) + " bytes at " + error.address;
  if (error.misaligned) return out + ", which is not aligned";
  if (error.space != "global") out += " in " + error.space + " memory";
  return out + (error.place.empty() ? ", outside every allocation" : ", " + error.place);
}

}  // namespace kgb
