#include "core/ir/type.h"

#include <array>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/ir/text.h"

namespace kumihimo {
namespace {

constexpr std::array kDtypes = {
    DtypeDef{"half", Dtype::kHalf, 16, true, false, Dtype::kHalf,
             "machine half: sign, 6 exponent bits, 9 fraction bits"},
    DtypeDef{"single", Dtype::kSingle, 32, true, false, Dtype::kSingle, "32-bit float"},
    DtypeDef{"double", Dtype::kDouble, 64, true, false, Dtype::kDouble, "64-bit float"},
    DtypeDef{"block_half", Dtype::kBlockHalf, 16, false, true, Dtype::kHalf,
             "block of halves with one shared exponent"},
    DtypeDef{"block_pseudo", Dtype::kBlockPseudo, 32, false, true, Dtype::kSingle,
             "block of singles with one shared exponent and 18 significand bits"},
    DtypeDef{"block_single", Dtype::kBlockSingle, 32, false, true, Dtype::kSingle,
             "block of singles with one shared exponent"},
    DtypeDef{"block_double", Dtype::kBlockDouble, 64, false, true, Dtype::kDouble,
             "block of doubles with one shared exponent"},
    DtypeDef{"int16", Dtype::kInt16, 16, false, false, Dtype::kInt16, "16-bit two's complement"},
    DtypeDef{"int32", Dtype::kInt32, 32, false, false, Dtype::kInt32, "32-bit two's complement"},
    DtypeDef{"int64", Dtype::kInt64, 64, false, false, Dtype::kInt64, "64-bit two's complement"},
    DtypeDef{"bool_", Dtype::kBool, 16, false, false, Dtype::kBool, "truth value in a 16-bit word, 0 = false"},
};

struct TypeHash {
  size_t operator()(const Type* t) const {
    size_t h = static_cast<size_t>(t->level) * 31 + static_cast<size_t>(t->dtype);
    auto mix = [&h](size_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ull; };
    for (int64_t e : t->shape) mix(static_cast<size_t>(e));
    mix(std::hash<const void*>{}(t->layout));
    mix(static_cast<size_t>(t->location + 1));
    mix(std::hash<std::string>{}(t->block));
    mix(std::hash<std::string>{}(t->memory));
    for (int64_t a : t->addr) mix(static_cast<size_t>(a));
    return h;
  }
};
struct TypeEqual {
  bool operator()(const Type* a, const Type* b) const { return *a == *b; }
};

// The pool of all types: appended to under a lock, entries never move or die.
struct Pool {
  std::mutex mutex;
  std::deque<Type> store;
  std::unordered_map<const Type*, TypeRef, TypeHash, TypeEqual> index;
};
Pool& pool() {
  static Pool* p = new Pool;
  return *p;
}

}  // namespace

const DtypeDef& dtype_def(Dtype d) { return kDtypes[static_cast<size_t>(d)]; }
std::span<const DtypeDef> all_dtypes() { return kDtypes; }

const DtypeDef* find_dtype(std::string_view name) {
  for (const DtypeDef& d : kDtypes)
    if (d.name == name) return &d;
  return nullptr;
}

TypeRef intern(Type type) {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  if (auto it = p.index.find(&type); it != p.index.end()) return it->second;
  p.store.push_back(std::move(type));
  TypeRef ref = &p.store.back();
  p.index.emplace(ref, ref);
  return ref;
}

TypeRef logical_type(Dtype dtype, std::vector<int64_t> shape) {
  Type t;
  t.dtype = dtype;
  t.shape = std::move(shape);
  return intern(std::move(t));
}

TypeRef immediate_type(Dtype dtype) {
  Type t;
  t.level = TypeLevel::kPlaced;
  t.dtype = dtype;
  return intern(std::move(t));
}

TypeRef placed_type(Dtype dtype, LayoutRef layout, const MachineTree* tree, int location, std::string block) {
  Type t;
  t.level = TypeLevel::kPlaced;
  t.dtype = dtype;
  t.shape = layout->shape;
  t.layout = layout;
  t.tree = tree;
  t.location = location;
  t.block = std::move(block);
  return intern(std::move(t));
}

int64_t element_count(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t e : shape) n *= e;
  return n;
}

}  // namespace kumihimo
