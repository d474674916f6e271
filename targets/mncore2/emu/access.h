// One long word of any memory, by name and unit: what dumps, debug statements and the API read and write.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// Which coordinates select an instance of a memory.
enum class Level : uint8_t { kGroup, kL2b, kL1b, kMab, kPe };

// A row per memory that can be addressed from outside. `dump_name` is the spelling of the vendor's dumps (ISA 3.5);
// names without a published example are ours.
struct MemoryRow {
  isa::Mem mem;
  std::string_view operand;    // "$lm"
  std::string_view dump_name;  // "LM0"
  Level level;
  int address_step;  // printed address units per long word: 2 where addresses count words
  char evidence;
};
std::span<const MemoryRow> all_memories();
const MemoryRow* find_memory(isa::Mem mem);

class Access {
 public:
  Access(const MachineState& state, const MachineConfig& config) : state_(state), config_(config) {}

  // Long words of one instance.
  int64_t capacity(isa::Mem mem) const;
  // Error unless the memory, the unit and the addresses exist.
  Status check(isa::Mem mem, UnitCoord unit, int64_t addr_lw, int64_t count) const;

  // Preconditions: check() holds.
  void read(isa::Mem mem, UnitCoord unit, int64_t addr_lw, int64_t count, uint64_t* out, uint8_t* def) const;
  // `lanes`: four bits per long word, which of its lanes become defined; null = all. The value is written whole.
  void write(isa::Mem mem, UnitCoord unit, int64_t addr_lw, int64_t count, const uint64_t* values,
             const uint8_t* lanes = nullptr) const;
  // The MSB (low = false) or LSB word of a long word.
  void write_word(isa::Mem mem, UnitCoord unit, int64_t addr_lw, bool low, uint32_t value) const;

 private:
  struct Word {
    uint64_t* lw;
    uint8_t* def;  // null unless strict
  };
  Word word(isa::Mem mem, UnitCoord unit, int64_t addr_lw) const;
  int mab_of(UnitCoord unit) const;
  // Mask registers, base addresses and entries of DAR are narrower than a long word.
  static bool is_narrow(isa::Mem mem) { return mem == isa::Mem::kOmr || mem == isa::Mem::kDar || is_bar(mem); }
  static bool is_bar(isa::Mem mem) { return mem == isa::Mem::kBar0 || mem == isa::Mem::kBar1; }
  uint64_t read_narrow(isa::Mem mem, UnitCoord unit, int64_t addr, uint8_t* def) const;
  void write_narrow(isa::Mem mem, UnitCoord unit, int64_t addr, uint64_t value) const;
  const MachineState& state_;
  const MachineConfig& config_;
};

}  // namespace kumihimo::mncore2::emu
