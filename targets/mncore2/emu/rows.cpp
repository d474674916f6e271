// Diagnostics of the emulator. Codes are never reused.
#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::emu {
namespace {

constexpr DiagDef kRows[] = {
    {"K4001", "emu_interrupted", "a run ends when its caller asks it to"},
    {"K4002", "emu_unit", "every unit that a statement names exists on the machine"},
    {"K4003", "emu_memory", "memory is read and written inside its capacity, and only where it can be addressed"},
    {"K4004", "emu_slot", "a step holds at most one instruction of each unit"},
    {"K4005", "emu_statement", "the emulator executes decoded statements whose operands fit their row"},
    {"K4010", "undefined_address", "an address is computed from defined bits"},
    {"K4011", "undefined_conversion", "a block that is converted is defined as a whole, or not at all"},
    {"K4012", "undefined_contraction", "a vector or matrix row of a contraction is defined as a whole, or not at all"},
    {"K4013", "undefined_reduction", "the members of a reduction are all defined, or none is"},
    {"K4014", "undefined_dump", "what is printed has been written before"},
    {"K4015", "address_out_of_range", "an address lies inside its memory; the machine would wrap it"},
    {"K4016", "address_misaligned", "an address is a multiple of its access width; the machine would cut it"},
    {"K4017", "word_in_flight", "a word that a tagged MV moves is touched only after the wait for its tag"},
    {"K4018", "matrix_precision", "a matrix register is used in the precision in which it was written"},
    {"K4019", "poison_dependent", "what is printed does not depend on memory that was never written"},
    {"K4020", "emu_state",
     "a saved state is whole and belongs to the machine, the options and the program that read it"},
    {"K4021", "emu_session", "an emulator session has a program, is open, and is used by one thread at a time"},
    {"K4022", "emu_selection", "what is traced or compared names memories, units, addresses and steps that exist"},
    {"K4023", "emu_tensor",
     "a tensor is set and read with a layout in a memory of the machine, its dtype and all its elements"},
    {"K4024", "emu_path", "the processor has the instructions that the emulator is asked to compute with"},
};

}  // namespace

std::span<const DiagDef> diagnostics() { return kRows; }

const DiagDef& diagnostic_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kUndefinedAddress: return kRows[5];
    case FindingKind::kUndefinedConversion: return kRows[6];
    case FindingKind::kUndefinedContraction: return kRows[7];
    case FindingKind::kUndefinedReduction: return kRows[8];
    case FindingKind::kUndefinedDump: return kRows[9];
    case FindingKind::kOutOfRange: return kRows[10];
    case FindingKind::kMisaligned: return kRows[11];
    case FindingKind::kInFlight: return kRows[12];
    case FindingKind::kMatrixPrecision: return kRows[13];
  }
  return kRows[4];
}

Diagnostic error(std::string_view name, std::string headline, SourceRange where) {
  Diagnostic d;
  for (const DiagDef& row : kRows)
    if (row.name == name) d.def = &row;
  d.headline = std::move(headline);
  d.where = std::move(where);
  return d;
}

}  // namespace kumihimo::mncore2::emu
