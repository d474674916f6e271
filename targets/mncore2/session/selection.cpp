#include "targets/mncore2/session/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/nearest.h"
#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::session {
namespace {

using emu::Level;
using isa::Mem;

struct Name {
  std::string_view text;
  Mem mem;
};
// The names of this page first; dump names and assembly names lead to the same memories.
constexpr Name kNames[] = {
    {"LM0", Mem::kLm0},    {"LM1", Mem::kLm1},    {"GRF0", Mem::kGrf0}, {"GRF1", Mem::kGrf1},
    {"T", Mem::kT},        {"OMR", Mem::kOmr},    {"BAR0", Mem::kBar0}, {"BAR1", Mem::kBar1},
    {"MAUF", Mem::kMauf},  {"ALUF", Mem::kAluf},  {"LBF", Mem::kLbf},   {"MREADF", Mem::kMreadf},
    {"MREGX", Mem::kMatX}, {"MREGY", Mem::kMatY}, {"L1BM", Mem::kL1bm}, {"TURN", Mem::kTurnaround},
    {"L2BM", Mem::kL2bm},  {"PDM", Mem::kPdm},    {"DRAM", Mem::kDram}, {"DAR", Mem::kDar},
    {"GREG0", Mem::kGrf0}, {"GREG1", Mem::kGrf1}, {"TREG", Mem::kT},    {"$m", Mem::kLm0},
    {"$lm", Mem::kLm0},    {"$n", Mem::kLm1},     {"$ln", Mem::kLm1},   {"$r", Mem::kGrf0},
    {"$lr", Mem::kGrf0},   {"$s", Mem::kGrf1},    {"$ls", Mem::kGrf1},  {"$t", Mem::kT},
    {"$lt", Mem::kT},      {"$omr", Mem::kOmr},   {"$mb", Mem::kBar0},  {"$nb", Mem::kBar1},
    {"$mauf", Mem::kMauf}, {"$aluf", Mem::kAluf}, {"$lbf", Mem::kLbf},  {"$mreadf", Mem::kMreadf},
    {"$lx", Mem::kMatX},   {"$ly", Mem::kMatY},   {"$lb", Mem::kL1bm},  {"$lbi", Mem::kTurnaround},
    {"$lc", Mem::kL2bm},   {"$p", Mem::kPdm},     {"$d", Mem::kDram},   {"$dar", Mem::kDar},
};
constexpr int kMainNames = 20;
constexpr std::string_view kLetters = "ncbmp";
constexpr std::string_view kLevelNames[] = {"group", "L2B", "L1B", "MAB", "PE"};

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

int64_t units_at(const MachineConfig& m, size_t level) {
  const int64_t counts[] = {m.groups, m.l2bs_per_group, m.l1bs_per_l2b, m.mabs_per_l1b, m.pes_per_mab};
  return counts[level];
}

size_t levels_of(Mem mem) { return static_cast<size_t>(emu::find_memory(mem)->level) + 1; }

int64_t capacity_of(Mem mem, const MachineConfig& machine) {
  return emu::Access(emu::MachineState{}, machine).capacity(mem);
}

Part whole(Mem mem, const MachineConfig& machine) {
  Part part;
  part.mem = mem;
  part.end_lw = capacity_of(mem, machine);
  for (size_t k = 0; k < levels_of(mem); ++k) part.units[k].last = static_cast<int>(units_at(machine, k)) - 1;
  return part;
}

class Parser {
 public:
  Parser(std::string_view text, const MachineConfig& machine) : text_(text), machine_(machine) {}

  Result<Selection> run() {
    Selection out;
    if (text_.find_first_not_of(" \t") == std::string_view::npos) return fail(0, 1, "nothing", "at least one memory");
    do {
      Status s = part(out);
      if (!s.ok()) return s.take_error();
    } while (accept(','));
    space();
    if (at_ < text_.size()) return fail(at_, text_.size(), std::string(text_.substr(at_)), "`,` or the end");
    if (out.parts.empty()) out.parts = everything(machine_).parts;
    return out;
  }

