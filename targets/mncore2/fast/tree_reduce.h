// Reductions of rows of long words, element by element: the networks of L1BM, L2BM and MV (num/rrn.h) on vectors.
//
// Law: bits as num::l1bm_reduce_words or num::reduce_words give them under the default switches. Every function has one
// cost: infinities, NaN patterns and zeros are selected, not branched to one by one. Float sums expect FloatMode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "targets/mncore2/num/rrn.h"

namespace kumihimo::mncore2::fast {

// Rows of four long words (32 bytes): row r of input i stands at in + i * input_step + r * row_step, its result at
// out + r * out_step.
struct ReduceRows {
  const uint64_t* in;
  size_t input_step, row_step;
  uint64_t* out;
  size_t out_step;
  int rows;
};
using Reducer = void (*)(const ReduceRows&);

struct Reduction {
  num::Reduce op;
  num::Lane lane;
  int inputs;   // 2, 4, 8 or 16
  bool narrow;  // singles become halves in the upper word of each long word; the lower word is 0
  bool l1bm;    // halves are added on the single circuit (num::l1bm_reduce)
};

// Null = no such function.
Reducer reducer_avx512(const Reduction& r);
Reducer reducer_avx2(const Reduction& r);

// The same by family: null when the reduction is of another one. The first two serve both paths: a row is 32 bytes.
Reducer plain_reducer(const Reduction& r);       // everything but sums of floats
Reducer double_sum_reducer(const Reduction& r);  // sums of doubles
Reducer sum_reducer_avx512(const Reduction& r);  // sums of singles and halves
Reducer sum_reducer_avx2(const Reduction& r);

}  // namespace kumihimo::mncore2::fast
