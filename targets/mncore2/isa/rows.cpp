// Joins the catalogues into one table, in the order control, MV, L2BM, L1BM, MAU, ALU.
#include <vector>

#include "targets/mncore2/isa/catalogues.h"

namespace kumihimo::mncore2::isa {

std::span<const InsnDef> rows() {
  static const std::vector<InsnDef> table = [] {
    std::vector<InsnDef> all;
    for (auto part : {control_rows(), mv_rows(), l2bm_rows(), l1bm_rows(), mau_rows(), alu_rows()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

}  // namespace kumihimo::mncore2::isa
