#include "targets/mncore2/isa/describe.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::isa {

std::string_view unit_text(Unit unit) {
  switch (unit) {
    case Unit::kNop:
    case Unit::kNoforward:
    case Unit::kWait: return "control";
    case Unit::kL2bm:
    case Unit::kL2bmDarWrite: return "L2BM";
    case Unit::kL1bm: return "L1BM";
    case Unit::kL1bmTurnaround: return "L1BM turnaround";
    case Unit::kMauCalc: return "MAU calculation";
    case Unit::kMauWrite: return "matrix write";
    case Unit::kMauRead: return "matrix read";
    case Unit::kAlu: return "ALU";
    case Unit::kMv: return "MV";
  }
  return "";
}

std::string_view evidence_text(Evidence e) {
  switch (e) {
    case Evidence::kVendor: return "vendor's manual";
    case Evidence::kSingle: return "one secondary source";
    case Evidence::kEmulator: return "output of the vendor's emulator";
    case Evidence::kDevice: return "third-party test of emulator and device";
    case Evidence::kDerived: return "derived from published machine code";
    case Evidence::kAssembled: return "published code uses it";
    case Evidence::kInferred: return "inferred";
    case Evidence::kUnknown: return "unknown, needs a measurement";
  }
  return "";
}

std::string_view width_text(Width w) { return w == Width::kW ? "W" : w == Width::kLw ? "LW" : "DLW"; }

