// MAU vector instructions: vfma, vmul, vadd, vpassa of double, single and half (ISA 6.1, 8.4).
//
// Single: the MSB long word holds two elements. Half: four half factors in the MSB long word, four single addends and
// results in a double long word. Double: one element; products exist in PEs 0,1 (u) or 2,3 (d) only. A host row of
// four PEs is an array of elements in host order, the same order in every operand, so rows go to num/ as they are.
// `r` after the opcode rounds once to the next lower format; the result is one width narrower, at the MSB side.
#include <cstring>

#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/mau.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Prec;

enum class Form : uint8_t { kFma, kMul, kAdd, kPassa };

// Index of the source that plays each part, -1 = the constant 1 (y) or 0 (z).
struct Parts {
  int x = 0, y = -1, z = -1;
};
constexpr Parts parts_of(Form form) {
  switch (form) {
    case Form::kFma: return {0, 1, 2};
    case Form::kMul: return {0, 1, -1};
    case Form::kAdd: return {0, -1, 1};
    case Form::kPassa: return {0, -1, -1};
  }
  return {};
}

num::FmaSigns signs_of(const StepContext& c, Parts parts) {
  const auto negative = [&](int i) { return i >= 0 && c.op->src[static_cast<size_t>(i)].negate; };
  return {negative(parts.x), negative(parts.y), negative(parts.z)};
}

void zero_lsb(StepContext& c) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) c.out->v[cycle][1][pe] = 0;
}

// --- half and single: array forms of num/ -----------------------------------------------------------------------

void gather_msb(const View& view, void* to) {  // 4 cycles x 4 PEs, host order
  for (int cycle = 0; cycle < 4; ++cycle) std::memcpy(static_cast<char*>(to) + 32 * cycle, view.hi[cycle], 32);
}

// Singles of double long words, in the order in which the halves of a long word lie on the host: LSB LW, MSB LW.
void gather_dlw(const View& view, uint32_t* to) {
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint64_t row[4][2];
    for (int pe = 0; pe < 4; ++pe) {
      row[pe][0] = view.lo[cycle][pe];
      row[pe][1] = view.hi[cycle][pe];
    }
    std::memcpy(to + 16 * cycle, row, sizeof row);
  }
}

void scatter_dlw(const uint32_t* from, Beat& out) {
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint64_t row[4][2];
    std::memcpy(row, from + 16 * cycle, sizeof row);
    for (int pe = 0; pe < 4; ++pe) {
      out.v[cycle][1][pe] = row[pe][0];
      out.v[cycle][0][pe] = row[pe][1];
    }
  }
}

void fill(uint32_t* a, size_t n, uint32_t value) {
  for (size_t i = 0; i < n; ++i) a[i] = value;
}

void single_vector(StepContext& c, const Insn& insn, Form form) {
  constexpr size_t kN = 32;
  const Parts parts = parts_of(form);
  const num::FmaSigns signs = signs_of(c, parts);
  alignas(64) uint32_t x[kN], y[kN], z[kN];
  gather_msb(c.in[parts.x], x);
  if (parts.y >= 0) gather_msb(c.in[parts.y], y);
  if (parts.z >= 0) gather_msb(c.in[parts.z], z);
  if (insn.narrow) {
    if (parts.y < 0) fill(y, kN, static_cast<uint32_t>(num::kSingle.one()));
    if (parts.z < 0) fill(z, kN, 0);
    uint16_t h[kN];
    num::fma_f32_to_f16(x, y, z, h, kN, signs, *c.switches);
    // Two halves of a long word, host order (word 1 first), become the MSB word.
    for (size_t cycle = 0; cycle < 4; ++cycle)
      for (size_t pe = 0; pe < 4; ++pe) {
        const uint16_t* e = h + 8 * cycle + 2 * pe;
        c.out->v[cycle][0][pe] = (uint64_t{e[1]} << 48) | (uint64_t{e[0]} << 32);
      }
    zero_lsb(c);
    return;
  }
  switch (form) {
    case Form::kFma: num::fma_f32(x, y, z, x, kN, signs, *c.switches); break;
    case Form::kMul: num::mul_f32(x, y, x, kN, signs, *c.switches); break;
    case Form::kAdd: num::add_f32(x, z, x, kN, signs, *c.switches); break;
    case Form::kPassa: num::passa_f32(x, x, kN, signs, *c.switches); break;
  }
  for (int cycle = 0; cycle < 4; ++cycle) std::memcpy(c.out->v[cycle][0], x + 8 * cycle, 32);
  zero_lsb(c);
}

