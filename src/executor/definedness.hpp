// SPDX-License-Identifier: Apache-2.0
// Which bytes the host's fills and copies define, told to the sanitizer element by element.
#pragma once

#include "executor/strided.hpp"
#include "vm/sanitize.hpp"

namespace kgb::executor {

// Every element of dst has been written; with `src`, those whose source element has.
void define_elements(vm::Sanitizer& sanitizer, const Strided& dst, const Strided* src = nullptr);

}  // namespace kgb::executor
