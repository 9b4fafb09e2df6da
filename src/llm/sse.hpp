// SPDX-License-Identifier: Apache-2.0
// Splits a stream of server-sent events, however its bytes are cut.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kgb::llm {

struct SseEvent {
  std::string name;  // of its `event:` line; empty where it had none
  std::string data;  // its `data:` lines with newlines between them
};

// Keeps at most one event, and of it at most `max_event` bytes: a longer one ends the reading.
class SseSplitter {
 public:
  using Got = std::function<void(const SseEvent&)>;

  explicit SseSplitter(std::size_t max_event) : max_event_(max_event) {}
  // Hands over each event whose end is among these bytes.
  void feed(std::string_view bytes, const Got& got);
  // After the last byte: an event that only lacks the blank line behind it is handed over, half a line is
  // not.
  void finish(const Got& got);
  [[nodiscard]] bool overflow() const { return overflow_; }

 private:
  void line(std::string_view text);
  void dispatch(const Got& got);
  void keep(std::string_view part);

  std::size_t max_event_;
  std::string line_;  // begun, not ended
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // a '\n' that comes now belongs to the end of the last line
  bool first_line_ = true;
  bool overflow_ = false;
};

}  // namespace kgb::llm
