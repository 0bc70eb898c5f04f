// wgp explore: whom the server answers, what it costs whoever asks, and that its answers are those of the commands.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "run_command.h"

namespace wgp::test {
namespace {

using Json = nlohmann::json;

bool built_without() {
  return !std::filesystem::exists(std::filesystem::path(WGP_COMMAND).parent_path() / "wgp_http.so");
}

// A connection to a port of this machine.
class Connection {
 public:
  explicit Connection(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    const timeval patience{60, 0};  // a server that hangs is to fail the test, not to hold it up
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)), open_(other.open_) {}
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }

  bool is_open() const { return open_; }
  // Whether all of it was taken.
  bool send(const std::string& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      done += static_cast<std::size_t>(sent);
    }
    return true;
  }
  struct Response {
    int status = 0;  // none
    std::string head, body;
  };
  Response receive() {
    Response response;
    std::size_t end = 0;
    while ((end = kept_.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return response;
    response.head = kept_.substr(0, end + 2);
    kept_.erase(0, end + 4);
    response.status = std::atoi(response.head.c_str() + std::strlen("HTTP/1.1 "));
    const std::size_t at = response.head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(response.head.substr(at + 16));
    while (kept_.size() < length)
      if (!more()) break;
    response.body = kept_.substr(0, length);
    kept_.erase(0, length);
    return response;
  }
  Response ask(const std::string& request) {
    send(request);
    return receive();
  }

 private:
  bool more() {
    char bytes[65536];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got > 0) kept_.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }
  int socket_;
  bool open_ = false;
  std::string kept_;
};

