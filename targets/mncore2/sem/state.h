// The machine's state, laid out for the host.
//
// A MAB is one contiguous block, because a MAB runs many steps alone before anything above it matters. Every PE
// memory is `row[addr][pe]`: a long word address, then the four PEs; values are host-native integers, so nothing is
// ever byte-swapped. A `v` access of one step (four cycles) is then 128 contiguous bytes (LW) or 256 (DLW).
//
// A Beat is what one unit reads or produces in a step: four cycles, the two long words of a double long word, four
// PEs. It is the layout of a contiguous DLW access, of T and of the forwarding latches.
//
// Strict mode keeps a shadow beside each block: four bits per long word, one per 16 bits, most significant bit = first
// (MSB) 16 bits; 1 = defined. Shadows exist only in strict mode; the blocks do not change.
#pragma once

#include <array>
#include <cstdint>

#include "targets/mncore2/num/dot.h"

namespace kumihimo::mncore2::emu {

// Sizes that the layout fixes at compile time; Machine::create compares them with the machine row.
inline constexpr int kLmRows = 2048, kGrfRows = 256, kOmrEntries = 16, kPes = 4, kMabs = 16;
inline constexpr int kL1bmLw = 8192, kL2bmLw = 32768, kStagedLw = 64;

inline constexpr uint8_t kAllDefined = 0xf;

struct alignas(64) Beat {
  uint64_t v[4][2][4];  // [cycle][0 = MSB LW, 1 = LSB LW][pe]
};
struct alignas(32) BeatDef {
  uint8_t v[4][2][4];
};

// The forwarding latches, in this order in Mab::latch.
enum Latch : int { kLatchMau = 0, kLatchAlu = 1, kLatchL1bm = 2, kLatchMread = 3, kLatches = 4 };

// Half rows of a matrix side as the SIMD kernels read them (fast/mau_matrix_*.h): turned so that one vector holds one
// pair of columns of all rows, each row in the lane where its output element stands in a Beat.
struct HalfColumns {
  static constexpr uint8_t kScaled = 1, kInfinite = 2, kMasks = 4;

  alignas(64) uint32_t pairs[8][16];  // signed fractions of two neighbours of a row, in host order; kScaled: times 64
                                      // unless extended
  alignas(64) uint32_t scale[16];  // (E + 49) << 23: with the vector's E << 23 added, 2^(sum of both - 78) as a single
  // kMasks: bit i = element i is an infinity, is not zero, has its sign bit set.
  alignas(64) uint32_t infinite[16], live[16], negative[16];
  uint8_t groups;  // bit g: rows 4g to 4g + 3 are up to date
  uint8_t kind;    // kScaled: some element is extended; kInfinite: some element is an infinity; kMasks: masks are made
};

// One side of the matrix register. Rows are what mwrite stored: 16 rows of 16 halves, 8 of 8 words or 4 of 4 long
// words (ISA 6.2); row r of any precision starts at raw[r]. The rest are forms of raw for the products, made when
// they are needed: who writes raw calls changed().
struct alignas(64) MatrixSide {
  uint64_t raw[16][4];
  HalfColumns columns;
  std::array<num::HalfBlock, 16> decoded;
  uint16_t decoded_rows;  // bit r: decoded[r] belongs to raw[r]

