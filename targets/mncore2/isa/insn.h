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
  kNop,
  kNoforward,
  kWait,
  kL2bm,
  kL2bmDarWrite,
  kL1bm,
  kL1bmTurnaround,
  kMauCalc,
  kMauWrite,
  kMauRead,
  kAlu,
  kMv,
};

// Precision letter of a mnemonic. kD..kH are floats, kL..kS integers.
enum class Prec : uint8_t { kNone, kD, kF, kG, kH, kL, kI, kS };
constexpr uint16_t prec_bit(Prec p) { return static_cast<uint16_t>(1u << static_cast<unsigned>(p)); }

enum class Mem : uint8_t {
  kNone,
  kLm0,
  kLm1,
  kGrf0,
  kGrf1,
  kT,  // PE memories
  kOmr,
  kBar0,
  kBar1,  // mask registers, base-address registers of LM0 and LM1
  kMauf,
  kAluf,
  kLbf,
  kMreadf,  // forwarding
  kL2bid,
  kL1bid,
  kMabid,
  kPeid,
  kSubpeid,
  kMsb1,  // constants
  kNowrite,
  kMatX,
  kMatY,  // matrix registers
  kL1bm,
  kTurnaround,
  kL2bm,  // tree memories
  kPdm,
  kDram,
  kDramIndirect,
  kDar,
  kImm,
};

// Width of one access: word, long word, double long word.
enum class Width : uint8_t { kW, kLw, kDlw };
constexpr int width_words(Width w) { return w == Width::kW ? 1 : w == Width::kLw ? 2 : 4; }

// How the address of a PE-memory operand was written; the per-cycle result is always in Operand::addr.
enum class AddrMode : uint8_t { kFixed, kStride, kFlat };

// A mask (ISA 3.3): entry 0 = none, 1..15 variable, 16..31 fixed patterns (bit 3 of the low four = cycle 0).
struct MaskSpec {
  bool present = false;  // written on this operand or opcode (otherwise the mask statement in force holds)
  uint8_t entry = 0;
  bool ll = false;       // bits stand for words of the DLW instead of halves of the MSB LW
  char suffix = 0;       // 't' or 'p' assertion, 0 = none
  bool literal = false;  // written as four digits rather than $imrN
  friend bool operator==(const MaskSpec&, const MaskSpec&) = default;
};

