// SPDX-License-Identifier: Apache-2.0
// Whole files with size limits, atomic replacement, and folders that vanish with their scope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace kgb {

inline constexpr std::size_t kMaxTextFile = std::size_t{64} << 20;

// The file's bytes. More than `max_bytes` is an error, as is anything but a regular file (a FIFO would hang).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t max_bytes = kMaxTextFile);
// The same, and the bytes must be UTF-8; a byte order mark at the start is taken off.
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path,
                                                 std::size_t max_bytes = kMaxTextFile);
// A small file of /proc or /sys, whose size is not known beforehand.
[[nodiscard]] Result<std::string> read_pseudo_file(const std::filesystem::path& path);

// Readers see the old file or the new one, never a part: written beside it, flushed, renamed.
[[nodiscard]] Status write_file_atomic(const std::filesystem::path& path, std::string_view bytes,
                                       unsigned mode = 0644);
// Creates or truncates.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view bytes,
                                unsigned mode = 0644);
[[nodiscard]] Status make_folders(const std::filesystem::path& path);
// Never follows a link out of the tree; what is gone already is no error.
[[nodiscard]] Status remove_tree(const std::filesystem::path& path);
// Names in a folder, sorted.
[[nodiscard]] Result<std::vector<std::string>> list_folder(const std::filesystem::path& path);

// A fresh folder of mode 0700, removed with all it holds when the object goes.
class TempDir {
 public:
  // Under `parent`, or under $TMPDIR or /tmp when it is empty.
  [[nodiscard]] static Result<TempDir> make(std::string_view prefix = "kgbench",
                                            const std::filesystem::path& parent = {});
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Leaves the folder where it is and gives up its ownership.
  std::filesystem::path keep();

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  void remove() noexcept;

  std::filesystem::path path_;
};

}  // namespace kgb
