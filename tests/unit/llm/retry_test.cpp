// SPDX-License-Identifier: Apache-2.0
// Specification of what is tried again, after how long, and what is whose fault.
#include "llm/retry.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace kgb::llm {
namespace {

HttpReply http(int status, HttpEnd end = HttpEnd::whole) {
  HttpReply reply;
  reply.status = status;
  reply.end = end;
  return reply;
}
Reply error(std::string kind = "") {
  Reply reply;
  reply.error = "no";
  reply.error_kind = std::move(kind);
  return reply;
}
Reply text(bool complete) {
  Reply reply;
  reply.text = "x";
  reply.complete = complete;
  return reply;
}

TEST(Retry, AWholeReplyIsGood) {
  EXPECT_EQ(fate_of(http(200), text(true)), Fate::good);
  // The connection was lost when all had been said.
  EXPECT_EQ(fate_of(http(200, HttpEnd::cut), text(true)), Fate::good);
  Reply silent;
  silent.complete = true;
  EXPECT_EQ(fate_of(http(200), silent), Fate::good) << "a model may say nothing";
}

TEST(Retry, BusyServersAndLostConnectionsAreTriedAgain) {
  for (const int status : {408, 409, 429, 500, 502, 503, 529})
    EXPECT_EQ(fate_of(http(status), error()), Fate::again);
  for (const HttpEnd end : {HttpEnd::no_connection, HttpEnd::cut, HttpEnd::stalled})
    EXPECT_EQ(fate_of(http(0, end), {}), Fate::again);
  EXPECT_EQ(fate_of(http(200, HttpEnd::cut), error()), Fate::again) << "cut before the first word";
  EXPECT_EQ(fate_of(http(200), error("overloaded_error")), Fate::again);
}

TEST(Retry, WhatHasBegunIsPaidForAndNotAskedForAgain) {
  EXPECT_EQ(fate_of(http(200, HttpEnd::cut), text(false)), Fate::partial);
  EXPECT_EQ(fate_of(http(200, HttpEnd::stalled), text(false)), Fate::partial);
  EXPECT_EQ(fate_of(http(200, HttpEnd::too_large), text(false)), Fate::partial);
  EXPECT_EQ(fate_of(http(200), text(false)), Fate::partial);
  Reply thinking;
  thinking.reasoning = "Hm.";
  EXPECT_EQ(fate_of(http(200, HttpEnd::cut), thinking), Fate::partial);
}

TEST(Retry, AWrongRequestIsOfThisCallAndAWrongKeyOfAllCalls) {
  for (const int status : {400, 413, 422}) EXPECT_EQ(fate_of(http(status), error()), Fate::wrong);
  for (const int status : {301, 302, 307, 401, 402, 403, 404, 405})
    EXPECT_EQ(fate_of(http(status), error()), Fate::fatal);
  EXPECT_EQ(fate_of(http(429), error("insufficient_quota")), Fate::fatal);
  EXPECT_EQ(fate_of(http(0, HttpEnd::unusable), {}), Fate::fatal);
  EXPECT_EQ(fate_of(http(200), error()), Fate::wrong) << "no reply of this wire";
}

TEST(Retry, AfterTheLastTryOnlySilenceIsFatal) {
  EXPECT_EQ(last_fate(http(0, HttpEnd::no_connection)), Fate::fatal);
  EXPECT_EQ(last_fate(http(429)), Fate::wrong);
  EXPECT_EQ(last_fate(http(0, HttpEnd::stalled)), Fate::wrong);
}

TEST(Retry, WaitsDoubleAreSpreadAndCapped) {
  const Backoff backoff{.first_s = 1, .most_s = 10};
  EXPECT_DOUBLE_EQ(wait_s(1, {}, 0, backoff), 0.5);
  EXPECT_DOUBLE_EQ(wait_s(1, {}, 1, backoff), 1);
  EXPECT_DOUBLE_EQ(wait_s(3, {}, 0.5, backoff), 3);
  EXPECT_DOUBLE_EQ(wait_s(5, {}, 0.5, backoff), 10);
  EXPECT_DOUBLE_EQ(wait_s(2'000'000'000, {}, 0.5, backoff), 10);
}

TEST(Retry, TheServersTimeIsNeverCutButByTheCap) {
  const Backoff backoff{.first_s = 1, .most_s = 10};
  EXPECT_DOUBLE_EQ(wait_s(1, 7, 0, backoff), 7);
  EXPECT_DOUBLE_EQ(wait_s(1, 7, 1, backoff), 7.7);
  EXPECT_DOUBLE_EQ(wait_s(4, 0, 0.5, backoff), 0);
  EXPECT_DOUBLE_EQ(wait_s(1, 3600, 0.5, backoff), 10);
}

TEST(Retry, RetryAfterIsSecondsMillisecondsOrADate) {
  ManualClock clock;
  clock.advance(std::chrono::seconds(784111777));  // Sunday, 6 November 1994, 08:49:37
  const auto asked = [&](const std::string& name, const std::string& value) {
    HttpReply reply = http(429);
    reply.headers = {{name, value}};
    return asked_wait_s(reply, clock.wall());
  };
  EXPECT_EQ(asked("retry-after", "3"), 3);
  EXPECT_EQ(asked("retry-after", "0.25"), 0.25);
  EXPECT_EQ(asked("retry-after-ms", "1500"), 1.5);
  EXPECT_EQ(asked("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), 30);
  EXPECT_EQ(asked("retry-after", "Sunday, 06-Nov-94 08:50:07 GMT"), 30);
  EXPECT_EQ(asked("retry-after", "Sun Nov  6 08:50:07 1994"), 30);
  EXPECT_EQ(asked("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), 0) << "it has passed";
  for (const char* bad : {"", "soon", "-1", "nan", "inf", "Sun, 06 Nov 1994", "3 s"})
    EXPECT_EQ(asked("retry-after", bad), std::nullopt) << bad;
  EXPECT_EQ(asked("date", "3"), std::nullopt);
}

}  // namespace
}  // namespace kgb::llm
