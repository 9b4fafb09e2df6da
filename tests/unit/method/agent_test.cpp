// SPDX-License-Identifier: Apache-2.0
// Agents from their box to their answer: what they may do, what is counted, and what ends them.
#include "method/agent.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

#include "../llm/scripted_server.hpp"
#include "base/files.hpp"
#include "catalogue/texts.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/namespaces.hpp"

namespace kgb::method {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOperator = "aten::neg";
const std::string kReply =
    R"({"model":"m-1","choices":[{"index":0,"message":{"content":"ok"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":11,"completion_tokens":7}})";
constexpr const char* kAskModel = R"(
import json, os, urllib.request
body = json.dumps({"model": os.environ["KGBENCH_MODEL"], "messages": []}).encode()
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(url, body, {"Content-Type": "application/json",
                                             "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
)";

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = Catalogue::load(fs::path(KGB_SOURCE_DIR) / "catalogue").value();
  return kCatalogue;
}

// An agent that is a Python program, its model a scripted server, and a judge that says what the test wants.
class AgentTest : public testing::Test {
 protected:
  void SetUp() override {
    if ((sandbox::usable_namespaces() & sandbox::kNetNs) == 0 || sandbox::landlock_abi() == 0)
      GTEST_SKIP() << "needs network namespaces and Landlock";
    settings_.agent.name = "test";
    settings_.agent.command = {"/usr/bin/python3", "agent.py"};
    settings_.proxy.upstream.base_url = server_.url();
    settings_.proxy.upstream.key = "sk-real";
    settings_.proxy.upstream.model = "m-1";
    settings_.verify.pause = Millis(0);
    settings_.seconds = 60;
    settings_.prompts = fs::path(KGB_SOURCE_DIR) / "catalogue" / "prompts";
    settings_.agents = folder_.path() / "agents";
    settings_.interpreter = "/usr/bin/python3";
  }

  Answer solve(const std::string& program) {
    settings_.agent.files = {{"agent.py", program}};
    auto method = make_agent(settings_);
    if (!method.ok()) return {Answer::End::given_up, "", "make_agent: " + method.error().message, true};
    const Operator& op = *catalogue().find(kOperator).value();
    Task task{catalogue(), op, "cpu", 0, 1, folder_.path(), stop_, {}, {}, {}, {}};
    task.evaluate = [&](const std::string& source, const std::string& note) -> Result<Feedback> {
      const std::lock_guard hold(mutex_);
      verified_.push_back(note + ": " + source);
      Feedback feedback{{}, "the judge's word"};
      feedback.evaluation.verdict = verdict_;
      return feedback;
    };
    task.record = [&](const llm::Completion& call) {
      const std::lock_guard hold(mutex_);
      calls_.push_back(call);
    };
    task.spent = [&] {
      const std::lock_guard hold(mutex_);
      return spent_ && calls_.size() >= *spent_ ? std::string("the item's budget is spent") : std::string();
    };
    Result<Answer> answer = (*method)->solve(task);
    return answer.ok() ? *answer : Answer{Answer::End::given_up, "", answer.error().message, true};
  }
  [[nodiscard]] std::string log() const { return read_file(folder_.path() / "agent.log").value(); }

  TempDir folder_ = TempDir::make("kgb-agent-test").value();
  llm::ScriptedServer server_{[](int fd, const std::string&) { llm::say(fd, llm::reply_of(kReply)); }};
  AgentSettings settings_;
  std::atomic<bool> stop_{false};
  Verdict verdict_ = Verdict::pass;
  std::mutex mutex_;
  std::optional<std::size_t> spent_;  // after so many calls
  std::vector<std::string> verified_;
  std::vector<llm::Completion> calls_;
};

const std::string kWrite = "open('solution.py', 'w').write('# mine\\n')\n";

TEST_F(AgentTest, TheFileThatItLeavesIsTheAnswerAndItsCallsAreInTheLedger) {
  const Answer answer = solve(kAskModel + kWrite + "print('done')");
  EXPECT_EQ(answer.end, Answer::End::answered) << answer.why << log();
  EXPECT_EQ(answer.source, "# mine\n");
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_EQ(calls_[0].end, llm::CallEnd::ok);
  EXPECT_EQ(calls_[0].reply.usage.prompt + calls_[0].reply.usage.completion, 18);
  EXPECT_NE(log().find("done"), std::string::npos);
  EXPECT_EQ(read_file(folder_.path() / "solution.py").value(), "# mine\n");
}

