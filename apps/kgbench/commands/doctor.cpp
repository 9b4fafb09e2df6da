// SPDX-License-Identifier: Apache-2.0
// kgbench doctor: what this host gives, each row tried.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "compiler/nvrtc.hpp"
#include "doctor_device.hpp"
#include "judge/processes.hpp"
#include "sandbox/facilities.hpp"
#include "setup.hpp"
#include "vm/vm.hpp"

namespace kgb::app {
namespace {

using sandbox::Facility;

Facility row(const std::string& name, const Status& tried, const std::string& good,
             const std::string& consequence, const std::string& remedy) {
  Facility facility;
  facility.name = name;
  facility.required = true;
  facility.available = tried.ok();
  facility.detail = tried.ok() ? good : tried.error().message;
  facility.consequence = consequence;
  facility.remedy = remedy;
  return facility;
}

Facility probe_catalogue() {
  const Result<Catalogue> catalogue = load_catalogue();
  std::string good;
  if (catalogue.ok()) {
    good = std::to_string(catalogue->operators().size()) + " operators";
    if (const std::size_t broken = catalogue->broken().size(); broken > 0)
      good += ", " + std::to_string(broken) + " left out (kgbench list --check)";
  }
  return row("catalogue", catalogue.ok() ? ok_status() : Status(catalogue.error()), good,
             "nothing can be judged", "set KGBENCH_HOME to the folder that holds catalogue/");
}

// `packages`: where the interpreter that was found imports from.
Facility probe_python(bool allow_weak_lock, std::vector<std::string>& packages) {
  Status tried = ok_status();
  std::string good;
  const Result<Installation> installation = find_installation();
  if (!installation.ok()) {
    tried = installation.error();
  } else {
    JudgeSetup setup;
    setup.installation = *installation;
    setup.allow_weak_lock = allow_weak_lock;
    Result<std::unique_ptr<Processes>> processes = Processes::start(setup);
    if (!processes.ok()) {
      tried = processes.error();
    } else {
      const author::Interpreter& python = (*processes)->interpreter();
      packages = python.paths;
      good = "Python " + python.version;
      for (const auto& [name, version] : python.packages) good += ", " + name + " " + version;
    }
  }
  return row("Python, torch, Triton", tried, good, "no Triton candidate can be judged",
             "run make run, or set KGBENCH_PYTHON to an interpreter with torch 2.11 and Triton 3.6");
}

Facility probe_compiler() {
  sandbox::Command command;
  command.argv = {"c++", "--version"};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  const Result<sandbox::Output> output = sandbox::run(command);
  const bool good = output.ok() && output->finished.clean();
  Facility facility =
      row("C++ compiler", good ? ok_status() : Status(host_error("c++ does not run")),
          good ? first_line(output->out) : "", "no .cpp candidate can be judged", "install g++");
  facility.required = false;
  return facility;
}

Facility probe_nvrtc(const std::vector<std::string>& packages) {
  const Result<NvrtcPlace> place = find_nvrtc(packages);
  std::string good;
  if (place.ok()) good = place->library.string() + (place->includes.empty() ? ", without CUDA headers" : "");
  Facility facility = row("NVRTC", place.ok() ? ok_status() : Status(place.error()), good,
                          "no .cu candidate can be judged", "install what the line above names");
  facility.required = false;
  return facility;
}

Result<int> doctor(bool as_json, bool measure_peaks) {
  std::vector<Facility> rows = sandbox::probe_facilities();
  rows.push_back(probe_catalogue());
  std::vector<std::string> packages;
  rows.push_back(probe_python(true, packages));
  rows.push_back(probe_compiler());
  rows.push_back(probe_nvrtc(packages));
  for (Facility& facility : probe_device(measure_peaks)) rows.push_back(std::move(facility));
  bool healthy = true;
  nlohmann::json document = nlohmann::json::array();
  for (const Facility& f : rows) {
    healthy = healthy && (f.available || !f.required);
    document.push_back({{"name", f.name},
                        {"available", f.available},
                        {"required", f.required},
                        {"detail", f.detail},
                        {"consequence", f.consequence},
                        {"remedy", f.remedy}});
    if (as_json) continue;
    std::printf("%-5s %-28s %s\n",
                f.available  ? "ok"
                : f.required ? "FAIL"
                             : "no",
                f.name.c_str(), f.detail.c_str());
    if (!f.available) std::printf("      %-28s %s. %s\n", "", f.consequence.c_str(), f.remedy.c_str());
  }
  if (as_json)
    std::printf("%s\n", nlohmann::json{{"healthy", healthy}, {"rows", document}}.dump(2).c_str());
  else
    std::printf(healthy ? "This host can judge.\n" : "This host cannot judge safely; see above.\n");
  return healthy ? kExitPass : kExitFault;
}

// What the virtual machine chooses where Triton's IR leaves a choice, as judging runs it.
int show_machine(bool as_json) {
  nlohmann::json document = nlohmann::json::array();
  for (const vm::Choice& choice : vm::choices(vm::judging_options())) {
    document.push_back({{"name", choice.name},
                        {"value", choice.value},
                        {"meaning", choice.meaning},
                        {"option", choice.option}});
    if (!as_json)
      std::printf("%-16s %-14s %s\n", std::string(choice.name).c_str(), choice.value.c_str(),
                  std::string(choice.meaning).c_str());
  }
  if (as_json) std::printf("%s\n", document.dump(2).c_str());
  return kExitPass;
}

}  // namespace

Registered register_doctor(CLI::App& root) {
  auto json = std::make_shared<bool>(false), machine = std::make_shared<bool>(false),
       peaks = std::make_shared<bool>(false);
  CLI::App* command = root.add_subcommand("doctor", "Say what this host gives and what is missing");
  command->footer(help_text("doctor"));
  command->add_flag("--json", *json, "as JSON");
  command->add_flag("--vm", *machine,
                    "Print what the virtual machine chooses where Triton's IR leaves a choice");
  command->add_flag("--measure-peaks", *peaks,
                    "Measure the GPU's bandwidth and matmul peaks anew and keep them");
  return {command, [json, machine, peaks]() -> Result<int> {
            return *machine ? show_machine(*json) : doctor(*json, *peaks);
          }};
}

}  // namespace kgb::app