struct Operand {
  Mem mem = Mem::kNone;
  Width width = Width::kLw;
  AddrMode mode = AddrMode::kFixed;
  std::array<int32_t, 4>
      addr{};          // PE memories: word address of each cycle; tree memories, matrix rows, OMR entry: addr[0]
  int32_t stride = 0;  // words per cycle for kStride
  bool explicit_stride = false;  // written as v<n>
  bool t_indirect = false;       // $lmt: add the low bits of T
  int8_t j = -1;                 // argument of the `j` suffix, -1 = absent
  bool negate = false;           // '-' before a MAU source
  char convert = 0;              // 'e' widen, 'r' round, 0 = none (after a source)
  int8_t group = -1, sub = -1;   // MV operands: @g and .s; -1 = not written
  MaskSpec mask;                 // destinations only
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct InsnDef;

// One decoded instruction. Fields that a row does not use keep their defaults.
struct Insn {
  const InsnDef* def = nullptr;
  Prec prec = Prec::kNone;
  bool is_unsigned = false;  // `u` prefix of integer ALU instructions
  char half_select = 0;      // 'u' or 'd' of double MAU instructions
  bool narrow = false;       // `r` after the opcode: result rounded one precision down
  int8_t bf_bits = 0;        // the /n of hbfn, hbfe
  int8_t mab = -1;           // @M of l1bmm, @n of l2bm
  int8_t shift = 0;          // +n or -n of l1bmd
  uint8_t l1b_set = 0xff;    // @S: bit b = L1B b takes part
  bool explicit_l1b_set = false;
  uint8_t l1b_mask = 0;             // the i of @b0/i
  MaskSpec zero_flush;              // /… after the opcode
  uint32_t literal = 0;             // imm, immu: the 32-bit pattern
  std::string literal_text;         // as written: f"0.5"
  uint32_t nop_count = 1;           // nop/N
  uint8_t tag = 0;                  // MV i<tag> and wait; 0 = none
  uint32_t size = 0;                // MV n<size>, long words
  uint32_t nd = 0;                  // MV nd<N>
  uint8_t priority = 0;             // MV p<prio>
  const InsnDef* reduce = nullptr;  // reduction row used by l1bmr, l2bmr, mvr and their kin (prec = its precision)
  std::vector<Operand> srcs;
  std::vector<Operand> dsts;
};

using SemFn = void (*)(emu::StepContext&, const Insn&);

// Where a fact comes from (ISA notes, first page).
enum class Evidence : char {
  kVendor = 'V',
  kSingle = 'S',
  kEmulator = 'E',
  kDevice = 'D',
  kDerived = 'X',
  kAssembled = 'A',
  kInferred = 'I',
  kUnknown = '?'
};

// What an operand position holds. The kind decides which spellings are legal there; widths are a separate column
// because a width that differs from the natural one is legal on this machine (the value is cut or zero-filled at the
// LSB side) and only worth a warning.
enum class OperandRole : uint8_t {
  kNone,
  kPeSrc,       // PE memory, T or forwarding
  kAluX,        // first ALU input: also constants and $mreadf (ISA 3.2 [V])
  kPeDst,       // destinations: PE memories, T, BAR, OMR, $nowrite; any number, each memory once
  kMatrix,      // $lx, $ly: the whole side
  kMatrixRow,   // $lx0, $llx2: first row or column of the step
  kL1bmAddr,    // $lb0, $llb0
  kTurnaround,  // $lbi, $llbi
  kL1bmOrTurnaround,
  kL2bmAddr,  // $lc0
  kMvMem,     // $p0@1, $d0, $di0, $lc0@2.1
  kDarAddr,   // $dar0
  kLiteral,   // f"0.5"
  kTag,       // i01
  kCount,     // the N of nop/N
};

// Width by precision, indexed by Prec. Rows without a precision use entry kNone.
using Widths = std::array<Width, 8>;

struct OperandDef {
  OperandRole role = OperandRole::kNone;
  std::string_view name;  // as in the syntax column
  Widths width{};         // natural width
  bool negate = false;    // '-' allowed
  uint16_t widen = 0;     // instruction precisions that accept `e` here (the source is then one width narrower)
  uint16_t round = 0;     // instruction precisions that accept `r` here (the source is then a DLW of four singles)
};

// Spelling options of a mnemonic beyond name and precision.
enum Option : uint16_t {
  kOptUnsigned = 1 << 0,       // u before an integer precision letter
  kOptFloatUnsigned = 1 << 1,  // u before a float precision letter (ftoi)
  kOptHalfSelect = 1 << 2,     // u or d after the name, required in precision d and absent in the others
  kOptNarrow = 1 << 3,         // r after the name: one rounding to the next lower precision
  kOptBfBits = 1 << 4,         // /6../9, required in precision h and absent in the others
  kOptMab = 1 << 5,            // @M, required
  kOptL1bIndex = 1 << 6,       // @n of l2bm, required
  kOptL1bSet = 1 << 7,         // @S, optional
  kOptShift = 1 << 8,          // +n or -n, optional
  kOptReduce = 1 << 9,         // reduction suffix such as dfadd, required; Insn::reduce and Insn::prec
  kOptZeroFlush = 1 << 10,     // /0111, /$imr3
  kOptDarRepeat = 1 << 11,     // nd<N>, optional: one DAR entry serves N blocks of 16 long words
};

// The operations of the result reduce network (ISA 4.3, 8.2, 8.3).
enum class RrnOp : uint8_t { kNone, kFadd, kMax, kMin, kIadd, kBand, kAnd, kBor, kOr };

// Which port of L1BM a row uses: the L2B side (16 LW per cycle) or the PE side (64 LW per cycle).
enum class L1bmSide : uint8_t { kNone, kL2b, kPe };

// L1BM address of the long word that PE (m, p) exchanges at cycle c for half w of a DLW (ISA 5.3):
//   B + cycle*c + mab*m + quad*(m>>2) + pe*p + word*w       (for l1bmd m is shifted by +-n)
// A reduction or a broadcast has mab = quad = 0. Two forms: long-word and double-long-word PE operands;
// cycle = 0 in `dlw` means that the form does not exist.
struct L1bmFormula {
  uint8_t cycle = 0, mab = 0, quad = 0, pe = 0, word = 0;
};
struct L1bmColumns {
  L1bmFormula lw{}, dlw{};
  uint8_t rate_lw = 0, rate_dlw = 0;  // L1BM long words per cycle; equal (rate, width) = same turnaround type (ISA 5.4)
  bool upload = false;                // PE -> L1BM
  uint8_t align_lw = 1, align_dlw = 1;            // misaligned B is an error
  uint8_t safe_align_lw = 1, safe_align_dlw = 1;  // alignment that code generation keeps (ISA 5.3, partly [I])
  Evidence align_evidence = Evidence::kInferred;
};

// L2BM and L1BM addresses of run word k (0 <= k < run) at cycle c for L1B b (ISA 5.2):
//   L2BM[C + cycle_c*c + l1b_c*(b>>l1b_shift) + k]  <->  L1BM_b[B + cycle_b*c + k]
// A row without an L2BM operand (l2bmi) uses cycle_b and run for both of its L1BM operands.
struct L2bmColumns {
  uint8_t run = 0, cycle_c = 0, l1b_c = 0, cycle_b = 0;
  bool upload = false;  // L1BM -> L2BM; also l2bmi, in which the L1Bs of an L2B meet
  uint8_t align_c = 1, align_b = 1;
  uint8_t l1b_shift = 0;
  // Long words of L2BM from the first to the last that one cycle touches, whatever the set of L1Bs.
  constexpr int row_lw() const { return run + l1b_c * (7 >> l1b_shift); }
};

// MV transfers (ISA 4.2). Instances: a group g owns one DRAM and one PDM, an L2BM is (g, s). One statement moves, for
// every pair of a source instance (g,s) and a destination instance (h,t) that `pairing` relates, every unit i and every
// run word k (a row with kOptReduce combines the sources that meet in one destination word):
//   dst_{h,t}[Q + dst.unit*i + dst.other_g*g + dst.other_s*s + k] = src_{g,s}[P + src.unit*i + src.other_g*h + src.other_s*t + k]
// The size written in the statement counts the words of one instance of the side named by `size_on_dst`; the number of
// units is size / unit of that side.
enum class MvInstances : uint8_t {
  kOneGroup,       // @g: one DRAM or PDM
  kEveryGroup,     // no @: all four
  kOneL2b,         // @h.s: one L2BM
  kOneL2bInGroup,  // @.s: L2BM s of every group
  kEveryL2b,       // no @: all eight
};
enum class MvPairing : uint8_t { kAll, kSameGroup };
struct MvSide {
  Mem mem = Mem::kNone;
  MvInstances instances = MvInstances::kOneGroup;
  uint16_t unit = 64;
  uint16_t other_g = 0, other_s = 0;
};
struct MvColumns {
  MvSide src, dst;
  MvPairing pairing = MvPairing::kAll;
  uint8_t run = 64;
  bool size_on_dst = false;
  // Throughput in counted long words per cycle (ISA 4.4).
  uint8_t rate = 0, rate_cross_group = 0;
  Evidence rate_evidence = Evidence::kUnknown;
  std::string_view sdm;  // section of the vendor manual
};

// The row. Plain data; `sem` is null only for rows that act at decode time (nop, noforward, wait, mvnop) and for reductions,
// which the l1bmr and l2bmr rows read through Insn::reduce.
// Readers: assembler, printer, emulator dispatch, hazard checker, scheduler, reference page. Add a column before
// adding a second table.
struct InsnDef {
  std::string_view name;    // spelling without precision letter, u, options: "vfma", "add", "l1bmd"
  std::string_view form;    // tells rows of one name apart: "down", "up", "p>lc"; empty when the name is unique
  std::string_view syntax;  // for people: "{d,f,h}vfma[u|d][r] X Y Z DST..."
  Unit unit;
  uint16_t prec_mask = 0;  // bit (1 << Prec) for each allowed precision; 0 = takes none
  uint16_t options = 0;    // Option bits
  SemFn sem = nullptr;
  std::string_view doc;     // one sentence
  std::string_view source;  // "ISA 6.1"
  Evidence evidence = Evidence::kVendor;
  std::string_view example;      // one assembling line
  std::string_view questions{};  // open questions that the row depends on, "Q1 Q20"; see docs/open_questions.md
  std::array<OperandDef, 3> srcs{};
  OperandDef dst{};
  std::string_view flags{};  // flag = 1 when ...; empty = produces no flags
  bool whole_dlw = false;    // acts on the whole DLW; other ALU rows copy the LSB LW of X (hbfn: whole, other bfn: not)
  int8_t variant = 0;        // relu: which bit of X decides; leaky relu: what is added to the exponent
  std::string_view alias{};  // second spelling of the name
  // Bits of the operation field of the unit in the 292-bit word (ISA 10.2 [X]); empty = in no public text.
  std::string_view code{};
  RrnOp rrn = RrnOp::kNone;  // reductions
  L1bmSide l1bm_side = L1bmSide::kNone;
  L1bmColumns l1bm{};
  L2bmColumns l2bm{};
  MvColumns mv{};

