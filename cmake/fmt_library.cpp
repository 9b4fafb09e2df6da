// SPDX-License-Identifier: Apache-2.0
// The definitions of fmt, compiled once. Debian ships fmt's headers and a shared object but no static
// archive, and the header-only form costs every file that formats two to three seconds of compiler time.
#include <fmt/format-inl.h>

#include <locale>

FMT_BEGIN_NAMESPACE
namespace detail {

// What fmt's headers declare as templates and leave to the library to instantiate.
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
