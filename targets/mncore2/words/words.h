// The 292-bit instruction words of PE steps, as far as public text derives them (ISA 10.2 [X], 10.3).
//
// The map was read off 392 statements whose words were seen beside them, and nothing independent confirms it. So a bit that
// no public text explains is written '?', never guessed, and each word says which fields those are. MV lines have no
// published words at all.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::words {

inline constexpr size_t kWordBits = 292;

struct Word {
  std::string bits;                       // kWordBits of '0', '1', '?'
  std::vector<std::string_view> unknown;  // the fields of the '?', in the order of the word
};

// The word of a nop.
const std::string& idle_word();

// The word of one PE step under the mask statement in force.
Word encode(const isa::Line& step, const isa::MaskState& mask);

// A whole program: `i BITS` for a step (nop/N gives N of them while they are few, see kMaxRepeats), then a comment that
// names what is not derivable; debug and host lines as they are; MV lines as comments.
inline constexpr uint32_t kMaxRepeats = 65536;  // a longer nop/N is one word and a comment with its count
std::string print(const isa::Program& program);

}  // namespace kumihimo::mncore2::words
