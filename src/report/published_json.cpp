// SPDX-License-Identifier: Apache-2.0
// Published tables: read from their files, and written with our rows.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "report/published.hpp"

namespace kgb {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kProtocol = "protocol";  // the differences, which all tables share

Result<json> read_json(const fs::path& file) {
  KGB_TRY(const std::string text, read_file(file));
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return user_error(file.string() + " is no JSON. Restore it");
  return document;
}

std::optional<double> number_in(const json& cell, const char* key) {
  return cell.contains(key) ? std::optional(cell.at(key).get<double>()) : std::nullopt;
}

PublishedRow row_from(const json& document) {
  PublishedRow row;
  row.method = document.at("method");
  for (const auto& [key, cell] : document.at("cells").items()) {
    row.cells[key].accuracy = number_in(cell, "accuracy");
    row.cells[key].speedup = number_in(cell, "speedup");
    row.cells[key].number = number_in(cell, "number");
  }
  return row;
}

PublishedTable table_from(const json& document, const json& protocol) {
  PublishedTable table;
  table.title = document.at("title");
  table.source = document.at("source");
  table.read = document.at("read");
  table.makes = document.at("makes");
  table.notes = document.at("notes").get<std::vector<std::string>>();
  for (const json& column : document.at("columns"))
    table.columns.emplace_back(column.at("key"), column.at("title"));
  for (const json& row : document.at("rows")) table.rows.push_back(row_from(row));
  for (const json& d : protocol.at("differences"))
    table.differences.push_back(
        {d.at("what"), d.at("published"), d.at("ours"), d.value("setting", ""), d.value("same", "")});
  return table;
}

json cell_json(const PublishedCell& cell) {
  json out = json::object();
  const auto put = [&out](const char* key, const auto& value) {
    if (value) out[key] = *value;
  };
  put("accuracy", cell.accuracy);
  put("low", cell.low);
  put("high", cell.high);
  put("speedup", cell.speedup);
  put("number", cell.number);
  put("of", cell.of);
  if (cell.at_least) out["at_least"] = true;
  return out;
}

}  // namespace

std::vector<std::string> published_names(const fs::path& folder) {
  std::vector<std::string> names;
  const Result<std::vector<std::string>> files = list_folder(folder);
  if (!files.ok()) return names;
  for (const fs::path file : *files)
    if (file.extension() == ".json" && file.stem() != kProtocol) names.push_back(file.stem().string());
  return names;
}

Result<PublishedTable> load_published(const fs::path& folder, const std::string& name) {
  const std::vector<std::string> names = published_names(folder);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return user_error("no published table " + in_quotes(name) + did_you_mean(name, names) +
                      ". Tables: " + join(names, ", "));
  const fs::path file = folder / (name + ".json");
  KGB_TRY(const json document, read_json(file));
  KGB_TRY(const json protocol, read_json(folder / (std::string(kProtocol) + ".json")));
  try {
    PublishedTable table = table_from(document, protocol);
    table.name = name;
    return table;
  } catch (const json::exception& cause) {
    return user_error(file.string() + " is no table that this kgbench reads: " + cause.what());
  }
}

json published_json(const PublishedTable& table) {
  json columns = json::array(), rows = json::array(), differences = json::array();
  for (const auto& [key, title] : table.columns) columns.push_back({{"key", key}, {"title", title}});
  for (const PublishedRow& row : table.rows) {
    json cells = json::object();
    for (const auto& [key, cell] : row.cells) cells[key] = cell_json(cell);
    rows.push_back({{"method", row.method}, {"kind", row.ours ? "ours" : "published"}, {"cells", cells}});
  }
  for (const ProtocolDifference& d : table.differences)
    differences.push_back({{"what", d.what}, {"published", d.published}, {"ours", d.ours}});
  return {{"schema", 1},         {"table", table.name}, {"title", table.title}, {"source", table.source},
          {"read", table.read},  {"columns", columns},  {"rows", rows},         {"differences", differences},
          {"notes", table.notes}};
}

}  // namespace kgb
