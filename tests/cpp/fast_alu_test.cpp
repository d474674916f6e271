// ALU kernels of the fast paths against the semantic functions, bit by bit: every row of the instruction tables in every
// precision, with flags and without, on values aimed at the places where they could differ (shift amounts about the
// width, integers about the borders, halves of the last bit, borders of the exponent, infinities, NaN and subnormal
// patterns, zeros of both signs), and instructions of one half on all halves.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sem/alu.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2 {
namespace {

using emu::Beat;
using emu::Mab;
using fast::Path;
using fast::Row;
using num::Element;
using num_test::Random;

// Where the rows of a run stand.
struct Shape {
  bool wide, x_wide;
  int over;  // the result is written over nothing, over X or over Y
};
std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << (s.wide ? "wide " : "") << (s.x_wide ? "x_wide " : "") << "over " << s.over;
}
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const bool wide : {false, true})
    for (const bool x_wide : {false, true})
      for (const int over : {-1, 0, 1}) all.push_back({wide, x_wide, over});
  return all;
}

// One instruction, decoded, its kernel and its semantic function.
class Pair {
 public:
  Pair(const isa::Insn& insn, Path path) {
    program_.lines.push_back(isa::step({insn}));
    emu::MaskState masks;
    auto decoded = emu::decode(program_, 0, 1, *find_machine("mncore2-tiny"), "test", masks, nullptr);
    EXPECT_TRUE(decoded.ok());
    decoded_ = std::move(*decoded);
    op_ = &decoded_.ops.front();
    uop_.op = op_;
    uop_.run = fast::kernels_of(path)->alu(*op_);
  }
  bool has_kernel() const { return uop_.run != nullptr; }
  int sources() const { return op_->src_count; }

  // MSB and LSB long words of source k.
  uint64_t* source(int k, int cycle) { return source_[k].v[cycle][0]; }

  bool same(Shape shape) {
    static constexpr uint64_t kZeros[4] = {};
    emu::StepContext c;
    Beat expected;
    uint8_t expected_flags[4][4];
    c.op = op_;
    c.out = &expected;
    c.flags = expected_flags;
    for (int k = 0; k < 2; ++k)
      for (int cycle = 0; cycle < 4; ++cycle) {
        c.in[k].hi[cycle] = source(k, cycle);
        c.in[k].lo[cycle] = k == 0 && shape.x_wide ? source(k, cycle) + 4 : kZeros;
      }
    op_->sem(c, *op_->insn);

    uop_.wide = shape.wide;
    uop_.x_wide = shape.x_wide;
    for (int cycle = 0; cycle < 4; ++cycle) {
      const auto at = static_cast<size_t>(cycle);
      uint64_t* places[3] = {mab_->lm[0][2 * cycle], mab_->lm[1][2 * cycle], mab_->t.v[cycle][0]};
      std::memcpy(places[0], source(0, cycle), 64);
      std::memcpy(places[1], source(1, cycle), 64);
      std::memset(places[2], 0xa5, 64);
      uop_.x[at] = row_of(places[0]);
      uop_.y[at] = row_of(places[1]);
      uop_.out[at] = row_of(places[shape.over < 0 ? 2 : shape.over]);
    }
    uint8_t flags[4][4];
    std::memset(flags, 0x5a, sizeof flags);
    fast::Place place{};
    place.flags = flags;
    {
      const fast::FloatMode mode;
      uop_.run(*mab_, uop_, place);
    }
    bool equal = true;
    for (int cycle = 0; cycle < 4; ++cycle)
      for (int pe = 0; pe < 4; ++pe) {
        for (int w = 0; w < (shape.wide ? 2 : 1); ++w) {
          const uint64_t made = fast::at(*mab_, uop_.out[static_cast<size_t>(cycle)])[4 * w + pe];
          if (made == expected.v[cycle][w][pe]) continue;
          equal = false;
          ADD_FAILURE() << "cycle " << cycle << " word " << w << " pe " << pe << std::hex << " x "
                        << source(0, cycle)[4 * w + pe] << " y " << source(1, cycle)[4 * w + pe] << " semantic "
                        << expected.v[cycle][w][pe] << " kernel " << made;
        }
        if (!op_->needs_flags || flags[cycle][pe] == expected_flags[cycle][pe]) continue;
        equal = false;
        ADD_FAILURE() << "cycle " << cycle << " pe " << pe << std::hex << " x " << source(0, cycle)[pe] << " y "
                      << source(1, cycle)[pe] << " flags: semantic " << int{expected_flags[cycle][pe]} << " kernel "
                      << int{flags[cycle][pe]};
      }
    return equal;
  }

