// SPDX-License-Identifier: Apache-2.0
// The oracle's answers, shared by the lanes that judge candidates of one operator.
#include "judge/expectations.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <future>
#include <optional>
#include <vector>

#include "base/files.hpp"

namespace kgb {
namespace {

// Its answer is the number of requests that it has had. The first one takes long enough for others to ask as
// well, and fails when a test says so.
class Counting {
 public:
  explicit Counting(bool first_fails = false, std::size_t capacity = 1 << 20)
      : folder_(TempDir::make("expectations-test").value()) {
    const std::string path = (folder_.path() / "worker.py").string();
    std::ofstream(path) << "FIRST_FAILS = " << (first_fails ? "True" : "False") << R"(
import json, os, struct, time

def exact(n):
    data = b''
    while len(data) < n:
        part = os.read(3, n - len(data))
        if not part:
            raise SystemExit
        data += part
    return data

count = 0
while True:
    _, size, _ = struct.unpack('<4sIQ', exact(16))
    request = json.loads(exact(size))
    count += 1
    if count == 1:
        time.sleep(0.3)
    reply = {'id': request['id'], 'ok': True, 'structure': 'tensor', 'outputs': [
        {'path': 'return', 'dtype': 'f32', 'shape': [1], 'strides': [1], 'value': [0, 8, 'f64'],
         'magnitude': None, 'rule': None, 'source': None, 'dim': -1}]}
    if count == 1 and FIRST_FAILS:
        reply = {'id': request['id'], 'ok': False, 'error': {'kind': 'infra', 'message': 'out of order'}}
    text, blob = json.dumps(reply).encode(), struct.pack('<d', count)
    os.write(3, struct.pack('<4sIQ', b'KGF1', len(text), len(blob)) + text + blob)
)";
    sandbox::Command command;
    command.argv = {"python3", path};
    command.environment = {"PATH=" + std::string(std::getenv("PATH"))};
    expectations_.emplace(oracle::Oracle(sandbox::Starter(command), 1), capacity);
    op_.name = "aten::x";
    op_.folder = folder_.path();
    Entry entry;
    entry.name = "x";
    entry.schema.returns.resize(1);
    op_.entries.push_back(entry);
    call_.op = "aten::x";
    call_.entry = "x";
    call_.workload = "s0";
  }

  // The number of the request that gave the values; 0: the oracle failed.
  double values(std::uint64_t seed) {
    const auto answer = expectations_->values(op_, call_, {seed, 0, 0});
    if (!answer.ok()) return 0;
    double number = 0;
    std::memcpy(&number, (*answer)->outputs.at(0).value.data(), sizeof number);
    return number;
  }

 private:
  TempDir folder_;
  std::optional<Expectations> expectations_;
  Operator op_;
  Call call_;
};

TEST(Expectations, LanesThatAskTheSameAtOnceAskOnce) {
  Counting oracle;
  std::vector<std::future<double>> lanes;
  for (int lane = 0; lane < 4; ++lane)
    lanes.push_back(std::async(std::launch::async, [&] { return oracle.values(7); }));
  for (auto& lane : lanes) EXPECT_EQ(lane.get(), 1);
  EXPECT_EQ(oracle.values(7), 1) << "and whoever comes later has the answer";
}

TEST(Expectations, AnotherSeedHasOtherValues) {
  Counting oracle;
  EXPECT_EQ(oracle.values(7), 1);
  EXPECT_EQ(oracle.values(8), 2);
  EXPECT_EQ(oracle.values(7), 1);
}

TEST(Expectations, TheOldestAreDroppedWhenMemoryIsShort) {
  Counting oracle(false, 8);  // bytes: one answer
  EXPECT_EQ(oracle.values(7), 1);
  EXPECT_EQ(oracle.values(8), 2);
  EXPECT_EQ(oracle.values(7), 3) << "asked again";
}

TEST(Expectations, AFailureIsToldToAllThatWaitAndIsNotKept) {
  Counting oracle(true);
  std::vector<std::future<double>> lanes;
  for (int lane = 0; lane < 3; ++lane)
    lanes.push_back(std::async(std::launch::async, [&] { return oracle.values(7); }));
  int failed = 0;
  for (auto& lane : lanes) failed += lane.get() == 0 ? 1 : 0;
  EXPECT_GE(failed, 1);
  EXPECT_GT(oracle.values(7), 1) << "a later candidate is judged";
}

}  // namespace
}  // namespace kgb
