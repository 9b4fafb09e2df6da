// SPDX-License-Identifier: Apache-2.0
// JSON between kgbench and its zygote; both ends are ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "author/zygote.hpp"

namespace kgb::author {

struct ForkRequest {
  std::uint64_t id = 0;
  std::string nonce, workspace, module;
  sandbox::LockSpec lock;
  std::vector<std::pair<std::string, std::string>> environment;
};
// The session's text is taken over as it is; an error when it is not a JSON object.
[[nodiscard]] Result<std::string> to_json_text(const ForkRequest& request, std::string_view session);

// The request for a trusted worker.
[[nodiscard]] std::string worker_request_text(std::uint64_t id, const std::string& module);

struct ForkReply {
  std::uint64_t id = 0;
  pid_t pid = -1;
  std::string error;
};
[[nodiscard]] Result<ForkReply> fork_reply_from_json(std::string_view text);

struct Hello {
  Interpreter interpreter;
  std::vector<std::string> needed;  // files that authors must be able to read
};
[[nodiscard]] Result<Hello> hello_from_json(std::string_view text);

// The zygote's command-line argument.
[[nodiscard]] std::string start_options_json(int socket, const std::string& home,
                                             const ZygoteOptions& options);

}  // namespace kgb::author
