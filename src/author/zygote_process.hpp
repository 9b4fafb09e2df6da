// SPDX-License-Identifier: Apache-2.0
// The zygote's Python process itself: start, greeting, one exchange at a time, end.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "author/zygote_wire.hpp"
#include "base/files.hpp"

namespace kgb::author {

// Not thread-safe, but for alive().
class ZygoteProcess {
 public:
  // Returns once the interpreter is warm. The error carries the end of what Python printed.
  [[nodiscard]] static Result<std::unique_ptr<ZygoteProcess>> start(const ZygoteOptions& options);
  ZygoteProcess(const ZygoteProcess&) = delete;
  ZygoteProcess& operator=(const ZygoteProcess&) = delete;
  ~ZygoteProcess();

  struct Forked {
    pid_t pid = -1;
    Fd pidfd;
  };
  // Sends a request with its descriptors and takes the reply. After an error the process is of no more use.
  [[nodiscard]] Result<Forked> exchange(std::uint64_t id, std::string_view request, std::span<const int> fds);
  [[nodiscard]] const Hello& hello() const { return hello_; }

 private:
  ZygoteProcess(sandbox::Started started, Fd socket, TempDir home);
  Result<std::string> receive(std::vector<Fd>& fds, const Deadline& deadline);
  Status greet(Millis limit);

  sandbox::Started started_;
  Fd socket_;
  TempDir home_;
  Hello hello_;
  std::thread keeper_;  // reads the process's output and reaps it
};

}  // namespace kgb::author