void half_vector(StepContext& c, const Insn& insn, Form form) {
  constexpr size_t kN = 64;
  const Parts parts = parts_of(form);
  const num::FmaSigns signs = signs_of(c, parts);
  alignas(64) uint16_t x[kN], y[kN];
  alignas(64) uint32_t z[kN];
  gather_msb(c.in[parts.x], x);
  if (parts.y >= 0) gather_msb(c.in[parts.y], y);
  if (parts.z >= 0) gather_dlw(c.in[parts.z], z);
  if (insn.narrow) {
    if (parts.y < 0)
      for (uint16_t& e : y) e = static_cast<uint16_t>(num::kHalf.one());
    if (parts.z < 0) fill(z, kN, 0);
    num::fma_f16_to_f16(x, y, z, x, kN, signs, *c.switches);
    for (int cycle = 0; cycle < 4; ++cycle) std::memcpy(c.out->v[cycle][0], x + 16 * cycle, 32);
    zero_lsb(c);
    return;
  }
  alignas(64) uint32_t out[kN];
  switch (form) {
    case Form::kFma: num::fma_f16(x, y, z, out, kN, signs, *c.switches); break;
    case Form::kMul: num::mul_f16(x, y, out, kN, signs, *c.switches); break;
    case Form::kAdd: num::add_f16(x, z, out, kN, signs, *c.switches); break;
    case Form::kPassa: num::passa_f16(x, out, kN, signs, *c.switches); break;
  }
  scatter_dlw(out, *c.out);
}

// --- double -----------------------------------------------------------------------------------------------------

bool product_enabled(const Insn& insn, int pe) {
  return insn.half_select == 0 || (insn.half_select == 'u') == (pe < 2);
}

void double_vector(StepContext& c, const Insn& insn, Form form) {
  const Parts parts = parts_of(form);
  const num::FmaSigns signs = signs_of(c, parts);
  const num::Float out = insn.narrow ? num::Float::kSingle : num::Float::kDouble;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const uint64_t x = c.in[parts.x].hi[cycle][pe];
      const uint64_t y = parts.y >= 0 ? c.in[parts.y].hi[cycle][pe] : num::kDouble.one();
      const uint64_t z = parts.z >= 0 ? c.in[parts.z].hi[cycle][pe] : 0;
      // Where no product is made the addend still passes through the adder (ISA 8.6 [I]).
      const uint64_t r = product_enabled(insn, pe)
                             ? num::fma(num::Float::kDouble, x, y, z, out, signs, *c.switches)
                             : num::passa(num::Float::kDouble, z, out, {signs.c, false, false}, *c.switches);
      c.out->v[cycle][0][pe] = insn.narrow ? r << 32 : r;
      c.out->v[cycle][1][pe] = 0;
    }
}

void vector_defined(StepContext& c, const Insn& insn, Form form) {
  const Parts parts = parts_of(form);
  const int bits = insn.prec == Prec::kD ? 64 : insn.prec == Prec::kF ? 32 : 16;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const auto factor = [&](int i) { return i < 0 ? kAllDefined : whole_elements(c.in[i].hi_def[cycle][pe], bits); };
      uint8_t e = insn.prec != Prec::kD || product_enabled(insn, pe)
                      ? static_cast<uint8_t>(factor(parts.x) & factor(parts.y))
                      : kAllDefined;
      if (insn.prec != Prec::kH) {
        e &= factor(parts.z);
      } else if (parts.z >= 0) {  // four singles of the addend, one bit each
        const uint8_t zh = c.in[parts.z].hi_def[cycle][pe], zl = c.in[parts.z].lo_def[cycle][pe];
        e &= static_cast<uint8_t>(((zh & 0xc) == 0xc) << 3 | ((zh & 3) == 3) << 2 | ((zl & 0xc) == 0xc) << 1 |
                                  ((zl & 3) == 3));
      }
      mau_result_defined(c, cycle, pe, insn.prec, insn.narrow, e);
    }
}

void vector(StepContext& c, const Insn& insn, Form form) {
  switch (insn.prec) {
    case Prec::kD: double_vector(c, insn, form); break;
    case Prec::kH: half_vector(c, insn, form); break;
    default: single_vector(c, insn, form); break;
  }
  if (c.op->needs_flags) mau_flags(c, insn.prec, insn.narrow);
  if (c.strict()) vector_defined(c, insn, form);
}

}  // namespace

}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void mau_vfma(StepContext& c, const Insn& insn) { emu::vector(c, insn, emu::Form::kFma); }
void mau_vmul(StepContext& c, const Insn& insn) { emu::vector(c, insn, emu::Form::kMul); }
void mau_vadd(StepContext& c, const Insn& insn) { emu::vector(c, insn, emu::Form::kAdd); }
void mau_vpassa(StepContext& c, const Insn& insn) { emu::vector(c, insn, emu::Form::kPassa); }

}  // namespace kumihimo::mncore2::sem
