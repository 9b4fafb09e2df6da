// SPDX-License-Identifier: Apache-2.0
// Calls to and from JSON (docs/contracts/call.md). Reading treats the text as hostile.
#include <cmath>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "fmt/format.h"
#include "model/call.hpp"
#include "model/generate.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxCallArgs = 256, kMaxItems = 65536, kMaxCallRank = 64, kMaxText = 4096;

Error at(const std::string& path, std::string_view problem) {
  return user_error(fmt::format("call: {}: {}", path.empty() ? "top" : path, problem));
}

Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json tensor_json(const TensorSpec& spec) {
  Json domain = Json::array({spec.domain.kind});
  for (const double param : spec.domain.params) domain.push_back(number_json(param));
  return {{"dtype", name_of(spec.dtype)}, {"shape", spec.shape},       {"strides", spec.strides},
          {"offset", spec.offset},        {"storage", spec.storage},   {"domain", domain},
          {"mutated", spec.mutated},      {"host", spec.host_readable}};
}

Json tensor_json(const std::optional<TensorSpec>& spec) {
  return spec ? tensor_json(*spec) : Json();
}

template <typename Items>
Json items_json(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(tensor_json(item));
  return list;
}

struct ValueWriter {
  Json& out;
  void operator()(const None&) const { out["none"] = true; }
  void operator()(const TensorSpec& spec) const { out["tensor"] = tensor_json(spec); }
  void operator()(const TensorList& list) const { out["tensors"] = items_json(list.items); }
  void operator()(const PointerArray& list) const { out["pointers"] = items_json(list.items); }
  void operator()(bool value) const { out["bool"] = value; }
  void operator()(std::int64_t value) const { out["int"] = value; }
  void operator()(double value) const { out["float"] = number_json(value); }
  void operator()(const Complex& z) const {
    out["complex"] = Json::array({number_json(z.re), number_json(z.im)});
  }
  void operator()(const std::string& value) const { out["str"] = value; }
  void operator()(const DTypeValue& value) const { out["dtype"] = name_of(value.dtype); }
  void operator()(const std::vector<std::int64_t>& value) const { out["ints"] = value; }
  void operator()(const GeneratorValue&) const { out["generator"] = true; }
};

Status only_keys(const Json& json, const std::string& path, const std::set<std::string_view>& known) {
  if (!json.is_object()) return at(path, "is no object");
  for (const auto& item : json.items()) {
    if (!known.contains(item.key())) return at(path, fmt::format("unknown key {}", in_quotes(item.key())));
  }
  return ok_status();
}

Result<std::int64_t> read_int(const Json& json, const std::string& path) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return at(path, "does not fit 64 bits");
    }
    return static_cast<std::int64_t>(value);
  }
  if (!json.is_number_integer()) return at(path, "is no integer");
  return json.get<std::int64_t>();
}

Result<double> read_double(const Json& json, const std::string& path) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  return at(path, "is no number, \"nan\", \"inf\" or \"-inf\"");
}

Result<std::string> read_text(const Json& json, const std::string& path) {
  if (!json.is_string()) return at(path, "is no text");
  const auto& text = json.get_ref<const std::string&>();
  if (text.size() > kMaxText) return at(path, fmt::format("is longer than {} bytes", kMaxText));
  return text;
}

Result<bool> read_bool(const Json& json, const std::string& path) {
  if (!json.is_boolean()) return at(path, "is neither true nor false");
  return json.get<bool>();
}

Result<std::vector<std::int64_t>> read_ints(const Json& json, const std::string& path, std::size_t most) {
  if (!json.is_array()) return at(path, "is no list");
  if (json.size() > most) return at(path, fmt::format("has more than {} elements", most));
  std::vector<std::int64_t> values;
  for (const Json& item : json) {
    KGB_TRY(const std::int64_t value, read_int(item, fmt::format("{}[{}]", path, values.size())));
    values.push_back(value);
  }
  return values;
}

Result<DType> read_dtype(const Json& json, const std::string& path) {
  KGB_TRY(const std::string name, read_text(json, path));
  const auto dtype = dtype_named(name);
  if (!dtype) return at(path, fmt::format("{} is no dtype", in_quotes(name)));
  return *dtype;
}

Result<Domain> read_domain(const Json& json, const std::string& path) {
  if (!json.is_array() || json.empty()) return at(path, "is no list [kind, parameters...]");
  if (json.size() > 16) return at(path, "has more than 15 parameters");
  Domain domain;
  KGB_TRY(domain.kind, read_text(json[0], path + "[0]"));
  for (std::size_t i = 1; i < json.size(); ++i) {
    KGB_TRY(const double param, read_double(json[i], fmt::format("{}[{}]", path, i)));
    domain.params.push_back(param);
  }
  const Status status = check_domain(domain);
  if (!status.ok()) return at(path, status.error().message);
  return domain;
}

const Json* field(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? nullptr : &*it;
}

Result<TensorSpec> read_tensor(const Json& json, const std::string& path) {
  KGB_CHECK(
      only_keys(json, path, {"dtype", "shape", "strides", "offset", "storage", "domain", "mutated", "host"}));
  for (const char* key : {"dtype", "shape", "strides", "offset", "storage", "domain"}) {
    if (field(json, key) == nullptr) return at(path, fmt::format("lacks '{}'", key));
  }
  TensorSpec spec;
  KGB_TRY(spec.dtype, read_dtype(json["dtype"], path + ".dtype"));
  KGB_TRY(spec.shape, read_ints(json["shape"], path + ".shape", kMaxCallRank));
  KGB_TRY(spec.strides, read_ints(json["strides"], path + ".strides", kMaxCallRank));
  KGB_TRY(spec.offset, read_int(json["offset"], path + ".offset"));
  KGB_TRY(spec.storage, read_int(json["storage"], path + ".storage"));
  KGB_TRY(spec.domain, read_domain(json["domain"], path + ".domain"));
  if (const Json* mutated = field(json, "mutated")) {
    KGB_TRY(spec.mutated, read_bool(*mutated, path + ".mutated"));
  }
  if (const Json* host = field(json, "host")) {
    KGB_TRY(spec.host_readable, read_bool(*host, path + ".host"));
  }
  const Status status = check_spec(spec);
  if (!status.ok()) return at(path, status.error().message);
  return spec;
}

