// SPDX-License-Identifier: Apache-2.0
// JSON of kernel images.
#include <algorithm>

#include "model/kernel_image.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostWarps = 64, kMostCtas = 16, kMostBytes = std::int64_t{1} << 32;
constexpr std::int64_t kMostParameter = 4096;  // bytes, of all parameters of a kernel together

}  // namespace

Json to_json(const KernelImage& image) {
  Json out{{"entry", image.entry},
           {"warps", image.warps},
           {"ctas", image.ctas},
           {"shared_bytes", image.shared_bytes},
           {"scratch_bytes", image.scratch_bytes},
           {"profile_bytes", image.profile_bytes},
           {"cooperative", image.cooperative},
           {"dependent_launch", image.dependent_launch},
           {"code_bytes", image.code.size()}};
  if (image.parameters) out["parameters"] = *image.parameters;
  return out;
}

Result<KernelImage> kernel_image_from_json(const Json& json, std::vector<std::byte> code) {
  try {
    if (json.at("code_bytes") != code.size()) return host_error("a kernel image is cut short");
    KernelImage image;
    image.entry = json.at("entry");
    image.warps = json.at("warps");
    image.ctas = json.at("ctas");
    image.shared_bytes = json.at("shared_bytes");
    image.scratch_bytes = json.at("scratch_bytes");
    image.profile_bytes = json.at("profile_bytes");
    image.cooperative = json.at("cooperative");
    image.dependent_launch = json.at("dependent_launch");
    if (json.contains("parameters"))
      image.parameters = json.at("parameters").get<std::vector<std::int64_t>>();
    image.code = std::move(code);
    const auto within = [](std::int64_t n, std::int64_t low, std::int64_t high) {
      return n >= low && n <= high;
    };
    const auto sound = [&](std::int64_t bytes) { return within(bytes, 1, kMostParameter); };
    if (image.parameters && (image.parameters->size() > std::size_t{kMostParameter} ||
                             !std::all_of(image.parameters->begin(), image.parameters->end(), sound)))
      return host_error("a kernel image has parameters that no kernel can have");
    if (image.entry.empty() || image.code.empty() || !within(image.warps, 1, kMostWarps) ||
        !within(image.ctas, 1, kMostCtas) || !within(image.shared_bytes, 0, kMostBytes) ||
        !within(image.scratch_bytes, 0, kMostBytes) || !within(image.profile_bytes, 0, kMostBytes))
      return host_error("a kernel image lacks its code, or its numbers are out of range");
    return image;
  } catch (const Json::exception& error) {
    return host_error(std::string("a kernel image is malformed: ") + error.what());
  }
}

}  // namespace kgb
