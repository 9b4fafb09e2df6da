// SPDX-License-Identifier: Apache-2.0
// A host without pid namespaces: the weaker lock still ends whole trees and tells how the child ended.
#include "sandbox/warden.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <csignal>

#include "daemons.hpp"
#include "scene.hpp"

namespace kgb::sandbox {
namespace {

constexpr std::chrono::seconds kLong{30};

class Warden : public ::testing::TestWithParam<Judge> {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_test(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  static void weaken(LockSpec& lock) {
    lock.avoid = kPidNs;
    lock.allow_weak = true;
  }
  // Only the locked attackers are of interest here: the control ends at once.
  static Attack locked_only(Attack attack) {
    return [attack = std::move(attack)](const Scene& s) { return ::getppid() == s.judge ? 0 : attack(s); };
  }
};

INSTANTIATE_TEST_SUITE_P(, Warden, ::testing::Values(Judge::root, Judge::user),
                         [](const auto& row) { return row.param == Judge::root ? "AsRoot" : "AsUser"; });

TEST_P(Warden, TellsExitCodesAndSignals) {
  const Trial exited = try_attack(GetParam(), locked_only([](const Scene&) { return 42; }), weaken);
  ASSERT_TRUE(exited.made);
  EXPECT_EQ(exited.locked.end, End::exited);
  EXPECT_EQ(exited.locked.code, 42);
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL}) {
    const Trial died = try_attack(GetParam(), locked_only([signal](const Scene&) {
                                    ::kill(::getpid(), signal);
                                    return 0;
                                  }),
                                  weaken);
    EXPECT_EQ(died.locked.end, End::signalled);
    EXPECT_EQ(died.locked.code, signal);
  }
}

TEST_P(Warden, HuntsDaemonsWhenTheirCandidateEnds) {
  const Trial trial =
      try_attack(GetParam(), locked_only([](const Scene& s) { return start_daemons(s, kLong); }), weaken, {},
                 nobody_holds);
  ASSERT_TRUE(trial.made);
  EXPECT_TRUE(trial.locked.clean()) << trial.locked.describe();
  EXPECT_TRUE(trial.held) << "a daemon outlived its candidate";
}

TEST_P(Warden, HuntsDaemonsAtTheDeadline) {
  Limits limits;
  limits.wall = Millis(500);
  const Attack stay = locked_only([](const Scene& s) {
    if (const int code = start_daemons(s, kLong); code != 0) return code;
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_IGN);
    while (true) ::pause();
  });
  const Trial trial = try_attack(GetParam(), stay, weaken, limits, nobody_holds);
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.locked.end, End::timeout) << trial.locked.describe();
  EXPECT_TRUE(trial.held) << "a daemon outlived its candidate";
}

TEST_P(Warden, OtherAttacksAreStillRefused) {
  const Trial signal =
      try_attack(GetParam(), [](const Scene& s) { return ::kill(s.judge, 0) == 0 ? 0 : errno; }, weaken);
  EXPECT_EQ(signal.without, 0);
  // Landlock's scope of signals, or another user.
  if (GetParam() == Judge::root || landlock_abi() >= 6) {
    EXPECT_EQ(signal.locked.code, EPERM);
  }
  const Trial write = try_attack(
      GetParam(),
      [](const Scene& s) {
        return ::open((s.outside + "/new").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644) >= 0 ? 0 : errno;
      },
      weaken);
  EXPECT_EQ(write.without, 0);
  EXPECT_EQ(write.locked.code, EACCES);
}

TEST(WeakLock, IsRefusedWithoutConsent) {
  LockSpec lock;
  lock.uid = kAuthor;
  lock.avoid = kPidNs;
  const auto started = start_forked(lock, [] { return 0; });
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message.find("no pid namespace"), std::string::npos);
}

}  // namespace
}  // namespace kgb::sandbox
