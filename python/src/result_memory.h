// Memory for large results. The system hands out pages filled with zeros when they are first written, which takes as
// long as many a result. So the last large piece that was given back stays here for the next one: marked as free, so
// that the system takes its pages whenever it needs any, and whole until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include "wgp/types.h"

namespace wgp::python {

class ResultMemory {
 public:
  explicit ResultMemory(Index numbers) : bytes_(static_cast<std::size_t>(numbers) * sizeof(double)) {
#ifdef MADV_FREE
    if (bytes_ >= least) {
      {
        const std::lock_guard lock(kept().mutex);
        Kept& piece = kept();
        if (piece.data != nullptr && bytes_ <= piece.bytes && piece.bytes <= 2 * bytes_) {
          data_ = std::exchange(piece.data, nullptr);
          bytes_ = piece.bytes;
          return;
        }
      }
      map();
      return;
    }
#endif
    data_ = ::operator new(bytes_ > 0 ? bytes_ : 1, std::align_val_t(alignment));
  }
  ResultMemory(const ResultMemory&) = delete;
  ResultMemory& operator=(const ResultMemory&) = delete;
  ~ResultMemory() {
#ifdef MADV_FREE
    if (bytes_ >= least) {
      if (madvise(data_, bytes_, MADV_FREE) == 0) {
        const std::lock_guard lock(kept().mutex);
        Kept& piece = kept();
        std::swap(data_, piece.data);
        std::swap(bytes_, piece.bytes);
      }
      if (data_ != nullptr) munmap(data_, bytes_);
      return;
    }
#endif
    ::operator delete(data_, std::align_val_t(alignment));
  }
  double* data() const { return static_cast<double*>(data_); }

 private:
  static constexpr std::size_t alignment = 64, page = 1 << 21, least = page / 2;
  struct Kept {
    std::mutex mutex;
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  // Never destroyed: arrays may outlive whatever ends the process.
  static Kept& kept() {
    static Kept& one = *new Kept;
    return one;
  }

#ifdef MADV_FREE
  // Whole large pages.
  void map() {
    bytes_ = (bytes_ + page - 1) / page * page;
    void* begin = mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    char* const all = static_cast<char*>(begin);
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(all) % page) % page;
    if (before > 0) munmap(all, before);
    if (before < page) munmap(all + before + bytes_, page - before);
    data_ = all + before;
#ifdef MADV_HUGEPAGE
    madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  }
#endif

  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace wgp::python
