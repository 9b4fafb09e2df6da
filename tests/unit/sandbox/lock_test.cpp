// SPDX-License-Identifier: Apache-2.0
// One test per attack: it works on an ordinary child and is refused under the lock, whoever runs the judge.
#include "sandbox/lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include <csignal>

#include "scene.hpp"

namespace kgb::sandbox {
namespace {

int result(long value) {
  return value >= 0 ? 0 : errno;
}
char treasure[] = "in the judge's memory";

int open_for(const std::string& path, int flags) {
  return result(::open(path.c_str(), flags | O_CLOEXEC, 0644));
}

int connect_to(int family, int type, const void* address, socklen_t size) {
  const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  if (type == SOCK_DGRAM) return result(::sendto(fd, "x", 1, 0, static_cast<const sockaddr*>(address), size));
  return result(::connect(fd, static_cast<const sockaddr*>(address), size));
}

int connect_inet(const Scene& scene, int type) {
  const sockaddr_in address = Scene::loopback(scene.port);
  return connect_to(AF_INET, type, &address, sizeof address);
}

int connect_unix(const std::string& name) {
  const auto [address, size] = Scene::unix_address(name);
  return connect_to(AF_UNIX, SOCK_STREAM, &address, size);
}

int run_program(const std::string& path) {
  const pid_t pid = ::fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    char* argv[] = {const_cast<char*>(path.c_str()), nullptr};
    char* none[] = {nullptr};
    ::execve(path.c_str(), argv, none);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

struct Row {
  const char* name;
  Attack attack;
  bool root_only = false;  // the control needs the judge to be root
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"CreateOutside", [](const Scene& s) { return open_for(s.outside + "/new", O_CREAT | O_WRONLY); }},
      {"RenameOutside",
       [](const Scene& s) {
         if (const int code = open_for(s.workspace + "/file", O_CREAT | O_WRONLY); code != 0) return code;
         return result(::rename((s.workspace + "/file").c_str(), (s.outside + "/moved").c_str()));
       }},
      {"LinkIn",
       [](const Scene& s) { return result(::link(s.script.c_str(), (s.workspace + "/linked").c_str())); }},
      {"ReadWhatIsHidden", [](const Scene& s) { return open_for(s.answer, O_RDONLY); }},
      {"FollowSymbolicLink",
       [](const Scene& s) {
         const std::string link = s.workspace + "/link";
         ::unlink(link.c_str());
         if (::symlink(s.script.c_str(), link.c_str()) != 0) return errno;
         return open_for(link, O_RDONLY);
       }},
      {"TruncateOutside", [](const Scene& s) { return result(::truncate(s.script.c_str(), 20)); }},
      {"RemoveOutside",
       [](const Scene& s) {
         const int made = ::open((s.outside + "/victim").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
         if (made < 0) return errno;
         return result(::unlink((s.outside + "/victim").c_str()));
       }},
      {"ChangeModeOutside", [](const Scene& s) { return result(::chmod(s.script.c_str(), 0755)); }},
      {"ListOutside", [](const Scene& s) { return open_for(s.outside, O_RDONLY | O_DIRECTORY); }},
      {"ReadPrivateFile", [](const Scene& s) { return open_for(s.secret, O_RDONLY); }},
      {"ReadShadow", [](const Scene&) { return open_for("/etc/shadow", O_RDONLY); }, true},
      {"OpenTerminal", [](const Scene&) { return open_for("/dev/ptmx", O_RDWR | O_NOCTTY); }},
      {"ConnectTcp", [](const Scene& s) { return connect_inet(s, SOCK_STREAM); }},
      {"SendUdp", [](const Scene& s) { return connect_inet(s, SOCK_DGRAM); }},
      {"ConnectUnixByPath", [](const Scene& s) { return connect_unix(s.socket_path); }},
      {"ConnectUnixAbstract", [](const Scene& s) { return connect_unix(s.abstract_name); }},
      {"SignalJudge", [](const Scene& s) { return result(::kill(s.judge, 0)); }},
      {"SignalOwnGroup",
       [](const Scene& s) {
         // The judge's group: a child that did not leave it reaches the judge by kill(0).
         return ::getpgrp() == ::getpgid(s.judge) ? 0 : ESRCH;
       }},
      {"TraceJudge",
       [](const Scene& s) {
         if (::ptrace(PTRACE_ATTACH, s.judge, nullptr, nullptr) != 0) return errno;
         ::waitpid(s.judge, nullptr, __WALL);
         return result(::ptrace(PTRACE_DETACH, s.judge, nullptr, nullptr));
       }},
      {"ReadJudgesMemory",
       [](const Scene& s) {
         char copy[sizeof treasure];
         const iovec here{copy, sizeof copy}, there{treasure, sizeof treasure};
         return result(::process_vm_readv(s.judge, &here, 1, &there, 1, 0));
       }},
      {"OpenJudgesMemory",
       [](const Scene& s) { return open_for("/proc/" + std::to_string(s.judge) + "/mem", O_RDWR); }},
      {"ReadJudgesEnvironment",
       [](const Scene& s) { return open_for("/proc/" + std::to_string(s.judge) + "/environ", O_RDONLY); }},
      {"StealDescriptor",
       [](const Scene& s) {
         const long pidfd = ::syscall(SYS_pidfd_open, s.judge, 0);
         return pidfd < 0 ? errno : result(::syscall(SYS_pidfd_getfd, pidfd, s.secret_fd, 0));
       }},
      {"UseInheritedDescriptor", [](const Scene& s) { return result(::lseek(s.secret_fd, 0, SEEK_END)); }},
      {"NestUserNamespace", [](const Scene&) { return result(::unshare(CLONE_NEWUSER)); }},
      {"RunAnyProgram", [](const Scene&) { return run_program("/bin/true"); }},
      {"RunOwnProgram",
       [](const Scene& s) {
         const std::string own = s.workspace + "/own";
         const int fd = ::open(own.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0755);
         if (fd < 0 || ::write(fd, "#!/bin/sh\nexit 0\n", 17) != 17) return errno;
         ::close(fd);
         return run_program(own);
       }},
      {"QueueThatOutlives",
       [](const Scene&) {
         const long queue = ::syscall(SYS_msgget, 0, 0600);
         if (queue < 0) return errno;
         ::syscall(SYS_msgctl, queue, 0, nullptr);
         return 0;
       }},
      {"BecomeRoot", [](const Scene&) { return result(::setresuid(0, 0, 0)); }, true},
      {"ChangeRoot", [](const Scene& s) { return result(::chroot(s.workspace.c_str())); }, true},
  };
  return table;
}

using Case = std::tuple<Judge, std::size_t>;
class Attacks : public ::testing::TestWithParam<Case> {};

TEST_P(Attacks, WorksOnAChildAndIsRefusedUnderTheLock) {
  const auto [judge, index] = GetParam();
  const Row& row = rows()[index];
  if (const std::string why = cannot_test(judge); !why.empty()) GTEST_SKIP() << why;
  if (row.root_only && judge != Judge::root) GTEST_SKIP() << "an ordinary user cannot do this anyway";
  const Trial trial = try_attack(judge, row.attack);
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.without, 0) << "the attack itself is broken: " << std::strerror(trial.without);
  EXPECT_EQ(trial.locked.end, End::exited) << trial.locked.describe();
  EXPECT_NE(trial.locked.code, 0) << "the attack got through";
}

INSTANTIATE_TEST_SUITE_P(, Attacks,
                         ::testing::Combine(::testing::Values(Judge::root, Judge::user),
                                            ::testing::Range(std::size_t{0}, rows().size())),
                         [](const auto& row) {
                           return std::string(rows()[std::get<1>(row.param)].name) +
                                  (std::get<0>(row.param) == Judge::root ? "AsRoot" : "AsUser");
                         });

// What an honest author needs still works.
class Honest : public ::testing::TestWithParam<Judge> {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_test(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  static void expect_works(const Attack& deed, const std::function<void(LockSpec&)>& adjust = {}) {
    const Trial trial = try_attack(GetParam(), deed, adjust);
    ASSERT_TRUE(trial.made);
    EXPECT_EQ(trial.without, 0);
    EXPECT_EQ(trial.locked.end, End::exited) << trial.locked.describe();
    EXPECT_EQ(trial.locked.code, 0) << std::strerror(trial.locked.code);
  }
};

TEST_P(Honest, UsesItsWorkspace) {
  expect_works([](const Scene& s) {
    const std::string folder = s.workspace + "/deep" + std::to_string(::getpid());
    ::mkdir(folder.c_str(), 0755);
    if (const int code = open_for(folder + "/a", O_CREAT | O_RDWR); code != 0) return code;
    if (::rename((folder + "/a").c_str(), (s.workspace + "/b").c_str()) != 0) return errno;
    return result(::unlink((s.workspace + "/b").c_str()));
  });
}

TEST_P(Honest, ReadsItsToolchainAndItself) {
  expect_works([](const Scene&) {
    if (const int code = open_for("/usr/bin", O_RDONLY | O_DIRECTORY); code != 0) return code;
    return open_for("/proc/self/stat", O_RDONLY);
  });
}

TEST_P(Honest, ReadsAndListsAroundWhatIsHidden) {
  expect_works([](const Scene& s) {
    if (const int code = open_for(s.readable, O_RDONLY | O_DIRECTORY); code != 0) return code;
    return open_for(s.open_file, O_RDONLY);
  });
}

TEST_P(Honest, StartsThreadsAndProcesses) {
  expect_works([](const Scene&) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    return pid < 0 ? errno : result(::waitpid(pid, nullptr, 0));
  });
}

TEST_P(Honest, RunsTheProgramsItWasGiven) {
  expect_works([](const Scene&) { return run_program("/bin/true"); },
               [](LockSpec& lock) { lock.execute = {"/usr/bin", "/bin"}; });
}

TEST_P(Honest, ButStillNotItsOwn) {
  const Attack own = [](const Scene& s) {
    const std::string program = s.workspace + "/own" + std::to_string(::getpid());
    const int fd = ::open(program.c_str(), O_CREAT | O_WRONLY, 0755);
    if (fd < 0 || ::write(fd, "#!/bin/sh\nexit 0\n", 17) != 17) return errno;
    ::close(fd);
    return run_program(program);
  };
  const Trial trial =
      try_attack(GetParam(), own, [](LockSpec& lock) { lock.execute = {"/usr/bin", "/bin"}; });
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.without, 0);
  EXPECT_EQ(trial.locked.code, EACCES) << trial.locked.describe();
}

