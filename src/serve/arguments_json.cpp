// SPDX-License-Identifier: Apache-2.0
// The part of JSON Schema that input schemas use.
#include "serve/arguments.hpp"

#include <vector>

#include "base/text.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

bool is_of(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

std::string words_of(const json& list) {
  std::string words;
  for (const json& item : list) words += (words.empty() ? "" : ", ") + item.get<std::string>();
  return words;
}

std::vector<std::string> names_in(const json& object) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : object.items()) names.push_back(name);
  return names;
}

std::string complaint_of_object(const json& value, const json& schema, const std::string& path);

std::string complaint_at(const json& value, const json& schema, const std::string& path) {
  const std::string name = "`" + path + "`";
  const std::string type = schema.at("type").get<std::string>();
  if (!is_of(value, type)) return name + " must be of type " + type + ", and is of type " + value.type_name();
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return name + " must be one of " + words_of(schema["enum"]);
  if (value.is_string()) {
    const std::size_t size = value.get_ref<const std::string&>().size();
    if (size < schema.value("minLength", std::size_t{0})) return name + " is empty";
    if (size > schema.value("maxLength", size))
      return name + " is longer than " + human_bytes(schema["maxLength"]);
  }
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"])
      return name + " is below " + schema["minimum"].dump();
    if (schema.contains("maximum") && value > schema["maximum"])
      return name + " is above " + schema["maximum"].dump();
  }
  return value.is_object() ? complaint_of_object(value, schema, path) : std::string();
}

std::string complaint_of_object(const json& value, const json& schema, const std::string& path) {
  const std::string prefix = path.empty() ? "" : path + ".";
  const json properties = schema.value("properties", json::object());
  for (const json& name : schema.value("required", json::array()))
    if (!value.contains(name.get<std::string>()))
      return "`" + prefix + name.get<std::string>() + "` is missing";
  for (const auto& [name, item] : value.items()) {
    if (!properties.contains(name))
      return "unknown argument " + in_quotes(prefix + name) + did_you_mean(name, names_in(properties));
    if (std::string complaint = complaint_at(item, properties[name], prefix + name); !complaint.empty())
      return complaint;
  }
  return {};
}

}  // namespace

std::string complaint_of(const json& arguments, const json& schema) {
  return complaint_of_object(arguments, schema, "");
}

}  // namespace kgb::serve
