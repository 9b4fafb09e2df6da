// SPDX-License-Identifier: Apache-2.0
// SHA-256, base64 and Philox against published vectors.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/base64.hpp"
#include "base/philox.hpp"

namespace kgb {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(sha256_hex(std::string_view("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string_view("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 pieces;
    pieces.update(std::string_view(text).substr(0, cut)).update(std::string_view(text).substr(cut));
    ASSERT_EQ(pieces.finish(), sha256(std::string_view(text))) << cut;
  }
}

TEST(Base64, PublishedVectors) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : rows) {
    EXPECT_EQ(base64_encode(bytes_of(plain)), coded);
    const auto back = base64_decode(coded);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(back->data()), back->size()), plain);
  }
}

TEST(Base64, OnlyTheCanonicalFormIsRead) {
  for (const char* bad :
       {"Zg", "Zg=", "Z===", "Zh==", "Zm9=", "Zm8\n", "=Zm8", "Zm=8", "Zg==Zg==", "Zm9v-_=="}) {
    EXPECT_FALSE(base64_decode(bad).has_value()) << bad;
  }
}

TEST(Philox, VectorsOfTheAuthorsOfTheGenerator) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, PhiloxKey{0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox4x32({all, all, all, all}, PhiloxKey{all, all}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, PhiloxKey{0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SixtyFourBitFormPutsTheLowWordFirst) {
  EXPECT_EQ(philox4x32(0x0000000200000001u, 0x0000000400000003u), philox4x32({1, 2, 0, 0}, PhiloxKey{3, 4}));
}

}  // namespace
}  // namespace kgb
