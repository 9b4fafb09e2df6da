// SPDX-License-Identifier: Apache-2.0
// Small text helpers: splitting, trimming, UTF-8, "did you mean", text for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {

// Without leading and trailing ASCII white space.
[[nodiscard]] std::string_view trim(std::string_view text);
// Every field, empty ones included: split("a,,b", ',') is {"a", "", "b"}; split("", ',') is {""}.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
// Lines without their ends; "\r\n" counts as one end; no empty last line after a final newline.
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);
// What comes before the first line end: messages of other programs go on for pages.
[[nodiscard]] std::string first_line(std::string_view text);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string to_lower(std::string_view text);  // ASCII only
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// The whole text as a number; nullopt when anything else is there or it does not fit.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);
// Every byte that is no part of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string to_utf8_lossy(std::string_view text);
// At most `max_bytes` bytes, cut between code points.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

// In single quotes, for a message: control characters escaped, long text cut with "...".
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t max_bytes = 80);
// "512 B", "1.5 KiB", "64 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

// Fewest insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidates near `word`, best first, at most `limit`: for "did you mean".
[[nodiscard]] std::vector<std::string> close_matches(std::string_view word,
                                                     std::span<const std::string> candidates,
                                                     std::size_t limit = 3);
// " (did you mean 'softmax' or 'softmin'?)", or nothing when no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace kgb
