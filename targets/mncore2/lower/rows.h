// Rows of values: which register rows an operation touches, and how they are cut into steps of four cycles.
//
// Level and lane digits of a layout run in parallel on the machine; what is left to walk in time are its
// address digits. An AddressPoint is one combination of them: the index offsets it stands for and its row.
// An operand that broadcasts, or that has another address order, maps the same index offsets to its own rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ir/type.h"
#include "targets/mncore2/sched/vprogram.h"

namespace kumihimo::mncore2::lower {

struct AddressPoint {
  std::vector<int64_t> index;  // per dim: offset whose level and lane digits are 0
  int32_t row = 0;
};

// All address points of a layout, rows ascending.
std::vector<AddressPoint> address_points(const Layout& layout);
// Offsets of one dim's address digits, ascending.
std::vector<int64_t> address_offsets(const Layout& layout, int dim);
// The row of an index in another layout: shapes align at the last dim, a dim of extent 1 stays at 0.
int32_t row_of(const Layout& layout, std::span<const int64_t> index);

// One step: the row of each cycle for the result and for every operand.
struct RowStep {
  std::array<int32_t, 4> out{};
  std::vector<std::array<int32_t, 4>> in;
  int32_t stride = 1;  // rows per cycle of `out`
};

// rows[k] = {out row, row of operand 0, row of operand 1, ...}; one entry per result row (or per pair of rows
// when `unit` is 2: then out rows are even and a step covers eight rows).
// Chooses the smallest stride for which every operand walks with a constant stride, so that the whole program
// stays in auto-stride mode; when there is none, takes four rows at a time in order (flat addresses).
// `preferred` is tried first: consumers that walk like their producer can be fed by forwarding.
// The last step of an odd count runs over the end: its rows beyond the value are not used by anyone.
std::vector<RowStep> cut_into_steps(std::vector<std::vector<int32_t>> rows, int unit, int32_t preferred);

}  // namespace kumihimo::mncore2::lower
