#include "core/rank_exchange.h"

#include <new>

#include "wgp/progress.h"

namespace wgp {
namespace {

struct Message {
  enum Outcome { made, stopped, failed };
  int outcome = made;
  bool asked_to_end = false;
  std::string content;  // what was made, or what went wrong
  void each_part(auto&& visitor) { visitor(outcome, asked_to_end, content); }
};

}  // namespace

std::vector<std::string> RankExchange::gather(const std::function<std::string()>& make) {
  Message own;
  std::exception_ptr failure;
  try {
    own.content = make();
  } catch (const Stopped&) {
    own.outcome = Message::stopped;
    failure = std::current_exception();
  } catch (const std::bad_alloc&) {
    own = {Message::failed, false, "there is not enough memory"};
    failure = std::current_exception();
  } catch (const std::exception& error) {
    own = {Message::failed, false, error.what()};
    failure = std::current_exception();
  }
  own.asked_to_end = asked_;
  const std::vector<std::string> messages = ranks_.gather(packed(own));
  std::vector<std::string> contents;
  bool anywhere_stopped = false;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    auto message = unpacked<Message>(messages[k]);
    if (message.asked_to_end) ends_now_ = true;
    if (message.outcome == Message::failed) {
      if (static_cast<int>(k) == rank()) std::rethrow_exception(failure);
      throw Error(fmt::format("{}: {}", ranks_.name(static_cast<int>(k)), message.content));
    }
    anywhere_stopped = anywhere_stopped || message.outcome == Message::stopped;
    contents.push_back(std::move(message.content));
  }
  if (anywhere_stopped) throw Stopped();
  return contents;
}

std::vector<std::string> RankExchange::gather_at_first(const std::function<std::string()>& make) {
  // First whether all have one: what fails must be known everywhere.
  std::string own;
  gather([&] {
    own = make();
    return std::string();
  });
  return ranks_.gather_at_first(own);
}

void RankExchange::work_by_itself(const std::function<void()>& body) {
  struct Apart {
    std::atomic<bool>& flag;
    explicit Apart(std::atomic<bool>& of) : flag(of) { flag = true; }
    ~Apart() { flag = false; }
  } const apart(by_itself_);
  body();
}

std::vector<Index> RankExchange::ends(Index count) const {
  std::vector<Index> ends;
  for (Index k = 0; k <= this->count(); ++k) ends.push_back(count * k / this->count());
  return ends;
}

}  // namespace wgp
