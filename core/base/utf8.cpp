#include "core/base/utf8.h"

namespace kumihimo {

size_t utf8_length(std::string_view s, size_t i) {
  const auto byte = [&](size_t k) { return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u; };
  const unsigned b = byte(0);
  size_t length = 0;
  if (b < 0x80) length = 1;
  if (b >= 0xC2 && b < 0xE0) length = 2;
  if (b >= 0xE0 && b < 0xF0) length = 3;
  if (b >= 0xF0 && b < 0xF5) length = 4;
  for (size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  const bool overlong = (b == 0xE0 && byte(1) < 0xA0) || (b == 0xF0 && byte(1) < 0x90);
  const bool surrogate = b == 0xED && byte(1) >= 0xA0;
  const bool beyond = b == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_utf8(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    const size_t length = utf8_length(s, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string as_utf8(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    const size_t length = utf8_length(s, i);
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : s.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace kumihimo
