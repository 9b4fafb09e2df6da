// SPDX-License-Identifier: Apache-2.0
// Cards that are wrong: every message in full, and nothing that crashes.
#include <gtest/gtest.h>

#include "folder.hpp"

namespace kgb {
namespace {

const std::string kFile = "catalogue/operators/aten/op/card.toml:";

std::string error_of(const std::string& card) {
  const CatalogueFolder folder;
  folder.card(card);
  return folder.error();
}

// The message about one [[workload]] of `op(Tensor self, int dim=0)`; its first line is line 8.
std::string workload_error(const std::string& workload) {
  return error_of(card_with("(Tensor self, int dim=0) -> Tensor", "[[workload]]\n" + workload));
}

const char* const kSelf = "self = { shape = [2], dtype = \"f32\" }\n";

TEST(CardErrors, NameTheFileTheLineAndTheKey) {
  EXPECT_EQ(workload_error("tier = \"smok\"\n" + std::string(kSelf)),
            kFile + "9: workload[0].tier: 'smok' is no tier: smoke, full or published");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nslef = { shape = [2], dtype = \"f32\" }\n"),
            kFile + "10: workload[0].slef: is no argument of op (did you mean 'self'?)");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shape = [2], dtype = \"float32\" }\n"),
            kFile + "10: workload[0].self.dtype: 'float32' is no dtype");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shpae = [2], dtype = \"f32\" }\n"),
            kFile + "10: workload[0].self.shpae: unknown key (did you mean 'shape' or 'shapes'?)\n" + kFile +
                "10: workload[0].self: needs shape, shapes or like");
  EXPECT_EQ(
      workload_error("tier = \"smoke\"\nself = { shape = [2], dtype = \"f32\", layout = \"transpose\" }\n"),
      kFile + "10: workload[0].self.layout: 'transpose' is no layout (did you mean 'transposed'?)");
  EXPECT_EQ(workload_error(
                "tier = \"smoke\"\nself = { shape = [2], dtype = \"f32\", domain = \"normall(0, 1)\" }\n"),
            kFile + "10: workload[0].self.domain: 'normall' is no domain (did you mean 'normal'?)");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nwhen = \"dim <\"\n" + std::string(kSelf)),
            kFile + "10: workload[0].when: expected a value at column 6 of 'dim <'");
}

TEST(CardErrors, ComeFromExpansionToo) {
  EXPECT_EQ(workload_error("tier = \"smoke\"\ndim = 1\n"),
            kFile + "8: workload[0]: the argument 'self' of op has neither a value nor a default");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shape = [\"n\"], dtype = \"f32\" }\n"),
            kFile + "8: workload[0]: self: 'n' is neither an argument nor a variable");
  EXPECT_EQ(
      workload_error(
          "tier = \"smoke\"\nself = { shape = [\"dim\"], dtype = \"f32\" }\ndim = \"shape(self, 0)\"\n"),
      kFile + "8: workload[0]: self depends on itself: self -> dim -> self");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shape = [\"-1\"], dtype = \"f32\" }\n"),
            kFile + "8: workload[0]: self: size -1 is negative");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shape = [2], dtype = \"f32\", layout = \"any\" }\n"),
            kFile + "8: workload[0]: self: layout any is for [[hidden]] alone");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nwhen = \"dim > 5\"\n" + std::string(kSelf)),
            kFile + "8: workload[0]: gives no workload: `when` refuses all of them, or all are given before");
  EXPECT_EQ(
      workload_error("tier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\ndim = \"int(1, 2)\"\n"),
      kFile + "8: workload[0]: dim: int is random: only [[hidden]] may use it");
  EXPECT_EQ(workload_error("tier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\ndim = 0.5\n"),
            kFile + "8: workload[0]: dim is a real, but its type is int");
}

TEST(CardErrors, AreAllReportedAtOnce) {
  EXPECT_EQ(error_of("name = \"aten::other\"\nfamily = 3\ncolour = 1\n[[entry]]\nname = \"op\"\nschema = "
                     "\"(Tensr x) -> ()\"\n"
                     "[error]\nclass = \"pointwize\"\n"),
            kFile + "1: name: is 'aten::other', but the folder makes it 'aten::op'\n" + kFile +
                "2: family: must be a text, not an integer\n" + kFile +
                "6: entry[0].schema: 'Tensr' is no type (did you mean 'Tensor'?) at column 7 of the schema "
                "'(Tensr x) -> ()'\n" +
                kFile + "8: error.class: 'pointwize' is no error class (did you mean 'pointwise'?)\n" +
                kFile + "3: colour: unknown key");
}