  int num_srcs() const {
    int n = 0;
    while (n < 3 && srcs[static_cast<size_t>(n)].role != OperandRole::kNone) ++n;
    return n;
  }
  bool has_dst() const { return dst.role != OperandRole::kNone; }
  bool allows(Option o) const { return (options & o) != 0; }
  bool reads_matrix() const { return unit == Unit::kMauRead || srcs[0].role == OperandRole::kMatrix; }
  bool writes_matrix() const { return unit == Unit::kMauWrite; }
};

// What the time model needs of MV instructions beside the rate: nobody has published a latency, so it is one named
// default (ISA 1.5 [I], tag ?).
struct MvTimeDefaults {
  std::string_view name;
  uint32_t latency_cycles;
  Evidence evidence;
};
inline constexpr MvTimeDefaults kMvTime{"mv_latency_default", 32, Evidence::kUnknown};

// Ports that an MV holds while it runs, in program order per port: bit g = DRAM_g, 4+g = PDM_g, 8+2g+s = L2BM_gs.
using MvPorts = uint16_t;

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
  uint32_t source_line = 0;  // 1-based
  std::string text;          // the statement as written, without comment (echo of `d get`)
  std::vector<Insn> insns;   // kPe: the step; kMv: exactly one
  // kMask: entry, width and enabled destinations
  uint8_t mask_entry = 0;
  bool mask_ll = false;
  uint8_t mask_dsts = 0;  // bits 0..5 = r s t m n k
  // kDebugGet / kDebugSet
  DebugMem mem;
  std::string dtype;  // "", "d", "f", "h", "bd", ...
  uint32_t count = 0;
  std::vector<uint64_t> payload;  // kDebugSet, kHostRow
  int8_t host_group = 0;          // kHostRow: DRAM of this group
  uint8_t host_tag = 0;           // kHostDma: the tag that the record completes; its words go to mem.addr of PDM 0
};

struct Program {
  std::vector<Line> lines;
};

// All rows, in table order (rows of one unit stand together).
std::span<const InsnDef> rows();
// Reductions of l1bmr and l2bmr (ISA 4.3); not instructions, so they are no part of rows().
std::span<const InsnDef> reductions();

}  // namespace kumihimo::mncore2::isa
