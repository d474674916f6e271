// Types of values. The type tells the level of the node that made the value:
//
//   logical tensor   shape, dtype                                     graph level
//   placed tensor    shape, dtype, layout, location                   LEIR
//   machine value    memory, address of each cycle, access width      instructions
//
// Types are interned and immutable: equal types have one pointer, which lives as long as the process.
// Example texts (the parser reads what the printer writes):
//   half (9,64)
//   half (9,64)/((…), (…))@LM
//   block_half (9,64)/((…), (…))@LM block=4_PE*4_W
//   machine GRF0 ll [0,4,8,12]
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/layout/layout.h"

namespace kumihimo {

enum class Dtype : uint8_t {
  kHalf,
  kSingle,
  kDouble,
  kBlockHalf,
  kBlockPseudo,
  kBlockSingle,
  kBlockDouble,
  kInt16,
  kInt32,
  kInt64,
  kBool,
};

struct DtypeDef {
  std::string_view name;  // "block_half"
  Dtype dtype;
  int bits;       // storage bits of an element
  bool is_float;  // ordinary float
  bool is_block;  // block float: only contractions read it
  Dtype element;  // ordinary dtype of a block float's elements, else itself
  std::string_view doc;
};

const DtypeDef& dtype_def(Dtype d);
std::span<const DtypeDef> all_dtypes();
const DtypeDef* find_dtype(std::string_view name);

enum class TypeLevel : uint8_t { kLogical, kPlaced, kMachine };

struct Type {
  TypeLevel level = TypeLevel::kLogical;
  Dtype dtype = Dtype::kSingle;
  std::vector<int64_t> shape;
  // placed
  LayoutRef layout = nullptr;
  const MachineTree* tree = nullptr;
  int location = -1;  // index into tree->locations; -1 = no location (an immediate)
  std::string block;  // block floats: the digits of one block, "4_PE*4_W"
  // machine
  std::string memory;             // "GRF0"
  std::array<int64_t, 4> addr{};  // address of each cycle, in the memory's unit
  std::string width;              // "w", "l", "ll"

  bool placed() const { return level == TypeLevel::kPlaced && layout != nullptr; }
  bool immediate() const { return level == TypeLevel::kPlaced && layout == nullptr; }
  std::string_view location_name() const {
    return location < 0 ? "-" : tree->locations[static_cast<size_t>(location)].name;
  }
  friend bool operator==(const Type&, const Type&) = default;
};
using TypeRef = const Type*;

TypeRef intern(Type type);
TypeRef logical_type(Dtype dtype, std::vector<int64_t> shape);
// An immediate: a value of the program text, usable at every place.
TypeRef immediate_type(Dtype dtype);
TypeRef placed_type(Dtype dtype, LayoutRef layout, const MachineTree* tree, int location, std::string block = {});

std::string to_string(const Type& type);
// Parses what to_string prints. `tree` is the tree of the module's target.
Result<TypeRef> parse_type(std::string_view text, const MachineTree* tree);

int64_t element_count(std::span<const int64_t> shape);

}  // namespace kumihimo
