// SPDX-License-Identifier: Apache-2.0
// Moves one reply and counts it.
#include "llm/proxy_relay.hpp"

#include <utility>

namespace kgb::llm {
namespace {

constexpr std::size_t kBuffered = std::size_t{1} << 20;
constexpr Millis kSlice{50};  // between looks at the stop flag

}  // namespace

Relay::Relay(HttpTransport& transport, HttpRequest request, std::optional<Wire> wire, std::atomic<bool>& stop)
    : wire_(wire), stop_(stop) {
  if (wire) reader_.emplace(*wire);
  thread_ = std::thread(
      [this, &transport, request = std::move(request)]() mutable { send(transport, std::move(request)); });
}

Relay::~Relay() {
  static_cast<void>(end());
}

void Relay::send(HttpTransport& transport, HttpRequest request) {
  request.on_head = [this](int status, const Headers& headers) { take_head(status, headers); };
  HttpReply reply = transport.send(
      request, [this](std::string_view bytes, double seconds) { take_bytes(bytes, seconds); }, stop_);
  const std::lock_guard hold(mutex_);
  reply_ = std::move(reply);
  done_ = true;
  changed_.notify_all();
}

void Relay::take_head(int status, const Headers& headers) {
  const std::lock_guard hold(mutex_);
  status_ = status;
  headers_ = headers;
  has_head_ = true;
  changed_.notify_all();
}

void Relay::take_bytes(std::string_view bytes, double seconds) {
  if (reader_) reader_->feed(bytes);
  std::unique_lock hold(mutex_);
  if (first_byte_s_ == 0) first_byte_s_ = seconds;
  while (buffer_.size() >= kBuffered && !stop_) changed_.wait_for(hold, kSlice);
  if (stop_) return;
  buffer_ += bytes;
  changed_.notify_all();
}

Relay::Head Relay::wait_head(Millis patience) {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, patience, [&] { return has_head_ || done_; });
  if (has_head_) return Head::there;
  return done_ ? Head::none : Head::nothing;
}

Relay::Got Relay::next(std::string& bytes, Millis patience) {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, patience, [&] { return !buffer_.empty() || done_; });
  if (buffer_.empty()) return done_ ? Got::end : Got::nothing;
  bytes = std::exchange(buffer_, {});
  changed_.notify_all();
  return Got::bytes;
}

const HttpReply& Relay::end() {
  {
    const std::lock_guard hold(mutex_);
    if (!done_) stop_ = true;
  }
  if (thread_.joinable()) thread_.join();
  return reply_;
}

ProxiedCall Relay::call(const std::string& model, const std::string& why) {
  ProxiedCall call;
  call.wire = *wire_;
  call.deltas = reader_->chunks();
  Completion& completion = call.completion;
  completion.reply = reader_->finish();
  if (completion.reply.model.empty()) completion.reply.model = model;
  completion.status = status_;
  completion.tries = 1;
  completion.seconds = reply_.seconds;
  completion.first_token_s = first_byte_s_;
  const bool good = status_ >= 200 && status_ < 300;
  if (good && completion.reply.complete && completion.reply.error.empty()) {
    completion.end = CallEnd::ok;
  } else if (good && reply_.bytes > 0 && completion.reply.error.empty()) {
    completion.end = CallEnd::partial;
    completion.message = !why.empty()             ? why
                         : reply_.message.empty() ? "the reply ends before its end"
                                                  : reply_.message;
  } else if (!why.empty() && reply_.end == HttpEnd::cancelled) {
    completion.end = CallEnd::cancelled;
    completion.message = why;
  } else {
    completion.end = CallEnd::failed;
    completion.message = !completion.reply.error.empty() ? completion.reply.error
                         : !reply_.message.empty()       ? reply_.message
                                                         : "HTTP status " + std::to_string(status_);
  }
  return call;
}

}  // namespace kgb::llm