TEST(CardErrors, OfEntries) {
  const std::string head = "name = \"aten::op\"\nfamily = \"x\"\n[error]\nclass = \"exact\"\n[[entry]]\n";
  EXPECT_EQ(error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Tensor\"\nhost = [\"y\"]\n"),
            kFile + "8: entry[0].host: 'y' is no tensor argument (did you mean 'x'?)");
  EXPECT_EQ(error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Scalar\"\nreads_own = true\n"),
            kFile +
                "8: entry[0].reads_own: is not for entries that return a number: what is read would be the "
                "answer");
  EXPECT_EQ(
      error_of(head + "name = \"op\"\nschema = \"(Tensor(a!) x) -> Tensor(a!)\"\nreads_own = true\n"),
      kFile +
          "8: entry[0].reads_own: is for entries that return a new tensor, whose shape depends on values");
  EXPECT_EQ(error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Tensor\"\nreads_own = 1\n"),
            kFile + "8: entry[0].reads_own: must be true or false, not an integer");
  EXPECT_EQ(error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Tensor\"\noutputs = [\"out\"]\n"),
            kFile + "8: entry[0].outputs: 'out' is neither a return nor an argument that the schema writes");
  EXPECT_EQ(
      error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Tensor\"\npass = { x = \"pointer_array\" }\n"),
      kFile + "8: entry[0].pass.x: is no Tensor[] argument of the schema");
  const std::string writes = "name = \"op\"\nschema = \"(Tensor(a!) x) -> ()\"\n";
  EXPECT_EQ(error_of(head + writes + "vendor = \"cublas axpy\"\n"),
            kFile + "8: entry[0].vendor: 'cublas axpy' is no name of a C function");
  EXPECT_EQ(error_of(head + writes + "vendor = \"cublasSscal_v2\"\nbaseline = \"x.mul_(2)\"\n"),
            kFile + "8: entry[0].vendor: is a baseline already: leave `baseline` out");
  EXPECT_EQ(
      error_of(head + "name = \"op\"\nschema = \"(Tensor x) -> Tensor\"\nvendor = \"cublasSscal_v2\"\n"),
      kFile + "8: entry[0].vendor: is for entries that write their arguments and return nothing");
  EXPECT_EQ(error_of(head + "name = \"1op\"\nschema = \"(Tensor x) -> Tensor\"\n"),
            kFile + "6: entry[0].name: '1op' is no Python identifier");
  EXPECT_EQ(error_of("name = \"aten::op\"\nfamily = \"x\"\n[error]\nclass = \"exact\"\n"),
            kFile + "1: entry: a card needs an [[entry]]");
}

TEST(CardErrors, NoKernelNeedsItsReason) {
  EXPECT_EQ(error_of(card_with("(Tensor self) -> Tensor", "").insert(0, "tags = [\"no_kernel\"]\n")),
            kFile + "1: no_kernel: the tag no_kernel and the text that says why belong together");
}

TEST(CardErrors, GridsHaveALimit) {
  std::string list = "[";
  for (int i = 0; i < 200; ++i) list += std::to_string(i) + ", ";
  list += "]";
  EXPECT_EQ(error_of(card_with("(int a, int b) -> Tensor",
                               "[[workload]]\ntier = \"smoke\"\na = " + list + "\nb = " + list + "\n")),
            kFile + "8: workload[0]: has more than 20000 combinations");
}

TEST(HostileCards, AreErrorsNeverCrashes) {
  EXPECT_EQ(error_of("\xff\xfe name"), kFile + "1: is not UTF-8 text");
  EXPECT_EQ(error_of(std::string("name = \"a\0b\"", 12)).substr(0, kFile.size()), kFile);
  EXPECT_NE(error_of(std::string(2u << 20, 'a')), "loaded");
  EXPECT_NE(error_of("a = " + std::string(100000, '[')), "loaded");
  EXPECT_NE(error_of(std::string(3000, 'a') + ".b" + std::string(1000, '.') + " = 1"), "loaded");
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_EQ(error_of(dotted + " = 1"), kFile + "1: more than 500 dots in one line");
  EXPECT_NE(error_of("name = 1979-05-27T07:32:00Z"), "loaded");
  EXPECT_NE(error_of(""), "loaded");
}

TEST(HostileCards, HalfAFileIsAnError) {
  const std::string whole =
      card_with("(Tensor self, int dim=0) -> Tensor",
                "[[workload]]\ntier = \"smoke\"\nself = { shape = [[2], [3, 4]], dtype = [\"f32\"], layout = "
                "\"transposed\" }\n"
                "zip = { dim = [0, -1] }\nwhen = \"dim < ndim(self)\"\n[[hidden]]\ncount = 2\n"
                "self = { shape = \"dims(1, 2, 30)\", dtype = \"f16\" }\n");
  const CatalogueFolder folder;
  folder.card(whole);
  ASSERT_EQ(folder.error(), "loaded");
  for (std::size_t n = 0; n < whole.size(); n += 3) {
    folder.card(whole.substr(0, n));
    (void)folder.error();
  }
}