// A command that serves, until it is ended.
class Served {
 public:
  Served(const std::string& folder, std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
    int out[2], in[2];
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    words.insert(words.begin(), {"wgp", "explore", "--json"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      if (chdir(folder.c_str()) != 0) _exit(126);
      unsetenv("DISPLAY");
      unsetenv("WAYLAND_DISPLAY");
      for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
      dup2(in[0], 0);
      dup2(out[1], 1);
      dup2(open((folder + "/err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      execv(WGP_COMMAND, arguments.data());
      _exit(127);
    }
    close(out[1]);
    close(in[0]);
    input_ = in[1];
    std::string line;
    char c = 0;
    while (read(out[0], &c, 1) == 1 && c != '\n') line += c;
    close(out[0]);
    if (line.empty()) return;
    const Json said = Json::parse(line);
    port = said["port"];
    const std::string url = said["url"];
    root = url.substr(url.find('/', 8));
  }
  Served(const Served&) = delete;
  ~Served() {
    if (process_ > 0) kill(process_, SIGKILL);
    wait();
    end_input();
  }
  int wait() {
    if (process_ <= 0) return -1;
    int status = 0;
    waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int end_by(int signal) {
    kill(process_, signal);
    return wait();
  }
  void end_input() {
    if (input_ >= 0) close(std::exchange(input_, -1));
  }
  // The most memory it has had, in megabytes.
  double megabytes() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    return 0;
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
  std::string head(const std::string& method, const std::string& target, const std::string& more = "") const {
    return method + " " + target + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n";
  }
  std::string post(const std::string& name, const std::string& body, const std::string& more = "") const {
    return head("POST", root + name, more + "Content-Length: " + std::to_string(body.size()) + "\r\n") + body;
  }
  Connection::Response ask(const std::string& request) const { return Connection(port).ask(request); }
  int status_of(const std::string& request) const { return ask(request).status; }
  ::testing::AssertionResult answers() const {
    const int status = status_of(head("GET", root + "model"));
    return status == 200 ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "status " << status;
  }

  int port = 0;
  std::string root;  // "/TOKEN/"

 private:
  pid_t process_ = 0;
  int input_ = -1;
};

class Explore : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (built_without()) GTEST_SKIP() << "wgp is built without its web server (-DWGP_EXPLORE=ON) here";
    std::ostringstream rows, more;
    rows.precision(17);
    more.precision(17);
    for (int i = 0; i < 24; ++i) {
      const double t = 0.25 * i;
      (i % 4 == 3 ? more : rows) << std::cos(t) << ',' << std::sin(t) + 0.01 * std::cos(9 * t) << ',' << 0.1 * t
                                 << '\n';
    }
    write("p.csv", rows.str());
    write("new.csv", more.str());
    ASSERT_EQ(wgp("fit p.csv --manifold euclidean:3 --latent 1 --effort quick --quiet -o m.wgp").exit_code, 0);
  }
  std::vector<std::string> flags(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"m.wgp", "--no-open"});
    return more;
  }
};

TEST_F(Explore, AnswersWhoeverKnowsItsAddress) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  ASSERT_EQ(server.root.size(), 34u) << "128 bits, and two slashes: " << server.root;
  const Connection::Response page = server.ask(server.head("GET", server.root));
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("</html>"), std::string::npos);
  EXPECT_NE(page.body.find("\"served\":true"), std::string::npos);
  EXPECT_NE(page.body.find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(wgp("report m.wgp").out.find("connect-src"), std::string::npos) << "of the server's page alone";
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'", "connect-src 'self'", "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: no-store"})
    EXPECT_NE(page.head.find(header), std::string::npos) << header << '\n' << page.head;

  const std::string token = server.root.substr(1, 32);
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& target : std::vector<std::string>{
           "/", "/model", "//model", "/" + other + "/", "/" + other + "/model", "/" + token, "/" + token + "0/model",
           "/" + token.substr(1) + "/model", "/" + token.substr(0, 31) + "/model", "/?" + token, "*",
           "http://" + server.host() + server.root + "model", "/%" + token.substr(1) + "/model"}) {
    EXPECT_EQ(server.status_of(server.head("GET", target)), 404) << target;
    EXPECT_EQ(server.status_of(server.head("PUT", target)), 404) << target;
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Explore, AnswersItsOwnPageAlone) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  const std::string get = "GET " + server.root + "model HTTP/1.1\r\n", own = "Host: " + server.host() + "\r\n",
                    port = std::to_string(server.port);
  for (const auto& [status, headers] : std::vector<std::pair<int, std::string>>{
           {200, own},
           {200, "Host: localhost:" + port + "\r\n"},
           {200, "host: LOCALHOST:" + port + "\r\n"},
           {200, own + "Origin: http://" + server.host() + "\r\n"},
           {200, own + "Sec-Fetch-Site: same-origin\r\n"},
           {200, own + "Sec-Fetch-Site: none\r\n"},
           {200, own + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"},
           {403, ""},
           {403, "Host: 127.0.0.1\r\n"},
           {403, "Host: evil.example:" + port + "\r\n"},
           {403, "Host: evil.example\r\n"},
           {403, "Host: 127.0.0.1.evil.example:" + port + "\r\n"},
           {403, "Host: 127.0.0.1:" + port + "0\r\n"},
           {403, own + "Host: evil.example\r\n"},
           {403, own + "Origin: http://evil.example\r\n"},
           {403, own + "Origin: https://" + server.host() + "\r\n"},
           {403, own + "Origin: http://localhost:" + port + "\r\n"},
           {403, own + "Origin: http://127.0.0.1:1\r\n"},
           {403, own + "Origin: null\r\n"},
           {403, own + "Sec-Fetch-Site: cross-site\r\n"},
           {403, own + "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n"},
           {403, own + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"}})
    EXPECT_EQ(server.status_of(get + headers + "\r\n"), status) << headers;
  // A form of another page may navigate, but changes nothing and gets nothing.
  EXPECT_EQ(
      server.status_of(server.post("decode", "[[0]]", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")),
      403);
  // On this machine's own address alone.
  std::ifstream sockets("/proc/net/tcp");
  char local[16];
  std::snprintf(local, sizeof local, ":%04X", server.port);
  int found = 0;
  for (std::string line; std::getline(sockets, line);) {
    if (line.find(local) == std::string::npos || line.find(" 0A ") == std::string::npos) continue;
    ++found;
    EXPECT_NE(line.find(std::string("0100007F") + local), std::string::npos) << line;
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Explore, GivesNoFileAndTakesNoOtherMethod) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  for (const char* name :
       {"../../etc/passwd", "../../../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%252f..%252fetc%252fpasswd", "..\\..\\etc\\passwd", "/etc/passwd", "m.wgp",
        "./model", "model/", "model/../model", "model%00", "%6dodel", "p.csv", "decode/../model"})
    EXPECT_EQ(server.status_of(server.head("GET", server.root + name)), 404) << name;
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT"})
    EXPECT_EQ(server.status_of(server.head(method, server.root + "decode")), 405) << method;
  EXPECT_EQ(server.status_of(server.head("GET", server.root + "decode")), 405);
  EXPECT_EQ(server.status_of(server.post("model", "")), 405);
  EXPECT_EQ(server.ask(server.head("GET", server.root + "model")).body, read("m.wgp"));
}

TEST_F(Explore, GarbageHarmsNobody) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  std::string noise;
  for (int i = 0; i < 70000; ++i) noise += static_cast<char>(i * i * 31 % 251);
  const std::string ranges = [] {
    std::string text = "Range: bytes=0-";
    while (text.size() < 8000) text += ",0-";
    return text + "\r\n";
  }();
  const std::string chunked = "Transfer-Encoding: chunked\r\n", to_decode = server.root + "decode";
  for (const std::string& request : std::vector<std::string>{
           "",
           "\r\n\r\n",
           "GET\r\n\r\n",
           noise,
           "GET " + server.root + " HTTP/9.9\r\n\r\n",
           "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n",
           std::string(1 << 20, 'a'),
           server.head("GET", server.root + "model", "X: " + std::string(100000, 'x') + "\r\n"),
           server.head("GET", server.root + "model", std::string(20000, '\r') + "\r\n"),
           server.head("POST", to_decode, "Content-Length: -1\r\n"),
           server.head("POST", to_decode, "Content-Length: x\r\n"),
           server.head("POST", to_decode, "Content-Length: 99999999999999999999999\r\n"),
           server.head("POST", to_decode, "Content-Length: 2\r\nContent-Length: 3\r\n") + "[]",
           server.head("POST", to_decode, "Content-Length: 2\r\n" + chunked) + "[]",
           server.head("POST", to_decode, "Transfer-Encoding: gzip\r\n"),
           server.head("POST", to_decode, chunked) + "xyz\r\n",
           server.head("POST", to_decode, chunked) + "fffffffffffffffff\r\n",
           server.head("POST", to_decode, chunked) + "-1\r\n",
           server.head("POST", to_decode, chunked) + std::string(100000, '0'),
           server.head("POST", to_decode),
           server.head("POST", to_decode, "Expect: 100-continue\r\n"),
           server.post("decode", "--b\r\n", "Content-Type: multipart/form-data; boundary=b\r\n"),
           server.post("decode", "xx", "Content-Encoding: gzip\r\n"),
           server.post("decode", "{"),
           server.post("decode", noise),
           server.post("decode", std::string(1 << 20, '[')),
           server.post("decode", "[[1,2]]"),
           server.post("decode", "[[\"x\"]]"),
           server.post("decode", "[[1e999]]"),
           server.post("decode", "[]"),
           server.post("decode", "null"),
           server.post("decode", "123", "Content-Type: application/octet-stream\r\n"),
           server.post("decode", std::string(8, '\xff'), "Content-Type: application/octet-stream\r\n"),
           server.post("encode?name=x.csv", noise),
           server.post("encode", ""),
           server.head("GET", server.root + "model", "Content-Length: 5\r\n") + "hello"}) {
    Connection connection(server.port);
    connection.send(request);
    connection.send("\r\n\r\n");
    const int status = request.empty() ? 400 : connection.receive().status;
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 500)) << status << ": " << request.substr(0, 300);
  }
  EXPECT_EQ(server.status_of(server.head("GET", server.root + "model", ranges)), 200);
  // What follows something that was refused is no request, whatever it looks like.
  const std::string hidden = server.head("GET", server.root + "model");
  for (const std::string& refused :
       {std::string("x\r\n\r\n"),
        server.head("POST", "/unknown", "Content-Length: " + std::to_string(hidden.size()) + "\r\n"),
        server.head("GET", server.root + "model", "Content-Length: " + std::to_string(hidden.size()) + "\r\n")}) {
    Connection connection(server.port);
    const int status = connection.ask(refused + hidden).status;
    EXPECT_TRUE(status == 400 || status == 404) << status << ": " << refused;
    EXPECT_EQ(connection.receive().status, 0) << refused;
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Explore, LargeBodiesAreNotRead) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  ASSERT_TRUE(server.answers());
  const double before = server.megabytes();
  const std::string megabyte(1 << 20, '1');
  for (const std::string name : {"decode", "encode?name=a.csv", "covariance"}) {
    Connection connection(server.port);
    connection.send(server.head("POST", server.root + name, "Content-Length: 1073741824\r\n"));
    EXPECT_EQ(connection.receive().status, 413) << name << ": before anything of it was sent";
  }
  {
    Connection connection(server.port);
    connection.send(server.head("POST", server.root + "decode", "Content-Length: 1073741824\r\n"));
    for (int i = 0; i < 1024; ++i)
      if (!connection.send(megabyte)) break;
  }
  for (const std::string name : {"decode", "covariance"}) {
    Connection connection(server.port);
    connection.send(server.head("POST", server.root + name, "Transfer-Encoding: chunked\r\n"));
    int sent = 0;
    while (sent < 1024 && connection.send("100000\r\n" + megabyte + "\r\n")) ++sent;
    EXPECT_LT(sent, 1024) << name << ": the connection ends before";
  }
  // A file that is unknown to be large until it was.
  Connection connection(server.port);
  connection.send(server.head("POST", server.root + "decode", "Transfer-Encoding: chunked\r\n"));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(connection.send("100000\r\n" + megabyte + "\r\n"));
  connection.send("1\r\n1\r\n");
  EXPECT_EQ(connection.receive().status, 413);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need more for themselves
  EXPECT_LT(server.megabytes(), before + 100);
#endif
  EXPECT_TRUE(server.answers());
}

TEST_F(Explore, SlowClientsStopNobody) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  std::vector<Connection> slow;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) {
      slow.emplace_back(server.port);
      ASSERT_TRUE(slow.back().is_open());
    }
    for (const Connection& one : slow) one.send(round == 0 ? "G" : "E");
    EXPECT_TRUE(server.answers());
  }
  // Those that say nothing, and those that say what has no end.
  for (const Connection& one : slow) one.send("T / HTTP/1.1\r\nHost: ");
  EXPECT_TRUE(server.answers());
  // One that has been answered stays, whoever comes later.
  Connection known(server.port);
  EXPECT_EQ(known.ask(server.post("decode", "[[0]]")).status, 200);
  for (int i = 0; i < 200; ++i) slow.emplace_back(server.port);
  EXPECT_EQ(known.ask(server.post("decode", "[[0]]")).status, 200);
}

