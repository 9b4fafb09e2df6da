// SPDX-License-Identifier: Apache-2.0
// The zygote and its authors: honest ones, dying ones, lying ones, and what a dead zygote leaves.
#include "author/zygote.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "sandbox/namespaces.hpp"
#include "sandbox/tree.hpp"
#include "sandbox/worker.hpp"

namespace kgb::author {
namespace {

namespace fs = std::filesystem;
using sandbox::End;

// Where the build put the extension: <build>/tests/author_test, <build>/python/kgbench/_kgbench.abi3.so.
fs::path extension_path() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "python";
}

std::string test_python() {
  const char* named = std::getenv("KGBENCH_PYTHON");
  if (named != nullptr && *named != '\0') return named;
  return fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

// A zygote without torch: quick to start. The session's folder is copied where every user can read it.
class ZygoteTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    scripts_ = new TempDir(TempDir::make("kgb-session", "/tmp").value());
    ::chmod(scripts_->path().c_str(), 0755);
    for (const char* name : {"attack_session.py", "echo_worker.py"})
      fs::copy(fs::path(KGB_SOURCE_DIR) / "tests/unit/author" / name, scripts_->path() / name);
    auto started = Zygote::start(options());
    if (started.ok())
      zygote_ = new Zygote(std::move(*started));
    else
      why_ = started.error().message;
  }
  static void TearDownTestSuite() {
    delete zygote_, zygote_ = nullptr;
    delete scripts_, scripts_ = nullptr;
  }
  void SetUp() override {
    const sandbox::Namespaces usable = sandbox::usable_namespaces();
    if ((usable & sandbox::kPidNs) == 0) GTEST_SKIP() << "needs namespaces";
    if (!fs::exists(extension_path() / "kgbench/_kgbench.abi3.so")) GTEST_SKIP() << "needs the extension";
    ASSERT_NE(zygote_, nullptr) << why_;
  }

  static ZygoteOptions options() {
    ZygoteOptions options;
    options.python = test_python();
    options.python_path = {scripts_->path(), KGB_SOURCE_DIR "/python", extension_path()};
    options.preload = {};
    options.module = "attack_session";
    options.lock.memory_bytes = std::uint64_t{256} << 20;
    options.lock.processes = 32;
    return options;
  }

  static AuthorOutcome author(const std::string& session, const sandbox::Limits& limits = {}) {
    const TempDir workspace = make_workspace().value();
    return author_in(*zygote_, session, workspace.path(), limits);
  }
  static AuthorOutcome author_in(Zygote& zygote, const std::string& session, const fs::path& workspace,
                                 const sandbox::Limits& limits = {}) {
    auto outcome = zygote.author(session, workspace, limits);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? std::move(*outcome) : AuthorOutcome{};
  }
  static std::string does(const std::string& name, const std::string& more = "") {
    return "{\"do\":\"" + name + "\"" + (more.empty() ? "" : "," + more) + "}";
  }

  static inline TempDir* scripts_ = nullptr;
  static inline Zygote* zygote_ = nullptr;
  static inline std::string why_;
};

TEST_F(ZygoteTest, GreetsWithItsInterpreter) {
  EXPECT_TRUE(zygote_->interpreter().version.starts_with("3.")) << zygote_->interpreter().version;
  EXPECT_FALSE(zygote_->interpreter().paths.empty());
  EXPECT_EQ(zygote_->interpreter().threads, 1) << "a fork would lose the others";
}

