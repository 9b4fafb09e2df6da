// SPDX-License-Identifier: Apache-2.0
// The source text in a model's reply.
#pragma once

#include <string>
#include <string_view>

namespace kgb::method {

// The code of a reply: of its fenced blocks the last that defines something (models show pieces first and the
// whole last), where a tie of equal use is decided by length; a block that is never closed counts; without a
// fence the whole reply where it reads like Python from its first line on. Empty: there is none. Never more
// than 1 MiB.
[[nodiscard]] std::string code_of_reply(std::string_view reply);

}  // namespace kgb::method
