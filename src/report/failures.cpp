// SPDX-License-Identifier: Apache-2.0
// The table from kinds of findings to classes of failures.
#include "report/failures.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"

namespace kgb {
namespace {

using Class = FailureClass;

// Every kind of model/finding_kinds.def that decides a verdict; a test holds it to that.
constexpr std::pair<std::string_view, Class> kClasses[]{
    {"no_code", Class::no_code},
    {"not_utf8", Class::syntax},
    {"syntax_error", Class::syntax},
    {"missing_entry", Class::contract},
    {"import_refused", Class::fallback},
    {"import_error", Class::exception},
    {"frontend_error", Class::does_not_compile},
    {"native_compile_error", Class::does_not_compile},
    {"bad_description", Class::does_not_compile},
    {"cuda_compile_error", Class::does_not_compile},
    {"device_compile_error", Class::does_not_compile},
    {"host_exception", Class::exception},
    {"native_crash", Class::exception},
    {"exited", Class::exception},
    {"deadline", Class::timeout},
    {"step_limit", Class::timeout},
    {"endless_wait", Class::timeout},
    {"memory_limit", Class::out_of_memory},
    {"forged_result", Class::tampering},
    {"invalid_plan", Class::tampering},
    {"odd_return", Class::tampering},
    {"judge_patched", Class::tampering},
    {"torch_compute", Class::fallback},
    {"library_kernel", Class::fallback},
    {"torch_random", Class::fallback},
    {"helper_is_operator", Class::fallback},
    {"upload_too_large", Class::fallback},
    {"upload_after_read", Class::fallback},
    {"no_launch", Class::fallback},
    {"host_read", Class::unsupported},
    {"read_differs", Class::unsupported},
    {"recorder_unsupported", Class::unsupported},
    {"not_in_process", Class::unsupported},
    {"reads_clock", Class::unsupported},
    {"needs_device", Class::unsupported},
    {"vm_unsupported", Class::unsupported},
    {"not_in_library", Class::unsupported},
    {"wrong_structure", Class::contract},
    {"wrong_dtype", Class::contract},
    {"wrong_shape", Class::contract},
    {"wrong_strides", Class::contract},
    {"wrong_alias", Class::contract},
    {"input_mutated", Class::contract},
    {"output_overlap", Class::contract},
    {"out_of_bounds", Class::memory},
    {"red_zone", Class::memory},
    {"device_fault", Class::memory},
    {"uninitialised_read", Class::memory},
    {"use_after_free", Class::memory},
    {"offset_overflow", Class::memory},
    {"race", Class::race},
    {"order_dependence", Class::race},
    {"kernel_assert", Class::undefined},
    {"division_by_zero", Class::undefined},
    {"undefined_value", Class::undefined},
    {"device_refused", Class::launch},
    {"uninitialised_output", Class::never_written},
    {"value_mismatch", Class::wrong_value},
    {"nonfinite_mismatch", Class::wrong_nonfinite},
    {"not_random", Class::wrong_random},
    {"too_fast", Class::too_fast},
};

// What Python and Triton say of names and arguments that nobody defined. An attribute of None is a slip in
// the candidate's own code.
bool names_what_is_not_there(const Finding& finding) {
  if (finding.message.find("'NoneType' object has no attribute") != std::string::npos) return false;
  for (const char* words :
       {"has no attribute", "cannot import name", "No module named", "got an unexpected keyword argument"})
    if (finding.message.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string_view name_of(FailureClass failure) {
  switch (failure) {
    case Class::no_code:
      return "no code";
    case Class::syntax:
      return "syntax";
    case Class::invented_api:
      return "invented API";
    case Class::does_not_compile:
      return "does not compile";
    case Class::exception:
      return "exception or exit";
    case Class::contract:
      return "contract: structure, dtype, shape, alias";
    case Class::wrong_value:
      return "wrong value: beyond the bound";
    case Class::wrong_nonfinite:
      return "wrong value: NaN or infinity";
    case Class::never_written:
      return "wrong value: never written";
    case Class::wrong_random:
      return "wrong value: not random";
    case Class::too_fast:
      return "faster than physics";
    case Class::memory:
      return "memory access";
    case Class::race:
      return "race or order dependence";
    case Class::undefined:
      return "undefined value or assertion";
    case Class::launch:
      return "launch refused by the device";
    case Class::timeout:
      return "timeout";
    case Class::out_of_memory:
      return "out of memory";
    case Class::fallback:
      return "fallback to torch or a library";
    case Class::tampering:
      return "tampering";
    case Class::unsupported:
      return "not supported by the judge";
    case Class::other:
      break;
  }
  return "other";
}

std::optional<FailureClass> failure_class_of(std::string_view finding_kind) {
  for (const auto& [kind, failure] : kClasses)
    if (kind == finding_kind) return failure;
  return std::nullopt;
}

std::optional<FailureClass> failure_of(const StoredEvaluation& stored) {
  const Evaluation& e = stored.evaluation;
  if (e.verdict == Verdict::pass || e.verdict == Verdict::infra) return std::nullopt;
  const Finding* why = deciding_finding(e);
  if (trim(stored.source).empty() && (why == nullptr || why->kind == "not_utf8")) return Class::no_code;
  if (why == nullptr) return Class::other;
  const FailureClass failure = failure_class_of(why->kind).value_or(Class::other);
  const bool may_be_invented = failure == Class::exception || failure == Class::does_not_compile;
  return may_be_invented && names_what_is_not_there(*why) ? Class::invented_api : failure;
}

}  // namespace kgb