  void changed(int row) {
    decoded_rows = static_cast<uint16_t>(decoded_rows & ~(1u << row));
    columns.groups = static_cast<uint8_t>(columns.groups & ~(1u << row / 4));
  }
  void changed() { decoded_rows = columns.groups = 0; }
};

struct alignas(64) Mab {
  uint64_t lm[2][kLmRows][4];
  uint64_t grf[2][kGrfRows][4];
  Beat t;
  Beat latch[kLatches][2];  // two buffers: a step reads one and fills the other
  Beat scratch[3];          // fast paths: sources that have no place of their own (fast/kernels.h); no state
  MatrixSide mat[2];
  // [entry][pe]: cycle 0 in the top four bits, in each word-bit 0 (H0 or W0) on top. Read as one long word too.
  alignas(8) uint16_t omr[kOmrEntries][4];
  uint16_t bar[2][4];  // [LM][pe]
  uint8_t latch_now[kLatches];
  bool bar_used[2];  // some PE's BAR of this LM is not 0
};

struct MabDef {
  uint8_t lm[2][kLmRows][4];
  uint8_t grf[2][kGrfRows][4];
  BeatDef t;
  BeatDef latch[kLatches][2];
  uint8_t mat[2][16][4];
  uint8_t mat_prec[2][16];  // isa::Prec of the write that made the row, 0 = none
  uint16_t omr[kOmrEntries][4];
  uint8_t bar_undefined[2][4];  // BARs start at 0, defined
};

// The turnaround register keeps what the last PE -> L1BM instruction sent, by its place in a row of its cycle: the
// L1BM address less B and the cycle term (ISA 5.3 formulas, 5.4). `rate` tells which type of instruction filled it.
struct alignas(64) L1bm {
  uint64_t lw[kL1bmLw];
  uint64_t turn[4][64];
  uint64_t staged[kStagedLw];  // words under way from another L1B (l2bmi), inside one step
  uint8_t turn_rate;
  bool arrives;
};
struct L1bmDef {
  uint8_t lw[kL1bmLw];
  uint8_t turn[4][64];
  uint8_t staged[kStagedLw];
};
struct alignas(64) L2bm {
  uint64_t lw[kL2bmLw];
};
struct L2bmDef {
  uint8_t lw[kL2bmLw];
};

// DRAM address table of a group (ISA 1.2, 4.5). An entry counts runs of 16 long words. `buffer` holds what the last
// l2bmdars read; l2bmdarw moves it, from entry `next` on, to `entry[base + next]`.
inline constexpr int kDarEntries = 1024, kDarBuffer = 512;
struct Dar {
  uint32_t entry[kDarEntries];
  uint32_t buffer[kDarBuffer];
  int32_t base, next, filled;
};
struct DarDef {
  bool entry[kDarEntries];
  bool buffer[kDarBuffer];
};

// A sparse or dense memory of long words that MV instructions read and write (PDM, DRAM), with its shadow.
class LwMemory {
 public:
  static constexpr int64_t kPageLw = 4096;
  struct Page {
    uint64_t lw[kPageLw];
  };
  struct PageDef {
    uint8_t lw[kPageLw];
  };

  LwMemory() = default;
  LwMemory(int64_t capacity_lw, uint64_t poison, bool strict);
  ~LwMemory();
  LwMemory(LwMemory&& other) noexcept;
  LwMemory& operator=(LwMemory&& other) noexcept;
  LwMemory(const LwMemory&) = delete;
  LwMemory& operator=(const LwMemory&) = delete;

  int64_t capacity_lw() const { return capacity_; }
  // Addresses are inside the capacity. `def` may be null.
  void read(int64_t addr, int64_t count, uint64_t* out, uint8_t* def) const;
  // A null `def` means defined.
  void write(int64_t addr, int64_t count, const uint64_t* values, const uint8_t* def);
  int64_t pages_in_use() const { return pages_in_use_; }
  // Pages that were written, in address order: f(number, words, shadow or null).
  template <class F>
  void for_each_page(F f) const {
    for (int64_t i = 0, left = pages_in_use_; left > 0; ++i) {
      if (pages_[i] == nullptr) continue;
      f(i, *pages_[i], page_defs_ == nullptr ? nullptr : page_defs_[i]);
      --left;
    }
  }

 private:
  void release();
  int64_t capacity_ = 0;
  uint64_t poison_ = 0;
  bool strict_ = false;
  int64_t pages_in_use_ = 0;
  int64_t page_count_ = 0;
  Page** pages_ = nullptr;  // calloc'ed tables: untouched parts cost no memory
  PageDef** page_defs_ = nullptr;
};

// Everything: arrays indexed by linear unit number (L2B L = 2g + s, L1B = 8L + b, MAB = 16 * L1B + m on the full
// machine; the counts come from the machine row).
struct MachineState {
  int groups = 0, l2bs_per_group = 0, l1bs_per_l2b = 0;
  Mab* mabs = nullptr;
  L1bm* l1bms = nullptr;
  L2bm* l2bms = nullptr;
  MabDef* mab_defs = nullptr;  // null unless strict, as the next two
  L1bmDef* l1bm_defs = nullptr;
  L2bmDef* l2bm_defs = nullptr;
  LwMemory* pdms = nullptr;   // per group
  LwMemory* drams = nullptr;  // per group
  Dar* dars = nullptr;        // per group
  DarDef* dar_defs = nullptr;
  bool strict() const { return mab_defs != nullptr; }
  int l2bs() const { return groups * l2bs_per_group; }
  int l1bs() const { return l2bs() * l1bs_per_l2b; }
};

}  // namespace kumihimo::mncore2::emu
