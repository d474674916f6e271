// Block-float conversion (ISA 7, 8.5): the only ALU operation beside msl/msr that couples the four PEs of a MAB.
//
// Blocks of a cycle: d = the MSB long words of the PEs; g = both words of them; f = their MSB words, and their LSB
// words on their own; h = the 16 halves of the MSB long words, and those of the LSB long words on their own.
#include <cstring>

#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Prec;

// Converts members given as (shift in the long word, per PE) and writes them back.
void convert_words(num::Block kind, const uint64_t* in, uint64_t* out, int shift, int bits, int per_lw,
                   const num::Switches& switches) {
  uint64_t block[8];
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (int pe = 0; pe < 4; ++pe)
    for (int k = 0; k < per_lw; ++k) block[pe * per_lw + k] = in[pe] >> (shift - k * bits) & mask;
  num::bfn(kind, block, block, switches);
  for (int pe = 0; pe < 4; ++pe)
    for (int k = 0; k < per_lw; ++k) {
      uint64_t& lw = out[pe];
      lw = (lw & ~(mask << (shift - k * bits))) | block[pe * per_lw + k] << (shift - k * bits);
    }
}

// Definedness of one block: lanes `mask` of the four long words, members of `bits` bits.
void block_defined(StepContext& c, const uint8_t* in, uint8_t* out, uint8_t mask, int bits, int cycle) {
  GroupCount count;
  for (int pe = 0; pe < 4; ++pe) {
    const uint8_t whole = whole_elements(in[pe], bits);
    for (uint8_t lane = 8; lane != 0; lane = static_cast<uint8_t>(lane >> 1))
      if (mask & lane) count.add((whole & lane) != 0);
  }
  const bool defined = combine(c, count.get(), FindingKind::kUndefinedConversion, 0, c.where, cycle);
  for (int pe = 0; pe < 4; ++pe) out[pe] = static_cast<uint8_t>((out[pe] & ~mask) | (defined ? mask : 0));
}

void convert(StepContext& c, const Insn& insn, bool extended) {
  const View& x = c.in[0];
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint64_t* hi = c.out->v[cycle][0];
    uint64_t* lo = c.out->v[cycle][1];
    std::memcpy(lo, x.lo[cycle], 32);
    switch (insn.prec) {
      case Prec::kD: convert_words(num::Block::kDouble, x.hi[cycle], hi, 0, 64, 1, *c.switches); break;
      case Prec::kG: convert_words(num::Block::kPseudo, x.hi[cycle], hi, 32, 32, 2, *c.switches); break;
      case Prec::kF:
        convert_words(num::Block::kSingle, x.hi[cycle], hi, 32, 32, 1, *c.switches);
        convert_words(num::Block::kSingle, x.hi[cycle], hi, 0, 32, 1, *c.switches);
        break;
      default: {
        // A host row of four long words is 16 halves; their order inside the block does not matter.
        uint16_t block[16];
        const int kept = insn.bf_bits == 0 ? 9 : insn.bf_bits;
        std::memcpy(block, x.hi[cycle], sizeof block);
        num::hbfn(block, block, kept, extended, *c.switches);
        std::memcpy(hi, block, sizeof block);
        std::memcpy(block, x.lo[cycle], sizeof block);
        num::hbfn(block, block, kept, extended, *c.switches);
        std::memcpy(lo, block, sizeof block);
      }
    }
    for (int pe = 0; pe < 4; ++pe) c.flags[cycle][pe] = 0;
  }
  if (!c.strict()) return;
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint8_t* hi = c.out_def->v[cycle][0];
    uint8_t* lo = c.out_def->v[cycle][1];
    std::memcpy(lo, x.lo_def[cycle], 4);
    switch (insn.prec) {
      case Prec::kD: block_defined(c, x.hi_def[cycle], hi, 0xf, 64, cycle); break;
      case Prec::kG: block_defined(c, x.hi_def[cycle], hi, 0xf, 32, cycle); break;
      case Prec::kF:
        block_defined(c, x.hi_def[cycle], hi, 0xc, 32, cycle);
        block_defined(c, x.hi_def[cycle], hi, 0x3, 32, cycle);
        break;
      default:
        block_defined(c, x.hi_def[cycle], hi, 0xf, 16, cycle);
        block_defined(c, x.lo_def[cycle], lo, 0xf, 16, cycle);
    }
    for (int pe = 0; pe < 4; ++pe) c.flags_def[cycle][pe] = kAllDefined;
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void alu_bfn(StepContext& c, const Insn& insn) { emu::convert(c, insn, false); }
void alu_bfe(StepContext& c, const Insn& insn) { emu::convert(c, insn, true); }

}  // namespace kumihimo::mncore2::sem
