// SPDX-License-Identifier: Apache-2.0
// What list, show and new print.
#include "catalogue/texts.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

const char* const kScale =
    "name = \"aten::scale\"\nfamily = \"pointwise\"\nsource = \"made up\"\ntags = [\"mc\"]\n"
    "[[entry]]\nname = \"scale\"\nschema = \"(Tensor self, Scalar alpha=1, *, ScalarType? dtype=None) -> "
    "Tensor\"\n"
    "baseline = \"self * alpha\"\nforbid = [\"aten::mul\"]\n"
    "[[entry]]\nname = \"scale_out\"\nschema = \"(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\"\n"
    "[[entry]]\nname = \"scale_all\"\nschema = \"(Tensor[] A, Tensor(a!)[] C) -> ()\"\npass = { C = "
    "\"pointer_array\" }\n"
    "[error]\nclass = \"pointwise\"\nulps = 1\n[cost]\nflops = \"numel(self)\"\n"
    "[[workload]]\ntier = \"smoke\"\nself = { shape = [[4], [2, 3]], dtype = [\"f32\", \"f16\"] }\nalpha = "
    "0.5\n"
    "[[workload]]\ntier = \"full\"\nself = { shape = [64], dtype = \"f32\" }\n"
    "[[hidden]]\ncount = 3\nself = { shape = \"dims(1, 2, 99)\", dtype = \"f32\" }\n";
const char* const kView =
    "name = \"vllm::view\"\nfamily = \"view\"\ntags = [\"no_kernel\", \"view\"]\nno_kernel = \"a view\"\n"
    "[[entry]]\nname = \"view\"\nbaseline = \"\"\"(self,\n  1)\"\"\"\n"
    "schema = \"(Tensor(a) self) -> (Tensor(a) x, int n)\"\n[error]\nclass = "
    "\"metadata\"\n"
    "[[workload]]\ntier = \"smoke\"\nself = { shape = [4], dtype = \"i64\" }\n";

Catalogue two() {
  const CatalogueFolder folder;
  folder.write("operators/aten/scale/card.toml", kScale);
  folder.write("operators/vllm/view/card.toml", kView);
  auto loaded = folder.load();
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  return loaded.ok() ? *loaded : Catalogue();
}

TEST(ListText, IsATableWithCounts) {
  EXPECT_EQ(*list_text(two(), {}),
            "operator     family     entries  smoke  full  hidden  tags\n"
            "aten::scale  pointwise        3      4     1       3  mc\n"
            "vllm::view   view             1      1     0       0  no_kernel view\n"
            "2 operators, 9 workloads.  More: kgbench show OP\n");
}

TEST(ListText, Filters) {
  const Catalogue catalogue = two();
  const auto names = [&](const ListFilter& filter) {
    std::string out;
    const auto found = listed(catalogue, filter);
    if (!found.ok()) return found.error().message;
    for (const Operator* op : *found) out += op->name + " ";
    return out;
  };
  EXPECT_EQ(names({.suite = "kernels", .family = {}, .tag = {}, .word = {}}), "aten::scale ");
  EXPECT_EQ(names({.suite = "vllm", .family = {}, .tag = {}, .word = {}}), "vllm::view ");
  EXPECT_EQ(names({.suite = {}, .family = "view", .tag = {}, .word = {}}), "vllm::view ");
  EXPECT_EQ(names({.suite = {}, .family = {}, .tag = "mc", .word = {}}), "aten::scale ");
  EXPECT_EQ(names({.suite = {}, .family = {}, .tag = {}, .word = "SCAL"}), "aten::scale ");
  EXPECT_EQ(names({.suite = "kernelss", .family = {}, .tag = {}, .word = {}}),
            "'kernelss' is no suite (did you mean 'kernels'?)");
  EXPECT_EQ(names({.suite = {}, .family = "veiw", .tag = {}, .word = {}}),
            "no operator has the family 'veiw' (did you mean 'view'?)");
  EXPECT_EQ(*list_text(catalogue, {.suite = {}, .family = {}, .tag = {}, .word = "zzz"}),
            "No operator passes these filters.\n");
}

