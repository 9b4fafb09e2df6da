// SPDX-License-Identifier: Apache-2.0
// Stand-in for a pid namespace: a process that outlives a child and hunts what the child leaves behind.
#pragma once

namespace kgb::sandbox {

// Where a host gives no pid namespace, kgbench starts a warden and the warden starts the child:
//   1. The warden is the child's subreaper, so whatever loses its parent below becomes the warden's own
//   child.
//   2. When the child ends, or kgbench asks by SIGTERM, the warden kills its children until it has none.
//   3. It ends as the child ended, so kgbench sees one process with the child's exit.
// The price: a fork bomb that is faster than the hunt is stopped only by the limit on processes, and as an
// ordinary user on a kernel without Landlock's signal scope a candidate can kill its warden first. Hence
// --allow-weak-lock.
//
// Called in a fresh process, with only system calls: returns in the child that is to run, never in the
// warden. `give_up` is called, and must not return, when the child cannot be made.
void enter_warden(void (*give_up)(const void* context, int code), const void* context) noexcept;

// Asks a warden to end its child and all below, and to follow.
inline constexpr int kWardenStop = 15;  // SIGTERM

}  // namespace kgb::sandbox
