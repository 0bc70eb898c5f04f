// What every page is made of besides its words: the style sheet, the program and the module, as page/dist holds them.
#pragma once

#include <string_view>

namespace wgp::report {

std::string_view page_style();
std::string_view page_loader();   // a program that unpacks the other two
std::string_view page_program();  // LZMA
std::string_view page_module();   // WebAssembly, LZMA

// base64 of SHA-256, for the page's security policy; the program's is that of its text.
std::string_view page_style_hash();
std::string_view page_loader_hash();
std::string_view page_program_hash();

}  // namespace wgp::report
