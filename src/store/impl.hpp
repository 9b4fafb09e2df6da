// SPDX-License-Identifier: Apache-2.0
// The connection behind Store, shared by its source files.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <mutex>

#include "store/store.hpp"

namespace kgb {

struct Store::Impl {
  Impl(const std::filesystem::path& path, int flags) : file(path), db(path.string(), flags, 10'000) {}
  std::filesystem::path file;
  mutable SQLite::Database db;
  mutable std::mutex mutex;
};

}  // namespace kgb
