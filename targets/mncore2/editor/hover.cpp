// What a word means: the rows behind it, and what the rest of the line makes of it.
#include <algorithm>

#include "targets/mncore2/asm/read_operand.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/hazard/describe.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/describe.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"

namespace kumihimo::mncore2::editor {
namespace {

using isa::cat;

std::string_view cut(std::string_view text, size_t begin, size_t end) { return text.substr(begin, end - begin); }

// The instruction of an expression: from the whole line when it assembles, else from the expression alone.
std::optional<isa::Insn> decode(std::string_view mask, std::string_view line, const LineWords& words,
                                const Expression& expression) {
  size_t index = 0;
  for (const Expression& e : words.expressions) {
    if (&e == &expression) break;
    index += !e.words.empty();
  }
  if (auto whole = assemble_line(mask, line); whole && index < whole->insns.size()) return whole->insns[index];
  auto alone = assemble_line(mask, cut(line, expression.begin, expression.end));
  if (alone && alone->insns.size() == 1) return alone->insns[0];
  return std::nullopt;
}

isa::MaskState mask_state(std::string_view mask) {
  isa::MaskState state;
  if (auto line = assemble_line("", mask)) isa::apply_mask_statement(state, *line);
  return state;
}

std::string hazards(const isa::Insn& insn, std::string_view mask, const hazard::Profile& profile, int operand) {
  std::vector<hazard::Access> accesses;
  hazard::append_accesses(insn, mask_state(mask), accesses);
  std::string out;
  for (const hazard::Rule* rule : profile.rules) {
    const bool applies = std::any_of(accesses.begin(), accesses.end(), [&](const hazard::Access& a) {
      return (operand < 0 || a.operand == operand) && (a.kind == rule->write || a.kind == rule->read);
    });
    if (applies) out += cat("- ", hazard::describe_rule_line(*rule), "\n");
  }
  return out.empty() ? out : cat("\nDistances, profile ", profile.name, ":\n", out);
}

std::string mv_time(const isa::Insn& insn) {
  if (insn.def->unit != isa::Unit::kMv || !insn.def->has_dst()) return {};
  const isa::MvColumns& mv = insn.def->mv;
  return cat("- its ports are busy for ", isa::mv_port_cycles(insn), " cycles [", static_cast<char>(mv.rate_evidence),
             "]; the tag is notified ", isa::kMvTime.latency_cycles, " cycles later (", isa::kMvTime.name, " [",
             static_cast<char>(isa::kMvTime.evidence), "])\n");
}

// Words or long words that the four cycles touch.
std::string addresses(const isa::Operand& op) {
  const isa::MemDef& mem = isa::memory(op.mem);
  if (!mem.addressed) return {};
  if (mem.cls != isa::MemClass::kPe) return cat("- address ", op.addr[0], " of ", isa::address_count(op.mem), "\n");
  const int width = isa::width_words(op.width);
  std::string out = "- words";
  for (size_t c = 0; c < 4; ++c)
    out += cat(c == 0 ? " " : ", ", op.addr[c], width == 1 ? "" : cat("-", op.addr[c] + width - 1));
  out += cat(" in cycles 0 to 3, of ", isa::address_count(op.mem));
  if (op.t_indirect) out += ", plus the low bits of T";
  if (op.j >= 0) out += cat(", one access further in PEs 0 to ", op.j);
  return out + "\n";
}

std::string memory_heading(std::string_view word, const isa::Operand& op) {
  const isa::MemDef& mem = isa::memory(op.mem);
  std::string out = cat("**", mem.name, "** `", word, "`");
  if (mem.width_prefix && mem.addressed) out += cat(", ", isa::width_text(op.width));
  return out + "\n\n";
}

std::string hover_statement(const isa::StatementDef& def) {
  return cat("**", def.name, "**\n\n`", def.syntax, "`\n\n", def.doc, "\n\n- example: `", def.example,
             "`\n- source: ", def.source, " [", static_cast<char>(def.evidence), "] ", isa::evidence_text(def.evidence),
             "\n");
}

}  // namespace

std::string Document::hover_instruction(const Here& here, const Expression& expression) {
  const std::string_view word = cut(here.text, expression.words[0].begin, expression.words[0].end);
  const isa::Stem* stem = isa::find_stem(stem_text(word));
  if (stem == nullptr) return {};
  const auto insn = decode(here.mask, here.text, here.words, expression);
  std::string out = cat("**", stem->text, "**: ", isa::unit_text(stem->rows[0]->unit), "\n\n");
  bool first = true;
  for (const isa::InsnDef* def : stem->rows) {
    if (insn && insn->def != def) continue;
    if (!first) out += "\n---\n\n";
    first = false;
    out += isa::describe_row_markdown(*def);
  }
  if (const isa::InsnDef* reduce = stem->reduce; reduce != nullptr)
    out += cat("- ", reduce->name, ": ", reduce->doc, " (", reduce->source, " [", static_cast<char>(reduce->evidence),
               "])\n");
  if (!insn) return out;
  out += mv_time(*insn);
  if (const std::string when = position_text(static_cast<uint32_t>(here.index + 1)); !when.empty())
    out += cat("- ", when, "\n");
  return out + hazards(*insn, here.mask, profile_, -1);
}

std::string Document::hover_operand(const Here& here, const Expression& expression, int word) {
  const Word& w = expression.words[static_cast<size_t>(word)];
  const std::string_view text = cut(here.text, w.begin, w.end);
  vsm::AsmResult result;
  vsm::Cursor cursor{text};
  vsm::ReadOperand read;
  if (!vsm::read_operand(cursor, vsm::Reporter{result, {}, text, 1}, read) || !cursor.end()) return {};
  std::string out;
  if (read.is_literal) {
    constexpr char kHex[] = "0123456789abcdef";
    out = cat("**literal** `", text, "`\n\n- bits 0x");
    for (int shift = 28; shift >= 0; shift -= 4) out += kHex[read.literal >> shift & 15];
    out += '\n';
  } else {
    out = memory_heading(text, read.op) + addresses(read.op);
  }
  const auto insn = decode(here.mask, here.text, here.words, expression);
  if (!insn) return out;
  const isa::InsnDef& def = *insn->def;
  const bool literal_first = def.srcs[0].role == isa::OperandRole::kLiteral;
  // A literal is a source of the row and none of the decoded instruction.
  const int position = word - 1, sources = def.num_srcs();
  const bool is_source = position < sources;
  if (!is_source && !def.has_dst()) return out;
  out += isa::describe_operand_markdown(is_source ? def.srcs[static_cast<size_t>(position)] : def.dst, def.prec_mask);
  if (read.is_literal) return out;
  return out + hazards(*insn, here.mask, profile_, position - (literal_first ? 1 : 0));
}

std::optional<Hover> Document::hover(size_t offset) {
  const Here h = here(offset);
  const Expression* expression = expression_at(h.words, h.at);
  if (expression == nullptr) return std::nullopt;
  const int word = word_at(*expression, h.at);
  if (word < 0) return std::nullopt;
  const Word& w = expression->words[static_cast<size_t>(word)];
  Hover out{{h.begin + w.begin, h.begin + w.end}, {}};
  if (const isa::StatementDef* def = isa::statement_begun(h.text)) {
    out.markdown = hover_statement(*def);
    if (const auto line = assemble_line(h.mask, h.text); line && line->mem.mem != isa::Mem::kNone)
      out.markdown += cat("- memory: ", isa::memory(line->mem.mem).name, ", address ", line->mem.addr, "\n");
  } else {
    out.markdown = word == 0 ? hover_instruction(h, *expression) : hover_operand(h, *expression, word);
  }
  if (out.markdown.empty()) return std::nullopt;
  return out;
}

}  // namespace kumihimo::mncore2::editor
