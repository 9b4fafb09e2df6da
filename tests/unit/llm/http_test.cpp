// SPDX-License-Identifier: Apache-2.0
// Specification of what is said of servers and read from their headers; exchanges are in client_test.cpp.
#include "llm/http.hpp"

#include <gtest/gtest.h>

namespace kgb::llm {
namespace {

TEST(Http, AnOriginHasNothingThatMayBeSecret) {
  EXPECT_EQ(origin_of("https://host:8443/v1/chat?key=secret#part"), "https://host:8443");
  EXPECT_EQ(origin_of("https://user:secret@host/v1"), "https://host");
  EXPECT_EQ(origin_of("http://[::1]:8000/"), "http://[::1]:8000");
  EXPECT_EQ(origin_of("http://host?key=a@b"), "http://host");
  EXPECT_EQ(origin_of("host/path?key=secret"), "host");
  EXPECT_EQ(origin_of(""), "");
}

TEST(Http, TheFirstHeaderOfANameCounts) {
  HttpReply reply;
  reply.headers = {{"retry-after", "1"}, {"retry-after", "2"}};
  EXPECT_EQ(reply.header("retry-after"), "1");
  EXPECT_EQ(reply.header("location"), "");
}

}  // namespace
}  // namespace kgb::llm
