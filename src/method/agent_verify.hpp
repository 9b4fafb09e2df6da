// SPDX-License-Identifier: Apache-2.0
// The judge's side of `kgbench verify`: takes an agent's file and answers with what a contestant may know.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "llm/proxy_account.hpp"
#include "method/method.hpp"

namespace kgb::method {

enum class Verify {
  off,
  correct,  // verdict and evidence
  timed,    // times, too, where there is a device
};
[[nodiscard]] std::string_view name_of(Verify verify);
[[nodiscard]] std::optional<Verify> verify_named(std::string_view name);

struct VerifyLimits {
  Verify mode = Verify::correct;
  int most = 100;       // calls of one agent
  Millis pause{1'000};  // between the end of one and the beginning of the next
};

// Thread-safe: an agent may try several at once, and gets one.
class Verifier {
 public:
  // `task` must live until close().
  Verifier(const Task& task, VerifyLimits limits) : task_(task), limits_(limits) {}
  // The request is {"source": "..."}; the answer {"verdict", "passed", "text", "left", ...} or {"error"}.
  [[nodiscard]] llm::AccountSettings::Answer serve(const std::string& body);
  // Returns when none is under way; later ones are refused.
  void close();
  [[nodiscard]] int count() const { return used_; }
  [[nodiscard]] std::optional<Error> error() const;  // of the host's, which ends the run

 private:
  [[nodiscard]] llm::AccountSettings::Answer judge(const std::string& source);

  const Task& task_;
  const VerifyLimits limits_;
  mutable std::mutex mutex_;  // held while the judge is at it
  std::atomic<int> used_{0};
  std::optional<Steady::time_point> last_;
  std::optional<Error> error_;
  bool closed_ = false;
};

// The program `kgbench` of an agent's workspace, in Python.
[[nodiscard]] std::string verify_client(const std::string& interpreter);

}  // namespace kgb::method
