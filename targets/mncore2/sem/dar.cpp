// DAR instructions (ISA 4.5): l2bmdars reads DRAM addresses from an L2BM of every group into the group's buffer, l2bmdarw
// moves them on into the table that `$di` operands read. The published rates are 64 long words a cycle, 128 entries a
// cycle into the buffer and one entry a cycle out of it; over the four cycles of a step that is 256 long words, 512
// entries and four entries. The order of the two entries of a long word is not published (open question Q18).
#include <algorithm>

#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::sem {

void dar_load(StepContext& c, const Insn& insn) {
  using namespace emu;
  const isa::Operand& src = insn.srcs[0];
  const int rows = c.switches->dar_load == num::DarLoad::kFourRows ? 4 : 1;
  const int words = rows * 64;
  const bool msb_first = c.switches->dar_packing == num::DarPacking::kMsbFirst;
  for (int g = 0; g < c.machine->groups; ++g) {
    Dar& dar = c.machine->dars[g];
    const int l2b = g * c.machine->l2bs_per_group + src.sub;
    for (int k = 0; k < words; ++k) {
      const auto at = static_cast<size_t>((src.addr[0] + k) % kL2bmLw);
      const uint64_t word = c.machine->l2bms[l2b].lw[at];
      const auto high = static_cast<uint32_t>(word >> 32), low = static_cast<uint32_t>(word);
      dar.buffer[2 * k] = msb_first ? high : low;
      dar.buffer[2 * k + 1] = msb_first ? low : high;
      if (!c.strict()) continue;
      const uint8_t def = c.machine->l2bm_defs[l2b].lw[at];
      const bool high_def = (def & 0xc) == 0xc, low_def = (def & 0x3) == 0x3;
      c.machine->dar_defs[g].buffer[2 * k] = msb_first ? high_def : low_def;
      c.machine->dar_defs[g].buffer[2 * k + 1] = msb_first ? low_def : high_def;
    }
    dar.base = insn.dsts[0].addr[0];
    dar.next = 0;
    dar.filled = 2 * words;
    if (!c.strict()) continue;
    c.where = {g, src.sub, 0, 0, 0};
    check_range(c, 0, src.addr[0], words, kL2bmLw);
    check_range(c, 8, dar.base, dar.filled, kDarEntries);
  }
}

void dar_write(StepContext& c, const Insn&) {
  using namespace emu;
  for (int g = 0; g < c.machine->groups; ++g) {
    Dar& dar = c.machine->dars[g];
    const int left = dar.filled - dar.next;
    const int count = c.switches->dar_write == num::DarWrite::kFourEntries ? std::min(left, 4) : left;
    for (int i = 0; i < count; ++i, ++dar.next) {
      const int to = (dar.base + dar.next) % kDarEntries;
      dar.entry[to] = dar.buffer[dar.next];
      if (c.strict()) c.machine->dar_defs[g].entry[to] = c.machine->dar_defs[g].buffer[dar.next];
    }
  }
}

}  // namespace kumihimo::mncore2::sem
