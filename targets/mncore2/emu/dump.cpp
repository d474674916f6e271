#include "targets/mncore2/emu/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/formats.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::DebugMem;
using isa::Line;
using isa::Mem;
using isa::Width;
using Buffer = fmt::memory_buffer;

bool counts_words(Mem mem) { return find_memory(mem)->address_step == 2; }

// Where access `i` of a statement lies: long words (those of a matrix row are four) and, for a word access, which half.
constexpr int kMaxLws = 8;
struct Place {
  int64_t lw[kMaxLws];
  int lws;
  bool low;
  int64_t printed;
};

Place place_of(const DebugMem& m, int64_t i) {
  const int words = isa::width_words(m.width);
  if (m.mem == Mem::kT) {
    // Entry 0..3 = MSB long words by cycle, 4..7 the LSB ones; a double long word is one cycle (ISA 12 Q12).
    const int64_t entry = m.addr + i;
    return {{entry, entry + 4}, m.width == Width::kDlw ? 2 : 1, false, entry};
  }
  if (m.mem == Mem::kMatX || m.mem == Mem::kMatY) {
    // An access is one row of the side, or two; the addresses of Access are 4 * row + PE.
    const int rows = m.width == Width::kDlw ? 2 : 1;
    const int64_t row = m.addr + i * rows;
    Place place{{}, kPes * rows, false, row};
    for (int k = 0; k < place.lws; ++k) place.lw[k] = kPes * row + k;
    return place;
  }
  if (counts_words(m.mem)) {
    const int64_t a = m.addr + i * words;
    return {{a / 2, a / 2 + 1}, m.width == Width::kDlw ? 2 : 1, m.width == Width::kW && a % 2 != 0, a};
  }
  const int64_t step = m.width == Width::kDlw ? 2 : 1, a = m.addr + i * step;
  return {{a, a + 1}, static_cast<int>(step), false, a};
}

// --- values -----------------------------------------------------------------------------------------------------

template <class F>
void list(Buffer& out, const uint64_t* lw, int bits_total, int bits, F element) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (int at = 0; at < bits_total; at += bits) {
    if (at > 0) fmt::format_to(std::back_inserter(out), ", ");
    element(out, lw[at / 64] >> (64 - bits - at % 64) & mask);
  }
}

struct Typed {
  int bits;
  const num::FloatFormat* format;
  bool block;
  num::Block kind;
};

bool typed_of(const std::string& dtype, Typed& t) {
  using num::Block;
  if (dtype == "d")
    t = {64, &num::kDouble, false, Block::kDouble};
  else if (dtype == "f")
    t = {32, &num::kSingle, false, Block::kSingle};
  else if (dtype == "h")
    t = {16, &num::kHalf, false, Block::kHalf};
  else if (dtype == "bd")
    t = {64, &num::kDouble, true, Block::kDouble};
  else if (dtype == "bf")
    t = {32, &num::kSingle, true, Block::kSingle};
  else if (dtype == "bg")
    t = {32, &num::kSingle, true, Block::kPseudo};
  else if (dtype == "bh")
    t = {16, &num::kHalf, true, Block::kHalf};
  else
    return false;
  return true;
}

// (1, 1) (0x3f800000, 0x3f800000). `block_exponents`: of each long word, for block floats of halves.
void print_typed(Buffer& out, const Typed& t, const uint64_t* lw, int bits_total, const int* block_exponents) {
  // An access narrower than an element shows the element's MSB side.
  if (bits_total < t.bits) bits_total = t.bits;
  int at = 0;
  fmt::format_to(std::back_inserter(out), "(");
  list(out, lw, bits_total, t.bits, [&](Buffer& o, uint64_t bits) {
    double value = num::to_double(*t.format, bits);
    // Members carry the exponent of their block, except extended halves, whose exponent field is 0 (ISA 2.4).
    if (t.block)
      value =
          num::block_value(t.kind, t.format->is_zero(bits) ? block_exponents[at / 64] : t.format->exponent(bits), bits);
    at += t.bits;
    fmt::format_to(std::back_inserter(o), "{:g}", value);
  });
  fmt::format_to(std::back_inserter(out), ") (");
  list(out, lw, bits_total, t.bits,
       [&](Buffer& o, uint64_t bits) { fmt::format_to(std::back_inserter(o), "0x{:0{}x}", bits, t.bits / 4); });
  fmt::format_to(std::back_inserter(out), ")");
}

// (f:2.00268e-307, i:{{0x42,0x42},{0x0,0x42}}, v:0x42004200000042)
void print_untyped_lw(Buffer& out, uint64_t lw) {
  const auto half = [&](int k) { return static_cast<unsigned>(lw >> (48 - 16 * k) & 0xffff); };
  fmt::format_to(std::back_inserter(out), "(f:{:g}, i:{{{{0x{:X},0x{:X}}},{{0x{:X},0x{:X}}}}}, v:0x{:X})",
                 num::to_double(num::kDouble, lw), half(0), half(1), half(2), half(3), lw);
}

