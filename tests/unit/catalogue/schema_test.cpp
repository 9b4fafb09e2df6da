// SPDX-License-Identifier: Apache-2.0
// Schema strings: real ATen schemas, what they mean, and messages for wrong ones.
#include "catalogue/schema.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

Schema parsed(std::string_view text) {
  auto schema = parse_schema(text);
  EXPECT_TRUE(schema.ok()) << text << ": " << (schema.ok() ? "" : schema.error().message);
  return schema.ok() ? *schema : Schema{};
}

std::string error_of(std::string_view text) {
  const auto schema = parse_schema(text);
  return schema.ok() ? "accepted" : schema.error().message;
}

struct Case {
  const char* schema;
  std::size_t parameters, returns;
  const char* signature;
};

TEST(Schema, ReadsAtenSchemas) {
  const Case cases[] = {
      {"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", 3, 1,
       "f(self, other, *, alpha=1)"},
      {"add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", 3, 1,
       "f(self, other, *, alpha=1)"},
      {"softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", 3, 1,
       "f(self, dim, dtype=None)"},
      {"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       4, 1, "f(self, dim, keepdim=False, *, dtype=None)"},
      {"sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, "
       "Tensor indices)",
       4, 2, "f(self, *, stable, dim=-1, descending=False)"},
      {"sort.values(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) "
       "indices) -> "
       "(Tensor(a!) values, Tensor(b!) indices)",
       5, 2, "f(self, dim=-1, descending=False, *, values, indices)"},
      {"cat(Tensor[] tensors, int dim=0) -> Tensor", 2, 1, "f(tensors, dim=0)"},
      {"index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", 2, 1, "f(self, indices)"},
      {"_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool "
       "unsafe=False) -> "
       "Tensor(a!)",
       5, 1, "f(self, indices, values, accumulate=False, unsafe=False)"},
      {"embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
       "sparse=False) "
       "-> Tensor",
       5, 1, "f(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)"},
      {"as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
       4, 1, "f(self, size, stride, storage_offset=None)"},
      {"unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", 3, 1,
       "f(self, split_size, dim=0)"},
      {"split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", 3, 1,
       "f(self, split_size, dim=0)"},
      {"arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? "
       "layout=None, "
       "Device? device=None, bool? pin_memory=None) -> Tensor",
       7, 1, "f(start, end, step=1, *, dtype=None, layout=None, device=None, pin_memory=None)"},
      {"full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
       "device=None, bool? "
       "pin_memory=None) -> Tensor",
       6, 1, "f(size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None)"},
      {"bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", 3, 1,
       "f(self, p, *, generator=None)"},
      {"exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)", 3, 1,
       "f(self, lambd=1, *, generator=None)"},
      {"huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", 4, 1,
       "f(self, target, reduction=1, delta=1)"},
      {"smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) "
       "-> Tensor",
       5, 1, "f(grad_output, self, target, reduction, beta)"},
      {"binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
       "pos_weight=None, int "
       "reduction=Mean) -> Tensor",
       5, 1, "f(self, target, weight=None, pos_weight=None, reduction=1)"},
      {"im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", 5,
       1, "f(self, kernel_size, dilation, padding, stride)"},
      {"upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? "
       "scales_h=None, "
       "float? scales_w=None) -> Tensor",
       5, 1, "f(grad_output, output_size, input_size, scales_h=None, scales_w=None)"},
      {"rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", 3, 1, "f(self, k=1, dims=[0, 1])"},
      {"rrelu_with_noise(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, "
       "bool "
       "training=False, Generator? generator=None) -> Tensor",
       6, 1, "f(self, noise, lower=0.125, upper=0.3333333333333333, training=False, generator=None)"},
      {"item(Tensor self) -> Scalar", 1, 1, "f(self)"},
      {"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", 3, 1,
       "f(self, other, *, rounding_mode)"},
      {"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", 2, 1,
       "f(self, *, memory_format=None)"},
      {"contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)", 2, 1,
       "f(self, *, memory_format=None)"},
      {"_to_copy(Tensor self, *, ScalarType? dtype=None, bool non_blocking=False) -> Tensor", 3, 1,
       "f(self, *, dtype=None, non_blocking=False)"},
      {"diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", 5, 1,
       "f(self, n=1, dim=-1, prepend=None, append=None)"},
      {"scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", 5, 1,
       "f(self, dim, index, src, *, reduce)"},
      {"special_entr(Tensor self) -> Tensor", 1, 1, "f(self)"},
      {"renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", 4, 1, "f(self, p, dim, maxnorm)"},
      {"pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor", 5,
       1, "f(x1, x2, p=2, eps=1e-06, keepdim=False)"},
      {"(Tensor(a!) input, Tensor(b!) residual, Tensor weight, float epsilon) -> ()", 4, 0,
       "f(input, residual, weight, epsilon)"},
      {"(str transa, int m, complex alpha, Tensor[] A, int lda, complex beta, Tensor(a!)[] C) -> ()", 7, 0,
       "f(transa, m, alpha, A, lda, beta, C)"},
  };
  ASSERT_GE(std::size(cases), 30u);
  for (const Case& c : cases) {
    const Schema schema = parsed(c.schema);
    EXPECT_EQ(schema.parameters.size(), c.parameters) << c.schema;
    EXPECT_EQ(schema.returns.size(), c.returns) << c.schema;
    EXPECT_EQ(signature_text("f", schema), c.signature);
  }
}

TEST(Schema, KnowsWhatIsWritten) {
  const Schema schema = parsed("(Tensor self, Tensor(a!)[] C, *, Tensor(b!) out) -> Tensor(b!)");
  EXPECT_FALSE(schema.parameters[0].type.writes);
  EXPECT_TRUE(schema.parameters[1].type.writes);
  EXPECT_TRUE(schema.parameters[1].type.list);
  EXPECT_TRUE(schema.parameters[2].keyword);
  EXPECT_EQ(output_paths(schema), (std::vector<std::string>{"C", "out"}));
}

TEST(Schema, OutputsAreReturnsThenWrittenArguments) {
  EXPECT_EQ(output_paths(parsed("(Tensor x) -> Tensor")), (std::vector<std::string>{"return"}));
  EXPECT_EQ(output_paths(parsed("(Tensor x) -> (Tensor, Tensor)")),
            (std::vector<std::string>{"return[0]", "return[1]"}));
  EXPECT_EQ(output_paths(parsed("(Tensor x, Tensor(a!) noise) -> Tensor")),
            (std::vector<std::string>{"return", "noise"}));
  EXPECT_EQ(output_paths(parsed("(Tensor x) -> Scalar")), (std::vector<std::string>{"return"}));
}

TEST(Schema, TypesKeepTheirForm) {
  for (const char* type : {"Tensor", "Tensor(a!)", "Tensor?", "Tensor[]", "Tensor?[]", "int[2]", "int[1]?",
                           "ScalarType?", "SymInt", "Generator?", "complex", "str?"}) {
    const Schema schema = parsed(std::string("(") + type + " x) -> ()");
    EXPECT_EQ(to_text(schema.parameters[0].type), type);
  }
}

TEST(Schema, DefaultsHaveTheirTypes) {
  const Schema schema =
      parsed("(Scalar a=1, Scalar b=0.5, float c=1, int[2] d=1, ScalarType e=long, str f='N') -> ()");
  EXPECT_EQ(*schema.parameters[0].fallback, ArgValue(std::int64_t{1}));
  EXPECT_EQ(*schema.parameters[1].fallback, ArgValue(0.5));
  EXPECT_EQ(*schema.parameters[2].fallback, ArgValue(1.0));
  EXPECT_EQ(*schema.parameters[3].fallback, ArgValue(std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(*schema.parameters[4].fallback, ArgValue(DTypeValue{DType::i64}));
  EXPECT_EQ(*schema.parameters[5].fallback, ArgValue(std::string("N")));
  EXPECT_EQ(signature_text("f", schema), "f(a=1, b=0.5, c=1, d=[1, 1], e=torch.int64, f='N')");
}

TEST(Schema, MessagesSayWhere) {
  EXPECT_EQ(error_of("(Tensr x) -> ()"),
            "'Tensr' is no type (did you mean 'Tensor'?) at column 7 of the schema '(Tensr x) -> ()'");
  EXPECT_EQ(error_of("(Tensor x, Tensor x) -> ()"),
            "a second argument x at column 20 of the schema '(Tensor x, Tensor x) -> ()'");
  EXPECT_EQ(error_of("(int n=abc) -> ()"),
            "'abc' is no default for type int at column 11 of the schema '(int n=abc) -> ()'");
  EXPECT_EQ(error_of("(int n=None) -> ()"),
            "n cannot be None: its type is no optional one at column 12 of the schema '(int n=None) -> ()'");
  EXPECT_EQ(error_of("(Tensor x)"), "expected '->' at column 11 of the schema '(Tensor x)'");
  EXPECT_EQ(error_of("(Tensor x) -> Tensor y z"),
            "text after the schema at column 24 of the schema '(Tensor x) -> Tensor y z'");
}

TEST(Schema, CutAnywhereItIsAnErrorOrASchemaNeverACrash) {
  const std::string text =
      "f(Tensor(a!)[] x, int[2] y=[1, 2], *, str s='a', Tensor?[] z) -> (Tensor(a!) u, Tensor[] v)";
  for (std::size_t n = 0; n < text.size(); ++n) {
    (void)parse_schema(text.substr(0, n));
    std::string changed = text;
    for (const char c : {'(', ')', '[', '\'', '\0', '\xff', '*'}) {
      changed[n] = c;
      (void)parse_schema(changed);
    }
  }
  EXPECT_NE(error_of(std::string(100000, '(')), "accepted");
}

}  // namespace
}  // namespace kgb
