// SPDX-License-Identifier: Apache-2.0
// Checks before a launch, and its configuration as the driver wants it.
#include "device/cuda/launch.hpp"

#include <algorithm>

namespace kgb::device::cuda {
namespace {

constexpr std::int64_t kDefaultShared = 49152;  // dynamic shared memory that needs no leave

Fault refusal(const KernelImage& image, const std::string& what) {
  return {"device_refused", "kernel " + image.entry + " " + what, false};
}

}  // namespace

std::optional<Fault> prepare_launch(const Driver& driver, const KernelImage& image, const LaunchShape& shape,
                                    const LaunchRoom& room) {
  const std::int64_t shared = image.shared_bytes + shape.shared_bytes;
  const std::int64_t threads =
      shape.block[0] > 0 ? shape.block[0] * shape.block[1] * shape.block[2] : 32 * image.warps;
  int fixed = 0, most_threads = 0;
  driver.function_attribute(&fixed, function_attribute::kStaticShared, room.function);
  driver.function_attribute(&most_threads, function_attribute::kMaxThreads, room.function);
  if (shared + fixed > room.shared_optin_bytes)
    return refusal(image, "needs " + std::to_string(shared + fixed) +
                              " bytes of shared memory; the device has " +
                              std::to_string(room.shared_optin_bytes));
  if (threads > most_threads)
    return refusal(image, "asks for " + std::to_string(threads) +
                              " threads; with its registers the device allows " +
                              std::to_string(most_threads));
  if (shared > kDefaultShared)
    driver.function_set(room.function, function_attribute::kMaxDynamicShared,
                        static_cast<int>(room.shared_optin_bytes - fixed));
  if (image.ctas > 8) driver.function_set(room.function, function_attribute::kNonPortableCluster, 1);
  return std::nullopt;
}

// The driver reads as many bytes of ours as the kernel's code says that its parameters have. The code is made
// of a candidate's text, so nobody's word is taken for it. Whether there are more parameters than these is
// not asked: the answer would be an error of the driver's, which compute-sanitizer counts. parameters_of() is
// ready for more.
Status check_parameters(const Driver& driver, const KernelImage& image, void* function) {
  if (!image.parameters) return ok_status();
  if (driver.parameter_info == nullptr)
    return host_error(
        "the driver does not tell the sizes of a kernel's parameters, without which CUDA candidates are not "
        "launched: update it to one of CUDA 12.4 or later");
  for (std::size_t i = 0; i < image.parameters->size(); ++i) {
    std::size_t offset = 0, bytes = 0;
    if (driver.parameter_info(function, i, &offset, &bytes) != code::kSuccess ||
        static_cast<std::int64_t>(bytes) != (*image.parameters)[i])
      return host_error("kernel " + image.entry + " has other parameters in its code than in its PTX");
  }
  return ok_status();
}

std::vector<void*> parameters_of(const KernelImage& image, std::span<const Argument> args,
                                 std::span<const Argument> behind) {
  // A kernel has at most so many bytes of parameters, so no more than so many.
  constexpr std::size_t kMostBytes = 32'768;
  static std::array<std::byte, kMostBytes> zeros{};
  std::vector<void*> parameters;
  const auto add = [&](std::span<const Argument> some) {
    for (const Argument& arg : some) parameters.push_back(const_cast<std::byte*>(arg.bytes.data()));
  };
  add(args);
  if (image.parameters)
    parameters.resize(kMostBytes, zeros.data());
  else
    add(behind);
  return parameters;
}

std::optional<Fault> compare_parameters(const KernelImage& image, std::span<const Argument> args) {
  if (!image.parameters) return std::nullopt;
  const std::vector<std::int64_t>& wanted = *image.parameters;
  const bool enough = std::equal(
      wanted.begin(), wanted.end(), args.begin(), args.end(),
      [](std::int64_t bytes, const Argument& arg) { return bytes <= static_cast<std::int64_t>(arg.size); });
  if (enough) return std::nullopt;
  return refusal(image, "takes other parameters than the launch gives it");
}

LaunchConfig config_of(const KernelImage& image, const LaunchShape& shape, void* stream,
                       std::array<LaunchAttribute, 4>& attributes) {
  LaunchConfig config;
  for (std::size_t i = 0; i < 3; ++i) config.grid[i] = static_cast<unsigned>(shape.grid[i]);
  config.grid[0] *= static_cast<unsigned>(image.ctas);
  config.block[0] = static_cast<unsigned>(32 * image.warps);
  for (std::size_t i = 0; shape.block[0] > 0 && i < 3; ++i)
    config.block[i] = static_cast<unsigned>(shape.block[i]);
  config.shared_bytes = static_cast<unsigned>(image.shared_bytes + shape.shared_bytes);
  config.stream = stream;
  config.attributes = attributes.data();
  const auto add = [&](unsigned id, std::array<std::uint32_t, 3> value) {
    LaunchAttribute& attribute = attributes[config.attribute_count++];
    attribute.id = id;
    std::copy(value.begin(), value.end(), attribute.value);
  };
  if (image.dependent_launch) add(launch_attribute::kProgrammaticSerialization, {1, 0, 0});
  if (image.cooperative) add(launch_attribute::kCooperative, {1, 0, 0});
  if (image.ctas > 1) {
    add(launch_attribute::kClusterDimension, {static_cast<std::uint32_t>(image.ctas), 1, 1});
    add(launch_attribute::kClusterScheduling, {launch_attribute::kSpread, 0, 0});
  }
  return config;
}

}  // namespace kgb::device::cuda
