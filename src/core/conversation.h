// A computation that asks as it goes along, turned inside out: its caller takes a question away, and comes back with
// the answer when it has one. The computation has a thread of its own; of the two only one works at a time.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace wgp {

class Conversation {
 public:
  using Ask = std::function<std::string(std::string question)>;
  // Returns with the first question, or when all is over. What body throws is thrown here, or by answer().
  explicit Conversation(std::function<void(const Ask& ask)> body);
  // Ends a computation that waits for an answer: ask() does not return there.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  bool over() const { return over_; }
  const std::string& question() const { return question_; }
  // Returns with the next question, or when all is over. Not after that.
  void answer(std::string bytes);

 private:
  struct Abandoned {};
  std::string ask(std::string question);
  void wait_for_question();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string question_;
  std::optional<std::string> answer_;
  bool asking_ = false, over_ = false, abandoned_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace wgp
