// ALU instructions on elements (ISA 7): SIMD over the MSB long word; the LSB long word of the result is that of X,
// except where the whole double long word takes part (zero, imm, passa, bfn in half).
#include "targets/mncore2/sem/alu.h"

#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {

num::Element element_of(isa::Prec prec) {
  using isa::Prec;
  using num::Element;
  switch (prec) {
    case Prec::kD: return Element::kDouble;
    case Prec::kF:
    case Prec::kG: return Element::kSingle;
    case Prec::kH: return Element::kHalf;
    case Prec::kI: return Element::kInt;
    case Prec::kS: return Element::kShort;
    case Prec::kL:
    case Prec::kNone: return Element::kLong;
  }
  return Element::kLong;
}

namespace {

using isa::Insn;
using num::AluOp;

void copy_lsb(StepContext& c) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) c.out->v[cycle][1][pe] = c.in[0].lo[cycle][pe];
  if (!c.strict()) return;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) c.out_def->v[cycle][1][pe] = c.in[0].lo_def[cycle][pe];
}

void all_defined(StepContext& c) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      c.out_def->v[cycle][0][pe] = c.out_def->v[cycle][1][pe] = kAllDefined;
      c.flags_def[cycle][pe] = kAllDefined;
    }
}

// Lanes in which a long word is all zeros or all ones: the values that decide `and` and `or` alone.
uint8_t lanes_equal_to(uint64_t lw, uint16_t value) {
  uint8_t lanes = 0;
  for (int k = 0; k < 4; ++k)
    if (static_cast<uint16_t>(lw >> (48 - 16 * k)) == value) lanes |= static_cast<uint8_t>(8 >> k);
  return lanes;
}

// How definedness of a result element follows from its sources.
enum class DefRule : uint8_t {
  kElement,  // all bits of both
  kUnary,    // all bits of X
  kLanes,    // 16 bits on their own (not, xor)
  kAnd,
  kOr,       // as kLanes, but a defined absorbing value is enough
  kCopy,     // passa: lanes for the value, whole elements for the flag
  kRelu,     // the deciding bit of X, and Y where it is chosen
  kLeaky,    // the MSB of X and all of Y
  kPackbit,  // all of X, the first bit of Y
};

void element_defined(StepContext& c, const Insn& insn, DefRule rule) {
  const int bits = num::element_bits(element_of(insn.prec));
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const uint8_t x = c.in[0].hi_def[cycle][pe];
      const uint8_t y = c.op->src_count > 1 ? c.in[1].hi_def[cycle][pe] : kAllDefined;
      const uint64_t xv = c.in[0].hi[cycle][pe];
      const uint64_t yv = c.op->src_count > 1 ? c.in[1].hi[cycle][pe] : 0;
      uint8_t value = 0, flags = 0;
      switch (rule) {
        case DefRule::kElement: value = flags = whole_elements(x & y, bits); break;
        case DefRule::kUnary: value = flags = whole_elements(x, bits); break;
        case DefRule::kLanes:
          value = x & y;
          flags = whole_elements(value, bits);
          break;
        case DefRule::kAnd:
        case DefRule::kOr: {
          const uint16_t absorbing = rule == DefRule::kAnd ? 0 : 0xffff;
          value =
              static_cast<uint8_t>((x & y) | (x & lanes_equal_to(xv, absorbing)) | (y & lanes_equal_to(yv, absorbing)));
          flags = whole_elements(value, bits);
          break;
        }
        case DefRule::kCopy:
          value = x;
          flags = whole_elements(x, bits);
          break;
        case DefRule::kRelu: {
          flags = first_lane_elements(x, bits);
          for (int k = 0; k < 64 / bits; ++k) {
            const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (k + 1) * bits / 16));
            const bool takes_zero = (xv >> (63 - k * bits - insn.def->variant) & 1) != 0;
            if ((flags & lanes) == lanes && (takes_zero || (whole_elements(y, bits) & lanes) == lanes)) value |= lanes;
          }
          break;
        }
        case DefRule::kLeaky:
          flags = first_lane_elements(x, bits);
          value = whole_elements(y, bits) & flags;
          break;
        case DefRule::kPackbit:
          flags = first_lane_elements(y, bits);
          value = whole_elements(x, bits) & flags;
          break;
      }
      c.out_def->v[cycle][0][pe] = value;
      c.flags_def[cycle][pe] = flags;
    }
}

