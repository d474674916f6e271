// What may stand at a place: every candidate is put there, the rest of the instruction is filled in from the example of
// its row, and it is offered when the assembler has nothing against the line.
#include <algorithm>
#include <map>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/editor/operands.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/describe.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"

namespace kumihimo::mncore2::editor {
namespace {

using isa::cat;
using isa::InsnDef;
using isa::OperandRole;
using Texts = std::vector<std::string>;

Texts texts(std::string_view line, const Expression& e) {
  Texts out;
  for (const Word& w : e.words) out.emplace_back(line.substr(w.begin, w.end - w.begin));
  return out;
}

std::string joined(const Texts& words) {
  std::string out;
  for (const std::string& w : words) out += cat(out.empty() ? "" : " ", w);
  return out;
}

// The other expressions of the line, as far as they assemble together.
std::string others(std::string_view mask, std::string_view line, const LineWords& words, const Expression& except) {
  std::string out;
  for (const Expression& e : words.expressions)
    if (&e != &except && !e.words.empty()) out += cat("; ", line.substr(e.begin, e.end - e.begin));
  if (!out.empty() && !assemble_line(mask, out.substr(2))) out.clear();
  return out;
}

// The words of a row's example: of its own expression, where the example has several.
Texts example_words(std::string_view example, const InsnDef* def) {
  const LineWords line = split_line(example);
  for (const Expression& e : line.expressions) {
    Texts words = texts(example, e);
    if (def == nullptr) return words;
    const isa::Stem* stem = words.empty() ? nullptr : isa::find_stem(stem_text(words[0]));
    if (stem != nullptr && std::find(stem->rows.begin(), stem->rows.end(), def) != stem->rows.end()) return words;
  }
  return {};
}

// What fills the operands that are not written yet: places that conflict with nothing, then the example's own.
std::string filler(const InsnDef* def, const Texts& example, size_t word, bool neutral) {
  if (def != nullptr && neutral) {
    const auto sources = static_cast<size_t>(def->num_srcs());
    const OperandRole role = word - 1 < sources ? def->srcs[word - 1].role : def->dst.role;
    if (role == OperandRole::kPeSrc || role == OperandRole::kAluX) return "$aluf";
    if (role == OperandRole::kPeDst) return "$nowrite";
  }
  return example[word];
}

struct Form {
  const InsnDef* def;  // null for a statement
  Texts example;
};

// A place in a line for one word, tried with candidates.
class Place {
 public:
  Place(std::string mask, Texts words, size_t word, std::string rest, std::vector<Form> forms)
      : mask_(std::move(mask)),
        rest_(std::move(rest)),
        words_(std::move(words)),
        word_(word),
        forms_(std::move(forms)) {}

  // The form that takes it; null when none does.
  const Form* accepts(const std::string& candidate, bool with_options) const {
    for (const Form& form : forms_) {
      // Without operands to fill both ways are the same.
      const bool fills = std::max(words_.size(), word_ + 1) < form.example.size();
      for (bool neutral : {true, false}) {
        if (!neutral && !fills) break;
        if (assemble_line(mask_, line(form, candidate, neutral, with_options))) return &form;
      }
    }
    return nullptr;
  }

 private:
  std::string line(const Form& form, const std::string& candidate, bool neutral, bool with_options) const {
    Texts all(std::max({words_.size(), form.example.size(), word_ + 1}));
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = i == word_ ? candidate : i < words_.size() ? words_[i] : filler(form.def, form.example, i, neutral);
    if (with_options) all[0] += form.example[0].substr(stem_text(form.example[0]).size());
    return joined(all) + rest_;
  }

