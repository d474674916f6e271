// UTF-8: names and texts from outside may hold any bytes, what the product prints may not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kumihimo {

// Bytes of the code point at i; 0 where the bytes are not UTF-8 (overlong forms, surrogates, above U+10FFFF too).
size_t utf8_length(std::string_view s, size_t i);

bool is_utf8(std::string_view s);

// Bytes that are not UTF-8 become U+FFFD.
std::string as_utf8(std::string_view s);

}  // namespace kumihimo
