// SPDX-License-Identifier: Apache-2.0
// The connection behind Store, shared by its source files.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <mutex>

#include "store/store.hpp"

namespace kgb {

struct Store::Impl {
  Impl(const std::filesystem::path& path, int flags) : Impl(path, path.string(), flags) {}
  // `name`: what SQLite opens, where that is not the file as such.
  Impl(std::filesystem::path path, const std::string& name, int flags)
      : file(std::move(path)), db(name, flags, 10'000) {}
  // A connection that leaves the file and its folder as they are.
  static Result<std::unique_ptr<Impl>> to_read(const std::filesystem::path& path);
  static std::unique_ptr<Impl> through_log(const std::filesystem::path& path);
  std::filesystem::path file;
  mutable SQLite::Database db;
  mutable std::mutex mutex;
};

[[nodiscard]] Error store_error(const std::filesystem::path& file, const std::exception& cause);

}  // namespace kgb
