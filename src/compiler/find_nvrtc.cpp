// SPDX-License-Identifier: Apache-2.0
// Where NVRTC and the CUDA headers lie.
#include <algorithm>
#include <cstdlib>

#include "compiler/nvrtc.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

// Folders inside a folder, the last by name first: cuda-13.0 before cuda-12.8, cu13 before cuda_nvrtc.
std::vector<fs::path> folders_in(const fs::path& folder, const std::string& prefix = "") {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored) && entry.path().filename().string().starts_with(prefix))
      found.push_back(entry.path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

// libnvrtc.so.13, or what is newest; empty: none. "libnvrtc.alt.so.13" and the built-ins are other libraries.
fs::path library_in(const fs::path& folder) {
  fs::path newest;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libnvrtc.so.") && entry.is_regular_file(ignored))
      newest = std::max(newest, entry.path());
  }
  return newest;
}

void add_headers(std::vector<fs::path>& includes, const fs::path& folder) {
  std::error_code ignored;
  if (!includes.empty() || !fs::is_regular_file(folder / "cuda_fp16.h", ignored)) return;
  includes.push_back(folder);
  if (fs::is_directory(folder / "cccl", ignored)) includes.push_back(folder / "cccl");
}

}  // namespace

Result<NvrtcPlace> find_nvrtc(const std::vector<std::string>& packages) {
  NvrtcPlace place;
  std::vector<fs::path> roots;
  for (const std::string& folder : packages)
    for (const fs::path& part : folders_in(fs::path(folder) / "nvidia")) roots.push_back(part);
  for (const fs::path& toolkit : folders_in("/usr/local", "cuda")) roots.push_back(toolkit);
  const char* named = std::getenv("KGBENCH_NVRTC_LIBRARY");
  std::error_code ignored;
  if (named != nullptr && *named != '\0') {
    if (!fs::is_regular_file(named, ignored))
      return user_error("KGBENCH_NVRTC_LIBRARY names " + std::string(named) + ", which is no file");
    place.library = fs::absolute(named);
    roots.insert(roots.begin(), place.library.parent_path().parent_path());
  }
  for (const fs::path& root : roots)
    for (const char* below : {"lib", "lib64", "targets/x86_64-linux/lib"})
      if (place.library.empty()) place.library = library_in(root / below);
  if (place.library.empty())
    return host_error(
        "NVRTC was not found, which compiles CUDA candidates: install it with `pip install nvidia-cuda-nvrtc "
        "nvidia-cuda-runtime` or with a CUDA toolkit, or set KGBENCH_NVRTC_LIBRARY to the path of "
        "libnvrtc.so");
  // Headers of the library's own release before those of others.
  add_headers(place.includes, place.library.parent_path().parent_path() / "include");
  for (const fs::path& root : roots) {
    add_headers(place.includes, root / "include");
    add_headers(place.includes, root / "targets/x86_64-linux/include");
  }
  return place;
}

std::string identity_of(const NvrtcPlace& place) {
  std::error_code ignored;
  const auto bytes = fs::file_size(place.library, ignored);
  const auto time = fs::last_write_time(place.library, ignored).time_since_epoch().count();
  std::string text = place.library.string() + " " + std::to_string(bytes) + " " + std::to_string(time);
  for (const fs::path& folder : place.includes) text += " " + folder.string();
  return text;
}

}  // namespace kgb
