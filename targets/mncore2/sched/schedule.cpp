#include "targets/mncore2/sched/schedule.h"

#include <algorithm>
#include <cassert>
#include <memory>

#include "targets/mncore2/sched/emit.h"
#include "targets/mncore2/sched/places.h"
#include "targets/mncore2/sched/search.h"
#include "targets/mncore2/sched/webs.h"

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

// Long words per MV that are tried; 0 = as the program says.
constexpr uint32_t kChunks[] = {0, 1024, 512};
// Last of all without gates: then the allocation says what does not fit.
constexpr int32_t kGatePercents[] = {100, 85, 70, 50, 0};

bool has_longer_mv(const VProgram& program, uint32_t chunk_lw) {
  return std::any_of(program.insns.begin(), program.insns.end(), [&](const VInsn& insn) {
    return insn.proto.def && insn.proto.def->unit == isa::Unit::kMv && insn.proto.size > chunk_lw;
  });
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

// Addresses for the schedule found. An allocation may fail where the pressure alone would fit; then the web that did not
// fit moves to its next choice that avoids the full bank.
Result<Places> place_with_moves(const Model& model, const MachineConfig& machine, const ListOptions& list_options,
                                SearchResult& found, bool& tree_memory) {
  PlaceFailure failure;
  Result<Places> places = find_places(model, machine, found.assignment, found.timing, failure);
  ListScheduler scheduler(model, machine, list_options);
  std::vector<size_t> next_choice(model.webs.size(), 0);
  while (!places && failure.web >= 0) {
    const size_t w = static_cast<size_t>(failure.web);
    const Web& web = model.webs[w];
    bool moved = false;
    for (; !moved && next_choice[w] < web.choices.size(); ++next_choice[w]) {
      const Choice& c = web.choices[next_choice[w]];
      if (std::find(c.bank.begin(), c.bank.end(), failure.bank) != c.bank.end() || c.forward_only()) continue;
      Assignment trial = found.assignment;
      trial.choice[w] = static_cast<int16_t>(next_choice[w]);
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
  tree_memory = !places && failure.web < 0;
  return places;
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
  ListOptions list_options;
  list_options.sequential = options.sequential;

  // Long MVs may be cut, so that what arrives first is used first; the start says which size pays.
  std::unique_ptr<Model> chosen;
  SearchResult found;
  for (uint32_t chunk_lw : kChunks) {
    if (chunk_lw != 0 && (options.sequential || !has_longer_mv(program, chunk_lw))) continue;
    Result<Model> built = build_model(split_mvs(program, chunk_lw), machine);
    if (!built) return built.take_error();
    auto trial = std::make_unique<Model>(std::move(*built));
    SearchResult start = search_start(*trial, machine, list_options);
    if (chosen && start.score >= found.score) continue;
    chosen = std::move(trial);
    found = std::move(start);
  }
  const Model& model = *chosen;
  int32_t evaluations = options.evaluations >= 0 ? options.evaluations : default_evaluations(model);
  if (options.sequential) evaluations = 0;

  // A tree memory may be too full although the sum fits: begin fewer buffers at once.
  Result<Places> places = Diagnostic{};
  const SearchResult start = std::move(found);
  for (int32_t percent : kGatePercents) {
    list_options.gate_percent = percent;
    found = search(model, machine, percent == 100 ? start : search_start(model, machine, list_options), options.seed,
                   percent == 0 ? 0 : evaluations, list_options);
    if (!found.timing.complete) {
      if (percent == 0) return unschedulable(model, found.timing);
      continue;
    }
    bool tree_memory = false;
    places = place_with_moves(model, machine, list_options, found, tree_memory);
    if (places || !tree_memory) break;
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
