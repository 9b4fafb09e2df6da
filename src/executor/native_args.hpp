// SPDX-License-Identifier: Apache-2.0
// A call as native candidates see it: storages with real values behind the C ABI of
// include/kgbench/candidate.h.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kgbench/candidate.h"
#include "model/call.hpp"

namespace kgb {

// What an entry returns, by the contract: path, dtype, shape and strides (elements).
struct NativeOutput {
  std::string path;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape, strides;
};

// Owns the memory of one call. Every tensor has a storage of its own, aligned to 64 bytes.
class NativeCall {
 public:
  // Makes storages (inputs unfilled) and the C structs.
  NativeCall(const Call& call, std::vector<NativeOutput> outputs);
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;

  // Fills the inputs with the values of (seed, trial, number) and the outputs with `poison`.
  void fill(std::uint64_t seed, int trial, int number, std::byte poison);
  [[nodiscard]] const KgbCall& abi() const { return abi_; }
  // Paths of inputs that the schema does not let the call write and that changed since fill().
  [[nodiscard]] std::vector<std::string> changed_inputs() const;
  // Contiguous bytes of a returned output ("return", "return[1]") or of a tensor argument.
  struct Taken {
    std::string path;
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;
  };
  [[nodiscard]] std::vector<Taken> take_results() const;

 private:
  struct Storage {
    std::string path;
    TensorSpec spec;
    std::vector<std::byte> raw;  // over-allocated for alignment
    std::byte* data = nullptr;
    std::vector<std::byte> before;  // read-only inputs: what fill() wrote
    std::vector<std::int64_t> shape, strides;
    DLTensor tensor{};
  };
  Storage& add_storage(std::string path, TensorSpec spec);
  void add_arg(const Arg& arg);

  Call call_;
  std::deque<Storage> inputs_, outputs_;  // deque: the C structs point into it
  std::deque<std::vector<DLTensor*>> lists_;
  std::deque<std::string> texts_;
  std::vector<KgbArg> args_;
  std::vector<DLTensor*> output_pointers_;
  KgbCall abi_{};
};

}  // namespace kgb