TEST_F(Explore, DecodesAsTheCommand) {
  const Served server(path(""), flags());
  ASSERT_GT(server.port, 0) << read("err");
  std::vector<double> latents;
  for (int i = -8; i <= 8; ++i) latents.push_back(i / 7.0);
  std::ostringstream table;
  table.precision(17);
  Json question = Json::array();
  for (const double x : latents) {
    table << x << '\n';
    question.push_back({x});
  }
  write("x.csv", table.str());
  const Json decoded = Json::parse(wgp("decode m.wgp x.csv --json --quiet").out);
  Connection connection(server.port);  // one, for all
  for (const Json& body : {question, Json({{"latents", question}})}) {
    const auto answer = connection.ask(server.post("decode", body.dump()));
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Json said = Json::parse(answer.body);
    EXPECT_EQ(said["columns"], decoded["columns"]);
    EXPECT_EQ(said["rows"], decoded["rows"]);  // numbers as they are
  }
  const std::string raw_type = "Content-Type: application/octet-stream\r\n";
  const auto numbers_of = [](const std::string& bytes) {
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  };
  const std::string bytes(reinterpret_cast<const char*>(latents.data()), latents.size() * sizeof(double));
  const auto raw = connection.ask(server.post("decode", bytes, raw_type));
  std::vector<double> expected;
  for (const Json& row : decoded["rows"])
    for (const Json& number : row) expected.push_back(number.get<double>());
  EXPECT_EQ(numbers_of(raw.body), expected);

  // The joint covariance: on its diagonal the variances, and of one latent given twice the same everywhere.
  const auto joint = connection.ask(server.post("covariance", "[[0.3],[0.3],[-0.4]]"));
  ASSERT_EQ(joint.status, 200) << joint.body;
  const Json covariance = Json::parse(joint.body);
  const auto c = covariance["covariance"].get<std::vector<std::vector<double>>>();
  const double noise = covariance["noise_variance"];
  write("at.csv", "0.3\n-0.4\n");
  const auto rows = numbers(wgp("decode m.wgp at.csv").out);
  EXPECT_NEAR(std::sqrt(c[0][0] + noise), rows[0][3], 1e-9);
  EXPECT_NEAR(std::sqrt(c[2][2] + noise), rows[1][3], 1e-9);
  EXPECT_NEAR(c[0][1], c[0][0], 1e-3 * c[0][0]);  // the process may have a rest that inputs do not share
  EXPECT_NEAR(c[0][2], c[2][0], 1e-12);
  EXPECT_LT(std::abs(c[0][2]), std::sqrt(c[0][0] * c[2][2]));
  EXPECT_NE(c[0][2], 0);
  EXPECT_EQ(covariance["dimension"], 3);
  EXPECT_EQ(covariance["coordinates"].size(), 3u);
  EXPECT_EQ(covariance["coordinates"][0].size(), 3u);
  Json many = Json::array();
  for (int i = 0; i < 1001; ++i) many.push_back({0.001 * i});
  EXPECT_EQ(connection.ask(server.post("covariance", many.dump())).status, 413);
}

