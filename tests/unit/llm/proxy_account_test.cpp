// SPDX-License-Identifier: Apache-2.0
// Budgets and sums of an account.
#include "llm/proxy_account.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace kgb::llm {
namespace {

ProxiedCall call_of(CallEnd end, bool known, std::int64_t prompt = 0, std::int64_t completion = 0,
                    std::int64_t deltas = 0) {
  ProxiedCall call;
  call.completion.end = end;
  call.completion.reply.usage = {known, prompt, 0, 0, completion, 0};
  call.deltas = deltas;
  return call;
}

class AccountTest : public testing::Test {
 protected:
  std::optional<Refusal> enter(Account& account) {
    const Account::Pass pass = account.enter(stop_);
    if (!pass.refusal) account.leave(stop_);
    most_ = pass.most_tokens;
    return pass.refusal;
  }
  std::atomic<bool> stop_{false};
  std::int64_t most_ = 0;
  ManualClock clock_;
};

TEST_F(AccountTest, ABudgetOfTokensCapsRepliesAndThenRefuses) {
  AccountSettings settings;
  settings.budget.tokens = 100;
  Account account("t", settings, clock_);
  EXPECT_FALSE(enter(account));
  EXPECT_EQ(most_, 100);
  account.report(call_of(CallEnd::ok, true, 50, 20));
  EXPECT_FALSE(enter(account));
  EXPECT_EQ(most_, 30) << "what is left";
  account.report(call_of(CallEnd::ok, true, 20, 10));
  const auto refusal = enter(account);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 402);
  EXPECT_EQ(refusal->message, "the budget of 100 tokens is spent");
  EXPECT_EQ(account.ended(), refusal->message);
  EXPECT_EQ(account.spent().refused, 1);
}

TEST_F(AccountTest, AServerThatTellsNoUsageDoesNotMakeABudgetEndless) {
  AccountSettings settings;
  settings.budget.tokens = 10;
  Account account("t", settings, clock_);
  account.report(call_of(CallEnd::ok, false, 0, 0, 12));
  EXPECT_TRUE(enter(account));
  const Spent spent = account.spent();
  EXPECT_FALSE(spent.usage.known) << "unknown is not zero";
  EXPECT_EQ(spent.unknown, 1);
}

TEST_F(AccountTest, ABudgetOfDollarsNeedsAPrice) {
  AccountSettings settings;
  settings.budget.dollars = 1;
  settings.price = [](const std::string& model, const Usage& usage) {
    return model == "known" ? std::optional(static_cast<double>(usage.completion) * 0.5) : std::nullopt;
  };
  Account account("t", settings, clock_);
  account.report(call_of(CallEnd::ok, true, 0, 10));
  EXPECT_FALSE(enter(account));
  EXPECT_FALSE(account.spent().priced);
  ProxiedCall priced = call_of(CallEnd::ok, true, 0, 2);
  priced.completion.reply.model = "known";
  account.report(priced);
  EXPECT_EQ(enter(account)->message, "the budget of 1.00 dollars is spent");
}

TEST_F(AccountTest, TimeEnds) {
  AccountSettings settings;
  settings.budget.seconds = 30;
  Account account("t", settings, clock_);
  clock_.advance(std::chrono::seconds(29));
  EXPECT_FALSE(account.late());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(account.late());
  EXPECT_EQ(enter(account)->message, "the time of 30 seconds is over");
}

TEST_F(AccountTest, AnothersReasonIsToldToo) {
  std::string reason;
  AccountSettings settings;
  settings.spent = [&] { return reason; };
  Account account("t", settings, clock_);
  EXPECT_FALSE(enter(account));
  reason = "the run's budget is spent";
  EXPECT_EQ(enter(account)->message, reason);
}

TEST_F(AccountTest, AFailedCallIsNoUnknownUsage) {
  Account account("t", {}, clock_);
  account.report(call_of(CallEnd::failed, false));
  account.report(call_of(CallEnd::partial, true, 5, 6));
  const Spent spent = account.spent();
  EXPECT_EQ(spent.calls, 2);
  EXPECT_EQ(spent.partial, 1);
  EXPECT_TRUE(spent.usage.known);
  EXPECT_EQ(spent.usage.prompt + spent.usage.completion, 11);
}

TEST_F(AccountTest, ClosingCutsWhatIsUnderWay) {
  Account account("t", {}, clock_);
  ASSERT_FALSE(account.enter(stop_).refusal);
  std::thread waiting([&] { account.close(); });
  while (!stop_) std::this_thread::yield();
  account.leave(stop_);
  waiting.join();
  EXPECT_EQ(enter(account)->status, 402);
}

}  // namespace
}  // namespace kgb::llm
