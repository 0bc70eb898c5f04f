// The functions of fmt that its header only declares.
#include "core/format.h"

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template char decimal_point_impl(locale_ref);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
