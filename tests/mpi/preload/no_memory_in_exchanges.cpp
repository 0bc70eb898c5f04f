// Loaded before wgp-mpi (LD_PRELOAD): once, within the exchange of messages that begins with the
// WGP_TEST_EXCHANGE-th MPI_Iallgather, there is no memory for what is asked for next.
#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> nothing_left = false;

bool is_the_one() {
  static int exchanges = 0;
  const char* text = std::getenv("WGP_TEST_EXCHANGE");
  return text && ++exchanges == std::atoi(text);
}

}  // namespace

extern "C" int MPI_Iallgather(const void* own, int count, MPI_Datatype type, void* all, int count_of_each,
                              MPI_Datatype type_of_each, MPI_Comm ranks, MPI_Request* request) {
  if (is_the_one()) nothing_left = true;
  return PMPI_Iallgather(own, count, type, all, count_of_each, type_of_each, ranks, request);
}

void* operator new(std::size_t size) {
  if (nothing_left.exchange(false)) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
