// SPDX-License-Identifier: Apache-2.0
// Descriptors, sockets with descriptors, pidfds, deadlines.
#include "base/fd.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/log.hpp"

namespace kgb {
namespace {

pid_t child(void (*body)()) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  return pid;
}

TEST(FdTest, MovingHandsTheDescriptorOver) {
  Pipe pipe = make_pipe().value();
  const int number = pipe.read.get();
  Fd other = std::move(pipe.read);
  EXPECT_FALSE(pipe.read.open());
  EXPECT_EQ(other.get(), number);
}

TEST(FdTest, ReadingEndsAtTheDeadlineAndAtTheEndOfTheStream) {
  Pipe pipe = make_pipe().value();
  const auto late = read_exactly(pipe.read.get(), 1, Deadline(Millis(1)), "the peer");
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().message, "no answer in time from the peer");
  pipe.write.reset();
  const auto closed = read_exactly(pipe.read.get(), 1, Deadline(Millis(1000)), "the peer");
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.error().message, "the peer closed its end");
}

TEST(FdTest, ReadingToTheEndHasALimitAndADeadline) {
  Pipe pipe = make_pipe().value();
  ASSERT_TRUE(write_all(pipe.write.get(), std::as_bytes(std::span("12345", 5)), "the pipe").ok());
  EXPECT_FALSE(read_to_end(pipe.read.get(), 100, Deadline(Millis(1)), "the peer").ok()) << "it is still open";
  ASSERT_TRUE(write_all(pipe.write.get(), std::as_bytes(std::span("12345", 5)), "the pipe").ok());
  pipe.write.reset();
  EXPECT_EQ(read_to_end(pipe.read.get(), 5, Deadline(Millis(1000)), "the peer").value(), "12345");
  Pipe full = make_pipe().value();
  ASSERT_TRUE(write_all(full.write.get(), std::as_bytes(std::span("123456", 6)), "the pipe").ok());
  full.write.reset();
  EXPECT_FALSE(read_to_end(full.read.get(), 5, Deadline(Millis(1000)), "the peer").ok());
}

TEST(FdTest, SocketsCarryDescriptorsAndMoreBytesThanTheirBuffer) {
  auto [a, b] = make_socket_pair().value();
  Pipe pipe = make_pipe().value();
  const std::string text(3'000'000, 'x');
  std::thread sender([&, socket = a.get()] {
    const int fds[] = {pipe.write.get()};
    ASSERT_TRUE(send_with_fds(socket, text, fds, Deadline(Millis(20'000))).ok());
  });
  std::vector<Fd> fds;
  const auto got = receive_with_fds(b.get(), text.size(), fds, Deadline(Millis(20'000)));
  sender.join();
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(got.value() == text);
  ASSERT_EQ(fds.size(), 1u);
  ASSERT_TRUE(write_all(fds[0].get(), std::as_bytes(std::span("y", 1)), "the pipe").ok());
  EXPECT_EQ(read_exactly(pipe.read.get(), 1, Deadline(Millis(1000)), "the pipe").value(), "y");
}

TEST(FdTest, SendingToADeadPeerIsAnErrorNotASignal) {
  auto [a, b] = make_socket_pair().value();
  b.reset();
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  EXPECT_FALSE(send_with_fds(a.get(), "x", {}, Deadline(Millis(1000))).ok());
  std::signal(SIGPIPE, before);
}

TEST(FdTest, SealedFilesCannotBeChanged) {
  const Fd file = make_sealed_file("values").value();
  EXPECT_EQ(read_exactly(file.get(), 6, Deadline(Millis(1000)), "the file").value(), "values");
  EXPECT_FALSE(write_all(file.get(), std::as_bytes(std::span("x", 1)), "the file").ok());
}

TEST(Pidfd, TellsExitCodesFromSignals) {
  Fd seven = open_pidfd(child([] { ::_exit(7); })).value();
  const auto exited = wait_pidfd(seven.get(), Deadline(Millis(20'000))).value();
  ASSERT_TRUE(exited.has_value());
  EXPECT_FALSE(exited->signalled);
  EXPECT_EQ(exited->code, 7);

  Fd waiting = open_pidfd(child([] { ::pause(); })).value();
  EXPECT_FALSE(wait_pidfd(waiting.get(), Deadline(Millis(1))).value().has_value());
  ASSERT_TRUE(signal_pidfd(waiting.get(), SIGKILL).ok());
  const auto killed = wait_pidfd(waiting.get(), Deadline(Millis(20'000))).value();
  ASSERT_TRUE(killed.has_value());
  EXPECT_TRUE(killed->signalled);
  EXPECT_EQ(killed->code, SIGKILL);
  EXPECT_TRUE(signal_pidfd(waiting.get(), SIGKILL).ok()) << "a process that is gone is no error";
}

TEST(ClockTest, AManualClockMovesOnlyByHand) {
  ManualClock clock;
  const auto before = clock.steady();
  EXPECT_EQ(clock.steady(), before);
  clock.advance(std::chrono::seconds(3));
  EXPECT_EQ(clock.steady() - before, std::chrono::seconds(3));
  EXPECT_EQ(iso_utc(clock.wall()), "1970-01-01T00:00:03Z");
}

TEST(LogTest, OneLineWhateverTheText) {
  Pipe pipe = make_pipe().value();
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(pipe.write.get(), STDERR_FILENO);
  log::write(log::Level::error, "a\nkgbench: error: forged\x1b[2J");
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  const std::string expected = "kgbench: error: a\\nkgbench: error: forged[2J\n";
  EXPECT_EQ(read_exactly(pipe.read.get(), expected.size(), Deadline(Millis(1000)), "the log").value(),
            expected);
}

}  // namespace
}  // namespace kgb
