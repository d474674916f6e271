// From a virtual program to VSM: the back half of lowering.
//
//   Result<Scheduled> s = schedule(vprogram);
//   s->program            the isa::Program, ready for printer, emulator and cost model
//   s->step[i]            step in which virtual instruction i issues (for an MV: the step it stands before)
//
// Law: the scheduled program computes the bits of the virtual program executed one instruction after the
// other; schedule only chooses time and place. It is deterministic: the search below counts evaluations, not
// seconds, and draws from a seeded generator.
//
// How. (1) webs.h splits the virtual registers into webs, the pieces that must share one place, and
// depend.h derives all dependences from the accesses, row by row and cycle by cycle. (2) list.h is a list
// scheduler for one assignment of webs to banks (one bank, two copies, or none: forwarding only); it packs
// units into steps under the issue and port rules, forwards, issues MVs, places waits. (3) search.h tries
// assignments and priorities, scored by the list scheduler itself. (4) alloc/ finds addresses with reuse;
// emit.h writes the program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sched/vprogram.h"

namespace kumihimo::mncore2::sched {

struct ScheduleOptions {
  const MachineConfig* machine = nullptr;  // capacities; null = mncore2
  uint64_t seed = 1;
  // Evaluations of the search; -1 = by program size (about 0.3 s for some hundred instructions), 0 = none.
  int32_t evaluations = -1;
  // One instruction after the other without packing, forwarding or overlap: the yardstick of tests.
  bool sequential = false;
};

// Where a piece of a register lived. A web is a set of rows between a definition and its last use; a register
// whose rows are used independently, or rewritten, has several.
struct WebPlace {
  VRegId reg = kNoId;
  int32_t first_row = 0, rows = 0;
  int32_t first_step = 0, last_step = 0;  // first write, last read
  std::vector<RegPlace> places;           // one per bank that holds a copy; empty = only forwarded
};

struct ScheduleStats {
  int32_t steps = 0;   // PE words, nops included
  int64_t cycles = 0;  // 4 * steps + stalls of waits, until the last wait
  int64_t stall_cycles = 0;
  int32_t mv_count = 0;
  int32_t forwarded = 0;         // operands served by forwarding
  int32_t dropped_writes = 0;    // destinations not written because every consumer was forwarded
  int32_t copies = 0;            // webs held in two banks
  int32_t evaluations = 0;       // runs of the list scheduler
  int64_t first_cycles = 0;      // cycles before the search
  std::vector<int32_t> peak_lw;  // per bank (LM0 LM1 GRF0 GRF1 T): highest address in use + 1
  int64_t peak_l1bm_lw = 0, peak_l2bm_lw = 0;
};

struct Scheduled {
  isa::Program program;
  std::vector<std::string> notes;                // one per line: what the line computes, by register names
  std::vector<std::vector<int32_t>> line_nodes;  // one per line: LEIR nodes of its instructions

  VProgram vprogram;               // the input with one imm per literal register that is used, and long MVs cut
  std::vector<int32_t> step;       // per instruction of vprogram
  std::vector<int32_t> wait_step;  // per instruction: step that waits for this MV; -1 for PE instructions
  std::vector<uint8_t> tag;        // per instruction: MV tag, 0 for PE instructions
  int32_t num_steps = 0;

  std::vector<WebPlace> webs;
  std::vector<std::vector<RegPlace>> places;         // per register: its places when it is a single web, else empty
  std::vector<std::vector<RegPlace>> output_places;  // per register: empty unless it is an output that was written
  std::vector<int64_t> buf_addr;                     // per buffer, long words
  ScheduleStats stats;

  // Place of an output register at the end of the program.
  RegPlace output_place(VRegId reg) const;
};

Result<Scheduled> schedule(const VProgram& program, const ScheduleOptions& options = {});

// Diagnostics of scheduling and allocation (K5xxx), registered by the target.
std::span<const DiagDef> diagnostics();

}  // namespace kumihimo::mncore2::sched