TEST_P(Honest, OpensNullZeroAndRandom) {
  expect_works([](const Scene&) {
    for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
      if (const int code = open_for(device, O_RDWR); code != 0) return code;
    }
    return 0;
  });
}

INSTANTIATE_TEST_SUITE_P(, Honest, ::testing::Values(Judge::root, Judge::user),
                         [](const auto& row) { return row.param == Judge::root ? "AsRoot" : "AsUser"; });

TEST(Lock, RefusesToBeWeakUnlessAllowed) {
  LockSpec spec;
  spec.uid = kAuthor;
  const auto refused = PreparedLock::make(spec);  // no namespaces
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fault, Fault::host);
  EXPECT_NE(refused.error().message.find("no pid namespace"), std::string::npos);
  EXPECT_NE(refused.error().message.find("--allow-weak-lock"), std::string::npos);
  spec.allow_weak = true;
  const auto weak = PreparedLock::make(spec);
  ASSERT_TRUE(weak.ok()) << weak.error().message;
  EXPECT_EQ(weak->layers().namespaces, 0u);
  EXPECT_GE(weak->layers().missing.size(), 2u);
}

TEST(Lock, AMissingWorkspaceIsAnErrorThatNamesIt) {
  if (landlock_abi() == 0) GTEST_SKIP() << "needs Landlock";
  LockSpec spec;
  spec.allow_weak = true;
  spec.workspace = "/nonexistent/workspace";
  const auto lock = PreparedLock::make(spec);
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.error().message.find("/nonexistent/workspace"), std::string::npos);
}

