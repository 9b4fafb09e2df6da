// SPDX-License-Identifier: Apache-2.0
// What the profile quick runs on a device of the workloads that the VM found right.
#include "judge/quick_device.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace kgb {
namespace {

using Ids = std::vector<std::string>;

// Workloads with the names of their kernels; two kernels of one name are alike.
class DeviceJobs : public testing::Test {
 protected:
  Job& add(const std::string& id, const Ids& kernels) {
    Job& job = jobs_.emplace_back();
    job.workload.call.workload = id;
    job.workload.tier = id.front() == 'h' ? Tier::hidden : Tier::smoke;
    job.recording.emplace();
    for (const std::string& name : kernels) job.recording->kernels.push_back({name, "ttir", {}, {}, {}});
    return job;
  }
  Ids chosen(const std::vector<Job*>& timed = {}) {
    std::vector<Job*> right;
    for (Job& job : jobs_) right.push_back(&job);
    Ids ids;
    for (const Job* job : device_jobs(right, timed)) ids.push_back(job->workload.call.workload);
    return ids;
  }

  std::deque<Job> jobs_;
};

TEST_F(DeviceJobs, OneOfEachSideWhereAllNeedKernelsOfTheirOwn) {
  for (const char* id : {"s0", "s1", "h0", "h1"}) add(id, {id});
  EXPECT_EQ(chosen(), (Ids{"s0", "h0"}));
}

TEST_F(DeviceJobs, TheTimedOneStandsForItsSide) {
  add("s0", {"a"});
  Job& timed = add("s1", {"b"});
  add("h0", {"c"});
  EXPECT_EQ(chosen({&timed}), (Ids{"s1", "h0"}));
}

TEST_F(DeviceJobs, TheOtherSideIsTheOneThatNeedsFewestKernelsMore) {
  Job& timed = add("s0", {"a", "b"});
  add("h0", {"c", "d"});
  add("h1", {"e", "a"});
  add("h2", {});  // an empty one stands for nothing while there is another
  EXPECT_EQ(chosen({&timed}), (Ids{"s0", "h1", "h2"}));
  add("h3", {"b"});
  EXPECT_EQ(chosen({&timed}), (Ids{"s0", "h2", "h3"}));
}

TEST_F(DeviceJobs, ASideOfEmptyWorkloadsIsStoodForByOne) {
  add("s0", {"a"});
  add("h0", {});
  EXPECT_EQ(chosen(), (Ids{"s0", "h0"}));
}

TEST_F(DeviceJobs, WhoseKernelsAreCompiledAnywayComesAlong) {
  Job& timed = add("s0", {"a", "b"});
  add("s1", {"b"});
  add("s2", {"b", "c"});
  add("h0", {"d"});
  add("h1", {"a", "d"});
  add("h2", {});
  EXPECT_EQ(chosen({&timed}), (Ids{"s0", "s1", "h0", "h1", "h2"}));
}

TEST_F(DeviceJobs, OptionsMakeAnotherKernel) {
  add("s0", {"a"});
  add("s1", {"a"}).recording->kernels.front().options["num_warps"] = "8";
  EXPECT_EQ(chosen(), Ids{"s0"});
}

TEST_F(DeviceJobs, WhatTheVmCouldNotJudgeIsNeverLeftOut) {
  for (const char* id : {"s0", "s1", "s2", "h0"}) add(id, {id});
  jobs_[2].findings.push_back(make_finding("vm_unchecked", Gate::correct, "no operation tt.new"));
  EXPECT_EQ(chosen(), (Ids{"s2", "h0"}));
}

TEST_F(DeviceJobs, NothingRightIsNothingToRun) {
  EXPECT_EQ(chosen(), Ids{});
}

}  // namespace
}  // namespace kgb
