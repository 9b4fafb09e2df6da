// SPDX-License-Identifier: Apache-2.0
// Calls of a model: from the cassette, or sent until an answer comes or no try is left.
#include "llm/client.hpp"

#include <array>
#include <cstdio>
#include <mutex>
#include <random>
#include <thread>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "llm/gate.hpp"
#include "llm/http.hpp"
#include "llm/outcome.hpp"
#include "llm/retry.hpp"
#include "llm/server_json.hpp"

namespace kgb::llm {
namespace {

constexpr Millis kStopSlice{20};  // between looks at the stop flag
constexpr std::array<std::string_view, 4> kEnds{"ok", "partial", "failed", "cancelled"};

// False: stopped before the time was over.
bool pause(double seconds, const std::atomic<bool>& stop) {
  const auto begin = Steady::now();
  while (millis_since(begin) < seconds * 1000) {
    if (stop) return false;
    std::this_thread::sleep_for(kStopSlice);
  }
  return !stop;
}

Completion cancelled(Completion completion = {}) {
  completion.end = CallEnd::cancelled;
  completion.message = "cancelled";
  completion.fatal = false;
  return completion;
}

Status check(const Endpoint& endpoint) {
  if (endpoint.model.empty()) return user_error("no model was named. Add --model NAME");
  if (endpoint.concurrency < 1 || endpoint.tries < 1)
    return user_error("calls at a time and tries of a call must be at least 1");
  if (!endpoint.body.extra.empty() && !is_json_object(endpoint.body.extra))
    return user_error("what is laid over the request is no JSON object: " + in_quotes(endpoint.body.extra));
  if (endpoint.cassette_mode != CassetteMode::off && endpoint.cassette.empty())
    return user_error("the cassette's mode is " + std::string(name_of(endpoint.cassette_mode)) +
                      ", but no cassette was named");
  if (endpoint.cassette_mode == CassetteMode::replay) return ok_status();
  if (endpoint.base_url.starts_with("http://") || endpoint.base_url.starts_with("https://"))
    return ok_status();
  return user_error("the base URL " + in_quotes(endpoint.base_url) +
                    " does not begin with http:// or https://");
}

}  // namespace

std::string request_url(const Endpoint& endpoint) {
  return upstream_url(endpoint.base_url, endpoint.wire, path_of(endpoint.wire));
}

std::string_view name_of(CallEnd end) {
  return kEnds[static_cast<std::size_t>(end)];
}

struct Client::Impl {
  explicit Impl(Endpoint wanted) : endpoint(std::move(wanted)), gate(endpoint.concurrency) {}

  // One exchange as it came.
  struct Try {
    HttpReply http;
    Reply reply;
    double first_token_s = 0;
    std::vector<Piece> pieces;
    std::string bytes;
  };

  double jitter();
  Try send(const std::string& body, const std::atomic<bool>& stop);
  Completion send_until_answered(const std::string& body, const ExchangeKey& key,
                                 const std::atomic<bool>& stop);
  std::optional<Completion> from_cassette(const ExchangeKey& key);
  Completion replay(const Recording& recording) const;
  void record(const ExchangeKey& key, Try& last);
  Completion conclude(const Try& last, Fate fate, int tries) const;

