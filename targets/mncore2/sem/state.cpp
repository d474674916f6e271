#include "targets/mncore2/sem/state.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace kumihimo::mncore2::emu {
namespace {

template <class T>
T* zeroed(int64_t count) {
  void* p = std::calloc(static_cast<size_t>(count), sizeof(T));
  if (p == nullptr) throw std::bad_alloc();
  return static_cast<T*>(p);
}

}  // namespace

LwMemory::LwMemory(int64_t capacity_lw, uint64_t poison, bool strict)
    : capacity_(capacity_lw), poison_(poison), strict_(strict), page_count_((capacity_lw + kPageLw - 1) / kPageLw) {
  pages_ = zeroed<Page*>(page_count_);
  if (strict_) page_defs_ = zeroed<PageDef*>(page_count_);
}

void LwMemory::release() {
  if (pages_ != nullptr && pages_in_use_ > 0)
    for (int64_t i = 0; i < page_count_; ++i) std::free(pages_[i]);
  if (page_defs_ != nullptr && pages_in_use_ > 0)
    for (int64_t i = 0; i < page_count_; ++i) std::free(page_defs_[i]);
  std::free(pages_);
  std::free(page_defs_);
  pages_ = nullptr;
  page_defs_ = nullptr;
}

LwMemory::~LwMemory() { release(); }

LwMemory::LwMemory(LwMemory&& other) noexcept { *this = std::move(other); }

LwMemory& LwMemory::operator=(LwMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  capacity_ = other.capacity_;
  poison_ = other.poison_;
  strict_ = other.strict_;
  pages_in_use_ = std::exchange(other.pages_in_use_, 0);
  page_count_ = std::exchange(other.page_count_, 0);
  pages_ = std::exchange(other.pages_, nullptr);
  page_defs_ = std::exchange(other.page_defs_, nullptr);
  return *this;
}

void LwMemory::read(int64_t addr, int64_t count, uint64_t* out, uint8_t* def) const {
  assert(addr >= 0 && count >= 0 && addr + count <= capacity_);
  while (count > 0) {
    const int64_t page = addr / kPageLw, offset = addr % kPageLw, n = std::min(count, kPageLw - offset);
    if (pages_[page] != nullptr) {
      std::memcpy(out, pages_[page]->lw + offset, static_cast<size_t>(n) * sizeof(uint64_t));
      if (def != nullptr) {
        if (strict_)
          std::memcpy(def, page_defs_[page]->lw + offset, static_cast<size_t>(n));
        else
          std::memset(def, kAllDefined, static_cast<size_t>(n));
      }
    } else {
      std::fill(out, out + n, poison_);
      if (def != nullptr) std::memset(def, strict_ ? 0 : kAllDefined, static_cast<size_t>(n));
    }
    addr += n, out += n, count -= n;
    if (def != nullptr) def += n;
  }
}

void LwMemory::write(int64_t addr, int64_t count, const uint64_t* values, const uint8_t* def) {
  assert(addr >= 0 && count >= 0 && addr + count <= capacity_);
  while (count > 0) {
    const int64_t page = addr / kPageLw, offset = addr % kPageLw, n = std::min(count, kPageLw - offset);
    if (pages_[page] == nullptr) {
      pages_[page] = zeroed<Page>(1);
      if (poison_ != 0) std::fill(pages_[page]->lw, pages_[page]->lw + kPageLw, poison_);
      if (strict_) page_defs_[page] = zeroed<PageDef>(1);
      ++pages_in_use_;
    }
    std::memcpy(pages_[page]->lw + offset, values, static_cast<size_t>(n) * sizeof(uint64_t));
    if (strict_) {
      if (def != nullptr)
        std::memcpy(page_defs_[page]->lw + offset, def, static_cast<size_t>(n));
      else
        std::memset(page_defs_[page]->lw + offset, kAllDefined, static_cast<size_t>(n));
    }
    addr += n, values += n, count -= n;
    if (def != nullptr) def += n;
  }
}

}  // namespace kumihimo::mncore2::emu
