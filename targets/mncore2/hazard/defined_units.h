// How ALU and MAU move definedness from sources to results (ISA 6, 7); see defined_lanes.h.
#pragma once

#include <span>
#include <vector>

#include "targets/mncore2/hazard/defined_lanes.h"

namespace kumihimo::mncore2::hazard {

// Where unwritten lanes do harm.
enum class Harm : uint8_t { kAddress, kConversion, kContraction, kReduction, kDump };

struct UnitResult {
  Beat beat;
  Flags flags;
};

// Modifiers e and r of a source.
Beat converted(const Beat& in, char how, isa::Prec prec);

UnitResult alu_lanes(const isa::Insn& insn, std::span<const Beat> in, std::vector<Harm>& harms);
UnitResult vector_lanes(const isa::Insn& insn, std::span<const Beat> in);
// `side` = the rows of the matrix register.
UnitResult matrix_lanes(const isa::Insn& insn, std::span<const Beat> in, std::span<const Row, 16> side,
                        std::vector<Harm>& harms);
UnitResult mread_lanes(const isa::Insn& insn, std::span<const Row, 16> side);

int matrix_rows(isa::Prec prec);

}  // namespace kumihimo::mncore2::hazard
