// SPDX-License-Identifier: Apache-2.0
// Holds the returned objects of a recorded call against what the oracle's contract says.
#include "judge/contract.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kgb {
namespace {

Finding finding(const std::string& kind, std::string message,
                std::map<std::string, std::string> details = {}) {
  Finding f;
  f.kind = kind;
  f.gate = Gate::correct;
  f.message = std::move(message);
  f.details = std::move(details);
  return f;
}

const ExpectedOutput* expected_at(const Expectation& expectation, const std::string& path) {
  for (const ExpectedOutput& output : expectation.outputs)
    if (output.path == path) return &output;
  return nullptr;
}

// A tuple, a named tuple and a list of equal length are the same structure to a caller that unpacks it.
bool same_structure(const std::string& got, const std::string& expected) {
  if (got == expected) return true;
  const std::int64_t length = sequence_length(expected);
  return length >= 0 && sequence_length(got) == length;
}

bool may_alias(const Schema& schema, std::size_t index) {
  const std::size_t at = std::min(index, schema.returns.empty() ? 0 : schema.returns.size() - 1);
  return !schema.returns.empty() && !schema.returns[at].type.alias.empty();
}

std::optional<Finding> check_alias_of(const Recording& recording, int number, const OutputLeaf& leaf,
                                      const std::string& argument, const Call& call) {
  for (const auto& [path, spec] : tensors_of(call)) {
    if (path != argument) continue;
    const bool right_buffer =
        spec.storage == 0 ||
        (leaf.view.at.buffer >= 0 &&
         recording.buffers[static_cast<std::size_t>(leaf.view.at.buffer)].arg == argument &&
         recording.buffers[static_cast<std::size_t>(leaf.view.at.buffer)].call == number &&
         leaf.view.at.offset == spec.offset * static_cast<std::int64_t>(size_of(spec.dtype)));
    if (right_buffer && leaf.view.shape == spec.shape) return std::nullopt;
    return finding("wrong_alias", fmt::format("{} must be the argument `{}` itself", leaf.path, argument),
                   {{"output", leaf.path}, {"argument", argument}});
  }
  return std::nullopt;
}

std::optional<Finding> check_tensor(const OutputLeaf& leaf, const ExpectedOutput& expected,
                                    bool exact_strides) {
  const View& view = leaf.view;
  const auto mismatch = [&](const std::string& kind, const std::string& what, const std::string& got,
                            const std::string& want) {
    return finding(kind, fmt::format("{} has {} {}, {} is due", leaf.path, what, got, want),
                   {{"output", leaf.path}, {"got", got}, {"expected", want}});
  };
  if (view.dtype != expected.dtype)
    return mismatch("wrong_dtype", "dtype", std::string(name_of(view.dtype)),
                    std::string(name_of(expected.dtype)));
  if (view.shape != expected.shape)
    return mismatch("wrong_shape", "shape", shape_text(view.shape), shape_text(expected.shape));
  if (!exact_strides) return std::nullopt;
  for (std::size_t d = 0; d < view.shape.size(); ++d)  // strides of dimensions of size 1 say nothing
    if (view.shape[d] > 1 && view.strides[d] != expected.strides[d] &&
        std::find(view.shape.begin(), view.shape.end(), 0) == view.shape.end())
      return mismatch("wrong_strides", "strides", shape_text(view.strides), shape_text(expected.strides));
  return std::nullopt;
}

std::optional<Finding> check_leaf(const Recording& recording, int number, std::size_t index,
                                  const OutputLeaf& leaf, const ContractCheck& check) {
  if (leaf.odd)
    return finding("odd_return",
                   fmt::format("{} is a {} with attributes or lazy bits of its own", leaf.path, leaf.type),
                   {{"output", leaf.path}, {"type", leaf.type}});
  const ExpectedOutput* expected = expected_at(check.expectation, leaf.path);
  if (const std::string argument = aliased_argument(check.schema, index, expected != nullptr);
      !argument.empty() && leaf.tensor)
    return check_alias_of(recording, number, leaf, argument, check.call);
  if (!leaf.tensor) {
    if (expected == nullptr && leaf.scalar == "null") return std::nullopt;
    if (expected != nullptr && check.schema.gives_number()) return std::nullopt;  // its type is the structure
    return finding("wrong_structure", fmt::format("{} is a {}, {} is due", leaf.path, leaf.type,
                                                  expected == nullptr ? "None" : "a tensor"));
  }
  if (expected == nullptr)
    return finding("wrong_structure", fmt::format("{} is a tensor, None is due", leaf.path));
  if (std::optional<Finding> wrong = check_tensor(leaf, *expected, check.exact_strides)) return wrong;
  const int buffer = leaf.view.at.buffer;
  if (buffer >= 0 && recording.buffers[static_cast<std::size_t>(buffer)].kind == BufferKind::input &&
      !may_alias(check.schema, index))
    return finding("wrong_alias",
                   fmt::format("{} shares the memory of argument `{}`, and the schema does not allow that",
                               leaf.path, recording.buffers[static_cast<std::size_t>(buffer)].arg),
                   {{"output", leaf.path}});
  return std::nullopt;
}

}  // namespace

std::int64_t sequence_length(const std::string& structure) {
  const std::size_t open = structure.find('[');
  if (open == std::string::npos || structure.back() != ']') return -1;
  return std::stoll(structure.substr(open + 1));
}

std::string aliased_argument(const Schema& schema, std::size_t index, bool compared) {
  if (index >= schema.returns.size()) return {};
  const SchemaType& type = schema.returns[index].type;
  if (type.alias.empty() || (!type.writes && compared)) return {};
  for (const Parameter& parameter : schema.parameters)
    if (parameter.type.alias == type.alias && parameter.type.writes == type.writes) return parameter.name;
  return {};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::vector<Finding> contract_findings(const Recording& recording, int number, const ContractCheck& check) {
  const RecordedCall& recorded = recording.calls.at(static_cast<std::size_t>(number));
  // Where nothing is due, whatever is returned does no harm: callers ignore it.
  if (check.expectation.structure == "none") return {};
  if (!same_structure(recorded.structure, check.expectation.structure))
    return {finding(
        "wrong_structure",
        fmt::format("the entry returns {}, {} is due", recorded.structure, check.expectation.structure),
        {{"got", recorded.structure}, {"expected", check.expectation.structure}})};
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i)
    if (std::optional<Finding> wrong = check_leaf(recording, number, i, recorded.outputs[i], check))
      findings.push_back(std::move(*wrong));
  return findings;
}

}  // namespace kgb
