#include "targets/mncore2/session/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "targets/mncore2/cost/cost_json.h"
#include "targets/mncore2/emu/access.h"

namespace kumihimo::mncore2::session {
namespace {

using nlohmann::json;

std::string hex(uint64_t word) { return fmt::format("0x{:016x}", word); }

json place_json(isa::Mem mem, UnitCoord unit, int64_t addr_lw) {
  return {{"place", place_text(mem, unit, addr_lw)},
          {"memory", emu::find_memory(mem)->dump_name},
          {"unit", unit_text(mem, unit)},
          {"address", printed_address(mem, addr_lw)}};
}

json line_json(const Session& s, std::optional<size_t> line) {
  if (!line) return nullptr;
  const SourceRange where = s.where(*line);
  return {{"file", s.file()}, {"line", where.line}, {"text", where.text}};
}

json event_json(const Session& s, const TraceEvent& event) {
  json j{{"step", event.step}, {"source", line_json(s, event.line)}, {"changes", json::array()}};
  for (const Change& c : event.changes) {
    json change = place_json(c.mem, c.unit, c.addr_lw);
    change["before"] = hex(c.before);
    change["after"] = hex(c.after);
    j["changes"].push_back(std::move(change));
  }
  return j;
}

}  // namespace

std::string diagnostic_json(const Diagnostic& d) {
  // One more field at the end: a program may have a finding for every line, so nothing is read back.
  std::string out = render_json(d);
  out.pop_back();
  out += ",\"text\":";
  out += json(render_text(d)).dump(-1, ' ', false, json::error_handler_t::replace);
  return out + "}";
}

std::string position_json(const Session& s) {
  const Position& p = s.position();
  const json j{{"machine", s.options().machine->name},
               {"strict", s.options().emu.strict},
               {"loaded", s.has_program()},
               {"step", p.step},
               {"ended", s.ended()},
               {"lines", s.program().lines.size()},
               {"next", s.ended() ? json() : line_json(s, p.line)},
               {"findings", s.machine().findings().size()}};
  return j.dump();
}

std::string progress_json(const Session& s, const Progress& p) {
  json j{{"steps", p.steps}, {"mv", p.mvs}, {"ended", p.ended}, {"step", s.position().step}, {"dumps", p.dumps}};
  if (p.trace.empty() && p.trace_dropped == 0) return j.dump();
  j["trace"] = json::array();
  for (const TraceEvent& e : p.trace) j["trace"].push_back(event_json(s, e));
  j["trace_dropped"] = p.trace_dropped;
  return j.dump();
}

std::string divergence_json(const Session& a, const Session& b, const DivergeReport& report) {
  json j{{"diverged", report.first.has_value()},
         {"steps", {report.steps_a, report.steps_b}},
         {"words_compared", report.compared}};
  if (!report.first) return j.dump();
  const Divergence& d = *report.first;
  if (d.mark.empty()) {
    j["step"] = d.step_a;
  } else {
    j["mark"] = d.mark;
    j["step"] = {d.step_a, d.step_b};
  }
  j["sources"] = {line_json(a, d.line_a), line_json(b, d.line_b)};
  j["differing_words"] = d.differing;
  j["words"] = json::array();
  for (const Difference& w : d.words) {
    json word = place_json(w.mem, w.unit, w.addr_lw);
    word["values"] = {hex(w.a), hex(w.b)};
    j["words"].push_back(std::move(word));
  }
  return j.dump();
}

std::string statistics_json(const Session& s) {
  const cost::CostReport report = s.statistics();
  json j = json::parse(cost::to_json(report, *s.options().machine));
  j["text"] = cost::to_table(report, *s.options().machine);
  return j.dump();
}

}  // namespace kumihimo::mncore2::session
