// SPDX-License-Identifier: Apache-2.0
// Runs one fuzz target over the files of its corpus, for builds without libFuzzer.
// usage: fuzz_NAME FILE-OR-FOLDER...
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_of(int count, char** names) {
  std::vector<std::filesystem::path> found;
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(names[i])) {
      found.emplace_back(names[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(names[i]))
      if (entry.is_regular_file()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const auto files = files_of(argc - 1, argv + 1);
  for (const auto& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());  // the last line names the input that crashed
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) return 1;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
