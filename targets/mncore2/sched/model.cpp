#include "targets/mncore2/sched/model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "targets/mncore2/sched/depend.h"
#include "targets/mncore2/sched/mv_time.h"
#include "targets/mncore2/sched/tree_rules.h"
#include "targets/mncore2/sched/webs.h"

namespace kumihimo::mncore2::sched {

using isa::Unit;
using isa::Width;

namespace {

std::string insn_name(const VProgram& program, size_t index) {
  const VInsn& insn = program.insns[index];
  std::string name = "instruction " + std::to_string(index);
  if (insn.proto.def) name += " (" + std::string(insn.proto.def->name) + ")";
  return name;
}

Diagnostic malformed(const VProgram& program, size_t index, std::string observed, std::string required) {
  Diagnostic d = make_error("K5005", "virtual program is malformed at " + insn_name(program, index));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

// Everything later stages take for granted.
Status validate(const VProgram& program) {
  for (size_t r = 0; r < program.regs.size(); ++r) {
    const VReg& reg = program.regs[r];
    if (reg.rows < 0 || (!reg.literal && (reg.allowed & kAnyBank) == 0)) {
      Diagnostic d = make_error("K5004", "register " + reg.name + " has no bank to live in");
      d.observed = "allowed banks: none";
      d.required = "at least one of LM0 LM1 GRF0 GRF1 T";
      return d;
    }
  }
  for (size_t i = 0; i < program.insns.size(); ++i) {
    const VInsn& insn = program.insns[i];
    if (!insn.proto.def) return malformed(program, i, "no instruction row", "a row of isa::rows()");
    for (int side = 0; side < 2; ++side) {
      for (const VUse& use : side == 0 ? insn.srcs : insn.dsts) {
        switch (use.kind) {
          case VUseKind::kReg: {
            if (use.id >= program.regs.size())
              return malformed(program, i, "register id " + std::to_string(use.id), "an existing register");
            const VReg& reg = program.regs[use.id];
            if (reg.literal) {
              if (side == 1) return malformed(program, i, "a write to literal " + reg.name, "literals are only read");
              break;
            }
            const auto rows = touched_rows(use);
            if (rows[0] < 0 || rows[1] >= reg.rows)
              return malformed(program, i,
                               "rows " + std::to_string(rows[0]) + ".." + std::to_string(rows[1]) + " of " + reg.name,
                               "rows within 0.." + std::to_string(reg.rows - 1));
            if (use.width == Width::kDlw)
              for (int32_t row : use.row)
                if (row % 2 != 0)
                  return malformed(program, i,
                                   "a double long word at odd row " + std::to_string(row) + " of " + reg.name,
                                   "an even row");
            if (use.width == Width::kW)
              for (int8_t word : use.word)
                if (word != 0 && word != 1) return malformed(program, i, "word " + std::to_string(word), "word 0 or 1");
            break;
          }
          case VUseKind::kBuf: {
            if (use.id >= program.bufs.size())
              return malformed(program, i, "buffer id " + std::to_string(use.id), "an existing buffer");
            const VBuf& buf = program.bufs[use.id];
            for (int c = 0; c < 4; ++c) {
              const auto range = tree_range(*insn.proto.def, insn.proto.size, use, side == 1, buf.mem, c);
              if (range[0] < 0 || range[1] > buf.size_lw)
                return malformed(
                    program, i,
                    "long words " + std::to_string(range[0]) + ".." + std::to_string(range[1] - 1) + " of " + buf.name,
                    "within its " + std::to_string(buf.size_lw) + " long words");
            }
            break;
          }
          case VUseKind::kMat:
            if (use.id >= program.num_mats)
              return malformed(program, i, "matrix id " + std::to_string(use.id), "an existing matrix");
            break;
          case VUseKind::kConst:
          case VUseKind::kNone: break;
        }
      }
    }
    for (VMaskId mask : {insn.write_mask, insn.writes_mask})
      if (mask != kNoId && mask >= program.num_masks)
        return malformed(program, i, "mask id " + std::to_string(mask), "an existing mask");
  }
  return Ok{};
}

// Gives every virtual matrix or mask one of `count` cells (numbered from `first`), by program order: a cell is free
// after the last access of its occupant; of the free ones the longest unused is taken, which leaves the scheduler the
// most freedom. `accesses[i]` = ids that instruction i touches. Returns the position of the failure, if any.
std::optional<size_t> assign_cells(const std::vector<std::vector<uint32_t>>& accesses, size_t num_ids, int first,
                                   int count, std::vector<uint8_t>& cell) {
  std::vector<int64_t> last(num_ids, -1);
  for (size_t i = 0; i < accesses.size(); ++i)
    for (uint32_t id : accesses[i]) last[id] = static_cast<int64_t>(i);
  std::vector<int64_t> busy_until(static_cast<size_t>(count), -1);
  cell.assign(num_ids, 0);
  std::vector<bool> placed(num_ids, false);
  for (size_t i = 0; i < accesses.size(); ++i) {
    for (uint32_t id : accesses[i]) {
      if (placed[id]) continue;
      const auto oldest = std::min_element(busy_until.begin(), busy_until.end());
      if (*oldest >= static_cast<int64_t>(i)) return i;
      *oldest = last[id];
      cell[id] = static_cast<uint8_t>(first + (oldest - busy_until.begin()));
      placed[id] = true;
    }
  }
  return std::nullopt;
}

Status assign_sides_and_masks(Model& model) {
  const VProgram& program = model.program;
  std::vector<std::vector<uint32_t>> mats(program.insns.size()), masks(program.insns.size());
  for (size_t i = 0; i < program.insns.size(); ++i) {
    const VInsn& insn = program.insns[i];
    for (const auto* uses : {&insn.srcs, &insn.dsts})
      for (const VUse& use : *uses)
        if (use.kind == VUseKind::kMat) mats[i].push_back(use.id);
    for (VMaskId mask : {insn.write_mask, insn.writes_mask})
      if (mask != kNoId) masks[i].push_back(mask);
  }
  if (auto at = assign_cells(mats, program.num_mats, 0, 2, model.mat_side)) {
    Diagnostic d = make_error("K5002", "more than two matrices are in use at once at " + insn_name(program, *at));
    d.observed = "a third matrix is written before one of the two others has been read for the last time";
    d.required = "at most two live matrices (sides x and y)";
    return d;
  }
  if (auto at = assign_cells(masks, program.num_masks, 1, 15, model.mask_entry)) {
    Diagnostic d = make_error("K5003", "more than 15 masks are in use at once at " + insn_name(program, *at));
    d.observed = "a 16th mask is written while 15 others are still used later";
    d.required = "at most 15 live masks (entries 1 to 15)";
    return d;
  }
  return Ok{};
}

bool is_second_slot(const isa::InsnDef& row, int32_t operand) {
  // ISA 10.2 slot rule [X]: y of vfma and vmul enters slot 2, as the input of mwrite does.
  if (row.unit == Unit::kMauWrite) return operand == 0;
  return row.unit == Unit::kMauCalc && !row.reads_matrix() && row.srcs[static_cast<size_t>(operand)].name == "Y";
}

void fill_operands(
    Model& model, size_t index,
    std::map<std::tuple<int32_t, int, std::array<int32_t, 4>, std::array<int8_t, 4>>, int32_t>& patterns) {
  const VInsn& insn = model.program.insns[index];
  const isa::InsnDef& row = *insn.proto.def;
  InsnModel& m = model.insns[index];
  m.unit = row.unit;
  m.prec = insn.proto.prec;
  m.is_mv = row.unit == Unit::kMv;
  m.is_imm = row.name == "imm" || row.name == "immu";
  m.writes_flags = insn.writes_mask != kNoId;
  m.tree_port = tree_port(row);
  if (insn.write_mask != kNoId)
    m.mask_key = static_cast<int16_t>(model.mask_entry[insn.write_mask] | (insn.mask_ll ? 32 : 0));
  else if (insn.fixed_mask != 0)
    m.mask_key = static_cast<int16_t>(insn.fixed_mask | (insn.mask_ll ? 32 : 0));
  else if (insn.proto.zero_flush.present)
    m.mask_key = static_cast<int16_t>(insn.proto.zero_flush.entry | (insn.proto.zero_flush.ll ? 32 : 0));
  for (const auto* uses : {&insn.srcs, &insn.dsts})
    for (const VUse& use : *uses)
      if (use.kind == VUseKind::kMat) m.sides |= static_cast<uint8_t>(1u << model.mat_side[use.id]);
  auto pattern = [&](const VUse& use, int32_t web) {
    const auto key = std::make_tuple(web, static_cast<int>(use.width), use.row,
                                     use.width == Width::kW ? use.word : std::array<int8_t, 4>{});
    return patterns.try_emplace(key, static_cast<int32_t>(patterns.size())).first->second;
  };
  m.first_src = static_cast<int32_t>(model.srcs.size());
  for (size_t k = 0; k < insn.srcs.size(); ++k) {
    const int32_t web = model.operand_webs[index][0][k];
    if (web < 0) continue;
    const VUse& use = insn.srcs[k];
    const uint8_t modifiers = static_cast<uint8_t>((use.negate ? 1 : 0) | (use.convert == 'e'   ? 2
                                                                           : use.convert == 'r' ? 4
                                                                                                : 0));
    model.srcs.push_back({static_cast<int32_t>(k), web, pattern(use, web), 0, 0, -1,
                          is_second_slot(row, static_cast<int32_t>(k)), modifiers});
  }
  m.num_srcs = static_cast<int32_t>(model.srcs.size()) - m.first_src;
  m.first_dst = static_cast<int32_t>(model.dsts.size());
  for (size_t k = 0; k < insn.dsts.size(); ++k) {
    const int32_t web = model.operand_webs[index][1][k];
    if (web >= 0) model.dsts.push_back({static_cast<int32_t>(k), web, pattern(insn.dsts[k], web)});
  }
  m.num_dsts = static_cast<int32_t>(model.dsts.size()) - m.first_dst;
  size_t num_bufs = 0;
  for (const auto* uses : {&insn.srcs, &insn.dsts})
    for (const VUse& use : *uses)
      if (use.kind == VUseKind::kBuf && num_bufs < 2) m.bufs[num_bufs++] = static_cast<int32_t>(use.id);
  if (m.is_mv) {
    const auto time = mv_time(insn);
    m.ports = time.ports;
    m.port_cycles = time.port_cycles;
    m.latency_cycles = time.latency_cycles;
  }
}

}  // namespace

Result<Model> build_model(const VProgram& program, const MachineConfig& machine) {
  if (Status s = validate(program); !s) return s.take_error();
  Model model;
  model.program = materialise_literals(program);
  model.insns.resize(model.program.insns.size());
  split_into_webs(model);
  if (Status s = assign_sides_and_masks(model); !s) return s.take_error();
  std::map<std::tuple<int32_t, int, std::array<int32_t, 4>, std::array<int8_t, 4>>, int32_t> patterns;
  for (size_t i = 0; i < model.insns.size(); ++i) fill_operands(model, i, patterns);
  model.num_patterns = static_cast<int32_t>(patterns.size());
  derive_dependences(model);
  enumerate_choices(model, machine);
  for (const Web& web : model.webs) {
    if (!web.choices.empty()) continue;
    const VReg& reg = model.program.regs[web.reg];
    Diagnostic d = make_error("K5004", "register " + reg.name + " has no bank to live in");
    d.observed = std::to_string(web.rows) +
                 " rows; the banks it allows are too small, or cannot be written by imm (LM0), or need an address (T)";
    d.required = "an allowed bank that holds all rows";
    return d;
  }
  return model;
}

}  // namespace kumihimo::mncore2::sched
