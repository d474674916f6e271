#include "targets/mncore2/judge/rows.h"

namespace kumihimo::mncore2::judge {
namespace {

constexpr DiagDef kRows[] = {
    {"K6101", "judge_sections",
     "a testcase has inputs, the line where the answer is inserted, once, and the lines of one output tensor"},
    {"K6102", "judge_input", "inputs of a testcase are `r` and `d set` lines"},
    {"K6103", "judge_output",
     "an output line is `d getd PLACE 1 # expect=VALUES / TYPE @INDEX,... [atol=A] [rtol=R]`, its place one long word"},
    {"K6104", "judge_value", "expected values are numbers, or a string, that the type of the tensor holds"},
    {"K6105", "judge_one_tensor", "all output lines name one type, one rank and one tolerance"},
    {"K6106", "judge_mismatch", "every output value equals the expected one, or lies within a tolerance of it"},
    {"K6107", "judge_answer", "an answer consists of instructions; it cannot set memories"},
};

}  // namespace

std::span<const DiagDef> diagnostics() { return kRows; }

Diagnostic error(std::string_view name, std::string headline, SourceRange where) {
  Diagnostic d;
  for (const DiagDef& row : kRows)
    if (row.name == name) d.def = &row;
  d.headline = std::move(headline);
  d.where = std::move(where);
  return d;
}

}  // namespace kumihimo::mncore2::judge
