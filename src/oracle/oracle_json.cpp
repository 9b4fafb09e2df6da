// SPDX-License-Identifier: Apache-2.0
// Questions to the oracle and its answers.
#include <nlohmann/json.hpp>

#include "model/generate.hpp"
#include "oracle/oracle.hpp"

namespace kgb::oracle {
namespace {

using nlohmann::json;
using Blob = std::vector<std::byte>;

constexpr Millis kLimit{300'000};

Error wrong_answer(const std::string& what) {
  return internal_error("the oracle's answer is malformed: " + what);
}

// [offset, bytes, ...] as a part of the blob; nullopt when it does not lie in it.
std::optional<std::span<const std::byte>> part_of(const json& place, const Blob& blob) {
  if (!place.is_array() || place.size() < 2 || !place[0].is_number_unsigned() ||
      !place[1].is_number_unsigned())
    return std::nullopt;
  const auto offset = place[0].get<std::size_t>(), bytes = place[1].get<std::size_t>();
  if (offset > blob.size() || bytes > blob.size() - offset || offset % 8 != 0) return std::nullopt;
  return std::span<const std::byte>(blob).subspan(offset, bytes);
}

std::span<const double> doubles(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

Result<ExpectedOutput> read_output(const json& row, const Blob& blob) {
  ExpectedOutput output;
  output.path = row.at("path").get<std::string>();
  const auto dtype = dtype_named(row.at("dtype").get<std::string>());
  if (!dtype) return wrong_answer("dtype of " + output.path);
  output.dtype = *dtype;
  output.shape = row.at("shape").get<std::vector<std::int64_t>>();
  output.strides = row.at("strides").get<std::vector<std::int64_t>>();
  if (row.at("rule").is_string()) output.rule = row.at("rule").get<std::string>();
  output.dim = row.at("dim").get<int>();
  if (!row.at("value").is_null()) {
    const auto value = part_of(row.at("value"), blob);
    const auto kind = value_kind_named(row.at("value").at(2).get<std::string>());
    if (!value || !kind) return wrong_answer("value of " + output.path);
    output.value = *value;
    output.kind = *kind;
  }
  if (!row.at("magnitude").is_null()) {
    const auto magnitude = part_of(row.at("magnitude"), blob);
    if (!magnitude) return wrong_answer("magnitude of " + output.path);
    output.magnitude = doubles(*magnitude);
  }
  if (!row.at("source").is_null()) {
    const auto source = part_of(row.at("source"), blob);
    if (!source) return wrong_answer("source of " + output.path);
    output.source = doubles(*source);
    output.source_shape = row.at("source").at(2).get<std::vector<std::int64_t>>();
  }
  return output;
}

// The type of Python's number that holds values of a dtype.
std::string number_type(DType dtype) {
  if (dtype == DType::b8) return "bool";
  if (is_complex(dtype)) return "complex";
  return is_float(dtype) ? "float" : "int";
}

// A schema without returns gives none, one return a tensor, a list or a number, several a tuple.
std::string structure_of(const Schema& schema, const Expectation& expectation) {
  if (schema.returns.empty()) return "none";
  if (schema.returns.size() > 1) return "tuple[" + std::to_string(schema.returns.size()) + "]";
  if (schema.gives_number() && !expectation.outputs.empty())
    return number_type(expectation.outputs.front().dtype);
  if (!schema.returns.front().type.list) return "tensor";
  std::size_t items = 0;
  for (const ExpectedOutput& output : expectation.outputs)
    items += output.path.rfind("return[", 0) == 0 ? 1 : 0;
  return "list[" + std::to_string(items) + "]";
}

Result<Expectation> read_answer(const std::string& text, Blob bytes, const Operator& op, const Entry& entry) {
  const json reply = json::parse(text, nullptr, false);
  if (!reply.is_object()) return wrong_answer("no JSON");
  if (!reply.value("ok", false))
    return internal_error("the reference of " + op.name + " failed: " +
                          reply.value(json::json_pointer("/error/message"), std::string("no reason given")) +
                          " (" + reply.value(json::json_pointer("/error/file"), std::string()) + ":" +
                          std::to_string(reply.value(json::json_pointer("/error/line"), 0)) + ")");
  Expectation expectation;
  const auto blob = std::make_shared<const Blob>(std::move(bytes));
  expectation.blob = blob;
  if (const auto raises = reply.find("raises"); raises != reply.end())
    expectation.raises = raises->get<std::string>();
  for (const json& row : reply.at("outputs")) {
    KGB_TRY(ExpectedOutput output, read_output(row, *blob));
    expectation.outputs.push_back(std::move(output));
  }
  expectation.structure = structure_of(entry.schema, expectation);
  return expectation;
}

}  // namespace

Oracle::Oracle(sandbox::Starter worker, std::size_t processes)
    : pool_(std::make_unique<sandbox::WorkerPool>(std::move(worker), processes)) {}

Result<Expectation> Oracle::ask(const Operator& op, const Call& call, const Question& question) {
  const Entry* entry = op.find_entry(call.entry);
  if (entry == nullptr) return internal_error(op.name + " has no entry " + call.entry);
  json request{{"id", 1},
               {"run", question.run},
               {"op", op.name},
               {"reference", (op.folder / "reference.py").string()},
               {"call", to_json(call)},
               {"baseline", entry->baseline.empty() ? json() : json(entry->baseline)},
               {"seed", seed_text(question.seed)},
               {"trial", question.trial},
               {"number", question.number}};
  if (question.moved) request["moved"] = name_of(*question.moved);
  KGB_TRY(sandbox::Answer answer, pool_->ask(request.dump(), {}, kLimit));
  if (answer.loss)
    return host_error("the oracle " + answer.loss->finished.describe() + " on " + op.name + ": " +
                      answer.loss->error_output);
  try {
    return read_answer(answer.frame.json, std::move(answer.frame.blob), op, *entry);
  } catch (const std::exception& cause) {
    return wrong_answer(cause.what());
  }
}

Result<Expectation> Oracle::expect(const Operator& op, const Call& call, std::uint64_t seed, int trial,
                                   int number) {
  return ask(op, call, {"expect", seed, trial, number});
}

Result<Expectation> Oracle::moved(const Operator& op, const Call& call, std::uint64_t seed, int trial,
                                  int number, DType precision) {
  return ask(op, call, {"expect", seed, trial, number, precision});
}

Result<Expectation> Oracle::contract(const Operator& op, const Call& call) {
  return ask(op, call, {"contract", 0, 0, 0});
}

}  // namespace kgb::oracle
