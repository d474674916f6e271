// Tensors of the exact interpreter: element bits in row-major order.
//
// A value whose layout has partial tails carries one leading array axis for each of them, in the order of
// the tails: `exact` keeps every partial copy apart, because the machine does.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/ir/type.h"

namespace kumihimo {

struct Tensor {
  Dtype dtype = Dtype::kSingle;
  std::vector<int64_t> partial;  // extents of the leading partial axes
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;  // count() elements of bytes() each, host byte order

  int bytes() const { return dtype_def(dtype).bits / 8; }
  int64_t count() const { return element_count(partial) * element_count(shape); }
  static Tensor zeros(Dtype dtype, std::vector<int64_t> shape, std::vector<int64_t> partial = {}) {
    Tensor t{dtype, std::move(partial), std::move(shape), {}};
    t.data.resize(static_cast<size_t>(t.count()) * static_cast<size_t>(t.bytes()));
    return t;
  }
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
  uint64_t get(int64_t i) const {
    uint64_t v = 0;
    std::memcpy(&v, data.data() + i * bytes(), static_cast<size_t>(bytes()));  // little-endian hosts
    return v;
  }
  void set(int64_t i, uint64_t v) { std::memcpy(data.data() + i * bytes(), &v, static_cast<size_t>(bytes())); }
};

}  // namespace kumihimo
