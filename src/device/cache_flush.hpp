// SPDX-License-Identifier: Apache-2.0
// Cold caches before a timed call on the CPU.
#pragma once

#include <cstddef>

namespace kgb {

// Reads and writes a buffer twice as large as the last-level cache, then reads it once more, so that neither
// inputs nor dirty lines of the last call remain in any cache.
void flush_caches();
// Bytes of the largest data cache that the kernel reports, at most 256 MiB; 32 MiB where it reports none.
[[nodiscard]] std::size_t last_level_cache_bytes();

}  // namespace kgb
