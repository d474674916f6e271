#include "targets/mncore2/isa/spelling.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/nearest.h"

namespace kumihimo::mncore2::isa {
namespace {

constexpr std::string_view kPrecLetters = " dfghlis";

struct StemTable {
  std::vector<Stem> stems;
  std::unordered_map<std::string_view, const Stem*> by_text;
  StemTable();
};

// Everything a row's options allow in front of @ and /.
void enumerate(const InsnDef& def, std::string_view name, std::vector<Insn>& out,
               std::vector<std::string_view>& names) {
  auto add = [&](const Insn& insn) {
    out.push_back(insn);
    names.push_back(name);
  };
  auto with_narrow = [&](Insn insn) {
    add(insn);
    if (!def.allows(kOptNarrow)) return;
    if (insn.reduce != nullptr && insn.prec != Prec::kF) return;  // ISA 5.5: single sums rounded to half
    insn.narrow = true;
    add(insn);
  };
  Insn base;
  base.def = &def;
  if (def.allows(kOptReduce)) {
    for (const InsnDef& reduction : reductions()) {
      for (unsigned p = 1; p < 8; ++p) {
        if ((reduction.prec_mask & (1u << p)) == 0) continue;
        Insn insn = base;
        insn.reduce = &reduction;
        insn.prec = static_cast<Prec>(p);
        with_narrow(insn);
      }
    }
    return;
  }
  if (def.prec_mask == 0) return with_narrow(base);
  for (unsigned p = 1; p < 8; ++p) {
    if ((def.prec_mask & (1u << p)) == 0) continue;
    Insn insn = base;
    insn.prec = static_cast<Prec>(p);
    if (def.allows(kOptHalfSelect) && insn.prec == Prec::kD) {
      for (char half : {'u', 'd'}) {
        insn.half_select = half;
        with_narrow(insn);
      }
      continue;
    }
    with_narrow(insn);
    if (def.allows(is_integer(insn.prec) ? kOptUnsigned : kOptFloatUnsigned)) {
      insn.is_unsigned = true;
      with_narrow(insn);
    }
  }
}

std::string compose(const Insn& insn, std::string_view name) {
  std::string text;
  if (insn.is_unsigned) text += 'u';
  if (insn.prec != Prec::kNone && insn.reduce == nullptr) text += prec_letter(insn.prec);
  text += name;
  if (insn.reduce != nullptr) {
    text += prec_letter(insn.prec);
    text += insn.reduce->name;
  }
  if (insn.half_select != 0) text += insn.half_select;
  if (insn.narrow) text += 'r';
  return text;
}

StemTable::StemTable() {
  std::unordered_map<std::string, size_t> index;
  for (const InsnDef& def : rows()) {
    std::vector<Insn> insns;
    std::vector<std::string_view> names;
    enumerate(def, def.name, insns, names);
    if (!def.alias.empty()) enumerate(def, def.alias, insns, names);
    for (size_t i = 0; i < insns.size(); ++i) {
      const Insn& insn = insns[i];
      std::string text = compose(insn, names[i]);
      auto [it, is_new] = index.emplace(text, stems.size());
      if (is_new) stems.push_back({text, {}, insn.prec, insn.is_unsigned, insn.half_select, insn.narrow, insn.reduce});
      stems[it->second].rows.push_back(&def);
    }
  }
  for (const Stem& stem : stems) by_text.emplace(stem.text, &stem);
}

const StemTable& table() {
  static const StemTable t;
  return t;
}

}  // namespace

const Stem* find_stem(std::string_view text) {
  auto it = table().by_text.find(text);
  return it == table().by_text.end() ? nullptr : it->second;
}

std::span<const Stem> all_stems() { return table().stems; }

std::vector<std::string_view> nearest_stems(std::string_view text, size_t count) {
  if (text.size() > 24) return {};
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const Stem& stem : table().stems) {
    const size_t longer = std::max(stem.text.size(), text.size()), shorter = std::min(stem.text.size(), text.size());
    if (longer - shorter > 2) continue;
    size_t distance = edit_distance(text, stem.text);
    if (distance <= 2 && distance < text.size()) ranked.emplace_back(distance, stem.text);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> out;
  for (size_t i = 0; i < ranked.size() && i < count; ++i) out.push_back(ranked[i].second);
  return out;
}

std::string stem_of(const Insn& insn) { return compose(insn, insn.def->name); }

char prec_letter(Prec prec) { return prec == Prec::kNone ? 0 : kPrecLetters[static_cast<size_t>(prec)]; }

Prec prec_of_letter(char c) {
  size_t at = c == ' ' ? std::string_view::npos : kPrecLetters.find(c);
  return at == std::string_view::npos ? Prec::kNone : static_cast<Prec>(at);
}

bool is_integer(Prec prec) { return prec == Prec::kL || prec == Prec::kI || prec == Prec::kS; }

}  // namespace kumihimo::mncore2::isa
