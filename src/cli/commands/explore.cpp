// wgp explore: the page of a model, served to the browser of the person who asks for it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/commands/commands.h"
#include "cli/input/model_colouring.h"
#include "cli/output/messages.h"
#include "cli/output/model_tables.h"
#include "cli/serve/dropped_file.h"
#include "cli/serve/http_module.h"
#include "cli/serve/model_api.h"
#include "report/pages/model_report.h"

extern "C" char** environ;

namespace wgp::cli {
namespace {

// There is nothing to keep, and a computation is not waited for.
[[noreturn]] void end(int exit_code) {
  remove_dropped_file();
  remove_temporary_files();
  _exit(exit_code);
}

extern "C" void end_by_signal(int) { end(exit_interrupted); }

// The program that started this one may be killed before it can say that it is done.
void end_with_standard_input() {
  std::thread([] {
    std::array<char, 256> ignored;
    ssize_t got = 0;
    do got = read(STDIN_FILENO, ignored.data(), ignored.size());
    while (got > 0 || (got < 0 && errno == EINTR));
    end(exit_done);
  }).detach();
}

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

// False where there is no xdg-open.
bool open_browser(const std::string& address) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "xdg-open", word = address;
  std::array<char*, 3> words = {program.data(), word.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  return failed == 0;
}

std::vector<std::pair<std::string, std::string>> headers_of(const report::Page& page) {
  return {{"Content-Security-Policy", report::security_policy(page)},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

int run_explore(const Arguments& arguments) {
  const Messages messages(arguments);
  const std::string& path = arguments.operands()[0];
  const auto port = static_cast<int>(arguments.integer("port", 0, 1, 65535));
  check_standard_input({path, arguments.text("data"), arguments.has("until-eof") ? "-" : ""});
  encoder_from(arguments);  // wrong usage before anything is read
  LoadedModel loaded = load_model(path);
  ModelApi api(loaded, arguments);
  const report::Colouring colouring = colouring_of(arguments, loaded, messages);
  const std::string name = path == "-" ? "model" : std::filesystem::path(path).filename().string();
  report::ReportData data = report::report_data(loaded, name, colouring);
  data.further_colourings = further_colourings(arguments, loaded);
  data.served = true;
  const report::Page page = report::report_page(loaded, data, fmt::format("Served by wgp {}.", WGP_VERSION));
  const std::string html = report::html(page);

  // Whoever may list processes sees what a browser was started with: that address works once.
  const bool opens = !arguments.has("no-open") && has_display();
  serve::Settings settings;
  settings.token = random_token();
  if (opens) settings.opening = random_token();
  settings.routes = ModelApi::routes();
  settings.routes.push_back({"GET", ""});
  settings.headers = headers_of(page);
  settings.answer = [&](serve::Request&& request) -> serve::Answer {
    if (request.route.empty()) return {200, "text/html; charset=utf-8", html};
    return api.answer(request);
  };
  const std::unique_ptr<serve::HttpServer> server = load_http_server(settings);
  const int taken = server->take_port(port);
  if (taken < 0)
    throw Error(
        fmt::format("127.0.0.1:{} cannot be taken: {}{}", port, std::strerror(-taken),
                    port != 0 ? "; another --port may be free, and without --port one that is free is taken" : ""));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, end_by_signal);
  const std::string root = fmt::format("http://127.0.0.1:{}/", taken), address = root + settings.token + "/";
  if (arguments.has("json"))
    print_json({{"model", path}, {"url", address}, {"port", taken}});
  else
    write_file("-", address + "\n");
  messages.say("{} is at this address until Ctrl-C; whoever knows it sees the model", name);
  if (opens && !open_browser(root + settings.opening)) messages.say("no browser was opened: there is no xdg-open");
  if (arguments.has("until-eof")) end_with_standard_input();
  server->run();
  throw Error("the server ended by itself");
}

}  // namespace wgp::cli
