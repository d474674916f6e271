#include "targets/mncore2/sched/schedule.h"

#include <algorithm>
#include <cassert>

#include "targets/mncore2/sched/emit.h"
#include "targets/mncore2/sched/places.h"
#include "targets/mncore2/sched/search.h"

namespace kumihimo::mncore2::sched {

namespace {

constexpr DiagDef kDiagnostics[] = {
    {"K5001", "does_not_fit", "What is live at one time must fit into its memory."},
    {"K5002", "too_many_matrices",
     "A MAB holds two matrices, x and y; a third must wait until one of them has been read."},
    {"K5003", "too_many_masks", "A PE holds 15 mask entries that can be written."},
    {"K5004", "no_bank", "A register must have a bank that it may live in and that the instructions can reach."},
    {"K5005", "malformed_virtual_program",
     "Operands of a virtual program name existing registers, buffers, matrices and masks, within their sizes."},
    {"K5006", "unschedulable", "Every instruction must find ports for its operands in some step."},
};

// Measured for some hundred instructions: about 0.3 s.
int32_t default_evaluations(const Model& model) {
  const int64_t n = std::max<int64_t>(1, static_cast<int64_t>(model.insns.size()));
  return static_cast<int32_t>(std::clamp<int64_t>(300'000 / n, 40, 2000));
}

Diagnostic unschedulable(const Model& model, const Timing& timing) {
  std::string names;
  for (size_t i = 0; i < model.insns.size() && names.size() < 120; ++i) {
    if (timing.step[i] < timing.num_steps || timing.step[i] < INT32_MAX / 2) continue;
    names +=
        (names.empty() ? "" : ", ") + std::to_string(i) + " " + std::string(model.program.insns[i].proto.def->name);
  }
  Diagnostic d = make_error("K5006", "no step can hold some instructions");
  d.observed = "not placed: " + (names.empty() ? std::string("none") : names);
  d.required = "distinct ports for all register sources of an instruction among the banks that their registers allow";
  return d;
}

}  // namespace

std::span<const DiagDef> diagnostics() { return kDiagnostics; }

RegPlace Scheduled::output_place(VRegId reg) const {
  const std::vector<RegPlace>& list = output_places[reg];
  assert(!list.empty() && "not an output, or never written");
  return list.front();
}

Result<Scheduled> schedule(const VProgram& program, const ScheduleOptions& options) {
  const MachineConfig& machine = options.machine ? *options.machine : *find_machine("mncore2");
  Result<Model> built = build_model(program, machine);
  if (!built) return built.take_error();
  const Model& model = *built;

  const int32_t evaluations = options.evaluations >= 0 ? options.evaluations : default_evaluations(model);
  SearchResult found = search(model, machine, options.seed, evaluations, options.sequential);
  if (!found.timing.complete) return unschedulable(model, found.timing);

  // An allocation may fail where the pressure alone would fit. Then the web that did not fit moves to its next choice
  // that avoids the full bank.
  PlaceFailure failure;
  Result<Places> places = find_places(model, machine, found.assignment, found.timing, failure);
  ListScheduler scheduler(model, machine, options.sequential);
  std::vector<int16_t> next_choice(model.webs.size(), 0);
  while (!places && failure.web >= 0) {
    const size_t w = static_cast<size_t>(failure.web);
    const Web& web = model.webs[w];
    bool moved = false;
    while (!moved && next_choice[w] < static_cast<int16_t>(web.choices.size())) {
      const Choice& c = web.choices[static_cast<size_t>(next_choice[w])];
      if (std::find(c.bank.begin(), c.bank.end(), failure.bank) != c.bank.end() || c.forward_only()) {
        ++next_choice[w];
        continue;
      }
      Assignment trial = found.assignment;
      trial.choice[w] = next_choice[w]++;
      const Timing& timing = scheduler.run(trial);
      if (!timing.complete) continue;
      found.assignment = std::move(trial);
      found.timing = timing;
      moved = true;
    }
    if (!moved) break;
    failure.web = -1;
    places = find_places(model, machine, found.assignment, found.timing, failure);
  }
  if (!places) return places.take_error();

  const Timing& timing = found.timing;
  Scheduled out;
  emit_program(model, timing, *places, out);
  out.vprogram = model.program;
  out.step = timing.step;
  out.wait_step = timing.wait_step;
  out.tag = timing.tag;
  out.num_steps = timing.num_steps;
  out.buf_addr = places->buf_addr;

  ScheduleStats& stats = out.stats;
  std::vector<int32_t> webs_of_reg(model.program.regs.size(), 0);
  out.places.resize(model.program.regs.size());
  out.output_places.resize(model.program.regs.size());
  for (size_t w = 0; w < model.webs.size(); ++w) {
    const Web& web = model.webs[w];
    const Choice& choice = web.choices[static_cast<size_t>(found.assignment.choice[w])];
    WebPlace place{web.reg, web.first_row, web.rows, places->web_life[w][0], places->web_life[w][1], {}};
    for (int c = 0; c < choice.count; ++c) {
      const int8_t bank = choice.bank[static_cast<size_t>(c)];
      const int32_t addr = places->web_addr[w][static_cast<size_t>(bank)];
      if (addr >= 0) place.places.push_back({static_cast<Bank>(bank), addr});
    }
    if (place.places.size() > 1) ++stats.copies;
    if (web.output) out.output_places[web.reg] = place.places;
    if (++webs_of_reg[web.reg] == 1 && web.first_row == 0)
      out.places[web.reg] = place.places;
    else
      out.places[web.reg].clear();
    out.webs.push_back(std::move(place));
  }
  stats.steps = timing.num_steps;
  stats.cycles = timing.cycles;
  stats.stall_cycles = timing.stall_cycles;
  for (const InsnModel& m : model.insns) stats.mv_count += m.is_mv;
  for (int8_t place : timing.src_place) stats.forwarded += place == kFromLatch;
  for (uint8_t banks : places->written) stats.dropped_writes += banks == 0;
  stats.evaluations = found.evaluations;
  stats.first_cycles = found.first_cycles;
  for (int64_t peak : places->peak) stats.peak_lw.push_back(static_cast<int32_t>(peak));
  stats.peak_l1bm_lw = places->peak_l1bm;
  stats.peak_l2bm_lw = places->peak_l2bm;
  return out;
}

}  // namespace kumihimo::mncore2::sched
