// Tensors in the emulator's memories: from element bits to the image that a layout describes, and back.
//
//   set_tensor(machine, "(64)/((16_MAB:1, 4_W:1))@L1BM", "half", 128, elements);
//   get_tensor(machine, "(64)/((16_MAB:1, 4_W:1))@L1BM", "half", 128, 0)  ->  elements, shape
//
// The layout says which units hold which elements; `address` is the first long word of the image in each of them (in T:
// 2 * cycle + half). Elements are bit patterns of the dtype, row-major, one leading axis per partial tail, little-endian.
// Only bits that belong to elements, or to padding with a value, are written; the rest of the memory keeps its content.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/ir/type.h"
#include "targets/mncore2/emu/machine.h"

namespace kumihimo::mncore2::session {

struct TensorBits {
  Dtype dtype;
  std::vector<int64_t> partial, shape;
  std::vector<uint8_t> data;
  int64_t copies = 1;     // copies that the layout holds
  int64_t undefined = 0;  // strict: elements with a bit that was never written
};

// `dtype` may be empty when the layout text ends in "/DTYPE".
Status set_tensor(emu::Machine& machine, std::string_view layout, std::string_view dtype, int64_t address,
                  std::span<const uint8_t> elements);
// Copy 0 .. copies - 1, in the order of the layout's B@ tails.
Result<TensorBits> get_tensor(const emu::Machine& machine, std::string_view layout, std::string_view dtype,
                              int64_t address, int64_t copy);

}  // namespace kumihimo::mncore2::session
