// SPDX-License-Identifier: Apache-2.0
// Specification of how --model and the environment become an endpoint.
#include "llm/endpoint.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/files.hpp"

namespace kgb::llm {
namespace {

using Variables = std::map<std::string, std::string>;

struct Found {
  Result<Endpoint> endpoint;
  std::vector<std::string> warnings;
};
Found find(const EndpointOptions& choice, const Variables& variables) {
  std::vector<std::string> warnings;
  const auto environment = [&](const char* name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  };
  Result<Endpoint> endpoint =
      endpoint_of(choice, environment, [&](const std::string& w) { warnings.push_back(w); });
  return {std::move(endpoint), std::move(warnings)};
}
EndpointOptions a_model(std::string name) {
  EndpointOptions choice;
  choice.model = std::move(name);
  return choice;
}
std::string error_of(const EndpointOptions& choice, const Variables& variables) {
  const Found found = find(choice, variables);
  return found.endpoint.ok() ? "" : found.endpoint.error().message;
}
const Variables kBoth{{"OPENAI_API_KEY", "ko"}, {"ANTHROPIC_API_KEY", "ka"}};

TEST(Endpoint, APrefixChoosesTheWireAndItsKey) {
  struct Case {
    const char *model, *name, *key, *url;
    Wire wire;
  };
  for (const Case& one :
       {Case{"m", "m", "ko", "https://api.openai.com", Wire::openai_chat},
        Case{"openai/m", "m", "ko", "https://api.openai.com", Wire::openai_chat},
        Case{"openai-responses/m", "m", "ko", "https://api.openai.com", Wire::openai_responses},
        Case{"anthropic/m", "m", "ka", "https://api.anthropic.com", Wire::anthropic},
        Case{"meta/m", "meta/m", "ko", "https://api.openai.com", Wire::openai_chat}}) {
    const Found found = find(a_model(one.model), kBoth);
    ASSERT_TRUE(found.endpoint.ok()) << found.endpoint.error().message;
    EXPECT_EQ(found.endpoint->model, one.name);
    EXPECT_EQ(found.endpoint->key, one.key);
    EXPECT_EQ(found.endpoint->base_url, one.url);
    EXPECT_EQ(found.endpoint->wire, one.wire);
  }
}

TEST(Endpoint, ANamedWireLeavesTheModelAsItIs) {
  EndpointOptions choice = a_model("openai/gpt-oss");
  choice.wire = "anthropic";
  const Found found = find(choice, kBoth);
  EXPECT_EQ(found.endpoint->wire, Wire::anthropic);
  EXPECT_EQ(found.endpoint->model, "openai/gpt-oss");
  choice.wire = "antropic";
  EXPECT_EQ(error_of(choice, kBoth),
            "no wire 'antropic' (did you mean 'anthropic'?). Wires: openai, openai-responses, anthropic");
}

TEST(Endpoint, WithoutAPrefixTheEnvironmentChooses) {
  EXPECT_EQ(find(a_model("m"), {{"ANTHROPIC_API_KEY", "ka"}}).endpoint->wire, Wire::anthropic);
  EXPECT_EQ(find(a_model("m"), {{"ANTHROPIC_BASE_URL", "http://h"}}).endpoint->wire, Wire::anthropic);
  EXPECT_EQ(find(a_model("m"), kBoth).endpoint->wire, Wire::openai_chat);
}

TEST(Endpoint, AServerOfOnesOwnNeedsNoKey) {
  const Found found = find(a_model("m"), {{"OPENAI_BASE_URL", "http://127.0.0.1:8000/v1"}});
  ASSERT_TRUE(found.endpoint.ok());
  EXPECT_EQ(found.endpoint->key, "");
  EXPECT_EQ(request_url(*found.endpoint), "http://127.0.0.1:8000/v1/chat/completions");
  EXPECT_FALSE(found.endpoint->body.max_completion_tokens);
  EndpointOptions choice = a_model("m");
  choice.base_url = "http://other";
  EXPECT_EQ(find(choice, {{"OPENAI_BASE_URL", "http://env"}}).endpoint->base_url, "http://other");
}

TEST(Endpoint, WithoutAKeyTheErrorSaysWhatToSet) {
  EXPECT_EQ(
      error_of(a_model("anthropic/m"), {{"OPENAI_API_KEY", "ko"}}),
      "no key for https://api.anthropic.com. Set ANTHROPIC_API_KEY, or name a file that holds the key with "
      "--key-file; for a server of your own set ANTHROPIC_BASE_URL or --base-url; --model local needs no "
      "key");
  EXPECT_EQ(error_of(a_model(""), kBoth), "no model was named. Add --model NAME, or --model local");
}

TEST(Endpoint, AReplayNeedsNoKey) {
  EndpointOptions choice = a_model("m");
  choice.cassette = "c.jsonl";
  EXPECT_NE(error_of(choice, {}), "");
  choice.cassette_mode = "replay";
  EXPECT_TRUE(find(choice, {}).endpoint.ok());
  choice.cassette_mode = "replya";
  EXPECT_EQ(error_of(choice, {}), "no cassette mode 'replya'. Modes: record, replay, auto");
}

TEST(Endpoint, TheLocalModelGetsNobodysKey) {
  EndpointOptions choice = a_model("local");
  choice.base_url = "http://127.0.0.1:9";
  const Found found = find(choice, kBoth);
  EXPECT_EQ(found.endpoint->key, "");
  EXPECT_EQ(found.endpoint->wire, Wire::openai_chat);
  EXPECT_EQ(find(choice, {{"ANTHROPIC_API_KEY", "ka"}}).endpoint->wire, Wire::openai_chat);
}

TEST(Endpoint, AKeyFileIsReadAndWatched) {
  const TempDir folder = TempDir::make("key").value();
  EndpointOptions choice = a_model("m");
  choice.key_file = folder.path() / "key";
  ASSERT_TRUE(write_file(choice.key_file, " sk-1234\n", 0600).ok());
  const Found closed = find(choice, {{"OPENAI_API_KEY", "other"}});
  EXPECT_EQ(closed.endpoint->key, "sk-1234");
  EXPECT_TRUE(closed.warnings.empty());
  std::filesystem::permissions(choice.key_file, std::filesystem::perms(0644));
  const Found open = find(choice, {});
  ASSERT_EQ(open.warnings.size(), 1u);
  EXPECT_TRUE(open.warnings[0].starts_with("other users can read the key file '"));
  EXPECT_EQ(open.warnings[0].find("sk-1234"), std::string::npos);
  ASSERT_TRUE(write_file(choice.key_file, "two words\n", 0600).ok());
  EXPECT_TRUE(error_of(choice, {}).ends_with("must hold one word, the key"));
}

TEST(Endpoint, HeadersAreNamesAndValues) {
  EndpointOptions choice = a_model("m");
  choice.headers = {"X-Title:  kgbench "};
  EXPECT_EQ(find(choice, kBoth).endpoint->headers, (Headers{{"X-Title", "kgbench"}}));
  for (const char* bad : {"X-Title", ": v", "A: b\r\nC: d"}) {
    choice.headers = {bad};
    EXPECT_EQ(error_of(choice, kBoth), "--header must be 'Name: value', one line") << bad;
  }
}

TEST(RequestUrl, TakesBaseUrlsAsTheVendorsClientsDo) {
  const auto url = [](Wire wire, const char* base) {
    Endpoint endpoint;
    endpoint.wire = wire;
    endpoint.base_url = base;
    return request_url(endpoint);
  };
  EXPECT_EQ(url(Wire::openai_chat, "https://api.openai.com"), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(url(Wire::openai_chat, "https://api.openai.com/v1/"),
            "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(url(Wire::openai_chat, "https://host/api/paas/v4"), "https://host/api/paas/v4/chat/completions");
  EXPECT_EQ(url(Wire::openai_responses, "http://h:1"), "http://h:1/v1/responses");
  EXPECT_EQ(url(Wire::anthropic, "https://api.anthropic.com"), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(url(Wire::anthropic, "https://host/anthropic"), "https://host/anthropic/v1/messages");
  EXPECT_EQ(url(Wire::anthropic, "http://h/run/v1"), "http://h/run/v1/messages");
}

}  // namespace
}  // namespace kgb::llm