TEST(LockJson, RoundTripsEveryField) {
  LockSpec spec;
  spec.namespaces = kPidNs | kNetNs;
  spec.uid = 7;
  spec.workspace = "/w";
  spec.read = {"/a", "/b"};
  spec.hidden = {"/a/c"};
  spec.execute = {"/c"};
  spec.devices = {"/dev/null"};
  spec.drivers = {"/dev/nvidiactl"};
  spec.network = true;
  spec.new_processes = false;
  spec.memory_bytes = 1, spec.data_bytes = 2, spec.file_bytes = 3;
  spec.processes = 4, spec.open_files = 5, spec.cpu_seconds = 6;
  spec.allow_weak = true;
  const auto back = lock_from_json(to_json_text(spec));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_json_text(*back), to_json_text(spec));
  EXPECT_EQ(back->uid, spec.uid);
  EXPECT_EQ(back->read, spec.read);
  EXPECT_EQ(back->hidden, spec.hidden);
  EXPECT_EQ(back->drivers, spec.drivers);
}

TEST(LockJson, RefusesWhatItDoesNotKnow) {
  for (const char* bad :
       {"", "[]", "{\"uid\": -1}", "{\"uid\": 4294967296}", "{\"read\": [1]}", "{\"read\": \"/\"}",
        "{\"network\": 1}", "{\"surprise\": 1}", "{\"workspace\": 3}"}) {
    EXPECT_FALSE(lock_from_json(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace kgb::sandbox