 private:
  Diagnostic fail(size_t first, size_t end, std::string observed, std::string required) const {
    Diagnostic d = emu::error("emu_selection", "the selection cannot be read", {});
    d.where = {"<selection>", 1, static_cast<uint32_t>(first + 1), static_cast<uint32_t>(end + 1), std::string(text_)};
    d.observed = std::move(observed);
    d.required = std::move(required);
    return d;
  }

  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  Result<int64_t> number(std::string_view what) {
    const size_t first = at_;
    while (digit()) ++at_;
    int64_t v = 0;
    auto [end, ec] = std::from_chars(text_.data() + first, text_.data() + at_, v);
    if (first == at_ || ec != std::errc{} || end != text_.data() + at_)
      return fail(first, std::max(first + 1, at_), std::string(text_.substr(first, std::max<size_t>(1, at_ - first))),
                  fmt::format("{}, a decimal number", what));
    return v;
  }

  // "[a]", "[a:b]", "[a:]", "[:b]"; the opening bracket has been read.
  Status range(std::string_view what, int64_t capacity, int64_t& first, int64_t& end) {
    const size_t begin = at_;
    space();
    first = 0;
    end = capacity;
    bool one = false;
    if (digit()) {
      auto v = number(what);
      if (!v) return v.take_error();
      first = *v;
      one = true;
    }
    if (accept(':')) {
      one = false;
      space();
      if (digit()) {
        auto v = number(what);
        if (!v) return v.take_error();
        end = *v;
      }
    } else if (!one) {
      return fail(begin, at_ + 1, std::string(text_.substr(begin, 8)),
                  fmt::format("[A], [A:B], [A:] or [:B] of {}", what));
    }
    if (one) end = first < INT64_MAX ? first + 1 : first;
    if (!accept(']')) return fail(at_, at_ + 1, std::string(text_.substr(at_, 8)), "`]`");
    if (first >= end || end > capacity)
      return fail(begin, at_ - 1, fmt::format("[{}:{}]", first, end),
                  capacity == INT64_MAX ? "a first step below the end"
                                        : fmt::format("a range of {} inside [0:{}]", what, capacity));
    return Ok{};
  }

  Status units(Part& part) {
    const size_t levels = levels_of(part.mem);
    const std::string name(emu::find_memory(part.mem)->dump_name);
    bool any = false;
    if (text_.substr(at_).starts_with("pe") || text_.substr(at_).starts_with("PE")) {
      const size_t begin = at_;
      at_ += 2;
      int64_t last = 0;
      Status s = pair("a PE", machine_.pes(), part.first_pe, last);
      if (!s.ok()) return s;
      if (levels != 5)
        return fail(begin, at_, std::string(text_.substr(begin, at_ - begin)), name + " does not lie in a PE");
      part.last_pe = last;
      return Ok{};
    }
    std::array<bool, 5> seen{};
    while (at_ < text_.size()) {
      const size_t level = kLetters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_]))));
      if (level == std::string_view::npos) break;
      const size_t begin = at_++;
      int64_t first = 0, last = 0;
      Status s = pair(kLevelNames[level], units_at(machine_, level), first, last);
      if (!s.ok()) return s;
      if (level >= levels)
        return fail(begin, at_, std::string(text_.substr(begin, at_ - begin)),
                    fmt::format("letters of {}: {} lies in {}", kLetters.substr(0, levels), name,
                                levels == 1 ? "a group" : fmt::format("an {}", kLevelNames[levels - 1])));
      if (seen[level]) return fail(begin, at_, fmt::format("`{}` twice", kLetters[level]), "each letter once");
      seen[level] = any = true;
      part.units[level] = {static_cast<int>(first), static_cast<int>(last)};
    }
    if (!any) return fail(at_, at_ + 1, std::string(text_.substr(at_, 8)), "units such as n0c0b0m0-3p0, or pe0-63");
    return Ok{};
  }

  Status pair(std::string_view what, int64_t count, int64_t& first, int64_t& last) {
    const size_t begin = at_;
    auto a = number(what);
    if (!a) return a.take_error();
    first = last = *a;
    if (at_ < text_.size() && text_[at_] == '-') {
      ++at_;
      auto b = number(what);
      if (!b) return b.take_error();
      last = *b;
    }
    if (first > last || last >= count)
      return fail(begin, at_, std::string(text_.substr(begin, at_ - begin)),
                  fmt::format("a number or a range A-B within 0-{} on {}", count - 1, machine_.name));
    return Ok{};
  }

  Status part(Selection& out) {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '$' || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (same_letters(word, "all")) {
      out.parts = everything(machine_).parts;
      return Ok{};
    }
    if (same_letters(word, "steps")) {
      int64_t first = 0, end = 0;
      if (!accept('[')) return fail(at_, at_ + 1, std::string(text_.substr(at_, 8)), "steps[A:B]");
      Status s = range("steps", INT64_MAX, first, end);
      if (!s.ok()) return s;
      out.first_step = static_cast<uint64_t>(first);
      out.end_step = end == INT64_MAX ? UINT64_MAX : static_cast<uint64_t>(end);
      return Ok{};
    }
    const Mem* mem = find_mem(word);
    if (mem == nullptr) {
      std::vector<std::string> known;
      for (int k = 0; k < kMainNames; ++k) known.emplace_back(kNames[k].text);
      return fail(
          begin, std::max(at_, begin + 1),
          word.empty() ? std::string(text_.substr(begin, 8)) : fmt::format("{}{}", word, did_you_mean(word, known)),
          fmt::format("a memory ({}), all, or steps[A:B]", fmt::join(known, " ")));
    }
    Part part = whole(*mem, machine_);
    if (accept('[')) {
      const int step = emu::find_memory(*mem)->address_step;
      int64_t first = 0, end = 0;
      Status s = range("addresses of " + std::string(kNames[mem_index(*mem)].text), part.end_lw * step, first, end);
      if (!s.ok()) return s;
      part.first_lw = first / step;
      part.end_lw = (end + step - 1) / step;
    }
    if (accept('@')) {
      Status s = units(part);
      if (!s.ok()) return s;
    }
    out.parts.push_back(part);
    return Ok{};
  }

  static size_t mem_index(Mem mem) {
    return static_cast<size_t>(std::ranges::find(kNames, mem, &Name::mem) - std::begin(kNames));
  }

  std::string_view text_;
  const MachineConfig& machine_;
  size_t at_ = 0;
};

}  // namespace

