// SPDX-License-Identifier: Apache-2.0
// A server with tools whose running the test steers, and a client that gathers what comes back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "serve/server.hpp"
#include "serve/tools.hpp"

namespace kgb::serve {

inline constexpr std::chrono::seconds kPatience{60};  // a failed test ends; a right one does not wait

// Messages in order of their arrival; anyone may wait for one.
class Client : public Outlet {
 public:
  void send(const nlohmann::json& message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(message);
    changed_.notify_all();
  }
  void finish() override {
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }
  // The answer to a request, or null.
  nlohmann::json answer(const nlohmann::json& id) {
    std::unique_lock lock(mutex_);
    nlohmann::json found;
    changed_.wait_for(lock, kPatience, [&] {
      for (const nlohmann::json& message : messages_)
        if (message.contains("id") && message["id"] == id) found = message;
      return !found.is_null();
    });
    return found;
  }
  bool wait_finished(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return finished_ >= count; });
  }
  std::vector<nlohmann::json> messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<nlohmann::json> messages_;
  int finished_ = 0;
};

// What the tool `hold` waits for.
class Gatekeeper {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool wait_entered(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return entered_ >= count; });
  }
  // Until it is opened, or the call is stopped; whether it was opened.
  bool pass(const std::atomic<bool>& stop) {
    std::unique_lock lock(mutex_);
    ++entered_;
    changed_.notify_all();
    while (!open_ && !stop) changed_.wait_for(lock, std::chrono::milliseconds(5));
    if (!open_) ++stopped_;
    changed_.notify_all();
    return open_;
  }
  bool wait_stopped(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return stopped_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int entered_ = 0, stopped_ = 0;
};

inline Result<ToolAnswer> fail_inside(const nlohmann::json&, const CallContext&) {
  throw std::runtime_error("secret");
}

// echo (quick), fail (quick), throw (quick), hold (slow).
inline std::vector<Tool> test_tools(Gatekeeper& gate) {
  using nlohmann::json;
  const json no_schema = object_schema(json::object(), json::array());
  Tool echo{
      "echo",
      "Echo",
      "gives back",
      object_schema({{"text", text_schema("any")}, {"n", {{"type", "integer"}}}}, json::array({"text"})),
      false,
      [](const json& arguments, const CallContext&) -> Result<ToolAnswer> {
        return ToolAnswer{text_at(arguments, "text"), arguments};
      }};
  Tool fail{
      "fail", "Fail", "fails", no_schema, false, [](const json&, const CallContext&) -> Result<ToolAnswer> {
        return user_error("it cannot be done");
      }};
  Tool crash{"throw", "Throw", "throws", no_schema, false, fail_inside};
  Tool hold{"hold",
            "Hold",
            "waits",
            no_schema,
            true,
            [&gate](const json&, const CallContext& context) -> Result<ToolAnswer> {
              context.progress(1, 3, "one");
              context.progress(1, 3, "one again");
              context.progress(2, 3, "two");
              if (!gate.pass(context.stop)) return user_error("stopped");
              return ToolAnswer{"held", json::object()};
            }};
  return {echo, fail, crash, hold};
}

inline nlohmann::json request(const nlohmann::json& id, const std::string& method,
                              nlohmann::json params = nlohmann::json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}
inline nlohmann::json call_of(const nlohmann::json& id, const std::string& tool,
                              nlohmann::json arguments = nlohmann::json::object()) {
  return request(id, "tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
}
inline nlohmann::json hello(const nlohmann::json& id, const std::string& version = "2025-11-25") {
  return request(id, "initialize",
                 {{"protocolVersion", version}, {"capabilities", nlohmann::json::object()}});
}
inline nlohmann::json cancel(const nlohmann::json& id) {
  return notification_of("notifications/cancelled", {{"requestId", id}});
}
// The same in the stateless version.
inline nlohmann::json alone(nlohmann::json message, const std::string& version = "2026-07-28") {
  message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version;
  message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = nlohmann::json::object();
  return message;
}

}  // namespace kgb::serve