// The same form for a word (no transcript of it is known).
void print_untyped_word(Buffer& out, uint32_t word) {
  fmt::format_to(std::back_inserter(out), "(f:{:g}, i:{{0x{:X},0x{:X}}}, v:0x{:X})", num::to_double(num::kSingle, word),
                 word >> 16, word & 0xffff, word);
}

std::string unit_text(const UnitCoord& u, Level level) {
  std::string text = fmt::format("n{}", u.g);
  if (level >= Level::kL2b) text += fmt::format("c{}", u.s);
  if (level >= Level::kL1b) text += fmt::format("b{}", u.b);
  if (level >= Level::kMab) text += fmt::format("m{}", u.m);
  if (level >= Level::kPe) text += fmt::format("p{}", u.p);
  return text;
}

// Exponents of the half blocks that the long words of an access belong to (ISA 2.4): the long words of the four PEs at
// one address, or of a matrix row. 0 where the memory does not tell.
void block_exponents(const Access& access, const DebugMem& m, const UnitCoord& u, const Place& at, const uint64_t* lw,
                     int* out) {
  const auto largest = [](int so_far, uint64_t word) {
    for (int shift = 48; shift >= 0; shift -= 16)
      so_far = std::max(so_far, num::kHalf.exponent(word >> shift & 0xffff));
    return so_far;
  };
  const Level level = find_memory(m.mem)->level;
  for (int k = 0; k < at.lws; ++k) {
    out[k] = 0;
    for (int p = 0; p < kPes; ++p) {
      uint64_t word = 0;
      if (level == Level::kPe) {
        UnitCoord peer = u;
        peer.p = p;
        access.read(m.mem, peer, at.lw[k], 1, &word, nullptr);
      } else if (level == Level::kMab) {
        word = lw[k / kPes * kPes + p];
      }
      out[k] = largest(out[k], word);
    }
  }
}

}  // namespace

void for_each_unit(const DebugMem& mem, Level level, const MachineConfig& config,
                   const std::function<void(UnitCoord)>& f) {
  struct Range {
    int begin, end;
  };
  const auto range = [&](int8_t selected, int64_t count, Level needs) {
    if (level < needs) return Range{0, 1};
    if (selected >= 0) return Range{selected, selected + 1};
    return Range{0, static_cast<int>(count)};
  };
  const Range g = range(mem.n, config.groups, Level::kGroup), s = range(mem.c, config.l2bs_per_group, Level::kL2b),
              b = range(mem.b, config.l1bs_per_l2b, Level::kL1b), m = range(mem.m, config.mabs_per_l1b, Level::kMab),
              p = range(mem.p, config.pes_per_mab, Level::kPe);
  UnitCoord u;
  for (u.g = g.begin; u.g < g.end; ++u.g)
    for (u.s = s.begin; u.s < s.end; ++u.s)
      for (u.b = b.begin; u.b < b.end; ++u.b)
        for (u.m = m.begin; u.m < m.end; ++u.m)
          for (u.p = p.begin; u.p < p.end; ++u.p) f(u);
}

namespace {
// A mask register prints one line per cycle.
uint64_t lines_per_access(const DebugMem& m) { return m.mem == Mem::kOmr ? 4 : 1; }
}  // namespace

uint64_t dump_line_count(const Line& line, const MachineConfig& config) {
  const MemoryRow* row = find_memory(line.mem.mem);
  if (row == nullptr) return 0;
  uint64_t units = 0;
  for_each_unit(line.mem, row->level, config, [&](UnitCoord) { ++units; });
  return units * line.count * lines_per_access(line.mem);
}

