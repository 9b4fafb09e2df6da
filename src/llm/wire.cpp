// SPDX-License-Identifier: Apache-2.0
// Tells wires apart, and streams from documents.
#include "llm/wire.hpp"

#include <array>

#include "base/text.hpp"
#include "llm/sse.hpp"
#include "llm/wire_format.hpp"

namespace kgb::llm {
namespace {

struct Row {
  Wire wire;
  std::string_view name, path;
  std::unique_ptr<WireFormat> (*format)();
  std::string (*body)(const std::string&, const ChatRequest&, const BodyOptions&);
};
constexpr std::array kRows{
    Row{Wire::openai_chat, "openai", "/v1/chat/completions", openai_chat_format, openai_chat_body},
    Row{Wire::openai_responses, "openai-responses", "/v1/responses", openai_responses_format,
        openai_responses_body},
    Row{Wire::anthropic, "anthropic", "/v1/messages", anthropic_format, anthropic_body}};

const Row& row_of(Wire wire) {
  return kRows[static_cast<std::size_t>(wire)];
}

constexpr std::size_t kMaxEvent = std::size_t{16} << 20;
constexpr std::size_t kHead = 200;  // bytes of a reply that is neither, for the message
constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

std::string_view name_of(Wire wire) {
  return row_of(wire).name;
}

std::optional<Wire> wire_named(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.wire;
  return std::nullopt;
}

std::string_view path_of(Wire wire) {
  return row_of(wire).path;
}

std::optional<Wire> wire_of_path(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  for (const Row& row : kRows)
    if (path.ends_with(row.path.substr(std::string_view("/v1").size()))) return row.wire;
  return std::nullopt;
}

Headers headers_of(Wire wire, const std::string& key) {
  Headers headers;
  if (wire == Wire::anthropic) {
    headers.emplace_back("anthropic-version", "2023-06-01");
    if (!key.empty()) headers.emplace_back("x-api-key", key);
  } else if (!key.empty()) {
    headers.emplace_back("Authorization", "Bearer " + key);
  }
  return headers;
}

std::string request_body(Wire wire, const std::string& model, const ChatRequest& request,
                         const BodyOptions& options) {
  return row_of(wire).body(model, request, options);
}

void WireFormat::add_text(std::string_view text) {
  if (text.empty()) return;
  ++chunks;
  reply.text += text;
}

void WireFormat::add_reasoning(std::string_view text) {
  if (text.empty()) return;
  ++chunks;
  reply.reasoning += text;
}

void WireFormat::fail(std::string_view message, std::string_view kind) {
  if (!reply.error.empty()) return;
  reply.error = message.empty() ? "the server sent an error without a message" : std::string(message);
  reply.error_kind = kind;
}

struct ReplyReader::State {
  enum class Form { unknown, events, document };

  explicit State(Wire wire) : format(row_of(wire).format()), events(kMaxEvent) {}

  void feed(std::string_view bytes);
  void finish();
  void fail(std::string message) {
    if (format->reply.error.empty()) format->reply.error = std::move(message);
    dead = true;
  }

  std::unique_ptr<WireFormat> format;
  SseSplitter events;
  Form form = Form::unknown;
  std::string document;
  std::string head;  // of a stream: what it began with
  std::size_t total = 0;
  bool any_event = false, dead = false, finished = false;
  const SseSplitter::Got got = [this](const SseEvent& event) {
    any_event = true;
    format->event(event.data);
  };
};

void ReplyReader::State::feed(std::string_view bytes) {
  if (dead || finished) return;
  total += bytes.size();
  if (total > kMaxReplyBytes) return fail("the reply is longer than " + human_bytes(kMaxReplyBytes));
  if (form == Form::unknown) {
    const std::size_t begin = bytes.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return;
    bytes.remove_prefix(begin);
    form = bytes.front() == '{' || bytes.front() == '[' ? Form::document : Form::events;
  }
  if (form == Form::document) {
    document += bytes;
    return;
  }
  if (head.size() < kHead) head += bytes.substr(0, kHead - head.size());
  events.feed(bytes, got);
  if (events.overflow()) fail("one event of the stream is longer than " + human_bytes(kMaxEvent));
}

void ReplyReader::State::finish() {
  if (finished) return;
  finished = true;
  Reply& reply = format->reply;
  if (!dead && form == Form::document) format->document(document);
  if (!dead && form == Form::events) {
    events.finish(got);
    if (!any_event) fail("the server sent neither JSON nor events, but " + in_quotes(trim(head)));
  }
  if (form == Form::unknown && reply.error.empty()) reply.error = "the server sent an empty reply";
  // Servers there are that end a stream after its last words, without the mark of the end.
  if (!reply.finish.empty()) reply.complete = true;
  // What could not be read may have been part of the text.
  if (!reply.error.empty()) reply.complete = false;
}

ReplyReader::ReplyReader(Wire wire) : state_(std::make_unique<State>(wire)) {}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;

void ReplyReader::feed(std::string_view bytes) {
  state_->feed(bytes);
}

const Reply& ReplyReader::finish() {
  state_->finish();
  return state_->format->reply;
}

std::int64_t ReplyReader::chunks() const {
  return state_->format->chunks;
}

std::string upstream_url(std::string_view base_url, std::optional<Wire> wire, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  const bool bare = base_url.find('/', base_url.find("://") + 3) == std::string_view::npos;
  const bool versioned = wire == Wire::anthropic ? base_url.ends_with(kVersion) : !bare;
  if (versioned) path.remove_prefix(kVersion.size());
  return std::string(base_url) + std::string(path);
}

}  // namespace kgb::llm
