#include "targets/mncore2/emu/access.h"

#include <fmt/format.h>

#include <vector>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;

constexpr MemoryRow kMemories[] = {
    {Mem::kLm0, "$lm", "LM0", Level::kPe, 2, 'E'},
    {Mem::kLm1, "$ln", "LM1", Level::kPe, 2, 'E'},
    {Mem::kGrf0, "$lr", "GREG0", Level::kPe, 2, 'E'},
    {Mem::kGrf1, "$ls", "GREG1", Level::kPe, 2, 'E'},
    {Mem::kT, "$lt", "TREG", Level::kPe, 1, 'E'},
    {Mem::kOmr, "$omr", "OMR", Level::kPe, 1, 'E'},
    {Mem::kMatX, "$lx", "MREGX", Level::kMab, 1, '?'},
    {Mem::kMatY, "$ly", "MREGY", Level::kMab, 1, '?'},
    {Mem::kL1bm, "$lb", "L1BM", Level::kL1b, 1, 'E'},
    {Mem::kL2bm, "$lc", "L2BM", Level::kL2b, 1, 'I'},
    {Mem::kPdm, "$p", "PDM", Level::kGroup, 1, 'I'},
    {Mem::kDram, "$d", "DRAM", Level::kGroup, 1, 'E'},
    // No `d get` reaches these; the names are ours.
    {Mem::kBar0, "$mb", "BAR0", Level::kPe, 1, 'O'},
    {Mem::kBar1, "$nb", "BAR1", Level::kPe, 1, 'O'},
    {Mem::kMauf, "$mauf", "MAUF", Level::kPe, 1, 'O'},
    {Mem::kAluf, "$aluf", "ALUF", Level::kPe, 1, 'O'},
    {Mem::kLbf, "$lbf", "LBF", Level::kPe, 1, 'O'},
    {Mem::kMreadf, "$mreadf", "MREADF", Level::kPe, 1, 'O'},
    {Mem::kTurnaround, "$lbi", "TURN", Level::kL1b, 1, 'O'},
    {Mem::kDar, "$dar", "DAR", Level::kGroup, 1, 'O'},
};

// The forwarding registers in the order of Latch.
int latch_of(Mem mem) {
  return mem == Mem::kMauf ? kLatchMau : mem == Mem::kAluf ? kLatchAlu : mem == Mem::kLbf ? kLatchL1bm : kLatchMread;
}

}  // namespace

std::span<const MemoryRow> all_memories() { return kMemories; }

const MemoryRow* find_memory(Mem mem) {
  for (const MemoryRow& row : kMemories)
    if (row.mem == mem) return &row;
  return nullptr;
}

int64_t Access::capacity(Mem mem) const {
  switch (mem) {
    case Mem::kLm0:
    case Mem::kLm1: return kLmRows;
    case Mem::kGrf0:
    case Mem::kGrf1: return kGrfRows;
    case Mem::kT:
    case Mem::kMauf:
    case Mem::kAluf:
    case Mem::kLbf:
    case Mem::kMreadf: return config_.t_lw;
    case Mem::kOmr: return kOmrEntries;
    case Mem::kBar0:
    case Mem::kBar1: return 1;
    case Mem::kTurnaround: return 4 * 64;
    case Mem::kDar: return kDarEntries;
    case Mem::kMatX:
    case Mem::kMatY: return 16 * kPes;
    case Mem::kL1bm: return kL1bmLw;
    case Mem::kL2bm: return kL2bmLw;
    case Mem::kPdm: return config_.pdm_lw;
    case Mem::kDram: return config_.dram_lw;
    default: return 0;
  }
}

