// SPDX-License-Identifier: Apache-2.0
// kgbench mcp: the judge as tools for agents, on the standard streams or over HTTP.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/fd.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "command.hpp"
#include "serve/http.hpp"
#include "serve/stdio.hpp"
#include "serve/tools.hpp"
#include "setup.hpp"
#include "warm_judge.hpp"

namespace kgb::app {
namespace {

constexpr int kDefaultPort = 8077;
constexpr std::size_t kWaiting = 16;  // calls that judge and wait for a lane
constexpr const char* kTokenVariable = "KGBENCH_MCP_TOKEN";

struct McpArguments {
  bool http = false;
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
  std::vector<std::string> origins;
  JudgeOptions judge;
};

JudgeRequest request_for(const serve::Asked& asked, const JudgeOptions& options,
                         const ResolvedOptions& resolved) {
  JudgeRequest request = request_of(options, resolved);
  request.op = asked.op;
  request.source = asked.source;
  request.file = asked.file;
  request.contestant = "mcp";
  request.stop = asked.stop;
  request.progress = asked.progress;
  // A client may ask as often as it likes: what one evaluation lets it guess must not serve it in the next.
  if (options.seed_text.empty()) request.seed = asked.seed == 0 ? fresh_seed() : asked.seed;
  if (asked.quick) {
    request.tiers = {Tier::smoke};
    request.value_sets = 1;
    request.time = false;
  }
  return request;
}

// The pipe's write end, for the handler of signals.
int stop_pipe = -1;

void on_signal(int) {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(stop_pipe, &byte, 1);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<serve::HttpSettings> http_settings(const McpArguments& options) {
  serve::HttpSettings settings;
  settings.loopback = is_loopback(options.host);
  settings.origins = options.origins;
  if (const char* token = std::getenv(kTokenVariable)) settings.token = token;
  if (!settings.loopback && settings.token.empty())
    return user_error("--host " + options.host + " would let others judge here: set " + kTokenVariable +
                      " to a token that clients must send, or leave --host out");
  return settings;
}

Result<int> serve_http(serve::Server& server, const McpArguments& options) {
  KGB_TRY(serve::HttpSettings settings, http_settings(options));
  serve::HttpEndpoint endpoint(server, std::move(settings));
  KGB_TRY(const std::unique_ptr<serve::HttpListener> listener,
          serve::HttpListener::open(endpoint, {options.host, options.port}));
  KGB_TRY(Pipe pipe, make_pipe());
  stop_pipe = pipe.write.get();
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::thread stopper([&] {
    char byte = 0;
    [[maybe_unused]] const ssize_t got = ::read(pipe.read.get(), &byte, 1);
    listener->stop();
  });
  const bool six = options.host.find(':') != std::string::npos;
  std::printf("listening on http://%s%s%s:%d/mcp\n", six ? "[" : "", options.host.c_str(), six ? "]" : "",
              listener->port());
  std::fflush(stdout);
  const Status served = listener->serve();
  on_signal(0);  // listening may have ended by itself
  stopper.join();
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (!served.ok()) return served.error();
  return kExitPass;
}

Result<int> serve_streams(serve::Server& server) {
  if (is_terminal(STDIN_FILENO))
    std::fputs(
        "kgbench mcp speaks the Model Context Protocol on its standard streams: an agent starts it "
        "(docs/use-from-an-agent.md). End with Ctrl-D\n",
        stderr);
  KGB_CHECK(serve::serve_lines(server, STDIN_FILENO, STDOUT_FILENO));
  return kExitPass;
}

Result<int> run_mcp(const McpArguments& options) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(Catalogue catalogue, load_catalogue());
  WarmJudge judge(options.judge, resolved.lanes, catalogue);
  // It gets warm while the client shakes hands.
  judge.begin([](const Error& error) { log::error("the judge cannot start: " + error.message); });
  const auto bench = std::make_shared<serve::Workbench>(
      std::move(catalogue), [&](const serve::Asked& asked) -> Result<Evaluation> {
        KGB_TRY(Judge* const warm, judge.get());
        return warm->judge(request_for(asked, options.judge, resolved));
      });
  serve::Server server({"kgbench", std::string(version()), serve::instructions(),
                        static_cast<std::size_t>(resolved.lanes), kWaiting},
                       serve::kernel_tools(bench));
  return options.http ? serve_http(server, options) : serve_streams(server);
}

}  // namespace

Registered register_mcp(CLI::App& root) {
  auto options = std::make_shared<McpArguments>();
  options->judge.targets = {"none"};
  CLI::App* command = root.add_subcommand("mcp", "Serve the judge to agents, as tools");
  command->footer(help_text("mcp"));
  CLI::Option* http =
      command->add_flag("--http", options->http, "streamable HTTP instead of the standard streams");
  command->add_option("--host", options->host, "address to listen on")->needs(http)->capture_default_str();
  command->add_option("--port", options->port, "port to listen on; 0: a free one, which is printed")
      ->needs(http)
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--origin", options->origins,
                   "host whose web pages may ask, besides this machine's; may be given again")
      ->needs(http);
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  return {command, [options] { return run_mcp(*options); }};
}

}  // namespace kgb::app