TEST_F(Explore, EncodesAsTheCommand) {
  const std::string temporary = path("temporary");
  std::filesystem::create_directory(temporary);
  const Served server(path(""), flags(), {"TMPDIR=" + temporary});
  ASSERT_GT(server.port, 0) << read("err");
  const Json expected = Json::parse(wgp("encode m.wgp new.csv --json --quiet").out);
  ASSERT_EQ(wgp("convert new.csv -o new.npy").exit_code, 0);
  for (const std::string name : {"new.csv", "new.npy"}) {
    const auto answer = server.ask(server.post("encode?name=" + name, read(name)));
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Json said = Json::parse(answer.body);
    for (const auto& [key, value] : expected.items()) EXPECT_EQ(said[key], value) << key;
    EXPECT_EQ(said["row_numbers"], (Json{1, 2, 3, 4, 5, 6}));
  }
  // Errors in the command's own words, by the file's own name.
  write("bad.csv", "1,2,3\n1,2\n");
  write("wide.csv", "1,2,3,4\n");
  write("text.csv", "1,2,x\n");
  write("none.tps", "LM=3\n");
  write("broken.nii.gz", "no image");
  for (const std::string name : {"bad.csv", "wide.csv", "text.csv", "none.tps", "broken.nii.gz"}) {
    const auto answer = server.ask(server.post("encode?name=" + name, read(name)));
    EXPECT_EQ(answer.status, 422) << answer.body;
    const std::string words = Json::parse(answer.body)["error"];
    EXPECT_EQ("wgp: " + words + "\n", wgp("encode m.wgp " + name).err);
  }
  // Names that are paths, or no names.
  for (const std::string name :
       {"..%2F..%2Fbad.csv", "%2Fetc%2Fbad.csv", "", ".", "..", "..%2F", "%00", "a%0Ab.csv", "-", "..%5Cbad.csv"}) {
    const auto answer = server.ask(server.post("encode?name=" + name, read("bad.csv")));
    EXPECT_EQ(answer.status, 422) << name;
    EXPECT_EQ(Json::parse(answer.body)["error"].get<std::string>().find('/'), std::string::npos) << answer.body;
  }
  EXPECT_EQ(server.ask(server.post("encode?name=" + std::string(5000, 'n') + ".csv", read("new.csv"))).status, 200);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Explore, ReadsDroppedFilesByItsFlags) {
  write("named.csv", "who,a,b,c\nx,1,0,0.1\ny,nan,1,0.2\nz,0,1,0.3\n");
  const Served plain(path(""), flags());
  ASSERT_GT(plain.port, 0) << read("err");
  EXPECT_EQ(plain.ask(plain.post("encode?name=named.csv", read("named.csv"))).status, 422);
  const Served server(path(""), flags({"--columns", "a,b,c", "--drop-invalid"}));
  ASSERT_GT(server.port, 0) << read("err");
  const auto answer = server.ask(server.post("encode?name=named.csv", read("named.csv")));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json said = Json::parse(answer.body);
  EXPECT_EQ(said["row_numbers"], (Json{1, 3}));
  EXPECT_EQ(said["dropped"], 1);
  EXPECT_EQ(said["messages"], Json{"1 invalid row dropped"});
}

