// SPDX-License-Identifier: Apache-2.0
// What the CUDA driver needs in order to start in a locked process, and no more than that. Seen on an H200:
// without a name for its threads and a socket that listens, cuInit answers 304 (the operating system refused
// a call).
#include <gtest/gtest.h>

#include "scene.hpp"

namespace kgb::sandbox {
namespace {

int listening(int type, const std::string& name) {
  const Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  const auto [address, size] = Scene::unix_address(name);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return errno;
  return ::listen(fd.get(), 1) == 0 ? 0 : errno;
}

int listens(const Scene& scene) {
  return listening(SOCK_SEQPACKET, scene.abstract_name + "-driver-" + std::to_string(::getpid()));
}

int names_a_thread(const Scene&) {
  const Fd fd(::open(("/proc/self/task/" + std::to_string(::syscall(SYS_gettid)) + "/comm").c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.open()) return errno;
  return ::write(fd.get(), "driver", 6) == 6 ? 0 : errno;
}

int connects(const Scene& scene) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  const auto [address, size] = Scene::unix_address(scene.socket_path);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 ? 0 : errno;
}

// Of the type that may be made: the server's is another, which only who reached it is told.
int reaches(const Scene& scene) {
  const Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  const auto [address, size] = Scene::unix_address(scene.socket_path);
  ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size);
  return errno == EPROTOTYPE ? 0 : errno;
}

int sends(const Scene& scene) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  const Fd one(ends[0]), other(ends[1]);
  const auto [address, size] = Scene::unix_address(scene.socket_path);
  const ssize_t sent = ::sendto(one.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&address), size);
  return sent == 1 || errno == EPROTOTYPE ? 0 : errno;
}

int reaches_the_internet(const Scene& scene) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  const sockaddr_in address = Scene::loopback(scene.port);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

int leaves_a_socket_file(const Scene& scene) {
  return listening(SOCK_SEQPACKET, scene.outside + "/left-" + std::to_string(::getpid()));
}

void with_driver(LockSpec& lock) {
  lock.drivers = {"/dev/null"};  // any device: that there is one decides
}

class Driver : public testing::TestWithParam<Judge> {
 protected:
  void SetUp() override {
    if (const std::string reason = cannot_test(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
};
INSTANTIATE_TEST_SUITE_P(By, Driver, testing::Values(Judge::root, Judge::user),
                         [](const auto& row) { return row.param == Judge::root ? "Root" : "User"; });

TEST_P(Driver, ItNamesThreadsAndListensWhereOtherCandidatesMayNot) {
  for (const Attack& need : {Attack(names_a_thread), Attack(listens)}) {
    const Trial trial = try_attack(GetParam(), need, with_driver);
    ASSERT_TRUE(trial.made);
    EXPECT_EQ(trial.locked.end, End::exited);
    EXPECT_EQ(trial.locked.code, 0) << std::strerror(trial.locked.code);
    const Trial refused = try_attack(GetParam(), need);
    EXPECT_EQ(refused.without, 0);
    EXPECT_NE(refused.locked.code, 0);
  }
}

TEST_P(Driver, NobodyIsReachedByItsSockets) {
  for (const Attack& attack : {Attack(connects), Attack(reaches), Attack(sends), Attack(reaches_the_internet),
                               Attack(leaves_a_socket_file)}) {
    for (const bool drives : {true, false}) {
      const Trial trial =
          try_attack(GetParam(), attack, drives ? with_driver : std::function<void(LockSpec&)>());
      ASSERT_TRUE(trial.made);
      EXPECT_EQ(trial.without, 0) << "the attack works where there is no lock";
      EXPECT_EQ(trial.locked.end, End::exited);
      EXPECT_NE(trial.locked.code, 0);
    }
  }
}

}  // namespace
}  // namespace kgb::sandbox
