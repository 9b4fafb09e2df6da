// SPDX-License-Identifier: Apache-2.0
// Launch descriptions: where they stand in a source, what is read, what is refused and on which line.
#include "catalogue/launch_description.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

constexpr const char* kLaunch = R"toml([[entry.launch]]
kernel = "add<{dtype(self)}, {n}>"
grid = ["cdiv(n, 256)", 2]
block = 256
args = ["self", "f64(alpha)", 3]
)toml";

std::string source(const std::string& body) {
  return "// mine\n/* a licence */\n/* kgbench\n" + body + "*/\n__global__ void add() {}\n";
}

std::string entry(const std::string& keys = "") {
  return "[[entry]]\nname = \"add_Tensor\"\n" + keys + kLaunch;
}

TEST(LaunchDescription, IsReadFromItsComment) {
  const ReadDescription read = read_launch_description(source(entry("let = { n = \"numel(self)\" }\n")));
  ASSERT_TRUE(read.description) << read.complaint;
  const DescribedEntry* described = read.description->find("add_Tensor");
  ASSERT_NE(described, nullptr);
  EXPECT_EQ(read.description->find("add_Scalar"), nullptr);
  ASSERT_EQ(described->launches.size(), 1u);
  const DescribedLaunch& launch = described->launches.front();
  EXPECT_EQ(launch.line, 8) << "of the file";
  EXPECT_EQ(launch.kernel.begin, "add<");
  ASSERT_EQ(launch.kernel.rest.size(), 2u);
  EXPECT_EQ(launch.kernel.rest[1].second, ">");
  EXPECT_EQ(launch.grid.size(), 2u);
  ASSERT_EQ(launch.args.size(), 3u);
  EXPECT_FALSE(launch.args[0].as.has_value());
  EXPECT_EQ(launch.args[1].as, DType::f64);
}

struct Mistake {
  std::string body;
  int line;
  std::string says;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreToldWithTheirLine) {
  const ReadDescription read = read_launch_description(source(GetParam().body));
  EXPECT_FALSE(read.description.has_value());
  EXPECT_EQ(read.line, GetParam().line) << read.complaint;
  EXPECT_NE(read.complaint.find(GetParam().says), std::string::npos) << read.complaint;
}

INSTANTIATE_TEST_SUITE_P(
    Launch, Mistakes,
    testing::Values(
        Mistake{"[[entry]\n", 4, "no TOML"}, Mistake{"x = 1\n", 4, "unknown key 'x'"},
        Mistake{entry("grids = 1\n"), 6, "unknown key 'grids'"},
        Mistake{entry("let = { n = \"numel(\" }\n"), 6, "let"},
        Mistake{entry("let = { n = \"int(1, 5)\" }\n"), 6, "draws at random"},
        Mistake{entry("scratch = { p = { dtype = \"f32\" } }\n"), 6, "no shape"},
        Mistake{entry() + entry(), 12, "'add_Tensor' twice"},
        Mistake{"[compile]\nstd = \"c++98\"\n" + entry(), 5, "c++14, c++17 or c++20"},
        Mistake{"[compile]\nmax_registers = 3\n" + entry(), 5, "from 16 to 255"},
        Mistake{"[[entry]]\nname = \"a\"\n", 4, "no [[entry.launch]]"},
        Mistake{"[[entry]]\nname = \"a\"\n[[entry.launch]]\nkernel = \"f<{n\"\nblock = 1\nargs = []\n", 7,
                "{ without its }"}));

TEST(LaunchDescription, MustBeThere) {
  for (const char* text :
       {"", "__global__ void f() {}", "/* kgbench */", "// kgbench\n", "/* kgbench\n[[entry]]"})
    EXPECT_NE(read_launch_description(text).complaint.find("no launch description"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace kgb
