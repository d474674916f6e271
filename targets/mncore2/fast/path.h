// Which instruction set of the host the emulator computes with. All paths give the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kumihimo::mncore2::fast {

enum class Path : uint8_t {
  kAuto,    // the fastest that this processor has
  kScalar,  // the semantic functions of sem/ alone: the reference
  kAvx2,
  kAvx512,  // F, BW, DQ, VL, VBMI and VNNI
};

// "auto", "scalar", "avx2", "avx512".
std::optional<Path> path_named(std::string_view name);
std::string_view path_name(Path path);

// False for an instruction set that this processor or operating system lacks.
bool path_available(Path path);
// kAuto becomes the fastest that is available; others stay.
Path resolve(Path path);

}  // namespace kumihimo::mncore2::fast