TEST(ShowText, SaysAllThatACandidateNeeds) {
  const Catalogue catalogue = two();
  EXPECT_EQ(show_text(catalogue, **catalogue.find("scale"), {}),
            "aten::scale\n"
            "  family     pointwise\n"
            "  source     made up\n"
            "  tags       mc\n"
            "  tolerance  pointwise, 1 rounding of the output, accumulator f32 (f64 for f64)\n"
            "  flops      numel(self)\n"
            "\n"
            "entry  scale(self, alpha=1, *, dtype=None)\n"
            "  self     Tensor       f32 f16; rank 1-2; values normal\n"
            "  alpha    Scalar       default 1\n"
            "  dtype    ScalarType?  default None\n"
            "  returns  Tensor\n"
            "  judged   return\n"
            "  as in    self * alpha\n"
            "  not      aten::mul\n"
            "\n"
            "entry  scale_out(self, *, out)\n"
            "  self     Tensor\n"
            "  out      Tensor(a!)  written\n"
            "  returns  Tensor(a!)\n"
            "  judged   out\n"
            "\n"
            "entry  scale_all(A, C)\n"
            "  A        Tensor[]\n"
            "  C        Tensor(a!)[]  written; int64 tensor of addresses\n"
            "  returns  nothing\n"
            "  judged   C\n"
            "\n"
            "smoke workloads: 4\n"
            "  s0    scale: self f32[4], alpha=0.5\n"
            "  s1    scale: self f16[4], alpha=0.5\n"
            "  s2    scale: self f32[2,3], alpha=0.5\n"
            "  s3    scale: self f16[2,3], alpha=0.5\n"
            "\n"
            "full workloads: 1\n"
            "  f0    scale: self f32[64], alpha=1\n"
            "\n"
            "hidden workloads: 3, drawn anew from a secret seed\n"
            "  scale: self: rank 1 2; f32\n"
            "\n"
            "Start with: kgbench new aten::scale\n");
}

TEST(ShowJson, HasTheSameFacts) {
  const Catalogue catalogue = two();
  const nlohmann::json json = show_json(catalogue, **catalogue.find("scale"));
  EXPECT_EQ(json["entries"][0]["signature"], "scale(self, alpha=1, *, dtype=None)");
  EXPECT_EQ(json["workloads"]["hidden"], 3);
  EXPECT_EQ(json["fixed_workloads"].size(), 5u);
  EXPECT_EQ(list_json(catalogue, {})->size(), 2u);
}

TEST(StubText, DefinesEveryEntry) {
  const Catalogue catalogue = two();
  const std::string stub = stub_text(**catalogue.find("scale"));
  EXPECT_NE(stub.find("def scale_kernel(out, x, n, BLOCK: tl.constexpr):\n"), std::string::npos);
  const std::string end =
      "\n\ndef scale(self, alpha=1, *, dtype=None):\n"
      "    # the operator: self * alpha\n"
      "    out = torch.empty_like(self)  # give it the operator's shape and dtype\n"
      "    launch(out, self)\n"
      "    return out\n"
      "\n\ndef scale_out(self, *, out):\n"
      "    launch(out, self)\n"
      "    return out\n"
      "\n\ndef scale_all(A, C):\n"
      "    # C is an int64 tensor: the addresses of the tensors to write\n"
      "    return None\n";
  ASSERT_GT(stub.size(), end.size());
  EXPECT_EQ(stub.substr(stub.size() - end.size()), end);
  const std::string view = stub_text(**catalogue.find("view"));
  EXPECT_NE(view.find("# This operator needs no kernel: a view\n"), std::string::npos);
  EXPECT_NE(view.find("    return out0, 0\n"), std::string::npos);
  EXPECT_NE(view.find("    # the operator: (self,\n    #   1)\n"), std::string::npos) << "of several lines";
}

TEST(Find, SuggestsNames) {
  const Catalogue catalogue = two();
  EXPECT_EQ((*catalogue.find("aten::scale"))->name, "aten::scale");
  EXPECT_EQ(catalogue.find("aten::scal").error().message,
            "aten::scal is no operator.  Did you mean aten::scale?  (kgbench list)");
  EXPECT_EQ(catalogue.find("vew").error().message,
            "vew is no operator.  Did you mean vllm::view?  (kgbench list)");
  EXPECT_EQ(catalogue.find("qqqqqqqqqq").error().message, "qqqqqqqqqq is no operator.  (kgbench list)");
}

}  // namespace
}  // namespace kgb
