#include "targets/mncore2/asm/read_debug.h"

#include <limits>

#include "targets/mncore2/asm/read_host.h"
#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::vsm {
namespace {

using isa::DebugMem;
using isa::Mem;
using isa::Width;
namespace diag = isa::diag;
using isa::cat;

bool fail(const Cursor& cursor, const Reporter& reporter, const DiagDef& def, size_t begin, std::string headline,
          std::string required = {}) {
  Cursor c = cursor;
  if (c.at <= begin) c.at = begin, c.skip_word();
  reporter.error(def, begin, c.at, std::move(headline), std::string(c.text.substr(begin, c.at - begin)),
                 std::move(required), "d");
  return false;
}

struct Target {
  std::string_view letters;
  Mem mem;
  bool widths[3];  // W, LW, DLW spellings that exist
  bool can_set;
};
// Letters behind the width prefix (ISA 3.1 dmem, 3.5). Longer spellings first.
constexpr Target kTargets[] = {
    {"omr", Mem::kOmr, {true, false, false}, false}, {"m", Mem::kLm0, {true, true, true}, true},
    {"n", Mem::kLm1, {true, true, true}, true},      {"r", Mem::kGrf0, {true, true, true}, true},
    {"s", Mem::kGrf1, {true, true, true}, true},     {"t", Mem::kT, {true, true, true}, true},
    {"x", Mem::kMatX, {false, true, true}, false},   {"y", Mem::kMatY, {false, true, true}, false},
    {"b", Mem::kL1bm, {false, true, true}, true},    {"c", Mem::kL2bm, {false, true, false}, true},
    {"p", Mem::kPdm, {true, false, false}, false},   {"d", Mem::kDram, {true, false, false}, false},
};

// $lm0n0c0b0m0p0; selectors in this order, each may be missing.
bool read_target(Cursor& cursor, const Reporter& reporter, DebugMem& out) {
  const size_t begin = cursor.at;
  if (!cursor.take('$')) return fail(cursor, reporter, diag::kDebug, begin, "a memory is needed", "$lm0n0c0b0m0p0");
  size_t prefix = 0;
  while (prefix < 2 && cursor.peek() == 'l') ++prefix, ++cursor.at;
  const Target* target = nullptr;
  for (const Target& row : kTargets) {
    if (!cursor.take(row.letters)) continue;
    target = &row;
    break;
  }
  if (target == nullptr || !target->widths[prefix]) {
    cursor.at = begin;
    cursor.skip_word();
    return fail(cursor, reporter, diag::kUnknownOperand, begin, "unknown memory in a debug statement",
                "$m $n $r $s $t (with l or ll), $omr, $lx, $ly, $lb, $llb, $lc, $d, $p");
  }
  out.mem = target->mem;
  out.width = prefix == 0 ? Width::kW : prefix == 1 ? Width::kLw : Width::kDlw;
  // `$t` means long words, as its echo says; PDM, DRAM and OMR have one access width.
  if (prefix == 0 && (out.mem == Mem::kT || out.mem == Mem::kPdm || out.mem == Mem::kDram)) out.width = Width::kLw;
  if (out.mem == Mem::kOmr) out.width = Width::kLw;
  if (isa::memory(out.mem).addressed) {
    int64_t addr = 0;
    if (!cursor.number(addr, std::numeric_limits<int32_t>::max()))
      return fail(cursor, reporter, diag::kNumber, begin, "an address is needed behind the memory");
    out.addr = addr;
    if (addr >= isa::address_count(out.mem))
      return fail(cursor, reporter, diag::kAddressRange, begin, cat("address outside ", isa::memory(out.mem).name),
                  cat("0 to ", isa::address_count(out.mem) - 1));
    const bool words = isa::memory(out.mem).cls == isa::MemClass::kPe;
    const int unit = words ? isa::width_words(out.width) : 1;
    if (addr % unit != 0)
      return fail(cursor, reporter, diag::kMisaligned, begin, "misaligned address", cat("a multiple of ", unit));
  }
  struct Selector {
    char letter;
    int8_t* value;
    int limit;
  };
  const Selector selectors[] = {
      {'n', &out.n, 4}, {'c', &out.c, 2}, {'b', &out.b, 8}, {'m', &out.m, 16}, {'p', &out.p, 4}};
  // A memory above a level has no selector of it: PDM and DRAM hang on groups, L2BM on L2Bs, L1BM on L1Bs, matrices on MABs.
  const size_t levels = out.mem == Mem::kPdm || out.mem == Mem::kDram    ? 1
                        : out.mem == Mem::kL2bm                          ? 2
                        : out.mem == Mem::kL1bm                          ? 3
                        : out.mem == Mem::kMatX || out.mem == Mem::kMatY ? 4
                                                                         : 5;
  for (size_t i = 0; i < levels; ++i) {
    if (!cursor.take(selectors[i].letter)) continue;
    int64_t v = 0;
    if (!cursor.number(v, selectors[i].limit - 1))
      return fail(cursor, reporter, diag::kNumber, begin, cat("selector ", selectors[i].letter, " out of range"),
                  cat(selectors[i].letter, "0 to ", selectors[i].letter, selectors[i].limit - 1));
    *selectors[i].value = static_cast<int8_t>(v);
  }
  if (!cursor.end() && !is_space(cursor.peek())) {
    cursor.skip_word();
    return fail(cursor, reporter, diag::kSyntax, begin, "unexpected text behind the memory",
                "selectors n c b m p, in this order");
  }
  return true;
}

// Accesses of the given width from the given address to the end of the memory. Debug statements do not wrap: nothing is
// known of one that would.
int64_t accesses_left(const DebugMem& mem) {
  if (mem.mem == Mem::kT) return mem.width == Width::kDlw ? 4 : 8;  // 4 cycles x DLW (ISA 1.2, 12 Q12)
  const int64_t left = isa::address_count(mem.mem) - mem.addr;
  if (isa::memory(mem.mem).cls == isa::MemClass::kPe) return left / isa::width_words(mem.width);
  return mem.width == Width::kDlw ? left / 2 : left;
}

}  // namespace

