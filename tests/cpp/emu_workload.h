// Random programs for comparing executions of the emulator: every row and modifier, on data that is aimed at the places
// where two implementations of the arithmetic differ. Plain random values meet almost none of them.
//
//   values      exponents close together (ties, cancellation) or at the borders; sparse and full fractions; zeros,
//               infinities, patterns of no number; blocks with one exponent, among them 63 and extended elements
//   sequences   a product and then the fma that cancels it; block conversion, mwrite, product; flags, then masks
//   addresses   few, so that programs read what they wrote; strides, lists, base addresses, addresses out of T
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"
#include "tests/cpp/isa_random.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2::emu_test {

class Workload {
 public:
  Workload(uint64_t seed, const MachineConfig& config)
      : config_(config),
        random_(seed),
        insns_(seed ^ 0x9e3779b97f4a7c15u, {.mistakes = false, .words = 32, .rows = 6}) {}

  std::vector<std::string> program(int lines) {
    std::vector<std::string> text = setup();
    while (static_cast<int>(text.size()) < lines + kSetupLines) random_.chance(3) ? sequence(text) : any_line(text);
    return text;
  }

 private:
  static constexpr int kSetupLines = 16;

  // One long word of a format with one of the habits of this program.
  uint64_t word() {
    const auto close = [&](int exponent_bits, int fraction_bits) {
      const int bias = (1 << (exponent_bits - 1)) - 1;
      const auto field = static_cast<uint64_t>(bias - spread_ + random_.below(2 * spread_ + 1));
      return ((random_.bits() & 1) << (exponent_bits + fraction_bits)) | field << fraction_bits |
             random_.fraction(fraction_bits);
    };
    const bool near = random_.below(4) != 0;
    switch (random_.below(5)) {
      case 0: return near ? close(11, 52) : random_.dbl(8);
      case 1:
      case 2: {
        uint64_t w = 0;
        for (int k = 0; k < 2; ++k) w = w << 32 | (near ? close(8, 23) : random_.single(8));
        return w;
      }
      default: {
        uint64_t w = 0;
        for (int k = 0; k < 4; ++k) w = w << 16 | (near ? close(6, 9) : random_.half(8));
        return w;
      }
    }
  }
  // Four long words that make a half block: one exponent, now and then an extended element.
  void block(std::string& payload) {
    const int exponent = random_.chance(6) ? 63 : random_.chance(4) ? random_.below(63) : 26 + random_.below(10);
    for (int pe = 0; pe < 4; ++pe) {
      uint64_t w = 0;
      for (int k = 0; k < 4; ++k) {
        const int field = random_.chance(12) ? 0 : exponent;
        w = w << 16 | (random_.bits() & 1) << 15 | static_cast<uint64_t>(field) << 9 | random_.fraction(9);
      }
      payload += fmt::format("{:016x}", w);
    }
  }
  std::string payload(int count) {
    std::string s;
    for (int i = 0; i < count; i += 4)
      if (random_.chance(3))
        block(s);
      else
        for (int k = 0; k < 4; ++k) s += fmt::format("{:016x}", word());
    return s;
  }

  std::vector<std::string> setup() {
    spread_ = 1 + random_.below(12);
    std::vector<std::string> text{"mask 0", "imm i\"0\" $mb $nb"};
    text.push_back("d set $lb0 512 " + payload(512));
    text.push_back("d set $lb0n0c0b1 256 " + payload(256));
    text.push_back("d set $lc0 128 " + payload(128));
    // Each MAB takes other rows into each memory.
    const char* const kTo[] = {"$lm0v", "$ln0v", "$lr0v", "$ls0v", "$lm8v", "$ln8v", "$lr8v", "$ls8v", "$t"};
    for (const char* to : kTo)
      text.push_back(fmt::format("l1bmd+{} $lb{} {}", 1 + random_.below(15), 256 * random_.below(2), to));
    text.push_back("spassa $t $omr1");
    text.push_back("lxor $peid $lm0v $ln16v $omr2");
    return text;
  }

