#include "core/conversation.h"

#include <gtest/gtest.h>

#include "wgp/types.h"

namespace wgp {
namespace {

TEST(Conversation, HandsQuestionsAndAnswersToAndFro) {
  std::string heard;
  Conversation talk([&](const Conversation::Ask& ask) {
    heard = ask("one?");
    heard += ask("two?");
  });
  EXPECT_EQ(talk.question(), "one?");
  talk.answer("1");
  EXPECT_EQ(talk.question(), "two?");
  EXPECT_FALSE(talk.over());
  talk.answer("2");
  EXPECT_TRUE(talk.over());
  EXPECT_EQ(heard, "12");
}

TEST(Conversation, PassesOnWhatIsThrown) {
  EXPECT_THROW(Conversation([](const Conversation::Ask&) { throw Error("at once"); }), Error);
  Conversation talk([](const Conversation::Ask& ask) { throw Error(ask("what?")); });
  EXPECT_THROW(talk.answer("this"), Error);
  EXPECT_TRUE(talk.over());
}

TEST(Conversation, EndsWhereNobodyAnswers) {
  bool unwound = false, went_on = false;
  {
    Conversation talk([&](const Conversation::Ask& ask) {
      struct Guard {
        bool& unwound;
        ~Guard() { unwound = true; }
      } guard{unwound};
      ask("well?");
      went_on = true;
    });
  }
  EXPECT_TRUE(unwound);
  EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace wgp