namespace {

using Json = nlohmann::ordered_json;

std::string_view role_text(OperandRole role) {
  switch (role) {
    case OperandRole::kNone: return "";
    case OperandRole::kPeSrc: return "LM, GRF, T, $mauf, $aluf, $lbf";
    case OperandRole::kAluX: return "LM, GRF, T, forwarding, constant";
    case OperandRole::kPeDst: return "LM, GRF, T, BAR, OMR, several at once, or $nowrite";
    case OperandRole::kMatrix: return "$lx or $ly";
    case OperandRole::kMatrixRow: return "row of $x or $y";
    case OperandRole::kL1bmAddr: return "L1BM address";
    case OperandRole::kTurnaround: return "$lbi";
    case OperandRole::kL1bmOrTurnaround: return "L1BM address or $lbi";
    case OperandRole::kL2bmAddr: return "L2BM address";
    case OperandRole::kMvMem: return "memory";
    case OperandRole::kDarAddr: return "first DAR entry";
    case OperandRole::kLiteral: return "literal";
    case OperandRole::kTag: return "tag";
    case OperandRole::kCount: return "count";
  }
  return "";
}

std::string precisions(uint16_t mask) {
  std::string out;
  for (unsigned p = 1; p < 8; ++p)
    if ((mask & (1u << p)) != 0) out += prec_letter(static_cast<Prec>(p));
  return out;
}

Json operand_json(const OperandDef& op, uint16_t prec_mask) {
  Json j;
  j["name"] = op.name;
  j["takes"] = role_text(op.role);
  const bool pe = op.role == OperandRole::kPeSrc || op.role == OperandRole::kAluX || op.role == OperandRole::kPeDst;
  if (pe) {
    Json width = Json::object();
    if (prec_mask == 0) width["any"] = width_text(op.width[0]);
    for (unsigned p = 1; p < 8; ++p)
      if ((prec_mask & (1u << p)) != 0)
        width[std::string(1, prec_letter(static_cast<Prec>(p)))] = width_text(op.width[p]);
    j["natural_width"] = width;
    if (op.negate) j["negate"] = true;
    if (op.widen != 0) j["widen_e"] = precisions(op.widen);
    if (op.round != 0) j["round_r"] = precisions(op.round);
  }
  return j;
}

Json formula_json(const L1bmFormula& f) {
  return {{"cycle", f.cycle}, {"mab", f.mab}, {"mab_quad", f.quad}, {"pe", f.pe}, {"word", f.word}};
}

Json side_json(const MvSide& side) {
  constexpr const char* kInstances[] = {"one group", "every group", "one L2B", "one L2B in every group", "every L2B"};
  return {{"memory", memory(side.mem).name},
          {"instances", kInstances[static_cast<size_t>(side.instances)]},
          {"unit_lw", side.unit},
          {"stride_of_other_group", side.other_g},
          {"stride_of_other_l2b", side.other_s}};
}

Json questions_json(const InsnDef& def) {
  Json list = Json::array();
  for (std::string_view rest = def.questions; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    list.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

Json row_json(const InsnDef& def) {
  Json j;
  j["name"] = def.name;
  if (!def.form.empty()) j["form"] = def.form;
  if (!def.alias.empty()) j["alias"] = def.alias;
  j["unit"] = unit_text(def.unit);
  j["syntax"] = def.syntax;
  j["doc"] = def.doc;
  if (def.prec_mask != 0) j["precisions"] = precisions(def.prec_mask);
  j["operands"] = Json::array();
  for (int i = 0; i < def.num_srcs(); ++i)
    j["operands"].push_back(operand_json(def.srcs[static_cast<size_t>(i)], def.prec_mask));
  if (def.has_dst()) j["destination"] = operand_json(def.dst, def.prec_mask);
  if (!def.flags.empty()) j["flag_is_1_when"] = def.flags;
  if (def.reads_matrix()) j["reads_matrix"] = true;
  if (def.writes_matrix()) j["writes_matrix"] = true;
  if (def.whole_dlw) j["whole_dlw"] = true;
  if (def.unit == Unit::kL1bm || def.unit == Unit::kL1bmTurnaround) {
    const L1bmColumns& c = def.l1bm;
    Json t = {{"upload", c.upload},
              {"lw", formula_json(c.lw)},
              {"rate_lw_per_cycle", c.rate_lw},
              {"align_lw", c.align_lw},
              {"safe_align_lw", c.safe_align_lw}};
    if (c.dlw.cycle != 0) {
      t["dlw"] = formula_json(c.dlw);
      t["rate_dlw_per_cycle"] = c.rate_dlw;
      t["align_dlw"] = c.align_dlw;
      t["safe_align_dlw"] = c.safe_align_dlw;
    }
    j["l1bm"] = std::move(t);
  }
  if (def.unit == Unit::kL2bm) {
    const L2bmColumns& c = def.l2bm;
    j["l2bm"] = {{"upload", c.upload},          {"run_lw", c.run},
                 {"l2bm_per_cycle", c.cycle_c}, {"l2bm_per_l1b", c.l1b_c},
                 {"l1bm_per_cycle", c.cycle_b}, {"align_l2bm", c.align_c},
                 {"align_l1bm", c.align_b}};
    if (c.l1b_shift != 0) j["l2bm"]["l1b_shift"] = c.l1b_shift;
  }
  if (def.unit == Unit::kMv && def.has_dst()) {
    const MvColumns& c = def.mv;
    j["mv"] = {{"section", c.sdm},
               {"src", side_json(c.src)},
               {"dst", side_json(c.dst)},
               {"run_lw", c.run},
               {"pairing", c.pairing == MvPairing::kAll ? "all" : "same group"},
               {"size_counts", c.size_on_dst ? "destination" : "source"},
               {"lw_per_cycle", c.rate},
               {"lw_per_cycle_across_groups", c.rate_cross_group},
               {"rate_evidence", std::string(1, static_cast<char>(c.rate_evidence))}};
  }
  j["example"] = def.example;
  j["source"] = def.source;
  j["evidence"] = std::string(1, static_cast<char>(def.evidence));
  if (!def.questions.empty()) j["open_questions"] = questions_json(def);
  return j;
}

// --- the page ----------------------------------------------------------------------------------------------------------

void append_operand(std::string& out, const OperandDef& op, uint16_t prec_mask) {
  out += cat("- `", op.name, "`: ", role_text(op.role));
  const bool pe = op.role == OperandRole::kPeSrc || op.role == OperandRole::kAluX || op.role == OperandRole::kPeDst;
  if (pe && prec_mask != 0) {
    bool uniform = true;
    Width first{};
    bool have = false;
    for (unsigned p = 1; p < 8; ++p) {
      if ((prec_mask & (1u << p)) == 0) continue;
      uniform = uniform && (!have || op.width[p] == first);
      if (!have) first = op.width[p];
      have = true;
    }
    if (uniform) {
      out += cat("; ", width_text(first));
    } else {
      for (unsigned p = 1; p < 8; ++p)
        if ((prec_mask & (1u << p)) != 0)
          out += cat("; ", prec_letter(static_cast<Prec>(p)), " ", width_text(op.width[p]));
    }
    if (op.negate) out += "; may be negated";
    if (op.widen != 0) out += cat("; `e` in ", precisions(op.widen));
    if (op.round != 0) out += cat("; `r` in ", precisions(op.round));
  }
  out += '\n';
}

std::string term(std::string_view variable, int factor) {
  if (factor == 0) return "";
  return factor == 1 ? cat(" + ", variable) : cat(" + ", factor, variable);
}

std::string l1bm_formula(const L1bmFormula& f) {
  return cat("B", term("c", f.cycle), term("m", f.mab), term("(m>>2)", f.quad), term("p", f.pe), term("w", f.word));
}

void append_transfer(std::string& out, const InsnDef& def) {
  if (def.unit == Unit::kL1bm || def.unit == Unit::kL1bmTurnaround) {
    const L1bmColumns& c = def.l1bm;
    if (def.unit == Unit::kL1bmTurnaround) {
      out += cat("- turnaround type: ", c.rate_lw, " long words per cycle",
                 c.dlw.cycle != 0 ? cat(" (`$llbi`: ", c.rate_dlw, ")") : "", "\n");
      return;
    }
    out += cat("- L1BM address: `", l1bm_formula(c.lw), "`");
    if (c.dlw.cycle != 0) out += cat("; `$llb`: `", l1bm_formula(c.dlw), "`");
    out += cat("\n- alignment: ", c.align_lw, c.dlw.cycle != 0 ? cat(", `$llb` ", c.align_dlw) : "");
    if (c.safe_align_lw != c.align_lw)
      out += cat("; code generation keeps ", c.safe_align_lw, c.dlw.cycle != 0 ? cat(", ", c.safe_align_dlw) : "");
    out += '\n';
  }
  if (def.unit == Unit::kL2bm) {
    const L2bmColumns& c = def.l2bm;
    if (def.srcs[0].role == def.dst.role) {
      out += cat("- `L1BM_b[B2", term("c", c.cycle_b), " + k] = L1BM_src[B", term("c", c.cycle_b), " + k]`, k < ",
                 c.run, "\n- alignment: ", c.align_b, "\n");
      return;
    }
    out += cat("- `L2BM[C", term("c", c.cycle_c), term(c.l1b_shift != 0 ? "(b>>1)" : "b", c.l1b_c), " + k]` ",
               c.upload ? "from" : "to", " `L1BM_b[B", term("c", c.cycle_b), " + k]`, k < ", c.run, "\n- alignment: C ",
               c.align_c, ", B ", c.align_b, "\n");
  }
  if (def.unit == Unit::kMv && def.has_dst()) {
    const MvColumns& c = def.mv;
    auto side = [](const MvSide& s, const char* base, const char* g, const char* l) {
      return cat(memory(s.mem).name, "[", base, term("i", s.unit), term(g, s.other_g), term(l, s.other_s), " + k]");
    };
    out += cat("- `", side(c.dst, "Q", "g", "s"), " = ", side(c.src, "P", "h", "t"), "`, k < ", c.run,
               "; source of group g, L2B s; destination of group h, L2B t",
               c.pairing == MvPairing::kSameGroup ? "; h = g" : "", "\n");
    out += cat("- size counts the ", c.size_on_dst ? "destination" : "source", " in units of ",
               c.size_on_dst ? c.dst.unit : c.src.unit, " long words; ", c.rate, " of them per cycle",
               c.rate_cross_group != c.rate ? cat(", ", c.rate_cross_group, " across groups") : "", " [",
               static_cast<char>(c.rate_evidence), "]\n");
  }
}

void append_row(std::string& out, const InsnDef& def) {
  out += cat("`", def.syntax, "`\n\n", def.doc, "\n\n");
  for (int i = 0; i < def.num_srcs(); ++i) append_operand(out, def.srcs[static_cast<size_t>(i)], def.prec_mask);
  if (def.has_dst()) append_operand(out, def.dst, def.prec_mask);
  append_transfer(out, def);
  if (!def.flags.empty()) out += cat("- flag is 1 when ", def.flags, "\n");
  if (def.whole_dlw) out += "- acts on the whole double long word\n";
  if (!def.alias.empty()) out += cat("- also spelled `", def.alias, "`\n");
  out += cat("- example: `", def.example, "`\n- source: ", def.source, " [", static_cast<char>(def.evidence), "] ",
             evidence_text(def.evidence), "\n");
  if (!def.questions.empty()) out += cat("- open questions: ", def.questions, "\n");
}

}  // namespace

std::string describe_row_markdown(const InsnDef& def) {
  std::string out;
  append_row(out, def);
  return out;
}

std::string describe_operand_markdown(const OperandDef& op, uint16_t prec_mask) {
  std::string out;
  append_operand(out, op, prec_mask);
  return out;
}

std::string describe_insns_json() {
  Json root;
  root["schema"] = "kumihimo/insns/1";
  root["instructions"] = Json::array();
  for (const InsnDef& def : rows()) root["instructions"].push_back(row_json(def));
  root["reductions"] = Json::array();
  for (const InsnDef& def : reductions())
    root["reductions"].push_back({{"name", def.name},
                                  {"precisions", precisions(def.prec_mask)},
                                  {"doc", def.doc},
                                  {"example", def.example},
                                  {"source", def.source},
                                  {"evidence", std::string(1, static_cast<char>(def.evidence))},
                                  {"open_questions", questions_json(def)}});
  root["memories"] = Json::array();
  for (const MemDef& def : memories()) {
    if (def.cls == MemClass::kNone) continue;
    Json j = {{"letters", def.letters}, {"name", def.name}};
    if (address_count(def.mem) > 0) j["addresses"] = address_count(def.mem);
    root["memories"].push_back(std::move(j));
  }
  root["mv_latency"] = {{"name", kMvTime.name},
                        {"cycles", kMvTime.latency_cycles},
                        {"evidence", std::string(1, static_cast<char>(kMvTime.evidence))}};
  return root.dump(1);
}

std::string describe_insns_markdown() {
  std::string out =
      "# Instructions of MN-Core 2\n\n"
      "Generated by `kumi describe insns --markdown` from the instruction rows; edit those.\n\n"
      "Letters: c cycle 0..3 of a step, g group, s L2B of a group, b L1B, m MAB, p PE, w half of a double long word (0 "
      "= MSB), k word of\n"
      "a run. W, LW, DLW = 32, 64, 128 bits. The letter in brackets says how a fact is known; section numbers refer to "
      "the ISA notes.\n\n"
      "| tag | known from |\n|---|---|\n";
  for (Evidence e : {Evidence::kVendor, Evidence::kSingle, Evidence::kEmulator, Evidence::kDevice, Evidence::kDerived,
                     Evidence::kAssembled, Evidence::kInferred, Evidence::kUnknown})
    out += cat("| ", static_cast<char>(e), " | ", evidence_text(e), " |\n");
  out += cat("\nThe latency of MVs is not published; the time model uses `", kMvTime.name,
             "` = ", kMvTime.latency_cycles, " cycles [?].\n");
  std::string_view unit;
  for (const InsnDef& def : rows()) {
    const std::string_view name = unit_text(def.unit);
    if (name != unit) out += cat("\n## ", name, "\n");
    unit = name;
    out += cat("\n### ", def.name, def.form.empty() ? "" : cat(" (", def.form, ")"), "\n\n");
    append_row(out, def);
  }
  out +=
      "\n## Reductions\n\nSuffixes of l1bmr and l2bmr, behind a precision letter.\n\n| name | precisions | meaning | "
      "source |\n|---|---|---|---|\n";
  for (const InsnDef& def : reductions())
    out += cat("| ", def.name, " | ", precisions(def.prec_mask), " | ", def.doc, " | ", def.source, " [",
               static_cast<char>(def.evidence), "] |\n");
  return out;
}

}  // namespace kumihimo::mncore2::isa
