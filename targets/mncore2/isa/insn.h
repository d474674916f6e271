// Instructions of MN-Core 2: the row type and the decoded form.
//
// A row (InsnDef) says everything that is known about one instruction of the assembly language: how it
// is spelled, which unit executes it, which operands it takes, what it does, where each fact comes from.
// Assembler, printer, emulator dispatch, hazard checker, scheduler and reference documents read rows;
// none of them has a list of instructions of its own.
//
// The decoded form (Insn) is one occurrence. A Line is what one line of assembly holds: one PE step
// (several Insns issued together), one MV instruction, or one control statement.
//
// Units: PE-memory addresses are in words (32 bit), every other address in long words (64 bit).
// "step" = one PE line = 4 cycles; arrays of four are indexed by the cycle 0..3 inside a step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kumihimo::mncore2::emu {
struct StepContext;  // what a semantic function works on; defined by the emulator
}

namespace kumihimo::mncore2::isa {

// The issue groups of ISA 9.3: at most one instruction of each in a step.
enum class Unit : uint8_t {
  kNop, kNoforward, kWait, kL2bm, kL2bmDarWrite, kL1bm, kL1bmTurnaround, kMauCalc, kMauWrite, kMauRead, kAlu, kMv,
};

// Precision letter of a mnemonic. kD..kH are floats, kL..kS integers.
enum class Prec : uint8_t { kNone, kD, kF, kG, kH, kL, kI, kS };

enum class Mem : uint8_t {
  kNone,
  kLm0, kLm1, kGrf0, kGrf1, kT,                  // PE memories
  kOmr, kBar0, kBar1,                            // mask registers, base-address registers of LM0 and LM1
  kMauf, kAluf, kLbf, kMreadf,                   // forwarding
  kL2bid, kL1bid, kMabid, kPeid, kSubpeid, kMsb1,  // constants
  kNowrite,
  kMatX, kMatY,                                  // matrix registers
  kL1bm, kTurnaround, kL2bm,                     // tree memories
  kPdm, kDram, kDramIndirect, kDar,
  kImm,
};

// Width of one access: word, long word, double long word.
enum class Width : uint8_t { kW, kLw, kDlw };
constexpr int width_words(Width w) { return w == Width::kW ? 1 : w == Width::kLw ? 2 : 4; }

// How the address of a PE-memory operand was written; the per-cycle result is always in Operand::addr.
enum class AddrMode : uint8_t { kFixed, kStride, kFlat };

// A mask (ISA 3.3): entry 0 = none, 1..15 variable, 16..31 fixed patterns (bit 3 of the low four = cycle 0).
struct MaskSpec {
  bool present = false;   // written on this operand or opcode (otherwise the mask statement in force holds)
  uint8_t entry = 0;
  bool ll = false;        // bits stand for words of the DLW instead of halves of the MSB LW
  char suffix = 0;        // 't' or 'p' assertion, 0 = none
  bool literal = false;   // written as four digits rather than $imrN
  friend bool operator==(const MaskSpec&, const MaskSpec&) = default;
};

struct Operand {
  Mem mem = Mem::kNone;
  Width width = Width::kLw;
  AddrMode mode = AddrMode::kFixed;
  std::array<int32_t, 4> addr{};  // PE memories: word address of each cycle; tree memories, matrix rows, OMR entry: addr[0]
  int32_t stride = 0;             // words per cycle for kStride
  bool explicit_stride = false;   // written as v<n>
  bool t_indirect = false;        // $lmt: add the low bits of T
  int8_t j = -1;                  // argument of the `j` suffix, -1 = absent
  bool negate = false;            // '-' before a MAU source
  char convert = 0;               // 'e' widen, 'r' round, 0 = none (after a source)
  int8_t group = -1, sub = -1;    // MV operands: @g and .s; -1 = not written
  MaskSpec mask;                  // destinations only
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct InsnDef;

// One decoded instruction. Fields that a row does not use keep their defaults.
struct Insn {
  const InsnDef* def = nullptr;
  Prec prec = Prec::kNone;
  bool is_unsigned = false;     // `u` prefix of integer ALU instructions
  char half_select = 0;         // 'u' or 'd' of double MAU instructions
  bool narrow = false;          // `r` after the opcode: result rounded one precision down
  int8_t bf_bits = 0;           // the /n of hbfn, hbfe
  int8_t mab = -1;              // @M of l1bmm, @n of l2bm
  int8_t shift = 0;             // +n or -n of l1bmd
  uint8_t l1b_set = 0xff;       // @S: bit b = L1B b takes part
  bool explicit_l1b_set = false;
  uint8_t l1b_mask = 0;         // the i of @b0/i
  MaskSpec zero_flush;          // /… after the opcode
  uint32_t literal = 0;         // imm, immu: the 32-bit pattern
  std::string literal_text;     // as written: f"0.5"
  uint32_t nop_count = 1;       // nop/N
  uint8_t tag = 0;              // MV i<tag> and wait; 0 = none
  uint32_t size = 0;            // MV n<size>, long words
  uint32_t nd = 0;              // MV nd<N>
  uint8_t priority = 0;         // MV p<prio>
  const InsnDef* reduce = nullptr;  // reduction row used by l1bmr, l2bmr, mvr (prec = its precision)
  std::vector<Operand> srcs;
  std::vector<Operand> dsts;
};

using SemFn = void (*)(emu::StepContext&, const Insn&);

// Where a fact comes from (ISA notes, first page).
enum class Evidence : char { kVendor = 'V', kSingle = 'S', kEmulator = 'E', kDevice = 'D', kDerived = 'X', kAssembled = 'A', kInferred = 'I', kUnknown = '?' };

enum class OperandRole : uint8_t {
  kPeSrc, kPeDst, kMatrix, kMatrixRow, kL1bmAddr, kL2bmAddr, kMvMem, kLiteral, kTag,
};

// The row. Plain data; `sem` is null only for rows that act at decode time (nop, noforward, wait).
// The owner of this folder extends it with the columns that its readers need (syntax template, rates,
// transfer formula, reduction kind, port use, latency); add a column before adding a second table.
struct InsnDef {
  std::string_view name;        // spelling without precision letter, u, options: "vfma", "add", "l1bmd"
  std::string_view syntax;      // for people: "{d,f,h}vfma[u|d][r] X Y Z DST…"
  Unit unit;
  uint16_t prec_mask;           // bit (1 << Prec) for each allowed precision; 0 = takes none
  SemFn sem;
  std::string_view doc;         // one sentence
  std::string_view source;      // "ISA 6.1"
  Evidence evidence;
  std::string_view example;     // one assembling line
};

// Debug statements (ISA 3.5) and host input lines (ISA 10.1).
struct DebugMem {
  Mem mem = Mem::kNone;
  Width width = Width::kLw;
  int64_t addr = 0;
  int8_t n = -1, c = -1, b = -1, m = -1, p = -1;  // -1 = expands over all
};

enum class LineKind : uint8_t { kEmpty, kPe, kMv, kMask, kDebugGet, kDebugSet, kHostRow, kHostDma, kQuit };

struct Line {
  LineKind kind = LineKind::kEmpty;
  uint32_t source_line = 0;        // 1-based
  std::string text;                // the statement as written, without comment (echo of `d get`)
  std::vector<Insn> insns;         // kPe: the step; kMv: exactly one
  // kMask: entry, width and enabled destinations
  uint8_t mask_entry = 0;
  bool mask_ll = false;
  uint8_t mask_dsts = 0;           // bits 0..5 = r s t m n k
  // kDebugGet / kDebugSet
  DebugMem mem;
  std::string dtype;               // "", "d", "f", "h", "bd", ...
  uint32_t count = 0;
  std::vector<uint64_t> payload;   // kDebugSet, kHostRow
  int8_t host_group = 0;           // kHostRow: DRAM of this group
};

struct Program {
  std::vector<Line> lines;
};

// All rows, in table order (rows of one unit stand together).
std::span<const InsnDef> rows();

}  // namespace kumihimo::mncore2::isa
