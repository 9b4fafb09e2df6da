// SPDX-License-Identifier: Apache-2.0
// Tokens of TTIR text, made on demand; the text must outlive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kgb::vm {

enum class TokenKind : std::uint8_t {
  end,
  value,   // %name, without '%' and without '#k'
  block,   // ^bb0
  symbol,  // @name or @"name", without '@' and quotes
  alias,   // #loc12
  word,    // names with dots, "!tt.ptr"
  number,  // 12, -1, 1.0e+00, 0xFF
  string,  // without quotes, escapes as they stand
  punct,   // one character, or "->"
  bad,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t begin = 0;       // offset of its first character
  bool first_on_line = false;  // nothing but blanks before it on its line
  [[nodiscard]] bool is(std::string_view punct) const { return kind == TokenKind::punct && text == punct; }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == TokenKind::word && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  [[nodiscard]] const Token& peek() const { return token_; }
  Token take() {
    Token taken = token_;
    advance();
    return taken;
  }
  // From the current token on: everything up to the bracket that closes the one it is. Brackets inside
  // strings do not count. Empty if it is never closed.
  std::string_view take_balanced();
  // A type's text ("tensor<4x!tt.ptr<f32>>"); empty if none starts at the current token.
  std::string_view take_type();
  // An attribute's value: up to a ',' or closing bracket outside of any bracket.
  std::string_view take_attribute();
  [[nodiscard]] int line_of(std::size_t offset) const;

 private:
  void advance();
  void skip_blanks();
  std::size_t end_of_balanced(std::size_t at) const;

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_line_ = true;
  Token token_;
};

}  // namespace kgb::vm
