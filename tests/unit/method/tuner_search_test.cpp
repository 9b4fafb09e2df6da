// SPDX-License-Identifier: Apache-2.0
// The policy against landscapes: a made-up time for every point, races decided by it.
#include "method/tuner_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

namespace kgb::method {
namespace {

Axis sizes(const std::string& id, std::size_t count, std::size_t seed) {
  Axis axis{id, "size", id, 1, {}, seed, true};
  for (std::size_t i = 0; i < count; ++i) axis.values.push_back(std::to_string(16 << i));
  return axis;
}
Axis choices(const std::string& id, std::size_t count) {
  Axis axis{id, "order", id, 1, {}, 0, false};
  for (std::size_t i = 0; i < count; ++i) axis.values.push_back("choice " + std::to_string(i));
  return axis;
}

// Races by a time in seconds; what `wrong` says is rejected.
struct Landscape {
  std::function<double(const Point&)> seconds;
  std::function<bool(const Point&)> wrong = [](const Point&) { return false; };
  std::map<Point, int> raced = {};
  int most = 1'000'000;

  Result<std::optional<Outcome>> operator()(const Point& proposal, const Point& incumbent) {
    if (static_cast<int>(raced.size()) >= most) return std::optional<Outcome>();
    ++raced[proposal];
    if (wrong(proposal)) return std::optional(Outcome::wrong);
    return std::optional(seconds(proposal) < 0.98 * seconds(incumbent) ? Outcome::faster
                                                                       : Outcome::not_faster);
  }
};

double distance(const Point& point, const Point& best) {
  double sum = 1;
  for (std::size_t i = 0; i < point.size(); ++i)
    sum += std::abs(static_cast<double>(point[i]) - static_cast<double>(best[i]));
  return sum;
}

Found found(const std::vector<Axis>& axes, Landscape& landscape, int rounds = 40, std::uint64_t seed = 1) {
  Result<Found> result = search(axes, {rounds, seed}, std::ref(landscape));
  EXPECT_TRUE(result.ok());
  return *result;
}

TEST(TunerSearch, WalksALadderAsLongAsItWins) {
  const std::vector<Axis> axes{sizes("block", 8, 1)};
  Landscape landscape{[](const Point& p) { return distance(p, {6}); }};
  const Found best = found(axes, landscape);
  EXPECT_EQ(best.best, (Point{6}));
  EXPECT_EQ(best.steps, 5);
}

TEST(TunerSearch, FindsTheBestOfSeveralIndependentAxes) {
  const std::vector<Axis> axes{sizes("block", 7, 3), sizes("warps", 6, 2), choices("order", 5)};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Landscape landscape{[](const Point& p) { return distance(p, {5, 0, 3}); }};
    EXPECT_EQ(found(axes, landscape, 60, seed).best, (Point{5, 0, 3})) << seed;
  }
}

TEST(TunerSearch, JumpsFindAPairThatOnlyTogetherIsBetter) {
  const std::vector<Axis> axes{sizes("block", 3, 0), sizes("warps", 3, 0)};
  Landscape landscape{[](const Point& p) { return p == Point{2, 2} ? 0.5 : p == Point{0, 0} ? 1.0 : 2.0; }};
  EXPECT_EQ(found(axes, landscape).best, (Point{2, 2}));
}

TEST(TunerSearch, NothingIsRacedTwice) {
  const std::vector<Axis> axes{sizes("block", 5, 2), choices("order", 3)};
  Landscape landscape{[](const Point&) { return 1.0; }};
  const Found best = found(axes, landscape, 1000);
  EXPECT_EQ(best.best, (Point{2, 0}));
  EXPECT_EQ(best.steps, 0);
  for (const auto& [point, times] : landscape.raced) EXPECT_EQ(times, 1);
  EXPECT_LE(landscape.raced.size(), 14U) << "the seed itself is no proposal";
}

TEST(TunerSearch, TheBudgetIsKept) {
  const std::vector<Axis> axes{sizes("a", 7, 3), sizes("b", 7, 3), sizes("c", 7, 3)};
  Landscape landscape{[](const Point&) { return 1.0; }};
  EXPECT_EQ(found(axes, landscape, 9).races, 9);
  EXPECT_EQ(landscape.raced.size(), 9U);
}

TEST(TunerSearch, AValueThatIsWrongByItselfIsNotProposedAgain) {
  const std::vector<Axis> axes{choices("first", 3), choices("second", 4)};
  Landscape landscape{[](const Point& p) { return p[1] == 0 ? 1.0 : 0.5; },
                      [](const Point& p) { return p[0] == 2; }};
  const Found best = found(axes, landscape, 1000);
  EXPECT_NE(best.best[0], 2U);
  EXPECT_NE(best.best[1], 0U);
  EXPECT_EQ(best.wrong, 1);
}

TEST(TunerSearch, AWrongProposalNeverBecomesTheIncumbent) {
  const std::vector<Axis> axes{sizes("block", 6, 2)};
  Landscape landscape{[](const Point& p) { return 10.0 - static_cast<double>(p[0]); },
                      [](const Point& p) { return p[0] > 3; }};
  EXPECT_EQ(found(axes, landscape).best, (Point{3}));
}

TEST(TunerSearch, EndsWhenTheRaceSaysSoWithWhatItHas) {
  const std::vector<Axis> axes{sizes("block", 8, 0)};
  Landscape landscape{[](const Point& p) { return distance(p, {7}); }};
  landscape.most = 3;
  const Found best = found(axes, landscape);
  EXPECT_EQ(best.races, 3);
  EXPECT_EQ(best.best, (Point{3}));
}

TEST(TunerSearch, AnErrorOfTheRaceIsTheSearchs) {
  const RacePoints broken = [](const Point&, const Point&) -> Result<std::optional<Outcome>> {
    return host_error("no device");
  };
  Result<Found> result = search({sizes("block", 3, 1)}, {10, 0}, broken);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no device");
}

TEST(TunerSearch, TheSameSeedSearchesInTheSameOrder) {
  const std::vector<Axis> axes{sizes("a", 7, 3), sizes("b", 7, 3), choices("c", 4)};
  const auto order = [&](std::uint64_t seed) {
    std::vector<Point> points;
    const RacePoints race = [&](const Point& proposal, const Point&) -> Result<std::optional<Outcome>> {
      points.push_back(proposal);
      return std::optional(Outcome::not_faster);
    };
    EXPECT_TRUE(search(axes, {30, seed}, race).ok());
    return points;
  };
  EXPECT_EQ(order(5), order(5));
  EXPECT_NE(order(5), order(6));
}

TEST(TunerSearch, ASpaceWithoutAxesIsTheSeed) {
  Landscape landscape{[](const Point&) { return 1.0; }};
  EXPECT_EQ(found({}, landscape).races, 0);
}

}  // namespace
}  // namespace kgb::method
