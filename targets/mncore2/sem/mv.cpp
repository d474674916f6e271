// MV instructions (ISA 4.2): one function executes every copying mode from the row's columns, one every reduction.
//
//   dst_{h,t}[Q + dst.unit*i + dst.other_g*g + dst.other_s*s + k] = src_{g,s}[P + src.unit*i + src.other_g*h + src.other_s*t + k]
//
// for every pair of a source instance (g,s) and a destination instance (h,t) that the row pairs, every unit i, k < run.
// A `$di` operand replaces P or Q: its word n lies at 16 * DAR[A + n/16/nd] + 16 * (n/16 mod nd) + n mod 16 (ISA 4.5).
// An MV takes effect at once, in program order (ISA 4.6), as if the source were read whole before anything is written.
#include "targets/mncore2/sem/mv.h"

#include <cassert>
#include <memory>

#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Mem;
using isa::MvInstances;
using isa::MvSide;
using isa::Operand;

// Strict mode: the words [first, first + span) of an operand lie inside their memory, or behind defined DAR entries.
void check_words(StepContext& c, int operand_index, const Operand& operand, uint32_t repeat, MvInstance at,
                 int64_t first, int64_t span) {
  c.where = {at.g, at.s, 0, 0, 0};
  if (operand.mem != Mem::kDramIndirect) {
    check_range(c, operand_index, operand.addr[0] + first, span, MvPort(*c.machine, operand, repeat, at).capacity());
    return;
  }
  const int64_t per_entry = 16 * int64_t{repeat == 0 ? 1 : repeat}, last = (first + span - 1) / per_entry;
  check_range(c, operand_index, operand.addr[0] + first / per_entry, last - first / per_entry + 1, kDarEntries);
  for (int64_t e = first / per_entry; e <= last; ++e) {
    const int64_t entry = (operand.addr[0] + e) % kDarEntries;
    if (!c.machine->dar_defs[at.g].entry[entry]) c.find(FindingKind::kUndefinedAddress, operand_index, c.where, entry);
  }
}

// One run of words between memories that do not overlap: straight where one of them is an L2BM, else through a buffer that
// stays in the host's cache.
void copy_words(const MvPort& from, int64_t src, const MvPort& to, int64_t dst, int64_t count, bool strict) {
  if (uint64_t* words = to.plain(dst, count)) return from.read(src, count, words, nullptr);
  if (const uint64_t* words = from.plain(src, count)) return to.write(dst, count, words, nullptr);
  constexpr int64_t kChunk = 1024;
  uint64_t values[kChunk];
  uint8_t defs[kChunk];
  for (int64_t done = 0; done < count; done += kChunk) {
    const int64_t n = std::min(kChunk, count - done);
    from.read(src + done, n, values, strict ? defs : nullptr);
    to.write(dst + done, n, values, strict ? defs : nullptr);
  }
}

// The same inside one memory.
void copy_within(const MvPort& from, int64_t src, const MvPort& to, int64_t dst, int64_t count, bool strict) {
  const auto n = static_cast<size_t>(count);
  const std::unique_ptr<uint64_t[]> values(new uint64_t[n]);
  const std::unique_ptr<uint8_t[]> defs(strict ? new uint8_t[n] : nullptr);
  from.read(src, count, values.get(), defs.get());
  to.write(dst, count, values.get(), defs.get());
}

bool one_memory(const MvSide& src, const MvSide& dst, MvInstance from, MvInstance to) {
  return src.mem == dst.mem && from.g == to.g && from.s == to.s;
}

}  // namespace

std::vector<MvInstance> mv_instances(const MachineState& machine, const MvSide& side, const Operand& operand) {
  std::vector<MvInstance> all;
  // A side in L2BM without any selector is every L2BM, or with an unselected sub-block L2BM 0 (ISA 12 Q6).
  const int sub = operand.sub < 0 ? 0 : operand.sub;
  for (int g = 0; g < machine.groups; ++g)
    for (int s = 0; s < machine.l2bs_per_group; ++s) {
      const bool l2b = side.mem == Mem::kL2bm;
      bool member = false;
      switch (side.instances) {
        case MvInstances::kOneGroup: member = g == operand.group && s == 0; break;
        case MvInstances::kEveryGroup: member = s == 0; break;
        case MvInstances::kOneL2b: member = g == operand.group && s == sub; break;
        case MvInstances::kOneL2bInGroup: member = s == sub; break;
        case MvInstances::kEveryL2b: member = true; break;
      }
      if (member) all.push_back({g, l2b ? s : 0});
    }
  return all;
}

MvPort::MvPort(const MachineState& machine, const Operand& operand, uint32_t repeat, MvInstance at)
    : base_(operand.addr[0]) {
  const Mem mem = operand.mem;
  if (mem == Mem::kDramIndirect) {
    dar_ = machine.dars + at.g;
    repeat_ = repeat == 0 ? 1 : repeat;
    memory_ = machine.drams + at.g;
  } else if (mem == Mem::kL2bm) {
    const int l = at.g * machine.l2bs_per_group + at.s;
    l2bm_ = machine.l2bms + l;
    if (machine.strict()) l2bm_def_ = machine.l2bm_defs + l;
  } else {
    memory_ = (mem == Mem::kPdm ? machine.pdms : machine.drams) + at.g;
  }
}

