// Fast functions of L1BM, L2BM and MV instructions against the semantic functions, bit by bit: every row of the instruction
// tables with every reduction, precision and width that is legal, at addresses that wrap and at others, on values aimed
// at the places where sums could differ: cancellation, ties of both roundings, borders of the exponent, infinities of
// both signs, NaN and subnormal patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sem/sem.h"
#include "tests/cpp/isa_random.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast::Path;
using isa::Unit;
using num_test::Random;

constexpr int kL1bs = 8;

// The element formats of a reduction.
struct Format {
  int exponent_bits, fraction_bits;
  int bits() const { return 1 + exponent_bits + fraction_bits; }
};
Format format_of(isa::Prec prec) {
  switch (prec) {
    case isa::Prec::kF:
    case isa::Prec::kG:
    case isa::Prec::kI: return {8, 23};
    case isa::Prec::kH:
    case isa::Prec::kS: return {6, 9};
    default: return {11, 52};
  }
}

// Elements that one sum takes together: near one exponent, partly each other's negatives.
class Elements {
 public:
  Elements(Random& random, Format format, int special_one_in) : random_(random), f_(format), special_(special_one_in) {
    const int top = (1 << f_.exponent_bits) - 1;
    switch (random.below(4)) {
      case 0: centre_ = 1 + random.below(6); break;
      case 1: centre_ = top - 1 - random.below(6); break;
      default: centre_ = top / 4 + random.below(top / 2); break;
    }
    spread_ = 1 + random.below(f_.fraction_bits + 8);
  }
  uint64_t next() {
    const int top = (1 << f_.exponent_bits) - 1;
    uint64_t v;
    if (random_.chance(special_)) {
      v = random_.pattern(f_.exponent_bits, f_.fraction_bits, 2);
    } else if (random_.chance(4)) {
      v = last_ ^ uint64_t { 1 } << (f_.bits() - 1) ^
          (random_.chance(2) ? uint64_t{1} << random_.below(f_.fraction_bits) : 0);
    } else {
      const int e = std::clamp(centre_ - random_.below(spread_), random_.chance(8) ? 0 : 1, top - 1);
      v = (random_.bits() & 1) << (f_.bits() - 1) | static_cast<uint64_t>(e) << f_.fraction_bits |
          random_.fraction(f_.fraction_bits);
    }
    return last_ = v;
  }

 private:
  Random& random_;
  Format f_;
  int special_, centre_ = 1, spread_ = 1;
  uint64_t last_ = 0;
};

// Fills long word `at` of `count` inputs; word(i) is where it stands in input i.
template <class Word>
void fill(Random& random, Format format, int special_one_in, int count, Word word) {
  const int bits = format.bits();
  for (int i = 0; i < count; ++i) *word(i) = 0;
  for (int shift = 0; shift < 64; shift += bits) {
    Elements elements(random, format, special_one_in);
    for (int i = 0; i < count; ++i) *word(i) |= elements.next() << shift;
  }
}

// One L2B and what MABs send, twice.
struct Memories {
  std::unique_ptr<emu::L1bm[]> l1bms{new emu::L1bm[kL1bs]()};
  std::unique_ptr<emu::L2bm> l2bm{new emu::L2bm()};

  void set(const Memories& from) {
    std::memcpy(l1bms.get(), from.l1bms.get(), sizeof(emu::L1bm) * kL1bs);
    std::memcpy(l2bm.get(), from.l2bm.get(), sizeof(emu::L2bm));
  }
  bool operator==(const Memories& o) const {
    return std::memcmp(l1bms.get(), o.l1bms.get(), sizeof(emu::L1bm) * kL1bs) == 0 &&
           std::memcmp(l2bm.get(), o.l2bm.get(), sizeof(emu::L2bm)) == 0;
  }
};

