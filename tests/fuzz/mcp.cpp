// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any lines as what a client of kgbench mcp writes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "serve/server.hpp"

namespace {

using nlohmann::json;

class Nowhere : public kgb::serve::Outlet {
 public:
  void send(const json& message) override { (void)kgb::serve::line_of(message); }
};

kgb::serve::Tool echo() {
  kgb::serve::Tool tool;
  tool.name = "echo";
  tool.input_schema = json::parse(R"({"type": "object", "required": ["text"], "properties": {
    "text": {"type": "string", "minLength": 1, "maxLength": 9}, "n": {"type": "integer", "minimum": 0, "maximum": 9},
    "way": {"type": "string", "enum": ["up", "down"]}, "deep": {"type": "object", "properties": {}}}})");
  tool.run = [](const json& arguments,
                const kgb::serve::CallContext& context) -> kgb::Result<kgb::serve::ToolAnswer> {
    context.progress(1, 2, "half");
    return kgb::serve::ToolAnswer{arguments["text"].get<std::string>(), arguments};
  };
  return tool;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kgb::serve::Server server({"kgbench", "1", "", 1, 4}, {echo()});
  const auto session = std::make_shared<kgb::serve::Session>();
  const auto outlet = std::make_shared<Nowhere>();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    server.receive(session, text.substr(0, end), outlet);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  session->close();
  return 0;
}