TEST(HostileCards, EveryKeyWithAValueOfEveryWrongTypeIsAnError) {
  const char* keys[] = {"name",  "family", "source", "tags",     "no_kernel", "doubt",
                        "entry", "error",  "cost",   "workload", "hidden"};
  const char* values[] = {"1",         "1.5", "true",         "\"text\"", "[1, [2]]",
                          "{ a = 1 }", "[]",  "[{ a = [] }]", "[{}]"};
  const CatalogueFolder folder;
  for (const char* key : keys) {
    for (const char* value : values) {
      folder.card(std::string(key) + " = " + value + "\n");
      EXPECT_NE(folder.error(), "loaded") << key << " = " << value;
    }
  }
  const char* inner[] = {"tier", "entry", "weight", "edge", "flush", "zip", "let", "when", "self", "dim"};
  for (const char* key : inner) {
    for (const char* value : values) {
      folder.card(card_with("(Tensor self, int dim=0) -> Tensor",
                            "[[workload]]\n" + std::string(key) + " = " + value + "\n"));
      EXPECT_NE(folder.error(), "loaded") << key << " = " << value;
    }
  }
  const char* fields[] = {"shape", "dtype",  "layout",  "domain", "like",
                          "items", "shapes", "strides", "offset", "storage"};
  for (const char* key : fields) {
    for (const char* value : values) {
      folder.card(
          card_with("(Tensor self, int dim=0) -> Tensor",
                    "[[workload]]\ntier = \"smoke\"\nself = { " + std::string(key) + " = " + value + " }\n"));
      EXPECT_NE(folder.error(), "loaded") << key << " = " << value;
    }
  }
}

TEST(Folders, OperatorsAreFoundByThemselves) {
  const CatalogueFolder folder;
  const std::string workload = "[[workload]]\ntier = \"smoke\"\n" + std::string(kSelf);
  folder.card(card_with("(Tensor self) -> Tensor", workload));
  std::string second = card_with("(Tensor self) -> Tensor", workload);
  folder.write("operators/vllm/op/card.toml", second.replace(8, 8, "vllm::op"));
  folder.write("operators/vllm/notes.txt", "not an operator");
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  ASSERT_EQ(catalogue->operators().size(), 2u);
  EXPECT_EQ(catalogue->operators()[1].name, "vllm::op");
  EXPECT_EQ(catalogue->operators()[1].group(), "vllm");
  EXPECT_EQ(catalogue->find("op").error().message, "op is ambiguous: aten::op, vllm::op");
}

TEST(Folders, ABrokenCardLeavesOutItsOperatorAlone) {
  const CatalogueFolder folder;
  const std::string sound = card_with(
      "(Tensor self) -> Tensor", "[[workload]]\ntier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\n");
  folder.card(sound);
  std::string other = sound;
  other.replace(other.find("op"), 2, "bad");
  folder.write("operators/aten/bad/card.toml", "tags = [\"mc\"]\nfoo = 1\nbar = 2\n" + other);
  folder.write("operators/aten/worse/card.toml", "name = \n");
  const auto loaded = Catalogue::load(folder.root());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(loaded->operators().size(), 1u);
  ASSERT_EQ(loaded->broken().size(), 2u);
  EXPECT_EQ(loaded->broken()[0].summary(),
            "aten::bad is left out: catalogue/operators/aten/bad/card.toml:2: foo: unknown key (and 1 more: "
            "kgbench list --check)");
  EXPECT_EQ(loaded->broken_in("mc").size(), 1u) << "what could be read of it counts";
  EXPECT_EQ(loaded->broken_in("aten").size(), 2u);
  EXPECT_EQ(loaded->suite("aten")->size(), 1u);
  EXPECT_NE(loaded->find_broken("worse"), nullptr);
  EXPECT_EQ(loaded->find("bad").error().message,
            "aten::bad cannot be used, its card is broken:\n"
            "catalogue/operators/aten/bad/card.toml:2: foo: unknown key\n"
            "catalogue/operators/aten/bad/card.toml:3: bar: unknown key");
}

TEST(Folders, ABrokenFamilyLeavesOutItsOperators) {
  const CatalogueFolder folder;
  folder.card(card_with("(Tensor self) -> Tensor",
                        "[[workload]]\ntier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\n"));
  folder.write("families/pointwise.toml", "any_flaot = [\"normal(0, 1)\"]\n");
  const auto loaded = Catalogue::load(folder.root());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(loaded->broken().size(), 1u);
  EXPECT_EQ(loaded->broken()[0].problems[0].substr(0, 33), "catalogue/families/pointwise.toml");
}

TEST(Folders, AMissingCatalogueIsAnError) {
  const auto loaded = Catalogue::load("/nowhere/catalogue");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message.substr(0, 23), "catalogue/operators:1: ");
}

}  // namespace
}  // namespace kgb