// Item: TensorSpec, or an optional one where null stands for None.
template <typename Item>
Result<std::vector<Item>> read_items(const Json& json, const std::string& path) {
  if (!json.is_array()) return at(path, "is no list of tensors");
  if (json.size() > kMaxItems) return at(path, fmt::format("has more than {} tensors", kMaxItems));
  std::vector<Item> items;
  for (const Json& item : json) {
    if constexpr (!std::is_same_v<Item, TensorSpec>) {
      if (item.is_null()) {
        items.emplace_back();
        continue;
      }
    }
    KGB_TRY(TensorSpec spec, read_tensor(item, fmt::format("{}[{}]", path, items.size())));
    items.push_back(std::move(spec));
  }
  return items;
}

Result<Complex> read_complex(const Json& json, const std::string& path) {
  if (!json.is_array() || json.size() != 2) return at(path, "is no pair [re, im]");
  Complex value;
  KGB_TRY(value.re, read_double(json[0], path + "[0]"));
  KGB_TRY(value.im, read_double(json[1], path + "[1]"));
  return value;
}

template <typename T, typename From>
Result<ArgValue> as_value(Result<From> read) {
  if (!read.ok()) return read.error();
  return ArgValue(T{std::move(read).value()});
}

Result<ArgValue> read_value(const std::string& key, const Json& json, const std::string& path) {
  if (key == "tensor") return as_value<TensorSpec>(read_tensor(json, path));
  if (key == "tensors") return as_value<TensorList>(read_items<std::optional<TensorSpec>>(json, path));
  if (key == "pointers") return as_value<PointerArray>(read_items<TensorSpec>(json, path));
  if (key == "int") return as_value<std::int64_t>(read_int(json, path));
  if (key == "float") return as_value<double>(read_double(json, path));
  if (key == "bool") return as_value<bool>(read_bool(json, path));
  if (key == "str") return as_value<std::string>(read_text(json, path));
  if (key == "complex") return as_value<Complex>(read_complex(json, path));
  if (key == "ints") return as_value<std::vector<std::int64_t>>(read_ints(json, path, kMaxItems));
  if (key == "dtype") return as_value<DTypeValue>(read_dtype(json, path));
  if (json != true) return at(path, "can only be true");
  if (key == "none") return ArgValue(None{});
  return ArgValue(GeneratorValue{});
}

Result<Arg> read_arg(const Json& json, const std::string& path) {
  static const std::set<std::string_view> kinds{"tensor", "tensors", "pointers",  "int",
                                                "float",  "bool",    "str",       "complex",
                                                "ints",   "dtype",   "generator", "none"};
  if (!json.is_object()) return at(path, "is no object");
  Arg arg;
  int values = 0;
  for (const auto& item : json.items()) {
    const std::string here = fmt::format("{}.{}", path, to_utf8_lossy(cut_utf8(item.key(), 80)));
    if (item.key() == "name") {
      KGB_TRY(arg.name, read_text(item.value(), here));
    } else if (item.key() == "keyword") {
      KGB_TRY(arg.keyword, read_bool(item.value(), here));
    } else if (kinds.contains(item.key())) {
      ++values;
      KGB_TRY(arg.value, read_value(item.key(), item.value(), here));
    } else {
      return at(path, fmt::format("unknown key {}", in_quotes(item.key())));
    }
  }
  if (arg.name.empty()) return at(path, "has no name");
  if (values != 1) return at(path, fmt::format("has {} values, needs one", values));
  return arg;
}

}  // namespace

Result<TensorSpec> tensor_spec_from_json(const Json& json) {
  return read_tensor(json, "tensor");
}

Json to_json(const Call& call) {
  Json args = Json::array();
  for (const Arg& arg : call.args) {
    Json item{{"name", arg.name}};
    std::visit(ValueWriter{item}, arg.value);
    if (arg.keyword) item["keyword"] = true;
    args.push_back(std::move(item));
  }
  return {{"op", call.op}, {"entry", call.entry}, {"workload", call.workload}, {"args", std::move(args)}};
}

Result<Call> call_from_json(const Json& json) {
  KGB_CHECK(only_keys(json, "", {"op", "entry", "workload", "args"}));
  for (const char* key : {"op", "entry", "workload", "args"}) {
    if (field(json, key) == nullptr) return at("", fmt::format("lacks '{}'", key));
  }
  Call call;
  KGB_TRY(call.op, read_text(json["op"], "op"));
  KGB_TRY(call.entry, read_text(json["entry"], "entry"));
  KGB_TRY(call.workload, read_text(json["workload"], "workload"));
  const Json& args = json["args"];
  if (!args.is_array()) return at("args", "is no list");
  if (args.size() > kMaxCallArgs) return at("args", fmt::format("has more than {} elements", kMaxCallArgs));
  std::set<std::string> names;
  for (const Json& item : args) {
    const std::string path = fmt::format("args[{}]", call.args.size());
    KGB_TRY(Arg arg, read_arg(item, path));
    if (!names.insert(arg.name).second)
      return at(path, fmt::format("a second argument {}", in_quotes(arg.name)));
    call.args.push_back(std::move(arg));
  }
  return call;
}

}  // namespace kgb
