// SPDX-License-Identifier: Apache-2.0
// How children end, what becomes of their output, and that nothing of them is left.
#include "sandbox/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <csignal>
#include <thread>

#include "base/text.hpp"
#include "daemons.hpp"
#include "sandbox/tree.hpp"
#include "scene.hpp"

namespace kgb::sandbox {
namespace {

constexpr std::chrono::seconds kShort{2};
constexpr std::size_t kMiB = std::size_t{1} << 20;

Output run_ok(const Command& command, const Limits& limits = {}) {
  auto output = run(command, limits);
  EXPECT_TRUE(output.ok()) << output.error().message;
  return output.ok() ? std::move(*output) : Output{};
}

Command shell(const std::string& script) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.environment = {"PATH=/usr/bin:/bin"};
  return command;
}

TEST(Run, TellsOutputErrorAndExitCode) {
  const Output output = run_ok(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(output.finished.end, End::exited);
  EXPECT_EQ(output.finished.code, 3);
  EXPECT_EQ(output.finished.describe(), "exited with code 3");
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_FALSE(output.finished.clean());
}

TEST(Run, InheritsNeitherEnvironmentNorInputNorDescriptors) {
  ::setenv("KGB_TEST_LEAK", "leaked", 1);
  const int leak = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  const Output output = run_ok(shell("echo ${KGB_TEST_LEAK:-none}; cat; ls /proc/self/fd | wc -l"));
  ::close(leak);
  const auto lines = split_lines(output.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "none");
  EXPECT_EQ(trim(lines[1]), "4") << "0, 1, 2 and the folder that ls reads";
}

TEST(Run, PassesDescriptorsFromThreeOnInOrder) {
  Pipe a = make_pipe().value(), b = make_pipe().value();
  Command command = shell("echo a >&3; echo b >&4");
  command.pass = {a.write.get(), b.write.get()};
  EXPECT_TRUE(run_ok(command).finished.clean());
  EXPECT_EQ(read_exactly(a.read.get(), 2, Deadline(Millis(1000)), "a").value(), "a\n");
  EXPECT_EQ(read_exactly(b.read.get(), 2, Deadline(Millis(1000)), "b").value(), "b\n");
}

TEST(Run, AMissingProgramIsAnErrorThatNamesIt) {
  Command command;
  command.argv = {"/nonexistent/program"};
  const auto output = run(command);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().message,
            "cannot run '/nonexistent/program': a process could not run its program: No such file or "
            "directory; run "
            "`kgbench doctor`");
  command.argv = {"no-such-program-in-path"};
  const auto unknown = run(command);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("no program 'no-such-program-in-path' in PATH"), std::string::npos);
}

TEST(Run, ManyThreadsStartChildrenAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> clean{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&clean, t] {
      for (int i = 0; i < 5; ++i) {
        const auto output = run(shell("echo " + std::to_string(t)));
        if (output.ok() && output->finished.clean() && output->out == std::to_string(t) + "\n") ++clean;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clean, 20);
}

TEST(Run, ADeadlineKillsAndSaysSo) {
  Limits limits;
  limits.wall = Millis(100);
  const Output output = run_ok(shell("echo before; exec sleep 1000"), limits);
  EXPECT_EQ(output.finished.end, End::timeout);
  EXPECT_EQ(output.out, "before\n");
  EXPECT_NE(output.finished.describe().find("time limit"), std::string::npos);
}

TEST(Run, AChildThatNobodyWantsAnyMoreIsKilled) {
  std::atomic<bool> stop{false};
  Limits limits;
  limits.wall = Millis(std::chrono::hours(1));
  limits.stop = &stop;
  std::thread other([&] { stop = true; });
  const Output output = run_ok(shell("exec sleep 100000"), limits);
  other.join();
  EXPECT_EQ(output.finished.end, End::timeout);
}

TEST(Run, LongOutputIsCutAndNoted) {
  Limits limits;
  limits.keep_stdout = 1000;
  const Output output = run_ok(shell("head -c 200000000 /dev/zero; echo done >&2"), limits);
  EXPECT_TRUE(output.finished.clean()) << output.finished.describe();
  EXPECT_EQ(output.out.size(), 1000u);
  EXPECT_TRUE(output.out_cut);
  EXPECT_EQ(output.err, "done\n");
  EXPECT_FALSE(output.err_cut);
}

TEST(Run, AFloodEndsTheChild) {
  Limits limits;
  limits.flood_bytes = 4 * kMiB;
  const Output output = run_ok(shell("exec cat /dev/zero"), limits);
  EXPECT_EQ(output.finished.end, End::output_flood);
}

TEST(Run, NeverWaitsForADescendantThatHoldsTheOutput) {
  // The child ends at once; its own child, which has no lock to die by here, keeps the pipe.
  Limits limits;
  limits.wall = Millis(60'000);
  const Output output = run_ok(shell("sleep 1000 & echo $!"), limits);
  EXPECT_TRUE(output.finished.clean());
  const auto holder = parse_int(trim(output.out));
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(::kill(static_cast<pid_t>(*holder), SIGKILL), 0) << "it should still hold the pipe";
}

TEST(ChildTest, GoingAwayKillsIt) {
  pid_t pid = -1;
  {
    auto started = start(shell("exec sleep 1000"));
    ASSERT_TRUE(started.ok()) << started.error().message;
    EXPECT_TRUE(started->child.running());
    pid = started->child.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ChildTest, AnotherThreadMayKillWhileOneWaits) {
  auto started = start(shell("exec sleep 1000"));
  ASSERT_TRUE(started.ok()) << started.error().message;
  std::thread killer([&] { started->child.kill(); });
  const auto finished = started->child.wait(Limits{});
  killer.join();
  ASSERT_TRUE(finished.ok());
  EXPECT_EQ(finished->end, End::signalled);
  EXPECT_EQ(finished->code, SIGKILL);
}

// The ends of locked children, whoever runs the judge.
class Ends : public ::testing::TestWithParam<Judge> {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_test(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(, Ends, ::testing::Values(Judge::root, Judge::user),
                         [](const auto& row) { return row.param == Judge::root ? "AsRoot" : "AsUser"; });

TEST_P(Ends, ExitCodesAndCrashes) {
  const Trial exited = try_attack(GetParam(), [](const Scene&) { return 42; });
  EXPECT_EQ(exited.locked.end, End::exited);
  EXPECT_EQ(exited.locked.code, 42);
  const Trial crashed = try_attack(GetParam(), [](const Scene&) {
    *reinterpret_cast<volatile int*>(8) = 1;
    return 0;
  });
  EXPECT_EQ(crashed.locked.end, End::signalled);
  EXPECT_EQ(crashed.locked.code, SIGSEGV);
  EXPECT_EQ(crashed.locked.describe(), "died of signal 11 (Segmentation fault)");
}

TEST_P(Ends, AnEndlessLoopMeetsTheDeadline) {
  Limits limits;
  limits.wall = Millis(200);
  // Deaf to signals; the control, which has no deadline, ends by itself.
  const Attack loop = [](const Scene& s) {
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_IGN);
    while (::getpid() == 1 || ::getppid() != s.judge) {
    }
    return 0;
  };
  const Trial trial = try_attack(GetParam(), loop, {}, limits);
  EXPECT_EQ(trial.without, 0);
  EXPECT_EQ(trial.locked.end, End::timeout);
}

TEST_P(Ends, ProcessorTimeIsLimitedToo) {
  const Attack loop = [](const Scene&) {
    while (::getpid() == 1) {
    }
    return 0;
  };
  const Trial trial = try_attack(GetParam(), loop, [](LockSpec& lock) { lock.cpu_seconds = 1; });
  EXPECT_EQ(trial.without, 0);
  EXPECT_EQ(trial.locked.end, End::timeout);
}

// Takes 400 MiB in steps, slowly enough for a watchdog; the lock allows 256.
int take_memory(int flags) {
  for (int i = 0; i < 100; ++i) {
    void* memory = ::mmap(nullptr, 4 * kMiB, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return errno;
    std::memset(memory, 1, 4 * kMiB);
    ::usleep(2000);
  }
  return 0;
}

TEST_P(Ends, AMemoryHogIsKilledAndNamedSo) {
  for (const int flags : {MAP_PRIVATE, MAP_SHARED}) {
    const Trial trial = try_attack(GetParam(), [flags](const Scene&) { return take_memory(flags); });
    EXPECT_EQ(trial.without, 0);
    EXPECT_EQ(trial.locked.end, End::out_of_memory) << trial.locked.describe();
  }
}

TEST_P(Ends, AHogThatSharesOutItsMemoryIsKilledToo) {
  const Attack family = [](const Scene&) {
    for (int i = 0; i < 4; ++i) {
      const pid_t pid = ::fork();
      if (pid < 0) return errno;
      if (pid > 0) continue;
      void* memory = ::mmap(nullptr, 100 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) ::_exit(errno);
      std::memset(memory, 1, 100 * kMiB);
      ::usleep(500'000);
      ::_exit(0);
    }
    int failed = 0, status = 0;
    while (::wait(&status) > 0) failed += status != 0;
    return failed;
  };
  const Trial trial = try_attack(GetParam(), family);
  EXPECT_EQ(trial.without, 0);
  EXPECT_EQ(trial.locked.end, End::out_of_memory) << trial.locked.describe();
}

TEST_P(Ends, AForkBombIsStopped) {
  const Attack bomb = [](const Scene&) {
    std::vector<pid_t> pids;
    int code = 0;
    for (int i = 0; i < 100 && code == 0; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::pause();
        ::_exit(0);
      }
      if (pid < 0)
        code = errno;
      else
        pids.push_back(pid);
    }
    for (const pid_t pid : pids) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
    return code;
  };
  const Trial trial = try_attack(GetParam(), bomb);
  EXPECT_EQ(trial.without, 0);
  EXPECT_EQ(trial.locked.code, EAGAIN) << trial.locked.describe();
}

TEST_P(Ends, NoDaemonSurvives) {
  const Trial trial = try_attack(
      GetParam(),
      [](const Scene& s) {
        if (::getpid() != 1) {
          // The control: its daemons do live on. They are waited for, so that they do not disturb what
          // follows.
          const int code = start_daemons(s, kShort);
          if (code != 0 || nobody_holds(s)) return 1;
          while (!nobody_holds(s)) ::usleep(50'000);
          ::unlink((s.workspace + "/alive").c_str());
          return 0;
        }
        return start_daemons(s, kShort);
      },
      {}, {}, nobody_holds);
  ASSERT_TRUE(trial.made);
  EXPECT_EQ(trial.without, 0) << "the daemons of the control did not live";
  EXPECT_EQ(trial.locked.end, End::exited);
  EXPECT_EQ(trial.locked.code, 0) << "the daemons could not be started";
  EXPECT_TRUE(trial.held) << "a daemon outlived its candidate";
}

TEST(Tree, DiskSpaceDoesNotFollowLinksAndGivesUpOnTheAbsurd) {
  const TempDir dir = TempDir::make("kgb-disk").value();
  ASSERT_TRUE(make_folders(dir.path() / "a/b").ok());
  ASSERT_TRUE(write_file(dir.path() / "a/b/file", std::string(kMiB, 'x')).ok());
  const std::uint64_t before = disk_bytes(dir.path());
  EXPECT_GE(before, kMiB);
  EXPECT_LT(before, 2 * kMiB);
  std::filesystem::create_symlink("/usr", dir.path() / "a/usr");
  std::filesystem::create_symlink("..", dir.path() / "a/b/up");
  EXPECT_LT(disk_bytes(dir.path()), 2 * kMiB);
  std::filesystem::path deep = dir.path();
  for (int i = 0; i < 60; ++i) deep /= "d";
  ASSERT_TRUE(make_folders(deep).ok());
  EXPECT_EQ(disk_bytes(dir.path()), UINT64_MAX);
  EXPECT_EQ(disk_bytes("/nonexistent"), UINT64_MAX);
}

TEST(Tree, SeesChildrenAndTheirMemory) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::string memory(64 * kMiB, 'x');
    ::raise(SIGSTOP);
    ::_exit(memory[0] == 'x' ? 0 : 1);
  }
  ::waitpid(pid, nullptr, WUNTRACED);
  const auto children = children_of(::getpid());
  EXPECT_NE(std::find(children.begin(), children.end(), pid), children.end());
  EXPECT_GE(resident_bytes(pid), 64 * kMiB);
  EXPECT_GE(resident_bytes(::getpid()), 64 * kMiB) << "descendants count";
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_EQ(resident_bytes(pid), 0u);
}

TEST(ProcessTree, SaysWhoDescendsFromWhom) {
  EXPECT_TRUE(descends_from(::getpid(), ::getpid()));
  EXPECT_TRUE(descends_from(::getpid(), ::getppid()));
  EXPECT_TRUE(descends_from(::getpid(), 1));
  EXPECT_FALSE(descends_from(::getppid(), ::getpid()));
  EXPECT_FALSE(descends_from(4'000'000, ::getpid())) << "it does not exist";
  EXPECT_FALSE(descends_from(0, ::getpid()));
}

}  // namespace
}  // namespace kgb::sandbox