bool read_debug(Cursor& cursor, const Reporter& reporter, isa::Line& line) {
  cursor.skip_space();
  const size_t verb = cursor.at;
  const bool set = cursor.take("set");
  if (!set && !cursor.take("get"))
    return fail(cursor, reporter, diag::kDebug, verb, "a debug statement is `d get` or `d set`",
                "d getd $lm0n0c0b0m0p0 1");
  line.kind = set ? isa::LineKind::kDebugSet : isa::LineKind::kDebugGet;
  const size_t type = cursor.at;
  while (is_lower(cursor.peek())) ++cursor.at;
  line.dtype = cursor.text.substr(type, cursor.at - type);
  static constexpr std::string_view kTypes[] = {"", "d", "f", "h", "bd", "bf", "bg", "bh"};
  bool known = false;
  for (std::string_view t : kTypes) known = known || t == line.dtype;
  if (!known || (set && !line.dtype.empty()))
    return fail(cursor, reporter, diag::kDebug, verb, set ? "d set has no type" : "unknown type of a dump",
                "d, f, h, bd, bf, bg or bh behind get");
  cursor.skip_space();
  const size_t mem_at = cursor.at;
  if (!read_target(cursor, reporter, line.mem)) return false;
  if (!set && line.dtype.empty() && isa::memory(line.mem.mem).cls == isa::MemClass::kMatrix)
    return fail(cursor, reporter, diag::kDebug, mem_at, "the dump of a matrix register needs a type",
                "d, f, h, bd, bf, bg or bh behind get");
  if (set) {
    bool can_set = false;
    for (const Target& row : kTargets) can_set = can_set || (row.mem == line.mem.mem && row.can_set);
    if (!can_set)
      return fail(cursor, reporter, diag::kDebug, mem_at, "d set does not write this memory",
                  "LM, GRF, T, L1BM or L2BM (ISA 3.5)");
  }
  cursor.skip_space();
  const size_t count_at = cursor.at;
  int64_t count = 0;
  const int64_t limit = accesses_left(line.mem);
  if (limit == 0) {
    Cursor at_memory = cursor;
    at_memory.at = mem_at;
    return fail(at_memory, reporter, diag::kAddressRange, mem_at,
                cat("the access ends outside ", isa::memory(line.mem.mem).name));
  }
  const bool number_ok = cursor.number(count, std::numeric_limits<int32_t>::max());
  if (!number_ok || count == 0 || count > limit || !(cursor.end() || is_space(cursor.peek()))) {
    cursor.skip_word();
    return fail(cursor, reporter, diag::kNumber, count_at, "a count is needed",
                cat("1 to ", limit, ", the end of the memory"));
  }
  line.count = static_cast<uint32_t>(count);
  if (set) {
    const uint64_t per_unit = line.mem.width == Width::kDlw ? 2 : 1;
    return read_payload(cursor, reporter, static_cast<uint64_t>(count) * per_unit, line.payload, "d");
  }
  cursor.skip_space();
  if (!cursor.end()) {
    const size_t at = cursor.at;
    cursor.at = cursor.text.size();
    return fail(cursor, reporter, diag::kSyntax, at, "unexpected text behind the count");
  }
  return true;
}

bool read_mask_statement(Cursor& cursor, const Reporter& reporter, isa::Line& line) {
  line.kind = isa::LineKind::kMask;
  const size_t begin = cursor.at;
  line.mask_ll = cursor.take("ll");
  if (!line.mask_ll) cursor.take('l');
  constexpr std::string_view kLetters = "rstmnk";
  while (is_lower(cursor.peek())) {
    const size_t bit = kLetters.find(cursor.peek());
    if (bit == std::string_view::npos) {
      cursor.skip_word();
      reporter.error(diag::kMaskStatement, begin, cursor.at, "unknown destination in a mask statement",
                     std::string(cursor.text.substr(begin, cursor.at - begin)), "letters of rstmnk", "mask");
      return false;
    }
    line.mask_dsts = static_cast<uint8_t>(line.mask_dsts | 1u << bit);
    ++cursor.at;
  }
  const size_t word_end = cursor.at;
  cursor.skip_space();
  const size_t number_at = cursor.at;
  int64_t entry = 0;
  const bool ok = number_at > word_end && cursor.number(entry, 31);
  cursor.skip_space();
  if (!ok || !cursor.end()) {
    reporter.error(diag::kMaskStatement, number_at, cursor.text.size(), "a mask entry is needed",
                   std::string(cursor.text.substr(number_at, 40)), "0 to 31", "mask");
    return false;
  }
  line.mask_entry = static_cast<uint8_t>(entry);
  return true;
}

}  // namespace kumihimo::mncore2::vsm