TEST_F(Explore, EndsWhenItIsTold) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Served server(path(""), flags());
    ASSERT_TRUE(server.answers()) << read("err");
    Connection open(server.port), asking(server.port);
    asking.send("GET " + server.root);
    EXPECT_EQ(server.end_by(signal), 130);
    EXPECT_EQ(open.receive().status, 0);
    EXPECT_FALSE(Connection(server.port).is_open());
  }
  Served of_program(path(""), flags({"--until-eof"}));
  ASSERT_TRUE(of_program.answers()) << read("err");
  of_program.end_input();
  EXPECT_EQ(of_program.wait(), 0);
}

// While a file is being encoded: nothing of it stays.
TEST_F(Explore, LeavesNothingBehind) {
  const std::string temporary = path("temporary");
  std::filesystem::create_directory(temporary);
  std::string many;
  for (int i = 0; i < 100000; ++i)
    many += std::to_string(0.00001 * i) + ",0.5," + std::to_string(0.3 - 0.000003 * i) + "\n";
  Served server(path(""), flags({"--threads", "1"}), {"TMPDIR=" + temporary});
  ASSERT_TRUE(server.answers()) << read("err");
  Connection connection(server.port);
  ASSERT_TRUE(connection.send(server.post("encode?name=many.csv", many)));
  while (std::filesystem::is_empty(temporary)) usleep(1000);
  EXPECT_EQ(std::filesystem::status(*std::filesystem::directory_iterator(temporary)).permissions(),
            std::filesystem::perms::owner_all);
  EXPECT_TRUE(server.answers()) << "meanwhile";
  EXPECT_EQ(server.end_by(SIGINT), 130);
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Explore, TwoStandSideBySideAndAPortIsTakenOnce) {
  const Served one(path(""), flags()), other(path(""), flags());
  ASSERT_GT(one.port, 0);
  ASSERT_GT(other.port, 0);
  EXPECT_NE(one.port, other.port);
  EXPECT_NE(one.root, other.root);
  EXPECT_TRUE(one.answers());
  EXPECT_TRUE(other.answers());
  EXPECT_EQ(one.status_of(one.head("GET", other.root + "model")), 404);
  const std::string port = std::to_string(one.port);
  EXPECT_TRUE(
      fails(wgp("explore m.wgp --no-open --until-eof --port " + port), 3, {"127.0.0.1:" + port, "in use", "--port"}));
  EXPECT_TRUE(one.answers());
}

