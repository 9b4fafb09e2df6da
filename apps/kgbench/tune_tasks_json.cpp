// SPDX-License-Identifier: Apache-2.0
// Reads tasks, line by line.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "setup.hpp"
#include "tune_tasks.hpp"

namespace kgb::app {
namespace {

using nlohmann::json;

bool is_texts(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_string(); });
}

Result<TuneTask> task_from_json(const json& object, const Catalogue& catalogue) {
  static const std::vector<std::string> known{"op", "time", "seed"};
  if (!object.is_object()) return user_error("no JSON object");
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return user_error("unknown key " + in_quotes(key) + did_you_mean(key, known));
  const json op = object.value("op", json());
  if (!op.is_string()) return user_error("`op` must be a text");
  const json time = object.value("time", json::array()), seed = object.value("seed", json(""));
  if (!is_texts(time)) return user_error("`time` must be a list of texts");
  if (!seed.is_string()) return user_error("`seed` must be the name of a file");
  TuneTask task;
  KGB_TRY(task.op, catalogue.find(op.get<std::string>()));
  task.seed_kernel = seed.get<std::string>();
  KGB_TRY(task.timed, timed_workloads_of(time.get<std::vector<std::string>>(), *task.op));
  return task;
}

}  // namespace

Result<std::vector<TuneTask>> tune_tasks_from_json_lines(std::string_view text, const std::string& file,
                                                         const Catalogue& catalogue) {
  std::vector<TuneTask> tasks;
  std::size_t number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    Result<TuneTask> task = task_from_json(json::parse(line, nullptr, false), catalogue);
    if (!task.ok()) return user_error(fmt::format("{}:{}: {}", file, number, task.error().message));
    tasks.push_back(std::move(task).value());
  }
  if (tasks.empty()) return user_error(file + " holds no task. A line is {\"op\": \"aten::add\"}");
  return tasks;
}

}  // namespace kgb::app
