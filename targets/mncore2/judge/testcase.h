// A testcase of the public contest, read and checked.
//
//   # ======= In(0): ((2:1, 4_PE:1, 2_W:1))@LM0 / Float =======
//   d set $lm0p0 1 3E8000003FE00000 # values=[0.25, 1.75] / Float @[0],[1]
//   # ======= YOUR VSM WILL BE INSERTED HERE =======
//   # ======= Output =======
//   # ======= Out(0): ((8:1, 2_W:1))@DRAM / Float =======
//   d getd $d0n0 1 # expect=[0.25, 1.75] / Float @[0],[1] atol=1e-05
//
// Between the two markers may stand code that runs after the answer and is not scored. Older files lack the second
// marker: then all that follows the first one is output. Nothing limits steps, time or memory in the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/judge/dtype.h"

namespace kumihimo::mncore2::judge {

inline constexpr std::string_view kAnswerMarker = "# ======= YOUR VSM WILL BE INSERTED HERE =======";
inline constexpr std::string_view kOutputMarker = "# ======= Output =======";

// One value that is compared.
struct Element {
  uint32_t line = 0;  // index into Testcase::output.lines
  uint8_t lane = 0;   // element of the long word
  Value expected;
};

struct Testcase {
  std::string file;
  isa::Program input;   // `r` and `d set`
  isa::Program after;   // code between the markers
  isa::Program output;  // `d getd`, one long word each; line numbers are those of the file
  const Dtype* dtype = nullptr;
  Tolerance tolerance;
  std::string title;  // "Out(0): ((8:1, 2_W:1))@DRAM / Float", empty when the file has none
  int rank = 0;
  std::vector<Element> elements;
  std::vector<int64_t> indices;  // `rank` numbers for each element
};

// `text` may be any bytes. Of several faults the first is the error, the others are related to it.
Result<Testcase> read_testcase(std::string_view text, std::string_view file);

}  // namespace kumihimo::mncore2::judge
