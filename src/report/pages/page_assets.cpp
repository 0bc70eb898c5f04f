#include "report/pages/page_assets.h"

#include "hashes.h"

// The assembler reads the files: as text they would take the compiler a minute.
#define WGP_ASSET(name, file)                                                                               \
  __asm__(".section .rodata\n.hidden " #name "\n.global " #name "\n.balign 16\n" #name ":\n.incbin \"" file \
          "\"\n.hidden " #name "_end\n.global " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");        \
  extern "C" const char name[] __attribute__((visibility("hidden")));                                       \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));

WGP_ASSET(wgp_page_style, WGP_PAGE_DIST "/page.css")
WGP_ASSET(wgp_page_loader, WGP_PAGE_DIST "/loader.js")
WGP_ASSET(wgp_page_program, WGP_PAGE_DIST "/program.js.lzma")
WGP_ASSET(wgp_page_module, WGP_PAGE_DIST "/module.wasm.lzma")

namespace wgp::report {
namespace {
std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }
}  // namespace

std::string_view page_style() { return between(wgp_page_style, wgp_page_style_end); }
std::string_view page_loader() { return between(wgp_page_loader, wgp_page_loader_end); }
std::string_view page_program() { return between(wgp_page_program, wgp_page_program_end); }
std::string_view page_module() { return between(wgp_page_module, wgp_page_module_end); }
std::string_view page_style_hash() { return page_style_sha256; }
std::string_view page_loader_hash() { return page_loader_sha256; }
std::string_view page_program_hash() { return page_program_sha256; }

}  // namespace wgp::report
