// SPDX-License-Identifier: Apache-2.0
// Recorded exchanges with model servers, one JSON line each (docs/models.md), to be replayed without paying
// again. Thread-safe; several programs may append to one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "llm/wire.hpp"

namespace kgb::llm {

enum class CassetteMode {
  off,
  record,
  replay,
  automatic
};  // automatic: replays what is there, records the rest
[[nodiscard]] std::string_view name_of(CassetteMode mode);  // "off", "record", "replay", "auto"
[[nodiscard]] std::optional<CassetteMode> cassette_mode_named(std::string_view name);

// Which exchange: equal requests are told apart by their sample.
struct ExchangeKey {
  std::string method, path;
  std::string request;  // canonical_hash of the body
  int sample = 0;
  auto operator<=>(const ExchangeKey&) const = default;
};
// SHA-256 of a JSON body, whatever the order of its members and its white space; of other bytes as they are.
[[nodiscard]] std::string canonical_hash(std::string_view body);

struct Piece {
  double at_s = 0;        // since the request
  std::size_t bytes = 0;  // of the body, that came then
};
struct Recording {
  ExchangeKey key;
  int status = 0;
  Headers headers;
  std::string body;
  std::vector<Piece> pieces;  // together as long as the body
  std::string by, from, at;   // which program recorded it, from which server, when
};

class Cassette {
 public:
  // `secrets` never reach the file: neither in a header nor in a body. A replay needs the file; else it is
  // made. A last line that was cut when its writer died is left out, with a warning in the log.
  [[nodiscard]] static Result<std::unique_ptr<Cassette>> open(const std::filesystem::path& file,
                                                              CassetteMode mode,
                                                              std::vector<std::string> secrets = {});
  [[nodiscard]] bool replays() const { return mode_ != CassetteMode::record; }
  [[nodiscard]] bool records() const { return mode_ != CassetteMode::replay; }
  // The last recording under this key. An Error: the file has changed under us.
  [[nodiscard]] Result<std::optional<Recording>> find(const ExchangeKey& key) const;
  // Says which request is missing and what to do, for a replay that finds nothing.
  [[nodiscard]] std::string miss(const ExchangeKey& key) const;
  [[nodiscard]] Status add(Recording recording);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Place {
    std::uint64_t offset = 0, length = 0;
  };
  Cassette(std::filesystem::path file, CassetteMode mode, std::vector<std::string> secrets)
      : file_(std::move(file)), mode_(mode), secrets_(std::move(secrets)) {}
  Status load();
  [[nodiscard]] std::string redacted(std::string text) const;

  std::filesystem::path file_;
  CassetteMode mode_;
  std::vector<std::string> secrets_;
  Fd fd_;
  mutable std::mutex mutex_;
  std::map<ExchangeKey, Place> places_;
};

}  // namespace kgb::llm