TEST_F(AgentTest, ExitCodesSayNothing) {
  EXPECT_EQ(solve(kWrite + "raise SystemExit(3)").end, Answer::End::answered);
  const Answer nothing = solve("raise SystemExit(0)");
  EXPECT_EQ(nothing.end, Answer::End::no_code);
  EXPECT_EQ(nothing.why, "the agent exited with code 0 and left the stub as it was");
  EXPECT_EQ(solve("import os; os.remove('solution.py')").why,
            "the agent exited with code 0 and left no solution.py");
}

TEST_F(AgentTest, FindsItsTaskInItsFolder) {
  const Answer answer = solve(R"(
import os
for name in ("TASK.md", "OPERATOR.md", "CONTRACT.md", "solution.py"):
    text = open(name).read()
    assert "neg" in text and "{{" not in text, name
assert os.getcwd() == os.environ["HOME"]
assert "kgbench verify" in open(os.environ["KGBENCH_TASK"]).read()
)" + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << log();
}

TEST_F(AgentTest, AsksTheJudgeByAProgram) {
  verdict_ = Verdict::wrong_value;
  const Answer answer = solve(kWrite + R"(
import json, subprocess
plain = subprocess.run(["kgbench", "verify", "solution.py"], capture_output=True, text=True)
assert (plain.returncode, plain.stderr) == (1, ""), plain
assert plain.stdout == "the judge's word\n(99 calls of kgbench verify are left)\n", plain.stdout
found = subprocess.run(["kgbench", "verify", "--json", "solution.py"], capture_output=True, text=True)
assert json.loads(found.stdout)["verdict"] == "wrong_value"
assert subprocess.run(["kgbench", "verify", "missing.py"], capture_output=True).returncode == 2
assert subprocess.run(["kgbench"], capture_output=True).returncode == 2
open("solution.py", "a").write("# tried")
)");
  EXPECT_EQ(answer.source, "# mine\n# tried") << log();
  EXPECT_EQ(verified_, (std::vector<std::string>{"verify 1: # mine\n", "verify 2: # mine\n"}));
}

TEST_F(AgentTest, WithoutVerifyThereIsNoSuchProgram) {
  settings_.verify.mode = Verify::off;
  const Answer answer = solve(R"(
import os, shutil
assert shutil.which("kgbench") is None and "KGBENCH_VERIFY" not in os.environ
assert "kgbench verify" not in open("TASK.md").read()
)" + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << log();
}

TEST_F(AgentTest, TimeEndsItAndWhatLiesThereCounts) {
  settings_.seconds = 2;
  const Answer answer = solve(kWrite + "import time\ntime.sleep(1000)");
  EXPECT_EQ(answer.end, Answer::End::answered);
  EXPECT_NE(log().find("killed at its time limit"), std::string::npos) << log();
}

TEST_F(AgentTest, ASpentBudgetEndsItAfterItHeardOfIt) {
  settings_.grace_s = 0.5;
  settings_.agent.keep = {"told.txt"};
  spent_ = 1;
  const Answer answer = solve(std::string(kAskModel) + R"(
import time
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    open("told.txt", "w").write(str(error.code))
time.sleep(1000)
)");
  EXPECT_EQ(answer.end, Answer::End::spent);
  EXPECT_EQ(answer.why, "the item's budget is spent");
  EXPECT_EQ(calls_.size(), 1u) << "the second was not sent on";
  EXPECT_EQ(read_file(folder_.path() / "told.txt").value(), "402");
}

TEST_F(AgentTest, AStoppedRunLeavesTheItemOpen) {
  stop_ = true;
  const Answer answer = solve(kWrite + "import time\ntime.sleep(1000)");
  EXPECT_EQ(answer.end, Answer::End::given_up);
}

TEST_F(AgentTest, AModelThatNeverAnswersIsNotItsFault) {
  settings_.proxy.upstream.base_url = "http://127.0.0.1:1";
  const Answer answer = solve(kAskModel);
  EXPECT_EQ(answer.end, Answer::End::given_up);
  EXPECT_TRUE(answer.fatal);
}

TEST_F(AgentTest, WithoutACallItsTokensAreUnknown) {
  static_cast<void>(solve(kWrite));
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_FALSE(calls_[0].reply.usage.known);
}

TEST_F(AgentTest, WhatItStartsIsDeadWhenItEnds) {
  const std::string mark = "kgb-left-behind-" + std::to_string(::getpid());
  const Answer answer = solve("mark = '" + mark + "'\n" + R"py(
import subprocess
subprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(1000)", mark], start_new_session=True)
)py" + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << log();
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto line = read_pseudo_file(entry.path() / "cmdline");
    EXPECT_TRUE(!line.ok() || line->find(mark) == std::string::npos) << entry.path();
  }
}

