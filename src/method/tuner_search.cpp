// SPDX-License-Identifier: Apache-2.0
// Iterated coordinate descent by duels.
//
// Theory of operation. The one comparison that can be trusted is a duel: two sources in turns on the same
// device, with an interval for their ratio. Times of different evaluations differ by places in memory and by
// the clocks of the day, more than the steps that are sought. So every proposal is raced against the best so
// far, and takes its place only where the judge calls it faster.
//   descent  axis by axis, those first that matter most: on an ordered axis one step either way, and on in
//   the
//            direction that won; on others each value. Again over all axes until a whole pass wins nothing.
//   jump     from there two or three axes at once, at random; a jump that wins is descended from. This finds
//            pairs that only together are better (a larger block with more warps).
// Successive halving, the usual choice, wants many points measured badly at first. Here a short measurement
// costs nearly what a long one does: recording, compiling and laying out memory dominate both. So few points
// are measured well, and none twice: what lost against an earlier incumbent would lose against a faster one.
#include "method/tuner_search.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <set>

namespace kgb::method {
namespace {

constexpr std::size_t kMostJumped = 3;  // axes of one jump
constexpr int kBarrenDraws = 64;        // jumps drawn that were all known: the space is exhausted

class Search {
 public:
  Search(const std::vector<Axis>& axes, const SearchOptions& options, const RacePoints& race)
      : axes_(axes), options_(options), race_(race), random_(options.seed) {
    found_.best = seed_of(axes);
    tried_.insert(found_.best);
  }

  Result<Found> run() {
    KGB_CHECK(descend());
    for (int barren = 0; !ended_ && barren < kBarrenDraws;) {
      const Point jump = drawn();
      if (!worth_trying(jump)) {
        ++barren;
        continue;
      }
      barren = 0;
      KGB_TRY(const bool won, try_point(jump));
      if (won) KGB_CHECK(descend());
    }
    return found_;
  }

 private:
  Status descend() {
    for (bool won = true; won && !ended_;) {
      won = false;
      for (std::size_t axis = 0; axis < axes_.size() && !ended_; ++axis) {
        KGB_TRY(const bool better, axes_[axis].ordered ? climb(axis) : try_values(axis));
        won = won || better;
      }
    }
    return ok_status();
  }

  // Steps in one direction as long as they win; in the other when the first did not.
  Result<bool> climb(std::size_t axis) {
    const int first = (random_() & 1) != 0 ? 1 : -1;
    for (const int direction : {first, -first}) {
      bool won = false;
      while (true) {
        KGB_TRY(const bool better, try_step(axis, direction));
        if (!better) break;
        won = true;
      }
      if (won) return true;
    }
    return false;
  }

  Result<bool> try_step(std::size_t axis, int direction) {
    const std::size_t at = found_.best[axis];
    if ((direction < 0 && at == 0) || (direction > 0 && at + 1 == axes_[axis].values.size())) return false;
    return try_value(axis, direction < 0 ? at - 1 : at + 1);
  }

  Result<bool> try_values(std::size_t axis) {
    bool won = false;
    for (std::size_t value = 0; value < axes_[axis].values.size() && !ended_; ++value) {
      KGB_TRY(const bool better, try_value(axis, value));
      won = won || better;
    }
    return won;
  }

  Result<bool> try_value(std::size_t axis, std::size_t value) {
    Point point = found_.best;
    point[axis] = value;
    if (!worth_trying(point)) return false;
    const int wrong = found_.wrong;
    KGB_TRY(const bool won, try_point(point));
    if (found_.wrong > wrong) dead_.insert({axis, value});
    return won;
  }

  [[nodiscard]] bool worth_trying(const Point& point) const {
    if (ended_ || tried_.count(point) != 0) return false;
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      if (dead_.count({axis, point[axis]}) != 0) return false;
    return true;
  }

  Result<bool> try_point(const Point& point) {
    tried_.insert(point);
    KGB_TRY(const std::optional<Outcome> outcome, race_(point, found_.best));
    if (!outcome) {
      ended_ = true;
      return false;
    }
    ++found_.races;
    ended_ = found_.races >= options_.rounds;
    found_.wrong += *outcome == Outcome::wrong ? 1 : 0;
    if (*outcome != Outcome::faster) return false;
    found_.best = point;
    ++found_.steps;
    return true;
  }

  Point drawn() {
    Point point = found_.best;
    const std::size_t count = std::min(axes_.size(), 2 + random_() % (kMostJumped - 1));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t axis = random_() % axes_.size();
      point[axis] = random_() % axes_[axis].values.size();
    }
    return point;
  }

  const std::vector<Axis>& axes_;
  const SearchOptions& options_;
  const RacePoints& race_;
  std::mt19937_64 random_;
  Found found_;
  std::set<Point> tried_;
  std::set<std::pair<std::size_t, std::size_t>> dead_;  // (axis, value) that were wrong by themselves
  bool ended_ = false;
};

}  // namespace

Result<Found> search(const std::vector<Axis>& axes, const SearchOptions& options, const RacePoints& race) {
  if (axes.empty() || options.rounds <= 0) return Found{seed_of(axes)};
  return Search(axes, options, race).run();
}

}  // namespace kgb::method
