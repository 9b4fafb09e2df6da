// SPDX-License-Identifier: Apache-2.0
// Runs one agent on one operator.
#include "method/agent.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "method/agent_box.hpp"
#include "method/agent_site.hpp"
#include "method/prompt.hpp"

namespace kgb::method {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSolution = "solution.py";
constexpr std::size_t kMaxSolution = std::size_t{4} << 20, kMaxKept = std::size_t{16} << 20;

using Values = std::map<std::string, std::string>;

// What became of the calls of one agent.
class Calls {
 public:
  explicit Calls(const Task& task) : task_(task) {}
  void add(const llm::ProxiedCall& call) {
    const std::lock_guard hold(mutex_);
    ++count_;
    if (call.completion.end != llm::CallEnd::failed)
      ++useful_;
    else
      last_failure_ = call.completion;
    llm::Completion told = call.completion;
    told.wire = call.wire;
    task_.record(told);
  }
  // Calls were made, and the model answered none of them: the agent had no chance.
  [[nodiscard]] std::optional<llm::Completion> all_failed() const {
    const std::lock_guard hold(mutex_);
    return count_ > 0 && useful_ == 0 ? std::optional(last_failure_) : std::nullopt;
  }
  [[nodiscard]] int count() const {
    const std::lock_guard hold(mutex_);
    return count_;
  }
  // What came past the proxy was not counted, and nothing is not known to be zero.
  void note_unknown() {
    llm::Completion unknown;
    unknown.end = llm::CallEnd::partial;
    unknown.message = "no call of a model came through the proxy: the agent's tokens are unknown";
    task_.record(unknown);
  }

