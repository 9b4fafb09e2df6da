// SPDX-License-Identifier: Apache-2.0
// The model that --model names, ready to be asked; the local one with its server.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "judge/judge.hpp"
#include "llm/client.hpp"
#include "llm/endpoint.hpp"
#include "method/local_model.hpp"

namespace CLI {
class App;
}

namespace kgb::app {

// --model, --wire, --base-url, --key-file, --header, --extra-body, --proxy, --stall-limit, --tries,
// --cassette,
// --cassette-mode, and --model-concurrency.
void add_model_options(CLI::App& command, llm::EndpointOptions& options);

struct OpenModel {
  std::unique_ptr<method::LocalModel> local;  // outlives the client; null where a server runs already
  std::shared_ptr<llm::Client> client;
};
// `install`: put the local model's packages into their folder first, where it is the one that is asked for. A
// replay starts no server.
[[nodiscard]] Result<OpenModel> open_model(llm::EndpointOptions options, bool install,
                                           const Installation& installation);

}  // namespace kgb::app
