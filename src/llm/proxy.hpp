// SPDX-License-Identifier: Apache-2.0
// Metering proxy: any agent's model calls pass through it on loopback, are counted, and end with the budget.
#pragma once

#include <cstddef>
#include <memory>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "llm/client.hpp"
#include "llm/proxy_account.hpp"

namespace kgb::llm {

struct ProxySettings {
  // Where calls go on to, with its key, headers and limits; its wire and cassette are not used: the proxy
  // speaks all three wires, and the server says which it has. Model: that every call asks; empty: as asked.
  Endpoint upstream;
  std::size_t request_bytes = std::size_t{16} << 20;  // of one request, at most
};

// Theory of operation.
//   An account's base URL is http://127.0.0.1:PORT/t/TOKEN; the token also counts as a key. The proxy maps it
//   to budgets and sums, and never passes it on; the real key stands in the proxy's own requests alone.
//   Passed on are the calls of the three wires, with at most the few edits of proxy_request.hpp, and what
//   costs nothing (the list of models, Anthropic's count of tokens): nothing else could be counted. Bytes of
//   replies are not touched, the model server's errors included. Each listening socket has a server with
//   threads of its own, so that one agent cannot starve another.
class Proxy {
 public:
  static Result<std::unique_ptr<Proxy>> start(ProxySettings settings);
  ~Proxy();  // cuts what is under way and returns when all is reported
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  [[nodiscard]] int port() const;  // on 127.0.0.1
  // Valid until closed or let go of. Close it before what its functions refer to goes.
  [[nodiscard]] Result<std::shared_ptr<Account>> open_account(AccountSettings settings);
  // Also answers on another listening socket, as long as the door is held.
  class Door {
   public:
    virtual ~Door() = default;
  };
  [[nodiscard]] Result<std::unique_ptr<Door>> serve(Fd listener);

 private:
  struct Impl;
  explicit Proxy(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kgb::llm
