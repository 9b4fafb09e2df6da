// SPDX-License-Identifier: Apache-2.0
// HTTP over libcurl.
#include "llm/http.hpp"

#include "base/text.hpp"

#if KGB_WITH_HTTP

#include <curl/curl.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/version.hpp"

namespace kgb::llm {
namespace {

constexpr std::size_t kMaxHeaders = std::size_t{64} << 10;
constexpr int kSliceMs = 50;  // between looks at the stop flag and the stall clock

// The multi handle holds the connections; the easy one is set anew for each exchange. Goes in this order:
// easy first.
struct Session {
  std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi{curl_multi_init(), curl_multi_cleanup};
  std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
};

bool is_loopback(std::string_view url) {
  const std::string origin = to_lower(origin_of(url));
  const std::string_view host = std::string_view(origin).substr(origin.find("://") + 3);
  for (const std::string name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == name || host.starts_with(name + ":")) return true;
  return false;
}

class Exchange {
 public:
  Exchange(Session& session, const HttpRequest& request, const OnBytes& on_bytes)
      : session_(session), request_(request), on_bytes_(on_bytes) {}

  HttpReply run(const std::atomic<bool>& stop);

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(session_.easy.get(), option, value);
  }
  void set_up();
  void pump(const std::atomic<bool>& stop);
  void conclude(CURLcode code);
  void tell_head();
  void give_up(HttpEnd end, std::string message) {
    reply_.end = end;
    reply_.message = std::move(message);
    ended_ = true;
  }
  [[nodiscard]] double seconds() const { return millis_since(begin_) / 1000; }
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up);

  Session& session_;
  const HttpRequest& request_;
  const OnBytes& on_bytes_;
  HttpReply reply_;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_{nullptr, curl_slist_free_all};
  std::array<char, CURL_ERROR_SIZE> why_{};
  Steady::time_point begin_ = Steady::now(), last_byte_ = begin_;
  curl_off_t moved_ = 0;
  std::size_t header_bytes_ = 0;
  bool told_ = false;   // of the head
  bool ended_ = false;  // `reply_.end` is decided
};

std::size_t Exchange::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& me = *static_cast<Exchange*>(self);
  me.last_byte_ = Steady::now();
  const std::string_view line = trim(std::string_view(bytes, size * count));
  me.header_bytes_ += size * count;
  if (me.header_bytes_ > kMaxHeaders) {
    me.give_up(HttpEnd::too_large, "the reply's headers are longer than " + human_bytes(kMaxHeaders));
    return 0;
  }
  if (line.starts_with("HTTP/")) me.reply_.headers.clear();  // those of an interim reply
  if (line.empty()) me.tell_head();
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos)
    me.reply_.headers.emplace_back(to_lower(line.substr(0, colon)),
                                   std::string(trim(line.substr(colon + 1))));
  return size * count;
}

void Exchange::tell_head() {
  long status = 0;
  curl_easy_getinfo(session_.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (told_ || status < 200) return;
  told_ = true;
  if (request_.on_head) request_.on_head(static_cast<int>(status), reply_.headers);
}

std::size_t Exchange::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& me = *static_cast<Exchange*>(self);
  const std::string_view part(bytes, size * count);
  me.last_byte_ = Steady::now();
  me.reply_.bytes += part.size();
  if (me.reply_.bytes > me.request_.max_bytes) {
    me.give_up(HttpEnd::too_large, "the reply is longer than " + human_bytes(me.request_.max_bytes));
    return 0;
  }
  me.on_bytes_(part, me.seconds());
  return part.size();
}

int Exchange::on_progress(void* self, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up) {
  auto& me = *static_cast<Exchange*>(self);
  if (down + up != me.moved_) me.last_byte_ = Steady::now();
  me.moved_ = down + up;
  return 0;
}

