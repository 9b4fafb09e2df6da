// SPDX-License-Identifier: Apache-2.0
// Findings of the sanitizer in words, with a picture of the buffer around the element in question.
#include <algorithm>

#include "vm/sanitize_check.hpp"

namespace kgb::vm {
namespace {

constexpr const char* kVerbs[] = {"load", "store", "atomic"};

std::string place_text(const ProgramImpl& program, int place) {
  if (static_cast<std::size_t>(place) >= program.places.size()) return {};
  const SourcePlace& at = program.places[static_cast<std::size_t>(place)];
  return at.file.empty() ? std::string() : at.file + ":" + std::to_string(at.line);
}

std::string places_text(const ProgramImpl& program, const std::vector<int>& places) {
  std::vector<std::string> known;
  for (const int place : places) {
    std::string text = place_text(program, place);
    if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end())
      known.push_back(std::move(text));
  }
  std::string out;
  for (const std::string& text : known) out += (out.empty() ? "" : " or ") + text;
  return out;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t missing = width > text.size() ? width - text.size() : 0;
  return std::string(missing / 2, ' ') + text + std::string(missing - missing / 2, ' ');
}

}  // namespace

std::string LaunchCheck::program_text(std::int64_t number) const {
  return "program (" + std::to_string(number % grid_[0]) + ", " +
         std::to_string(number / grid_[0] % grid_[1]) + ", " +
         std::to_string(number / (grid_[0] * grid_[1])) + ")";
}

std::string LaunchCheck::who(std::uint32_t word) const {
  const std::uint32_t tag = word & kTagMask;
  if (facts_.synchronises) return program_text(ordering_.owner(tag));
  const std::string last = program_text(tag - first_);
  return (word & kManyFlag) != 0 ? "several programs, " + last + " the last," : last;
}

void LaunchCheck::explain(Frame& frame, const Instruction& made, int region, std::int64_t offset,
                          std::size_t bytes, Verb verb, const Conflict& conflict) {
  const std::string& name = memory_.region(region).name;
  std::string text = std::string(kVerbs[static_cast<std::size_t>(verb)]) + " of " + std::to_string(bytes) +
                     " bytes at element " + std::to_string(offset / static_cast<std::int64_t>(bytes)) +
                     " of '" + name + "'";
  const RegionShadow& shadow = *shadows_[static_cast<std::size_t>(region)];
  std::vector<std::string> notes;
  std::string kind = "race";
  if (conflict.kind == Conflict::Kind::uninitialised) {
    kind = "uninitialised_read";
    text += ", which nothing has written,";
    notes.push_back(shadow.written ? "this launch has stored to other elements of '" + name + "' at " +
                                         places_text(program_, shadow.write_places)
                                   : "nothing has stored to '" + name + "' in this launch");
  } else {
    const bool read = conflict.kind == Conflict::Kind::with_load;
    const char* did = read                                           ? " loads"
                      : conflict.kind == Conflict::Kind::with_atomic ? " changes atomically"
                                                                     : " stores to";
    text += ", which " + who(conflict.other) + did + " in the same launch,";
    const std::string where = places_text(program_, read ? shadow.read_places : shadow.write_places);
    if (!where.empty()) notes.push_back(std::string(read ? "loaded" : "written") + " at " + where);
  }
  report(frame, made, std::move(kind), std::move(text), region, offset, std::move(notes));
  const std::lock_guard lock(frame.state->mutex);
  if (frame.state->findings.empty()) return;
  VmFinding& newest = frame.state->findings.back().second;
  if (newest.picture.empty() && newest.region == name && newest.index == offset)
    newest.picture = picture(region, offset, bytes);
}

bool LaunchCheck::leaves_part(Frame& frame, const Instruction& made, int region, const Row& row, Verb verb) {
  const Part& part = *memory_.part(region);
  const auto size = static_cast<std::int64_t>(row.bytes);
  const auto neighbour = [&](std::int64_t byte) -> const std::string* {
    if (part.own.contains(byte)) return nullptr;
    for (const auto& [name, view] : part.others)
      if (view.contains(byte)) return &name;
    return nullptr;
  };
  const std::int64_t end = row.offset + (row.count - 1) * row.stride + size;
  if (part.own.rows() == 1 && part.own.contains(row.offset) && part.own.contains(end - 1)) return false;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t offset = row.offset + i * row.stride;
    const std::string* hit = neighbour(offset);
    if (hit == nullptr) hit = neighbour(offset + size - 1);
    if (hit == nullptr) continue;
    report(frame, made, "out_of_bounds",
           std::string(kVerbs[static_cast<std::size_t>(verb)]) + " of " + std::to_string(row.bytes) +
               " bytes at byte " + std::to_string(offset) + " of '" + memory_.region(region).name +
               "', outside of the tensor " + part.name + " and inside of " + *hit +
               ", a part of the same storage,",
           region, offset,
           {part.name + " has the bytes from " + std::to_string(part.own.low()) + " to " +
            std::to_string(part.own.high() - 1) + (part.own.rows() > 1 ? ", with gaps" : "")});
    return true;
  }
  return false;
}

