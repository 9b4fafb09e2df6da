// SPDX-License-Identifier: Apache-2.0
// Workloads from templates: what multiplies, what is tied, what is dropped, and what hidden draws promise.
#include "catalogue/expand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "folder.hpp"

namespace kgb {
namespace {

// Descriptions of the smoke workloads.
std::vector<std::string> smoke(const std::string& schema, const std::string& workload) {
  const CatalogueFolder folder;
  folder.card(card_with(schema, "[[workload]]\ntier = \"smoke\"\n" + workload));
  const auto catalogue = folder.load();
  EXPECT_TRUE(catalogue.ok()) << (catalogue.ok() ? "" : catalogue.error().message);
  std::vector<std::string> out;
  if (!catalogue.ok()) return out;
  for (const Workload& w : catalogue->workloads(catalogue->operators()[0], Tier::smoke))
    out.push_back(describe(w.call));
  return out;
}

using Texts = std::vector<std::string>;

TEST(Grid, ListsMultiplyAndTheLastTurnsFastest) {
  EXPECT_EQ(
      smoke("(Tensor self, int dim) -> Tensor",
            "self = { shape = [[2], [3]], dtype = [\"f32\", \"f16\"] }\ndim = [0, -1]"),
      (Texts{"self f32[2], dim=0", "self f32[2], dim=-1", "self f16[2], dim=0", "self f16[2], dim=-1",
             "self f32[3], dim=0", "self f32[3], dim=-1", "self f16[3], dim=0", "self f16[3], dim=-1"}));
}

TEST(Grid, OneShapeNeedsNoSecondBracket) {
  EXPECT_EQ(smoke("(Tensor self) -> Tensor", "self = { shape = [2, 3], dtype = \"f32\" }"),
            (Texts{"self f32[2,3]"}));
  EXPECT_EQ(smoke("(Tensor self) -> Tensor", "self = { shape = [], dtype = \"f32\" }"),
            (Texts{"self f32[]"}));
  EXPECT_EQ(smoke("(Tensor self) -> Tensor", "self = { shape = [[], [4]], dtype = \"f32\" }"),
            (Texts{"self f32[]", "self f32[4]"}));
}

TEST(Grid, ZipTiesListsAndNamesVariables) {
  EXPECT_EQ(smoke("(Tensor self, int k) -> Tensor",
                  "zip = { m = [1, 33], k = [7, 40] }\nself = { shape = [\"m\", \"k\"], dtype = \"f32\" }"),
            (Texts{"self f32[1,7], k=7", "self f32[33,40], k=40"}));
}

TEST(Grid, ZipTiesTextsAndTensorsToo) {
  EXPECT_EQ(smoke("(str side, Tensor self) -> Tensor",
                  "zip = { side = [\"L\", \"R\"], self = [{ shape = [2], dtype = \"f32\" }, { shape = [3], "
                  "dtype = \"f16\" }] }"),
            (Texts{"side='L', self f32[2]", "side='R', self f16[3]"}));
}

TEST(Grid, SeveralZipsMultiply) {
  EXPECT_EQ(smoke("(int a, int b, int c) -> Tensor", "zip = [{ a = [1, 2], b = [3, 4] }, { c = [5, 6] }]"),
            (Texts{"a=1, b=3, c=5", "a=1, b=3, c=6", "a=2, b=4, c=5", "a=2, b=4, c=6"}));
}

TEST(Grid, LetNamesVariablesThatMultiply) {
  EXPECT_EQ(smoke("(Tensor self) -> Tensor",
                  "let = { n = [2, 3], d = \"n + 1\" }\nself = { shape = [\"n\", \"d\"], dtype = \"f32\" }"),
            (Texts{"self f32[2,3]", "self f32[3,4]"}));
}

TEST(Grid, WhenDropsCombinations) {
  EXPECT_EQ(
      smoke("(Tensor self, int dim) -> Tensor",
            "self = { shape = [[2], [2, 3]], dtype = \"f32\" }\ndim = [0, 1]\nwhen = \"dim < ndim(self)\""),
      (Texts{"self f32[2], dim=0", "self f32[2,3], dim=0", "self f32[2,3], dim=1"}));
}

TEST(Grid, LayoutsThatDoNotFitAreDroppedAsDuplicates) {
  EXPECT_EQ(
      smoke("(Tensor self) -> Tensor",
            "self = { shape = [[5], [2, 3]], dtype = \"f32\", layout = [\"contiguous\", \"transposed\"] }"),
      (Texts{"self f32[5]", "self f32[2,3]", "self f32[2,3] transposed"}));
}

TEST(Grid, LikeCopiesShapeDtypeAndLayoutButNotDomain) {
  EXPECT_EQ(
      smoke("(Tensor self, Tensor other) -> Tensor",
            "self = { shape = [2, 3], dtype = \"f16\", layout = \"transposed\", domain = \"ties(3)\" }\n"
            "other = { like = \"self\" }"),
      (Texts{"self f16[2,3] transposed ties, other f16[2,3] transposed"}));
  EXPECT_EQ(smoke("(Tensor self, Tensor other) -> Tensor",
                  "self = { like = \"other\", dtype = \"f64\", layout = \"sliced\" }\n"
                  "other = { shape = [4], dtype = \"f32\" }"),
            (Texts{"self f64[4] sliced, other f32[4]"}));
}

TEST(Grid, AWrittenTensorIsNotLikeAnExpandedOne) {
  EXPECT_EQ(
      smoke("(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
            "self = { shape = [3, 4], dtype = \"f32\", layout = \"expanded\" }\nout = { like = \"self\" }"),
      (Texts{"self f32[3,4] expanded, out f32[3,4]"}));
}

TEST(Grid, TensorListsByItemsAndShapes) {
  EXPECT_EQ(smoke("(Tensor[] tensors, int n=2) -> Tensor",
                  "tensors = { items = \"n + 1\", shape = [2], dtype = \"f32\" }"),
            (Texts{"tensors 3 x f32[2], n=2"}));
  EXPECT_EQ(smoke("(Tensor[] tensors) -> Tensor",
                  "tensors = { shapes = [[[2, 3], [4, 3]], [[1]]], dtype = \"f32\" }"),
            (Texts{"tensors (f32[2,3], f32[4,3])", "tensors 1 x f32[1]"}));
  EXPECT_EQ(smoke("(Tensor[] tensors) -> Tensor", "tensors = { shapes = [[2, 3], [4, 3]], dtype = \"f32\" }"),
            (Texts{"tensors (f32[2,3], f32[4,3])"}));
}

TEST(Grid, AnItemOfATensorListMayBeNoneWhereTheTypeSaysSo) {
  const std::string shapes = "indices = { shapes = [[\"None\", [4]], [[2], \"None\"]], dtype = \"f32\" }";
  EXPECT_EQ(smoke("(Tensor?[] indices) -> Tensor", shapes),
            (Texts{"indices (None, f32[4])", "indices (f32[2], None)"}));
  const CatalogueFolder folder;
  folder.card(card_with("(Tensor[] indices) -> Tensor", "[[workload]]\ntier = \"smoke\"\n" + shapes + "\n"));
  const auto catalogue = folder.load();
  ASSERT_FALSE(catalogue.ok());
  EXPECT_NE(catalogue.error().message.find("indices has an item None, but its type is Tensor[]"),
            std::string::npos)
      << catalogue.error().message;
}

TEST(Grid, OneElementIsNoEdgeWhereANumberIsReturned) {
  for (const bool number : {true, false}) {
    const CatalogueFolder folder;
    folder.card(card_with(number ? "(Tensor self) -> Scalar" : "(Tensor self) -> Tensor",
                          "[[workload]]\ntier = \"smoke\"\nself = { shape = [1], dtype = \"f32\" }\n"));
    const auto catalogue = folder.load();
    ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
    EXPECT_EQ(catalogue->operators()[0].fixed[0].edge, !number);
  }
}

TEST(Grid, IntegerListsAreOneValueUnlessNested) {
  EXPECT_EQ(smoke("(int[] dims) -> Tensor", "dims = [0, 1]"), (Texts{"dims=[0,1]"}));
  EXPECT_EQ(smoke("(int[] dims) -> Tensor", "dims = [[0], [0, 1], []]"),
            (Texts{"dims=[0]", "dims=[0,1]", "dims=[]"}));
  EXPECT_EQ(smoke("(int[1]? dim) -> Tensor", "dim = [[0], \"None\"]"), (Texts{"dim=[0]", ""}));
  EXPECT_EQ(smoke("(int[2] pad) -> Tensor", "pad = 3"), (Texts{"pad=[3,3]"}));
}

TEST(Grid, ValuesTakeTheTypeOfTheSchema) {
  EXPECT_EQ(smoke("(Scalar a, float b, bool c, str d, ScalarType? e, complex f, Generator? g=None) -> Tensor",
                  "a = [1, 1.5, true, \"complex(1, 2)\"]\nb = 2\nc = true\nd = \"a + b\"\ne = [\"f16\", "
                  "\"None\"]\nf = 3\ng = true")
                .front(),
            "a=1, b=2, c=True, d='a + b', e=f16, f=(3+0j), g=Generator");
}

TEST(Grid, StridesAndStorageCanBeGiven) {
  const CatalogueFolder folder;
  folder.card(
      card_with("(int n, int ld, Tensor A) -> Tensor",
                "[[workload]]\ntier = \"smoke\"\nn = 3\nld = 5\n"
                "A = { shape = [\"n\", \"n\"], dtype = \"f32\", strides = [1, \"ld\"], offset = 2 }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const auto& spec = std::get<TensorSpec>(catalogue->operators()[0].fixed[0].call.args[2].value);
  EXPECT_EQ(spec.strides, (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(spec.offset, 2);
  EXPECT_EQ(spec.storage, 2 + 2 + 10 + 1);
}

TEST(Grid, AnArgumentCalledWeightIsNotTheWeight) {
  EXPECT_EQ(smoke("(Tensor weight) -> Tensor", "weight = { shape = [4], dtype = \"f32\" }"),
            (Texts{"weight f32[4]"}));
}

TEST(Grid, IdsWeightsAndEdges) {
  const CatalogueFolder folder;
  folder.card(card_with(
      "(Tensor self) -> Tensor",
      "[[workload]]\ntier = \"full\"\nweight = 2.5\nself = { shape = [[8], [0, 3]], dtype = \"f32\" }\n"
      "[[workload]]\ntier = \"smoke\"\nedge = true\nself = { shape = [9], dtype = \"f32\" }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const auto full = catalogue->workloads(catalogue->operators()[0], Tier::full);
  ASSERT_EQ(full.size(), 2u);
  EXPECT_EQ(full[1].call.workload, "f1");
  EXPECT_EQ(full[0].weight, 2.5);
  EXPECT_FALSE(full[0].edge);
  EXPECT_TRUE(full[1].edge) << "an empty tensor shows nothing";
  const auto first = catalogue->workloads(catalogue->operators()[0], Tier::smoke);
  EXPECT_EQ(first[0].call.workload, "s0");
  EXPECT_TRUE(first[0].edge);
}

TEST(Grid, TheSameCallWithDenormalsFlushedIsAnotherWorkload) {
  const CatalogueFolder folder;
  const std::string same = "[[workload]]\ntier = \"smoke\"\nself = { shape = [9], dtype = \"f32\" }\n";
  folder.card(card_with("(Tensor self) -> Tensor", same + same + "flush = true\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const auto found = catalogue->workloads(catalogue->operators()[0], Tier::smoke);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].flush);
  EXPECT_TRUE(found[1].flush);
}

const char* const kHidden =
    "[[workload]]\ntier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\ndim = 0\n"
    "[[hidden]]\ncount = 16\nself = { shape = \"dims(0, 4, 20000)\", dtype = [\"f16\", \"f32\", \"bf16\"], "
    "layout = \"any\", "
    "domain = \"any_float\" }\ndim = \"any_dim(self)\"\n";

TEST(Hidden, SameSeedSameWorkloadsOtherSeedOthers) {
  const CatalogueFolder folder;
  folder.card(card_with("(Tensor self, int dim) -> Tensor", kHidden));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const Operator& op = catalogue->operators()[0];
  const auto calls = [&](std::uint64_t seed) {
    std::vector<Call> out;
    const auto drawn = catalogue->hidden(op, seed);
    EXPECT_TRUE(drawn.ok());
    for (const Workload& w : *drawn) out.push_back(w.call);
    return out;
  };
  EXPECT_EQ(calls(5), calls(5));
  EXPECT_NE(calls(5), calls(6));
  EXPECT_EQ(calls(5).size(), 16u);
  EXPECT_EQ(calls(5)[3].workload, "h3");
}

TEST(Hidden, EveryRunHasLargeOddPrimeTinyAndEmptyShapesInsideTheLimits) {
  const CatalogueFolder folder;
  folder.card(card_with("(Tensor self, int dim) -> Tensor", kHidden));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  std::set<std::string> layouts, domains;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto drawn = catalogue->hidden(catalogue->operators()[0], seed);
    ASSERT_TRUE(drawn.ok());
    int large = 0, empty = 0, scalar = 0, small = 0;
    std::set<DType> dtypes;
    for (const Workload& w : *drawn) {
      const auto& spec = std::get<TensorSpec>(w.call.args[0].value);
      const auto rank = static_cast<std::int64_t>(spec.shape.size());
      const std::int64_t dim = std::get<std::int64_t>(w.call.args[1].value);
      EXPECT_LE(rank, 4);
      EXPECT_LE(spec.numel(), 20000);
      EXPECT_LT(dim, std::max<std::int64_t>(rank, 1));
      EXPECT_GE(dim, -std::max<std::int64_t>(rank, 1));
      large += spec.numel() > 10000 ? 1 : 0;
      empty += spec.numel() == 0 ? 1 : 0;
      scalar += rank == 0 ? 1 : 0;
      small += spec.numel() > 0 && spec.numel() < 100 ? 1 : 0;
      dtypes.insert(spec.dtype);
      layouts.insert(spec.numel() > 1 && spec.strides.back() != 1 ? "odd" : "plain");
      domains.insert(spec.domain.kind);
    }
    EXPECT_GE(large, 1) << seed;
    EXPECT_GE(empty, 1) << seed;
    EXPECT_GE(scalar, 1) << seed;
    EXPECT_GE(small, 1) << seed;
    EXPECT_EQ(dtypes.size(), 3u) << seed;
  }
  EXPECT_EQ(layouts.size(), 2u);
  EXPECT_EQ(domains.size(), 9u) << "320 draws go through all that any_float stands for";
}

TEST(Hidden, WhenIsDrawnAgain) {
  const CatalogueFolder folder;
  folder.card(card_with("(Tensor self, int dim) -> Tensor",
                        std::string(kHidden) + "when = \"numel(self) > 0 and ndim(self) > 1\"\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto drawn = catalogue->hidden(catalogue->operators()[0], seed);
    ASSERT_TRUE(drawn.ok());
    EXPECT_EQ(drawn->size(), 16u);
    for (const Workload& w : *drawn) {
      const auto& spec = std::get<TensorSpec>(w.call.args[0].value);
      EXPECT_TRUE(spec.numel() > 0 && spec.shape.size() > 1);
    }
  }
}

TEST(Hidden, AlternativesComeUpInTurn) {
  const CatalogueFolder folder;
  folder.card(
      card_with("(str side, int n) -> Tensor",
                "[[workload]]\ntier = \"smoke\"\nside = \"L\"\nn = 1\n"
                "[[hidden]]\ncount = 6\nside = [\"A\", \"B\", \"C\"]\nn = \"choice(10, 20) + int(0, 3)\"\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::set<std::string> sides;
    const auto drawn = catalogue->hidden(catalogue->operators()[0], seed);
    for (const Workload& w : *drawn) {
      sides.insert(std::get<std::string>(w.call.args[0].value));
      const std::int64_t n = std::get<std::int64_t>(w.call.args[1].value);
      EXPECT_TRUE((n >= 10 && n <= 13) || (n >= 20 && n <= 23));
    }
    EXPECT_EQ(sides.size(), 3u) << seed;
  }
}

TEST(Hidden, FamiliesSayWhatAnyFloatMeans) {
  const CatalogueFolder folder;
  folder.write("families/pointwise.toml", "any_float = [\"uniform(2, 3)\"]\n");
  folder.card(card_with("(Tensor self, int dim) -> Tensor", kHidden));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const auto drawn = catalogue->hidden(catalogue->operators()[0], 1);
  for (const Workload& w : *drawn) {
    EXPECT_EQ(std::get<TensorSpec>(w.call.args[0].value).domain, (Domain{"uniform", {2, 3}}));
  }
}

}  // namespace
}  // namespace kgb