bool is_dar(const isa::InsnDef& def) { return def.sem == &sem::dar_load || def.sem == &sem::dar_write; }
// L1BM -> PE is the business of a MAB alone.
bool in_tree(const isa::InsnDef& def) {
  return (def.unit == Unit::kL1bm && def.l1bm.upload) || (def.unit == Unit::kL2bm && !is_dar(def));
}

class FastTree : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    if (!fast::path_available(GetParam())) GTEST_SKIP() << "this processor lacks " << fast::path_name(GetParam());
    Random random(1);
    for (int b = 0; b < kL1bs; ++b) {
      for (uint64_t& lw : expected_.l1bms[b].lw) lw = random.bits();
      for (auto& cycle : expected_.l1bms[b].turn)
        for (uint64_t& lw : cycle) lw = random.bits();
      std::memset(expected_.l1bms[b].staged, 0, sizeof expected_.l1bms[b].staged);
    }
    for (uint64_t& lw : expected_.l2bm->lw) lw = random.bits();
    actual_.set(expected_);
  }

  // One decoded instruction, `rounds` times.
  void check(const isa::Line& line, const std::string& text, int rounds, Random& random) {
    isa::Program program;
    program.lines.push_back(line);
    emu::MaskState masks;
    auto decoded = emu::decode(program, 0, 1, *find_machine("mncore2"), "test", masks, nullptr);
    ASSERT_TRUE(decoded.ok()) << text;
    for (emu::Op& op : decoded->ops) {
      const isa::SemFn fast = fast::kernels_of(GetParam())->tree(op);
      ASSERT_NE(fast, nullptr) << text << ": no fast function";
      for (int n = 0; n < rounds; ++n) {
        isa::Insn insn = *op.insn;
        emu::Op moved = op;
        moved.insn = &insn;
        if (n % 3 != 0) move(moved, insn, random);
        emu::StepPlan step;
        step.update_latches = random.below(4) != 0;
        const UnitCoord where{0, 0, random.below(kL1bs), random.below(emu::kMabs), 0};
        const int l1b_count = random.below(3) == 0 ? 1 + random.below(kL1bs) : kL1bs;
        if (insn.mab >= l1b_count && insn.def->allows(isa::kOptL1bIndex)) continue;
        prepare(moved, random, n % 2 == 0 ? 1 << 20 : n % 4 == 1 ? 40 : 4);
        run(op.sem, expected_, moved, step, where, l1b_count);
        run(fast, actual_, moved, step, where, l1b_count);
        // What differs stays different, so not every round needs a comparison.
        if ((n % 4 != 3 && n + 1 < rounds) || expected_ == actual_) continue;
        report(text, moved, where, l1b_count);
        return;
      }
    }
  }

 private:
  static constexpr int64_t kNear = 300;  // long words from the end at which something wraps

  static void move(emu::Op& op, isa::Insn& insn, Random& random) {
    const auto anywhere = [&](int64_t capacity) {
      return static_cast<int32_t>(random.chance(3) ? random.below(static_cast<int>(capacity))
                                                   : capacity - 1 - random.below(kNear));
    };
    if (op.l1bm_addr >= 0) op.l1bm_addr = anywhere(emu::kL1bmLw);
    op.l2bm_addr = anywhere(emu::kL2bmLw);
    if (insn.def->name == "l2bmi") {
      insn.srcs[0].addr[0] = anywhere(emu::kL1bmLw);
      insn.dsts[0].addr[0] = anywhere(emu::kL1bmLw);
    }
  }

  // New values where a reduction reads.
  void prepare(const emu::Op& op, Random& random, int special_one_in) {
    const Format format = format_of(op.insn->prec);
    for (int i = 0; i < 32; ++i)
      fill(random, format, special_one_in, emu::kMabs, [&](int m) { return &gathered_[m].v[0][0][0] + i; });
    if (op.insn->reduce == nullptr || op.insn->def->unit != Unit::kL2bm) return;
    if (random.chance(16)) {  // nothing but zeros of both signs, or small integers
      for (int i = 0; i < 64; ++i)
        for (int b = 0; b < kL1bs; ++b)
          both(b, op.l1bm_addr + i, random.chance(2) ? 0 : random.bits() & 0x8000800080008001u);
      return;
    }
    for (int i = 0; i < 64; ++i) {
      uint64_t words[kL1bs];
      fill(random, format, special_one_in, kL1bs, [&](int b) { return words + b; });
      for (int b = 0; b < kL1bs; ++b) both(b, op.l1bm_addr + i, words[b]);
    }
  }
  void both(int b, int64_t at, uint64_t value) {
    expected_.l1bms[b].lw[at % emu::kL1bmLw] = actual_.l1bms[b].lw[at % emu::kL1bmLw] = value;
  }

  void run(isa::SemFn f, Memories& m, const emu::Op& op, const emu::StepPlan& step, UnitCoord where, int l1b_count) {
    emu::StepContext c;
    c.step = &step;
    c.op = &op;
    c.where = where;
    c.l1bm = &m.l1bms[where.b];
    c.l2bm = m.l2bm.get();
    c.l1bms = m.l1bms.get();
    c.l1b_count = l1b_count;
    c.gathered = gathered_;
    f(c, *op.insn);
  }

  void report(const std::string& text, const emu::Op& op, UnitCoord where, int l1b_count) {
    ADD_FAILURE() << text << " at L1BM " << op.l1bm_addr << ", L2BM " << op.l2bm_addr << ", L1B " << where.b << " of "
                  << l1b_count << ", MAB " << where.m;
    int shown = 0;
    const auto compare = [&](const char* name, int unit, const uint64_t* a, const uint64_t* b, size_t count) {
      for (size_t i = 0; i < count; ++i)
        if (a[i] != b[i] && shown++ < 8)
          ADD_FAILURE() << name << " " << unit << " long word " << i << std::hex << ": semantic " << a[i] << " fast "
                        << b[i];
    };
    for (int b = 0; b < kL1bs; ++b) {
      compare("L1BM", b, expected_.l1bms[b].lw, actual_.l1bms[b].lw, emu::kL1bmLw);
      compare("turnaround", b, expected_.l1bms[b].turn[0], actual_.l1bms[b].turn[0], 256);
    }
    compare("L2BM", 0, expected_.l2bm->lw, actual_.l2bm->lw, emu::kL2bmLw);
    actual_.set(expected_);
  }

  Memories expected_, actual_;
  emu::Beat gathered_[emu::kMabs];
};

