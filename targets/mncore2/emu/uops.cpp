#include "targets/mncore2/emu/uops.h"

#include <cstring>

#include "targets/mncore2/sem/operands.h"

namespace kumihimo::mncore2::emu {
namespace {

using fast::Place;
using fast::Uop;

Beat& beat_at(Mab& mab, fast::Row row) { return *reinterpret_cast<Beat*>(fast::at(mab, row)); }

uint8_t (*flags_of(Place& place, const Op& op))[4] { return static_cast<MabPlace&>(place).unit_flags[op.latch]; }

// The context as a semantic function expects it for u.op.
StepContext& context(Place& place, const Uop& u) {
  StepContext& c = *place.context;
  c.op = u.op;
  return c;
}

}  // namespace

void fetch_to_scratch(Mab& mab, const Uop& u, Place& place) {
  StepContext& c = context(place, u);
  View& v = c.in[u.small];
  fetch(c, u.op->src[u.small], v);
  Beat& to = mab.scratch[u.small];
  for (int cycle = 0; cycle < 4; ++cycle) {
    std::memcpy(to.v[cycle][0], v.hi[cycle], 32);
    std::memcpy(to.v[cycle][1], v.lo[cycle], 32);
  }
}

void run_semantics(Mab& mab, const Uop& u, Place& place) {
  StepContext& c = context(place, u);
  const Op& op = *u.op;
  for (int k = 0; k < op.src_count; ++k) fetch(c, op.src[static_cast<size_t>(k)], c.in[k]);
  if (op.latch >= 0) {
    c.out = &beat_at(mab, u.out[0]);
    c.flags = flags_of(place, op);
  }
  op.sem(c, *op.insn);
}

void flush_zeros(Mab& mab, const Uop& u, Place& place) {
  StepContext& c = context(place, u);
  c.out = &beat_at(mab, u.out[0]);
  zero_flush(c);
}

void store_flags(Mab& mab, const Uop& u, Place& place) {
  const uint8_t(*flags)[4] = flags_of(place, *u.op);
  uint16_t(&entry)[4] = mab.omr[u.op->dst[u.small].addr[0]];
  for (int pe = 0; pe < kPes; ++pe)
    entry[pe] = static_cast<uint16_t>(flags[0][pe] << 12 | flags[1][pe] << 8 | flags[2][pe] << 4 | flags[3][pe]);
}

void store_generic(Mab& mab, const Uop& u, Place& place) {
  StepContext& c = context(place, u);
  store(c, u.op->dst[u.small], beat_at(mab, u.x[0]), nullptr, flags_of(place, *u.op), nullptr);
}

void set_latches(Mab& mab, const Uop& u, Place&) {
  for (int l = 0; l < kLatches; ++l) mab.latch_now[l] = static_cast<uint8_t>(u.x[l]);
}

}  // namespace kumihimo::mncore2::emu