void elementwise(StepContext& c, const Insn& insn, AluOp op, DefRule rule) {
  const num::AluWordFunction f = num::alu_word_function(op, element_of(insn.prec), insn.is_unsigned);
  const View& x = c.in[0];
  const View& y = c.in[c.op->src_count > 1 ? 1 : 0];
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const num::AluWord r = f(x.hi[cycle][pe], y.hi[cycle][pe], *c.switches);
      c.out->v[cycle][0][pe] = r.value;
      c.flags[cycle][pe] = r.flags;
    }
  copy_lsb(c);
  if (c.strict()) element_defined(c, insn, rule);
}

void constant(StepContext& c, uint64_t lw, bool flags) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      c.out->v[cycle][0][pe] = c.out->v[cycle][1][pe] = lw;
      c.flags[cycle][pe] = flags ? 0xf : 0;
    }
  if (c.strict()) all_defined(c);
}

// `from` = the neighbour whose long word PE p receives, as an offset (ISA 7).
void shift_pe(StepContext& c, int from) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      c.out->v[cycle][0][pe] = c.in[0].hi[cycle][(pe + from) & 3];
      c.flags[cycle][pe] = 0;
    }
  copy_lsb(c);
  if (!c.strict()) return;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      c.out_def->v[cycle][0][pe] = c.in[0].hi_def[cycle][(pe + from) & 3];
      c.flags_def[cycle][pe] = kAllDefined;
    }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

using emu::DefRule;
using emu::elementwise;
using num::AluOp;

void alu_zero(StepContext& c, const Insn&) { emu::constant(c, 0, false); }
void alu_imm(StepContext& c, const Insn& insn) {
  emu::constant(c, uint64_t{insn.literal} << 32 | insn.literal, c.switches->imm_flags == num::ImmFlags::kOnes);
}
void alu_immu(StepContext& c, const Insn& insn) {
  emu::constant(c, uint64_t{insn.literal} << 32, c.switches->imm_flags == num::ImmFlags::kOnes);
}

void alu_passa(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kPassa, DefRule::kCopy); }
void alu_msl(StepContext& c, const Insn&) { emu::shift_pe(c, 3); }
void alu_msr(StepContext& c, const Insn&) { emu::shift_pe(c, 1); }
void alu_inc(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kInc, DefRule::kUnary); }
void alu_dec(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kDec, DefRule::kUnary); }
void alu_add(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kAdd, DefRule::kElement); }
void alu_sub(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kSub, DefRule::kElement); }
void alu_not(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kNot, DefRule::kLanes); }
void alu_lnot(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kLnot, DefRule::kUnary); }
void alu_and(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kAnd, DefRule::kAnd); }
void alu_or(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kOr, DefRule::kOr); }
void alu_xor(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kXor, DefRule::kLanes); }
void alu_lsl(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kLsl, DefRule::kElement); }
void alu_lsr(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kLsr, DefRule::kElement); }
void alu_bsl(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kBsl, DefRule::kElement); }
void alu_bsr(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kBsr, DefRule::kElement); }
void alu_max(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kMax, DefRule::kElement); }
void alu_min(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kMin, DefRule::kElement); }
void alu_packbit(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kPackbit, DefRule::kPackbit); }
void alu_floor(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kFloor, DefRule::kUnary); }
void alu_ftoi(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kFtoi, DefRule::kUnary); }

void alu_relu(StepContext& c, const Insn& insn) {
  constexpr AluOp kByBit[] = {AluOp::kRelu0, AluOp::kRelu1, AluOp::kRelu2, AluOp::kRelu3};
  elementwise(c, insn, kByBit[insn.def->variant], DefRule::kRelu);
}

void alu_lrelu(StepContext& c, const Insn& insn) {
  const int change = insn.def->variant;
  elementwise(c, insn, change == 1 ? AluOp::kIlrelud : change == -1 ? AluOp::kLrelud : AluOp::kLreluo, DefRule::kLeaky);
}
void alu_rsqrt(StepContext& c, const Insn& insn) { elementwise(c, insn, AluOp::kRsqrt, DefRule::kUnary); }

}  // namespace kumihimo::mncore2::sem
