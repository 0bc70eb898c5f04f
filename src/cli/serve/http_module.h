// The web server, which is in a module of its own beside the command (see serve/http_server.h).
#pragma once

#include <memory>

#include "serve/http_server.h"

namespace wgp::cli {

// Error where there is none, with what is missing.
std::unique_ptr<serve::HttpServer> load_http_server(const serve::Settings& settings);

// So many random bytes of the operating system's, in hexadecimal digits.
std::string random_token(std::size_t bytes = 16);

}  // namespace wgp::cli
