// SPDX-License-Identifier: Apache-2.0
// Names of kernels as CUPTI and Nsight tell them, of several generations of devices and libraries.
#include "judge/kernel_origin.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

struct Named {
  const char* name;
  const char* library;
  bool helper = false;
};

TEST(KernelOrigin, KnowsTheLibrariesByTheirNames) {
  const Named all[] = {
      {"ampere_sgemm_128x64_tn", "cuBLAS"},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", "cuBLAS"},
      {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn", "cuBLAS"},
      {"volta_sgemm_32x128_nn", "cuBLAS"},
      {"turing_h1688gemm_128x128_ldg8_nn", "cuBLAS"},
      {"maxwell_sgemm_128x64_nn", "cuBLAS"},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_"
       "execute_"
       "kernel__5x_cublas",
       "cuBLAS"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1_bias_f32_execute_"
       "segment_"
       "k_off_kernel__5x_cublas",
       "cuBLAS"},
      {"sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize64x64x16_execute_kernel", "cuBLAS"},
      {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT", "cuBLAS"},
      {"nvjet_hsh_192x192_64x4_2x1_v_bz_coopB_TNN", "cuBLAS"},
      {"void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false, false, "
       "cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__half const>, float> >(float, float)",
       "cuBLAS"},
      {"void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024, cublasGemvParams<float> >(int)",
       "cuBLAS"},
      {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>, float> >(float)",
       "cuBLAS"},
      {"void splitKreduce_kernel<32, 16, int, float, float, float, float, true, false, false>(float const*)",
       "cuBLAS"},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, __half>(cublasLt::cublasSplitKParams<float>)",
       "cuBLAS"},
      {"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>("
       "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8::Params)",
       "CUTLASS"},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> >(int)", "CUTLASS"},
      {"cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1", "CUTLASS"},
      {"void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>(float)", "cuDNN"},
      {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_execute_kernel__5x_"
       "cudnn",
       "cuDNN"},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x128_4x1x1_kernel0_0",
       "cuDNN"},
      {"void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, true, false, true>(int)", "cuDNN"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
       "ATen"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
       "ATen"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > "
       ">(int)",
       "ATen"},
      {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float>(float*)", "ATen"},
      {"void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<int>(int)", "ATen"},
      {"triton_poi_fused_add_mul_0", "Inductor"},
      {"triton_red_fused__softmax_0", "Inductor"},
      {"triton_per_fused_mean_1", "Inductor"},
      {"triton_tem_fused_mm_0", "Inductor"},
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(int)",
       "FlashAttention"},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<int>::Params)",
       "FlashAttention"},
      {"void regular_fft<256u, EPT<4u>, 32u>(int)", "cuFFT"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "NCCL"},
      {"void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)", "vLLM"},
      {"void cub::DeviceReduceSingleTileKernel<int>(int)", "CUB"},
  };
  for (const Named& one : all) {
    EXPECT_EQ(origin_of_kernel(one.name).library, one.library) << one.name;
    EXPECT_FALSE(origin_of_kernel(one.name).helper) << one.name;
  }
}

TEST(KernelOrigin, TellsFillsAndCopiesFromComputing) {
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, "
        "1ul> "
        ">(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
        "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda("
        "at::TensorIteratorBase&)::{lambda(float)#1} >(int)"})
    EXPECT_TRUE(origin_of_kernel(name).helper) << name;
}

TEST(KernelOrigin, LeavesTheCandidateItsNames) {
  for (const char* name :
       {"softmax_kernel", "_rms_norm_fwd", "matmul_kernel", "gemm", "my_sgemm_kernel", "ampere_softmax",
        "copy_kernel", "triton_kernel", "dot_kernel", "_ZN4mine6kernelEPf",
        "void mine::reduce<float>(float*)", "void mine::scale<c10::BFloat16>(c10::BFloat16*)", ""})
    EXPECT_EQ(origin_of_kernel(name).library, "") << name;
}

TEST(KernelOrigin, ShortensNamesForPeople) {
  EXPECT_EQ(
      short_kernel_name("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(float*)"),
      "at::native::cunn_SoftMaxForward");
  EXPECT_EQ(short_kernel_name("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
                              "addIfEESt5arrayIPcLm3EEEEviT0_T1_"),
            "at::native::vectorized_elementwise_kernel");
  EXPECT_EQ(short_kernel_name("softmax_kernel"), "softmax_kernel");
}

}  // namespace
}  // namespace kgb
