// SPDX-License-Identifier: Apache-2.0
// What a person reads of a call that did not end well.
#include "llm/outcome.hpp"

#include "base/text.hpp"

namespace kgb::llm {
namespace {

constexpr std::size_t kMostOfTheServer = 300;  // bytes of its own message

// "429: slow down", "no byte for 120 s", "the reply has no choices".
std::string cause(const HttpReply& http, const Reply& reply) {
  if (http.end != HttpEnd::whole) return http.message;
  std::string said(cut_utf8(reply.error, kMostOfTheServer));
  for (char& c : said)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (http.status >= 200 && http.status < 300) return said.empty() ? "the stream ended before its end" : said;
  return std::to_string(http.status) + (said.empty() ? "" : ": " + said);
}

std::string of_the_endpoint(const Endpoint& endpoint, const HttpReply& http, const std::string& why) {
  if (http.end == HttpEnd::no_connection)
    return " cannot be reached: " + why + ". Is the server running, and is the base URL right?";
  if (http.end == HttpEnd::unusable) return " cannot be used: " + why;
  if (http.status >= 300 && http.status < 400)
    return " redirects to " + in_quotes(origin_of(http.header("location"))) + " (" +
           std::to_string(http.status) + "), and the key is not sent on. Name that server as the base URL";
  if (http.status == 404 || http.status == 405)
    return " knows no such model or path (" + why + "). Check --model " + endpoint.model + ", the wire " +
           std::string(name_of(endpoint.wire)) + " and the base URL";
  if (http.status == 401 || http.status == 403)
    return " refuses the key (" + why + "). Check " +
           (endpoint.key_source.empty() ? std::string("the key") : endpoint.key_source);
  return " refuses all requests (" + why + ")";
}

std::string text(const Endpoint& endpoint, const HttpReply& http, const Reply& reply, Fate fate, int tries) {
  const std::string why = cause(http, reply);
  switch (fate) {
    case Fate::fatal:
      return of_the_endpoint(endpoint, http, why);
    case Fate::partial:
      return " broke off its reply: " + why;
    case Fate::again:
      return ": " + why;
    default:
      if (tries > 1) return " did not answer in " + std::to_string(tries) + " tries (the last: " + why + ")";
      return http.status >= 400 ? " refuses the request (" + why + ")" : ": " + why;
  }
}

}  // namespace

std::string why_not(const Endpoint& endpoint, const HttpReply& http, const Reply& reply, Fate fate,
                    int tries) {
  std::string line = origin_of(endpoint.base_url) + text(endpoint, http, reply, fate, tries);
  return endpoint.key.empty() ? line : replace_all(line, endpoint.key, "[redacted]");
}

}  // namespace kgb::llm
