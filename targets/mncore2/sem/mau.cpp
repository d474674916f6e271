#include "targets/mncore2/sem/mau.h"

namespace kumihimo::mncore2::emu {

using isa::Prec;

void mau_flags(StepContext& c, Prec prec, bool narrow) {
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const uint64_t hi = c.out->v[cycle][0][pe], lo = c.out->v[cycle][1][pe];
      const auto plus = [](uint64_t word, int bit) { return ((word >> bit) & 1) == 0; };
      uint8_t f;
      if (prec == Prec::kD) {
        f = plus(hi, 63) ? 0xf : 0;
      } else if (prec == Prec::kH && narrow) {
        f = static_cast<uint8_t>(plus(hi, 63) << 3 | plus(hi, 47) << 2 | plus(hi, 31) << 1 | plus(hi, 15));
      } else if (prec == Prec::kH) {
        f = static_cast<uint8_t>(plus(hi, 63) << 3 | plus(hi, 31) << 2 | plus(lo, 63) << 1 | plus(lo, 31));
      } else {
        f = static_cast<uint8_t>((plus(hi, 63) ? 0xc : 0) | (plus(hi, narrow ? 47 : 31) ? 0x3 : 0));
      }
      c.flags[cycle][pe] = f;
    }
}

void mau_result_defined(StepContext& c, int cycle, int pe, Prec prec, bool narrow, uint8_t e) {
  uint8_t hi = e, lo = 0;
  if (prec == Prec::kH) {
    if (!narrow) {
      hi = static_cast<uint8_t>((e & 8 ? 0xc : 0) | (e & 4 ? 3 : 0));
      lo = static_cast<uint8_t>((e & 2 ? 0xc : 0) | (e & 1 ? 3 : 0));
    }
  } else if (narrow) {
    hi = prec == Prec::kD ? (e & 0xc) : static_cast<uint8_t>((e & 8) | (e & 1) << 2);
  }
  c.out_def->v[cycle][0][pe] = hi;
  c.out_def->v[cycle][1][pe] = lo;
  c.flags_def[cycle][pe] = e;
}

}  // namespace kumihimo::mncore2::emu
