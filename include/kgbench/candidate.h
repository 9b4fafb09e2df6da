// SPDX-License-Identifier: Apache-2.0
// The C ABI of native candidates: what a `.cpp` file includes to implement an operator's entries on the CPU.
//
//   #include <kgbench/candidate.h>
//   extern "C" int kgb_add(const KgbCall* call) { ...; return 0; }
//
// One function `kgb_<entry>` per entry of the card. Inputs come in the order of the card's schema. Returned
// tensors are allocated by the caller with the contract's dtype, shape and strides and lie in `outputs`, in
// order; arguments that the schema lets the call write are written in place. Return 0, or any other value for
// "cannot do this". Available: the C and C++ standard libraries and OpenMP.
#ifndef KGBENCH_CANDIDATE_H
#define KGBENCH_CANDIDATE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The structs of DLPack 0.6 (dlpack.h), member for member, so that a pointer to one is a pointer to the
// other.
#ifndef DLPACK_DLPACK_H_
typedef struct {
  int32_t device_type;  // 1: CPU
  int32_t device_id;
} DLDevice;
typedef struct {
  uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex
  uint8_t bits;
  uint16_t lanes;  // 1
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;      // elements, never null
  uint64_t byte_offset;  // 0: `data` points at the first element
} DLTensor;
#endif

typedef enum {
  KGB_NONE = 0,
  KGB_TENSOR = 1,
  KGB_TENSORS = 2,  // list of tensors, pointer arrays included; NULL where an item is None
  KGB_INT = 3,
  KGB_FLOAT = 4,
  KGB_BOOL = 5,  // in `integer`
  KGB_COMPLEX = 6,
  KGB_STRING = 7,
  KGB_INTS = 8,
  KGB_DTYPE = 9,  // in `string`: "f32"
  KGB_SEED = 10   // a generator: its seed in `integer`
} KgbKind;

typedef struct {
  const char* name;
  KgbKind kind;
  int64_t count;  // of `tensors` or `integers`
  DLTensor* tensor;
  DLTensor* const* tensors;
  int64_t integer;
  double real, imaginary;
  const char* string;
  const int64_t* integers;
} KgbArg;

typedef struct {
  int32_t abi;  // KGB_ABI
  int32_t n_args;
  const KgbArg* args;
  int32_t n_outputs;
  DLTensor* const* outputs;
} KgbCall;

#define KGB_ABI 1

#ifdef __cplusplus
}
#endif

#endif