  std::string mask_, rest_;
  Texts words_;
  size_t word_;
  std::vector<Form> forms_;
};

// Whether a unit is still free beside the rest of the line.
bool unit_is_free(std::string_view mask, const InsnDef& def, const std::string& rest) {
  const vsm::AsmResult r = vsm::assemble(cat(mask, "\n", joined(example_words(def.example, &def)), rest));
  return std::none_of(r.errors.begin(), r.errors.end(), [](const Diagnostic& d) {
    return d.def == &isa::diag::kIssueGroup || d.def == &isa::diag::kNopAlone || d.def == &isa::diag::kStepShape;
  });
}

// "l1bmm@${1:0} ${2:SRC} ${3:LB}": the options that the row needs, and its operands by name.
std::string instruction_snippet(const isa::Stem& stem, const InsnDef& def) {
  std::string out = stem.text;
  int stops = 0;
  const bool options = def.allows(isa::kOptMab) || def.allows(isa::kOptL1bIndex) ||
                       (def.unit == isa::Unit::kMv && def.has_dst()) ||
                       (def.allows(isa::kOptBfBits) && stem.prec == isa::Prec::kH);
  if (options) {
    const Texts example = example_words(def.example, &def);
    const std::string text = example[0].substr(stem_text(example[0]).size());
    for (size_t i = 0; i < text.size();) {
      size_t end = text.find_first_not_of("0123456789", i);
      if (end == std::string::npos) end = text.size();
      if (end > i) {
        out += cat("${", ++stops, ":", text.substr(i, end - i), "}");
        i = end;
      } else {
        out += text[i++];
      }
    }
  }
  for (int i = 0; i < def.num_srcs(); ++i) out += cat(" ${", ++stops, ":", def.srcs[static_cast<size_t>(i)].name, "}");
  if (def.has_dst()) out += cat(" ${", ++stops, ":", def.dst.name, "}");
  return stops == 0 ? std::string() : out;
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

}  // namespace

std::vector<Completion> Document::complete(size_t offset) const {
  std::vector<Completion> out;
  const Here h = here(offset);
  const Expression* expression = expression_at(h.words, h.at);
  if (expression == nullptr) return out;
  Texts words = texts(h.text, *expression);
  size_t word = 0;  // the word that is being written; one that does not exist yet stands behind those before the offset
  while (word < words.size() && expression->words[word].end < h.at) ++word;
  const bool exists = word < words.size() && expression->words[word].begin <= h.at;
  const Span replace = exists ? Span{h.begin + expression->words[word].begin, h.begin + expression->words[word].end}
                              : Span{h.begin + h.at, h.begin + h.at};
  const std::string typed(h.text.substr(replace.begin - h.begin, h.at - (replace.begin - h.begin)));
  if (!exists) words.insert(words.begin() + static_cast<std::ptrdiff_t>(word), "");
  const bool first_expression = expression == &h.words.expressions.front();
  const std::string rest = others(h.mask, h.text, h.words, *expression);

  if (word == 0) {
    std::map<isa::Unit, bool> is_free;
    for (const isa::Stem& stem : isa::all_stems()) {
      if (!starts(stem.text, typed)) continue;
      for (const InsnDef* def : stem.rows) {
        const auto [it, is_new] = is_free.emplace(def->unit, false);
        if (is_new) it->second = unit_is_free(h.mask, *def, rest);
        if (!it->second) continue;
        out.push_back({CompletionKind::kInstruction, stem.text, instruction_snippet(stem, *def),
                       cat(isa::unit_text(def->unit), ": ", def->syntax),
                       cat(def->doc, " [", static_cast<char>(def->evidence), "]"), replace});
      }
    }
    if (!first_expression || h.words.expressions.size() > 1) return out;
    for (const isa::StatementDef& def : isa::statements())
      if (starts(def.name, typed))
        out.push_back({CompletionKind::kStatement, std::string(def.name), escaped(def.example), std::string(def.syntax),
                       cat(def.doc, " [", static_cast<char>(def.evidence), "]"), replace});
    return out;
  }

  std::vector<Form> forms;
  const isa::StatementDef* statement = first_expression ? isa::statement_begun(h.text) : nullptr;
  const isa::Stem* stem = isa::find_stem(stem_text(words[0]));
  if (statement != nullptr) {
    forms.push_back({nullptr, example_words(statement->example, nullptr)});
  } else if (stem != nullptr) {
    for (const InsnDef* def : stem->rows) forms.push_back({def, example_words(def->example, def)});
  } else {
    return out;
  }
  const Place place(h.mask, words, word, statement != nullptr ? std::string() : rest, std::move(forms));

  // Behind an address, what may follow it; before that, what it may be.
  if (typed.find_first_of("0123456789[") != std::string::npos) {
    if (h.begin + h.at != replace.end) return out;
    for (const Suffix& suffix : operand_suffixes()) {
      const std::string text = cat(typed, suffix.text);
      if (place.accepts(text, false) != nullptr)
        out.push_back({CompletionKind::kModifier, text, "", std::string(suffix.detail), "", replace});
    }
    return out;
  }
  const bool negated = starts(typed, "-");
  const std::string_view prefix = std::string_view(typed).substr(negated ? 1 : 0);
  // A mnemonic without an option that it needs takes nothing; what it would take with it is more help than silence.
  const bool bare = stem != nullptr && stem_text(words[0]) == words[0];
  for (bool with_options : {false, true}) {
    if (with_options && (!out.empty() || !bare)) break;
    for (const Spelling& s : operand_spellings()) {
      if (!starts(s.text, prefix)) continue;
      const std::string text = cat(negated ? "-" : "", s.text);
      const Form* form = place.accepts(text, with_options);
      if (form == nullptr) continue;
      std::string doc;
      if (form->def != nullptr) {
        const auto sources = static_cast<size_t>(form->def->num_srcs());
        doc = cat(word - 1 < sources ? form->def->srcs[word - 1].name : form->def->dst.name, " of ", stem->text);
      }
      out.push_back({CompletionKind::kOperand, text, cat(negated ? "-" : "", s.snippet), s.detail, doc, replace});
    }
  }
  return out;
}

}  // namespace kumihimo::mncore2::editor
