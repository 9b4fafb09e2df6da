// SPDX-License-Identifier: Apache-2.0
// Opens the folders on the way to a hidden place piece by piece.
#include "sandbox/hide.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace kgb::sandbox {
namespace {

namespace fs = std::filesystem;

// Whether `inner` is `outer` or lies beneath it; both canonical.
bool holds(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

class Splitter {
 public:
  explicit Splitter(std::span<const std::string> hidden) {
    for (const std::string& path : hidden) {
      std::error_code code;
      const fs::path place = fs::canonical(path, code);
      if (!code) hidden_.push_back(place);
    }
  }

  void add(const std::string& path) {
    std::error_code code;
    const fs::path place = fs::canonical(path, code);
    if (code)
      out.whole.push_back(path);
    else
      walk(place);
  }

  Readable out;

 private:
  void walk(const fs::path& place) {
    const auto within = [](const fs::path& outer) {
      return [&outer](const fs::path& inner) { return holds(outer, inner); };
    };
    const auto covers = [&place](const fs::path& secret) { return holds(secret, place); };
    if (std::any_of(hidden_.begin(), hidden_.end(), covers)) return;
    if (std::none_of(hidden_.begin(), hidden_.end(), within(place))) {
      out.whole.push_back(place.native());
      return;
    }
    out.list.push_back(place.native());
    std::error_code code;
    // A link opens nothing: what it leads to is opened where it lies, or not at all.
    for (fs::directory_iterator it(place, code), end; !code && it != end; it.increment(code))
      if (!it->is_symlink()) walk(it->path());
  }

  std::vector<fs::path> hidden_;
};

}  // namespace

Readable read_around(std::span<const std::string> read, std::span<const std::string> hidden) {
  Splitter splitter(hidden);
  for (const std::string& path : read) splitter.add(path);
  return std::move(splitter.out);
}

}  // namespace kgb::sandbox