  Endpoint endpoint;
  std::string url;
  std::unique_ptr<HttpTransport> http;
  std::unique_ptr<Cassette> cassette;
  Gate gate;
  std::mutex mutex;  // of `random`
  std::mt19937_64 random{std::random_device{}()};
};

double Client::Impl::jitter() {
  const std::lock_guard lock(mutex);
  return std::uniform_real_distribution<double>(0, 1)(random);
}

Client::Impl::Try Client::Impl::send(const std::string& body, const std::atomic<bool>& stop) {
  HttpRequest request;
  request.url = url;
  request.headers = headers_of(endpoint.wire, endpoint.key);
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.insert(request.headers.end(), endpoint.headers.begin(), endpoint.headers.end());
  request.body = body;
  request.proxy = endpoint.proxy;
  request.connect_s = endpoint.connect_s;
  request.stall_s = endpoint.stall_s;
  Try done;
  ReplyReader reader(endpoint.wire);
  const bool keep = cassette != nullptr && cassette->records();
  const auto on_bytes = [&](std::string_view bytes, double seconds) {
    reader.feed(bytes);
    if (done.first_token_s == 0 && reader.chunks() > 0) done.first_token_s = seconds;
    if (!keep) return;
    done.bytes += bytes;
    done.pieces.push_back({seconds, bytes.size()});
  };
  done.http = http->send(request, on_bytes, stop);
  done.reply = reader.finish();
  return done;
}

Completion Client::Impl::conclude(const Try& last, Fate fate, int tries) const {
  Completion completion;
  completion.reply = last.reply;
  completion.status = last.http.status;
  completion.tries = tries;
  completion.seconds = last.http.seconds;
  completion.first_token_s = last.first_token_s;
  // What had come by then is kept: it has been paid for.
  if (last.http.end == HttpEnd::cancelled && fate != Fate::good) return cancelled(std::move(completion));
  if (fate == Fate::again) fate = last_fate(last.http);
  completion.fatal = fate == Fate::fatal;
  completion.end = fate == Fate::good      ? CallEnd::ok
                   : fate == Fate::partial ? CallEnd::partial
                                           : CallEnd::failed;
  if (fate != Fate::good) completion.message = why_not(endpoint, last.http, last.reply, fate, tries);
  return completion;
}

Completion Client::Impl::send_until_answered(const std::string& body, const ExchangeKey& key,
                                             const std::atomic<bool>& stop) {
  double waited = 0;
  for (int tries = 1;; ++tries) {
    Try last = send(body, stop);
    const Fate fate = fate_of(last.http, last.reply);
    Completion completion = conclude(last, fate, tries);
    completion.waited_s = waited;
    // Only this is kept: a refusal may be about money, and would be replayed when there is some.
    if (fate == Fate::good) record(key, last);
    if (fate != Fate::again || tries >= endpoint.tries || completion.end == CallEnd::cancelled)
      return completion;
    const double wait = wait_s(tries, asked_wait_s(last.http, system_clock().wall()), jitter(),
                               {endpoint.first_wait_s, endpoint.most_wait_s});
    log::info("try " + std::to_string(tries) + " of a call of " + endpoint.model + ": " +
              why_not(endpoint, last.http, last.reply, fate, tries));
    if (!pause(wait, stop)) return cancelled(std::move(completion));
    waited += wait;
  }
}

void Client::Impl::record(const ExchangeKey& key, Try& last) {
  if (cassette == nullptr || !cassette->records()) return;
  Recording recording;
  recording.key = key;
  recording.status = last.http.status;
  recording.headers = last.http.headers;
  recording.body = std::move(last.bytes);
  recording.pieces = std::move(last.pieces);
  recording.by = "kgbench " + std::string(version());
  recording.from = origin_of(endpoint.base_url);
  recording.at = iso_utc(system_clock().wall());
  // The reply has been paid for: it is not given up because a disk is full.
  if (const Status added = cassette->add(std::move(recording)); !added.ok())
    log::error("a reply was not recorded: " + added.error().message);
}

Completion Client::Impl::replay(const Recording& recording) const {
  Try again;
  ReplyReader reader(endpoint.wire);
  std::string_view rest = recording.body;
  for (const Piece& piece : recording.pieces) {
    reader.feed(rest.substr(0, piece.bytes));
    rest.remove_prefix(piece.bytes);
    if (again.first_token_s == 0 && reader.chunks() > 0) again.first_token_s = piece.at_s;
    again.http.seconds = piece.at_s;
  }
  again.reply = reader.finish();
  again.http.status = recording.status;
  Completion completion = conclude(again, fate_of(again.http, again.reply), 0);
  completion.replayed = true;
  return completion;
}

// nullopt: it is to be sent.
std::optional<Completion> Client::Impl::from_cassette(const ExchangeKey& key) {
  if (cassette == nullptr || !cassette->replays()) return std::nullopt;
  const Result<std::optional<Recording>> found = cassette->find(key);
  if (found && *found) return replay(**found);
  if (found && cassette->records()) return std::nullopt;
  Completion completion;
  completion.message = found ? cassette->miss(key) : found.error().message;
  return completion;
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::open(Endpoint endpoint) {
  KGB_CHECK(check(endpoint));
  auto impl = std::make_unique<Impl>(std::move(endpoint));
  const Endpoint& wanted = impl->endpoint;
  impl->url = request_url(wanted);
  if (wanted.cassette_mode != CassetteMode::off) {
    KGB_TRY(impl->cassette, Cassette::open(wanted.cassette, wanted.cassette_mode, {wanted.key}));
  }
  if (wanted.cassette_mode != CassetteMode::replay) {
    KGB_TRY(impl->http, open_http());
  }
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

Completion Client::complete(const ChatRequest& request, int sample, const std::atomic<bool>& stop) {
  const Endpoint& to = impl_->endpoint;
  const std::string body = request_body(to.wire, to.model, request, to.body);
  // The name of a limit depends on the server, and a replay may not know which one it was.
  const std::string said = request_body(to.wire, to.model, request, {.extra = to.body.extra});
  const ExchangeKey key{"POST", std::string(path_of(to.wire)), canonical_hash(said), sample};
  if (std::optional<Completion> replayed = impl_->from_cassette(key)) return std::move(*replayed);
  if (!impl_->gate.pass(stop)) return cancelled();
  Completion completion = impl_->send_until_answered(body, key, stop);
  impl_->gate.leave();
  return completion;
}

const Endpoint& Client::endpoint() const {
  return impl_->endpoint;
}

}  // namespace kgb::llm