TEST_F(ZygoteTest, AnHonestAuthorsFramesOutputAndFilesComeBack) {
  const TempDir workspace = make_workspace().value();
  const AuthorOutcome outcome =
      author_in(*zygote_, does("honest", "\"text\":\"a \\\"quoted\\\" \\u00e4\""), workspace.path());
  EXPECT_TRUE(outcome.finished.clean()) << outcome.finished.describe() << outcome.err;
  ASSERT_EQ(outcome.result.frames.size(), 2u);
  EXPECT_EQ(outcome.result.forged, "");
  EXPECT_FALSE(outcome.result.truncated);
  EXPECT_NE(outcome.result.frames[1].json.find("\\\"quoted\\\""), std::string::npos);
  EXPECT_NE(outcome.result.frames[1].json.find("\"pid\":1"), std::string::npos)
      << "it is the first of its namespace";
  EXPECT_EQ(outcome.result.frames[1].blob.size(), 4u);
  EXPECT_EQ(outcome.out, "printed\n");
  EXPECT_EQ(outcome.err, "complained\n");
  EXPECT_EQ(read_file(workspace.path() / "made").value(), "in the workspace");
  EXPECT_NE(outcome.layers.find("\"seccomp\":true"), std::string::npos) << outcome.layers;
}

TEST_F(ZygoteTest, EveryWayToEndIsTold) {
  EXPECT_EQ(author(does("returns", "\"code\":5")).finished.code, 5);
  EXPECT_EQ(author(does("exits", "\"code\":6")).finished.code, 6);
  EXPECT_EQ(author(does("exits_hard", "\"code\":7")).finished.code, 7);
  const AuthorOutcome raised = author(does("raises"));
  EXPECT_EQ(raised.finished.code, 1);
  EXPECT_NE(raised.err.find("RuntimeError: of the candidate"), std::string::npos) << raised.err;
}

TEST_F(ZygoteTest, ACrashKeepsTheFramesBeforeIt) {
  const AuthorOutcome outcome = author(does("crashes"));
  EXPECT_EQ(outcome.finished.end, End::signalled);
  EXPECT_EQ(outcome.finished.code, SIGSEGV);
  EXPECT_EQ(outcome.result.frames.size(), 1u);
  EXPECT_NE(outcome.err.find("attack_session.py"), std::string::npos)
      << "the Python line of the crash: " << outcome.err;
}

TEST_F(ZygoteTest, AnEndlessLoopMeetsTheDeadline) {
  sandbox::Limits limits;
  limits.wall = Millis(300);
  EXPECT_EQ(author(does("loops"), limits).finished.end, End::timeout);
}

TEST_F(ZygoteTest, AMemoryHogIsKilled) {
  const AuthorOutcome outcome = author(does("hogs"));
  EXPECT_EQ(outcome.finished.end, End::out_of_memory) << outcome.finished.describe() << outcome.err;
}

