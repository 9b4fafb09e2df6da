// SPDX-License-Identifier: Apache-2.0
// The functions that cards name as baselines: each takes every call of its operator.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "device/cuda/cublas_call.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

TEST(VendorFunctions, TakeEveryCallOfTheirOperators) {
  const auto catalogue = Catalogue::load(KGB_SOURCE_DIR "/catalogue");
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const device::Places nowhere = [](const std::string&) { return std::uint64_t{0}; };
  std::size_t entries = 0, calls = 0;
  for (const Operator& op : catalogue->operators()) {
    std::vector<Workload> workloads = op.fixed;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto drawn = catalogue->hidden(op, seed);
      ASSERT_TRUE(drawn.ok()) << drawn.error().message;
      if (op.group() == "cublas") workloads.insert(workloads.end(), drawn->begin(), drawn->end());
    }
    for (const Entry& entry : op.entries) {
      EXPECT_EQ(entry.vendor.empty(), op.group() != "cublas") << op.name;
      entries += entry.vendor.empty() ? 0 : 1;
    }
    for (const Workload& workload : workloads) {
      const std::string& function = op.find_entry(workload.call.entry)->vendor;
      if (function.empty()) continue;
      const auto bound = device::cuda::cublas_call(function, workload.call, nowhere);
      EXPECT_TRUE(bound.ok()) << op.name << " " << describe(workload.call) << ": " << bound.error().message;
      ++calls;
    }
  }
  EXPECT_EQ(entries, 50u);
  EXPECT_GT(calls, 1000u);
}

}  // namespace
}  // namespace kgb
