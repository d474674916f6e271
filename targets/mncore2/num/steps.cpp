#include "targets/mncore2/num/steps.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "targets/mncore2/num/alu.h"
#include "targets/mncore2/num/fma.h"

namespace kumihimo::mncore2::num {
namespace {

// Words handled at once: all names of a sequence stay in the first-level cache.
constexpr std::size_t kChunk = 256;

// One ALU operation on singles or 32-bit integers.
void alu_words(AluOp op, Element element, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* out,
               std::size_t count, const Switches& switches) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint32_t>(alu(op, element, false, x[i], y != nullptr ? y[i] : 0, switches).value);
}

void run_step(StepOp op, const std::array<const std::uint32_t*, 3>& s, std::uint32_t* out, std::size_t count,
              const Switches& switches) {
  switch (op) {
    case StepOp::kFvfma: return fma_f32(s[0], s[1], s[2], out, count, {}, switches);
    case StepOp::kFvpassa: return passa_f32(s[0], out, count, {}, switches);
    case StepOp::kFmax: return alu_words(AluOp::kMax, Element::kSingle, s[0], s[1], out, count, switches);
    case StepOp::kFmin: return alu_words(AluOp::kMin, Element::kSingle, s[0], s[1], out, count, switches);
    case StepOp::kFfloor: return alu_words(AluOp::kFloor, Element::kSingle, s[0], nullptr, out, count, switches);
    case StepOp::kFftoi: return alu_words(AluOp::kFtoi, Element::kSingle, s[0], nullptr, out, count, switches);
    case StepOp::kIlsl: return alu_words(AluOp::kLsl, Element::kInt, s[0], s[1], out, count, switches);
    case StepOp::kIadd: return alu_words(AluOp::kAdd, Element::kInt, s[0], s[1], out, count, switches);
  }
}

}  // namespace

void run_steps(const StepSequence& sequence, const std::uint32_t* x, std::uint32_t* out, std::size_t count,
               const Switches& switches) {
  const std::span<const Step> steps = sequence.steps;
  // Row 0 is the input, row 1 + i the result of step i, then one row for each literal.
  std::vector<std::array<int, 3>> rows(steps.size(), {-1, -1, -1});
  std::size_t literals = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (int k = 0; k < source_count(steps[i].op); ++k)
      if (steps[i].source[k].is_literal()) ++literals;
  std::vector<std::uint32_t> table((1 + steps.size() + literals) * kChunk);
  const auto row = [&table](std::size_t number) { return table.data() + number * kChunk; };
  std::size_t next = 1 + steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (int k = 0; k < source_count(steps[i].op); ++k) {
      const StepSource& source = steps[i].source[k];
      std::size_t number = 0;
      if (source.is_literal()) {
        number = next++;
        std::fill_n(row(number), kChunk, source.bits);
      } else if (source.name != "x") {
        std::size_t maker = i;
        while (maker > 0 && steps[maker - 1].result != source.name) --maker;
        assert(maker > 0 && "a step reads a name that no earlier step makes");
        number = maker;
      }
      rows[i][static_cast<std::size_t>(k)] = static_cast<int>(number);
    }
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t here = std::min(kChunk, count - at);
    std::copy_n(x + at, here, row(0));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::array<const std::uint32_t*, 3> sources{};
      for (std::size_t k = 0; k < 3; ++k)
        if (rows[i][k] >= 0) sources[k] = row(static_cast<std::size_t>(rows[i][k]));
      run_step(steps[i].op, sources, row(1 + i), here, switches);
    }
    std::copy_n(row(steps.size()), here, out + at);
  }
}

}  // namespace kumihimo::mncore2::num