// -- hosts without network namespaces -----------------------------------------------------------------------

TEST_F(AgentTest, WithoutANetworkNamespaceItIsRefused) {
  settings_.avoid = sandbox::kNetNs;
  const Answer answer = solve(kWrite);
  EXPECT_EQ(answer.why.substr(0, 39), "this host gives no network namespace: a");
  EXPECT_NE(answer.why.find("Use --allow-weak-lock to go on"), std::string::npos) << answer.why;
}

TEST_F(AgentTest, AWeakLockLetsItRunAndCountsWhatPassesTheProxy) {
  settings_.avoid = sandbox::kNetNs;
  settings_.allow_weak_lock = true;
  const Answer answer = solve(kAskModel + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << answer.why;
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_EQ(calls_[0].reply.usage.prompt, 11);
}

// -- hostile agents ---------------------------------------------------------------------------------------

TEST_F(AgentTest, ReadsNoAnswerAndNothingElseOfTheJudges) {
  // An environment that holds answers beneath what its programs read, as an installed package does.
  const TempDir place = TempDir::make("kgb-environment", "/tmp").value();
  const std::string open_file = place.path() / "module.py", expert = place.path() / "answers" / "expert.py";
  ASSERT_TRUE(make_folders(place.path() / "answers").ok());
  ASSERT_TRUE(write_file(open_file, "").ok() && write_file(expert, "").ok());
  ASSERT_EQ(::chmod(place.path().c_str(), 0755), 0);
  settings_.read = {place.path().string()};
  settings_.hidden = {(place.path() / "answers").string()};
  const Answer answer = solve("open('" + open_file + "')\nexpert = '" + expert + "'\nown = '" +
                              folder_.path().string() + "'\n" + R"(
import os
def refused(what):
    try:
        what()
    except OSError:
        return
    raise SystemExit("reached")
for path in (expert, "/etc/shadow", "/proc/1/environ", f"/proc/{os.getppid()}/environ", own + "/../secret"):
    refused(lambda: open(path).read())
refused(lambda: os.listdir(own))
refused(lambda: open("/tmp/kgb-written-by-an-agent", "w"))
refused(lambda: os.link(expert, "linked.py"))
assert "sk-real" not in str(os.environ)
)" + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << log();
}

TEST_F(AgentTest, ReachesNothingButTheProxy) {
  const std::string port = server_.url().substr(server_.url().rfind(':') + 1);
  const Answer answer = solve("port = " + port + R"(
import socket
def refused(host, port):
    try:
        socket.create_connection((host, port), timeout=5)
    except OSError:
        return
    raise SystemExit(f"reached {host}:{port}")
refused("127.0.0.1", port)
refused("192.0.2.1", 80)
refused("2001:db8::1", 80)
try:
    socket.socket(socket.AF_UNIX)
    raise SystemExit("a socket of the file system")
except OSError:
    pass
socket.create_connection(("127.0.0.1", 8000), timeout=5)
)" + kWrite);
  EXPECT_EQ(answer.end, Answer::End::answered) << log();
}

TEST_F(AgentTest, ALinkIsNoAnswer) {
  const std::string secret = folder_.path() / "secret.py";
  ASSERT_TRUE(write_file(secret, "# the expert").ok());
  const Answer answer =
      solve("import os\nos.remove('solution.py')\nos.symlink('" + secret + "', 'solution.py')");
  EXPECT_EQ(answer.end, Answer::End::no_code) << answer.source;
}

TEST_F(AgentTest, AFloodOfOutputIsCutAndKeptInPart) {
  const Answer answer = solve(kWrite + "import sys\nfor _ in range(40): sys.stdout.write('x' * 100000)");
  EXPECT_EQ(answer.end, Answer::End::answered);
  EXPECT_LT(log().size(), std::size_t{2} << 20);
  EXPECT_NE(log().find("[what came after is not kept]"), std::string::npos);
}

TEST_F(AgentTest, AnAgentThatIsNotInstalledIsTheUsersMistake) {
  settings_.agent.install = {"no-such-agent==1"};
  const auto method = make_agent(settings_);
  ASSERT_FALSE(method.ok());
  EXPECT_EQ(method.error().fault, Fault::user);
  EXPECT_EQ(method.error().message.substr(0, 39), "test is not installed. Add --install: p");
}

}  // namespace
}  // namespace kgb::method