// mvr2 combines the two L2BMs of a group, mvr4 L2BMs s of the four groups for s = 0 and 1 in turn, mvr all eight.
MvMeetings mv_meetings(const MachineState& machine, const Insn& insn) {
  const isa::MvColumns& f = insn.def->mv;
  const bool one_group = f.pairing == isa::MvPairing::kSameGroup, by_sub = f.dst.other_s != 0;
  const auto sources = mv_instances(machine, f.src, insn.srcs[0]), targets = mv_instances(machine, f.dst, insn.dsts[0]);
  MvMeetings meetings{one_group ? 2 : by_sub ? 4 : 8, {}};
  for (const MvInstance& to : targets)
    for (int sub = 0; sub < (by_sub ? machine.l2bs_per_group : 1); ++sub) {
      MvMeeting m{to, f.src.other_g * to.g, f.dst.other_s * sub, {}};
      for (const MvInstance& from : sources)
        if (!(one_group && from.g != to.g) && !(by_sub && from.s != sub))
          m.senders.push_back({from, one_group ? from.s : by_sub ? from.g : 2 * from.g + from.s});
      meetings.all.push_back(std::move(m));
    }
  return meetings;
}

}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void mv_transfer(StepContext& c, const Insn& insn) {
  using namespace emu;
  const isa::MvColumns& f = insn.def->mv;
  const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  const int64_t units = insn.size / (f.size_on_dst ? f.dst.unit : f.src.unit);
  // Runs that follow each other on both sides are one.
  const bool dense = f.src.unit == f.run && f.dst.unit == f.run;
  const int64_t run = dense ? f.run * units : f.run, runs = dense ? 1 : units;
  const auto targets = mv_instances(*c.machine, f.dst, dst);
  for (const MvInstance& from : mv_instances(*c.machine, f.src, src))
    for (const MvInstance& to : targets) {
      if (f.pairing == isa::MvPairing::kSameGroup && from.g != to.g) continue;
      const MvPort source(*c.machine, src, insn.nd, from), target(*c.machine, dst, insn.nd, to);
      const int64_t src_base = f.src.other_g * to.g + f.src.other_s * to.s;
      const int64_t dst_base = f.dst.other_g * from.g + f.dst.other_s * from.s;
      const bool within = one_memory(f.src, f.dst, from, to);
      assert(!within || runs == 1);  // no row interleaves a memory with itself
      const auto copy = within ? copy_within : copy_words;
      for (int64_t i = 0; i < runs; ++i)
        copy(source, src_base + f.src.unit * i, target, dst_base + f.dst.unit * i, run, c.strict());
      if (!c.strict()) continue;
      check_words(c, 0, src, insn.nd, from, src_base, f.src.unit * (units - 1) + f.run);
      check_words(c, 8, dst, insn.nd, to, dst_base, f.dst.unit * (units - 1) + f.run);
    }
}

// An L2BM that the machine does not have sends the identity. Eight inputs are two stages of four (ISA 4.3).
void mv_reduce(StepContext& c, const Insn& insn) {
  using namespace emu;
  constexpr size_t kInputs = 8, kRun = 64;
  const isa::MvColumns& f = insn.def->mv;
  const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  const num::Reduce op = reduce_of(insn.reduce->rrn);
  const num::Lane lane = lane_of(insn.prec);
  const int bits = num::lane_bits(lane);
  const int64_t units = insn.size / f.src.unit;
  const MvMeetings meetings = mv_meetings(*c.machine, insn);
  // L2BMs are read, others are written: one unit after the other is as good as all at once.
  for (const MvMeeting& m : meetings.all) {
    const MvPort target(*c.machine, dst, insn.nd, m.to);
    for (int64_t i = 0; i < units; ++i) {
      uint64_t in[kInputs][kRun], values[kRun];
      uint8_t in_defs[kInputs][kRun], defs[kRun];
      for (auto& words : in) std::fill_n(words, kRun, identity_word(op, lane));
      for (const auto& [from, slot] : m.senders)
        MvPort(*c.machine, src, insn.nd, from)
            .read(m.src + f.src.unit * i, f.run, in[slot], c.strict() ? in_defs[slot] : nullptr);
      for (size_t k = 0; k < f.run; ++k) {
        uint64_t word[kInputs];
        for (size_t n = 0; n < kInputs; ++n) word[n] = in[n][k];
        values[k] = num::reduce_words(op, lane, word, meetings.inputs, *c.switches);
        if (!c.strict()) continue;
        defs[k] = 0;
        for (int e = 0; e < 64 / bits; ++e) {
          const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (e + 1) * bits / 16));
          GroupCount known;
          for (const auto& sender : m.senders)
            known.add((whole_elements(in_defs[sender.slot][k], bits) & lanes) == lanes);
          const UnitCoord where{m.to.g, m.to.s, 0, 0, 0};
          if (combine(c, known.get(), FindingKind::kUndefinedReduction, 0, where,
                      src.addr[0] + m.src + f.src.unit * i + static_cast<int64_t>(k)))
            defs[k] |= lanes;
        }
      }
      target.write(m.dst + f.dst.unit * i, f.run, values, c.strict() ? defs : nullptr);
    }
    if (!c.strict()) continue;
    check_words(c, 0, src, insn.nd, m.to, m.src, f.src.unit * (units - 1) + f.run);
    check_words(c, 8, dst, insn.nd, m.to, m.dst, f.dst.unit * (units - 1) + f.run);
  }
}

}  // namespace kumihimo::mncore2::sem
