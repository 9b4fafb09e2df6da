// SPDX-License-Identifier: Apache-2.0
// The host's audit agrees with what the parts themselves do.
#include "sandbox/facilities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sandbox/cgroup.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/lock.hpp"
#include "scene.hpp"

namespace kgb::sandbox {
namespace {

const Facility& row(const std::vector<Facility>& rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Facility& f) { return f.name == name; });
}

TEST(Facilities, EveryRowSaysWhatWasFoundAndWhatToDo) {
  for (const Facility& facility : probe_facilities()) {
    EXPECT_FALSE(facility.detail.empty()) << facility.name;
    if (facility.name == "user") continue;
    EXPECT_FALSE(facility.consequence.empty()) << facility.name;
    EXPECT_FALSE(facility.remedy.empty()) << facility.name;
  }
}

TEST(Facilities, RowsAgreeWithTheParts) {
  const auto rows = probe_facilities();
  const Namespaces usable = usable_namespaces();
  EXPECT_EQ(row(rows, "pid namespace").available, (usable & kPidNs) != 0);
  EXPECT_EQ(row(rows, "network namespace").available, (usable & kNetNs) != 0);
  EXPECT_EQ(row(rows, "Landlock").available, landlock_abi() > 0);
  EXPECT_EQ(row(rows, "memory control group").available, cgroup_places().memory());
  LockSpec spec;
  spec.namespaces = usable;
  if (::geteuid() == 0) spec.uid = kAuthor;
  EXPECT_EQ(row(rows, "lock").available, PreparedLock::make(spec).ok());
}

// An ordinary user sees what an ordinary user can do, in the same test run.
TEST(Facilities, AnOrdinaryUserHasNoControlGroupsButALock) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(kUser, kUser, kUser) != 0 || ::setresuid(kUser, kUser, kUser) != 0) ::_exit(1);
    const auto rows = probe_facilities();
    const bool user_ns = row(rows, "user namespace").available;
    if (row(rows, "memory control group").available) ::_exit(2);
    if (row(rows, "lock").available != user_ns) ::_exit(3);
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace kgb::sandbox
