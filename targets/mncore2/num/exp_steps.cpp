// The rows of exp; docs/numerics/exp.md holds derivation, domain and error bound.
#include <iterator>

#include "targets/mncore2/num/steps.h"

namespace kumihimo::mncore2::num {
namespace {

// clang-format off
constexpr Step kExp[] = {
    {StepOp::kFmax,    "y0", {value("x"), literal(0xc2b00000, "f\"-88\"")},
     "below -88 the result is +0 anyway; -inf becomes a number"},
    {StepOp::kFmin,    "y",  {value("y0"), literal(0x42b20000, "f\"89\"")},
     "above 89 the result is +inf anyway"},
    {StepOp::kFvfma,   "t",  {value("y"), literal(0x3fb8aa3b, "f\"1.44269502\""), literal(0x3f000000, "f\"0.5\"")},
     "y / ln 2 + 1/2"},
    {StepOp::kFfloor,  "n",  {value("t")},
     "the power of two, as a float: -127 to 128"},
    {StepOp::kFvfma,   "r0", {value("n"), literal(0xbf318000, "f\"-0.693359375\""), value("y")},
     "y - n * high part of ln 2: exact, the constant has 10 significant bits and n has 8"},
    {StepOp::kFvfma,   "r",  {value("n"), literal(0x395e8083, "f\"0.000212194442\""), value("r0")},
     "less n * low part of ln 2: |r| <= ln 2 / 2 and a rounding of the last step's t"},
    {StepOp::kFvfma,   "p6", {value("r"), literal(0x3ab511a9, "f\"0.00138144672\""), literal(0x3c091d36, "f\"0.00836878084\"")},
     "c6 r + c5"},
    {StepOp::kFvfma,   "p5", {value("r"), value("p6"), literal(0x3d2aac7a, "f\"0.0416683927\"")},
     "+ c4"},
    {StepOp::kFvfma,   "p4", {value("r"), value("p5"), literal(0x3e2aaa48, "f\"0.166665196\"")},
     "+ c3"},
    {StepOp::kFvfma,   "p3", {value("r"), value("p4"), literal(0x3efffffe, "f\"0.49999994\"")},
     "+ c2"},
    {StepOp::kFvfma,   "p2", {value("r"), value("p3"), literal(0x3f800000, "f\"1\"")},
     "+ 1"},
    {StepOp::kFvfma,   "p",  {value("r"), value("p2"), literal(0x3f800000, "f\"1\"")},
     "+ 1: e^r in [0.70, 1.42]"},
    {StepOp::kFftoi,   "k",  {value("n")},
     "n as an integer"},
    {StepOp::kIlsl,    "k23", {value("k"), literal(23, "i\"23\"")},
     "in the place of the exponent field"},
    {StepOp::kIadd,    "s",  {value("p"), value("k23")},
     "p * 2^n by adding to the exponent field; field 0 and 255 come out as they are"},
    {StepOp::kFvpassa, "e",  {value("s")},
     "normalises: field 0 becomes +0, field 255 becomes +inf"},
};
// clang-format on

constexpr StepSequence kSequence{"exp.single.poly6/1", kExp};

}  // namespace

const StepSequence& exp_steps() { return kSequence; }

}  // namespace kumihimo::mncore2::num