Status Access::check(Mem mem, UnitCoord u, int64_t addr, int64_t count) const {
  const MemoryRow* row = find_memory(mem);
  if (row == nullptr || capacity(mem) == 0)
    return error("emu_memory", "this memory has no long words to read or write");
  const auto level = static_cast<int>(row->level);
  const int64_t at[] = {u.g, u.s, u.b, u.m, u.p};
  const int64_t counts[] = {config_.groups, config_.l2bs_per_group, config_.l1bs_per_l2b, config_.mabs_per_l1b,
                            config_.pes_per_mab};
  constexpr std::string_view kNames[] = {"group", "L2B", "L1B", "MAB", "PE"};
  for (int k = 0; k <= level; ++k)
    if (at[k] < 0 || at[k] >= counts[k])
      return error("emu_unit",
                   fmt::format("{} {} does not exist on {}, which has {}", kNames[k], at[k], config_.name, counts[k]));
  if (addr < 0 || count < 0 || addr > capacity(mem) - count)
    return error("emu_memory", fmt::format("long words {}..{} of {} do not exist: it has {}", addr, addr + count - 1,
                                           row->dump_name, capacity(mem)));
  return Ok{};
}

int Access::mab_of(UnitCoord u) const {
  return ((u.g * state_.l2bs_per_group + u.s) * state_.l1bs_per_l2b + u.b) * kMabs + u.m;
}

uint64_t Access::read_narrow(Mem mem, UnitCoord u, int64_t a, uint8_t* def) const {
  const int mab = mab_of(u), k = mem == Mem::kBar0 ? 0 : 1;
  if (def != nullptr) *def = kAllDefined;
  if (mem == Mem::kDar) {
    if (def != nullptr && state_.strict() && !state_.dar_defs[u.g].entry[a]) *def = 0;
    return state_.dars[u.g].entry[a];
  }
  if (is_bar(mem)) {
    if (def != nullptr && state_.strict() && state_.mab_defs[mab].bar_undefined[k][u.p] != 0) *def = 0;
    return state_.mabs[mab].bar[k][u.p];
  }
  if (a == 0) return 0xffff;  // entry 0 is all ones and has no register behind it (ISA 3.3)
  if (def != nullptr && state_.strict() && state_.mab_defs[mab].omr[a][u.p] != 0xffff) *def = 0;
  return state_.mabs[mab].omr[a][u.p];
}

void Access::write_narrow(Mem mem, UnitCoord u, int64_t a, uint64_t value) const {
  if (mem == Mem::kDar) {
    state_.dars[u.g].entry[a] = static_cast<uint32_t>(value);
    if (state_.strict()) state_.dar_defs[u.g].entry[a] = true;
    return;
  }
  Mab& mab = state_.mabs[mab_of(u)];
  MabDef* def = state_.strict() ? &state_.mab_defs[mab_of(u)] : nullptr;
  if (mem == Mem::kOmr) {
    mab.omr[a][u.p] = static_cast<uint16_t>(value);
    if (def != nullptr) def->omr[a][u.p] = 0xffff;
    return;
  }
  const int k = mem == Mem::kBar0 ? 0 : 1;
  mab.bar[k][u.p] = static_cast<uint16_t>(value & 0xfff);
  if (def != nullptr) def->bar_undefined[k][u.p] = 0;
  bool used = false;
  for (int p = 0; p < kPes; ++p) used = used || mab.bar[k][p] != 0 || (def != nullptr && def->bar_undefined[k][p] != 0);
  mab.bar_used[k] = used;
}

