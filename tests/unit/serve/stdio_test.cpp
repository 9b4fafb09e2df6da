// SPDX-License-Identifier: Apache-2.0
// One JSON object a line, however the bytes are cut, until the end of the input.
#include "serve/stdio.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "scene.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

class Lines : public testing::Test {
 protected:
  Lines() : in(make_pipe().value()), out(make_pipe().value()) {
    loop = std::thread([this] { served = serve_lines(server, in.read.get(), out.write.get()); });
  }
  ~Lines() override {
    gate.open();
    in.write.reset();
    if (loop.joinable()) loop.join();
  }
  void write(std::string_view bytes) {
    ASSERT_TRUE(write_all(in.write.get(), std::as_bytes(std::span(bytes)), "the server").ok());
  }
  json read_line() {
    std::string line;
    while (line.empty() || line.back() != '\n') {
      const Result<std::string> byte =
          read_exactly(out.read.get(), 1, Deadline(Millis(60'000)), "the server");
      if (!byte.ok()) return nullptr;
      line += *byte;
    }
    return json::parse(line);
  }
  void end() {
    in.write.reset();
    loop.join();
  }

  Pipe in, out;
  Gatekeeper gate;
  Server server{{"kgbench", "1", "", 1, 4}, test_tools(gate)};
  Status served = ok_status();
  std::thread loop;
};

TEST_F(Lines, AreReadHoweverTheyAreCut) {
  const std::string bytes = line_of(request(1, "ping")) + "\r\n\n  \n" + line_of(request(2, "ping")) + "\n";
  for (const char c : bytes) write(std::string_view(&c, 1));
  EXPECT_EQ(read_line()["id"], 1);
  EXPECT_EQ(read_line()["id"], 2);
}

TEST_F(Lines, EndWithTheInputAndItsLastLineCounts) {
  write(line_of(request(1, "ping")));
  end();
  EXPECT_TRUE(served.ok());
  EXPECT_EQ(read_line()["id"], 1);
}

TEST_F(Lines, ThatAreTooLongAreAnsweredAndForgotten) {
  std::thread writer([&] {
    const std::string part(1 << 20, 'x');
    for (int i = 0; i < 20; ++i) write(part);
    write("\n" + line_of(request(2, "ping")) + "\n");
  });
  EXPECT_EQ(read_line()["error"]["message"], "the message is longer than 16 MiB");
  EXPECT_EQ(read_line()["id"], 2);
  writer.join();
}

TEST_F(Lines, EndStopsASlowCallAndAnswersAQuickOne) {
  write(line_of(hello(0)) + "\n" + line_of(call_of(1, "hold")) + "\n");
  ASSERT_TRUE(gate.wait_entered(1));
  write(line_of(call_of(2, "echo", {{"text", "hi"}})) + "\n");
  end();
  EXPECT_TRUE(gate.wait_stopped(1));
  EXPECT_EQ(read_line()["id"], 0);
  EXPECT_EQ(read_line()["id"], 2);
}

TEST_F(Lines, EndWhenNobodyReads) {
  out.read.reset();
  write(line_of(request(1, "ping")) + "\n");
  loop.join();
  EXPECT_TRUE(served.ok());
}

}  // namespace
}  // namespace kgb::serve
