// SPDX-License-Identifier: Apache-2.0
// What a tool is to the server: a name, a schema, and a function that may take long.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "nlohmann/json.hpp"

namespace kgb::serve {

struct ToolAnswer {
  std::string text;           // for the model
  nlohmann::json structured;  // the same for programs: an object
};

struct CallContext {
  const std::atomic<bool>& stop;  // set: nobody waits for the answer any more
  // `done` of `total`, and what is done now; does nothing where the caller did not ask for it.
  std::function<void(double done, double total, const std::string& what)> progress;
};

struct Tool {
  std::string name, title, description;
  nlohmann::json input_schema;  // what serve/arguments.hpp understands
  bool slow = false;            // judges: goes to the lanes, never in front of a quick one
  // The arguments fit the schema. An Error is told to the caller, as a failure of the tool.
  std::function<Result<ToolAnswer>(const nlohmann::json& arguments, const CallContext& context)> run;
};

}  // namespace kgb::serve