 private:
  Row row_of(const uint64_t* p) const { return static_cast<Row>(p - reinterpret_cast<const uint64_t*>(mab_.get())); }

  isa::Program program_;
  emu::Decoded decoded_;
  const emu::Op* op_ = nullptr;
  fast::Uop uop_;
  Beat source_[2] = {};
  std::unique_ptr<Mab> mab_ = std::make_unique<Mab>();
};

// Every ALU instruction of the rows: precision, prefix and kept bits; with a mask register as destination or without.
std::vector<isa::Insn> instructions() {
  std::vector<isa::Insn> all;
  for (const isa::Stem& stem : isa::all_stems())
    for (const isa::InsnDef* def : stem.rows) {
      if (def->unit != isa::Unit::kAlu) continue;
      isa::Insn insn;
      insn.def = def;
      insn.prec = stem.prec;
      insn.is_unsigned = stem.is_unsigned;
      insn.literal = 0x9abcdef1;
      for (int k = 0; k < def->num_srcs(); ++k)
        if (def->srcs[static_cast<size_t>(k)].role != isa::OperandRole::kLiteral)
          insn.srcs.push_back(isa::pe(k == 0 ? isa::Mem::kLm0 : isa::Mem::kLm1, 0, isa::Width::kLw, 2));
      const bool kept = def->allows(isa::kOptBfBits) && stem.prec == isa::Prec::kH;
      for (const bool flags : {false, true})
        for (int bits = kept ? 6 : 0; bits <= (kept ? 9 : 0); ++bits) {
          insn.bf_bits = static_cast<int8_t>(bits);
          insn.dsts = {flags ? isa::omr(1) : isa::t()};
          all.push_back(insn);
        }
    }
  return all;
}
bool converts_blocks(const isa::Insn& insn) { return insn.def->allows(isa::kOptBfBits); }
std::string text_of(const isa::Insn& insn) {
  return isa::stem_of(insn) + (insn.bf_bits != 0 ? "/" + std::to_string(insn.bf_bits) : "") +
         (insn.dsts[0].mem == isa::Mem::kOmr ? " with flags" : "");
}

const num::FloatFormat& format_of(Element element) {
  switch (num::element_bits(element)) {
    case 64: return num::kDouble;
    case 32: return num::kSingle;
    default: return num::kHalf;
  }
}

uint64_t integer(Random& random, int bits) {
  const uint64_t top = uint64_t{1} << (bits - 1), near = static_cast<uint64_t>(random.below(5)) - 2;
  switch (random.below(8)) {
    case 0: return near;
    case 1: return top + near;
    case 2: return static_cast<uint64_t>(bits) + near;
    case 3: return static_cast<uint64_t>(random.below(bits + 3));
    case 4: return uint64_t{1} << random.below(bits);
    default: return random.bits();
  }
}
uint64_t floating(Random& random, const num::FloatFormat& f) {
  const uint64_t any = random.pattern(f.exponent_bits, f.fraction_bits, 12);
  if (random.chance(2)) return any;
  // About the sizes at which the point passes through the fraction, and at which integers end.
  const int exponent = std::min(f.bias - 3 + random.below(f.width + 6), f.exponent_max());
  return f.fields(f.negative(any), exponent, f.fraction(any));
}
uint64_t value(Random& random, Element element) {
  const int bits = num::element_bits(element);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return (num::is_float(element) ? floating(random, format_of(element)) : integer(random, bits)) & mask;
}
// Members of a row whose exponents lie near each other, now and then with an infinity; or all zeros.
void block(Random& random, const num::FloatFormat& f, uint64_t* members, int count) {
  const int largest = random.chance(4)   ? f.exponent_max() - random.below(6)
                      : random.chance(4) ? random.below(8)
                                         : 1 + random.below(f.exponent_max() - 1);
  const int spread = random.chance(3) ? 1 : random.chance(4) ? 80 : 16;
  for (int i = 0; i < count; ++i) {
    int exponent = std::max(0, largest - random.below(spread));
    if (random.chance(10)) exponent = 0;
    if (random.chance(200)) exponent = f.exponent_max();
    uint64_t fraction = random.fraction(f.fraction_bits);
    if (random.chance(4)) fraction = f.fraction_mask() - random.bits() % (uint64_t{1} << random.below(8));
    members[i] = f.fields(random.chance(2), exponent, fraction);
  }
}

