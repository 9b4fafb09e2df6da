// SPDX-License-Identifier: Apache-2.0
// Options of models, and what opens one.
#include "open_model.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace kgb::app {
namespace {

method::LocalModelSite site_of(const Installation& installation) {
  return {.interpreter = installation.interpreter,
          .python_dir = installation.python_dir,
          .requirements = installation.home / "requirements" / "local-model.txt",
          .folder = installation.library_dir.parent_path() / "local-model"};
}

}  // namespace

void add_model_options(CLI::App& command, llm::EndpointOptions& options) {
  command.add_option(
      "--model", options.model,
      "the model: NAME, anthropic/NAME, openai/NAME, openai-responses/NAME, or local: the small one "
      "that kgbench brings");
  command.add_option("--wire", options.wire,
                     "openai, openai-responses or anthropic (default: as the model's prefix says)");
  command.add_option("--base-url", options.base_url,
                     "of the server (default: OPENAI_BASE_URL or ANTHROPIC_BASE_URL)");
  command.add_option("--key-file", options.key_file,
                     "file that holds the key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)");
  command.add_option("--header", options.headers, "'Name: value' for each request; may be given again")
      ->expected(1)
      ->take_all();
  command.add_option("--extra-body", options.extra_body,
                     "JSON object laid over each request's body; null takes a member away");
  command.add_option("--proxy", options.proxy, "HTTP or SOCKS proxy (default: from the environment)");
  command.add_option("--stall-limit", options.stall_s, "seconds without a byte, then a try is given up")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--tries", options.tries, "of a call, where the server is busy or the connection is lost")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command.add_option("--model-concurrency", options.concurrency, "calls under way at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--cassette", options.cassette, "file that calls are recorded in and replayed from");
  command
      .add_option("--cassette-mode", options.cassette_mode,
                  "record, replay, or auto: replay what is there, record the rest")
      ->check(CLI::IsMember({"record", "replay", "auto"}))
      ->capture_default_str();
}

Result<OpenModel> open_model(llm::EndpointOptions options, bool install, const Installation& installation) {
  OpenModel opened;
  const bool replay = !options.cassette.empty() && options.cassette_mode == "replay";
  if (llm::is_local(options) && !replay) {
    const method::LocalModelSite site = site_of(installation);
    const auto say = [](const std::string& text) { std::fprintf(stderr, "  %s\n", text.c_str()); };
    if (install) KGB_CHECK(method::install_local_model(site, say));
    KGB_TRY(opened.local, method::LocalModel::start(site));
    options.base_url = opened.local->base_url();
  }
  KGB_TRY(llm::Endpoint endpoint, llm::endpoint_of(options));
  KGB_TRY(std::unique_ptr<llm::Client> client, llm::Client::open(std::move(endpoint)));
  opened.client = std::move(client);
  return opened;
}

}  // namespace kgb::app
