#include "cli/ranks.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace wgp::cli {
namespace {

struct Processes {
  Ranks* ranks = nullptr;
  std::optional<RankExchange> exchange;
  int threads = 0;
};
Processes all;

}  // namespace

Ranks* ranks() { return all.ranks; }
RankExchange* rank_exchange() { return all.exchange ? &*all.exchange : nullptr; }
bool writes() { return !all.ranks || all.ranks->rank() == 0; }

bool anywhere(bool here) {
  if (!all.exchange) return here;
  const std::vector<std::string> answers = all.exchange->gather([&] { return std::string(here ? "yes" : ""); });
  return std::any_of(answers.begin(), answers.end(), [](const std::string& answer) { return !answer.empty(); });
}

std::string from_first(const std::function<std::string()>& make) {
  if (!all.exchange) return make();
  return all.exchange->gather([&] { return writes() ? make() : std::string(); }).front();
}

void together(const std::function<void()>& body) {
  if (!all.exchange) return body();
  all.exchange->gather([&] {
    body();
    return std::string();
  });
}

int threads_by_default() {
  return all.threads > 0 ? all.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void run_on(Ranks& ranks, int threads) {
  all.ranks = &ranks;
  all.exchange.emplace(ranks);
  all.threads = threads;
}

void run_on_one() {
  all.ranks = nullptr;
  all.exchange.reset();
  all.threads = 0;
}

}  // namespace wgp::cli
