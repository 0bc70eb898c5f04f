#include "serve/http_server.h"

#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

namespace wgp::serve {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// Bounds on what a connection costs, whoever is at its other end. Times go for the whole of something, so that a byte
// now and then buys none.
constexpr seconds head_time{10}, body_time{60}, answer_time{60}, idle_time{60}, lingering_time{1};
constexpr std::size_t most_head_bytes = 32768, most_lingering_bytes = std::size_t{1} << 20;
constexpr std::size_t most_connections = 64;
constexpr int most_requests = 1000000;  // of a connection

// The open connections. One that has not shown the token gives way where there are too many.
class Connections {
 public:
  void add(int socket) {
    const std::lock_guard lock(mutex_);
    open_.push_back({socket});
  }
  void trust(int socket) {
    const std::lock_guard lock(mutex_);
    for (One& one : open_)
      if (one.socket == socket) one.is_trusted = true;
  }
  // Before the socket is closed: its number is another connection's then.
  void remove(int socket) {
    const std::lock_guard lock(mutex_);
    open_.remove_if([&](const One& one) { return one.socket == socket; });
  }
  void end_oldest_stranger() {
    const std::lock_guard lock(mutex_);
    for (One& one : open_)
      if (!one.is_trusted && !one.is_ended) {
        one.is_ended = true;
        shutdown(one.socket, SHUT_RDWR);
        return;
      }
  }

 private:
  struct One {
    int socket;
    bool is_trusted = false, is_ended = false;
  };
  std::mutex mutex_;
  std::list<One> open_;  // the oldest first
};

// A thread for each connection, up to so many.
class Workers final : public httplib::TaskQueue {
 public:
  explicit Workers(Connections& connections) : connections_(connections) {}

