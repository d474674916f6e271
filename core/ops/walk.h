// Walking tensors in row-major order under broadcasting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kumihimo {

// Gives, for each element of `out_shape` in row-major order, the position in a row-major tensor of `shape`
// that broadcasts to it (aligned at the last dim, extent 1 repeats).
class BroadcastIndex {
 public:
  BroadcastIndex(std::span<const int64_t> shape, std::span<const int64_t> out_shape)
      : extent_(out_shape.begin(), out_shape.end()) {
    size_t rank = extent_.size();
    stride_.assign(rank, 0);
    digit_.assign(rank, 0);
    int64_t step = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      stride_[rank - shape.size() + i] = shape[i] == 1 ? 0 : step;
      step *= shape[i];
    }
  }
  size_t next() {
    size_t here = static_cast<size_t>(pos_);
    for (size_t i = extent_.size(); i-- > 0;) {
      pos_ += stride_[i];
      if (++digit_[i] < extent_[i]) break;
      pos_ -= stride_[i] * extent_[i];
      digit_[i] = 0;
    }
    return here;
  }

 private:
  std::vector<int64_t> extent_, stride_, digit_;
  int64_t pos_ = 0;
};

}  // namespace kumihimo
