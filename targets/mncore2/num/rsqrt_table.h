// Seeds of rsqrt by exponent parity and leading fraction bits: round(2^(Bits+1) / sqrt(m)) at the middle m of each
// interval. The machine's own pattern is unknown (Q1), only "about 5 bits" is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kumihimo::mncore2::num {

template <int Bits>
constexpr std::array<std::uint8_t, 2 << Bits> rsqrt_table() {
  std::array<std::uint8_t, 2 << Bits> table{};
  constexpr std::uint64_t kScale = std::uint64_t{2} << Bits;
  for (std::uint64_t parity = 0; parity < 2; ++parity) {
    for (std::uint64_t k = 0; k < (std::uint64_t{1} << Bits); ++k) {
      const std::uint64_t middle = (kScale + 2 * k + 1) << parity;  // m * kScale
      std::uint64_t u = kScale;
      // Largest u with (u - 1/2) / kScale <= 1 / sqrt(m), in integers.
      while ((2 * u - 1) * (2 * u - 1) * middle > 4 * kScale * kScale * kScale) --u;
      table[(parity << Bits) + k] = static_cast<std::uint8_t>(u);
    }
  }
  return table;
}

}  // namespace kumihimo::mncore2::num
