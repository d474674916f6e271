// MV reductions (ISA 4.2) on the reducers: the words of the senders are laid side by side, a stretch at a time.
#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree.h"
#include "targets/mncore2/fast/tree_reduce.h"
#include "targets/mncore2/fast/tree_rows.h"
#include "targets/mncore2/sem/mv.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::MvMeeting, emu::MvPort;
using emu::StepContext;
using isa::Insn;

using Find = Reducer (*)(const Reduction& r);

constexpr int kInputs = 8;
constexpr int64_t kStretchLw = 512;  // eight inputs of it stay in the host's nearest cache

// `count` runs of `run` long words, the first of them unit `first` of an operand whose units lie `unit` apart.
struct Runs {
  int64_t base, unit, run, first, count;
  // Calls f(word, words before, words) for stretches without a gap.
  template <class F>
  void each(F f) const {
    if (unit == run) return f(base + unit * first, int64_t{0}, run * count);
    for (int64_t i = 0; i < count; ++i) f(base + unit * (first + i), run * i, run);
  }
};

template <Find kFind>
void mv_reduce(StepContext& c, const Insn& insn) {
  const isa::MvColumns& f = insn.def->mv;
  const auto meetings = emu::mv_meetings(*c.machine, insn);
  const Reduction r{emu::reduce_of(insn.reduce->rrn), emu::lane_of(insn.prec), meetings.inputs, false, false};
  const Reducer reduce = kFind(r);
  const FloatMode mode;
  const int64_t units = insn.size / f.src.unit, at_once = kStretchLw / f.run;
  for (const MvMeeting& m : meetings.all) {
    const MvPort target(*c.machine, insn.dsts[0], insn.nd, m.to);
    alignas(64) uint64_t in[kInputs][kStretchLw], out[kStretchLw];
    for (auto& words : in) std::fill_n(words, kStretchLw, emu::identity_word(r.op, r.lane));
    for (int64_t i = 0; i < units; i += at_once) {
      const int64_t count = std::min(at_once, units - i);
      for (const MvMeeting::Sender& sender : m.senders) {
        const MvPort source(*c.machine, insn.srcs[0], insn.nd, sender.at);
        uint64_t* to = in[sender.slot];
        Runs{m.src, f.src.unit, f.run, i, count}.each(
            [&](int64_t word, int64_t done, int64_t n) { source.read(word, n, to + done, nullptr); });
      }
      reduce({in[0], kStretchLw, kRowLw, out, kRowLw, static_cast<int>(count * f.run / kRowLw)});
      Runs{m.dst, f.dst.unit, f.run, i, count}.each(
          [&](int64_t word, int64_t done, int64_t n) { target.write(word, n, out + done, nullptr); });
    }
  }
}

template <Find kFind>
isa::SemFn choose(const emu::Op& op) {
  if (op.sem != &sem::mv_reduce) return nullptr;
  const isa::MvColumns& f = op.insn->def->mv;
  const bool stretches = f.run % kRowLw == 0 && kStretchLw % f.run == 0;
  for (const int inputs : {2, 4, 8})
    if (!stretches ||
        kFind({emu::reduce_of(op.insn->reduce->rrn), emu::lane_of(op.insn->prec), inputs, false, false}) == nullptr)
      return nullptr;
  return mv_reduce<kFind>;
}

}  // namespace

isa::SemFn tree_mv_avx512(const emu::Op& op) { return choose<reducer_avx512>(op); }
isa::SemFn tree_mv_avx2(const emu::Op& op) { return choose<reducer_avx2>(op); }

}  // namespace kumihimo::mncore2::fast

#endif
