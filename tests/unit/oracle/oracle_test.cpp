// SPDX-License-Identifier: Apache-2.0
// The oracle's client against workers that answer, lie, fail and die: shell scripts stand in for the Python
// process.
#include "oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.hpp"

namespace kgb::oracle {
namespace {

// A worker in Python without torch: reads requests and answers with `body`, which sees `request` and sets
// `reply` and `blob`.
class FakeOracle {
 public:
  explicit FakeOracle(const std::string& body) : folder_(TempDir::make("oracle-test").value()) {
    const std::string path = (folder_.path() / "worker.py").string();
    std::ofstream(path)
        << "import json, os, struct\n"
           "def exact(n):\n"
           "    data = b''\n"
           "    while len(data) < n:\n"
           "        part = os.read(3, n - len(data))\n"
           "        if not part: raise SystemExit\n"
           "        data += part\n"
           "    return data\n"
           "while True:\n"
           "    _, size, blob_size = struct.unpack('<4sIQ', exact(16))\n"
           "    request = json.loads(exact(size)); exact(blob_size)\n"
           "    blob = b''\n"
        << body
        << "\n    text = json.dumps(reply).encode()\n"
           "    os.write(3, struct.pack('<4sIQ', b'KGF1', len(text), len(blob)) + text + blob)\n";
    sandbox::Command command;
    command.argv = {"python3", path};
    command.environment = {"PATH=" + std::string(std::getenv("PATH"))};
    oracle_ = std::make_unique<Oracle>(command, 1);
    op_.name = "aten::x";
    op_.folder = folder_.path();
    Entry entry;
    entry.name = "x";
    entry.schema.returns.resize(1);
    op_.entries.push_back(entry);
    call_.op = "aten::x";
    call_.entry = "x";
  }
  Result<Expectation> expect() { return oracle_->expect(op_, call_, 0x2a, 1, 2); }

 private:
  TempDir folder_;
  std::unique_ptr<Oracle> oracle_;
  Operator op_;
  Call call_;
};

const char* const kGood =
    R"(    out = {'path': 'return', 'dtype': 'f32', 'shape': [2], 'strides': [1], 'value': [64, 16, 'f64'],
           'magnitude': [0, 16], 'rule': None, 'source': None, 'dim': -1}
    blob = struct.pack('<2d', 3.0, 4.0) + bytes(48) + struct.pack('<2d', 1.0, -2.0)
    reply = {'id': request['id'], 'ok': True, 'outputs': [out], 'structure': 'tensor'}
)";

TEST(Oracle, GivesValuesAndMagnitudes) {
  FakeOracle fake(kGood);
  const auto expectation = fake.expect();
  ASSERT_TRUE(expectation.ok()) << expectation.error().message;
  ASSERT_EQ(expectation->outputs.size(), 1u);
  const ExpectedOutput& out = expectation->outputs[0];
  EXPECT_EQ(out.dtype, DType::f32);
  EXPECT_EQ(out.magnitude[1], 4.0);
  EXPECT_EQ(reinterpret_cast<const double*>(out.value.data())[1], -2.0);
  EXPECT_EQ(expectation->structure, "tensor");
}

TEST(Oracle, AsksWithSeedTrialAndNumber) {
  FakeOracle fake(std::string(kGood) +
                  "    assert (request['seed'], request['trial'], request['number'], request['run']) == "
                  "('000000000000002a', 1, 2, 'expect')\n");
  EXPECT_TRUE(fake.expect().ok());
}

TEST(Oracle, ACallThatMustRaiseHasTheMessage) {
  FakeOracle fake(std::string(kGood) + "    reply['outputs'], reply['raises'] = [], 'RuntimeError: no'\n");
  const auto expectation = fake.expect();
  ASSERT_TRUE(expectation.ok());
  EXPECT_EQ(expectation->raises, "RuntimeError: no");
}

TEST(Oracle, AReferenceThatFailsIsAnErrorWithItsPlace) {
  FakeOracle fake(
      "    reply = {'id': 1, 'ok': False, 'error': {'kind': 'infra', 'message': 'ValueError: odd', 'file': "
      "'r.py', 'line': 7}}\n");
  const auto expectation = fake.expect();
  ASSERT_FALSE(expectation.ok());
  EXPECT_NE(expectation.error().message.find("ValueError: odd (r.py:7)"), std::string::npos);
}

TEST(Oracle, MalformedAnswersAreErrors) {
  for (const char* damage : {"out['value'] = [64, 1 << 40, 'f64']", "out['value'] = [60, 16, 'f64']",
                             "out['value'] = [64, 16, 'f99']", "out['dtype'] = 'f33'", "del out['shape']",
                             "out['magnitude'] = [-8, 16]", "out['shape'] = 'two'", "reply['outputs'] = 3",
                             "reply = []", "out['source'] = [0, 16]"}) {
    FakeOracle fake(std::string(kGood) + "    " + damage + "\n");
    EXPECT_FALSE(fake.expect().ok()) << damage;
  }
}

TEST(Oracle, ADeadWorkerIsReplaced) {
  FakeOracle fake(std::string(kGood) +
                  "    mark = os.path.join(os.path.dirname(__file__), 'once')\n"
                  "    if not os.path.exists(mark):\n"
                  "        open(mark, 'w').close()\n"
                  "        os._exit(9)\n");
  EXPECT_FALSE(fake.expect().ok());
  EXPECT_TRUE(fake.expect().ok());
}

}  // namespace
}  // namespace kgb::oracle
