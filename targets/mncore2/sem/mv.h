// Memories and instances of MV instructions (ISA 4.2), for the functions that execute them.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// A group, or an L2BM of it.
struct MvInstance {
  int g = 0, s = 0;
};

// Instances of one side that exist on this machine.
std::vector<MvInstance> mv_instances(const MachineState& machine, const isa::MvSide& side, const isa::Operand& operand);

// The words of one memory instance that an operand names: word 0 is at its address, or where its DAR entries say.
class MvPort {
 public:
  MvPort(const MachineState& machine, const isa::Operand& operand, uint32_t repeat, MvInstance at);

  int64_t capacity() const { return l2bm_ != nullptr ? kL2bmLw : memory_->capacity_lw(); }
  // `word` counts from the operand's address. A null `def` is neither read nor written; strict mode gives one.
  void read(int64_t word, int64_t count, uint64_t* out, uint8_t* def) const {
    run(word, count, [&](int64_t at, int64_t n, int64_t done) {
      uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->read(at, n, out + done, d);
      std::memcpy(out + done, l2bm_->lw + at, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(d, l2bm_def_->lw + at, static_cast<size_t>(n));
    });
  }
  void write(int64_t word, int64_t count, const uint64_t* values, const uint8_t* def) const {
    run(word, count, [&](int64_t at, int64_t n, int64_t done) {
      const uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->write(at, n, values + done, d);
      std::memcpy(l2bm_->lw + at, values + done, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(l2bm_def_->lw + at, d, static_cast<size_t>(n));
    });
  }
  // The words themselves, where they stand one after the other in an L2BM and nothing shadows them; else null.
  uint64_t* plain(int64_t word, int64_t count) const {
    if (l2bm_ == nullptr || l2bm_def_ != nullptr) return nullptr;
    const int64_t at = (base_ + word) % kL2bmLw;
    return at + count <= kL2bmLw ? l2bm_->lw + at : nullptr;
  }

 private:
  // Calls f(address, count, done) for the pieces of a range: pieces end where it wraps at the capacity (ISA 1.2 [V]) and
  // with every block of 16 that has a DAR entry.
  template <class F>
  void run(int64_t word, int64_t count, F f) const {
    constexpr int64_t kBlock = 16;
    const int64_t whole = capacity();
    int64_t done = 0;
    while (done < count) {
      const int64_t at = word + done;
      int64_t addr = base_ + at, n = count - done;
      if (dar_ != nullptr) {
        const int64_t block = at / kBlock, entry = (base_ + block / repeat_) % kDarEntries;
        addr = kBlock * (dar_->entry[entry] + block % repeat_) + at % kBlock;
        n = std::min(n, kBlock - at % kBlock);
      }
      if (addr >= whole) addr %= whole;
      n = std::min(n, whole - addr);
      f(addr, n, done);
      done += n;
    }
  }
  int64_t base_;
  int64_t repeat_ = 1;
  const Dar* dar_ = nullptr;
  L2bm* l2bm_ = nullptr;
  L2bmDef* l2bm_def_ = nullptr;
  LwMemory* memory_ = nullptr;
};

// What an MV reduction combines: L2BMs that meet in the words of one destination. Unit i of a sender begins at its word
// src + unit * i, that of the destination at dst + unit * i (the units of the row's sides).
struct MvMeeting {
  struct Sender {
    MvInstance at;
    int slot;  // input of the network
  };
  MvInstance to;
  int64_t src, dst;
  std::vector<Sender> senders;
};
struct MvMeetings {
  int inputs;  // of the network; those without sender take the identity
  std::vector<MvMeeting> all;
};
MvMeetings mv_meetings(const MachineState& machine, const isa::Insn& insn);

}  // namespace kumihimo::mncore2::emu
