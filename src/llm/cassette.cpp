// SPDX-License-Identifier: Apache-2.0
// The file of a cassette: found lines, appended lines, a last line that its writer did not finish.
#include "llm/cassette.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/log.hpp"
#include "base/text.hpp"
#include "llm/recording.hpp"

namespace kgb::llm {
namespace {

namespace fs = std::filesystem;

// Shorter ones are dummies ("none"), and would be cut out of every text that has the word.
constexpr std::size_t kShortestSecret = 8;
// What a replay or a reader needs; others may name an account.
constexpr std::array<std::string_view, 5> kKept{"content-type", "retry-after", "retry-after-ms", "request-id",
                                                "x-request-id"};
constexpr std::array<std::string_view, 4> kModes{"off", "record", "replay", "auto"};

// Held while the file is read or written: a half-written line is then one whose writer died.
class FileLock {
 public:
  FileLock(int fd, int how) : fd_(fd) {
    while (::flock(fd_, how) != 0 && errno == EINTR) {
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { ::flock(fd_, LOCK_UN); }

 private:
  int fd_;
};

Result<std::string> read_at(int fd, std::uint64_t offset, std::size_t size, const fs::path& file) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read " + in_quotes(file.native()));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

std::string_view name_of(CassetteMode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<CassetteMode> cassette_mode_named(std::string_view name) {
  const auto found = std::find(kModes.begin(), kModes.end(), name);
  if (found == kModes.end()) return std::nullopt;
  return static_cast<CassetteMode>(found - kModes.begin());
}

Result<std::unique_ptr<Cassette>> Cassette::open(const fs::path& file, CassetteMode mode,
                                                 std::vector<std::string> secrets) {
  std::erase_if(secrets, [](const std::string& secret) { return secret.size() < kShortestSecret; });
  std::unique_ptr<Cassette> cassette(new Cassette(file, mode, std::move(secrets)));
  const int flags = mode == CassetteMode::replay ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND;
  cassette->fd_ = Fd(::open(file.c_str(), flags | O_CLOEXEC, 0644));
  if (!cassette->fd_.open()) {
    Error error = errno_error("cannot open the cassette " + in_quotes(file.native()));
    error.fault = Fault::user;
    return error;
  }
  KGB_CHECK(cassette->load());
  return cassette;
}

Status Cassette::load() {
  const FileLock lock(fd_.get(), records() ? LOCK_EX : LOCK_SH);
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::string pending;       // a line begun
  std::uint64_t offset = 0;  // where it begins
  for (int number = 1;;) {
    KGB_TRY(const std::string block, read_at(fd_.get(), offset + pending.size(), kBlock, file_));
    if (block.empty()) break;
    pending += block;
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1, ++number) {
      const std::string_view line = std::string_view(pending).substr(begin, end - begin);
      const Result<Recording> recording = recording_of(line);
      if (!recording)
        return user_error(file_.string() + ":" + std::to_string(number) + ": " + recording.error().message);
      places_[recording->key] = {offset + begin, line.size()};
    }
    pending.erase(0, begin);
    offset += begin;
  }
  if (pending.empty()) return ok_status();
  log::warning("the last line of the cassette " + in_quotes(file_.native()) +
               " was cut when its writer died; it is left out");
  if (records() && ::ftruncate(fd_.get(), static_cast<off_t>(offset)) != 0)
    return errno_error("cannot mend the cassette " + in_quotes(file_.native()));
  return ok_status();
}

Result<std::optional<Recording>> Cassette::find(const ExchangeKey& key) const {
  Place place;
  {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::optional<Recording>();
    place = found->second;
  }
  KGB_TRY(const std::string line, read_at(fd_.get(), place.offset, place.length, file_));
  Result<Recording> recording = recording_of(line);
  if (!recording || recording->key != key)
    return host_error("the cassette " + in_quotes(file_.native()) + " has changed while it was read");
  return std::optional<Recording>(std::move(*recording));
}

std::string Cassette::miss(const ExchangeKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto samples = std::count_if(places_.begin(), places_.end(), [&](const auto& place) {
    return place.first.request == key.request && place.first.path == key.path;
  });
  const std::string what = "the cassette " + in_quotes(file_.native()) + " has no reply to " + key.method +
                           " " + key.path + ", request " + key.request.substr(0, 12) + ", sample " +
                           std::to_string(key.sample);
  if (samples > 0) return what + " (it has " + std::to_string(samples) + " other samples of this request)";
  return what + " (it has " + std::to_string(places_.size()) +
         " replies to other requests). The mode auto records what is missing";
}

std::string Cassette::redacted(std::string text) const {
  for (const std::string& secret : secrets_) text = replace_all(text, secret, "[redacted]");
  return text;
}

Status Cassette::add(Recording recording) {
  const std::size_t size = recording.body.size();
  recording.body = redacted(std::move(recording.body));
  // The pieces no longer fit then: what came when is told by the last of them.
  if (recording.body.size() != size && !recording.pieces.empty())
    recording.pieces = {{recording.pieces.back().at_s, recording.body.size()}};
  std::erase_if(recording.headers, [](const auto& header) {
    return std::find(kKept.begin(), kKept.end(), header.first) == kKept.end();
  });
  for (auto& header : recording.headers) header.second = redacted(std::move(header.second));
  const std::string line = line_of(recording);
  const std::lock_guard lock(mutex_);
  const FileLock file_lock(fd_.get(), LOCK_EX);
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  if (end < 0) return errno_error("cannot write the cassette " + in_quotes(file_.native()));
  const Status written = write_all(fd_.get(), std::as_bytes(std::span(line)), "the cassette");
  if (!written.ok()) {
    // Half a line would spoil the next one. Where this fails, too, opening mends it.
    if (::ftruncate(fd_.get(), end) != 0)
      log::warning("the cassette " + in_quotes(file_.native()) + " ends in half a line");
    return written.error();
  }
  places_[recording.key] = {static_cast<std::uint64_t>(end), line.size() - 1};
  return ok_status();
}

std::size_t Cassette::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace kgb::llm
