// SPDX-License-Identifier: Apache-2.0
// Reductions of pairs: the tree by its definition, over all orders, dtypes and shapes, with ties and NaN.
#include <limits>

#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

const AxisShape arg_shapes[] = {{1, 1, 1},  {3, 1, 5},   {5, 2, 1},    {2, 7, 3},     {9, 16, 1},  {2, 3, 4},
                                {4, 33, 1}, {3, 64, 17}, {2, 4096, 1}, {1, 16384, 1}, {2, 1024, 2}};
constexpr ArgOrder arg_orders[] = {{true, true, false},   {true, false, false}, {false, true, false},
                                   {false, false, false}, {true, true, true},   {false, true, true}};

template <typename T>
struct ArgPair {
  T value;
  std::int32_t index;
};

template <typename T>
bool left_stays(ArgPair<T> a, ArgPair<T> b, ArgOrder order) {
  const bool beyond = order.largest ? a.value > b.value : a.value < b.value;
  return beyond || (order.first && a.value == b.value && a.index < b.index);
}

template <typename T>
ArgPair<T> arg_tree(std::vector<ArgPair<T>> x, ArgOrder order) {
  while (x.size() > 1) {
    const std::size_t kept = (x.size() + 1) / 2;
    for (std::size_t i = 0; i + kept < x.size(); ++i)
      x[i] = left_stays(x[i], x[i + kept], order) ? x[i] : x[i + kept];
    x.resize(kept);
  }
  return x[0];
}

template <typename T>
void expect_arg_tree(DType dtype, ArgOrder order, const std::vector<T>& values, AxisShape s) {
  std::vector<std::int32_t> indices(values.size());
  for (std::size_t i = 0; i < indices.size(); ++i)  // falling in places, so that "first" is not "left"
    indices[i] = static_cast<std::int32_t>(i % 3 == 0 ? i : values.size() - i);
  std::vector<T> value(s.outer * s.inner);
  std::vector<std::int32_t> index(value.size());
  std::vector<std::byte> scratch((s.n + 1) / 2 * s.inner * 8 + 64);
  const ArgReducer reducer = arg_reducer(order, dtype);
  ASSERT_TRUE(reducer);
  reducer.run(values.data(), indices.data(), value.data(), index.data(), s, scratch.data());
  for (std::size_t o = 0; o < s.outer; ++o)
    for (std::size_t j = 0; j < s.inner; ++j) {
      std::vector<ArgPair<T>> line;
      for (std::size_t i = 0; i < s.n; ++i) {
        const std::size_t at = (o * s.n + i) * s.inner + j;
        line.push_back({values[at], indices[at]});
      }
      const ArgPair<T> expected = arg_tree(line, order);
      const std::size_t at = o * s.inner + j;
      ASSERT_EQ(std::memcmp(&value[at], &expected.value, sizeof(T)), 0)
          << s.outer << 'x' << s.n << 'x' << s.inner << " at " << o << ',' << j;
      ASSERT_EQ(index[at], expected.index) << s.outer << 'x' << s.n << 'x' << s.inner << " at " << o;
    }
}

template <typename T>
std::vector<T> few_values(std::size_t n, std::vector<T> among) {
  std::mt19937 random(7);
  std::vector<T> out(n);
  for (T& x : out) x = among[random() % among.size()];
  return out;
}

TEST(NumericArgReduce, FloatsWithTiesZerosAndNan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  on_each_isa([&](Isa) {
    for (const AxisShape s : arg_shapes)
      for (const ArgOrder order : arg_orders)
        for (const auto& among :
             {std::vector{1.0f, 2.0f, 3.0f, -4.0f}, {0.0f, -0.0f}, {nan, 1.0f, inf, -inf}})
          expect_arg_tree<float>(DType::f32, order, few_values(s.outer * s.n * s.inner, among), s);
  });
}

TEST(NumericArgReduce, IntegersSignedAndUnsigned) {
  on_each_isa([&](Isa) {
    for (const AxisShape s : arg_shapes)
      for (const ArgOrder order : arg_orders) {
        const std::size_t n = s.outer * s.n * s.inner;
        if (order.is_unsigned)
          expect_arg_tree<std::uint32_t>(DType::i32, order,
                                         few_values<std::uint32_t>(n, {0, 1, 0x80000000, 7}), s);
        else
          expect_arg_tree<std::int32_t>(DType::i32, order, few_values<std::int32_t>(n, {0, 1, INT32_MIN, 7}),
                                        s);
      }
  });
}

TEST(NumericArgReduce, OtherTypesAreLeftToTheRegion) {
  EXPECT_FALSE(arg_reducer({}, DType::f16));
  EXPECT_FALSE(arg_reducer({}, DType::i64));
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
