// SPDX-License-Identifier: Apache-2.0
// Starts the local model's server and keeps it company: its output is read, its end is ours.
#include "method/local_model.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <thread>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "method/packages.hpp"
#include "sandbox/process.hpp"

namespace kgb::method {
namespace {

constexpr Millis kLoadPatience{120'000};
constexpr Millis kForever{std::chrono::hours{24 * 365 * 10}};
constexpr std::size_t kMaxReady = 4096;

// Nothing of ours: keys stand in environments.
std::vector<std::string> environment(const LocalModelSite& site) {
  std::vector<std::string> variables{"PYTHONPATH=" + site.folder.string() + ":" + site.python_dir.string(),
                                     "PYTHONDONTWRITEBYTECODE=1"};
  for (const char* name : {"PATH", "HOME", "LANG", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  return variables;
}

}  // namespace

Result<bool> local_model_installed(const LocalModelSite& site) {
  KGB_TRY(const std::vector<std::string> packages, read_requirements(site.requirements));
  for (const std::string& package : packages)
    if (!package.ends_with("==" + installed_version(site.folder, package))) return false;
  return true;
}

Status install_local_model(const LocalModelSite& site, const std::function<void(const std::string&)>& say) {
  KGB_TRY(const bool there, local_model_installed(site));
  if (there) return ok_status();
  KGB_TRY(const std::vector<std::string> packages, read_requirements(site.requirements));
  say(fmt::format("pip puts {} (130 MB) into {}", join(packages, " "), site.folder.string()));
  return install_packages(site.interpreter, packages, site.folder, "");
}

struct LocalModel::Impl {
  Impl(sandbox::Started started, Fd alive_end)
      : child(std::move(started.child)),
        out(std::move(started.out)),
        err(std::move(started.err)),
        alive(std::move(alive_end)),
        reader([this] { watch(); }) {}
  ~Impl() { end(); }

  // Reads what the server logs, so that it never waits for us, and reaps it.
  void watch() {
    sandbox::Limits limits;
    limits.wall = kForever;
    limits.flood_bytes = std::numeric_limits<std::uint64_t>::max();
    const std::array<sandbox::Channel*, 2> channels{&out, &err};
    const Result<sandbox::Finished> ended = child.wait(limits, channels);
    how = ended ? ended->describe() : ended.error().message;
  }
  void end() {
    child.kill();
    if (reader.joinable()) reader.join();
  }

  sandbox::Child child;
  sandbox::Channel out, err;
  Fd alive;  // closed by the kernel, should we die
  std::string how;
  std::string url, name;
  std::thread reader;  // last: it uses what stands above
};

LocalModel::LocalModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalModel::~LocalModel() = default;

Result<std::unique_ptr<LocalModel>> LocalModel::start(const LocalModelSite& site) {
  KGB_TRY(const bool there, local_model_installed(site));
  if (!there)
    return user_error(
        "the local model is not installed. Add --install: pip puts its server and weights (130 MB) into " +
        site.folder.string() + " and changes nothing else");
  KGB_TRY(Pipe alive, make_pipe());
  KGB_TRY(Pipe ready, make_pipe());
  sandbox::Command command;
  command.argv = {site.interpreter, "-m", "kgbench.local_model", "3", "4"};
  command.environment = environment(site);
  command.pass = {alive.read.get(), ready.write.get()};
  KGB_TRY(sandbox::Started started, sandbox::start(command));
  auto impl = std::make_unique<Impl>(std::move(started), std::move(alive.write));
  ready.write.reset();
  const Result<std::string> line =
      read_to_end(ready.read.get(), kMaxReady, Deadline(kLoadPatience), "the local model's address");
  const std::vector<std::string> words = split(trim(line ? *line : std::string()), ' ');
  if (words.size() != 2) {
    impl->end();
    const std::string why = last_line(impl->err.bytes);
    return host_error("the local model did not start: " + (why.empty() ? impl->how : why));
  }
  impl->url = words[0];
  impl->name = words[1];
  return std::unique_ptr<LocalModel>(new LocalModel(std::move(impl)));
}

const std::string& LocalModel::base_url() const {
  return impl_->url;
}

const std::string& LocalModel::name() const {
  return impl_->name;
}

}  // namespace kgb::method
