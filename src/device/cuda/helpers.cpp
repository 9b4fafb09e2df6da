// SPDX-License-Identifier: Apache-2.0
// PTX of the helpers and their launches.
#include "device/cuda/helpers.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace kgb::device::cuda {
namespace {

constexpr unsigned kThreads = 256, kFlushBlocks = 1024;
constexpr std::int64_t kFlushTimesL2 = 4, kSmallestFlush = std::int64_t{64} << 20;

constexpr const char* kStamp = R"(
.visible .entry kgb_stamp(.param .u64 at)
{
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [at];
  cvta.to.global.u64 %d1, %d1;
  mov.u64 %d2, %globaltimer;
  st.global.u64 [%d1], %d2;
  ret;
}
)";

// Every thread reads 16 bytes at a time and would store their bits if they came out as one number that they
// never come out as: the buffer holds zeros.
constexpr const char* kRead = R"(
.visible .entry kgb_read(.param .u64 from, .param .u64 words)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %d<10>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d1, %r1, %r2;
  cvt.u64.u32 %d2, %r3;
  add.u64 %d1, %d1, %d2;
  mul.wide.u32 %d3, %r4, %r2;
  ld.param.u64 %d4, [from];
  cvta.to.global.u64 %d4, %d4;
  ld.param.u64 %d5, [words];
  mov.u64 %d6, 0;
next:
  setp.ge.u64 %p, %d1, %d5;
  @%p bra done;
  shl.b64 %d7, %d1, 4;
  add.u64 %d7, %d4, %d7;
  ld.global.v2.u64 {%d8, %d9}, [%d7];
  or.b64 %d6, %d6, %d8;
  or.b64 %d6, %d6, %d9;
  add.u64 %d1, %d1, %d3;
  bra next;
done:
  setp.ne.u64 %p, %d6, 81985529216486895;
  @%p bra out;
  st.global.u64 [%d4], %d6;
out:
  ret;
}
)";

// One thread an element; indices are 32 bits wide, so queue_copy() refuses 2^31 elements and more.
std::string copy_ptx(std::size_t bytes) {
  const std::string size = std::to_string(bytes);
  std::string text = "\n.visible .entry kgb_copy" + size +
                     "(.param .u64 to, .param .u64 from, .param .u32 n, .param .align 8 .b8 axes[" +
                     std::to_string(kCopyAxes * 24) + R"(])
{
  .reg .pred %p;
  .reg .b16 %h1;
  .reg .b32 %r<10>;
  .reg .b64 %d<9>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p bra done;
  ld.param.u64 %d1, [to];
  cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [from];
  cvta.to.global.u64 %d2, %d2;
)";
  for (std::size_t axis = kCopyAxes; axis-- > 0;) {
    const auto at = [&](std::size_t field) {
      return "[axes+" + std::to_string(24 * axis + 8 * field) + "];\n";
    };
    text += "  ld.param.u64 %d3, " + at(0) + "  cvt.u32.u64 %r6, %d3;\n" +
            "  div.u32 %r7, %r4, %r6;\n  mul.lo.u32 %r8, %r7, %r6;\n  sub.u32 %r8, %r4, %r8;\n  mov.u32 %r4, "
            "%r7;\n" +
            "  cvt.u64.u32 %d4, %r8;\n" + "  ld.param.u64 %d5, " + at(1) +
            "  mad.lo.s64 %d1, %d4, %d5, %d1;\n" + "  ld.param.u64 %d6, " + at(2) +
            "  mad.lo.s64 %d2, %d4, %d6, %d2;\n";
  }
  const auto move = [&](const std::string& type, const std::string& reg) {
    return "  ld.global." + type + " " + reg + ", [%d2];\n  st.global." + type + " [%d1], " + reg + ";\n";
  };
  text += bytes == 1   ? move("b8", "%h1")
          : bytes == 2 ? move("b16", "%h1")
          : bytes == 4 ? move("b32", "%r9")
          : bytes == 8 ? move("b64", "%d7")
                       : "  ld.global.v2.b64 {%d7, %d8}, [%d2];\n  st.global.v2.b64 [%d1], {%d7, %d8};\n";
  return text + "done:\n  ret;\n}\n";
}

}  // namespace

std::string helper_ptx() {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
  text += kStamp;
  text += kRead;
  for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u}) text += copy_ptx(bytes);
  return text;
}

