#include "core/conversation.h"

#include <utility>

namespace wgp {

Conversation::Conversation(std::function<void(const Ask& ask)> body) {
  thread_ = std::thread([this, body = std::move(body)] {
    std::exception_ptr failure;
    try {
      body([this](std::string question) { return ask(std::move(question)); });
    } catch (const Abandoned&) {
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    over_ = true;
    changed_.notify_all();
  });
  try {
    wait_for_question();
  } catch (...) {
    thread_.join();
    throw;
  }
}

Conversation::~Conversation() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::string Conversation::ask(std::string question) {
  std::unique_lock lock(mutex_);
  question_ = std::move(question);
  asking_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return answer_ || abandoned_; });
  if (abandoned_) throw Abandoned();
  asking_ = false;
  return *std::exchange(answer_, std::nullopt);
}

void Conversation::wait_for_question() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (asking_ && !answer_) || over_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Conversation::answer(std::string bytes) {
  {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(bytes);
  }
  changed_.notify_all();
  wait_for_question();
}

}  // namespace wgp