void LaunchCheck::report(Frame& frame, const Instruction& made, std::string kind, std::string message,
                         int region, std::int64_t offset, std::vector<std::string> notes) {
  RunState& state = *frame.state;
  const std::lock_guard lock(state.mutex);
  const std::string name = region < 0 ? std::string() : memory_.region(region).name;
  if (!state.seen.emplace(made.place, kind + name).second) return;
  SourcePlace where;
  if (static_cast<std::size_t>(made.place) < program_.places.size())
    where = program_.places[static_cast<std::size_t>(made.place)];
  message += " in " + program_text(frame.number);
  if (!where.file.empty()) message += " at " + where.file + ":" + std::to_string(where.line);
  VmFinding finding;
  finding.kind = std::move(kind);
  finding.message = std::move(message);
  finding.region = name;
  finding.index = offset;
  finding.program = frame.id;
  finding.file = where.file;
  finding.line = where.line;
  finding.notes = std::move(notes);
  state.findings.emplace_back(frame.number, std::move(finding));
  if (state.findings.size() >= frame.options->max_findings) state.stop = true;
}

std::vector<std::string> LaunchCheck::picture(int region, std::int64_t offset, std::size_t bytes) {
  const Region& buffer = memory_.region(region);
  const RegionShadow& shadow = *shadows_[static_cast<std::size_t>(region)];
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t count = static_cast<std::int64_t>(buffer.bytes) / size;
  const std::int64_t at = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  // Far outside there is nothing to see: the buffer's nearest end is shown.
  const std::int64_t middle = std::clamp<std::int64_t>(at, -3, count + 2);
  std::string heads = "  element ", cells = "          ";
  const auto cell = [&](std::int64_t i) -> std::string {
    if (i < 0 || i >= count) return "outside";
    if (shadow.shift < 0) return shadow.whole ? "written" : "never";
    const std::uint32_t w = shadow.writer[static_cast<std::size_t>((i * size) >> shadow.shift)];
    if (w == 0) return "never";
    if (!shadow.tracked) return "written";
    const auto number = [&](std::uint32_t word) {
      const std::uint32_t tag = word & kTagMask;
      return "p" + std::to_string(facts_.synchronises ? ordering_.owner(tag) : tag - first_) +
             ((word & kManyFlag) != 0 ? "+" : "");
    };
    if ((w & kTagMask) >= first_) return ((w & kAtomicFlag) != 0 ? "A " : "W ") + number(w);
    const std::uint32_t r =
        shadow.reader.empty() ? 0 : shadow.reader[static_cast<std::size_t>((i * size) >> shadow.shift)];
    return (r & kTagMask) >= first_ ? "R " + number(r) : ".";
  };
  for (std::int64_t i = middle - 4; i <= middle + 4; ++i) {
    const bool hit = i == at;
    const std::string head = hit ? "[" + std::to_string(i) + "]" : std::to_string(i), text = cell(i);
    const std::size_t width = std::max<std::size_t>(std::max(head.size(), text.size()), 7) + 1;
    heads += padded(head, width);
    cells += padded(text, width);
  }
  const auto trim = [](std::string& text) { text.erase(text.find_last_not_of(' ') + 1); };
  trim(heads);
  trim(cells);
  std::vector<std::string> lines{"'" + buffer.name + "': " + std::to_string(buffer.bytes) + " bytes, " +
                                 std::to_string(count) + " elements of " + std::to_string(bytes)};
  lines.push_back(std::move(heads));
  lines.push_back(std::move(cells));
  if (at < middle || at > middle)
    lines.push_back("  element [" + std::to_string(at) + "] lies " +
                    std::to_string(at < 0 ? -at : at - count + 1) + (at < 0 ? " before" : " past") +
                    " the buffer's end");
  return lines;
}

void LaunchCheck::add_picture(Frame& frame, std::size_t bytes) {
  const std::lock_guard lock(frame.state->mutex);
  if (frame.state->findings.empty()) return;
  VmFinding& newest = frame.state->findings.back().second;
  if (!newest.picture.empty() || newest.region.empty()) return;
  for (int i = 0; i < memory_.size(); ++i)
    if (memory_.region(i).name == newest.region) {
      newest.picture = picture(i, newest.index, bytes);
      return;
    }
}

}  // namespace kgb::vm
