#include "targets/mncore2/emu/strict.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;

auto order(const UnitCoord& u) { return std::tuple(u.g, u.s, u.b, u.m, u.p); }

std::string place(const UnitCoord& u) { return fmt::format("n{}c{}b{}m{}p{}", u.g, u.s, u.b, u.m, u.p); }

std::string what(FindingKind kind, int64_t detail) {
  switch (kind) {
    case FindingKind::kUndefinedAddress: return fmt::format("cycle {}: T or BAR holds undefined bits", detail);
    case FindingKind::kUndefinedConversion: return fmt::format("cycle {}: some members of the block are undefined", detail);
    case FindingKind::kUndefinedContraction:
      return fmt::format("cycle or row {}: some members of the block are undefined", detail);
    case FindingKind::kUndefinedReduction: return fmt::format("cycle or address {}: some members are undefined", detail);
    case FindingKind::kUndefinedDump: return fmt::format("address {} holds undefined bits", detail);
    case FindingKind::kOutOfRange: return fmt::format("address {} leaves the memory", detail);
    case FindingKind::kMisaligned: return fmt::format("address {}", detail);
    case FindingKind::kInFlight: return fmt::format("tag i{:02x} has not been waited for", detail);
    case FindingKind::kMatrixPrecision: return fmt::format("row {} was written in another precision", detail);
  }
  return {};
}

// The memory instances and address range of one side of an MV.
template <class F>
void regions_of(const MachineConfig& config, const isa::Insn& insn, bool destination, F f) {
  const isa::MvColumns& columns = insn.def->mv;
  const isa::MvSide& side = destination ? columns.dst : columns.src;
  const isa::Operand& o = destination ? insn.dsts[0] : insn.srcs[0];
  const int64_t units = insn.size / (columns.size_on_dst ? columns.dst.unit : columns.src.unit);
  const bool spread_g = side.other_g != 0, spread_s = side.other_s != 0;
  const int64_t reach = (spread_g ? (config.groups - 1) * side.other_g : 0) +
                        (spread_s ? (config.l2bs_per_group - 1) * side.other_s : 0);
  const int64_t end = o.addr[0] + side.unit * (units - 1) + reach + columns.run;
  for (int g = 0; g < config.groups; ++g)
    for (int s = 0; s < (side.mem == Mem::kL2bm ? config.l2bs_per_group.value : 1); ++s) {
      using isa::MvInstances;
      const bool one_group = side.instances == MvInstances::kOneGroup || side.instances == MvInstances::kOneL2b;
      const bool one_sub = side.instances == MvInstances::kOneL2b || side.instances == MvInstances::kOneL2bInGroup;
      if (one_group && g != o.group) continue;
      if (one_sub && s != std::max<int>(o.sub, 0)) continue;
      f(InFlight::Region{side.mem, g, s, o.addr[0], end});
    }
}

bool overlaps(const InFlight::Region& a, const InFlight::Region& b) {
  return a.mem == b.mem && a.g == b.g && a.s == b.s && a.begin < b.end && b.begin < a.end;
}

}  // namespace

void FindingLog::note(const Key& key, const Value& value) {
  auto [it, fresh] = found_.try_emplace(key, value);
  if (fresh) return;
  Value& kept = it->second;
  const uint64_t count = kept.count + value.count;
  if (std::tuple(order(value.where), value.detail) < std::tuple(order(kept.where), kept.detail)) kept = value;
  kept.count = count;
}

void FindingLog::add(FindingKind kind, uint32_t line, const isa::Insn* insn, int operand, UnitCoord where, int64_t detail) {
  note({line, operand, kind}, {where, detail, insn, 1});
}

void FindingLog::merge(const FindingLog& other) {
  for (const auto& [key, value] : other.found_) note(key, value);
}

std::vector<Diagnostic> describe(const FindingLog& log, const isa::Program& program, const std::string& file) {
  std::vector<Diagnostic> all;
  for (const auto& [key, value] : log.found()) {
    Diagnostic d;
    d.def = &diagnostic_of(key.kind);
    d.where = where_of(program.lines[key.line], file);
    d.headline = fmt::format("{} at {}", d.def->name, place(value.where));
    std::replace(d.headline.begin(), d.headline.end(), '_', ' ');
    if (value.insn != nullptr) d.op = std::string(value.insn->def->name);
    if (key.operand >= 8) d.operand = fmt::format("destination {}", key.operand - 7);
    else if (key.operand >= 0) d.operand = fmt::format("source {}", key.operand + 1);
    d.observed = what(key.kind, value.detail);
    d.required = std::string(d.def->rule);
    d.bound = {{"unit", place(value.where)}, {"detail", std::to_string(value.detail)}, {"count", std::to_string(value.count)}};
    all.push_back(std::move(d));
  }
  return all;
}

void InFlight::check(const Region& region, bool write, uint32_t line, const isa::Insn* insn, int operand,
                     Findings& findings) {
  for (const Moving& m : moving_) {
    // Two transfers may read the same words.
    if ((write || m.written) && overlaps(region, m.region))
      findings.add(FindingKind::kInFlight, line, insn, operand, {region.g, region.s, 0, 0, 0}, m.tag);
  }
}

void InFlight::mv(const Op& op, Findings& findings) {
  regions_of(config_, *op.insn, false, [&](const Region& r) { check(r, false, op.line, op.insn, 0, findings); });
  regions_of(config_, *op.insn, true, [&](const Region& r) { check(r, true, op.line, op.insn, 8, findings); });
  if (op.insn->tag == 0) return;
  regions_of(config_, *op.insn, false, [&](const Region& r) { moving_.push_back({r, false, op.insn->tag}); });
  regions_of(config_, *op.insn, true, [&](const Region& r) { moving_.push_back({r, true, op.insn->tag}); });
}

void InFlight::step(const StepPlan& step, Findings& findings) {
  for (const Op* op : {step.download, step.upload}) {
    if (op == nullptr || moving_.empty()) continue;
    const isa::L2bmColumns& f = op->insn->def->l2bm;
    const int64_t end = op->l2bm_addr + 3 * f.cycle_c + 7 * f.l1b_c + f.run;
    for (int g = 0; g < config_.groups; ++g)
      for (int s = 0; s < config_.l2bs_per_group; ++s)
        check({Mem::kL2bm, g, s, op->l2bm_addr, end}, f.upload, op->line, op->insn, f.upload ? 8 : 0, findings);
  }
}

void InFlight::access(const Region& region, bool write, uint32_t line, Findings& findings) {
  check(region, write, line, nullptr, -1, findings);
}

void InFlight::wait(uint8_t tag) {
  std::erase_if(moving_, [&](const Moving& m) { return m.tag == tag; });
}

}  // namespace kumihimo::mncore2::emu
