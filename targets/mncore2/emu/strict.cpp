#include "targets/mncore2/emu/strict.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;

auto order(const UnitCoord& u) { return std::tuple(u.g, u.s, u.b, u.m, u.p); }

std::string place(const UnitCoord& u) { return fmt::format("n{}c{}b{}m{}p{}", u.g, u.s, u.b, u.m, u.p); }

std::string what(FindingKind kind, int64_t detail) {
  switch (kind) {
    case FindingKind::kUndefinedAddress: return fmt::format("cycle {}: T or BAR holds undefined bits", detail);
    case FindingKind::kUndefinedConversion:
      return fmt::format("cycle {}: some members of the block are undefined", detail);
    case FindingKind::kUndefinedContraction:
      return fmt::format("cycle or row {}: some members of the block are undefined", detail);
    case FindingKind::kUndefinedReduction:
      return fmt::format("cycle or address {}: some members are undefined", detail);
    case FindingKind::kUndefinedDump: return fmt::format("address {} holds undefined bits", detail);
    case FindingKind::kOutOfRange: return fmt::format("address {} leaves the memory", detail);
    case FindingKind::kMisaligned: return fmt::format("address {}", detail);
    case FindingKind::kInFlight: return fmt::format("tag i{:02x} has not been waited for", detail);
    case FindingKind::kMatrixPrecision: return fmt::format("row {} was written in another precision", detail);
  }
  return {};
}

bool overlap(const isa::MvRange& a, const isa::MvRange& b) {
  return a.mem == b.mem && (a.instances & b.instances) != 0 && a.addr < b.addr + b.length && b.addr < a.addr + a.length;
}

// First unit of a set of instances: bit g for DRAM and PDM, bit 2g+s for L2BM.
UnitCoord first_unit(const isa::MvRange& range) {
  const int bit = std::countr_zero(static_cast<unsigned>(range.instances));
  return range.mem == Mem::kL2bm ? UnitCoord{bit / 2, bit % 2, 0, 0, 0} : UnitCoord{bit, 0, 0, 0, 0};
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

void FindingLog::add(FindingKind kind, uint32_t line, const isa::Insn* insn, int operand, UnitCoord where,
                     int64_t detail) {
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
    if (key.operand >= 8)
      d.operand = fmt::format("destination {}", key.operand - 7);
    else if (key.operand >= 0)
      d.operand = fmt::format("source {}", key.operand + 1);
    d.observed = what(key.kind, value.detail);
    d.required = std::string(d.def->rule);
    d.bound = {
        {"unit", place(value.where)}, {"detail", std::to_string(value.detail)}, {"count", std::to_string(value.count)}};
    all.push_back(std::move(d));
  }
  return all;
}

void InFlight::check(const isa::MvRange& range, bool write, std::string_view kind, uint32_t line, const isa::Insn* insn,
                     int operand, Findings& findings) {
  for (const Moving& m : moving_) {
    if (m.tag == 0 || m.kind == kind) continue;
    // Two transfers may read the same words.
    if (overlap(range, m.footprint.dst) || (write && overlap(range, m.footprint.src)))
      findings.add(FindingKind::kInFlight, line, insn, operand, first_unit(range), m.tag);
  }
}

void InFlight::mv(const Op& op, Findings& findings) {
  const isa::Insn& insn = *op.insn;
  const isa::MvFootprint f = isa::mv_footprint(insn);
  check(f.src, false, insn.def->name, op.line, &insn, 0, findings);
  check(f.dst, true, insn.def->name, op.line, &insn, 8, findings);
  moving_.push_back({f, isa::mv_ports(insn), insn.def->name, insn.tag});
}

void InFlight::step(const StepPlan& step, Findings& findings) {
  for (const Op* op : {step.download, step.upload}) {
    if (op == nullptr || moving_.empty()) continue;
    if (op->insn->srcs[0].mem == op->insn->dsts[0].mem) continue;  // l2bmi: between L1BMs
    const isa::L2bmColumns& f = op->insn->def->l2bm;
    const isa::MvRange touched{Mem::kL2bm, 0xff, op->l2bm_addr, 3 * f.cycle_c + f.row_lw()};
    check(touched, f.upload, {}, op->line, op->insn, f.upload ? 8 : 0, findings);
  }
}

// l2bmdars reads L2BMs, l2bmdarw writes entries that an MV through DAR may still have to read.
void InFlight::dar(const Op& op, Findings& findings) {
  const isa::Insn& insn = *op.insn;
  if (insn.def->has_dst()) {
    const isa::L2bmColumns& f = insn.def->l2bm;
    const auto l2bms = static_cast<uint8_t>(insn.srcs[0].sub == 0 ? 0x55 : 0xaa);  // bit 2g + s
    check({Mem::kL2bm, l2bms, op.l2bm_addr, 3 * f.cycle_c + f.row_lw()}, false, {}, op.line, &insn, 0, findings);
    dar_next_ = insn.dsts[0].addr[0];
    return;
  }
  check({Mem::kDar, 0xf, dar_next_, 4}, true, {}, op.line, &insn, 8, findings);
  dar_next_ = (dar_next_ + 4) % kDarEntries;
}

void InFlight::access(const isa::MvRange& range, bool write, uint32_t line, Findings& findings) {
  check(range, write, {}, line, nullptr, -1, findings);
}

void InFlight::wait(uint8_t tag) {
  isa::MvPorts done = 0;
  for (size_t i = moving_.size(); i-- > 0;) {
    const Moving& m = moving_[i];
    if (m.tag != tag && (m.ports & done) == 0) continue;
    done = static_cast<isa::MvPorts>(done | m.ports);
    moving_.erase(moving_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void InFlight::save(ByteWriter& out) const {
  out.u64(static_cast<uint64_t>(dar_next_));
  out.u64(moving_.size());
  for (const Moving& m : moving_) {
    for (const isa::MvRange& r : {m.footprint.src, m.footprint.dst}) {
      out.u8(static_cast<uint8_t>(r.mem));
      out.u8(r.instances);
      out.u64(static_cast<uint64_t>(r.addr));
      out.u64(static_cast<uint64_t>(r.length));
    }
    out.u64(m.ports);
    out.text(m.kind);
    out.u8(m.tag);
  }
}

void InFlight::load(ByteReader& in) {
  moving_.clear();
  dar_next_ = static_cast<int64_t>(in.u64());
  for (uint64_t left = in.u64(); left > 0 && in.ok(); --left) {
    Moving m;
    for (isa::MvRange* r : {&m.footprint.src, &m.footprint.dst}) {
      const uint8_t mem = in.u8();
      if (mem > static_cast<uint8_t>(Mem::kImm)) in.fail();
      r->mem = static_cast<Mem>(mem);
      r->instances = in.u8();
      r->addr = static_cast<int64_t>(in.u64());
      r->length = static_cast<int64_t>(in.u64());
    }
    m.ports = static_cast<isa::MvPorts>(in.u64());
    const std::string kind = in.text();
    const auto row = std::ranges::find(isa::rows(), kind, &isa::InsnDef::name);
    if (row == isa::rows().end()) {
      in.fail();
      return;
    }
    m.kind = row->name;  // lives as long as the process
    m.tag = in.u8();
    if (in.ok()) moving_.push_back(m);
  }
}

}  // namespace kumihimo::mncore2::emu
