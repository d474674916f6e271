// One instruction made ready for execution: what does not depend on data is settled once, when a program is decoded.
//
// Operands become row numbers, masks in force become entry numbers, options become enumerations. A semantic
// function finds its plan in StepContext::op and its operands as Views (see context.h).
#pragma once

#include <array>
#include <cstdint>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::fast {
struct Uop;
struct Place;
}  // namespace kumihimo::mncore2::fast

namespace kumihimo::mncore2::emu {

struct Mab;

// Conversions of a source (ISA 6.3): the whole double long word is converted, results stay at the MSB side.
enum class Convert : uint8_t {
  kNone,
  kHalfToSingle,    // e: 4 halves of the MSB LW -> 4 singles
  kSingleToDouble,  // e: 2 singles of the MSB LW -> 2 doubles
  kSingleToHalf,    // r: 4 singles of the DLW -> 4 halves in the MSB LW, LSB LW 0
};

struct SrcPlan {
  isa::Mem mem = isa::Mem::kNone;
  isa::Width width = isa::Width::kLw;
  Convert convert = Convert::kNone;
  bool negate = false;
  bool per_pe = false;                // T-indirect or j: addresses differ between PEs
  bool contiguous = false;            // PE memory, four successive long words or double long words
  std::array<int16_t, 4> row{};       // long-word row of each cycle (BAR not added), inside the memory
  std::array<bool, 4> low_word{};     // width W: the LSB word of the row
  std::array<int32_t, 4> addr{};      // word addresses as written, for per-PE sums
  isa::Prec prec = isa::Prec::kNone;  // of the instruction: the width in which constants appear
  int8_t operand = 0;                 // position as written
  int8_t j = -1;
  bool t_indirect = false;
};

struct DstPlan {
  isa::Mem mem = isa::Mem::kNone;
  isa::Width width = isa::Width::kLw;
  bool per_pe = false;
  bool contiguous = false;
  std::array<int16_t, 4> row{};
  std::array<bool, 4> low_word{};
  std::array<int32_t, 4> addr{};
  int8_t j = -1;
  bool t_indirect = false;
  int8_t operand = 0;  // 8 + position as written
  uint8_t mask = 0;    // entry in force for this destination; 0 = none
  bool mask_ll = false;
};

struct Op {
  const isa::Insn* insn = nullptr;
  uint32_t line = 0;  // index into Program::lines
  isa::SemFn sem = nullptr;
  void (*kernel)(Mab&, const fast::Uop&, fast::Place&) = nullptr;  // of the chosen path (fast/kernels.h), or none
  uint8_t src_count = 0, dst_count = 0;
  std::array<SrcPlan, 3> src;    // PE operands only, in written order; matrix operands are not among them
  const DstPlan* dst = nullptr;  // into the program's pool
  int8_t latch = -1;             // Latch that takes the result, -1 = none
  uint8_t zero_flush = 0;        // mask entry, 0 = none
  bool zero_flush_ll = false;
  bool needs_flags = false;  // some destination is an OMR
  int8_t side = -1;          // matrix register: 0 = x, 1 = y
  int16_t matrix_row = 0;    // mwrite: row, mread: column
  isa::Width matrix_width = isa::Width::kLw;
  int32_t l1bm_addr = -1;  // l1bm, l2bm; -1 = the turnaround register
  int32_t l2bm_addr = 0;   // l2bm
  bool l1bm_dlw = false;   // $llb
};

// One destination of one instruction of a step.
struct Store {
  const Op* op;
  const DstPlan* dst;
};

// What happens in one PE step, by unit. Null = the unit is idle.
struct StepPlan {
  uint32_t line = 0;           // index into Program::lines
  bool update_latches = true;  // false for lines with noforward
  const Op* calc = nullptr;
  const Op* mwrite = nullptr;
  const Op* mread = nullptr;
  const Op* alu = nullptr;
  const Op* distribute = nullptr;  // L1BM or turnaround -> PE: each MAB on its own, L1BM does not change in the step
  const Op* collect = nullptr;     // PE -> L1BM: the 16 MABs of an L1B meet
  const Op* download = nullptr;    // L2BM -> L1BM: each L1B on its own
  const Op* upload = nullptr;      // L1BM -> L2BM: the L1Bs of an L2B meet
  const Store* stores = nullptr;   // every PE destination: memories, then T, BARs, the mask register
  uint8_t store_count = 0;
  bool meets_in_l1b() const { return collect != nullptr || download != nullptr; }
  bool meets_in_l2b() const { return upload != nullptr; }
};

}  // namespace kumihimo::mncore2::emu