// A browser's words are seen by everybody who lists processes.
TEST_F(Explore, OpensABrowserByAnAddressThatWorksOnce) {
  write("xdg-open", "#!/bin/sh\necho \"$1\" >opened.part && mv opened.part opened\n");
  chmod(path("xdg-open").c_str(), 0700);
  const std::string by_path = "PATH=" + path("") + ":" + getenv("PATH");
  const Served server(path(""), {"m.wgp"}, {by_path, "DISPLAY=:77"});
  ASSERT_GT(server.port, 0) << read("err");
  while (!std::filesystem::exists(path("opened"))) usleep(1000);
  const std::string address = read("opened"), target = address.substr(address.find('/', 8), 33);
  EXPECT_EQ(address.find(server.root), std::string::npos);
  const auto first = server.ask(server.head("GET", target));
  EXPECT_EQ(first.status, 302);
  EXPECT_NE(first.head.find("Location: " + server.root + "\r\n"), std::string::npos) << first.head;
  EXPECT_EQ(server.status_of(server.head("GET", target)), 404);
  std::filesystem::remove(path("opened"));
  for (const auto& words : {std::vector<std::string>{"m.wgp"}, flags()}) {
    const Served quiet(path(""), words, {by_path, words.size() == 1 ? "DISPLAY=" : "DISPLAY=:77"});
    EXPECT_TRUE(quiet.answers());
  }
  EXPECT_FALSE(std::filesystem::exists(path("opened")));
}

TEST_F(Explore, SaysWhatIsWrong) {
  EXPECT_TRUE(fails(wgp("explore"), 2, {"MODEL"}));
  EXPECT_TRUE(fails(wgp("explore m.wgp --port 70000"), 2, {"--port", "65535"}));
  EXPECT_TRUE(fails(wgp("explore - --until-eof"), 2, {"standard input"}));
  EXPECT_TRUE(fails(wgp("explore none.wgp"), 3, {"none.wgp"}));
  EXPECT_TRUE(fails(wgp("explore p.csv"), 3, {"p.csv"}));
  EXPECT_TRUE(fails(wgp("explore m.wgp --labels a"), 2, {"--labels", "--data"}));
}

class ExploreAlone : public CommandTest {};

TEST_F(ExploreAlone, SaysWhatIsMissing) {
  write("p.csv", "0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
  ASSERT_EQ(wgp("fit p.csv --manifold euclidean:2 --latent 1 --effort quick -o m.wgp").exit_code, 0);
  std::filesystem::copy_file(WGP_COMMAND, path("wgp"));
  EXPECT_TRUE(fails(shell("./wgp explore m.wgp"), 3, {"-DWGP_EXPLORE=ON", "libcpp-httplib-dev", "wgp report"}));
}

}  // namespace
}  // namespace wgp::test
