// Written sequences: a function of one value as a list of known machine operations.
//
// The machine has no exp. What it has is add, multiply and a few integer operations, so a transcendental function is
// a sequence of them, and the sequence is its definition: every step is one instruction with its own rounding, and the
// value of the function is what comes out, bit for bit. The rows of a sequence are read twice: `run_steps` computes
// them here for the exact interpreter, and emission turns each row into one instruction. There is no second list.
//
//   {kFvfma, "t", value("y"), literal(0x3fb8aa3b, "f\"1.44269502\""), literal(0x3f000000, "f\"0.5\"")}
//   t = y * log2(e) + 0.5 through the machine's multiplier, rounded once: `fvfma y log2e half t`
//
// Steps work element by element on singles (32-bit words); names are written once and may be read many times. The
// operand order is the instruction's: it decides corners such as max of two zeros.
// Law: the literal's text, as `imm` reads it, is its pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

/// Operations that a sequence may use, named as the assembly spells them (ISA 6, 7).
enum class StepOp : std::uint8_t { kFvfma, kFvpassa, kFmax, kFmin, kFfloor, kFftoi, kIlsl, kIadd };

[[nodiscard]] constexpr std::string_view mnemonic(StepOp op) {
  switch (op) {
    case StepOp::kFvfma: return "fvfma";
    case StepOp::kFvpassa: return "fvpassa";
    case StepOp::kFmax: return "fmax";
    case StepOp::kFmin: return "fmin";
    case StepOp::kFfloor: return "ffloor";
    case StepOp::kFftoi: return "fftoi";
    case StepOp::kIlsl: return "ilsl";
    case StepOp::kIadd: return "iadd";
  }
  return {};
}
/// Whether the matrix arithmetic unit executes it; the others run on the ALU.
[[nodiscard]] constexpr bool on_mau(StepOp op) { return op == StepOp::kFvfma || op == StepOp::kFvpassa; }
[[nodiscard]] constexpr int source_count(StepOp op) {
  switch (op) {
    case StepOp::kFvfma: return 3;
    case StepOp::kFmax:
    case StepOp::kFmin:
    case StepOp::kIlsl:
    case StepOp::kIadd: return 2;
    case StepOp::kFvpassa:
    case StepOp::kFfloor:
    case StepOp::kFftoi: return 1;
  }
  return 0;
}

struct StepSource {
  std::string_view name;   ///< of an earlier result or of the input; empty for a literal
  std::uint32_t bits = 0;  ///< literal: pattern of the word
  std::string_view text;   ///< literal: how imm spells it
  [[nodiscard]] constexpr bool is_literal() const { return name.empty(); }
};
[[nodiscard]] constexpr StepSource value(std::string_view name) { return {name, 0, {}}; }
[[nodiscard]] constexpr StepSource literal(std::uint32_t bits, std::string_view text) { return {{}, bits, text}; }

struct Step {
  StepOp op;
  std::string_view result;  ///< name given to what comes out
  StepSource source[3];     ///< in the order of the assembly operands; source_count(op) are used
  std::string_view doc;
};

/// A function: its input is called "x", its value is the result of the last step.
struct StepSequence {
  std::string_view value_id;
  std::span<const Step> steps;
};

/// Applies a sequence to `count` words. `out` may be `x`.
void run_steps(const StepSequence& sequence, const std::uint32_t* x, std::uint32_t* out, std::size_t count,
               const Switches& switches = kDefaultSwitches);

/// exp of singles; docs/numerics/exp.md says why each step is there and what the error is.
[[nodiscard]] const StepSequence& exp_steps();

}  // namespace kumihimo::mncore2::num