void Exchange::set_up() {
  curl_easy_reset(session_.easy.get());
  curl_slist* list = nullptr;
  for (const auto& [name, value] : request_.headers)
    list = curl_slist_append(list, (name + ": " + value).c_str());
  list = curl_slist_append(list, "Expect:");  // no round trip before a long body
  headers_.reset(list);
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_USERAGENT, ("kgbench/" + std::string(version())).c_str());
  if (request_.method == "POST") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.c_str());
  } else {
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  if (!request_.proxy.empty())
    set(CURLOPT_PROXY, request_.proxy.c_str());
  else if (is_loopback(request_.url))
    set(CURLOPT_PROXY, "");  // the environment's proxy would look for the server on its own machine
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_s * 1000));
  set(CURLOPT_ERRORBUFFER, why_.data());
  set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Exchange::on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

// Stalls are watched here and not by CURLOPT_LOW_SPEED_TIME: that averages over seconds, knows whole seconds
// only, and a server that sends a comment each quarter of a minute while its model thinks is alive.
void Exchange::pump(const std::atomic<bool>& stop) {
  for (int running = 1; running > 0 && !ended_;) {
    if (curl_multi_perform(session_.multi.get(), &running) != CURLM_OK)
      return give_up(HttpEnd::cut, "libcurl failed inside");
    if (running == 0 || ended_) return;
    if (stop) {
      curl_multi_perform(session_.multi.get(), &running);  // what has come already is kept
      return running == 0 || ended_ ? void() : give_up(HttpEnd::cancelled, "cancelled");
    }
    if (millis_since(last_byte_) > request_.stall_s * 1000)
      return give_up(HttpEnd::stalled, "no byte for " + seconds_text(request_.stall_s));
    curl_multi_poll(session_.multi.get(), nullptr, 0, kSliceMs, nullptr);
  }
}

bool is_unusable(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return true;
    default:
      return false;
  }
}

void Exchange::conclude(CURLcode code) {
  if (ended_ || code == CURLE_OK) return;
  const std::string why = why_[0] == '\0' ? curl_easy_strerror(code) : why_.data();
  curl_off_t sent = 0;  // when the request was on its way; 0: never
  curl_easy_getinfo(session_.easy.get(), CURLINFO_PRETRANSFER_TIME_T, &sent);
  if (is_unusable(code))
    give_up(HttpEnd::unusable, why);
  else
    give_up(sent > 0 ? HttpEnd::cut : HttpEnd::no_connection, why);
}

HttpReply Exchange::run(const std::atomic<bool>& stop) {
  set_up();
  CURLM* const multi = session_.multi.get();
  curl_multi_add_handle(multi, session_.easy.get());
  pump(stop);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left))
    if (message->msg == CURLMSG_DONE) conclude(message->data.result);
  long status = 0;
  curl_easy_getinfo(session_.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_multi_remove_handle(multi, session_.easy.get());  // closes the connection where the reply is not over
  reply_.status = static_cast<int>(status);
  reply_.seconds = seconds();
  return std::move(reply_);
}

class CurlTransport final : public HttpTransport {
 public:
  HttpReply send(const HttpRequest& request, const OnBytes& on_bytes,
                 const std::atomic<bool>& stop) override {
    std::unique_ptr<Session> session = take();
    HttpReply reply = Exchange(*session, request, on_bytes).run(stop);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
    return reply;
  }

 private:
  std::unique_ptr<Session> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Session>();
    std::unique_ptr<Session> session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> open_http() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK)
    return host_error("libcurl does not start: " + std::string(curl_easy_strerror(ready)));
  return std::unique_ptr<HttpTransport>(std::make_unique<CurlTransport>());
}

}  // namespace kgb::llm

#else

namespace kgb::llm {

Result<std::unique_ptr<HttpTransport>> open_http() {
  return host_error(
      "this kgbench was built without HTTP and cannot talk to models. Build it where libcurl and cpp-httplib "
      "are (tools/packages.txt), or replay a cassette");
}

}  // namespace kgb::llm

#endif

namespace kgb::llm {

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [found, value] : headers)
    if (found == name) return value;
  return {};
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url.substr(0, url.find_first_of("/?#")));
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  return std::string(url.substr(0, scheme + 3)) + std::string(host);
}

}  // namespace kgb::llm
