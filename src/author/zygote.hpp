// SPDX-License-Identifier: Apache-2.0
// Authors: one locked process per candidate, forked from a warm Python, with what came back from it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "author/result_stream.hpp"
#include "base/files.hpp"
#include "base/result.hpp"
#include "sandbox/process.hpp"

namespace kgb::author {

struct ZygoteOptions {
  std::string python;                    // interpreter; empty: KGBENCH_PYTHON, else python3
  std::vector<std::string> python_path;  // folders with the package kgbench and its extension
  std::vector<std::string> preload{"torch", "triton", "kgbench.author.recorder"};
  std::string module = "kgbench.author.session";  // has main(session: dict, result_fd: int) -> exit code
  std::vector<std::string> environment;           // more "NAME=value" for the interpreter
  Millis start_limit{120'000};                    // until the interpreter is warm
  // What authors may have, and what the lock allows them; workspace, uid and namespaces are filled in for
  // each. `read` is added to the interpreter's own folders. Weak locks only with lock.allow_weak. A workspace
  // may hold 1 GiB unless lock.workspace_bytes says otherwise.
  sandbox::LockSpec lock;
  uid_t first_uid = 65000;  // as root, author n runs as first_uid + n; none of them needs an account
};

// The interpreter as the zygote reports it.
struct Interpreter {
  std::string version;
  std::map<std::string, std::string> packages;  // "torch" -> "2.11.0"
  std::vector<std::string> paths;               // folders that authors read
  std::vector<std::string> notes;               // what could not be imported
  int warm_ms = 0, threads = 0;
};

struct AuthorOutcome {
  sandbox::Finished finished;
  ResultStream result;   // frames with the right nonce, and what was wrong with the rest
  std::string out, err;  // excerpts, valid UTF-8
  bool out_cut = false, err_cut = false;
  std::string layers;  // JSON of sandbox::LockLayers
  double fork_ms = 0;  // until the locked process ran
};

// Thread-safe. The Python process is restarted when it dies; authors that run then are not touched.
class Zygote {
 public:
  [[nodiscard]] static Result<Zygote> start(ZygoteOptions options);
  Zygote(Zygote&&) noexcept;
  Zygote& operator=(Zygote&&) noexcept;
  ~Zygote();

  // Runs one session (docs/contracts/wire.md) in `workspace`: a folder of the caller's that holds the
  // candidate and that is given to the author's user. An Error is the host's or ours; whatever the candidate
  // did is an outcome.
  [[nodiscard]] Result<AuthorOutcome> author(std::string_view session_json,
                                             const std::filesystem::path& workspace,
                                             const sandbox::Limits& limits);
  // A trusted process of ours, forked from the warm Python instead of importing everything again: unlocked,
  // and with nothing in its memory that an author's has not. It calls main([module, "FD"]) of `module`, FD
  // being its copy of `channel`. The zygote must outlive whatever starts workers by it.
  [[nodiscard]] Result<sandbox::Started> start_worker(const std::string& module, int channel);
  [[nodiscard]] const Interpreter& interpreter() const;
  [[nodiscard]] int restarts() const;  // times the Python process had to be started again

 private:
  struct State;
  explicit Zygote(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A fresh folder that an author of any user can reach, for the candidate's files.
[[nodiscard]] Result<TempDir> make_workspace();

}  // namespace kgb::author
