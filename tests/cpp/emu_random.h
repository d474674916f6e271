// Random programs over every unit, for laws of the emulator. Lines that the assembler refuses (ports, conflicts) are left
// out.
#pragma once

#include <random>
#include <string>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {

class Generator {
 public:
  Generator(uint64_t seed, bool local, bool indirect) : rng_(seed), indirect_(indirect), local_(local) {}

  std::string program(int lines) {
    std::string text = setup();
    for (int i = 0; i < lines; ++i) text += line() + "\n";
    return text;
  }

 private:
  int pick(int n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  template <size_t N>
  std::string one_of(const char* const (&all)[N]) {
    return all[pick(static_cast<int>(N))];
  }
  std::string num(int n, int step) { return std::to_string(pick(n) * step); }

  std::string setup() {
    std::string text;
    const auto payload = [&](int n) {
      std::string s;
      char buffer[17];
      for (int i = 0; i < n; ++i) {
        // Exponents near the bias of each format, so that float operations do something.
        const uint64_t x = rng_();
        const uint64_t w = pick(2) != 0 ? (x & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00
                                        : (x & 0x81ffffff81ffffff) | 0x3e0000003e000000;
        snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(w));
        s += buffer;
      }
      return s;
    };
    // Every PE of L1B 0 and 1 gets its own start through L1BM; LMs of PEs get common data.
    for (int b = 0; b < 2; ++b)
      for (int at = 0; at < 512; at += 64)
        text += "d set $lb" + std::to_string(at) + "n0c0b" + std::to_string(b) + " 64 " + payload(64) + "\n";
    for (const char* m : {"m", "n", "r", "s"}) text += "d set $l" + std::string(m) + "0n0c0 64 " + payload(64) + "\n";
    for (int at = 0; at < 512; at += 64) text += "d set $lc" + std::to_string(at) + "n0c0 64 " + payload(64) + "\n";
    text += "l1bmd $lb0 $lm0v\nl1bmd $lb256 $ln0v\nnop/2\n";
    return text;
  }

  std::string memory(const std::string& width, int unit) {
    static constexpr const char* kMems[] = {"m", "n", "r", "s"};
    std::string s = "$" + width + one_of(kMems) + num(8, 8);
    switch (pick(6)) {
      case 0: break;
      case 1: s += "v" + std::to_string(2 * unit); break;
      default: s += "v"; break;
    }
    return s;
  }
  std::string src(const std::string& width, int unit) {
    static constexpr const char* kOther[] = {"$t", "$mauf", "$aluf", "$lbf"};
    if (pick(4) == 0) return one_of(kOther);
    if (indirect_ && pick(12) == 0) return "$lmt";
    return memory(width, unit);
  }
  std::string dst(const std::string& width, int unit) {
    static constexpr const char* kMasks[] = {"", "", "", "/$imr1", "/$llimr2", "/1000", "/0110"};
    std::string s = pick(6) == 0 ? "$t" : memory(width, unit);
    s += one_of(kMasks);
    if (pick(5) == 0) s += " $t";
    return s;
  }
  std::string alu() {
    static constexpr const char* kTwo[] = {"ladd", "iadd", "ssub",  "lxor", "iand", "sor",
                                           "fmax", "hmin", "frelu", "ilsr", "umin"};
    static constexpr const char* kOne[] = {"linc",   "ipassa", "spassa", "inot", "msl", "msr",
                                           "ffloor", "fftoi",  "hbfn/9", "gbfn", "dbfn"};
    static constexpr const char* kConst[] = {"lpassa $peid ", "ipassa $mabid ", "lxor $subpeid "};
    switch (pick(8)) {
      case 0: return one_of(kConst) + (pick(2) ? memory("l", 2) + " " : std::string()) + dst("l", 2);
      case 1: return "imm i\"" + num(64, 2) + "\" " + dst("l", 2);
      case 2: return std::string(pick(2) ? "spassa " : "ipassa ") + src("l", 2) + " $omr" + std::to_string(1 + pick(3));
      case 3:
      case 4: return one_of(kOne) + " " + src("l", 2) + " " + dst("l", 2);
      case 5: return "lpassa " + src("ll", 4) + " " + dst("ll", 4);
      default: return one_of(kTwo) + " " + src("l", 2) + " " + src("l", 2) + " " + dst("l", 2);
    }
  }
  std::string mau() {
    const auto neg = [&] { return std::string(pick(3) == 0 ? "-" : ""); };
    switch (pick(12)) {
      case 0: return "hmwrite " + src("l", 2) + " $l" + (pick(2) ? "x" : "y") + num(4, 4);
      case 1: return "hmmul $lx " + neg() + src("l", 2) + " " + dst("ll", 4);
      case 2: return "hmfma $ly " + src("l", 2) + " " + src("ll", 4) + " " + dst("ll", 4);
      case 3: return "fvfma " + neg() + src("l", 2) + " " + src("l", 2) + " " + src("l", 2) + " " + dst("l", 2);
      case 4: return "fvadd " + src("l", 2) + " " + neg() + src("l", 2) + " " + dst("l", 2);
      case 5: return "hvfma " + src("l", 2) + " " + src("l", 2) + " " + src("ll", 4) + " " + dst("ll", 4);
      case 6: return "dvmulu " + src("l", 2) + " " + src("l", 2) + " " + dst("l", 2);
      case 7: return "hvpassa " + src("l", 2) + " " + dst("ll", 4);
      case 8: return "gmwrite " + src("l", 2) + " $ly0";
      case 9: return "hmread $llx" + num(8, 2) + " " + dst("ll", 4);
      case 10: return "gmread $ly" + num(8, 1) + " " + dst("l", 2);
      default: return "fvmul " + src("l", 2) + " " + src("l", 2) + " " + dst("l", 2);
    }
  }
  std::string l1bm() {
    switch (pick(14)) {
      case 0: return "l1bmp $lb" + num(16, 4) + " " + dst("l", 2);
      case 1: return "l1bmm $lb" + num(16, 16) + " " + dst("l", 2);
      case 2: return "l1bmm $llb" + num(8, 32) + " " + dst("ll", 4);
      case 3: return std::string(pick(2) ? "l1bmd" : "l1bmd+1") + " $lb" + num(4, 64) + " " + dst("l", 2);
      case 4: return "l1bmm@" + num(16, 1) + " " + src("l", 2) + " $lb" + num(16, 4);
      case 5: return "l1bmd " + src("l", 2) + " $lb" + num(4, 64);
      case 6: return "l1bmrffadd " + src("l", 2) + " $lb" + num(16, 16);
      case 7: return "l1bmrlbor " + src("ll", 4) + " $llb" + num(8, 32);
      case 8: return "l1bmd-1 $lbi " + dst("l", 2);
      case 9: return "l1bmm4 $lb" + num(8, 16) + " " + dst("l", 2);
      case 10: return "l1bmm4@" + num(4, 1) + " " + src("ll", 4) + " $llb" + num(4, 32);
      case 11: return "l1bmr4ffadd " + src("l", 2) + " $lb" + num(16, 16);
      case 12: return "l1bmm4 $lbi " + dst("l", 2);
      default: return "l1bmriiadd " + src("l", 2) + " $lb" + num(16, 16);
    }
  }
  std::string l2bm() {
    switch (pick(local_ ? 8 : 11)) {
      case 0: return "l2bmb $lc" + num(16, 16) + " $lb" + num(8, 64);
      case 1: return "l2bmd $lc" + num(4, 64) + " $lb" + num(16, 8);
      case 2: return "l2bm@" + num(2, 1) + " $lb" + num(8, 16) + " $lc" + num(16, 16);
      case 3: return "l2bmrffadd@0/1 $lb" + num(8, 16) + " $lc" + num(16, 16);
      case 4: return "l2bmb@0 $lc" + num(16, 16) + " $lb" + num(8, 64);
      case 5: return "l2bmb2 $lc" + num(4, 64) + " $lb" + num(8, 64);
      case 6: return "l2bmi@1/0 $lb" + num(16, 16) + " $lb" + num(8, 64);
      case 7: return "l2bmi@0/1 $lb" + num(16, 16) + " $lb" + num(8, 64);
      case 8: return "l2bmd $lb" + num(16, 8) + " $lc" + num(4, 64);
      case 9: return "l2bmr2ffadd $lb" + num(8, 16) + " $lc" + num(4, 64);
      default: return "l2bmrlbor $lb" + num(8, 16) + " $lc" + num(16, 16);
    }
  }
  std::string mv() {
    static constexpr const char* kLocal[] = {"mvp/n64i05 $lc0@0.0 $p0@0", "mvp/n128 $p0@0 $lc64@0.0",
                                             "mvp/n64 $lc64@.0 $d64", "mvp/n64i06 $d64 $lc128@.0",
                                             "mvb2/n64 $d64 $lc192"};
    static constexpr const char* kAll[] = {
        "mvp/n64i05 $lc0@0.0 $p0@0", "mvb/n64 $p0@0 $lc64",     "mvd/n128 $p0@0 $lc128",
        "mvd/n128 $lc0 $p0@0",       "mvb/n64 $d0 $lc192",      "mvd/n64 $p0@0 $d0",
        "mvp/n64i07 $lc64@.0 $d64",  "mvb2/n64 $d64 $lc0",      "mvb4/n64 $d0 $lc64",
        "mvr2ffadd/n64 $lc0 $d64",   "mvr4liadd/n64 $lc64 $d0", "mvrdfadd/n64i06 $lc0 $p0@0"};
    return local_ ? one_of(kLocal) : one_of(kAll);
  }
  std::string line() {
    switch (pick(24)) {
      case 0: return mv();
      case 1: return "nop; wait i0" + std::to_string(5 + pick(3));
      case 2: return pick(2) ? "maskrs " + num(4, 1) : "mask 0";
      case 3: return "maskllmn " + num(4, 1);
      case 4: return "d getf $lm" + num(8, 2) + "n0c0b0m" + num(16, 1) + " 1";
      case 5: return "nop/2";
      case 6: return "noforward; " + alu();
      case 7:
      case 8: return l2bm();
      case 9: return l2bm() + "; " + alu();
      case 10:
      case 11: return l1bm() + "; " + alu();
      case 12: return l1bm() + "; " + mau();
      case 13:
      case 14: return mau() + "; " + alu();
      case 15: return l2bm() + "; " + l1bm() + "; " + mau();
      case 16: return "l1bmd+1 $lbi " + dst("l", 2) + "; l1bmd " + src("l", 2) + " $lb" + num(4, 64);
      default: {
        const int k = pick(3);
        return k == 0 ? alu() : k == 1 ? mau() : l1bm();
      }
    }
  }

  std::mt19937_64 rng_;
  const bool indirect_;  // addresses out of T
  const bool local_;     // only transfers that units outside of L2B 0 do not take part in
};

// local: only transfers that units outside of L2B 0 do not take part in. indirect: addresses out of T.
inline isa::Program random_program(uint64_t seed, bool local, int lines, bool indirect = true) {
  auto assembled = vsm::assemble(Generator(seed, local, indirect).program(lines), "random.vsm");
  size_t work = 0;
  for (const isa::Line& line : assembled.program.lines) work += line.kind == isa::LineKind::kPe;
  EXPECT_GT(work, static_cast<size_t>(lines) / 4) << "too few of the generated lines are legal";
  return assembled.program;
}

}  // namespace kumihimo::mncore2::emu
