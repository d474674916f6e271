// Virtual programs: what the variants of LEIR ops emit and the scheduler turns into VSM.
//
// A VProgram is a list of virtual instructions in an order that is correct when they are executed one
// after the other. Their operands are virtual: registers (rows of long words in some PE memory, bank not
// yet chosen), tree buffers (ranges of L1BM, L2BM or DRAM, address not yet chosen), matrix sides and mask
// entries. The scheduler derives all dependences from the accesses (row by row, cycle by cycle), chooses
// banks, sides, mask entries and addresses, packs units into steps, forwards, tags MVs and places waits.
// It never changes a value: every legal schedule computes the same bits as the sequential list.
//
// A virtual register holds `rows` long words in each PE. A use names the row of every cycle:
//   row[c] = long-word row relative to the register; width DLW covers row[c] and row[c]+1;
//   width W covers one word of the row, word[c] says which (0 = MSB side).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::sched {

enum class Bank : uint8_t { kLm0, kLm1, kGrf0, kGrf1, kT };
using BankSet = uint8_t;  // bit (1 << Bank)
constexpr BankSet bank_bit(Bank b) { return static_cast<BankSet>(1u << static_cast<unsigned>(b)); }
inline constexpr BankSet kLmBanks = bank_bit(Bank::kLm0) | bank_bit(Bank::kLm1);
inline constexpr BankSet kGrfBanks = bank_bit(Bank::kGrf0) | bank_bit(Bank::kGrf1);
// T is not among the default: it has no address, so a register may live there only if every access of it
// uses row[c] = c (or 2c for DLW) in all four cycles.
inline constexpr BankSet kAnyBank = kLmBanks | kGrfBanks | bank_bit(Bank::kT);

using VRegId = uint32_t;
using VBufId = uint32_t;
using VMatId = uint32_t;
using VMaskId = uint32_t;
inline constexpr uint32_t kNoId = 0xffffffffu;

struct VReg {
  std::string name;  // for comments in the VSM and for reports
  int32_t rows = 0;
  int32_t align = 1;  // 2 when some access is a DLW
  BankSet allowed = kAnyBank;
  bool output = false;              // must stay readable at the end, in one bank of `allowed`
  std::optional<uint32_t> literal;  // constant: both words of every row hold this pattern; written by imm
  std::string literal_text;         // how imm spells it: f"0.5", i"23"
};

// A range of a tree memory. Fixed buffers (DRAM inputs, outputs placed by the caller) keep their address.
struct VBuf {
  std::string name;
  isa::Mem mem = isa::Mem::kL1bm;  // kL1bm, kL2bm, kDram, kPdm
  int64_t size_lw = 0;
  int64_t align_lw = 64;
  std::optional<int64_t> fixed_addr;
  bool output = false;  // must stay readable at the end; so does a buffer that nothing reads
};

enum class VUseKind : uint8_t { kReg, kBuf, kMat, kConst, kNone };

struct VUse {
  VUseKind kind = VUseKind::kNone;
  uint32_t id = kNoId;  // VRegId, VBufId or VMatId
  isa::Width width = isa::Width::kLw;
  std::array<int32_t, 4> row{};         // kReg
  std::array<int8_t, 4> word{};         // kReg with width W
  int64_t offset_lw = 0;                // kBuf: offset of the access; kMat: first matrix row
  int8_t sub = -1;                      // kBuf of an MV: .s selector (L2B in group), -1 = parallel form without
  int8_t group = -1;                    // kBuf of an MV: @g selector, -1 = every group
  isa::Mem constant = isa::Mem::kNone;  // kConst: $subpeid, ...
  bool negate = false;
  char convert = 0;  // 'e', 'r'
};

struct VInsn {
  isa::Insn proto;         // def, prec, options, size; its srcs and dsts are filled by the scheduler
  std::vector<VUse> srcs;  // in the order of the assembly operands (matrix first for matvec)
  std::vector<VUse> dsts;  // empty = $nowrite, unless the row writes no PE memory
  // Masks. write_mask guards every PE-memory destination of this instruction: a masked write keeps the old
  // content where the bit is 0, so the destination is also an input.
  VMaskId write_mask = kNoId;
  bool mask_ll = false;
  uint8_t fixed_mask = 0;       // 16..31: fixed cycle pattern instead of write_mask (0 = none)
  VMaskId writes_mask = kNoId;  // flags of this instruction go to this virtual mask entry
  int32_t node = -1;            // LEIR node it was emitted for (reports, comments)
};

struct VProgram {
  std::vector<VReg> regs;
  std::vector<VBuf> bufs;
  uint32_t num_mats = 0;
  uint32_t num_masks = 0;
  std::vector<VInsn> insns;  // PE and MV instructions, sequentially correct order

  VRegId add_reg(VReg r) {
    regs.push_back(std::move(r));
    return static_cast<VRegId>(regs.size() - 1);
  }
  VBufId add_buf(VBuf b) {
    bufs.push_back(std::move(b));
    return static_cast<VBufId>(bufs.size() - 1);
  }
};

// Where a register ended up, in one bank (a register may have copies in two banks).
struct RegPlace {
  Bank bank = Bank::kLm0;
  int32_t addr_lw = 0;
};

}  // namespace kumihimo::mncore2::sched
