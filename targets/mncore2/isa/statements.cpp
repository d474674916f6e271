#include "targets/mncore2/isa/statements.h"

namespace kumihimo::mncore2::isa {
namespace {

// clang-format off
constexpr StatementDef kStatements[] = {
  {LineKind::kDebugGet, "d get", "d get[d|f|h|bd|bf|bg|bh] MEM COUNT",
   "The emulator prints COUNT accesses of a memory as this type; selectors n c b m p that are left out mean all.", "ISA 3.5",
   Evidence::kEmulator, "d getd $lm0n0c0b0m0p0 1"},
  {LineKind::kDebugSet, "d set", "d set MEM COUNT HEX",
   "The emulator writes COUNT accesses of a memory, 16 hexadecimal digits to a long word.", "ISA 3.5", Evidence::kEmulator,
   "d set $lm0n0c0b0m0p0 1 0000000000000042"},
  {LineKind::kMask, "mask", "mask[l|ll][rstmnk] N",
   "From here on, writes to the named destinations (GRF0, GRF1, T, LM0, LM1, mask registers) are guarded by mask entry N; "
   "0 guards nothing.", "ISA 3.3", Evidence::kVendor, "maskrs 1"},
  {LineKind::kHostRow, "r", "r GROUP ADDRESS COUNT HEX",
   "The host writes COUNT long words to the DRAM of a group, from a hexadecimal long-word address on.", "ISA 10.1",
   Evidence::kDerived, "r 0 000000000 001 0000000000000042"},
  {LineKind::kHostDma, "c", "c 0 0 iTAG i00 0 ADDRESS COUNT HEX",
   "A transfer of the host that completes a tag; its words are taken to go to PDM 0.", "ISA 10.1, 12 Q43",
   Evidence::kInferred, "c 0 0 i01 i00 0 000000000 001 0000000000000042"},
  {LineKind::kQuit, "quit", "quit", "Ends the program; what follows is not read.", "ISA 3.1", Evidence::kVendor, "quit"},
};
// clang-format on

}  // namespace

std::span<const StatementDef> statements() { return kStatements; }

const StatementDef* statement(LineKind kind) {
  for (const StatementDef& def : kStatements)
    if (def.kind == kind) return &def;
  return nullptr;
}

bool takes_letters(const StatementDef& def) {
  return def.syntax.size() > def.name.size() && def.syntax[def.name.size()] == '[';
}

const StatementDef* statement_begun(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; };
  for (const StatementDef& def : kStatements) {
    size_t at = 0;
    while (at < text.size() && blank(text[at])) ++at;
    bool fits = true;
    for (char c : def.name) {
      if (c == ' ') {
        fits = at < text.size() && blank(text[at]);
        while (at < text.size() && blank(text[at])) ++at;
      } else {
        fits = at < text.size() && text[at] == c;
        ++at;
      }
      if (!fits) break;
    }
    if (fits && (takes_letters(def) || at == text.size() || blank(text[at]))) return &def;
  }
  return nullptr;
}

}  // namespace kumihimo::mncore2::isa
