// SPDX-License-Identifier: Apache-2.0
// Loop of the native host: load, trial, time.
#include <dlfcn.h>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/frame.hpp"
#include "device/cache_flush.hpp"
#include "executor/native_args.hpp"
#include "executor/native_host.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;
using Entry = int (*)(const KgbCall*);

json failed(const std::string& kind, const std::string& message) {
  return {{"ok", false}, {"error", {{"kind", kind}, {"message", message}}}};
}

class Host {
 public:
  struct Reply {
    json header;
    std::vector<std::byte> blob;
  };

  Reply handle(const json& request) {
    const std::string run = request.value("run", "");
    if (run == "load") return {load(request), {}};
    if (run == "trial" || run == "time") return call(request, run == "time");
    return {failed("infra", "the native host knows no request '" + run + "'"), {}};
  }

 private:
  json load(const json& request) {
    library_ = ::dlopen(request.at("library").get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      return failed("native_compile_error", std::string("the library does not load: ") + ::dlerror());
    for (const json& name : request.at("entries")) {
      const std::string entry = name.get<std::string>();
      void* symbol = ::dlsym(library_, ("kgb_" + entry).c_str());
      if (symbol == nullptr) {
        json reply = failed("missing_entry", "the library defines no entry `kgb_" + entry + "`");
        reply["error"]["details"] = {{"entries", entry}};
        return reply;
      }
      entries_[entry] = reinterpret_cast<Entry>(symbol);
    }
    return {{"ok", true}};
  }

  Reply call(const json& request, bool timed) {
    Result<Call> parsed = call_from_json(request.at("call"));
    if (!parsed.ok()) return {failed("infra", parsed.error().message), {}};
    const auto found = entries_.find(parsed->entry);
    if (found == entries_.end()) return {failed("infra", "entry " + parsed->entry + " is not loaded"), {}};
    const std::string key = request.at("call").dump();
    if (key != built_key_) {  // memory is laid out once per workload, values are fresh each time
      built_ = std::make_unique<NativeCall>(*parsed, outputs_of(request.at("contract")));
      built_key_ = key;
    }
    const std::uint64_t seed = seed_from_text(request.at("seed").get<std::string>()).value_or(0);
    built_->fill(seed, request.at("trial").get<int>(), request.at("number").get<int>(),
                 static_cast<std::byte>(request.value("poison", 0xFF)));
    if (timed) flush_caches();
    const auto start = std::chrono::steady_clock::now();
    const int code = found->second(&built_->abi());
    const auto elapsed = std::chrono::steady_clock::now() - start;
    if (code != 0)
      return {failed("host_exception", "kgb_" + parsed->entry + " returned " + std::to_string(code)), {}};
    Reply reply{{{"ok", true},
                 {"ns", std::chrono::nanoseconds(elapsed).count()},
                 {"changed", built_->changed_inputs()}},
                {}};
    reply.header["outputs"] = json::array();
    if (!timed || request.value("verify", false)) add_outputs(reply);
    return reply;
  }

  static std::vector<NativeOutput> outputs_of(const json& contract) {
    std::vector<NativeOutput> outputs;
    for (const json& row : contract) {
      const auto dtype = dtype_named(row.at("dtype").get<std::string>());
      if (!dtype) throw std::runtime_error("a contract names no dtype");
      outputs.push_back({row.at("path").get<std::string>(), *dtype,
                         row.at("shape").get<std::vector<std::int64_t>>(),
                         row.at("strides").get<std::vector<std::int64_t>>()});
    }
    return outputs;
  }

  void add_outputs(Reply& reply) const {
    for (NativeCall::Taken& taken : built_->take_results()) {
      reply.header["outputs"].push_back({{"path", taken.path},
                                         {"dtype", name_of(taken.dtype)},
                                         {"shape", taken.shape},
                                         {"offset", reply.blob.size()},
                                         {"bytes", taken.bytes.size()}});
      reply.blob.insert(reply.blob.end(), taken.bytes.begin(), taken.bytes.end());
    }
  }

  void* library_ = nullptr;
  std::map<std::string, Entry> entries_;
  std::unique_ptr<NativeCall> built_;
  std::string built_key_;
};

}  // namespace

int serve_native(int fd) {
  Host host;
  while (true) {
    FrameRead read = read_frame(fd, Deadline::never());
    if (read.end != FrameEnd::none) return read.end == FrameEnd::closed ? 0 : 3;
    Host::Reply reply;
    json id;
    try {
      const json request = json::parse(read.frame.json);
      id = request.value("id", json());
      reply = host.handle(request);
    } catch (const std::exception& cause) {
      reply = {failed("host_exception", std::string("an exception left the entry: ") + cause.what()), {}};
    }
    reply.header["id"] = id;
    if (!write_frame(fd, reply.header.dump(), reply.blob).ok()) return 0;
  }
}

}  // namespace kgb
