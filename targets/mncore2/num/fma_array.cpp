// The array forms of fma.h: the exact sum in doubles (odd_sum.h), infinities handed to the generic path.
#include <bit>

#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/odd_sum.h"

namespace kumihimo::mncore2::num {
namespace {

bool is_inf(std::uint32_t bits) { return (bits & 0x7f800000u) == 0x7f800000u; }
bool is_inf(std::uint16_t bits) { return (bits & 0x7e00u) == 0x7e00u; }

double widened(std::uint32_t bits) { return double_of_single(bits); }
double widened(std::uint16_t bits) { return double_of_half(bits); }

/// The truncated product of singles. Exact at every step: a*b has 48 bits, the correction is a multiple of the
/// product's last bit, and their sum has at most 49.
double product(std::uint32_t a_bits, std::uint32_t b_bits) {
  constexpr std::uint64_t kLow = std::uint64_t{0x1f} << 29;  // the low 5 of 23 fraction bits inside a double
  constexpr std::uint64_t kSignExponent = std::uint64_t{0xfff} << 52;
  const double a = widened(a_bits);
  const double b = widened(b_bits);
  const std::uint64_t a_pattern = std::bit_cast<std::uint64_t>(a);
  const std::uint64_t b_pattern = std::bit_cast<std::uint64_t>(b);
  const double a_low = a - std::bit_cast<double>(a_pattern & ~kLow);
  const double b_low = b - std::bit_cast<double>(b_pattern & ~kLow);
  const double low = a_low * b_low;
  const double unit =
      std::bit_cast<double>(a_pattern & kSignExponent) * std::bit_cast<double>(b_pattern & kSignExponent);
  // As a mask: the test goes either way too often to be a branch.
  const std::uint64_t truncates = (std::bit_cast<std::uint64_t>(low) << 1) != 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t correction = std::bit_cast<std::uint64_t>(unit * 0x1p-38 - low) & truncates;
  return a * b + std::bit_cast<double>(correction);
}

double product(std::uint16_t a, std::uint16_t b) { return widened(a) * widened(b); }

template <class Out>
Out narrowed(std::uint64_t pattern) {
  if constexpr (sizeof(Out) == 2)
    return half_of_pattern(pattern);
  else
    return single_of_pattern(pattern);
}

template <class In>
constexpr Float kFloatOf = sizeof(In) == 2 ? Float::kHalf : Float::kSingle;

template <class In>
constexpr In flip_mask(bool negate) {
  return negate ? static_cast<In>(In{1} << (8 * sizeof(In) - 1)) : In{0};
}

// One element of each operation. The `exact` halves run when no operand is an infinity.
template <class In, class Out>
struct Fma {
  static Out exact(In a, In b, std::uint32_t c) { return narrowed<Out>(odd_sum(product(a, b), widened(c))); }
  static Out generic(In a, In b, std::uint32_t c, const Switches& switches) {
    return static_cast<Out>(fma(kFloatOf<In>, a, b, c, kFloatOf<Out>, {}, switches));
  }
};
template <class In, class Out>
struct Mul {
  static Out exact(In a, In b, std::uint32_t) { return narrowed<Out>(std::bit_cast<std::uint64_t>(product(a, b))); }
  static Out generic(In a, In b, std::uint32_t, const Switches& switches) {
    return static_cast<Out>(mul(kFloatOf<In>, a, b, kFloatOf<Out>, {}, switches));
  }
};
template <class In, class Out>
struct Add {
  static Out exact(In a, In, std::uint32_t c) { return narrowed<Out>(odd_sum(widened(a), widened(c))); }
  static Out generic(In a, In, std::uint32_t c, const Switches& switches) {
    return static_cast<Out>(add(kFloatOf<In>, a, c, kFloatOf<Out>, {}, switches));
  }
};
template <class In, class Out>
struct Passa {
  static Out exact(In a, In, std::uint32_t) { return narrowed<Out>(std::bit_cast<std::uint64_t>(widened(a))); }
  static Out generic(In a, In, std::uint32_t, const Switches& switches) {
    return static_cast<Out>(passa(kFloatOf<In>, a, kFloatOf<Out>, {}, switches));
  }
};

/// Chunks are copied in before anything is written, so `out` may be an input; a chunk with an infinity takes the
/// generic path as a whole, which keeps the common loop free of tests. Null b or c stand for operands not used.
template <template <class, class> class Op, class In, class Out>
void run(const In* a, const In* b, const std::uint32_t* c, Out* out, std::size_t count, FmaSigns signs,
         const Switches& switches) {
  constexpr std::size_t kChunk = 8;
  const In a_flip = flip_mask<In>(signs.a);
  const In b_flip = flip_mask<In>(signs.b);
  const std::uint32_t c_flip = flip_mask<std::uint32_t>(signs.c);
  for (std::size_t base = 0; base < count; base += kChunk) {
    const std::size_t n = count - base < kChunk ? count - base : kChunk;
    In ca[kChunk] = {};
    In cb[kChunk] = {};
    std::uint32_t cc[kChunk] = {};
    bool special = false;
    for (std::size_t i = 0; i < n; ++i) {
      ca[i] = static_cast<In>(a[base + i] ^ a_flip);
      special |= is_inf(ca[i]);
    }
    if (b != nullptr) {
      for (std::size_t i = 0; i < n; ++i) {
        cb[i] = static_cast<In>(b[base + i] ^ b_flip);
        special |= is_inf(cb[i]);
      }
    }
    if (c != nullptr) {
      for (std::size_t i = 0; i < n; ++i) {
        cc[i] = c[base + i] ^ c_flip;
        special |= is_inf(cc[i]);
      }
    }
    if (special) [[unlikely]] {
      for (std::size_t i = 0; i < n; ++i) out[base + i] = Op<In, Out>::generic(ca[i], cb[i], cc[i], switches);
      continue;
    }
    Out result[kChunk];
    for (std::size_t i = 0; i < kChunk; ++i) result[i] = Op<In, Out>::exact(ca[i], cb[i], cc[i]);
    for (std::size_t i = 0; i < n; ++i) out[base + i] = result[i];
  }
}

}  // namespace

std::uint32_t fma_f32(std::uint32_t a, std::uint32_t b, std::uint32_t c, FmaSigns signs, const Switches& switches) {
  a ^= flip_mask<std::uint32_t>(signs.a);
  b ^= flip_mask<std::uint32_t>(signs.b);
  c ^= flip_mask<std::uint32_t>(signs.c);
  using Op = Fma<std::uint32_t, std::uint32_t>;
  if (is_inf(a) || is_inf(b) || is_inf(c)) [[unlikely]]
    return Op::generic(a, b, c, switches);
  return Op::exact(a, b, c);
}

std::uint32_t fma_f16(std::uint16_t a, std::uint16_t b, std::uint32_t c, FmaSigns signs, const Switches& switches) {
  a ^= flip_mask<std::uint16_t>(signs.a);
  b ^= flip_mask<std::uint16_t>(signs.b);
  c ^= flip_mask<std::uint32_t>(signs.c);
  using Op = Fma<std::uint16_t, std::uint32_t>;
  if (is_inf(a) || is_inf(b) || is_inf(c)) [[unlikely]]
    return Op::generic(a, b, c, switches);
  return Op::exact(a, b, c);
}

void fma_f32(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* out,
             std::size_t count, FmaSigns signs, const Switches& switches) {
  run<Fma>(a, b, c, out, count, signs, switches);
}
void mul_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out, std::size_t count, FmaSigns signs,
             const Switches& switches) {
  run<Mul>(a, b, nullptr, out, count, signs, switches);
}
void add_f32(const std::uint32_t* a, const std::uint32_t* c, std::uint32_t* out, std::size_t count, FmaSigns signs,
             const Switches& switches) {
  run<Add, std::uint32_t>(a, nullptr, c, out, count, signs, switches);
}
void passa_f32(const std::uint32_t* a, std::uint32_t* out, std::size_t count, FmaSigns signs,
               const Switches& switches) {
  run<Passa, std::uint32_t>(a, nullptr, nullptr, out, count, signs, switches);
}
void fma_f32_to_f16(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint16_t* out,
                    std::size_t count, FmaSigns signs, const Switches& switches) {
  run<Fma>(a, b, c, out, count, signs, switches);
}

