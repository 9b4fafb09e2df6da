// SPDX-License-Identifier: Apache-2.0
// The lexer: one pass, no copies; brackets are matched iteratively so that nesting costs no stack.
#include "vm/lexer.hpp"

#include <algorithm>

namespace kgb::vm {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}
// Names of values and blocks may hold '-' too: %c-7_i32.
bool is_value_name(char c) {
  return is_name(c) || c == '-';
}

std::size_t end_of_string(std::string_view text, std::size_t at) {  // at: the opening quote
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      fresh_line_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_ = {TokenKind::end, {}, at_, fresh_line_};
  fresh_line_ = false;
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  std::size_t end = at_ + 1;
  const auto name = [&](TokenKind kind, auto&& accepts, std::size_t skip) {
    while (end < text_.size() && accepts(text_[end])) ++end;
    token_.kind = kind;
    token_.text = text_.substr(at_ + skip, end - at_ - skip);
  };
  if (c == '%') {
    name(TokenKind::value, is_value_name, 1);
  } else if (c == '^') {
    name(TokenKind::block, is_value_name, 1);
  } else if (c == '#') {
    name(TokenKind::alias, is_name, 0);
  } else if (c == '@' && end < text_.size() && text_[end] == '"') {
    end = end_of_string(text_, end);
    token_.kind = end == std::string_view::npos ? TokenKind::bad : TokenKind::symbol;
    end = std::min(end, text_.size());
    if (token_.kind == TokenKind::symbol) token_.text = text_.substr(at_ + 2, end - at_ - 3);
  } else if (c == '@') {
    name(TokenKind::symbol, is_name, 1);
  } else if (c == '"') {
    end = end_of_string(text_, at_);
    token_.kind = end == std::string_view::npos ? TokenKind::bad : TokenKind::string;
    end = std::min(end, text_.size());
    if (token_.kind == TokenKind::string) token_.text = text_.substr(at_ + 1, end - at_ - 2);
  } else if (is_digit(c) || (c == '-' && end < text_.size() && is_digit(text_[end]))) {
    while (end < text_.size() && (is_name(text_[end]) || ((text_[end] == '+' || text_[end] == '-') &&
                                                          (text_[end - 1] == 'e' || text_[end - 1] == 'E') &&
                                                          text_[at_ + 1] != 'x')))
      ++end;
    token_.kind = TokenKind::number;
    token_.text = text_.substr(at_, end - at_);
  } else if (is_name(c) || c == '!') {
    name(TokenKind::word, is_name, 0);
  } else {
    token_.kind = TokenKind::punct;
    if (c == '-' && end < text_.size() && text_[end] == '>') ++end;
    token_.text = text_.substr(at_, end - at_);
  }
  at_ = end;
}

std::size_t Lexer::end_of_balanced(std::size_t at) const {
  std::size_t depth = 0;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == '"') {
      at = end_of_string(text_, at);
      if (at == std::string_view::npos) return at;
      continue;
    }
    if (c == '-' && at + 1 < text_.size() && text_[at + 1] == '>') {
      at += 2;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (depth == 0) return std::string_view::npos;
      if (--depth == 0) return at + 1;
    }
    ++at;
  }
  return std::string_view::npos;
}

std::string_view Lexer::take_balanced() {
  const std::size_t begin = token_.begin;
  const std::size_t end = end_of_balanced(begin);
  if (end == std::string_view::npos) return {};
  at_ = end;
  advance();
  return text_.substr(begin, end - begin);
}

std::string_view Lexer::take_type() {
  const std::size_t begin = token_.begin;
  std::size_t end = begin;
  if (token_.kind == TokenKind::word) {
    end += token_.text.size();
  } else if (!token_.is("<")) {
    return {};
  }
  if (end < text_.size() && text_[end] == '<') end = end_of_balanced(end);
  if (end == std::string_view::npos || end == begin) return {};
  at_ = end;
  advance();
  return text_.substr(begin, end - begin);
}

std::string_view Lexer::take_attribute() {
  const std::size_t begin = token_.begin;
  std::size_t at = begin;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == ',' || c == ')' || c == ']' || c == '}' || c == '>' || c == '\n') break;
    if (c == '"') {
      at = end_of_string(text_, at);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      at = end_of_balanced(at);
    } else {
      ++at;
    }
    if (at == std::string_view::npos) return {};
  }
  at_ = at;
  std::size_t end = at;
  while (end > begin && text_[end - 1] == ' ') --end;
  advance();
  return text_.substr(begin, end - begin);
}

int Lexer::line_of(std::size_t offset) const {
  return 1 + static_cast<int>(std::count(
                 text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size())),
                 '\n'));
}

}  // namespace kgb::vm
