// SPDX-License-Identifier: Apache-2.0
// Finds and installs agents.
#include "method/agent_site.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "method/packages.hpp"

namespace kgb::method {
namespace fs = std::filesystem;
namespace {

constexpr Millis kInstallLimit{1'800'000};
constexpr const char* kMark = ".complete";  // holds what was installed; written last

std::string program_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const fs::path full = fs::path(folder) / name;
    if (::access(full.c_str(), X_OK) == 0) return full.string();
  }
  return {};
}

bool is_complete(const AgentPreset& agent, const fs::path& site) {
  const Result<std::string> mark = read_file(site / kMark, std::size_t{1} << 16);
  return mark.ok() && *mark == join(agent.install, "\n");
}

bool is_of_the_system(const fs::path& folder) {
  const std::string text = folder.string();
  return text == "/" || text == "/usr" || text.starts_with("/usr/") || text.starts_with("/bin");
}

Status run_step(std::vector<std::string> argv) {
  const std::string program = argv[0];
  KGB_TRY(const sandbox::Output output, run_as_we_are(std::move(argv), kInstallLimit));
  if (output.finished.clean()) return ok_status();
  const std::string said = last_line(output.err);
  return host_error(program + ": " + (said.empty() ? output.finished.describe() : said));
}

}  // namespace

Status check_installed(const AgentPreset& agent, const fs::path& agents) {
  if (!agent.install.empty()) {
    if (is_complete(agent, agents / agent.name)) return ok_status();
    return user_error(agent.name + " is not installed. Add --install: pip puts " + join(agent.install, " ") +
                      " into " + (agents / agent.name).string() + " and changes nothing else");
  }
  if (!program_in_path(agent.command[0]).empty()) return ok_status();
  return user_error("no program " + in_quotes(agent.command[0]) + " in PATH for the agent " + agent.name +
                    ". Install it as its makers say; kgbench does not");
}

Status install_agent(const AgentPreset& agent, const fs::path& agents, const std::string& interpreter,
                     const std::function<void(const std::string&)>& say) {
  if (agent.install.empty())
    return user_error("kgbench installs agents from the Python package index alone. Install " + agent.name +
                      " as its makers say");
  KGB_CHECK(make_folders(agents));
  const fs::path site = agents / agent.name, lock = agents / (agent.name + ".lock");
  const Fd held(::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644));
  if (!held.open() || ::flock(held.get(), LOCK_EX) != 0)
    return errno_error("cannot lock " + in_quotes(lock.native()));
  if (is_complete(agent, site)) return ok_status();
  say("pip puts " + join(agent.install, " ") + " into " + site.string() + "; this can take minutes");
  KGB_CHECK(remove_tree(site));
  KGB_CHECK(run_step({interpreter, "-m", "venv", site.string()}));
  std::vector<std::string> pip{
      (site / "bin" / "python").string(), "-m", "pip", "install", "--quiet", "--no-input",
      "--disable-pip-version-check"};
  pip.insert(pip.end(), agent.install.begin(), agent.install.end());
  if (const Status done = run_step(std::move(pip)); !done.ok())
    return user_error("pip could not install " + agent.name + ": " + done.error().message +
                      ". Without a network, let PIP_FIND_LINKS name a folder with the wheels");
  return write_file_atomic(site / kMark, join(agent.install, "\n"));
}

std::string agent_program(const AgentPreset& agent, const fs::path& agents) {
  const fs::path own = agents / agent.name / "bin" / agent.command[0];
  if (!agent.install.empty() && ::access(own.c_str(), X_OK) == 0) return own.string();
  return program_in_path(agent.command[0]);
}

std::vector<std::string> agent_folders(const AgentPreset& agent, const fs::path& agents) {
  std::vector<std::string> folders;
  if (!agent.install.empty()) {
    folders.push_back((agents / agent.name).string());
    for (std::string& folder : python_folders((agents / agent.name / "bin" / "python").string()))
      folders.push_back(std::move(folder));
  }
  const char* const home = std::getenv("HOME");
  for (const std::string& path : agent.reads)
    folders.push_back(path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path);
  return folders;
}

std::vector<std::string> python_folders(const std::string& interpreter) {
  std::vector<std::string> folders;
  const fs::path named = program_in_path(interpreter);
  std::error_code code;
  // An environment of its own, and where the interpreter itself lies.
  for (const fs::path& program : {named, fs::canonical(named, code)}) {
    const fs::path prefix = program.parent_path().parent_path();
    if (prefix.has_relative_path() && !is_of_the_system(prefix)) folders.push_back(prefix.string());
  }
  return folders;
}

}  // namespace kgb::method