void fma_f16(const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint32_t* out,
             std::size_t count, FmaSigns signs, const Switches& switches) {
  run<Fma>(a, b, c, out, count, signs, switches);
}
void mul_f16(const std::uint16_t* a, const std::uint16_t* b, std::uint32_t* out, std::size_t count, FmaSigns signs,
             const Switches& switches) {
  run<Mul>(a, b, nullptr, out, count, signs, switches);
}
void add_f16(const std::uint16_t* a, const std::uint32_t* c, std::uint32_t* out, std::size_t count, FmaSigns signs,
             const Switches& switches) {
  run<Add, std::uint16_t>(a, nullptr, c, out, count, signs, switches);
}
void passa_f16(const std::uint16_t* a, std::uint32_t* out, std::size_t count, FmaSigns signs,
               const Switches& switches) {
  run<Passa, std::uint16_t>(a, nullptr, nullptr, out, count, signs, switches);
}
void fma_f16_to_f16(const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint16_t* out,
                    std::size_t count, FmaSigns signs, const Switches& switches) {
  run<Fma>(a, b, c, out, count, signs, switches);
}

void fma_f64(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* out,
             std::size_t count, FmaSigns signs, const Switches& switches) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = fma(Float::kDouble, a[i], b[i], c[i], Float::kDouble, signs, switches);
}

}  // namespace kumihimo::mncore2::num
