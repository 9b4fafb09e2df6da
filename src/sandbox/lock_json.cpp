// SPDX-License-Identifier: Apache-2.0
// JSON form of the lock's specification and of the layers that are on.
#include <nlohmann/json.hpp>

#include "sandbox/lock.hpp"

namespace kgb::sandbox {
namespace {

using Json = nlohmann::json;

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  template <typename T>
  void number(const char* key, T& out) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_number_unsigned()) return fail(key, "a number that is not negative");
    const auto value = field->get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      return fail(key, "a smaller number");
    out = static_cast<T>(value);
  }
  void flag(const char* key, bool& out) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_boolean()) return fail(key, "true or false");
    out = field->get<bool>();
  }
  void text(const char* key, std::string& out) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_string()) return fail(key, "a text");
    out = field->get<std::string>();
  }
  void texts(const char* key, std::vector<std::string>& out) {
    const Json* field = find(key);
    if (field == nullptr) return;
    if (!field->is_array()) return fail(key, "a list of texts");
    out.clear();
    for (const Json& item : *field) {
      if (!item.is_string()) return fail(key, "a list of texts");
      out.push_back(item.get<std::string>());
    }
  }
  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
  [[nodiscard]] Status status() const {
    if (!error_.empty()) return internal_error(error_);
    if (known_ != json_.size()) return internal_error("the lock's JSON has a key that is not known");
    return ok_status();
  }

 private:
  const Json* find(const char* key) {
    const auto it = json_.find(key);
    if (it == json_.end()) return nullptr;
    ++known_;
    return &*it;
  }
  void fail(const char* key, const char* wanted) {
    if (error_.empty()) error_ = std::string("the lock's JSON: '") + key + "' must be " + wanted;
  }

  const Json& json_;
  std::string error_;
  std::size_t known_ = 0;
};

}  // namespace

std::string to_json_text(const LockSpec& spec) {
  Json json{
      {"namespaces", spec.namespaces},
      {"workspace", spec.workspace},
      {"read", spec.read},
      {"hidden", spec.hidden},
      {"execute", spec.execute},
      {"devices", spec.devices},
      {"drivers", spec.drivers},
      {"network", spec.network},
      {"metadata", spec.metadata},
      {"new_processes", spec.new_processes},
      {"memory_bytes", spec.memory_bytes},
      {"data_bytes", spec.data_bytes},
      {"file_bytes", spec.file_bytes},
      {"processes", spec.processes},
      {"open_files", spec.open_files},
      {"cpu_seconds", spec.cpu_seconds},
      {"allow_weak", spec.allow_weak},
  };
  if (spec.uid) json["uid"] = *spec.uid;
  return json.dump();
}

Result<LockSpec> lock_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return internal_error("the lock's JSON is not an object");
  LockSpec spec;
  Reader reader(json);
  reader.number("namespaces", spec.namespaces);
  if (reader.has("uid")) reader.number("uid", spec.uid.emplace());
  reader.text("workspace", spec.workspace);
  reader.texts("read", spec.read);
  reader.texts("hidden", spec.hidden);
  reader.texts("execute", spec.execute);
  reader.texts("devices", spec.devices);
  reader.texts("drivers", spec.drivers);
  reader.flag("network", spec.network);
  reader.flag("metadata", spec.metadata);
  reader.flag("new_processes", spec.new_processes);
  reader.number("memory_bytes", spec.memory_bytes);
  reader.number("data_bytes", spec.data_bytes);
  reader.number("file_bytes", spec.file_bytes);
  reader.number("processes", spec.processes);
  reader.number("open_files", spec.open_files);
  reader.number("cpu_seconds", spec.cpu_seconds);
  reader.flag("allow_weak", spec.allow_weak);
  KGB_CHECK(reader.status());
  return spec;
}

std::string to_json_text(const LockLayers& layers) {
  return Json{{"namespaces", describe(layers.namespaces)},
              {"identity", layers.identity},
              {"landlock", layers.landlock},
              {"seccomp", layers.seccomp},
              {"missing", layers.missing}}
      .dump();
}

}  // namespace kgb::sandbox