// Every spelling of every row; the generator draws widths, sets, shifts and addresses.
TEST_P(FastTree, EveryRow) {
  Random random(2);
  isa_test::Generator generator(3, {.mistakes = false});
  std::map<const isa::InsnDef*, int> seen;
  for (const isa::Stem& stem : isa::all_stems()) {
    if (std::none_of(stem.rows.begin(), stem.rows.end(), [](const isa::InsnDef* def) { return in_tree(*def); }))
      continue;
    int legal = 0;
    for (int tries = 0; tries < 3000 && legal < 24; ++tries) {
      const isa::Line line = isa::step({generator.insn(stem)});
      if (!in_tree(*line.insns.front().def) || !isa::check_line(line).ok()) continue;
      ++legal;
      ++seen[line.insns.front().def];
      check(line, isa::print(line), stem.reduce != nullptr ? 16 : 8, random);
      if (HasFailure()) return;
    }
    EXPECT_GE(legal, 12) << stem.text;
  }
  for (const isa::InsnDef& def : isa::rows())
    if (in_tree(def)) {
      EXPECT_GT(seen[&def], 0) << def.name << " " << def.form;
    }
}

// --- MV ---------------------------------------------------------------------------------------------------------

// The memories that MVs reach, small, so that addresses wrap.
class MvMachine {
 public:
  static constexpr int kGroups = 4, kSubs = 2;
  static constexpr int64_t kCapacity = 2 * emu::LwMemory::kPageLw;
  MvMachine() {
    for (int g = 0; g < kGroups; ++g) {
      pdms_.emplace_back(kCapacity, 0, false);
      drams_.emplace_back(kCapacity, 0, false);
      for (uint32_t i = 0; i < emu::kDarEntries; ++i) dars_[g].entry[i] = i * 37 % (kCapacity / 16);
    }
    state_.groups = kGroups;
    state_.l2bs_per_group = kSubs;
    state_.l2bms = l2bms_.get();
    state_.pdms = pdms_.data();
    state_.drams = drams_.data();
    state_.dars = dars_.get();
  }
  const emu::MachineState& state() const { return state_; }
  emu::L2bm& l2bm(int i) { return l2bms_[static_cast<size_t>(i)]; }
  std::vector<uint64_t> words() const {
    std::vector<uint64_t> all;
    for (const auto* memories : {&pdms_, &drams_})
      for (const emu::LwMemory& memory : *memories) {
        all.resize(all.size() + kCapacity);
        memory.read(0, kCapacity, &*all.end() - kCapacity, nullptr);
      }
    return all;
  }

