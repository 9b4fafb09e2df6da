// SPDX-License-Identifier: Apache-2.0
// Finds, checks and installs declared libraries; writes their candidates.
#include "campaign/library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "method/packages.hpp"
#include "model/operator_name.hpp"
#include "sandbox/readable.hpp"

namespace kgb {
namespace fs = std::filesystem;
namespace {

constexpr uid_t kAnyAuthor = 65000;  // as root, authors run as users from here on

struct Spec {
  std::string name;
  std::string path;  // empty: installed
};

Result<Spec> parse_spec(std::string_view text) {
  const std::size_t equals = text.find('=');
  Spec spec{std::string(text.substr(0, equals)), ""};
  if (equals == std::string_view::npos) return spec;
  spec.path = text.substr(equals + 1);
  if (spec.path.empty())
    return user_error("library:" + spec.name + "= names no folder. Write library:" + spec.name + "=PATH");
  return spec;
}

fs::path site_of(const Library& library, const Installation& installation) {
  return installation.library_dir / library.name;
}

bool holds_package(const fs::path& folder, const std::string& import) {
  std::error_code ignored;
  return fs::is_regular_file(folder / import / "__init__.py", ignored) ||
         fs::is_regular_file(folder / (import + ".py"), ignored);
}

std::vector<std::string> wanted(const Library& library, bool checkout) {
  std::vector<std::string> packages;
  if (!checkout) packages.push_back(library.package + replace_all(library.version, " ", ""));
  packages.insert(packages.end(), library.needs.begin(), library.needs.end());
  return packages;
}

std::string how_to_install(const Library& library, const Installation& installation, bool checkout) {
  return fmt::format("Add --install: pip puts {} into {} and changes nothing else; without a network, {}",
                     join(wanted(library, checkout), " "), site_of(library, installation).string(),
                     checkout ? "let PIP_FIND_LINKS name a folder with the wheels"
                              : fmt::format("give a checkout: library:{}=PATH", library.name));
}

Status check_needs(const Library& library, const Installation& installation, bool checkout) {
  for (const std::string& need : library.needs)
    if (method::installed_version(site_of(library, installation), need).empty())
      return user_error(fmt::format("{} needs {}, which is not installed. {}", library.name, need,
                                    how_to_install(library, installation, checkout)));
  return ok_status();
}

Status check_version(const Library& library, const Installation& installation) {
  const fs::path folder = site_of(library, installation);
  const std::string version = method::installed_version(folder, library.package);
  if (version.empty() || !holds_package(folder, library.import))
    return user_error(
        fmt::format("{} is not installed. {}", library.name, how_to_install(library, installation, false)));
  if (in_range(version, library.version)) return ok_status();
  return user_error(fmt::format("{} {} is installed, but {} is for {}. {}", library.name, version,
                                library.file.string(), library.version,
                                how_to_install(library, installation, false)));
}

// The folder of a checkout that holds the package: itself or its src/.
Result<fs::path> find_checkout(const Library& library, const std::string& path) {
  std::error_code code;
  for (const fs::path& folder : {fs::path(path), fs::path(path) / "src"})
    if (holds_package(folder, library.import)) {
      fs::path found = fs::canonical(folder, code);
      if (!code) return found;
    }
  return user_error(fmt::format("{} holds no package {}, nor does its src/. Name the folder that holds {}/",
                                in_quotes(path), library.import, library.import));
}

Status check_readable(const std::vector<fs::path>& folders) {
  if (::geteuid() != 0) return ok_status();
  std::vector<std::string> paths;
  for (const fs::path& folder : folders) paths.push_back(folder.string());
  KGB_TRY(const auto blocked, sandbox::first_unreadable(kAnyAuthor, paths));
  if (!blocked) return ok_status();
  return user_error(fmt::format("candidates run as user {}, who cannot read {}: {} ({}). Open it: chmod o+rx",
                                kAnyAuthor, in_quotes(blocked->path), in_quotes(blocked->blocker),
                                blocked->reason));
}

}  // namespace

std::string DeclaredLibrary::contestant() const {
  return "library:" + library.name + (checkout.empty() ? "" : "=" + checkout.string());
}

std::vector<fs::path> library_folders(const Installation& installation) {
  std::vector<fs::path> folders{installation.home / "catalogue" / "libraries"};
  for (const fs::path& more : installation.more_catalogues) folders.push_back(more / "libraries");
  return folders;
}

std::string installed_version(const Library& library, const Installation& installation) {
  return method::installed_version(site_of(library, installation), library.package);
}

Result<DeclaredLibrary> declare_library(std::string_view text, const Installation& installation,
                                        const Catalogue& catalogue) {
  KGB_TRY(const Spec spec, parse_spec(text));
  DeclaredLibrary declared;
  KGB_TRY(declared.library, load_library(spec.name, library_folders(installation), catalogue));
  const Library& library = declared.library;
  LibrarySite& site = declared.site;
  site.name = library.name;
  site.environment = library.environment;
  if (spec.path.empty()) {
    KGB_CHECK(check_version(library, installation));
    site.version = installed_version(library, installation);
  } else {
    KGB_TRY(declared.checkout, find_checkout(library, spec.path));
    site.version = "checkout";
    site.folders.push_back(declared.checkout);
  }
  KGB_CHECK(check_needs(library, installation, !spec.path.empty()));
  std::error_code ignored;
  if (fs::is_directory(site_of(library, installation), ignored))
    site.folders.push_back(fs::canonical(site_of(library, installation), ignored));
  KGB_CHECK(check_readable(site.folders));
  return declared;
}

Status install_library(std::string_view text, const Installation& installation, const Catalogue& catalogue,
                       const std::function<void(const std::string&)>& say) {
  KGB_TRY(const Spec spec, parse_spec(text));
  KGB_TRY(const Library library, load_library(spec.name, library_folders(installation), catalogue));
  const std::vector<std::string> packages = wanted(library, !spec.path.empty());
  if (packages.empty()) return ok_status();
  const fs::path folder = site_of(library, installation);
  say(fmt::format("pip puts {} into {}; torch, Triton and NumPy are the judge's own", join(packages, " "),
                  folder.string()));
  return method::install_packages(installation.interpreter, packages, folder,
                                  ", or give a checkout: library:" + library.name + "=PATH");
}

void declare(JudgeRequest& request, const Library& library, const Operator& op) {
  request.library = library.name;
  request.lacking = library.lacking(op);
}

Result<std::vector<CandidateFile>> library_candidates(const Library& library,
                                                      const std::vector<const Operator*>& operators,
                                                      const fs::path& folder) {
  std::vector<CandidateFile> files;
  for (const Operator* op : operators) {
    const fs::path file = folder / candidate_name(op->name);
    KGB_CHECK(make_folders(file.parent_path()));
    KGB_CHECK(write_file_atomic(file, library_candidate(library, *op)));
    files.push_back({op->name, file});
  }
  return files;
}

}  // namespace kgb