  // Lines that only make sense together.
  void sequence(std::vector<std::string>& text) {
    static constexpr const char* kMems[] = {"m", "n", "r", "s"};
    const int at = 8 * random_.below(2), first = random_.below(4);
    const auto mem = [&](int k, const char* width = "l") {
      return fmt::format("${}{}{}v", width, kMems[(first + k) & 3], k == 3 ? 16 : at);
    };
    const char* sign = random_.chance(2) ? "-" : "";
    switch (random_.below(6)) {
      case 0:  // cancel a product with itself, now and then off by a last bit
      case 1: {
        const char p = "fd"[random_.chance(4)];
        const char* half = p == 'd' ? "u" : "";
        text.push_back(fmt::format("{}vmul{} {} {} $t", p, half, mem(0), mem(1)));
        if (random_.chance(2)) text.push_back(p == 'd' ? "linc $t $t" : "iinc $t $t");
        text.push_back(
            fmt::format("{}vfma{} {}{} {} {}$t {}", p, half, sign, mem(0), mem(1), *sign != 0 ? "" : "-", mem(3)));
        break;
      }
      case 2:
        text.push_back(fmt::format("hvmul {} {} $t", mem(0), mem(1)));
        text.push_back(fmt::format("hvfma{} {} {} -$t ${}{}16v", random_.chance(2) ? "r" : "", mem(0), mem(1), "ll",
                                   kMems[(first + 2) & 3]));
        break;
      case 3: {  // blocks through both sides of the matrix register
        const char side = "xy"[random_.below(2)];
        const int bits = 6 + random_.below(4);
        for (int row = 0; row < 16; row += 4) {
          text.push_back(fmt::format("hbfn/{} {} $t", bits, mem(row / 4 % 3)));
          text.push_back(fmt::format("hmwrite $t $l{}{}", side, row));
        }
        text.push_back(fmt::format("hbfn/9 {} $t", mem(1)));
        text.push_back(fmt::format("hmmul $l{} {}$t $ll{}16v", side, sign, kMems[first]));
        text.push_back(fmt::format("hmfma{} $l{} $t -$ll{}16v $ll{}0v", random_.chance(3) ? "r" : "", side,
                                   kMems[first], kMems[(first + 1) & 3]));
        break;
      }
      case 4: {  // raw rows: blocks of the payload with their extended elements and exponents of 63
        const char side = "xy"[random_.below(2)];
        for (int row = 0; row < 16; row += 4) text.push_back(fmt::format("hmwrite {} $l{}{}", mem(row / 4), side, row));
        text.push_back(fmt::format("hmfma $l{} {}{} $ll{}0v $ll{}16v", side, sign, mem(0), kMems[(first + 1) & 3],
                                   kMems[(first + 2) & 3]));
        break;
      }
      default: {  // flags, then what they guard
        const int entry = 1 + random_.below(15);
        text.push_back(fmt::format("fvadd {} -{} {} $omr{}", mem(0), mem(1), mem(3), entry));
        if (random_.chance(2))
          text.push_back(fmt::format("lpassa {} {}/{}imr{}", mem(1), mem(2), random_.chance(2) ? "$ll" : "$", entry));
        else
          mask_statement(text, random_.chance(2) ? "ll" : "", entry);
        break;
      }
    }
  }

  // Any legal line made of the rows. Every row is as likely as the others of its unit.
  void any_line(std::vector<std::string>& text) {
    if (random_.chance(12)) {
      mask_statement(text, "", random_.chance(3) ? random_.below(32) : 0);
      return;
    }
    for (;;) {
      std::vector<isa::Insn> insns;
      for (int i = 0, n = 1 + random_.below(3); i < n; ++i) insns.push_back(insn());
      isa::Program program;
      program.lines.push_back(isa::step(std::move(insns)));
      if (!isa::check_line(program.lines[0], masks_).ok()) continue;
      // What this machine does not have, such as its second group.
      emu::MaskState masks{masks_.entry, masks_.ll, masks_.dsts};
      if (!emu::decode(program, 0, 1, config_, "", masks, nullptr).ok()) continue;
      text.push_back(isa::print(program.lines[0]));
      return;
    }
  }
  void mask_statement(std::vector<std::string>& text, const char* width, int entry) {
    const unsigned memory = static_cast<unsigned>(random_.below(6));
    masks_ = {static_cast<uint8_t>(entry), *width != 0, static_cast<uint8_t>(entry == 0 ? 0 : 1u << memory)};
    text.push_back(entry == 0 ? "mask 0" : fmt::format("mask{}{} {}", width, "rstmnk"[memory], entry));
  }
  isa::Insn insn() {
    static constexpr isa::Unit kUnits[] = {
        isa::Unit::kMauCalc, isa::Unit::kMauCalc, isa::Unit::kMauCalc,   isa::Unit::kMauWrite,
        isa::Unit::kMauRead, isa::Unit::kAlu,     isa::Unit::kAlu,       isa::Unit::kAlu,
        isa::Unit::kL1bm,    isa::Unit::kL1bm,    isa::Unit::kL2bm,      isa::Unit::kL1bmTurnaround,
        isa::Unit::kMv,      isa::Unit::kMv,      isa::Unit::kNoforward, isa::Unit::kL2bmDarWrite};
    const auto& by_row = stems().at(kUnits[random_.below(std::size(kUnits))]);
    const auto& of_row = by_row[static_cast<size_t>(random_.below(static_cast<int>(by_row.size())))];
    return insns_.insn(*of_row[static_cast<size_t>(random_.below(static_cast<int>(of_row.size())))]);
  }

  // Spellings by unit and name.
  using ByUnit = std::map<isa::Unit, std::vector<std::vector<const isa::Stem*>>>;
  static const ByUnit& stems() {
    static const ByUnit all = [] {
      std::map<isa::Unit, std::map<std::string_view, std::vector<const isa::Stem*>>> names;
      for (const isa::Stem& stem : isa::all_stems())
        for (const isa::InsnDef* row : stem.rows) {
          auto& spellings = names[row->unit][row->name];
          if (spellings.empty() || spellings.back() != &stem) spellings.push_back(&stem);
        }
      ByUnit out;
      for (auto& [unit, rows] : names)
        for (auto& [name, spellings] : rows) out[unit].push_back(std::move(spellings));
      return out;
    }();
    return all;
  }

  const MachineConfig& config_;
  num_test::Random random_;
  isa::MaskState masks_;
  isa_test::Generator insns_;
  int spread_ = 1;
};

}  // namespace kumihimo::mncore2::emu_test
