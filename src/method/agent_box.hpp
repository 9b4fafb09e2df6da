// SPDX-License-Identifier: Apache-2.0
// Where an agent works: a folder of its own, locked, with one port as its way out.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/result.hpp"
#include "sandbox/process.hpp"

namespace kgb::method {

struct BoxSpec {
  std::vector<std::string> read;    // more folders to read and run programs of
  std::vector<std::string> hidden;  // never read, though they lie beneath
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;
  bool allow_weak = false;        // go on without layers of the lock; without a net namespace, in our network
  sandbox::Namespaces avoid = 0;  // not to be used even where the host has them: for tests of lesser hosts
};

// What runs in a box, and how long.
struct BoxRun {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "NAME=value", all of it
  double seconds = 1800;
  // Asked several times a second: why the agent is to be killed now; empty: it may go on.
  std::function<std::string()> over;
  // Given the socket on which the box's one port is accepted; holds on to what answers there.
  std::function<Status(Fd listener)> open_port;
};
struct BoxEnd {
  sandbox::Finished finished;
  std::string killed;  // what `over` said
  std::string out, err;
  bool out_cut = false, err_cut = false;
};

class Box {
 public:
  // The error says what this host lacks, and what to do.
  static Result<Box> make(BoxSpec spec);

  [[nodiscard]] std::filesystem::path work() const { return folder_.path() / "work"; }    // the agent's
  [[nodiscard]] std::filesystem::path tools() const { return folder_.path() / "tools"; }  // it runs them
  [[nodiscard]] static int port();                                  // in the box, on 127.0.0.1
  [[nodiscard]] bool has_port() const;                              // else it is in our network
  Status add_file(const std::string& name, std::string_view text);  // into work()
  Status add_tool(const std::string& name, std::string_view text);

  // An Error is the host's. When it returns, all that the agent started is dead.
  [[nodiscard]] Result<BoxEnd> run(const BoxRun& run);
  // A file of work() as the agent left it; nullopt: none, or no regular file (a link could lead anywhere).
  [[nodiscard]] std::optional<std::string> file(const std::string& name, std::size_t max_bytes) const;

 private:
  Box(BoxSpec spec, TempDir folder) : spec_(std::move(spec)), folder_(std::move(folder)) {}
  [[nodiscard]] sandbox::LockSpec lock(double seconds) const;
  [[nodiscard]] Status check_readable() const;

  BoxSpec spec_;
  TempDir folder_;
  std::optional<uid_t> uid_;  // as root
};

}  // namespace kgb::method
