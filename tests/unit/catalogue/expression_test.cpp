// SPDX-License-Identifier: Apache-2.0
// Expressions of cards: values, laziness, and messages.
#include "catalogue/expression.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kgb {
namespace {

Call sample() {
  TensorSpec self;
  self.dtype = DType::f16;
  self.shape = {3, 5, 7};
  self.strides = {35, 7, 1};
  self.storage = 105;
  TensorSpec scalar;
  scalar.storage = 1;
  Call call;
  call.args = {{"self", self, false},
               {"zero_d", scalar, false},
               {"tensors", TensorList{{self, self}}, false},
               {"dim", std::int64_t{-1}, false},
               {"dims", std::vector<std::int64_t>{0, 2}, false},
               {"alpha", 2.5, false},
               {"mode", std::string("T"), false},
               {"out_dtype", DTypeValue{DType::f32}, false},
               {"none", None{}, false}};
  return call;
}

std::string text_of(const ArgValue& value) {
  std::ostringstream out;
  if (const auto* flag = std::get_if<bool>(&value)) {
    out << (*flag ? "true" : "false");
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    out << *integer;
  } else if (const auto* real = std::get_if<double>(&value)) {
    out << *real << "r";
  } else if (const auto* dtype = std::get_if<DTypeValue>(&value)) {
    out << name_of(dtype->dtype);
  } else if (const auto* z = std::get_if<Complex>(&value)) {
    out << z->re << "+" << z->im << "j";
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t item : *list) out << (out.tellp() == 0 ? "[" : ",") << item;
    out << "]";
  } else {
    out << kind_of(value);
  }
  return out.str();
}

std::string result_of(std::string_view text) {
  const auto expression = Expression::parse(text);
  if (!expression.ok()) return expression.error().message;
  const Call call = sample();
  CallScope scope(call);
  const auto value = expression->evaluate(scope);
  return value.ok() ? text_of(*value) : value.error().message;
}

TEST(Expression, Computes) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"2 - 3 - 4", "-5"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 % -3", "-2"},
      {"-7 % 3", "2"},
      {"7 / 2", "3.5r"},
      {"-2 * -3", "6"},
      {"1e3", "1000r"},
      {"2.5e-1 * 4", "1r"},
      {"alpha * 2", "5r"},
      {"1 < 2 and 2 < 3", "true"},
      {"1 if false else 2", "2"},
      {"1 if dim < 0 else 2 if dim == 0 else 3", "1"},
      {"not true or false", "false"},
      {"5 == 5.0", "true"},
      {"numel(self)", "105"},
      {"nbytes(self)", "210"},
      {"numel(tensors)", "210"},
      {"nbytes(alpha)", "0"},
      {"len(tensors)", "2"},
      {"ndim(self)", "3"},
      {"shape(self)", "[3,5,7]"},
      {"shape(self, 1)", "5"},
      {"shape(self, dim)", "7"},
      {"shape(self, dims)", "21"},
      {"shape(self, none)", "105"},
      {"shape(zero_d, 0)", "1"},
      {"shape(self)[0] + [1, 2][-1]", "5"},
      {"shape(tensors[1], 0)", "3"},
      {"[1] + shape(self)", "[1,3,5,7]"},
      {"stride(self, 0)", "35"},
      {"dtype(self)", "f16"},
      {"dtype(self) == 'f16'", "true"},
      {"out_dtype != 'f16'", "true"},
      {"dtype(self) == f16", "true"},
      {"mode == 'T'", "true"},
      {"none == None", "true"},
      {"min(3, 1, 2)", "1"},
      {"max([3, 9, 2])", "9"},
      {"abs(-4)", "4"},
      {"cdiv(7, 2)", "4"},
      {"complex(0.5, -1)", "0.5+-1j"},
      {"sqrt(16)", "4r"},
      {"floor(2.7) + ceil(2.1)", "5"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(result_of(text), expected) << text;
}

TEST(Expression, LooksOnlyAtWhatItNeeds) {
  EXPECT_EQ(result_of("1 if true else missing"), "1");
  EXPECT_EQ(result_of("false and missing"), "false");
  EXPECT_EQ(result_of("true or missing"), "true");
}

TEST(Expression, MessagesSayWhatIsWrong) {
  EXPECT_EQ(result_of("numl(self)"),
            "'numl' is no function (did you mean 'numel'?) at column 1 of 'numl(self)'");
  EXPECT_EQ(result_of("shape(slef, 0)"), "'slef' is no argument (did you mean 'self'?)");
  EXPECT_EQ(result_of("1 +"), "expected a value at column 4 of '1 +'");
  EXPECT_EQ(result_of("(1"), "expected ')' at column 3 of '(1'");
  EXPECT_EQ(result_of("1 2"), "cannot read what follows at column 3 of '1 2'");
  EXPECT_EQ(result_of("cdiv(1)"), "cdiv takes 2 arguments, got 1 at column 1 of 'cdiv(1)'");
  EXPECT_EQ(result_of("shape(self, 3)"), "dimension 3 of a tensor of 3 dimensions");
  EXPECT_EQ(result_of("1 // 0"), "division by zero");
  EXPECT_EQ(result_of("9223372036854775807 + 1"), "9223372036854775807 + 1 does not fit 64 bits");
  EXPECT_EQ(result_of("-9223372036854775807 - 2"), "-9223372036854775807 - 2 does not fit 64 bits");
  EXPECT_EQ(result_of("self + 1"), "+ needs a number, got a tensor");
  EXPECT_EQ(result_of("mode < 1"), "the comparison needs a number, got a text");
  EXPECT_EQ(result_of("'open"), "a text without its end at column 1 of ''open'");
  EXPECT_EQ(result_of("int(1, 5)"), "int is random: only [[hidden]] may use it");
}

TEST(Expression, DepthAndLengthAreLimited) {
  for (const std::string& text :
       {std::string(5000, '('), std::string(1500, '-') + "1", std::string(1000, '['), std::string(3000, '1'),
        std::string("not ") + std::string(1200, '(')}) {
    EXPECT_FALSE(Expression::parse(text).ok());
  }
  std::string nots;
  for (int i = 0; i < 400; ++i) nots += "not ";
  EXPECT_FALSE(Expression::parse(nots + "1").ok());
}

TEST(Expression, AnyChangedByteIsAnErrorOrAValueNeverACrash) {
  const std::string text =
      "max(shape(self, dim), 3) // 2 if dtype(self) == 'f16' and alpha < 1e3 else [1, -2][0] % 7";
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'(', ')', '[', ']', '\'', '-', '/', '9', '\0', '\xff', ' '}) {
      std::string changed = text;
      changed[i] = c;
      (void)result_of(changed);
    }
    (void)result_of(text.substr(0, i));
    (void)result_of(text.substr(i));
  }
}

TEST(Expression, KnowsItsNamesAndWhetherItIsRandom) {
  const auto expression = Expression::parse("shape(self, dim) + int(1, 5)");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->names(), (std::vector<std::string>{"self", "dim"}));
  EXPECT_TRUE(expression->random());
}

}  // namespace
}  // namespace kgb
