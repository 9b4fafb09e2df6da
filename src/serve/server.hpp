// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol without a transport: messages in, messages out. Theory of operation in
// server_json.cpp.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serve/rpc.hpp"
#include "serve/tool.hpp"
#include "serve/work_queue.hpp"

namespace kgb::serve {

// Versions that begin with a handshake, oldest first, and those whose requests stand alone.
[[nodiscard]] std::span<const std::string_view> handshake_versions();
[[nodiscard]] std::span<const std::string_view> stateless_versions();
[[nodiscard]] bool is_in(std::span<const std::string_view> versions, std::string_view version);
// Where a request of a stateless version names it, within `_meta`.
inline constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

// Where what a message leads to goes: called from any thread, also after `receive` has returned.
class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual void send(const nlohmann::json& message) = 0;
  virtual void finish() {}  // once, last: nothing more comes for this message
};

struct Call;

// One client's calls. Handshake versions have one for a connection, stateless ones may have one for a
// request.
class Session {
 public:
  // Every call that runs or waits is stopped and stays without an answer.
  void close();
  // Nothing more comes from the client: slow calls end thus, quick ones are still answered.
  void hang_up();
  [[nodiscard]] bool busy() const;  // a call runs or waits

 private:
  friend class Server;
  void silence(bool quick_too);
  mutable std::mutex mutex_;
  std::string version_;  // of the handshake; empty before it
  std::vector<std::shared_ptr<Call>> calls_;
};

struct ServerSettings {
  std::string name, version;
  std::string instructions;  // for the model: what the tools are good for
  std::size_t lanes = 1;     // slow calls at a time
  std::size_t waiting = 16;  // slow calls that wait for a lane
};

class Server {
 public:
  Server(ServerSettings settings, std::vector<Tool> tools);

  // Thread-safe. Answers at once, or later from a thread of its own; `outlet` is finished in either case.
  void receive(const std::shared_ptr<Session>& session, std::string_view bytes,
               const std::shared_ptr<Outlet>& outlet);
  void handle(const std::shared_ptr<Session>& session, const Incoming& message,
              const std::shared_ptr<Outlet>& outlet);

 private:
  struct Request;
  void answer(const Request& request, const std::shared_ptr<Outlet>& outlet);
  [[nodiscard]] nlohmann::json initialize(Session& session, const Request& request) const;
  [[nodiscard]] nlohmann::json discover() const;
  [[nodiscard]] nlohmann::json list() const;
  void call(const Request& request, const std::shared_ptr<Outlet>& outlet);
  [[nodiscard]] std::variant<std::shared_ptr<Call>, RpcError> checked(const Request& request) const;
  // False: a call with this id runs already.
  [[nodiscard]] static bool enter(const std::shared_ptr<Call>& call);
  static void run(const std::shared_ptr<Call>& call);

  ServerSettings settings_;
  std::vector<Tool> tools_;
  WorkQueue quick_, slow_;  // last: their threads use all of the above
};

}  // namespace kgb::serve