 private:
  std::unique_ptr<emu::L2bm[]> l2bms_{new emu::L2bm[kGroups * kSubs]()};
  std::unique_ptr<emu::Dar[]> dars_{new emu::Dar[kGroups]()};
  std::vector<emu::LwMemory> pdms_, drams_;
  emu::MachineState state_;
};

TEST_P(FastTree, EveryMvReduction) {
  Random random(4);
  isa_test::Generator generator(5, {.mistakes = false});
  MvMachine expected, actual;
  std::map<const isa::InsnDef*, int> seen;
  for (const isa::Stem& stem : isa::all_stems()) {
    if (stem.rows.front()->sem != &sem::mv_reduce) continue;
    int legal = 0;
    for (int tries = 0; tries < 1000 && legal < 8; ++tries) {
      const isa::Line line = isa::step({generator.insn(stem)});
      if (!isa::check_line(line).ok()) continue;
      ++legal;
      ++seen[line.insns.front().def];
      isa::Program program;
      program.lines.push_back(line);
      emu::MaskState masks;
      auto decoded = emu::decode(program, 0, 1, *find_machine("mncore2"), "test", masks, nullptr);
      ASSERT_TRUE(decoded.ok()) << isa::print(line);
      const emu::Op& op = decoded->ops.front();
      const isa::SemFn fast = fast::kernels_of(GetParam())->tree(op);
      ASSERT_NE(fast, nullptr) << isa::print(line) << ": no fast function";
      for (uint32_t i = 0; i < op.insn->size; ++i) {
        const auto at = static_cast<size_t>(op.insn->srcs[0].addr[0] + i) % emu::kL2bmLw;
        fill(random, format_of(op.insn->prec), legal % 2 == 0 ? 12 : 1 << 20, 8,
             [&](int k) { return &expected.l2bm(k).lw[at]; });
        for (int k = 0; k < 8; ++k) actual.l2bm(k).lw[at] = expected.l2bm(k).lw[at];
      }
      emu::StepContext c;
      c.op = &op;
      c.machine = &expected.state();
      op.sem(c, *op.insn);
      c.machine = &actual.state();
      fast(c, *op.insn);
      ASSERT_EQ(expected.words(), actual.words()) << isa::print(line);
    }
    EXPECT_EQ(legal, 8) << stem.text;
  }
  for (const isa::InsnDef& def : isa::rows())
    if (def.sem == &sem::mv_reduce) {
      EXPECT_GT(seen[&def], 0) << def.name << " " << def.form;
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, FastTree, ::testing::Values(Path::kAvx2, Path::kAvx512),
                         [](const auto& info) { return std::string(fast::path_name(info.param)); });

}  // namespace
}  // namespace kumihimo::mncore2
