// SPDX-License-Identifier: Apache-2.0
// Names and what they stand for.
#include "judge/described_scope.hpp"

#include "base/text.hpp"

namespace kgb {

DescribedScope::DescribedScope(const Call& call) {
  for (const Arg& arg : call.args) values_[arg.name] = arg.value;
}

Result<ArgValue> DescribedScope::lookup(const std::string& name) {
  if (const auto it = values_.find(name); it != values_.end()) return it->second;
  if (const auto dtype = dtype_named(name)) return ArgValue(DTypeValue{*dtype});
  std::vector<std::string> known;
  for (const auto& [key, value] : values_) known.push_back(key);
  return user_error(in_quotes(name) + " is neither an argument nor named in the description" +
                    did_you_mean(name, known));
}

const BoundTensor* DescribedScope::tensor(const std::string& path) const {
  const auto it = tensors_.find(path);
  return it == tensors_.end() ? nullptr : &it->second;
}

bool DescribedScope::none(const std::string& name) const {
  const auto it = values_.find(name);
  return it != values_.end() && std::holds_alternative<None>(it->second);
}

void DescribedScope::set_tensor(const std::string& path, BoundTensor tensor) {
  const std::size_t bracket = path.find('[');
  if (bracket == std::string::npos) {
    values_[path] = tensor.spec;
  } else if (const auto it = values_.find(path.substr(0, bracket)); it != values_.end()) {
    if (auto* list = std::get_if<TensorList>(&it->second)) {
      const auto index = parse_int(path.substr(bracket + 1, path.size() - bracket - 2)).value_or(-1);
      if (index >= 0 && static_cast<std::size_t>(index) < list->items.size())
        list->items[static_cast<std::size_t>(index)] = tensor.spec;
    }
  }
  tensors_[path] = std::move(tensor);
}

void DescribedScope::set(const std::string& name, ArgValue value, int line) {
  if (!values_.emplace(name, std::move(value)).second)
    throw Misdescribed{line, in_quotes(name) + " is the name of something else already"};
}

}  // namespace kgb
