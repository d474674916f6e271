// Gates of the list scheduler: tree memories that cannot hold all their buffers at once.
//
// Law: if the virtual program fits when it is executed in its own order, the gated scheduler does not lock up. The
// earliest instruction that has not been placed finds all earlier buffers begun and no later ones, so what lives is what
// lives in program order.
#include <algorithm>

#include "targets/mncore2/sched/list.h"

namespace kumihimo::mncore2::sched {

namespace {

constexpr int kLandingSteps = 3;  // a buffer keeps its place so long after its last access (see places.cpp)

}  // namespace

void ListScheduler::prepare_gates(int32_t gate_percent) {
  const VProgram& program = model_.program;
  buf_gate_.assign(program.bufs.size(), -1);
  buf_total_.assign(program.bufs.size(), 0);
  buf_left_.resize(program.bufs.size());
  buf_open_.resize(program.bufs.size());
  std::array<int64_t, 2> total{};
  for (size_t i = 0; i < model_.insns.size(); ++i)
    for (int32_t b : model_.insns[i].bufs) {
      if (b < 0) continue;
      const VBuf& buf = program.bufs[static_cast<size_t>(b)];
      if (buf.mem != isa::Mem::kL1bm && buf.mem != isa::Mem::kL2bm) continue;
      const size_t g = buf.mem == isa::Mem::kL1bm ? 0 : 1;
      if (buf_total_[static_cast<size_t>(b)]++ > 0) continue;
      buf_gate_[static_cast<size_t>(b)] = static_cast<int32_t>(g);
      gates_[g].order.push_back(b);
      total[g] += buf.size_lw;
    }
  for (size_t g = 0; g < 2; ++g) {
    const int64_t capacity = g == 0 ? machine_.l1bm_lw : machine_.l2bm_lw;
    gates_[g].active = gate_percent > 0 && (total[g] > capacity || gate_percent < 100);
    gates_[g].room = capacity * gate_percent / 100;
  }
}

// Whether every buffer that the instruction begins may be begun before or in step t.
bool ListScheduler::gates_open(int32_t insn, int32_t t) {
  for (int32_t b : model_.insns[static_cast<size_t>(insn)].bufs) {
    if (b < 0 || buf_gate_[static_cast<size_t>(b)] < 0 || buf_open_[static_cast<size_t>(b)]) continue;
    Gate& gate = gates_[static_cast<size_t>(buf_gate_[static_cast<size_t>(b)])];
    if (!gate.active) continue;
    std::erase_if(gate.leaving, [&](const auto& leaving) {
      if (leaving.first > t) return false;
      gate.live -= leaving.second;
      return true;
    });
    if (gate.order[gate.next] != b) return false;
    if (gate.live + model_.program.bufs[static_cast<size_t>(b)].size_lw > gate.room) return false;
  }
  return true;
}

void ListScheduler::enter_gates(int32_t insn) {
  for (int32_t b : model_.insns[static_cast<size_t>(insn)].bufs) {
    if (b < 0 || buf_gate_[static_cast<size_t>(b)] < 0 || buf_open_[static_cast<size_t>(b)]) continue;
    Gate& gate = gates_[static_cast<size_t>(buf_gate_[static_cast<size_t>(b)])];
    buf_open_[static_cast<size_t>(b)] = true;
    gate.live += model_.program.bufs[static_cast<size_t>(b)].size_lw;
    while (gate.next < gate.order.size() && buf_open_[static_cast<size_t>(gate.order[gate.next])]) ++gate.next;
  }
}

// The instruction is done with its buffers in step t.
void ListScheduler::leave_gates(int32_t insn, int32_t t) {
  for (int32_t b : model_.insns[static_cast<size_t>(insn)].bufs) {
    if (b < 0 || buf_gate_[static_cast<size_t>(b)] < 0 || --buf_left_[static_cast<size_t>(b)] > 0) continue;
    const VBuf& buf = model_.program.bufs[static_cast<size_t>(b)];
    if (buf.output || buf.fixed_addr) continue;
    gates_[static_cast<size_t>(buf_gate_[static_cast<size_t>(b)])].leaving.emplace_back(t + kLandingSteps, buf.size_lw);
  }
}

}  // namespace kumihimo::mncore2::sched
