// What the emulator's fast paths execute: micro-operations on one MAB.
//
// A step is compiled into micro-operations once, when its program is decoded; a MAB then runs the micro-operations of
// a whole segment, one function call each. A kernel finds its operands by row: the MSB long words of the four PEs at one
// cycle, 32 bytes, at a fixed place in the MAB, whatever they are (LM, GRF, T, a forwarding latch). What has no
// fixed place (addresses that differ between PEs, constants, converted sources, a missing LSB side) is put into
// Mab::scratch by a micro-operation before, so that a kernel sees rows only.
//
// Law: a kernel gives the bits of the semantic function of its instruction (sem/), on every input, under the default
// numeric switches. Everything else (other switches, strict mode, instructions without kernel) is executed by the
// semantic functions themselves.
//
// What a kernel may rely on, for each cycle c:
//   x, y, z[c]   32 bytes, aligned to 32. Where the instruction reads double long words (addend of half operations,
//                source of an mwrite of double long words) the LSB long words follow, 64 bytes aligned to 64.
//   out[c]       32 bytes, aligned; with `wide` 64, and the kernel writes the LSB side too (0 where the result has none)
//   An output row may be an input row of the same cycle, never of another one: read the rows of cycle c before you
//   write out[c]; what belongs to other cycles may be written before or after.
//   x of an ALU instruction is followed by its LSB long words when x_wide, else they count as 0.
//   An ALU kernel for an instruction whose Op has needs_flags fills place.flags; others may leave it alone. A MAU kernel
//   makes no flags: they are signs of the result, and the engine derives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "targets/mncore2/fast/path.h"
#include "targets/mncore2/sem/plan.h"
#include "targets/mncore2/sem/state.h"

namespace kumihimo::mncore2::emu {
struct StepContext;
}

namespace kumihimo::mncore2::fast {

// Where four successive long words lie, in long words from the start of the MAB.
using Row = uint16_t;
static_assert(sizeof(emu::Mab) / 8 < 65536);

inline uint64_t* at(emu::Mab& mab, Row row) { return reinterpret_cast<uint64_t*>(&mab) + row; }

// What surrounds the MAB that runs.
struct Place {
  emu::StepContext* context;  // for semantic functions
  const emu::L1bm* l1bm;
  int m;                    // the MAB's number in its L1B
  uint8_t (*flags)[4];      // of the ALU instruction, as StepContext::flags: [cycle][pe], bit 3 = word-bit 0
  uint8_t (*mau_flags)[4];  // of the MAU instruction
  emu::Beat* sent;          // what this MAB gives to an instruction that collects in the L1BM
};

struct Uop;
using Kernel = void (*)(emu::Mab& mab, const Uop& u, Place& place);

// One cache line.
struct alignas(64) Uop {
  Kernel run = nullptr;
  Row x[4] = {}, y[4] = {}, z[4] = {};  // vfma: X*Y+Z; vadd: x, z; matrix: vector x, addend z; mwrite: x; ALU: x, y
  Row out[4] = {};
  const emu::Op* op = nullptr;
  Row side = 0;          // matrix instructions: the MatrixSide
  bool wide = false;     // out has an LSB side
  bool x_wide = false;   // x has one
  bool x_rows = true;    // x, y and z are rows, or of no meaning
  bool out_rows = true;  // out are rows
  uint8_t small = 0;     // of the kernel's own meaning
  uint32_t number = 0;   // of the kernel's own meaning
};
static_assert(sizeof(Uop) == 64);

inline emu::MatrixSide& side(emu::Mab& mab, const Uop& u) {
  return *reinterpret_cast<emu::MatrixSide*>(at(mab, u.side));
}

// Moves of the rows x to the rows out; `wide`: of the LSB rows behind them too.
enum class Move : uint8_t {
  kCopy,      // all cycles
  kCopySome,  // cycles whose bit is set in `number`
  kWiden,     // MSB rows; the LSB rows become 0
  kTakeWord,  // one word of each long word to its MSB word, the rest 0; bit c of `number`: the LSB word, in cycle c
  kPutWord,   // the MSB word of each long word to one word of the destination, chosen in the same way
  kMaskHalf,  // under the mask register entry whose row is `side`, one bit per half of the MSB rows; LSB rows always
  kMaskWord,  // the same, one bit per word
  kKeepHalf,  // clears in `out` what the mask, used as in kMaskHalf, does not select; x is not read
  kKeepWord,
  kSend,          // to Place::sent; without `wide` its LSB rows become 0
  kHalfToSingle,  // the conversions of sources (ISA 6.3): from the MSB rows to both
  kSingleToDouble,
  kSingleToHalf,  // from both (with x_wide) to the MSB rows, LSB rows 0
  kFetchAhead,    // nothing: the lines of the rows x, y, z and out of the next MAB come into the host's cache
};

// An operand whose addresses differ between PEs (ISA 3.2): word address of PE p and cycle c = address[c] + the base
// address register + T + the operand's unit where a bit of `j` is set, modulo the memory.
struct Indirect {
  Row memory = 0;      // its first row
  Row words_mask = 0;  // its size in words, less 1
  Row base = kNoRow;   // the base address register
  Row t = kNoRow;      // T
  Row address[4] = {};
  uint8_t j = 0;
  // scatter: the mask register entry, or a fixed pattern (kNoRow: none); one bit a word (`ll`) or a half
  Row mask = kNoRow;
  Row pattern = kNoRow;
  bool mask_words = false;

  static constexpr Row kNoRow = 0xffff;
};
// Gather: the operand's long words go to the rows out, both sides. Scatter: the rows x go to the operand.
void put_indirect(const Indirect& operand, Uop& u, bool scatter);

// The kernels of one path, found by instruction when a program is decoded. A null function or a null result = none.
//   mau: vector and matrix instructions, mwrite and mread, with the signs and modifiers of `op`
//   down: L1BM or turnaround register -> PE; fills x, y and number of the Uop
//   gather, scatter: operands whose addresses differ between PEs, by what put_indirect leaves in the Uop
//   flags: of a MAU instruction, from its result's rows x
//   move: what happens between an operand's place and a kernel
//   alu: element and block-float instructions, with or without flags as op.needs_flags asks
//   tree: instructions in which units meet (PE -> L1BM, L1BM <-> L2BM, MV reductions): a function with the contract of the
//         semantic one
struct KernelSet {
  Path path;
  Kernel (*mau)(const emu::Op& op);
  Kernel (*alu)(const emu::Op& op);
  Kernel (*down)(const emu::Op& op, Uop& u);
  Kernel (*move)(Move what, bool wide);
  Kernel (*gather)(isa::Width width);
  Kernel (*scatter)(isa::Width width);
  Kernel (*flags)(const emu::Op& op);
  isa::SemFn (*tree)(const emu::Op& op);
};
// Null for kScalar. Precondition: not kAuto.
const KernelSet* kernels_of(Path path);

}  // namespace kumihimo::mncore2::fast
