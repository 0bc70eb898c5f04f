// Loaded before a program (LD_PRELOAD): from the WGP_TEST_ALLOCATIONS-th allocation of threads other than the first on,
// these have no memory left. The first one has.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

bool in_worker() { return syscall(SYS_gettid) != getpid(); }

long allowed() {
  const char* text = std::getenv("WGP_TEST_ALLOCATIONS");
  return text ? std::atol(text) : 0;
}

std::atomic<long> made = 0;

}  // namespace

void* operator new(std::size_t size) {
  if (in_worker() && ++made > allowed()) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
