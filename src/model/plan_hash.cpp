// SPDX-License-Identifier: Apache-2.0
// Canonical hash of a recording: equal for plans that do the same work. docs/contracts/plan.md.
#include <algorithm>
#include <cctype>

#include "base/hash.hpp"
#include "model/launch_plan_write.hpp"

namespace kgb {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

// Position behind the string literal that starts at `at`.
std::size_t skip_literal(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// Position behind the balanced parentheses that open at `at`.
std::size_t skip_parentheses(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = skip_literal(text, at);
      continue;
    }
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    ++at;
    if (depth == 0) break;
  }
  return at;
}

// The module without `loc(...)`, lines that define `#loc`, and the symbol of its kernel.
std::string normal_ttir(std::string_view text, const std::string& symbol) {
  std::string out;
  out.reserve(text.size());
  const std::string name = "@" + symbol;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const bool line_start = at == 0 || text[at - 1] == '\n';
    if (line_start && text.substr(at).starts_with("#loc")) {
      const std::size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    } else if (starts && text.substr(at).starts_with("loc(")) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      at = skip_parentheses(text, at + 3);
    } else if (text[at] == '@' && text.substr(at).starts_with(name) &&
               (at + name.size() == text.size() || !is_word(text[at + name.size()]))) {
      out += "@kernel";
      at += name.size();
    } else if (text[at] == '"') {
      const std::size_t end = skip_literal(text, at);
      out += text.substr(at, end - at);
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// Gives buffers and kernels new numbers in the order of first mention.
class Renumber {
 public:
  explicit Renumber(Recording& recording)
      : recording_(recording),
        buffers_(recording.buffers.size(), -1),
        kernels_(recording.kernels.size(), -1) {}

  void run() {
    for (RecordedCall& call : recording_.calls)
      for (Node& node : call.nodes) std::visit([&](auto& n) { this->node(n); }, node);
    for (RecordedCall& call : recording_.calls)
      for (OutputLeaf& leaf : call.outputs)
        if (leaf.tensor) ref(leaf.view.at);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (recording_.buffers[i].kind == BufferKind::input) number(static_cast<int>(i));
    std::vector<PlanBuffer> buffers(static_cast<std::size_t>(n_buffers_));
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (buffers_[i] >= 0) buffers[static_cast<std::size_t>(buffers_[i])] = std::move(recording_.buffers[i]);
    for (PlanBuffer& buffer : buffers)
      if (buffer.reuses) buffer.reuses = buffers_[static_cast<std::size_t>(*buffer.reuses)];
    recording_.buffers = std::move(buffers);
    std::vector<Kernel> kernels(static_cast<std::size_t>(n_kernels_));
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (kernels_[i] >= 0) kernels[static_cast<std::size_t>(kernels_[i])] = std::move(recording_.kernels[i]);
    recording_.kernels = std::move(kernels);
  }

 private:
  int number(int buffer) {
    int& assigned = buffers_[static_cast<std::size_t>(buffer)];
    if (assigned < 0) assigned = n_buffers_++;
    return assigned;
  }
  void ref(BufferRef& ref) {
    if (ref.buffer >= 0) ref.buffer = number(ref.buffer);
  }
  void node(Launch& launch) {
    int& assigned = kernels_[static_cast<std::size_t>(launch.kernel)];
    if (assigned < 0) assigned = n_kernels_++;
    launch.kernel = assigned;
    for (KernelArg& arg : launch.args)
      if (auto* pointer = std::get_if<BufferRef>(&arg.value)) ref(*pointer);
  }
  void node(Fill& fill) { ref(fill.dst.at); }
  void node(Copy& copy) {
    ref(copy.dst.at);
    ref(copy.src.at);
  }
  void node(Upload& upload) {
    ref(upload.dst);
    for (Relocation& relocation : upload.relocations) {
      ref(relocation.target);
      // The recorder's fake address carries no meaning: two recordings may differ in it.
      std::fill_n(upload.bytes.begin() + relocation.byte, 8, std::byte{0});
    }
  }
  void node(Constant& constant) { ref(constant.dst.at); }
  void node(Read& read) { ref(read.src.at); }

  Recording& recording_;
  std::vector<int> buffers_, kernels_;
  int n_buffers_ = 0, n_kernels_ = 0;
};

}  // namespace

std::string canonical_hash(const Recording& recording, std::optional<std::int64_t> seed,
                           std::optional<std::int64_t> offset) {
  Recording copy = recording;
  Renumber(copy).run();
  for (Kernel& kernel : copy.kernels)
    if (kernel.cuda.empty()) kernel.ttir = normal_ttir(kernel.ttir, kernel.name);
  return sha256_hex(plan_text(copy, {true, seed, offset}));
}

}  // namespace kgb
