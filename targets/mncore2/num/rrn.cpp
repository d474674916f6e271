#include "targets/mncore2/num/rrn.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "targets/mncore2/num/odd_sum.h"
#include "targets/mncore2/num/round.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr std::uint64_t mask_of(Lane lane) {
  return lane == Lane::k64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lane_bits(lane)) - 1;
}

/// Sign-magnitude order over whole words, +0 above -0 (ISA 8.3 [S]).
bool above(Lane lane, std::uint64_t x, std::uint64_t y) {
  // Flipping the magnitude of negative words turns sign-magnitude order into two's complement order.
  constexpr auto kMagnitude = static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
  const int up = 64 - lane_bits(lane);
  const auto key = [up](std::uint64_t word) {
    const auto top = static_cast<std::int64_t>(word << up);
    return top ^ ((top >> 63) & kMagnitude);
  };
  return key(x) > key(y);
}

/// One node of anything but fadd.
std::uint64_t plain_node(Reduce op, Lane lane, const std::uint64_t in[4], const Switches& switches) {
  const std::uint64_t mask = mask_of(lane);
  const std::uint64_t yes = switches.logical_true == LogicalTrue::kOne ? 1 : mask;
  std::uint64_t value = in[0];
  switch (op) {
    case Reduce::kMax:
      for (int i = 1; i < 4; ++i) value = above(lane, in[i], value) ? in[i] : value;
      return value;
    case Reduce::kMin:
      for (int i = 1; i < 4; ++i) value = above(lane, value, in[i]) ? in[i] : value;
      return value;
    case Reduce::kIadd: return (in[0] + in[1] + in[2] + in[3]) & mask;
    case Reduce::kBand: return in[0] & in[1] & in[2] & in[3];
    case Reduce::kBor: return in[0] | in[1] | in[2] | in[3];
    case Reduce::kAnd: return in[0] != 0 && in[1] != 0 && in[2] != 0 && in[3] != 0 ? yes : 0;
    case Reduce::kOr: return (in[0] | in[1] | in[2] | in[3]) != 0 ? yes : 0;
    case Reduce::kFadd: break;
  }
  assert(false && "fadd has its own node");
  return 0;
}

constexpr Float lower(Float kind) { return kind == Float::kDouble ? Float::kSingle : Float::kHalf; }

/// Where input `slot` of first-level node `group` comes from.
int source(int groups, int group, int slot, const Switches& switches) {
  const ReduceGrouping grouping = groups == 4 ? switches.l1bm_grouping : switches.l2bm_grouping;
  return grouping == ReduceGrouping::kConsecutive ? 4 * group + slot : group + groups * slot;
}

/// The one- or two-level tree; `work` is the format between the levels, `out` that of the last one.
std::uint64_t tree(Reduce op, Lane lane, Float work, Float out, const std::uint64_t* in, int count,
                   const Switches& switches) {
  assert(count >= 1 && count <= 16);
  const std::uint64_t identity = reduce_identity(op, lane);
  const auto node = [&](const std::uint64_t four[4], Float to) {
    return op == Reduce::kFadd ? fadd_node(work, four, to, switches) : plain_node(op, lane, four, switches);
  };
  std::uint64_t four[4];
  if (count <= 4) {
    for (int i = 0; i < 4; ++i) four[i] = i < count ? in[i] : identity;
    return node(four, out);
  }
  const int groups = count <= 8 ? 2 : 4;
  std::uint64_t second[4] = {identity, identity, identity, identity};
  for (int group = 0; group < groups; ++group) {
    for (int slot = 0; slot < 4; ++slot) {
      const int from = source(groups, group, slot, switches);
      four[slot] = from < count ? in[from] : identity;
    }
    second[group] = node(four, work);
  }
  return node(second, out);
}

template <std::uint64_t (*Element)(Reduce, Lane, const std::uint64_t*, int, const Switches&)>
std::uint64_t each_element(Reduce op, Lane lane, const std::uint64_t* in, int count, const Switches& switches) {
  const int bits = lane_bits(lane);
  const std::uint64_t mask = mask_of(lane);
  std::uint64_t result = 0;
  std::uint64_t elements[16];
  for (int shift = 0; shift < 64; shift += bits) {
    for (int i = 0; i < count; ++i) elements[i] = (in[i] >> shift) & mask;
    result |= Element(op, lane, elements, count, switches) << shift;
  }
  return result;
}

