// SPDX-License-Identifier: Apache-2.0
// kgbench ask: one call of a model, to see that key, endpoint and wire are right before a run pays for many.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "llm/http.hpp"
#include "llm/prices.hpp"
#include "open_model.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

using Json = nlohmann::json;

struct AskArguments {
  llm::EndpointOptions model;
  std::string prompt_file = "-", system_file;
  std::optional<double> temperature;
  std::optional<std::uint64_t> seed;
  std::int64_t max_tokens = llm::ChatRequest().max_tokens;
  int sample = 0;
  bool install = false, json = false;
};

Result<std::string> read_prompt(const std::string& file) {
  if (file != "-") return read_text_file(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

Result<llm::ChatRequest> request_of(const AskArguments& options) {
  llm::ChatRequest request;
  if (!options.system_file.empty()) {
    KGB_TRY(std::string text, read_text_file(options.system_file));
    request.messages.push_back({"system", std::move(text)});
  }
  KGB_TRY(std::string prompt, read_prompt(options.prompt_file));
  if (trim(prompt).empty()) return user_error("the prompt is empty");
  request.messages.push_back({"user", std::move(prompt)});
  request.temperature = options.temperature;
  request.seed = options.seed;
  request.max_tokens = options.max_tokens;
  return request;
}

// "prompt 31 (4 cached), completion 12 (3 reasoning)", "tokens unknown".
std::string tokens_text(const llm::Usage& usage) {
  if (!usage.known) return "tokens unknown: the server told none";
  std::string text = fmt::format("prompt {}", usage.prompt);
  if (usage.cached > 0) text += fmt::format(" ({} cached)", usage.cached);
  if (usage.cache_write > 0) text += fmt::format(" ({} written to the cache)", usage.cache_write);
  text += fmt::format(", completion {}", usage.completion);
  if (usage.reasoning > 0) text += fmt::format(" ({} reasoning)", usage.reasoning);
  return text;
}

std::string ledger_line(const llm::Endpoint& endpoint, const llm::Completion& done,
                        const std::optional<double>& cost) {
  std::string line =
      fmt::format("{} at {} over {}: {}, {}", endpoint.model, llm::origin_of(endpoint.base_url),
                  llm::name_of(endpoint.wire), llm::name_of(done.end), tokens_text(done.reply.usage));
  line += cost ? fmt::format(", {:.6f} dollars", *cost) : ", price unknown";
  line += fmt::format(", first token {:.2f} s, {:.2f} s", done.first_token_s, done.seconds);
  if (done.replayed) return line + ", replayed: nothing was paid";
  if (done.tries != 1) line += fmt::format(", {} tries", done.tries);
  return done.waited_s > 0 ? line + fmt::format(", waited {:.1f} s", done.waited_s) : line;
}

Json usage_json(const llm::Usage& usage) {
  if (!usage.known) return nullptr;
  return {{"prompt", usage.prompt},
          {"cached", usage.cached},
          {"cache_write", usage.cache_write},
          {"completion", usage.completion},
          {"reasoning", usage.reasoning}};
}

std::string to_json(const llm::Endpoint& endpoint, const llm::Completion& done,
                    const std::optional<double>& cost) {
  const Json json{{"end", llm::name_of(done.end)},
                  {"message", done.message},
                  {"fatal", done.fatal},
                  {"text", done.reply.text},
                  {"reasoning", done.reply.reasoning},
                  {"finish", done.reply.finish},
                  {"model", endpoint.model},
                  {"served_model", done.reply.model},
                  {"wire", llm::name_of(endpoint.wire)},
                  {"server", llm::origin_of(endpoint.base_url)},
                  {"status", done.status},
                  {"usage", usage_json(done.reply.usage)},
                  {"dollars", cost ? Json(*cost) : Json(nullptr)},
                  {"tries", done.tries},
                  {"first_token_s", done.first_token_s},
                  {"seconds", done.seconds},
                  {"waited_s", done.waited_s},
                  {"replayed", done.replayed}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<int> ask(const AskArguments& options) {
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(const llm::ChatRequest request, request_of(options));
  KGB_TRY(const std::vector<llm::Price> prices,
          llm::load_prices(installation.home / "catalogue" / "prices.json"));
  KGB_TRY(const OpenModel model, open_model(options.model, options.install, installation));
  const llm::Completion done = model.client->complete(request, options.sample, stop_on_interrupt());
  const llm::Endpoint& endpoint = model.client->endpoint();
  const std::optional<double> cost = llm::dollars(prices, endpoint.model, done.reply.usage);
  if (options.json) {
    std::printf("%s\n", to_json(endpoint, done, cost).c_str());
  } else if (done.end == llm::CallEnd::ok || !done.reply.text.empty()) {
    std::printf("%s\n", done.reply.text.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "  %s\n", ledger_line(endpoint, done, cost).c_str());
  }
  if (done.end == llm::CallEnd::ok) return kExitPass;
  return done.fatal ? user_error(done.message) : host_error(done.message);
}

}  // namespace

Registered register_ask(CLI::App& root) {
  auto options = std::make_shared<AskArguments>();
  CLI::App* command =
      root.add_subcommand("ask", "Ask a model once: checks key, endpoint and wire before a run");
  command->footer(help_text("ask"));
  command->add_option("prompt", options->prompt_file, "file with the prompt; - for standard input")
      ->capture_default_str();
  add_model_options(*command, options->model);
  command->add_option("--system", options->system_file, "file with a system text");
  command->add_option("--temperature", options->temperature, "of sampling (default: the server's)")
      ->check(CLI::Range(0.0, 2.0));
  command->add_option("--sampling-seed", options->seed, "sent over the wire openai, which alone has one");
  command->add_option("--max-tokens", options->max_tokens, "of the reply")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--sample", options->sample, "which recording of this prompt a cassette gives or takes")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_flag("--install", options->install,
                    "first install the local model, with pip, into a folder of its own");
  command->add_flag("--json", options->json, "reply and counts as JSON");
  return {command, [options]() { return ask(*options); }};
}

}  // namespace kgb::app
