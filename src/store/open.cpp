// SPDX-License-Identifier: Apache-2.0
// Opens a run store: for a run, to go on with one, or to read it and leave no trace.
#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <string_view>

#include "base/files.hpp"
#include "store/impl.hpp"
#include "store/migrations.hpp"
#include "store/store.hpp"

namespace kgb {

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStoreFile = "run.sqlite";  // in a run's folder

// By its first bytes; what follows may be cut off or overwritten.
bool is_database(const fs::path& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string head(kMagic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic;
}

Status refuse_missing(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    return user_error("no run at " +
                      (file.filename() == kStoreFile && file.has_parent_path()
                           ? file.parent_path().string() + " (it has no " + file.filename().string() + ")"
                           : file.string() + " (there is no such file or folder)") +
                      ". Name the folder that kgbench run printed");
  if (::access(file.c_str(), R_OK) != 0)
    return user_error(file.string() + " cannot be read. Ask its owner for the permission, or for a copy");
  return ok_status();
}

Error unusable(const fs::path& file, const std::exception& cause) {
  if (is_database(file))
    return user_error(file.string() + " is a damaged run store (" + cause.what() +
                      "). What sqlite3 can still read of it: sqlite3 " + file.filename().string() +
                      " .recover");
  return user_error(file.string() + " is no run store: " + cause.what());
}

fs::path beside(const fs::path& file, const char* suffix) {
  return file.string() + suffix;
}

bool has_bytes(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return !failed && size > 0;
}

// A file name as a URI that tells SQLite to look at nothing else: no lock, no write-ahead log.
std::string immutable_uri(const fs::path& file) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : fs::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("/-_.~").find(c) != std::string_view::npos)
      uri += c;
    else
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return uri + "?immutable=1";
}

constexpr const char* kMemory = ":memory:";

int made_anew() {
  return SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
}

// WAL keeps readers (reports) out of the writer's way; FULL survives a power cut. The last two hold for this
// connection alone.
void prepare_to_write(SQLite::Database& db) {
  db.exec("PRAGMA journal_mode=WAL");
  db.exec("PRAGMA synchronous=FULL");
  db.exec("PRAGMA foreign_keys=ON");
}

// What stands in memory needs neither the file nor its folder.
void copy_pages(SQLite::Database& to, SQLite::Database& from) {
  SQLite::Backup(to, from).executeStep(-1);
}

}  // namespace

Result<Store> Store::open(const fs::path& file) {
  try {
    auto impl = std::make_unique<Impl>(file, made_anew());
    KGB_CHECK(refuse_foreign(impl->db, file));
    prepare_to_write(impl->db);
    KGB_CHECK(migrate(impl->db, file));
    return Store(std::move(impl));
  } catch (const std::exception& cause) {
    return store_error(file, cause);
  }
}

Result<Store> Store::open_existing(const fs::path& file) {
  KGB_CHECK(refuse_missing(file));
  try {
    auto impl = std::make_unique<Impl>(file, SQLite::OPEN_READWRITE);
    KGB_CHECK(refuse_foreign(impl->db, file));
    prepare_to_write(impl->db);
    KGB_CHECK(migrate(impl->db, file));
    return Store(std::move(impl));
  } catch (const std::exception& cause) {
    return unusable(file, cause);
  }
}

// A run that goes on, or was killed: read through the index of its log. nullptr where that cannot be used, as
// in a folder that may only be read.
std::unique_ptr<Store::Impl> Store::Impl::through_log(const fs::path& path) {
  if (std::error_code ignored; !fs::exists(beside(path, "-shm"), ignored)) return nullptr;
  try {
    auto live = std::make_unique<Impl>(path, SQLite::OPEN_READONLY);
    (void)schema_of(live->db);  // SQLite opens lazily: a query shows whether it can
    return live;
  } catch (const SQLite::Exception&) {
    return nullptr;
  }
}

Result<std::unique_ptr<Store::Impl>> Store::Impl::to_read(const fs::path& path) {
  // No log: nobody is writing. Without `immutable`, SQLite would make one beside the file.
  if (!has_bytes(beside(path, "-wal")))
    return std::make_unique<Impl>(path, immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  if (std::unique_ptr<Impl> live = through_log(path)) return live;
  // A log that was copied along, or left on a medium for reading: it is replayed in a folder of ours.
  KGB_TRY(const TempDir folder, TempDir::make());
  const fs::path copied = folder.path() / "run.sqlite";
  for (const char* suffix : {"", "-wal"}) {
    fs::copy_file(beside(path, suffix), beside(copied, suffix));
    fs::permissions(beside(copied, suffix), fs::perms::owner_read | fs::perms::owner_write);
  }
  Impl copy(path, copied.string(), SQLite::OPEN_READWRITE);
  auto memory = std::make_unique<Impl>(path, kMemory, made_anew());
  copy_pages(memory->db, copy.db);
  return memory;
}

Result<Store> Store::open_to_read(const fs::path& file) {
  KGB_CHECK(refuse_missing(file));
  try {
    KGB_TRY(std::unique_ptr<Impl> impl, Impl::to_read(file));
    KGB_CHECK(refuse_foreign(impl->db, file));
    if (schema_of(impl->db) < newest_schema()) {
      auto up_to_date = std::make_unique<Impl>(file, kMemory, made_anew());
      copy_pages(up_to_date->db, impl->db);
      impl = std::move(up_to_date);
    }
    KGB_CHECK(migrate(impl->db, file));  // refuses later schemas; changes nothing in the newest
    return Store(std::move(impl));
  } catch (const std::exception& cause) {
    return unusable(file, cause);
  }
}

}  // namespace kgb
