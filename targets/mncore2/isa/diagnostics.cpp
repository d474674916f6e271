#include "targets/mncore2/isa/diagnostics.h"

namespace kumihimo::mncore2::isa::diag {

#define KMH_ROW(ID, CODE, NAME, RULE) constinit const DiagDef ID{CODE, NAME, RULE};
KMH_MNCORE2_DIAGNOSTICS(KMH_ROW)
#undef KMH_ROW

std::span<const DiagDef* const> all() {
#define KMH_ROW(ID, CODE, NAME, RULE) &ID,
  static constexpr const DiagDef* kRows[] = {KMH_MNCORE2_DIAGNOSTICS(KMH_ROW)};
#undef KMH_ROW
  return kRows;
}

void register_all() {
  for (const DiagDef* row : all()) register_diagnostics(row, 1);
}

}  // namespace kumihimo::mncore2::isa::diag