TEST_F(ZygoteTest, OutputIsCutWithoutHoldingTheAuthor) {
  sandbox::Limits limits;
  limits.wall = Millis(60'000);
  limits.keep_stdout = 100;
  const AuthorOutcome outcome = author(does("prints", "\"mib\":200"), limits);
  EXPECT_TRUE(outcome.finished.clean()) << outcome.finished.describe();
  EXPECT_TRUE(outcome.out_cut);
  EXPECT_EQ(outcome.out, std::string(100, 'x'));
  EXPECT_EQ(outcome.result.frames.size(), 1u);
}

TEST_F(ZygoteTest, AFullDiskIsNoneOfItsBusiness) {
  ZygoteOptions small = options();
  small.lock.workspace_bytes = std::uint64_t{16} << 20;
  auto own = Zygote::start(small);
  ASSERT_TRUE(own.ok()) << own.error().message;
  for (const char* deed : {"fills_disk", "fills_disk_out_of_sight"}) {
    const TempDir workspace = make_workspace().value();
    const AuthorOutcome outcome = author_in(*own, does(deed), workspace.path());
    EXPECT_EQ(outcome.finished.end, End::output_flood)
        << deed << " " << outcome.finished.describe() << outcome.err;
    ::chmod((workspace.path() / "hidden").c_str(), 0700);
  }
}

TEST_F(ZygoteTest, AuthorsHoldNoDescriptorButTheirOwn) {
  const AuthorOutcome outcome = author(does("sees_descriptors"));
  EXPECT_EQ(outcome.finished.end, End::exited);
  EXPECT_EQ(outcome.finished.code, 1) << "another descriptor is open" << outcome.err;
}

TEST_F(ZygoteTest, ProgramsRunOnlyWhereAllowed) {
  ZygoteOptions with_tools = options();
  with_tools.lock.execute = {"/usr/bin", "/bin"};
  auto own = Zygote::start(with_tools);
  ASSERT_TRUE(own.ok()) << own.error().message;
  const TempDir workspace = make_workspace().value();
  EXPECT_TRUE(author_in(*own, does("runs_program"), workspace.path()).finished.clean());
}

TEST_F(ZygoteTest, AWorkspaceThatAuthorsCannotReachIsTheHostsError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TempDir closed = make_workspace().value();  // mode 700, root's
  ASSERT_TRUE(make_folders(closed.path() / "inner").ok());
  const auto outcome = zygote_->author(does("honest"), closed.path() / "inner", {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().fault, Fault::host);
  EXPECT_NE(outcome.error().message.find("Permission denied"), std::string::npos) << outcome.error().message;
}

TEST_F(ZygoteTest, ForeignBytesInTheResultChannelAreNamed) {
  const AuthorOutcome garbage = author(does("garbage"));
  EXPECT_EQ(garbage.result.frames.size(), 1u) << "the frame before the garbage counts";
  EXPECT_EQ(garbage.result.forged, "bytes in the result channel are no frame");
  for (const char* deed : {"other_nonce", "no_nonce"}) {
    const AuthorOutcome outcome = author(does(deed));
    EXPECT_TRUE(outcome.result.frames.empty());
    EXPECT_EQ(outcome.result.forged, "a frame in the result channel does not carry the session's nonce")
        << deed;
  }
  const AuthorOutcome closed = author(does("closes"));
  EXPECT_TRUE(closed.finished.clean());
  EXPECT_TRUE(closed.result.frames.empty());
  EXPECT_TRUE(author(does("truncates")).result.truncated);
  EXPECT_TRUE(author(does("promises_much")).result.truncated);
}

TEST_F(ZygoteTest, AFloodOfResultsIsCut) {
  sandbox::Limits limits;
  limits.wall = Millis(60'000);
  limits.keep_result = std::size_t{1} << 20;
  const AuthorOutcome outcome = author(does("floods_result", "\"mib\":20"), limits);
  EXPECT_TRUE(outcome.result.truncated || !outcome.result.forged.empty());
  EXPECT_TRUE(outcome.result.frames.empty());
}

TEST_F(ZygoteTest, AttacksThatWorkInPlainPythonAreRefused) {
  const TempDir outside = TempDir::make("kgb-outside", "/tmp").value();
  ::chmod(outside.path().c_str(), 0777);
  ASSERT_TRUE(write_file(outside.path() / "private", "private", 0600).ok());
  const std::string where = "\"outside\":\"" + outside.path().native() + "\",\"nonce\":\"n\"";
  for (const char* deed :
       {"writes_outside", "reads_private", "opens_socket", "runs_program", "signals_parent"}) {
    sandbox::Command plain;
    plain.argv = {test_python(), "-c",
                  "import json,sys,attack_session as a; sys.exit(a.main(json.loads(sys.argv[1]), 1))",
                  does(deed, where)};
    plain.environment = {"PYTHONPATH=" + scripts_->path().native() + ":" KGB_SOURCE_DIR "/python"};
    const auto control = sandbox::run(plain);
    ASSERT_TRUE(control.ok()) << control.error().message;
    EXPECT_TRUE(control->finished.clean()) << deed << " does not work anyway: " << control->err;
    const AuthorOutcome locked = author(does(deed, where));
    EXPECT_EQ(locked.finished.end, End::exited) << deed;
    EXPECT_NE(locked.finished.code, 0) << deed << " got through";
  }
}

bool nobody_holds(const fs::path& workspace) {
  const Fd file(::open((workspace / "alive").c_str(), O_RDONLY | O_CLOEXEC));
  return file.open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

TEST_F(ZygoteTest, NoDaemonOutlivesItsAuthor) {
  const TempDir workspace = make_workspace().value();
  const AuthorOutcome outcome =
      author_in(*zygote_, does("leaves_daemon", "\"seconds\":30"), workspace.path());
  EXPECT_TRUE(outcome.finished.clean()) << outcome.finished.describe() << outcome.err;
  EXPECT_TRUE(nobody_holds(workspace.path()));
}

TEST_F(ZygoteTest, ManyThreadsAuthorAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&right, t] {
      for (int i = 0; i < 4; ++i) {
        const std::string text = "author " + std::to_string(t) + "/" + std::to_string(i);
        const AuthorOutcome outcome = author(does("honest", "\"text\":\"" + text + "\""));
        if (outcome.finished.clean() && outcome.result.frames.size() == 2 &&
            outcome.result.frames[1].json.find(text) != std::string::npos) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 24);
}

TEST_F(ZygoteTest, ADeadZygoteIsReplacedAndItsAuthorsLiveOn) {
  auto own = Zygote::start(options());
  ASSERT_TRUE(own.ok()) << own.error().message;
  std::vector<pid_t> before = sandbox::children_of(::getpid());
  AuthorOutcome slow;
  const TempDir slow_workspace = make_workspace().value();
  std::thread runner([&] { slow = author_in(*own, does("sleeps", "\"seconds\":1"), slow_workspace.path()); });
  // The author is a child of ours as well; it appears beside the two zygotes.
  while (sandbox::children_of(::getpid()).size() <= before.size()) std::this_thread::sleep_for(Millis(1));
  std::this_thread::sleep_for(Millis(100));
  ASSERT_EQ(before.size(), 2u);
  ::kill(before.back(), SIGKILL);
  const TempDir workspace = make_workspace().value();
  const AuthorOutcome next = author_in(*own, does("honest"), workspace.path());
  EXPECT_TRUE(next.finished.clean()) << next.finished.describe();
  EXPECT_EQ(own->restarts(), 1);
  runner.join();
  EXPECT_TRUE(slow.finished.clean()) << slow.finished.describe() << slow.err;
  EXPECT_EQ(slow.result.frames.size(), 1u);
}

TEST_F(ZygoteTest, TrustedWorkersAreForkedFromItAndStartedAgain) {
  sandbox::Worker worker(
      sandbox::Starter([&](int channel) { return zygote_->start_worker("echo_worker", channel); }));
  const auto told = worker.ask(R"({"id":7})", {}, Millis(30'000));
  ASSERT_TRUE(told.ok()) << told.error().message;
  ASSERT_FALSE(told->loss) << told->loss->error_output;
  const std::string& text = told->frame.json;
  const auto has = [&text](const std::string& what) { return text.find(what) != std::string::npos; };
  EXPECT_TRUE(has("\"id\":7")) << text;
  EXPECT_TRUE(has("\"parent\":" + std::to_string(::getpid()))) << text << ": we wait for it";
  EXPECT_TRUE(has("\"uid\":" + std::to_string(::getuid()))) << text << ": trusted as we are";
  EXPECT_TRUE(has("\"interrupted\":true")) << text;
  const std::size_t list = text.find("\"fds\":[");
  ASSERT_NE(list, std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(list),
                       text.begin() + static_cast<std::ptrdiff_t>(text.find(']', list)), ','),
            3)
      << text << ": the streams and its channel, none of the zygote's";

  const auto died = worker.ask(R"({"id":8,"do":"die"})", {}, Millis(30'000));
  ASSERT_TRUE(died.ok());
  ASSERT_TRUE(died->loss);
  EXPECT_EQ(died->loss->finished.code, 9) << died->loss->finished.describe();
  EXPECT_EQ(died->loss->error_output, "at its end\n");
  const auto again = worker.ask(R"({"id":9})", {}, Millis(30'000));
  ASSERT_TRUE(again.ok() && !again->loss);
  EXPECT_NE(again->frame.json, text);
}

TEST_F(ZygoteTest, AWorkerWithoutAModuleIsALossThatSaysWhy) {
  sandbox::Worker worker(
      sandbox::Starter([&](int channel) { return zygote_->start_worker("no_such_worker", channel); }));
  const auto told = worker.ask("{}", {}, Millis(30'000));
  ASSERT_TRUE(told.ok()) << told.error().message;
  ASSERT_TRUE(told->loss);
  EXPECT_NE(told->loss->error_output.find("no_such_worker"), std::string::npos) << told->loss->error_output;
}

TEST_F(ZygoteTest, WhenKgbenchIsKilledNothingIsLeft) {
  const TempDir workspace = make_workspace().value();
  const pid_t judge = ::fork();
  if (judge == 0) {
    auto zygote = Zygote::start(options());
    if (!zygote.ok()) ::_exit(1);
    std::thread killer([&] {
      while (!fs::exists(workspace.path() / "alive")) ::usleep(10'000);
      ::usleep(100'000);
      ::kill(::getpid(), SIGKILL);
    });
    sandbox::Limits limits;
    limits.wall = Millis(60'000);
    static_cast<void>(zygote->author(does("holds"), workspace.path(), limits));
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(judge, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  const Deadline deadline(Millis(30'000));
  while (!nobody_holds(workspace.path()) && !deadline.passed()) ::usleep(10'000);
  EXPECT_TRUE(nobody_holds(workspace.path())) << "the author lives on";
}

TEST_F(ZygoteTest, ASessionThatIsNoObjectIsOurError) {
  const TempDir workspace = make_workspace().value();
  for (const char* bad : {"", "[]", "{\"a\":", "null"}) {
    const auto outcome = zygote_->author(bad, workspace.path(), {});
    ASSERT_FALSE(outcome.ok()) << bad;
    EXPECT_EQ(outcome.error().fault, Fault::internal);
  }
  EXPECT_EQ(zygote_->restarts(), 0);
}

TEST_F(ZygoteTest, AMissingWorkspaceIsNamed) {
  const auto outcome = zygote_->author(does("honest"), "/nonexistent/place", {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("/nonexistent/place"), std::string::npos);
}

TEST_F(ZygoteTest, AnInterpreterThatCannotStartIsExplained) {
  ZygoteOptions broken = options();
  broken.python_path = {"/nonexistent"};
  const auto started = Zygote::start(broken);
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message.find("did not start"), std::string::npos);
  EXPECT_NE(started.error().message.find("No module named"), std::string::npos) << started.error().message;
}

TEST_F(ZygoteTest, AnInterpreterThatAuthorsCannotReadIsExplained) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TempDir closed = TempDir::make("kgb-closed", "/tmp").value();  // mode 700
  fs::copy(KGB_SOURCE_DIR "/python", closed.path() / "python", fs::copy_options::recursive);
  ZygoteOptions hidden = options();
  hidden.python_path = {scripts_->path(), closed.path() / "python", extension_path()};
  const auto started = Zygote::start(hidden);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().fault, Fault::host);
  EXPECT_NE(started.error().message.find("'" + closed.path().native() + "': Permission denied"),
            std::string::npos)
      << started.error().message;
  EXPECT_NE(started.error().message.find("KGBENCH_PYTHON"), std::string::npos);
}

// Everything above again, by the whole program, as somebody who is not root.
TEST(ZygoteAsUser, AllOfItHolds) {
  if (::geteuid() != 0) GTEST_SKIP() << "is that user already";
  const std::string self = fs::read_symlink("/proc/self/exe").native();
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setresgid(54321, 54321, 54321) != 0 || ::setresuid(54321, 54321, 54321) != 0) ::_exit(99);
    ::execl(self.c_str(), self.c_str(), "--gtest_filter=ZygoteTest.*", "--gtest_brief=1", nullptr);
    ::_exit(98);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "see its output above";
}

}  // namespace
}  // namespace kgb::author