std::uint64_t upper_element(Reduce op, Lane lane, const std::uint64_t* in, int count, const Switches& switches) {
  return reduce(op, lane, in, count, false, switches);
}
std::uint64_t l1bm_element(Reduce op, Lane lane, const std::uint64_t* in, int count, const Switches& switches) {
  return l1bm_reduce(op, lane, in, count, false, false, switches);
}

}  // namespace

std::uint64_t reduce_identity(Reduce op, Lane lane) {
  switch (op) {
    case Reduce::kFadd:
    case Reduce::kIadd:
    case Reduce::kBor:
    case Reduce::kOr: return 0;
    case Reduce::kMax:
    case Reduce::kBand:
    case Reduce::kAnd: return mask_of(lane);
    case Reduce::kMin: return mask_of(lane) >> 1;
  }
  return 0;
}

std::uint64_t fadd_node(Float work, const std::uint64_t in[4], Float out, const Switches& switches) {
  constexpr int kGuard = 3;
  const FloatFormat& format = format_of(work);
  const FloatFormat& result = format_of(out);
  int largest = 0;
  for (int i = 0; i < 4; ++i) largest = std::max(largest, format.exponent(in[i]));
  if (largest == format.exponent_max()) {
    InfTally infinities;
    for (int i = 0; i < 4; ++i)
      if (format.is_inf(in[i])) infinities.add(format.negative(in[i]));
    return infinities.result(result, switches);
  }
  // Four significands of at most 56 bits: the signed sum stays far inside 64.
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    const int exponent = format.exponent(in[i]);
    const std::uint64_t significand = exponent == 0 ? 0 : format.hidden_bit() | format.fraction(in[i]);
    const auto aligned = static_cast<std::int64_t>(shift_right_rne(significand << kGuard, largest - exponent));
    const std::int64_t minus = format.negative(in[i]) ? -1 : 0;
    sum += (aligned ^ minus) - minus;
  }
  const int lsb_exponent = largest - format.bias - format.fraction_bits - kGuard;
  if (work == Float::kDouble) {
    const bool negative = sum < 0;
    return round_to(result, negative, static_cast<std::uint64_t>(negative ? -sum : sum), lsb_exponent);
  }
  // Halves and singles: the sum has at most 30 bits, so it and its scaling are exact in a double.
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + lsb_exponent) << 52);
  const auto pattern = std::bit_cast<std::uint64_t>(static_cast<double>(sum) * scale);
  return out == Float::kHalf ? half_of_pattern(pattern) : single_of_pattern(pattern);
}

std::uint64_t reduce(Reduce op, Lane lane, const std::uint64_t* in, int count, bool narrow_result,
                     const Switches& switches) {
  const Float work = lane_float(lane);
  const Float out = narrow_result ? lower(work) : work;
  const std::uint64_t value = tree(op, lane, work, out, in, count, switches);
  if (!narrow_result || op == Reduce::kFadd) return value;
  assert(op == Reduce::kMax || op == Reduce::kMin);
  return narrow(format_of(work), format_of(out), value, switches);
}

std::uint64_t l1bm_reduce(Reduce op, Lane lane, const std::uint64_t* in, int count, bool widen_inputs,
                          bool narrow_result, const Switches& switches) {
  const bool half_add = lane == Lane::k16 && op == Reduce::kFadd;
  if (!half_add && !widen_inputs) return reduce(op, lane, in, count, narrow_result, switches);
  // Half additions, and singles with e sources: widen exactly, run on the next wider circuit.
  const Lane circuit = half_add ? Lane::k32 : lane;
  const Float work = lane_float(circuit);
  std::uint64_t wide[16] = {};
  for (int i = 0; i < count; ++i) wide[i] = widen(format_of(lower(work)), format_of(work), in[i]);
  return reduce(op, circuit, wide, count, narrow_result || half_add, switches);
}

std::uint64_t reduce_words(Reduce op, Lane lane, const std::uint64_t* in, int count, const Switches& switches) {
  return each_element<&upper_element>(op, lane, in, count, switches);
}

std::uint64_t l1bm_reduce_words(Reduce op, Lane lane, const std::uint64_t* in, int count, const Switches& switches) {
  return each_element<&l1bm_element>(op, lane, in, count, switches);
}

}  // namespace kumihimo::mncore2::num
