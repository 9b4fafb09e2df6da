// SPDX-License-Identifier: Apache-2.0
// Library files: what is read, what mistakes say, the candidates that are made.
#include "catalogue/library.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"

namespace kgb {
namespace {

const std::string kHead =
    "schema = \"library/1\"\npackage = \"tiny-kernels\"\nversion = \">=1.2, <2\"\nimport = \"tiny\"\n";

class LibraryFile : public ::testing::Test {
 protected:
  LibraryFile() {
    folder_.card(
        card_with("(Tensor self, int dim, *, Scalar alpha=1) -> Tensor",
                  "[[entry]]\nname = \"op_out\"\nschema = \"(Tensor self, *, Tensor(a!) out) -> ()\"\n"
                  "[[workload]]\ntier = \"smoke\"\nself = { shape = [[2]], dtype = \"f32\" }\ndim = 0\n"
                  "[[workload]]\ntier = \"smoke\"\nentry = [\"op_out\"]\n"
                  "self = { shape = [[2]], dtype = \"f32\" }\nout = { like = \"self\" }\n"));
  }
  Result<Library> load(const std::string& text, const std::string& name = "tiny") {
    folder_.write("libraries/tiny.toml", text);
    const Result<Catalogue> catalogue = folder_.load();
    EXPECT_TRUE(catalogue.ok()) << catalogue.error().message;
    catalogue_ = *catalogue;
    return load_library(name, {folder_.root() / "libraries"}, catalogue_);
  }
  std::string error(const std::string& text, const std::string& name = "tiny") {
    const Result<Library> library = load(text, name);
    if (library.ok()) return "loaded";
    const std::string& message = library.error().message;
    return message.substr(message.find("tiny.toml") == std::string::npos ? 0 : message.find("tiny.toml"));
  }
  const Operator& op() { return *catalogue_.find("aten::op").value(); }

  CatalogueFolder folder_;
  Catalogue catalogue_;
};

TEST_F(LibraryFile, ACandidateCallsWhatTheLibraryHas) {
  const auto library = load(kHead + "[operators.\"aten::op\"]\nop = \"tiny.ops:op\"\n");
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(library_candidate(*library, op()),
            "# aten::op of tiny: made from tiny.toml, each entry calls the library.\n"
            "import torch  # noqa: F401\n"
            "from tiny.ops import op as library_op\n"
            "\n\ndef op(self, dim, *, alpha=1):\n    return library_op(self, dim, alpha=alpha)\n");
  EXPECT_EQ(library->lacking(op()), std::vector<std::string>{"op_out"});
}

TEST_F(LibraryFile, AnArgumentMapStandsInTheCall) {
  const auto library =
      load(kHead +
           "[operators.\"aten::op\"]\nop_out = { path = \"tiny:op_\", args = \"out, self.contiguous()\" }\n");
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_NE(library_candidate(*library, op())
                .find("def op_out(self, *, out):\n    library_op_out(out, self.contiguous())\n"),
            std::string::npos)
      << "an entry that returns nothing returns nothing";
}

TEST_F(LibraryFile, AnOperatorThatTheLibraryLacksLacksEveryEntry) {
  const auto library = load(kHead + "[operators]\n");
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(library->lacking(op()), (std::vector<std::string>{"op", "op_out"}));
}

TEST_F(LibraryFile, MistakesAreToldByFileAndLine) {
  EXPECT_EQ(error("schema = \n").substr(0, 13), "tiny.toml:1: ");
  EXPECT_EQ(error(kHead), "tiny.toml:1: operators: is missing: [operators.\"aten::add\"] and so on");
  EXPECT_EQ(
      error(kHead + "[operators.\"aten::opp\"]\n"),
      "tiny.toml:5: operators.aten::opp: aten::opp is no operator.  Did you mean aten::op?  (kgbench list)");
  EXPECT_EQ(error(kHead + "[operators.\"aten::op\"]\nop_outt = \"tiny:op\"\n"),
            "tiny.toml:6: operators.aten::op.op_outt: is no entry (did you mean 'op_out'?)");
  EXPECT_EQ(error(kHead + "[operators.\"aten::op\"]\nop = \"tiny.op\"\n"),
            "tiny.toml:6: operators.aten::op.op: 'tiny.op' is not of the form \"module:function\"");
  EXPECT_EQ(error(kHead + "color = 1\n[operators]\n"), "tiny.toml:5: color: unknown key");
  EXPECT_EQ(error("schema = \"library/2\"\n" + kHead.substr(kHead.find('\n') + 1) + "[operators]\n"),
            "tiny.toml:1: schema: must be \"library/1\"");
}

TEST_F(LibraryFile, OneLineTellsTheFirstMistakeAndTheirNumber) {
  const std::string said = error("package = \"x\"\n[operators]\n");
  EXPECT_NE(said.find("schema: is missing  (and 2 more)"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

TEST_F(LibraryFile, AnUnknownNameIsAnsweredWithWhatMayBeMeant) {
  EXPECT_EQ(error(kHead + "[operators]\n", "tinny"),
            "no library 'tinny' (did you mean 'tiny'?)  (kgbench list --libraries)");
}

TEST(LibraryVersion, LiesInARangeOfBounds) {
  EXPECT_TRUE(in_range("5.0.2", ">=5.0.2, <5.1"));
  EXPECT_TRUE(in_range("5.0.2.post1", ">=5.0.2,<5.1"));
  EXPECT_TRUE(in_range("5.0.10+cu128", ">=5.0.2,<5.1"));
  EXPECT_FALSE(in_range("5.1", ">=5.0.2,<5.1"));
  EXPECT_FALSE(in_range("5.0.1", ">=5.0.2,<5.1"));
  EXPECT_TRUE(in_range("5.0", "==5"));
  EXPECT_FALSE(in_range("5.0", "~=5")) << "an unknown relation holds for nothing";
}

}  // namespace
}  // namespace kgb
