// A checksum of bytes against accidents (cut or changed files), not against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace kumihimo {

// CRC-64/XZ: polynomial 0x42F0E1EBA9EA3693 reflected, all ones in and out.
//   checksum64("123456789") == 0x995dc9bbdf1939fa
uint64_t checksum64(std::string_view bytes);

}  // namespace kumihimo
