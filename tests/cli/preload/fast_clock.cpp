// Loaded before a program (LD_PRELOAD): its clock that only goes forward goes WGP_TEST_CLOCK times as fast.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const char* text = std::getenv("WGP_TEST_CLOCK");
  if (status != 0 || clock != CLOCK_MONOTONIC || text == nullptr) return status;
  constexpr long long second = 1'000'000'000;
  static const long long start = time->tv_sec;
  const long long ran = (time->tv_sec - start) * second + time->tv_nsec;
  const long long shown = start * second + std::atoll(text) * ran;
  time->tv_sec = static_cast<time_t>(shown / second);
  time->tv_nsec = static_cast<long>(shown % second);
  return status;
}
