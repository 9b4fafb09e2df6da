// SPDX-License-Identifier: Apache-2.0
// Reads the reference's signatures, writes the folder, loads it as the judge will.
#include "new_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/new_operator.hpp"
#include "catalogue/texts.hpp"
#include "command.hpp"
#include "judge/processes.hpp"
#include "sandbox/process.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

// The one folder of --catalogue, made where it is missing.
Result<fs::path> catalogue_folder() {
  const char* named = std::getenv("KGBENCH_CATALOGUE");
  const std::string text = named == nullptr ? "" : named;
  if (text.empty() || text.find(':') != std::string::npos)
    return user_error(
        "name one folder for operators of your own: kgbench new operator NAME --reference FILE "
        "--catalogue DIR");
  std::error_code failed;
  fs::create_directories(text, failed);
  if (failed) return user_error("cannot make the folder " + in_quotes(text) + ": " + failed.message());
  return fs::absolute(text);
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

// "mine::op" from a name with or without a source.
Result<std::pair<std::string, std::string>> split_name(const std::string& name) {
  const std::size_t at = name.find("::");
  const std::string source = at == std::string::npos ? "own" : name.substr(0, at);
  const std::string op = at == std::string::npos ? name : name.substr(at + 2);
  if (!is_word(source) || !is_word(op))
    return user_error(in_quotes(name) +
                      " is no name of an operator. Use letters, digits and _: mine::scaled_add");
  return std::pair{source, op};
}

Result<std::vector<std::pair<std::string, std::string>>> entries_of(const Installation& installation,
                                                                    const fs::path& reference) {
  sandbox::Command command;
  command.argv = {installation.interpreter, "-s", "-m", "kgbench.scaffold", reference.string()};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1",
                         "PYTHONPATH=" + installation.python_dir.string()};
  sandbox::Limits limits;
  limits.wall = Millis(60'000);
  KGB_TRY(const sandbox::Output output, sandbox::run(command, limits));
  if (!output.finished.clean()) {
    if (output.err.empty()) return host_error("kgbench.scaffold " + output.finished.describe());
    return user_error(to_utf8_lossy(trim(output.err)));
  }
  const nlohmann::json rows = nlohmann::json::parse(output.out, nullptr, false);
  if (!rows.is_array()) return internal_error("kgbench.scaffold wrote no JSON list");
  std::vector<std::pair<std::string, std::string>> entries;
  for (const nlohmann::json& row : rows) entries.emplace_back(row.value("name", ""), row.value("schema", ""));
  return entries;
}

// What the reference says to each smoke workload: the workloads are a guess, and this tells where it was
// wrong.
std::string complaints(const Operator& op, const Installation& installation) {
  oracle::Oracle oracle(Processes::python_worker(installation, "kgbench.oracle.worker"), 1);
  std::string text;
  for (const Workload& workload : op.fixed) {
    const Result<Expectation> answer = oracle.expect(op, workload.call, 1, 0, 0);
    if (!answer)
      text += fmt::format("  {}: {}\n    {}\n", workload.call.workload, describe(workload.call),
                          answer.error().message);
  }
  return text;
}

}  // namespace

Result<int> new_operator(const std::string& name, const fs::path& reference) {
  KGB_TRY(const auto parts, split_name(name));
  const auto& [source, op] = parts;
  KGB_TRY(const fs::path root, catalogue_folder());
  KGB_TRY(const Installation installation, find_installation());
  const fs::path folder = root / source / op;
  std::error_code ignored;
  if (fs::exists(folder, ignored))
    return user_error(folder.string() + " exists already. Choose another name, or remove it");
  NewOperator made{source + "::" + op, reference.filename().string(), {}};
  KGB_TRY(const Catalogue known, Catalogue::load(installation.home / "catalogue"));
  // Before anything is written: a name that two folders have leaves out both.
  const bool taken = known.find_broken(made.name) != nullptr ||
                     std::any_of(known.operators().begin(), known.operators().end(),
                                 [&](const Operator& other) { return other.name == made.name; });
  if (taken)
    return user_error(made.name + " is an operator already (kgbench show " + made.name +
                      "). Choose another name");
  KGB_TRY(const std::string text, read_file(reference, std::size_t{4} << 20));
  KGB_TRY(made.entries, entries_of(installation, fs::absolute(reference)));
  KGB_TRY(const std::string card, new_card_text(made));
  fs::create_directories(folder, ignored);
  KGB_CHECK(write_file_atomic(folder / "card.toml", card));
  KGB_CHECK(write_file_atomic(folder / "reference.py", text));
  KGB_TRY(const Catalogue catalogue, Catalogue::load(installation.home / "catalogue", {root}));
  KGB_TRY(const Operator* const found, catalogue.find(made.name));
  KGB_CHECK(write_file_atomic(folder / "candidate.py", stub_text(*found)));
  std::printf("%s: %zu entries, %zu smoke workloads, written to %s\n", made.name.c_str(),
              found->entries.size(), found->fixed.size(), folder.c_str());
  if (const std::string wrong = complaints(*found, installation); !wrong.empty())
    std::printf("The reference fails on these workloads; give it others in %s:\n%s",
                (folder / "card.toml").c_str(), wrong.c_str());
  std::printf("Then fill in the kernel of %s:\n  kgbench judge %s --op %s --catalogue %s\n",
              (folder / "candidate.py").c_str(), (folder / "candidate.py").c_str(), made.name.c_str(),
              root.c_str());
  return kExitPass;
}

}  // namespace kgb::app