Status dump(const DumpContext& context, const Line& line, uint32_t index, const std::string& file) {
  const DebugMem& m = line.mem;
  const SourceRange where = where_of(line, file);
  const MemoryRow* row = find_memory(m.mem);
  if (row == nullptr) return error("emu_statement", "this memory cannot be dumped", where);
  const Access access(context.state, context.config);
  const std::string& echo = line.text;  // as the assembler normalised it: `$t` has become `$lt`
  Typed typed{};
  const bool is_typed = !line.dtype.empty();
  if (is_typed && !typed_of(line.dtype, typed)) return error("emu_statement", "unknown dump type " + line.dtype, where);

  std::optional<Diagnostic> failure;
  Buffer out;
  const uint64_t per_unit = line.count * lines_per_access(m), first = context.window.first,
                 end = context.window.count > UINT64_MAX - first ? UINT64_MAX : first + context.window.count;
  uint64_t before = 0;  // lines of the units before
  const auto emit = [&] {
    ++*context.lines;
    if (context.sink) context.sink(std::string_view(out.data(), out.size()));
    out.clear();
  };
  for_each_unit(m, row->level, context.config, [&](UnitCoord u) {
    const uint64_t base = std::exchange(before, before + per_unit);
    if (failure || base >= end || base + per_unit <= first) return;
    const uint64_t skip = first > base ? first - base : 0, stop = std::min(per_unit, end - base);
    const std::string unit = unit_text(u, row->level);
    const int mab = ((u.g * context.state.l2bs_per_group + u.s) * context.state.l1bs_per_l2b + u.b) * kMabs + u.m;
    for (uint64_t n = skip; n < stop && !failure; ++n) {
      const auto i = static_cast<int64_t>(n / lines_per_access(m));
      if (m.mem == Mem::kOmr) {
        const int64_t entry = m.addr + i;
        if (entry < 0 || entry >= context.config.omr_entries) {
          failure = error("emu_memory", fmt::format("mask register {} does not exist", entry), where);
          return;
        }
        const int shift = 12 - 4 * static_cast<int>(n % 4);
        // Entries 16 and more are fixed patterns; entry 0 is all ones (ISA 3.3).
        const int bits = entry == 0    ? 15
                         : entry >= 16 ? (entry >> shift / 4 & 1 ? 15 : 0)
                                       : context.state.mabs[mab].omr[entry][u.p] >> shift & 15;
        if (context.findings != nullptr && entry > 0 && entry < 16 &&
            (context.state.mab_defs[mab].omr[entry][u.p] >> shift & 15) != 15)
          context.findings->add(FindingKind::kUndefinedDump, index, nullptr, -1, u, entry);
        fmt::format_to(std::back_inserter(out), "DEBUG-OMR({},{}):Mask{{{}}} #{}", unit, entry, bits, echo);
        emit();
        continue;
      }
      const Place at = place_of(m, i);
      uint64_t lw[kMaxLws] = {};
      uint8_t def[kMaxLws];
      std::fill(std::begin(def), std::end(def), kAllDefined);
      for (int k = 0; k < at.lws; ++k) {
        Status status = access.check(m.mem, u, at.lw[k], 1);
        if (!status.ok()) {
          failure = status.take_error();
          failure->where = where;
          return;
        }
        access.read(m.mem, u, at.lw[k], 1, &lw[k], &def[k]);
      }
      int bits_total = 64 * at.lws;
      if (m.width == Width::kW && (counts_words(m.mem) || m.mem == Mem::kT)) {
        bits_total = 32;
        lw[0] = at.low ? lw[0] << 32 : lw[0] & 0xffffffff00000000u;
        def[0] = static_cast<uint8_t>(at.low ? def[0] | 0xc : def[0] | 0x3);
      }
      const bool defined = std::all_of(std::begin(def), std::end(def), [](uint8_t d) { return d == kAllDefined; });
      if (context.findings != nullptr && !defined)
        context.findings->add(FindingKind::kUndefinedDump, index, nullptr, -1, u, at.printed);
      fmt::format_to(std::back_inserter(out), "DEBUG-{}({},{}):", row->dump_name, unit, at.printed);
      if (is_typed) {
        int exponents[kMaxLws] = {};
        if (typed.block && typed.kind == num::Block::kHalf) block_exponents(access, m, u, at, lw, exponents);
        print_typed(out, typed, lw, bits_total, exponents);
      } else if (bits_total == 32) {
        print_untyped_word(out, static_cast<uint32_t>(lw[0] >> 32));
      } else {
        for (int k = 0; k < at.lws; ++k) {
          if (k > 0) fmt::format_to(std::back_inserter(out), " ");
          print_untyped_lw(out, lw[k]);
        }
      }
      fmt::format_to(std::back_inserter(out), " #{}", echo);
      emit();
    }
  });
  if (failure) return std::move(*failure);
  return Ok{};
}

Status debug_set(const MachineState& state, const MachineConfig& config, const Line& line, const std::string& file) {
  const DebugMem& m = line.mem;
  const SourceRange where = where_of(line, file);
  const MemoryRow* row = find_memory(m.mem);
  if (row == nullptr || m.mem == Mem::kOmr || row->level == Level::kMab)
    return error("emu_statement", "this memory cannot be set", where);
  const Access access(state, config);
  const int per_access = m.width == Width::kDlw ? 2 : 1;  // matrix registers cannot be set (ISA 3.5)
  if (line.payload.size() != static_cast<size_t>(line.count) * static_cast<size_t>(per_access))
    return error("emu_statement",
                 fmt::format("{} long words of payload, {} expected", line.payload.size(),
                             line.count * static_cast<unsigned>(per_access)),
                 where);
  const bool word = m.width == Width::kW && counts_words(m.mem);
  std::optional<Diagnostic> failure;
  for_each_unit(m, row->level, config, [&](UnitCoord u) {
    for (int64_t i = 0; i < line.count && !failure; ++i) {
      const Place at = place_of(m, i);
      for (int k = 0; k < at.lws; ++k) {
        Status status = access.check(m.mem, u, at.lw[k], 1);
        if (!status.ok()) {
          failure = status.take_error();
          failure->where = where;
          return;
        }
        uint64_t value = line.payload[static_cast<size_t>(i * per_access + k)];
        if (word) {
          access.write_word(m.mem, u, at.lw[k], at.low, static_cast<uint32_t>(value >> 32));
          continue;
        }
        access.write(m.mem, u, at.lw[k], 1, &value);
      }
    }
  });
  if (failure) return std::move(*failure);
  return Ok{};
}

}  // namespace kumihimo::mncore2::emu
