#include "targets/mncore2/editor/operands.h"

#include <vector>

#include "targets/mncore2/asm/read_operand.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/describe.h"

namespace kumihimo::mncore2::editor {
namespace {

using isa::cat;

// Suffixes are tried, never believed: the assembler decides.
constexpr Suffix kSuffixes[] = {
    {"v", "the next words in each cycle"},
    {"e", "source of the next lower precision, widened"},
    {"r", "source of singles, rounded to halves"},
    {"j0", "one access further in PE 0 of each MAB"},
    {"/1000", "written in cycle 0 only"},
    {"/ll1000", "the same, words of a double long word"},
    {"/$imr1", "written where mask register 1 says so"},
    {"/$llimr1", "the same, words of a double long word"},
    {"@0", "of group 0"},
    {"@.0", "L2B 0 of each group"},
    {"@0.0", "L2B 0 of group 0"},
};

bool readable(std::string_view text, vsm::ReadOperand& read) {
  vsm::AsmResult result;
  vsm::Cursor cursor{text};
  return vsm::read_operand(cursor, vsm::Reporter{result, {}, text, 1}, read) && cursor.end();
}

std::vector<Spelling> make_spellings() {
  std::vector<Spelling> out;
  vsm::ReadOperand read;
  for (const isa::MemDef& mem : isa::memories()) {
    if (mem.letters.empty()) continue;
    // Entry 0 of the mask registers means no mask and is never written (ISA 3.3).
    const std::string_view first = mem.cls == isa::MemClass::kOmr ? "1" : "0";
    for (std::string_view width : {"", "l", "ll"})
      // With an address, without one, with the low bits of T as the address.
      for (std::string_view address : {first, std::string_view(), std::string_view("t")})
        for (std::string_view suffix : {"", "v", "@0", "@.0", "@0.0"}) {
          const std::string letters = cat(width, mem.letters);
          const std::string text = cat("$", letters, address, suffix);
          // "$lt" is T whichever row it was made from.
          if (!readable(text, read) || read.op.mem != mem.mem) continue;
          Spelling s{text, letters, {}, std::string(mem.name), &mem};
          const bool number = address == first;
          s.snippet = number ? cat(escaped(cat("$", letters)), "${1:", first, "}", suffix) : escaped(text);
          if (mem.width_prefix && mem.addressed) s.detail += cat(", ", isa::width_text(read.op.width));
          if (read.op.t_indirect) s.detail += ", at the address in T";
          for (const Suffix& known : kSuffixes)
            if (known.text == suffix) s.detail += cat(", ", known.detail);
          out.push_back(std::move(s));
        }
  }
  for (std::string_view literal : {"f\"1.0\"", "i\"1\"", "ui\"1\"", "s\"1\"", "us\"1\""})
    if (readable(literal, read)) {
      const size_t quote = literal.find('"');
      out.push_back({std::string(literal), "", cat(literal.substr(0, quote + 1), "${1:1}\""), "literal", nullptr});
    }
  return out;
}

}  // namespace

std::span<const Spelling> operand_spellings() {
  static const std::vector<Spelling> all = make_spellings();
  return all;
}

std::span<const Suffix> operand_suffixes() { return kSuffixes; }

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '$' || c == '}' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace kumihimo::mncore2::editor