const Mem* find_mem(std::string_view name) {
  for (const Name& n : kNames)
    if (same_letters(n.text, name)) return &n.mem;
  return nullptr;
}

Selection everything(const MachineConfig& machine) {
  Selection s;
  for (int k = 0; k < kMainNames; ++k) s.parts.push_back(whole(kNames[k].mem, machine));
  return s;
}

Result<Selection> parse_selection(std::string_view text, const MachineConfig& machine) {
  return Parser(text, machine).run();
}

Result<UnitCoord> parse_unit(std::string_view text, Mem mem, const MachineConfig& machine) {
  const emu::MemoryRow* row = emu::find_memory(mem);
  const size_t levels = levels_of(mem);
  std::array<int, 5> at{};
  const auto refuse = [&] {
    Diagnostic d = emu::error("emu_unit", fmt::format("{} is no unit of {}", text, row->dump_name), {});
    std::string need;
    for (size_t k = 0; k < levels; ++k) need += fmt::format("{}0..{} ", kLetters[k], units_at(machine, k) - 1);
    d.observed = std::string(text);
    d.required = fmt::format("{}on {}, each once, in this order", need, machine.name);
    return d;
  };
  size_t pos = 0;
  for (size_t k = 0; k < levels; ++k) {
    if (pos >= text.size() || text[pos] != kLetters[k]) return refuse();
    auto [end, ec] = std::from_chars(text.data() + pos + 1, text.data() + text.size(), at[k]);
    if (ec != std::errc{} || at[k] < 0 || at[k] >= units_at(machine, k)) return refuse();
    pos = static_cast<size_t>(end - text.data());
  }
  if (pos != text.size()) return refuse();
  return UnitCoord{at[0], at[1], at[2], at[3], at[4]};
}

std::string unit_text(Mem mem, UnitCoord u) {
  const int at[] = {u.g, u.s, u.b, u.m, u.p};
  std::string out;
  for (size_t k = 0; k < levels_of(mem); ++k) out += fmt::format("{}{}", kLetters[k], at[k]);
  return out;
}

int64_t printed_address(Mem mem, int64_t addr_lw) { return addr_lw * emu::find_memory(mem)->address_step; }

std::string place_text(Mem mem, UnitCoord unit, int64_t addr_lw) {
  return fmt::format("{}({},{})", emu::find_memory(mem)->dump_name, unit_text(mem, unit),
                     printed_address(mem, addr_lw));
}

}  // namespace kumihimo::mncore2::session
