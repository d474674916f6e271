#include "core/base/checksum.h"

#include <array>
#include <cstddef>

namespace kumihimo {
namespace {

// tables[k][b]: the remainder of byte b followed by k zero bytes; eight bytes are taken at a time.
using Tables = std::array<std::array<uint64_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr uint64_t kReflected = 0xc96c5795d7870f42;
  Tables t{};
  for (uint64_t b = 0; b < 256; ++b) {
    uint64_t r = b;
    for (int k = 0; k < 8; ++k) r = (r >> 1) ^ ((r & 1) != 0 ? kReflected : 0);
    t[0][b] = r;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xff];
  return t;
}
constexpr Tables kTables = make_tables();

uint64_t byte_of(std::string_view s, size_t i) { return static_cast<uint8_t>(s[i]); }

}  // namespace

uint64_t checksum64(std::string_view bytes) {
  uint64_t r = ~uint64_t{0};
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t v = 0;
    for (size_t k = 0; k < 8; ++k) v |= byte_of(bytes, i + k) << (8 * k);
    v ^= r;
    r = 0;
    for (size_t k = 0; k < 8; ++k) r ^= kTables[7 - k][v >> (8 * k) & 0xff];
  }
  for (; i < bytes.size(); ++i) r = (r >> 8) ^ kTables[0][(r ^ byte_of(bytes, i)) & 0xff];
  return ~r;
}

}  // namespace kumihimo
