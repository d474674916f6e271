// Every instruction of the MAU has a kernel on every path.
#include <set>

#include "tests/cpp/fast_mau_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast_test::FastMau;
using fast_test::Pair;

class FastMauRows : public FastMau {};

TEST_P(FastMauRows, Calculations) {
  size_t calculations = 0, expected = 0;
  for (const isa::Prec prec : {isa::Prec::kD, isa::Prec::kF, isa::Prec::kG, isa::Prec::kH})
    for (const char kind : {'v', 'm'}) {
      if (prec == isa::Prec::kG && kind == 'v') continue;  // pseudo-singles meet in matrices only
      std::set<std::string> stems;
      for (const std::string& text : fast_test::mau_spellings(prec, kind)) {
        EXPECT_TRUE(Pair(text, GetParam()).has_kernel()) << text;
        stems.insert(text.substr(0, text.find(' ')));
      }
      calculations += stems.size();
    }
  for (const isa::Stem& stem : isa::all_stems()) expected += stem.rows.front()->unit == isa::Unit::kMauCalc ? 1 : 0;
  EXPECT_EQ(calculations, expected);
}

TEST_P(FastMauRows, Registers) {
  for (const isa::Stem& stem : isa::all_stems())
    for (const char* width : {"$l", "$ll"}) {
      const isa::Unit unit = stem.rows.front()->unit;
      if (std::string_view(width) == "$ll" && stem.prec != isa::Prec::kH) continue;
      const std::string matrix = std::string(" ") + width + "x0", memory = std::string(" ") + width + "m0v";
      if (unit != isa::Unit::kMauWrite && unit != isa::Unit::kMauRead) continue;
      const std::string text = stem.text + (unit == isa::Unit::kMauWrite ? memory + matrix : matrix + memory);
      EXPECT_TRUE(Pair(text, GetParam()).has_kernel()) << text;
    }
}

KMH_FAST_PATHS(FastMauRows);

}  // namespace
}  // namespace kumihimo::mncore2
