// SPDX-License-Identifier: Apache-2.0
// Splits a stream of server-sent events, however its bytes are cut.
#include "llm/sse.hpp"

namespace kgb::llm {

void SseSplitter::keep(std::string_view part) {
  if (line_.size() + event_.data.size() + part.size() > max_event_) {
    overflow_ = true;
    line_.clear();
    event_ = {};
    return;
  }
  line_ += part;
}

void SseSplitter::line(std::string_view text) {
  if (first_line_ && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  first_line_ = false;
  const std::size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.name = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
}

void SseSplitter::dispatch(const Got& got) {
  if (has_data_) got(event_);
  event_ = {};
  has_data_ = false;
}

void SseSplitter::feed(std::string_view bytes, const Got& got) {
  while (!bytes.empty() && !overflow_) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    keep(bytes.substr(0, end));
    if (end == std::string_view::npos || overflow_) return;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty())
      dispatch(got);
    else
      line(line_);
    line_.clear();
  }
}

void SseSplitter::finish(const Got& got) {
  line_.clear();
  dispatch(got);
}

}  // namespace kgb::llm