// Elements into four long words.
void pack(const uint64_t* elements, int bits, uint64_t* row) {
  const int per_lw = 64 / bits;
  for (int pe = 0; pe < 4; ++pe) {
    row[pe] = 0;
    for (int k = 0; k < per_lw; ++k) row[pe] |= elements[pe * per_lw + k] << (64 - (k + 1) * bits);
  }
}

void fill(Random& random, const isa::Insn& insn, Pair& pair) {
  const Element element = emu::element_of(insn.prec);
  const int bits = num::element_bits(element), count = 256 / bits;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int w = 0; w < 2; ++w) {
      uint64_t x[16], y[16];
      if (converts_blocks(insn)) block(random, format_of(element), x, count);
      for (int i = 0; i < count; ++i) {
        if (!converts_blocks(insn)) x[i] = value(random, element);
        const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
        switch (random.below(6)) {
          case 0: y[i] = x[i]; break;
          case 1: y[i] = (x[i] + static_cast<uint64_t>(random.below(5)) - 2) & mask; break;
          case 2: y[i] = (random.chance(2) ? ~x[i] : uint64_t{0} - x[i]) & mask; break;
          case 3: y[i] = x[i] ^ uint64_t { 1 } << random.below(bits); break;
          default: y[i] = value(random, element); break;
        }
      }
      pack(x, bits, pair.source(0, cycle) + 4 * w);
      pack(y, bits, pair.source(1, cycle) + 4 * w);
    }
}

class FastAlu : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    if (!fast::path_available(GetParam())) GTEST_SKIP() << "this processor lacks " << fast::path_name(GetParam());
  }
};

TEST_P(FastAlu, EveryInstructionHasAKernel) {
  std::string none;
  const auto all = instructions();
  EXPECT_GT(all.size(), size_t{200});
  for (const isa::Insn& insn : all)
    if (!Pair(insn, GetParam()).has_kernel()) none += " " + text_of(insn);
  EXPECT_EQ(none, "");
}

TEST_P(FastAlu, AsTheSemanticFunctions) {
  uint64_t seed = 0;
  for (const isa::Insn& insn : instructions()) {
    Pair pair(insn, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text_of(insn);
    Random random(++seed);
    const auto all = shapes();
    for (size_t n = 0; n < (converts_blocks(insn) ? 2400 : 360); ++n) {
      const Shape shape = all[n % all.size()];
      SCOPED_TRACE(testing::Message() << text_of(insn) << " round " << n << " " << shape);
      fill(random, insn, pair);
      if (!pair.same(shape)) return;
    }
  }
}

TEST_P(FastAlu, AllHalves) {
  for (const isa::Insn& insn : instructions()) {
    Pair pair(insn, GetParam());
    if (num::element_bits(emu::element_of(insn.prec)) != 16 || pair.sources() != 1 || converts_blocks(insn)) continue;
    for (uint64_t first = 0; first < 0x10000; first += 64) {
      for (int cycle = 0; cycle < 4; ++cycle) {
        uint64_t x[16];
        for (uint64_t i = 0; i < 16; ++i) x[i] = first + 16 * static_cast<uint64_t>(cycle) + i;
        pack(x, 16, pair.source(0, cycle));
      }
      SCOPED_TRACE(text_of(insn));
      if (!pair.same({false, false, -1})) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, FastAlu, ::testing::Values(Path::kAvx2, Path::kAvx512),
                         [](const auto& info) { return std::string(fast::path_name(info.param)); });

}  // namespace
}  // namespace kumihimo::mncore2
