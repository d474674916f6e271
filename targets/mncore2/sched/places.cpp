#include "targets/mncore2/sched/places.h"

#include <algorithm>

#include "targets/mncore2/alloc/interval.h"
#include "targets/mncore2/sched/depend.h"

namespace kumihimo::mncore2::sched {

using isa::Mem;

namespace {

constexpr std::array<const char*, kNumBanks> kBankNames{"LM0", "LM1", "GRF0", "GRF1", "T"};

// Writes that some read needs: a copy whose readers were all served by forwarding, or by the other copy, is not written.
std::vector<uint8_t> needed_writes(const Model& model, const Assignment& assignment, const Timing& timing) {
  std::vector<uint8_t> written(model.dsts.size(), 0);
  for (size_t k = 0; k < model.srcs.size(); ++k) {
    const SrcModel& s = model.srcs[k];
    if (timing.src_place[k] == kFromLatch) continue;
    for (int32_t d = s.first_def; d < s.first_def + s.num_defs; ++d) {
      const InsnModel& writer = model.insns[static_cast<size_t>(model.defs[static_cast<size_t>(d)].insn)];
      for (int32_t j = writer.first_dst; j < writer.first_dst + writer.num_dsts; ++j)
        if (model.dsts[static_cast<size_t>(j)].web == s.web)
          written[static_cast<size_t>(j)] |= static_cast<uint8_t>(1u << timing.src_place[k]);
    }
  }
  for (size_t j = 0; j < model.dsts.size(); ++j) {
    if (!model.live_out[j]) continue;
    const size_t web = static_cast<size_t>(model.dsts[j].web);
    written[j] |=
        static_cast<uint8_t>(1u << model.webs[web].choices[static_cast<size_t>(assignment.choice[web])].bank[0]);
  }
  return written;
}

struct Life {
  int64_t start = INT64_MAX, end = -1;
  void touch(int64_t t) { start = std::min(start, t), end = std::max(end, t); }
  bool ever() const { return end >= 0; }
};

Diagnostic does_not_fit(const std::string& what, const std::string& memory, const alloc::Interval& x,
                        const std::string& when, int64_t capacity, int64_t in_use) {
  Diagnostic d = make_error("K5001", what + " does not fit into " + memory);
  d.operand = what;
  d.observed = what + " needs " + std::to_string(x.size) + " long words in " + memory + " during " + when + ", when " +
               std::to_string(in_use) + " of " + std::to_string(capacity) + " are in use";
  d.required = "at most " + std::to_string(capacity) + " long words of " + memory + " in use at any time";
  d.bound = {{"memory", memory},
             {"size_lw", std::to_string(x.size)},
             {"in_use_lw", std::to_string(in_use)},
             {"capacity_lw", std::to_string(capacity)}};
  return d;
}

}  // namespace

Result<Places> find_places(const Model& model, const MachineConfig& machine, const Assignment& assignment,
                           const Timing& timing, PlaceFailure& failure) {
  const VProgram& program = model.program;
  Places out;
  out.written = needed_writes(model, assignment, timing);
  out.web_addr.assign(model.webs.size(), {-1, -1, -1, -1, -1});
  out.web_life.assign(model.webs.size(), {INT32_MAX, -1});
  out.buf_addr.assign(program.bufs.size(), 0);

  // Registers, bank by bank.
  std::vector<std::array<Life, kNumBanks>> lives(model.webs.size());
  for (size_t i = 0; i < model.insns.size(); ++i) {
    const InsnModel& m = model.insns[i];
    const int32_t t = timing.step[i];
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) {
      const size_t web = static_cast<size_t>(model.srcs[static_cast<size_t>(k)].web);
      out.web_life[web] = {std::min(out.web_life[web][0], t), std::max(out.web_life[web][1], t)};
      const int8_t place = timing.src_place[static_cast<size_t>(k)];
      if (place != kFromLatch) lives[web][static_cast<size_t>(place)].touch(t);
    }
    for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) {
      const size_t web = static_cast<size_t>(model.dsts[static_cast<size_t>(k)].web);
      out.web_life[web] = {std::min(out.web_life[web][0], t), std::max(out.web_life[web][1], t)};
      for (int bank = 0; bank < kNumBanks; ++bank)
        if (out.written[static_cast<size_t>(k)] >> bank & 1) lives[web][static_cast<size_t>(bank)].touch(t);
    }
  }
  for (int bank = 0; bank < kNumBanks; ++bank) {
    const bool t_bank = bank == bank_index(Bank::kT);
    const int64_t capacity =
        t_bank ? static_cast<int64_t>(machine.t_lw) : (is_lm(bank) ? machine.lm_words : machine.grf_words) / 2;
    std::vector<alloc::Interval> intervals;
    std::vector<int32_t> webs;
    for (size_t w = 0; w < model.webs.size(); ++w) {
      const Life& life = lives[w][static_cast<size_t>(bank)];
      if (!life.ever()) continue;
      const Web& web = model.webs[w];
      const bool to_end =
          web.output && model.webs[w].choices[static_cast<size_t>(assignment.choice[w])].bank[0] == bank;
      intervals.push_back(
          {life.start, to_end ? INT64_MAX : life.end, t_bank ? capacity : web.rows, web.align, std::nullopt});
      webs.push_back(static_cast<int32_t>(w));
    }
    const alloc::Allocation result = alloc::allocate(intervals, capacity);
    if (!result.ok()) {
      const alloc::Interval& x = intervals[static_cast<size_t>(result.failed)];
      failure.web = webs[static_cast<size_t>(result.failed)];
      failure.bank = bank;
      const std::string when =
          "steps " + std::to_string(x.start) + ".." + (x.end == INT64_MAX ? "end" : std::to_string(x.end));
      return does_not_fit(program.regs[model.webs[static_cast<size_t>(failure.web)].reg].name,
                          kBankNames[static_cast<size_t>(bank)], x, when, capacity, result.in_use);
    }
    for (size_t k = 0; k < webs.size(); ++k)
      out.web_addr[static_cast<size_t>(webs[k])][static_cast<size_t>(bank)] = static_cast<int32_t>(result.addr[k]);
    out.peak[static_cast<size_t>(bank)] = result.peak;
  }

  // Tree memories. Time is doubled: an MV before step t lives at 2t, the step itself at 2t + 1. Writes may land up to
  // 10 cycles after their step (ISA 9.2), so a buffer keeps its place two steps longer.
  constexpr int64_t kLanding = 4;
  std::vector<Life> buf_life(program.bufs.size());
  std::vector<bool> to_end(program.bufs.size(), false), written(program.bufs.size(), false),
      read_since(program.bufs.size(), false);
  for (size_t i = 0; i < model.insns.size(); ++i) {
    for (const BufAccess& a : buffer_accesses(program, i)) {
      const VInsn& insn = program.insns[i];
      const size_t buf = (a.write ? insn.dsts : insn.srcs)[static_cast<size_t>(a.operand)].id;
      if (model.insns[i].is_mv) {
        buf_life[buf].touch(2 * timing.step[i]);
        buf_life[buf].touch(2 * timing.wait_step[i] + 1);
      } else {
        buf_life[buf].touch(2 * timing.step[i] + 1);
      }
      if (a.write)
        written[buf] = true, read_since[buf] = false;
      else
        read_since[buf] = true;
    }
  }
  for (size_t b = 0; b < program.bufs.size(); ++b) to_end[b] = program.bufs[b].output || (written[b] && !read_since[b]);
  for (Mem mem : {Mem::kL1bm, Mem::kL2bm, Mem::kDram, Mem::kPdm}) {
    const int64_t capacity = mem == Mem::kL1bm   ? machine.l1bm_lw
                             : mem == Mem::kL2bm ? machine.l2bm_lw
                             : mem == Mem::kDram ? machine.dram_lw
                                                 : machine.pdm_lw;
    const bool host_side = mem == Mem::kDram || mem == Mem::kPdm;
    std::vector<alloc::Interval> intervals;
    std::vector<size_t> bufs;
    for (size_t b = 0; b < program.bufs.size(); ++b) {
      const VBuf& buf = program.bufs[b];
      if (buf.mem != mem || (!buf_life[b].ever() && !buf.fixed_addr)) continue;
      // What the caller placed, and what the host fills and reads, lives from beginning to end.
      const bool whole = host_side || buf.fixed_addr || !buf_life[b].ever();
      intervals.push_back({whole ? 0 : buf_life[b].start, whole || to_end[b] ? INT64_MAX : buf_life[b].end + kLanding,
                           buf.size_lw, buf.align_lw, buf.fixed_addr});
      bufs.push_back(b);
    }
    const alloc::Allocation result = alloc::allocate(intervals, capacity);
    if (!result.ok()) {
      const alloc::Interval& x = intervals[static_cast<size_t>(result.failed)];
      const std::string memory = mem == Mem::kL1bm   ? "L1BM"
                                 : mem == Mem::kL2bm ? "L2BM"
                                 : mem == Mem::kDram ? "DRAM"
                                                     : "PDM";
      const std::string when =
          x.end == INT64_MAX ? "the whole program"
                             : "steps " + std::to_string(x.start / 2) + ".." + std::to_string((x.end - kLanding) / 2);
      failure.web = -1;
      return does_not_fit(program.bufs[bufs[static_cast<size_t>(result.failed)]].name, memory, x, when, capacity,
                          result.in_use);
    }
    for (size_t k = 0; k < bufs.size(); ++k) out.buf_addr[bufs[k]] = result.addr[k];
    if (mem == Mem::kL1bm) out.peak_l1bm = result.peak;
    if (mem == Mem::kL2bm) out.peak_l2bm = result.peak;
  }
  return out;
}

}  // namespace kumihimo::mncore2::sched