Result<Helpers> Helpers::load(const Driver& driver, std::int64_t l2_bytes) {
  Helpers helpers(driver);
  KGB_CHECK(driver.check(driver.module_load(&helpers.module_, helper_ptx().c_str()),
                         "loading kgbench's own kernels"));
  const auto find = [&](void*& function, const std::string& name) {
    return driver.check(driver.module_function(&function, helpers.module_, name.c_str()), name.c_str());
  };
  KGB_CHECK(find(helpers.stamp_, "kgb_stamp"));
  KGB_CHECK(find(helpers.read_, "kgb_read"));
  for (unsigned i = 0; i < 5; ++i) KGB_CHECK(find(helpers.copy_[i], "kgb_copy" + std::to_string(1u << i)));
  const std::int64_t flush = std::max(kFlushTimesL2 * l2_bytes, kSmallestFlush);
  helpers.flush_words_ = static_cast<std::uint64_t>(flush) / 16;
  KGB_CHECK(driver.check(driver.memory_alloc(&helpers.stamps_, 16), "memory of the clock"));
  KGB_CHECK(driver.check(driver.memory_alloc(&helpers.flush_, static_cast<std::size_t>(flush)),
                         "memory of the clock"));
  KGB_CHECK(driver.check(driver.set_bytes(helpers.flush_, 0, static_cast<std::size_t>(flush), nullptr),
                         "memory of the clock"));
  KGB_CHECK(driver.check(driver.stream_synchronize(nullptr), "memory of the clock"));
  return helpers;
}

void Helpers::release() const {
  driver_->module_unload(module_);
  for (const Address at : {stamps_, flush_}) driver_->memory_free(at);
}

Result<void*> Helpers::stamped(void* inner) const {
  void *graph = nullptr, *exec = nullptr, *last = nullptr, *node = nullptr;
  KGB_CHECK(driver_->check(driver_->graph_create(&graph, 0), "a graph"));
  for (int i = 0; i < 2; ++i) {
    Address at = stamps_ + 8 * static_cast<Address>(i);
    void* parameters[] = {&at};
    KernelNode stamp;
    stamp.function = stamp_;
    stamp.parameters = parameters;
    KGB_CHECK(driver_->check(driver_->graph_add_kernel(&node, graph, &last, last == nullptr ? 0 : 1, &stamp),
                             "a stamp in a graph"));
    last = node;
    if (i == 0 && inner != nullptr) {
      KGB_CHECK(
          driver_->check(driver_->graph_add_child(&node, graph, &last, 1, inner), "the plan in a graph"));
      last = node;
    }
  }
  const int made = driver_->graph_instantiate(&exec, graph, 0);
  driver_->graph_destroy(graph);
  KGB_CHECK(driver_->check(made, "the graph of the plan"));
  return exec;
}

Status Helpers::launch(void* function, unsigned blocks, void** parameters, void* stream) const {
  LaunchConfig config;
  config.grid[0] = blocks;
  config.block[0] = kThreads;
  config.stream = stream;
  return driver_->check(driver_->launch(&config, function, parameters, nullptr),
                        "one of kgbench's own kernels");
}

Status Helpers::queue_flush(void* stream) const {
  return queue_read(flush_, 16 * flush_words_, stream);
}

Status Helpers::queue_read(Address from, std::size_t bytes, void* stream) const {
  std::uint64_t words = bytes / 16;
  void* parameters[] = {&from, &words};
  return launch(read_, kFlushBlocks, parameters, stream);
}

Status Helpers::queue_copy(const StridedCopy& copy, void* stream) const {
  if (copy.axes.size() > kCopyAxes || !std::has_single_bit(copy.element_bytes) || copy.element_bytes > 16)
    return internal_error("a strided copy of this form has no kernel");
  std::array<CopyAxis, kCopyAxes> axes{};
  std::copy_backward(copy.axes.begin(), copy.axes.end(), axes.end());
  std::int64_t n = 1;
  for (const CopyAxis& axis : copy.axes) n *= axis.extent;
  if (n == 0) return ok_status();
  if (n > INT32_MAX) return internal_error("a strided copy of 2^31 elements has no kernel");
  Address to = copy.to, from = copy.from;
  auto count = static_cast<std::uint32_t>(n);
  void* parameters[] = {&to, &from, &count, axes.data()};
  void* function = copy_[std::countr_zero(copy.element_bytes)];
  return launch(function, (count + kThreads - 1) / kThreads, parameters, stream);
}

}  // namespace kgb::device::cuda