  void enqueue(std::function<void()> job) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && !start_thread()) connections_.end_oldest_stranger();
    wanted_.notify_one();
  }
  bool has_waiting() {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  bool start_thread() {
    if (threads_.size() >= most_connections) return false;
    try {
      threads_.emplace_back([this] { work(); });
      return true;
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      return false;
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wanted_.wait(lock, [this] { return !jobs_.empty() || ends_; });
      --idle_;
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  Connections& connections_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

// A connection that gives no more bytes than are allowed, and none after the time for them.
class BoundedStream final : public httplib::Stream {
 public:
  explicit BoundedStream(int socket) : socket_(socket) {}

  bool wait_for_request(seconds time) {
    until_ = Clock::now() + time;
    return at_ < end_ || wait(POLLIN);
  }
  void allow(std::size_t bytes, seconds time) {
    allowed_ = bytes;
    until_ = Clock::now() + time;
  }

  ssize_t read(char* to, std::size_t size) override {
    if (allowed_ == 0) return -1;
    if (at_ == end_) {
      if (!wait(POLLIN)) return -1;
      const ssize_t got = recv(socket_, buffer_, sizeof buffer_, 0);
      if (got <= 0) return got;
      at_ = 0;
      end_ = static_cast<std::size_t>(got);
    }
    const std::size_t count = std::min({size, end_ - at_, allowed_});
    std::copy_n(buffer_ + at_, count, to);
    at_ += count;
    allowed_ -= count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    until_ = Clock::now() + answer_time;
    for (std::size_t done = 0; done < size;) {
      if (!wait(POLLOUT)) return -1;
      const ssize_t sent = send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) return -1;
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
    return static_cast<ssize_t>(size);
  }
  using httplib::Stream::write;

  // A socket that is closed with bytes unread takes back what was sent last: some of them are read.
  void linger() {
    shutdown(socket_, SHUT_WR);
    until_ = Clock::now() + lingering_time;
    for (std::size_t read = 0; read < most_lingering_bytes && wait(POLLIN);) {
      const ssize_t got = recv(socket_, buffer_, sizeof buffer_, 0);
      if (got <= 0) return;
      read += static_cast<std::size_t>(got);
    }
  }

  bool is_readable() const override { return at_ < end_ || wait(POLLIN); }
  bool is_writable() const override { return wait(POLLOUT); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short what) const {
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
      pollfd asked{socket_, what, 0};
      const int found = poll(&asked, 1, static_cast<int>(std::max<long>(left, 0)));
      if (found >= 0 || errno != EINTR) return found > 0;
    }
  }

  const int socket_;
  char buffer_[16384];
  std::size_t at_ = 0, end_ = 0, allowed_ = 0;
  Clock::time_point until_;
};

// What was made of a request's head.
struct Exchange {
  bool is_judged = false;
  int refused = 0;  // a status; 0: it is answered
  const Route* route = nullptr;
};
thread_local Exchange* current = nullptr;

std::string small(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Takes the same time wherever they differ.
bool same_secret(const std::string& given, const std::string& secret) {
  if (secret.empty()) return false;
  unsigned different = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char one = given.empty() ? '\0' : given[i % given.size()];
    different |= static_cast<unsigned>(static_cast<unsigned char>(one) ^ static_cast<unsigned char>(secret[i]));
  }
  const volatile unsigned found = different;
  return found == 0;
}

const char* words_of(int status) {
  switch (status) {
    case 302:
      return "see the page\n";
    case 400:
      return "this is no request that wgp answers\n";
    case 403:
      return "wgp answers its own page alone\n";
    case 404:
      return "nothing is here\n";
    case 405:
      return "not by this method\n";
    case 411:
      return "a body is needed, and its length\n";
    case 413:
      return "the file is too large\n";
    case 415:
      return "not in this form\n";
    default:
      return "this went wrong\n";
  }
}

class GuardedServer final : public HttpServer, private httplib::Server {
 public:
  explicit GuardedServer(const Settings& settings) : settings_(settings) {
    new_task_queue = [this]() -> httplib::TaskQueue* { return workers_ = new Workers(connections_); };
    // Without SO_REUSEPORT, by which a second server would share the port in silence.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    httplib::Headers headers;
    for (const auto& [name, value] : settings_.headers) headers.emplace(name, value);
    set_default_headers(headers);
    set_keep_alive_timeout(idle_time.count());
    set_keep_alive_max_count(most_requests);
    set_expect_100_continue_handler([](const httplib::Request&, httplib::Response& response) {
      if (current->refused == 0) return 100;
      return response.status = current->refused;
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (current->refused != 0) {
        refuse(response, current->refused);
        return HandlerResponse::Handled;
      }
      if (request.method != "GET") return HandlerResponse::Unhandled;
      give(response, request, "");
      return HandlerResponse::Handled;
    });
    Post(".*",
         [this](const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& content) {
           std::string body;
           const std::size_t most = current->route->most_bytes;
           const bool whole = content([&](const char* bytes, std::size_t count) {
             if (count > most - body.size()) {
               current->refused = 413;
               return false;
             }
             body.append(bytes, count);
             return true;
           });
           if (!whole && current->refused == 0) current->refused = 400;
           if (whole)
             give(response, request, std::move(body));
           else
             refuse(response, current->refused);
         });
  }

  int take_port(int port) override {
    errno = 0;
    const std::string host = "127.0.0.1";
    port_ = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    if (port_ <= 0) return errno != 0 ? -errno : -EADDRINUSE;
    // The library lets five wait; whoever comes then is asked to come again in a second.
    ::listen(svr_sock_, SOMAXCONN);
    hosts_ = {host + ":" + std::to_string(port_), "localhost:" + std::to_string(port_)};
    if (port_ == 80) hosts_.insert(hosts_.end(), {host, "localhost"});
    return port_;
  }
  void run() override { listen_after_bind(); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections_.add(socket);
    // Those that came while there was nobody to give way.
    if (workers_->has_waiting()) connections_.end_oldest_stranger();
    {
      BoundedStream stream(socket);
      try {
        answer_requests(stream);
      } catch (const std::exception&) {  // no memory, say: this connection ends, and no other
      }
      stream.linger();
    }
    connections_.remove(socket);
    close(socket);
    return true;
  }

  void answer_requests(BoundedStream& stream) {
    for (int count = 1; count <= most_requests; ++count) {
      if (!stream.wait_for_request(count == 1 ? head_time : idle_time)) return;
      stream.allow(most_head_bytes, head_time);
      Exchange exchange;
      current = &exchange;
      bool ends = false;
      const bool done = process_request(stream, count == most_requests, ends, [&](httplib::Request& request) {
        exchange.refused = judge(request, exchange);
        exchange.is_judged = true;
        for (const char* header : {"Range", "Accept-Encoding"}) request.headers.erase(header);
        request.ranges.clear();
        if (exchange.refused != 0) {
          request.headers.erase("Connection");
          request.headers.emplace("Connection", "close");
          return;
        }
        connections_.trust(stream.socket());
        // Chunks of one byte take six.
        constexpr std::size_t most_overhead = 8;
        stream.allow(most_overhead * exchange.route->most_bytes, body_time);
      });
      current = nullptr;
      if (!done || ends || !exchange.is_judged || exchange.refused != 0) return;
    }
  }

  // The status of what is refused, or 0.
  int judge(const httplib::Request& request, Exchange& exchange) {
    const auto only = [&](const char* header) {
      return request.get_header_value_count(header) == 1 ? request.get_header_value(header) : std::string();
    };
    // A foreign name that leads to this machine is a foreign page's.
    const std::string host = small(only("Host"));
    if (std::find(hosts_.begin(), hosts_.end(), host) == hosts_.end()) return 403;
    if (request.has_header("Origin") && small(only("Origin")) != "http://" + host) return 403;
    // A link from elsewhere, or a notebook's frame, may lead here; whatever else comes from elsewhere may not.
    const std::string site = only("Sec-Fetch-Site");
    const bool leads_here = request.method == "GET" && only("Sec-Fetch-Mode") == "navigate";
    if (request.has_header("Sec-Fetch-Site") && site != "same-origin" && site != "none" && !leads_here) return 403;

    // As it was sent: nothing is decoded, so that there is one way to write an address.
    const std::string path = request.target.substr(0, request.target.find_first_of("?#"));
    if (request.method == "GET" && is_opening(path)) return 302;
    const std::size_t slash = path.find('/', 1);
    if (path.empty() || path[0] != '/' || slash == std::string::npos ||
        !same_secret(path.substr(1, slash - 1), settings_.token))
      return 404;
    const std::string name = path.substr(slash + 1);
    bool is_known = false;
    for (const Route& route : settings_.routes) {
      if (route.name != name) continue;
      is_known = true;
      if (route.method == request.method) exchange.route = &route;
    }
    if (exchange.route == nullptr) return is_known ? 405 : 404;
    return judge_body(request, *exchange.route);
  }

  static int judge_body(const httplib::Request& request, const Route& route) {
    const std::size_t lengths = request.get_header_value_count("Content-Length"),
                      codings = request.get_header_value_count("Transfer-Encoding");
    if (lengths + codings > 1) return 400;
    const std::string length = request.get_header_value("Content-Length");
    if (lengths == 1 && (length.empty() || length.find_first_not_of("0123456789") != std::string::npos)) return 400;
    if (route.method == "GET") return codings == 0 && length.find_first_not_of('0') == std::string::npos ? 0 : 400;
    if (lengths + codings == 0) return 411;
    if (codings == 1 && small(request.get_header_value("Transfer-Encoding")) != "chunked") return 400;
    constexpr std::size_t most_digits = 18;
    if (lengths == 1 && (length.size() > most_digits || std::stoull(length) > route.most_bytes)) return 413;
    if (request.has_header("Content-Encoding") || request.is_multipart_form_data()) return 415;
    return 0;
  }

  bool is_opening(const std::string& path) {
    if (path.empty() || !same_secret(path.substr(1), settings_.opening)) return false;
    return !is_opened_.exchange(true);
  }

  void refuse(httplib::Response& response, int status) const {
    response.status = status;
    if (status == 302) response.set_header("Location", "/" + settings_.token + "/");
    response.set_content(words_of(status), "text/plain; charset=utf-8");
  }

  void give(httplib::Response& response, const httplib::Request& request, std::string body) const {
    Request asked{current->route->name, request.get_param_value("name"), request.get_header_value("Content-Type"),
                  std::move(body)};
    asked.content_type = small(asked.content_type.substr(0, asked.content_type.find_first_of("; ")));
    Answer answer = settings_.answer(std::move(asked));
    response.status = answer.status;
    response.set_header("Content-Type", answer.content_type);
    response.body = std::move(answer.body);
  }

  const Settings settings_;
  Connections connections_;
  Workers* workers_ = nullptr;  // while it runs
  std::vector<std::string> hosts_;
  int port_ = 0;
  std::atomic<bool> is_opened_{false};
};

}  // namespace
}  // namespace wgp::serve

extern "C" __attribute__((visibility("default"))) wgp::serve::HttpServer* wgp_http_server(
    const wgp::serve::Settings* settings) {
  return new wgp::serve::GuardedServer(*settings);
}
