// SPDX-License-Identifier: Apache-2.0
// Which requests are passed on, under which token, with which headers.
#include "llm/proxy_route.hpp"

#include <gtest/gtest.h>

namespace kgb::llm {
namespace {

using Kind = Route::Kind;

TEST(Route, CallsOfTheThreeWiresArePassedOnWithOrWithoutTheVersion) {
  for (const char* path : {"/t/abc/v1/chat/completions", "/t/abc/chat/completions"}) {
    const Route route = route_of("POST", path, {});
    EXPECT_EQ(route.kind, Kind::call);
    EXPECT_EQ(route.token, "abc");
    EXPECT_EQ(route.wire, Wire::openai_chat);
    EXPECT_EQ(route.path, "/v1/chat/completions");
  }
  EXPECT_EQ(route_of("POST", "/t/a/v1/responses", {}).wire, Wire::openai_responses);
  EXPECT_EQ(route_of("POST", "/t/a/v1/messages?beta=true", {}).path, "/v1/messages?beta=true");
}

TEST(Route, TheTokenMayBeTheKeyInstead) {
  EXPECT_EQ(route_of("POST", "/v1/messages", {{"X-Api-Key", "abc"}}).token, "abc");
  EXPECT_EQ(route_of("POST", "/v1/responses", {{"authorization", "Bearer abc"}}).token, "abc");
  EXPECT_EQ(route_of("POST", "/v1/responses", {}).token, "");
}

TEST(Route, WhatCostsNothingIsPassedOnUncounted) {
  EXPECT_EQ(route_of("GET", "/t/a/v1/models", {}).kind, Kind::free);
  EXPECT_EQ(route_of("POST", "/t/a/v1/messages/count_tokens", {}).kind, Kind::free);
}

TEST(Route, NothingElseIsPassedOn) {
  for (const char* path : {"/t/a/v1/files", "/t/a/v1/batches", "/t/a/v1/chat/completions/",
                           "/t/a//v1/messages", "/t/a/v1/./messages", "/t/a/v1/%6dessages",
                           "/t/a/v1/files/../messages", "/t/a/v2/v1/messages", "/t/a", "/t/", "/", ""})
    EXPECT_EQ(route_of("POST", path, {}).kind, Kind::none) << path;
  EXPECT_EQ(route_of("GET", "/t/a/v1/messages", {}).kind, Kind::none);
  EXPECT_EQ(route_of("DELETE", "/t/a/v1/models", {}).kind, Kind::none);
}

TEST(Route, AHoldersServicesAreNamed) {
  const Route route = route_of("POST", "/t/a/kgbench/verify", {});
  EXPECT_EQ(route.kind, Kind::service);
  EXPECT_EQ(route.service, "verify");
  EXPECT_EQ(route_of("GET", "/t/a/kgbench/verify", {}).kind, Kind::none);
}

TEST(Headers, GoOnWhereTheySayWhatIsSentAndNotWhoSendsIt) {
  const Headers on = passed_on({{"Content-Type", "application/json"},
                                {"Authorization", "Bearer x"},
                                {"x-api-key", "x"},
                                {"Cookie", "x"},
                                {"Accept-Encoding", "gzip"},
                                {"OpenAI-Organization", "x"},
                                {"anthropic-beta", "tools"}});
  EXPECT_EQ(on, (Headers{{"content-type", "application/json"}, {"anthropic-beta", "tools"}}));
}

TEST(Headers, ComeBackButForThoseOfTheConnection) {
  const Headers back =
      passed_back({{"retry-after", "3"}, {"transfer-encoding", "chunked"}, {"set-cookie", "x"}});
  EXPECT_EQ(back, (Headers{{"retry-after", "3"}}));
}

TEST(UpstreamUrl, TakesBaseUrlsAsClientsDo) {
  const auto openai = [](const char* base) {
    return upstream_url(base, Wire::openai_chat, "/v1/chat/completions");
  };
  EXPECT_EQ(openai("https://a.example"), "https://a.example/v1/chat/completions");
  EXPECT_EQ(openai("https://a.example/v1/"), "https://a.example/v1/chat/completions");
  EXPECT_EQ(openai("https://a.example/api/v4"), "https://a.example/api/v4/chat/completions");
  EXPECT_EQ(upstream_url("https://a.example/anthropic", Wire::anthropic, "/v1/messages"),
            "https://a.example/anthropic/v1/messages");
}

}  // namespace
}  // namespace kgb::llm
