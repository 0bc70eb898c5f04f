// A web server for the person who started it: on 127.0.0.1 alone, and for whoever knows its secret address alone.
//
//   http://127.0.0.1:PORT/TOKEN/NAME
//
// It is a module of its own, which the command loads when it is wanted: what it is made with takes the start of a
// program twice the time. Nothing is thrown across.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wgp::serve {

struct Request {
  std::string route;         // its name
  std::string file_name;     // of ?name=...; empty: none
  std::string content_type;  // without parameters, in small letters
  std::string body;
};

struct Answer {
  int status = 200;
  std::string content_type, body;
};

struct Route {
  std::string method;          // GET or POST
  std::string name;            // behind the token and its slash; empty: the page
  std::size_t most_bytes = 0;  // of a body
};

struct Settings {
  std::string token;    // of letters and digits; whoever knows it may ask for everything
  std::string opening;  // an address that works once, /OPENING, and leads to the page; empty: none
  std::vector<Route> routes;
  std::vector<std::pair<std::string, std::string>> headers;  // of every answer
  std::function<Answer(Request&&)> answer;                   // by several threads at a time
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  // Takes the port (0: a free one), and returns it; negative: the error number, negated.
  virtual int take_port(int port) = 0;
  virtual void run() = 0;  // does not end by itself
};

// What the module has under the name "wgp_http_server".
using MakeHttpServer = HttpServer*(const Settings*);

}  // namespace wgp::serve
