#include "cli/serve/http_module.h"

#include <dlfcn.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp::cli {
namespace {

constexpr const char* module_name = "wgp_http.so";

// Beside the command, as it is built, or where it is installed: never by a search path, which others may set.
void* open_module(std::string& why) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const auto& path : {folder / module_name, folder / WGP_MODULE_FOLDER / module_name}) {
    if (!std::filesystem::exists(path, failed)) continue;
    if (void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    if (const char* said = dlerror()) why = said;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<serve::HttpServer> load_http_server(const serve::Settings& settings) {
  std::string why;
  void* const module = open_module(why);
  if (module == nullptr)
    throw Error(
        why.empty()
            ? fmt::format("this wgp was built without its web server (-DWGP_EXPLORE=ON, with libcpp-httplib-dev "
                          "installed, builds it; Debian's package of wgp has it); 'wgp report' writes the page "
                          "to a file, which decodes as well")
            : fmt::format("the web server cannot be loaded: {}", why));
  auto* const make = reinterpret_cast<serve::MakeHttpServer*>(dlsym(module, "wgp_http_server"));
  if (make == nullptr) throw Error(fmt::format("{} is not of this wgp", module_name));
  return std::unique_ptr<serve::HttpServer>(make(&settings));
}

std::string random_token(std::size_t bytes) {
  std::string token;
  for (std::size_t k = 0; k < bytes; ++k) {
    unsigned char byte = 0;
    while (getrandom(&byte, 1, 0) != 1)
      if (errno != EINTR) throw Error(fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

}  // namespace wgp::cli
