#include "targets/mncore2/num/fma.h"

namespace kumihimo::mncore2::num {
namespace {

std::uint64_t flip(const FloatFormat& format, std::uint64_t bits, bool negate) {
  return negate ? bits ^ format.sign_bit() : bits;
}

}  // namespace

std::uint64_t fma(Float factors, std::uint64_t a, std::uint64_t b, std::uint64_t c, Float out, FmaSigns signs,
                  const Switches& switches) {
  const FloatFormat& factor = format_of(factors);
  const FloatFormat& sum = format_of(sum_format(factors));
  const FloatFormat& result = format_of(out);
  const Unpacked ua = unpack(factor, flip(factor, a, signs.a));
  const Unpacked ub = unpack(factor, flip(factor, b, signs.b));
  const Unpacked uc = unpack(sum, flip(sum, c, signs.c));
  const bool negative = ua.negative != ub.negative;
  // A zero wins over an infinity: ISA 8.4 [E].
  const bool zero = ua.kind == FloatClass::kZero || ub.kind == FloatClass::kZero;

  InfTally infinities;
  if (!zero && (ua.kind == FloatClass::kInf || ub.kind == FloatClass::kInf)) infinities.add(negative);
  if (uc.kind == FloatClass::kInf) infinities.add(uc.negative);
  if (infinities.any) return infinities.result(result, switches);

  Term product{negative, 0, 0};
  if (!zero) {
    product.magnitude = truncated_product(multiplier_of(factors), ua.significand, ub.significand);
    product.lsb_exponent = ua.exponent + ub.exponent - 2 * factor.fraction_bits;
  }
  const Term addend{uc.negative, uc.significand, uc.exponent - sum.fraction_bits};
  return add_and_round(result, product, addend);
}

std::uint64_t mul(Float factors, std::uint64_t a, std::uint64_t b, Float out, FmaSigns signs,
                  const Switches& switches) {
  return fma(factors, a, b, 0, out, {signs.a, signs.b, false}, switches);
}

std::uint64_t add(Float factors, std::uint64_t a, std::uint64_t c, Float out, FmaSigns signs,
                  const Switches& switches) {
  return fma(factors, a, format_of(factors).one(), c, out, {signs.a, false, signs.c}, switches);
}

std::uint64_t passa(Float factors, std::uint64_t a, Float out, FmaSigns signs, const Switches& switches) {
  return fma(factors, a, format_of(factors).one(), 0, out, {signs.a, false, false}, switches);
}

}  // namespace kumihimo::mncore2::num
