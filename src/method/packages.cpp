// SPDX-License-Identifier: Apache-2.0
// Python packages in a folder of their own, apart from the judge's.
#include "method/packages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace kgb::method {
namespace {

namespace fs = std::filesystem;

constexpr Millis kInstallLimit{1'200'000};

// "PyYAML==6.0.3" and "pyyaml" are one package: letters small, runs of "-_." one "_".
std::string package_key(std::string_view requirement) {
  std::string key;
  for (const char c : to_lower(requirement)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      key += c;
    else if (c == '-' || c == '_' || c == '.')
      key += key.ends_with('_') ? "" : "_";
    else
      break;
  }
  return key;
}

// The lines of pip that begin with ERROR, else its last one.
std::string reason_of(const sandbox::Output& output) {
  std::string reason;
  for (const std::string& line : split_lines(output.err)) {
    if (trim(line).empty() || (reason.starts_with("ERROR") && !line.starts_with("ERROR"))) continue;
    reason = trim(line);
  }
  return reason.empty() ? output.finished.describe() : std::string(cut_utf8(to_utf8_lossy(reason), 300));
}

}  // namespace

Result<sandbox::Output> run_as_we_are(std::vector<std::string> argv, Millis limit) {
  sandbox::Command command;
  command.argv = std::move(argv);
  for (char** variable = environ; *variable != nullptr; ++variable)
    command.environment.emplace_back(*variable);
  sandbox::Limits limits;
  limits.wall = limit;
  return sandbox::run(command, limits);
}

std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string& line : split_lines(text))
    if (!trim(line).empty()) last = trim(line);
  return std::string(cut_utf8(to_utf8_lossy(last), 300));
}

std::string installed_version(const fs::path& folder, std::string_view requirement) {
  const Result<std::vector<std::string>> names = list_folder(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const std::size_t end = name.rfind(".dist-info"), dash = name.find('-');
    if (end == std::string::npos || dash == std::string::npos || dash > end) continue;
    if (package_key(name.substr(0, dash)) == package_key(requirement))
      return name.substr(dash + 1, end - dash - 1);
  }
  return {};
}

Result<std::vector<std::string>> read_requirements(const fs::path& file) {
  KGB_TRY(const std::string text, read_text_file(file));
  std::vector<std::string> packages;
  for (const std::string& line : split_lines(text))
    if (const std::string_view found = trim(std::string_view(line).substr(0, line.find('#'))); !found.empty())
      packages.emplace_back(found);
  return packages;
}

Status install_packages(const std::string& interpreter, const std::vector<std::string>& packages,
                        const fs::path& folder, const std::string& otherwise) {
  KGB_CHECK(make_folders(folder.parent_path()));
  KGB_TRY(TempDir fresh, TempDir::make(folder.filename().string(), folder.parent_path()));
  std::vector<std::string> pip{interpreter, "-m",
                               "pip",       "install",
                               "--quiet",   "--no-input",
                               "--no-deps", "--disable-pip-version-check",
                               "--target",  fresh.path().string()};
  pip.insert(pip.end(), packages.begin(), packages.end());
  KGB_TRY(const sandbox::Output output, run_as_we_are(std::move(pip), kInstallLimit));
  if (!output.finished.clean())
    return user_error(fmt::format(
        "pip could not install {}: {}. Without a network, let PIP_FIND_LINKS name a folder with the wheels{}",
        join(packages, " "), reason_of(output), otherwise));
  std::error_code code;
  fs::permissions(fresh.path(), fs::perms(0755), code);
  KGB_CHECK(remove_tree(folder));
  fs::rename(fresh.keep(), folder, code);
  if (code) return host_error("cannot put the packages into " + folder.string() + ": " + code.message());
  return ok_status();
}

}  // namespace kgb::method
