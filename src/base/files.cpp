// SPDX-License-Identifier: Apache-2.0
// Whole files with size limits, atomic replacement, and folders that vanish with their scope.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/fd.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace kgb {
namespace fs = std::filesystem;
namespace {

Result<std::string> drain(int fd, std::size_t max_bytes, const fs::path& path) {
  std::string out;
  std::size_t have = 0;
  while (true) {
    // One byte over the limit is asked for, so that "exactly at the limit" and "over it" differ.
    if (have == out.size()) out.resize(std::min(max_bytes + 1, std::max<std::size_t>(4096, 2 * out.size())));
    const ssize_t got = ::read(fd, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read " + in_quotes(path.native()));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > max_bytes) {
      return user_error(in_quotes(path.native()) + " is larger than the limit of " + human_bytes(max_bytes));
    }
  }
  out.resize(have);
  return out;
}

Status write_to(const fs::path& path, std::string_view bytes, int flags, unsigned mode, bool flush) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
  if (!fd.open()) return errno_error("cannot write " + in_quotes(path.native()));
  KGB_CHECK(write_all(fd.get(), std::as_bytes(std::span(bytes)), in_quotes(path.native())));
  if (flush && ::fsync(fd.get()) != 0) return errno_error("cannot flush " + in_quotes(path.native()));
  return ok_status();
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  // Non-blocking: opening a FIFO must not wait for its writer.
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.open()) {
    Error error = errno_error("cannot open " + in_quotes(path.native()));
    error.fault = errno == ENOENT ? Fault::user : Fault::host;
    return error;
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return errno_error("cannot look at " + in_quotes(path.native()));
  if (!S_ISREG(info.st_mode)) return user_error(in_quotes(path.native()) + " is not a regular file");
  return drain(fd.get(), max_bytes, path);
}

Result<std::string> read_text_file(const fs::path& path, std::size_t max_bytes) {
  KGB_TRY(std::string text, read_file(path, max_bytes));
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (!is_utf8(text)) return user_error(in_quotes(path.native()) + " is not UTF-8 text; save it as UTF-8");
  return text;
}

Result<std::string> read_pseudo_file(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.open()) return errno_error("cannot open " + in_quotes(path.native()));
  return drain(fd.get(), std::size_t{16} << 20, path);
}

Status write_file_atomic(const fs::path& path, std::string_view bytes, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const fs::path beside =
      path.native() + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  Status written = write_to(beside, bytes, O_EXCL, mode, true);
  if (written.ok() && ::rename(beside.c_str(), path.c_str()) != 0) {
    written = errno_error("cannot replace " + in_quotes(path.native()));
  }
  if (!written.ok()) ::unlink(beside.c_str());
  return written;
}

Status write_file(const fs::path& path, std::string_view bytes, unsigned mode) {
  return write_to(path, bytes, O_TRUNC, mode, false);
}

Status make_folders(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return host_error("cannot make folder " + in_quotes(path.native()) + ": " + code.message());
  return ok_status();
}

Status remove_tree(const fs::path& path) {
  std::error_code code;
  fs::remove_all(path, code);  // does not follow symbolic links
  if (code) return host_error("cannot remove " + in_quotes(path.native()) + ": " + code.message());
  return ok_status();
}

Result<std::vector<std::string>> list_folder(const fs::path& path) {
  std::error_code code;
  std::vector<std::string> names;
  for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
    names.push_back(it->path().filename().native());
  }
  if (code) return host_error("cannot list " + in_quotes(path.native()) + ": " + code.message());
  std::sort(names.begin(), names.end());
  return names;
}

Result<TempDir> TempDir::make(std::string_view prefix, const fs::path& parent) {
  const char* env = std::getenv("TMPDIR");
  const fs::path base = !parent.empty()                  ? parent
                        : env != nullptr && *env != '\0' ? fs::path(env)
                                                         : fs::path("/tmp");
  std::string name = (base / (std::string(prefix) + "-XXXXXX")).native();
  if (::mkdtemp(name.data()) == nullptr)
    return errno_error("cannot make a folder under " + in_quotes(base.native()));
  return TempDir(fs::path(name));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    other.path_.clear();
  }
  return *this;
}

TempDir::~TempDir() {
  remove();
}

fs::path TempDir::keep() {
  fs::path path = std::move(path_);
  path_.clear();
  return path;
}

void TempDir::remove() noexcept {
  if (path_.empty()) return;
  std::error_code code;
  fs::remove_all(path_, code);
  if (code) log::warning("cannot remove " + path_.native() + ": " + code.message());
  path_.clear();
}

}  // namespace kgb
