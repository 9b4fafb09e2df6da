// SPDX-License-Identifier: Apache-2.0
// Asks the rewriter, a Python process per question.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "method/tuner_space.hpp"
#include "sandbox/process.hpp"

namespace kgb::method {
namespace {

using nlohmann::json;

Result<std::string> ask(const Rewriter& rewriter, const std::filesystem::path& file,
                        const std::vector<std::string>& more) {
  sandbox::Command command;
  command.argv = {rewriter.interpreter, "-s", "-m", "kgbench.tune", std::filesystem::absolute(file).string()};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1",
                         "PYTHONPATH=" + rewriter.python_dir.string()};
  sandbox::Limits limits;
  limits.wall = Millis(60'000);
  limits.keep_stdout = std::size_t{16} << 20;
  KGB_TRY(sandbox::Output output, sandbox::run(command, limits));
  if (output.finished.clean() && !output.out_cut) return std::move(output.out);
  const std::string why(trim(output.err));
  return user_error(why.empty()
                        ? "cannot tune " + file.string() + ": the rewriter " + output.finished.describe()
                        : to_utf8_lossy(why));
}

Result<Axis> axis_from_json(const json& object) {
  const auto text = [&](const char* key) { return object.value(key, std::string()); };
  Axis axis{
      text("id"), text("kind"), text("what"), object.value("line", 0), {}, 0, object.value("ordered", false)};
  for (const json& value : object.value("values", json::array()))
    axis.values.push_back(value.get<std::string>());
  const auto at = std::find(axis.values.begin(), axis.values.end(), text("seed"));
  if (axis.id.empty() || at == axis.values.end())
    return internal_error("the rewriter's axis " + in_quotes(axis.id) + " has no value of the source");
  axis.seed = static_cast<std::size_t>(at - axis.values.begin());
  return axis;
}

}  // namespace

Point seed_of(const std::vector<Axis>& axes) {
  Point point;
  for (const Axis& axis : axes) point.push_back(axis.seed);
  return point;
}

Result<std::vector<Axis>> axes_from_json(std::string_view text) {
  const json answer = json::parse(text, nullptr, false);
  const auto list = answer.is_object() ? answer.find("axes") : answer.end();
  if (!answer.is_object() || list == answer.end() || !list->is_array())
    return internal_error("the rewriter's answer is no space");
  std::vector<Axis> axes;
  try {
    for (const json& object : *list) {
      KGB_TRY(Axis axis, axis_from_json(object));
      axes.push_back(std::move(axis));
    }
  } catch (const json::exception& error) {
    return internal_error(std::string("the rewriter's answer: ") + error.what());
  }
  return axes;
}

Result<std::vector<Axis>> space_of(const Rewriter& rewriter, const std::filesystem::path& file) {
  KGB_TRY(const std::string answer, ask(rewriter, file, {}));
  return axes_from_json(answer);
}

Result<std::string> source_at(const Rewriter& rewriter, const std::filesystem::path& file,
                              const std::vector<Axis>& axes, const Point& point) {
  json chosen = json::object();
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (point[i] != axes[i].seed) chosen[axes[i].id] = axes[i].values[point[i]];
  return ask(rewriter, file, {"--point", chosen.dump()});
}

}  // namespace kgb::method
