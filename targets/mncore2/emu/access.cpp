#include "targets/mncore2/emu/access.h"

#include <fmt/format.h>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;

constexpr MemoryRow kMemories[] = {
    {Mem::kLm0, "$lm", "LM0", Level::kPe, 2, 'E'},     {Mem::kLm1, "$ln", "LM1", Level::kPe, 2, 'E'},
    {Mem::kGrf0, "$lr", "GREG0", Level::kPe, 2, 'E'},  {Mem::kGrf1, "$ls", "GREG1", Level::kPe, 2, 'E'},
    {Mem::kT, "$lt", "TREG", Level::kPe, 1, 'E'},      {Mem::kOmr, "$omr", "OMR", Level::kPe, 1, 'E'},
    {Mem::kMatX, "$lx", "MREGX", Level::kMab, 1, '?'}, {Mem::kMatY, "$ly", "MREGY", Level::kMab, 1, '?'},
    {Mem::kL1bm, "$lb", "L1BM", Level::kL1b, 1, 'E'},  {Mem::kL2bm, "$lc", "L2BM", Level::kL2b, 1, 'I'},
    {Mem::kPdm, "$p", "PDM", Level::kGroup, 1, 'I'},   {Mem::kDram, "$d", "DRAM", Level::kGroup, 1, 'E'},
};

}  // namespace

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
    case Mem::kT: return config_.t_lw;
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

Access::Word Access::word(Mem mem, UnitCoord u, int64_t a) const {
  const bool strict = state_.strict();
  const int l2b = u.g * state_.l2bs_per_group + u.s, l1b = l2b * state_.l1bs_per_l2b + u.b, mab = l1b * kMabs + u.m;
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
    const Word w = word(mem, u, addr + i);
    out[i] = *w.lw;
    if (def != nullptr) def[i] = w.def == nullptr ? kAllDefined : *w.def;
  }
}

void Access::write(Mem mem, UnitCoord u, int64_t addr, int64_t count, const uint64_t* values) const {
  if (mem == Mem::kPdm || mem == Mem::kDram) {
    (mem == Mem::kPdm ? state_.pdms : state_.drams)[u.g].write(addr, count, values, nullptr);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const Word w = word(mem, u, addr + i);
    *w.lw = values[i];
    if (w.def != nullptr) *w.def = kAllDefined;
  }
  if (mem == Mem::kMatX || mem == Mem::kMatY) {
    const int mab = ((u.g * state_.l2bs_per_group + u.s) * state_.l1bs_per_l2b + u.b) * kMabs + u.m;
    state_.mabs[mab].mat[mem == Mem::kMatX ? 0 : 1].changed();
  }
}

void Access::write_word(Mem mem, UnitCoord u, int64_t addr, bool low, uint32_t value) const {
  const Word w = word(mem, u, addr);
  *w.lw = low ? (*w.lw & 0xffffffff00000000u) | value : (*w.lw & 0xffffffffu) | uint64_t{value} << 32;
  if (w.def != nullptr) *w.def = static_cast<uint8_t>(*w.def | (low ? 0x3 : 0xc));
}

}  // namespace kumihimo::mncore2::emu