Access::Word Access::word(Mem mem, UnitCoord u, int64_t a) const {
  const bool strict = state_.strict();
  const int mab = mab_of(u), l1b = mab / kMabs, l2b = l1b / state_.l1bs_per_l2b;
  const auto bank = [&](Mem first) { return mem == first ? 0 : 1; };
  switch (mem) {
    case Mem::kLm0:
    case Mem::kLm1: {
      const int k = bank(Mem::kLm0);
      return {&state_.mabs[mab].lm[k][a][u.p], strict ? &state_.mab_defs[mab].lm[k][a][u.p] : nullptr};
    }
    case Mem::kGrf0:
    case Mem::kGrf1: {
      const int k = bank(Mem::kGrf0);
      return {&state_.mabs[mab].grf[k][a][u.p], strict ? &state_.mab_defs[mab].grf[k][a][u.p] : nullptr};
    }
    case Mem::kT:  // 0..3 the MSB long words of the cycles; 4..7 the LSB ones (ISA 12 Q12)
      return {&state_.mabs[mab].t.v[a % 4][a / 4][u.p],
              strict ? &state_.mab_defs[mab].t.v[a % 4][a / 4][u.p] : nullptr};
    case Mem::kMatX:
    case Mem::kMatY: {
      const int k = bank(Mem::kMatX);
      return {&state_.mabs[mab].mat[k].raw[a / kPes][a % kPes],
              strict ? &state_.mab_defs[mab].mat[k][a / kPes][a % kPes] : nullptr};
    }
    case Mem::kMauf:
    case Mem::kAluf:
    case Mem::kLbf:
    case Mem::kMreadf: {
      const int l = latch_of(mem), now = state_.mabs[mab].latch_now[l];
      return {&state_.mabs[mab].latch[l][now].v[a % 4][a / 4][u.p],
              strict ? &state_.mab_defs[mab].latch[l][now].v[a % 4][a / 4][u.p] : nullptr};
    }
    case Mem::kTurnaround:
      return {&state_.l1bms[l1b].turn[a / 64][a % 64], strict ? &state_.l1bm_defs[l1b].turn[a / 64][a % 64] : nullptr};
    case Mem::kL1bm: return {&state_.l1bms[l1b].lw[a], strict ? &state_.l1bm_defs[l1b].lw[a] : nullptr};
    default: return {&state_.l2bms[l2b].lw[a], strict ? &state_.l2bm_defs[l2b].lw[a] : nullptr};
  }
}

void Access::read(Mem mem, UnitCoord u, int64_t addr, int64_t count, uint64_t* out, uint8_t* def) const {
  if (mem == Mem::kPdm || mem == Mem::kDram) {
    (mem == Mem::kPdm ? state_.pdms : state_.drams)[u.g].read(addr, count, out, def);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (is_narrow(mem)) {
      out[i] = read_narrow(mem, u, addr + i, def == nullptr ? nullptr : def + i);
      continue;
    }
    const Word w = word(mem, u, addr + i);
    out[i] = *w.lw;
    if (def != nullptr) def[i] = w.def == nullptr ? kAllDefined : *w.def;
  }
}

void Access::write(Mem mem, UnitCoord u, int64_t addr, int64_t count, const uint64_t* values,
                   const uint8_t* lanes) const {
  if (mem == Mem::kPdm || mem == Mem::kDram) {
    LwMemory& memory = (mem == Mem::kPdm ? state_.pdms : state_.drams)[u.g];
    std::vector<uint8_t> def;
    if (lanes != nullptr && state_.strict()) {
      std::vector<uint64_t> old(static_cast<size_t>(count));
      def.resize(old.size());
      memory.read(addr, count, old.data(), def.data());
      for (size_t i = 0; i < def.size(); ++i) def[i] |= lanes[i];
    }
    memory.write(addr, count, values, def.empty() ? nullptr : def.data());
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (is_narrow(mem)) {
      write_narrow(mem, u, addr + i, values[i]);
      continue;
    }
    const Word w = word(mem, u, addr + i);
    *w.lw = values[i];
    if (w.def != nullptr) *w.def = lanes == nullptr ? kAllDefined : static_cast<uint8_t>(*w.def | lanes[i]);
  }
  if (mem == Mem::kMatX || mem == Mem::kMatY) state_.mabs[mab_of(u)].mat[mem == Mem::kMatX ? 0 : 1].changed();
}

void Access::write_word(Mem mem, UnitCoord u, int64_t addr, bool low, uint32_t value) const {
  const Word w = word(mem, u, addr);
  *w.lw = low ? (*w.lw & 0xffffffff00000000u) | value : (*w.lw & 0xffffffffu) | uint64_t{value} << 32;
  if (w.def != nullptr) *w.def = static_cast<uint8_t>(*w.def | (low ? 0x3 : 0xc));
}

}  // namespace kumihimo::mncore2::emu
