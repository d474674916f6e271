// The bound: the least time that the placed program needs on each unit and link, whatever the code.
//
// Counted from types and layouts alone, never from emitted code: contractions as matrix cycles, elementwise
// operations as lanes per PE, moves as long words per link. The units run side by side, so the bound is the
// largest of them; `with_mv` takes the DRAM and L2BM mover ports in, `without_mv` leaves them out.
#pragma once

#include <string_view>
#include <vector>

#include "core/dispatch/target.h"
#include "core/ir/module.h"

namespace kumihimo::mncore2::lower {

struct UnitBound {
  std::string_view unit;  // "MAU", "ALU", "L1BM", "L2BM", "MV"
  double cycles = 0;
};

struct Bound {
  std::vector<UnitBound> units;
  double without_mv = 0;  // cycles
  double with_mv = 0;
};

Result<Bound> bound_of(const Module& module, const Function& function, const Target& target);

}  // namespace kumihimo::mncore2::lower