 private:
  const Task& task_;
  mutable std::mutex mutex_;
  int count_ = 0, useful_ = 0;
  llm::Completion last_failure_;
};

// Ends an account's calls and verifications before what they refer to goes, however solve() is left.
struct Closing {
  llm::Account& account;
  Verifier& verifier;
  std::unique_ptr<llm::Proxy::Door>& door;
  void operator()() const {
    account.close();
    verifier.close();
    door.reset();
  }
};
class AtEnd {
 public:
  explicit AtEnd(Closing closing) : closing_(closing) {}
  ~AtEnd() { now(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  void now() {
    if (!done_) closing_();
    done_ = true;
  }

 private:
  Closing closing_;
  bool done_ = false;
};

// When an agent is to be ended from outside.
class Patience {
 public:
  Patience(const Task& task, const llm::Account& account, double grace_s)
      : task_(task), account_(account), grace_(static_cast<std::int64_t>(grace_s * 1000)) {}
  std::string over() {
    if (task_.stop) return "the run was stopped";
    std::string spent = task_.spent ? task_.spent() : std::string();
    if (spent.empty()) spent = account_.ended();
    if (spent.empty()) return {};
    // It hears of it by its next call, and may still write down what it has.
    if (!until_) until_.emplace(grace_);
    return until_->passed() ? spent : std::string();
  }

 private:
  const Task& task_;
  const llm::Account& account_;
  const Millis grace_;
  std::optional<Deadline> until_;
};

class Agent : public Method {
 public:
  Agent(AgentSettings settings, std::string task_text, std::string contract,
        std::unique_ptr<llm::Proxy> proxy)
      : settings_(std::move(settings)),
        task_text_(std::move(task_text)),
        contract_(std::move(contract)),
        proxy_(std::move(proxy)) {}

  Result<Answer> solve(const Task& task) const override;

 private:
  Result<Box> make_box() const;
  Result<Values> fill(Box& box, const Task& task, const llm::Account& account) const;
  std::vector<std::string> environment(const Box& box, const Values& values) const;
  BoxRun box_run(const Box& box, const Values& values) const;
  Status keep(const Box& box, const Task& task, const BoxEnd& end, int calls, int verified) const;
  Answer answer(const Box& box, const Task& task, const BoxEnd& end, const Calls& calls) const;

  AgentSettings settings_;
  std::string task_text_, contract_;  // templates
  std::unique_ptr<llm::Proxy> proxy_;
};

Result<Box> Agent::make_box() const {
  BoxSpec spec;
  spec.read = settings_.read;
  for (std::string& folder : python_folders(settings_.interpreter)) spec.read.push_back(std::move(folder));
  for (std::string& folder : agent_folders(settings_.agent, settings_.agents))
    spec.read.push_back(std::move(folder));
  spec.hidden = settings_.hidden;
  spec.allow_weak = settings_.allow_weak_lock;
  spec.avoid = settings_.avoid;
  return Box::make(std::move(spec));
}

Result<Values> Agent::fill(Box& box, const Task& task, const llm::Account& account) const {
  KGB_TRY(PromptValues facts, task_values(task.catalogue, task.op, task.chip));
  facts["file"] = kSolution;
  facts["minutes"] = fmt::format("{:g}", settings_.seconds / 60);
  facts["verify"] = settings_.verify.mode == Verify::off ? "" : "yes";
  facts["timed"] = settings_.verify.mode == Verify::timed ? "yes" : "";
  facts["verifies"] = std::to_string(settings_.verify.most);
  KGB_TRY(const std::string text, render(task_text_, facts, "agent.md"));
  KGB_TRY(const std::string contract, render(contract_, facts, "agent-contract.md"));
  const int port = box.has_port() ? Box::port() : proxy_->port();
  Values values{{"task", text},
                {"model", settings_.proxy.upstream.model},
                {"workspace", box.work().string()},
                {"url", fmt::format("http://127.0.0.1:{}{}", port, account.path())},
                {"key", account.token()},
                {"file", kSolution},
                {"site", (settings_.agents / settings_.agent.name).string()}};
  KGB_CHECK(box.add_file("TASK.md", text));
  KGB_CHECK(box.add_file("OPERATOR.md", facts["card"]));
  KGB_CHECK(box.add_file("CONTRACT.md", contract));
  KGB_CHECK(box.add_file(kSolution, facts["stub"]));
  for (const auto& [name, given] : settings_.agent.files)
    KGB_CHECK(box.add_file(name, expand(given, values)));
  if (settings_.verify.mode != Verify::off)
    KGB_CHECK(box.add_tool("kgbench", verify_client(settings_.interpreter)));
  return values;
}

std::vector<std::string> Agent::environment(const Box& box, const Values& values) const {
  const std::string url = values.at("url"), home = values.at("workspace");
  const std::string python = fs::path(settings_.interpreter).parent_path().string();
  std::vector<std::string> out{"PATH=" + box.tools().string() + ":" + (python.empty() ? "" : python + ":") +
                                   values.at("site") + "/bin:/usr/local/bin:/usr/bin:/bin",
                               "HOME=" + home,
                               "TMPDIR=" + home + "/.tmp",
                               "TRITON_CACHE_DIR=" + home + "/.tmp/triton",
                               "LANG=C.UTF-8",
                               "USER=agent",
                               "LOGNAME=agent",
                               "SHELL=/bin/sh",
                               "TERM=dumb",
                               "NO_PROXY=*",
                               "PYTHONDONTWRITEBYTECODE=1",
                               "PYTHONNOUSERSITE=1",
                               "CUDA_VISIBLE_DEVICES=",
                               "OPENAI_BASE_URL=" + url + "/v1",
                               "OPENAI_API_BASE=" + url + "/v1",
                               "OPENAI_API_KEY=" + values.at("key"),
                               "ANTHROPIC_BASE_URL=" + url,
                               "ANTHROPIC_API_KEY=" + values.at("key"),
                               "KGBENCH_MODEL=" + values.at("model"),
                               "KGBENCH_TASK=" + home + "/TASK.md"};
  if (settings_.verify.mode != Verify::off) out.push_back("KGBENCH_VERIFY=" + url + "/kgbench/verify");
  for (const auto& [name, value] : settings_.agent.environment) {
    std::erase_if(out, [&](const std::string& line) { return line.starts_with(name + "="); });
    out.push_back(name + "=" + expand(value, values));
  }
  return out;
}

BoxRun Agent::box_run(const Box& box, const Values& values) const {
  BoxRun run;
  // A preset's words are arguments as they are; a command line of the user's is read by sh.
  for (const std::string& word : settings_.agent.command)
    run.command.push_back(expand(word, values, settings_.agent.shell));
  run.command[0] = agent_program(settings_.agent, settings_.agents);
  run.environment = environment(box, values);
  run.seconds = settings_.seconds;
  return run;
}

std::string ending(const BoxEnd& end) {
  return end.killed.empty() ? end.finished.describe() : "was ended: " + end.killed;
}

Status Agent::keep(const Box& box, const Task& task, const BoxEnd& end, int calls, int verified) const {
  const auto part = [](const std::string& text, bool cut) {
    return to_utf8_lossy(text) + (cut ? "\n[what came after is not kept]\n" : "");
  };
  const std::string log = fmt::format(
      "agent: {}\nended: {}\nseconds: {:.1f}\ncalls of the model: {}\ncalls of verify: {}\n\n"
      "== standard output ==\n{}\n== standard error ==\n{}",
      settings_.agent.name, ending(end), end.finished.wall_ms / 1000, calls, verified,
      part(end.out, end.out_cut), part(end.err, end.err_cut));
  KGB_CHECK(write_file(task.workspace / "agent.log", log));
  std::vector<std::string> names = settings_.agent.keep;
  names.emplace_back(kSolution);
  for (const std::string& name : names)
    if (const auto text = box.file(name, kMaxKept)) KGB_CHECK(write_file(task.workspace / name, *text));
  return ok_status();
}

Answer Agent::answer(const Box& box, const Task& task, const BoxEnd& end, const Calls& calls) const {
  const std::optional<std::string> source = box.file(kSolution, kMaxSolution);
  const bool own = source && !trim(*source).empty() && *source != stub_text(task.op);
  if (task.stop) return {Answer::End::given_up, "", "the run was stopped"};
  if (own) return {Answer::End::answered, *source, ""};
  if (const std::string spent = task.spent ? task.spent() : ""; !spent.empty())
    return {Answer::End::spent, "", spent};
  if (const auto failure = calls.all_failed()) {
    const bool fatal = failure->status == 0 || failure->status == 401 || failure->status == 403;
    return {Answer::End::given_up, "", "no call of the model succeeded: " + failure->message, fatal};
  }
  const char* const left = source ? "left the stub as it was" : "left no solution.py";
  return {Answer::End::no_code, "", fmt::format("the agent {} and {}", ending(end), left)};
}

Result<Answer> Agent::solve(const Task& task) const {
  KGB_TRY(Box box, make_box());
  Calls calls(task);
  Verifier verifier(task, settings_.verify);
  llm::AccountSettings told;
  told.max_tokens = settings_.max_tokens;
  told.budget.seconds = settings_.seconds;
  told.spent = task.spent;
  told.on_call = [&](const llm::ProxiedCall& call) { calls.add(call); };
  told.service = [&](std::string_view name, const std::string& body) {
    if (name == "verify") return verifier.serve(body);
    return llm::AccountSettings::Answer{404, "{\"error\": \"there is verify, and nothing else\"}"};
  };
  KGB_TRY(const std::shared_ptr<llm::Account> account, proxy_->open_account(std::move(told)));
  std::unique_ptr<llm::Proxy::Door> door;
  AtEnd close(Closing{*account, verifier, door});
  KGB_TRY(const Values values, fill(box, task, *account));
  BoxRun run = box_run(box, values);
  Patience patience(task, *account, settings_.grace_s);
  run.over = [&] { return patience.over(); };
  run.open_port = [&](Fd listener) -> Status {
    KGB_TRY(door, proxy_->serve(std::move(listener)));
    return ok_status();
  };
  KGB_TRY(const BoxEnd end, box.run(run));
  close.now();
  if (const auto error = verifier.error()) return *error;
  if (calls.count() == 0) calls.note_unknown();
  KGB_CHECK(keep(box, task, end, calls.count(), verifier.count()));
  return answer(box, task, end, calls);
}

}  // namespace

Result<std::unique_ptr<Method>> make_agent(AgentSettings settings) {
  KGB_CHECK(check_installed(settings.agent, settings.agents));
  KGB_TRY(std::string task, read_text_file(settings.prompts / "agent.md"));
  KGB_TRY(std::string contract, read_text_file(settings.prompts / "agent-contract.md"));
  KGB_TRY(std::unique_ptr<llm::Proxy> proxy, llm::Proxy::start(settings.proxy));
  return std::unique_ptr<Method>(
      new Agent(std::move(settings), std::move(task), std::move(contract), std::move(proxy)));
}

}  // namespace kgb::method
