// SPDX-License-Identifier: Apache-2.0
// A locked process with a port reaches whoever accepts there, and nothing else of the host's.
#include "sandbox/port.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "scene.hpp"

namespace kgb::sandbox {
namespace {

constexpr std::uint16_t kPort = 8000;

int internet_socket(int port, in_addr_t host = INADDR_LOOPBACK) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  sockaddr_in address = Scene::loopback(port);
  address.sin_addr.s_addr = htonl(host);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

int unix_socket(const std::string& name) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  const auto [address, size] = Scene::unix_address(name);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0 ? 0 : errno;
}

// A pair of datagram sockets, one end of it turned to a socket of the file system.
int turned_pair(const std::string& name) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  const Fd one(ends[0]), other(ends[1]);
  const auto [address, size] = Scene::unix_address(name);
  const ssize_t sent = ::sendto(one.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&address), size);
  return sent == 1 || errno == EPROTOTYPE ? 0 : errno;  // of the wrong type, but reached
}

class Port : public testing::TestWithParam<Judge> {
 protected:
  void SetUp() override {
    if (const std::string reason = cannot_test(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
  static void with_port(LockSpec& lock) { lock.port = kPort; }
  static Trial attack(const Attack& what) { return try_attack(GetParam(), what, with_port); }
};
INSTANTIATE_TEST_SUITE_P(By, Port, testing::Values(Judge::root, Judge::user),
                         [](const auto& row) { return row.param == Judge::root ? "Root" : "User"; });

void expect_refused(const Trial& trial, int why = 0) {
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.without, 0) << "the attack works where there is no lock";
  EXPECT_EQ(trial.locked.end, End::exited);
  EXPECT_NE(trial.locked.code, 0);
  if (why != 0) {
    EXPECT_EQ(trial.locked.code, why) << std::strerror(trial.locked.code);
  }
}

TEST_P(Port, AnotherPortOfTheHostsLoopbackIsNotThere) {
  expect_refused(attack([](const Scene& s) { return internet_socket(s.port); }), ECONNREFUSED);
}

TEST_P(Port, NoOtherHostIsReached) {
  const Trial trial = attack([](const Scene&) { return internet_socket(53, 0xC0000201); });  // 192.0.2.1
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.locked.code, ENETUNREACH) << "there is no way to it, rather than no answer";
}

TEST_P(Port, SocketsOfTheFileSystemAreNotReached) {
  expect_refused(attack([](const Scene& s) { return unix_socket(s.socket_path); }), EAFNOSUPPORT);
  expect_refused(attack([](const Scene& s) { return unix_socket(s.abstract_name); }), EAFNOSUPPORT);
  expect_refused(attack([](const Scene& s) { return turned_pair(s.socket_path); }), EPERM);
}

TEST_P(Port, OtherFamiliesAreRefused) {
  for (const int family : {AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG}) {
    const Trial trial = attack([family](const Scene&) {
      const Fd fd(::socket(family, SOCK_RAW | SOCK_CLOEXEC, 0));
      return fd.open() ? 0 : errno;
    });
    ASSERT_TRUE(trial.made);
    EXPECT_EQ(trial.locked.code, EAFNOSUPPORT) << family;
  }
}

TEST_P(Port, ServersOfItsOwnWork) {
  const Trial trial = attack([](const Scene&) {
    const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = Scene::loopback(4321);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return errno;
    if (::listen(fd.get(), 1) != 0) return errno;
    return internet_socket(4321);
  });
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.locked.code, 0) << std::strerror(trial.locked.code);
}

TEST_P(Port, ItIsTakenAlready) {
  const Trial trial = attack([](const Scene&) {
    const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = Scene::loopback(kPort);
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  });
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.locked.code, EADDRINUSE) << "it could answer in our place";
}

LockSpec lock_with_port() {
  LockSpec lock;
  if (::geteuid() == 0) lock.uid = kAuthor;
  lock.read = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
  lock.execute = lock.read;
  lock.memory_bytes = std::uint64_t{256} << 20;
  lock.port = kPort;
  return lock;
}

Command bash(const std::string& script) {
  Command command;
  command.argv = {"/bin/bash", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.lock = lock_with_port();
  return command;
}

TEST(OwnPort, WhoStartedItAcceptsItsConnections) {
  if (const std::string reason = cannot_test(Judge::user); !reason.empty()) GTEST_SKIP() << reason;
  auto started = start(bash("exec 3<>/dev/tcp/127.0.0.1/8000; echo question >&3; read line <&3; echo $line"));
  ASSERT_TRUE(started.ok()) << started.error().message;
  ASSERT_TRUE(wait_for(started->listener.get(), POLLIN, Deadline(Millis(20'000))).value());
  const Fd peer(::accept4(started->listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(peer.open());
  EXPECT_EQ(read_exactly(peer.get(), 9, Deadline(Millis(20'000)), "the child").value(), "question\n");
  ASSERT_TRUE(
      write_all(peer.get(), std::as_bytes(std::span(std::string_view("answer\n"))), "the child").ok());
  Channel* const channels[] = {&started->out, &started->err};
  const auto finished = started->child.wait({}, channels);
  ASSERT_TRUE(finished.ok() && finished->clean()) << started->err.bytes;
  EXPECT_EQ(started->out.bytes, "answer\n");
}

TEST(OwnPort, TwoAtOnceHaveOneEach) {
  if (const std::string reason = cannot_test(Judge::user); !reason.empty()) GTEST_SKIP() << reason;
  const std::string script = "exec 3<>/dev/tcp/127.0.0.1/8000; echo ";
  auto a = start(bash(script + "a >&3")), b = start(bash(script + "b >&3"));
  ASSERT_TRUE(a.ok() && b.ok());
  for (const auto& [started, said] : {std::pair(&*a, "a"), std::pair(&*b, "b")}) {
    const Fd peer(::accept4(started->listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_EQ(read_exactly(peer.get(), 1, Deadline(Millis(20'000)), "a child").value(), said);
  }
}

TEST(OwnPort, WithoutANetworkNamespaceThereIsNone) {
  Command command = bash("true");
  command.lock->avoid = kNetNs;
  command.lock->allow_weak = true;
  const auto started = start(command);
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message.find("this host gives no network namespace"), std::string::npos)
      << started.error().message;
}

// -- modes, owners and times of files ---------------------------------------------------------------------

unsigned mode_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}
void with_metadata(LockSpec& lock) {
  lock.metadata = true;
}

TEST_P(Port, FilesOfTheJudgeKeepTheirModes) {
  const Attack turn = [](const Scene& s) {
    return ::chmod(s.secret.c_str(), mode_of(s.secret) ^ 0111) == 0 ? 0 : errno;
  };
  const auto once = [](const Scene& s) { return mode_of(s.secret) == 0711; };  // turned by the control alone
  const Trial trial = try_attack(GetParam(), turn, with_metadata, {}, once);
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.without, 0);
  EXPECT_TRUE(trial.held);
}

TEST_P(Port, ChangingAFileOfItsOwnSucceeds) {
  const Attack close = [](const Scene& s) {
    const std::string path = s.workspace + "/own";
    ::unlink(path.c_str());
    const Fd fd(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    return ::chmod(path.c_str(), 0755) == 0 && ::futimens(fd.get(), nullptr) == 0 ? 0 : errno;
  };
  const Trial trial = try_attack(GetParam(), close, with_metadata);
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.locked.code, 0) << std::strerror(trial.locked.code);
  EXPECT_EQ(try_attack(GetParam(), close).locked.code, EPERM) << "where it was not allowed";
}

}  // namespace
}  // namespace kgb::sandbox
