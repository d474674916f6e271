#include "targets/mncore2/editor/grammar.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "targets/mncore2/editor/operands.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/describe.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"

namespace kumihimo::mncore2::editor {
namespace {

using isa::cat;
using Json = nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += cat(out.empty() ? "" : "|", w);
  return out;
}

// "MAU calculation" as a part of a scope's name: mau-calculation.
std::string scope_part(std::string_view text) {
  std::string out;
  for (char c : text) out += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// {"match": ..., "captures": {"1": {"name": ...}, ...}}; a group without a name is left out.
Json match(std::string regex, std::initializer_list<std::string> groups) {
  Json j{{"match", std::move(regex)}, {"captures", Json::object()}};
  int number = 0;
  for (const std::string& name : groups) {
    ++number;
    if (!name.empty()) j["captures"][std::to_string(number)] = {{"name", name}};
  }
  return j;
}

Json named(std::string regex, std::string_view name) { return {{"match", std::move(regex)}, {"name", name}}; }

// A name begins a line; whatever it takes follows to the end.
Json statement(const isa::StatementDef& def) {
  std::string name;
  for (char c : def.name) name += c == ' ' ? std::string("[ \\t]+") : std::string(1, c);
  Json j{{"begin", cat("^[ \\t]*(", name, ")", isa::takes_letters(def) ? "([a-z]*)" : "()", "(?![A-Za-z0-9_$])")},
         {"end", "$"},
         {"beginCaptures",
          {{"1", {{"name", "keyword.other.statement.vsm"}}}, {"2", {{"name", "storage.modifier.statement.vsm"}}}}},
         {"patterns", Json::array()}};
  for (const char* part : {"#comment", "#operands", "#tag", "#payload"}) j["patterns"].push_back({{"include", part}});
  return j;
}

// The mnemonics of one unit with their options: /n64i01, @0, +1.
Json mnemonics(std::string_view unit, std::vector<std::string> stems) {
  std::sort(stems.begin(), stems.end());
  const bool control = unit == "control";
  return match(cat("(?:^|(;))[ \\t]*(", joined(stems), ")(?![a-z0-9])([^ \\t\\r;#!]*)"),
               {"punctuation.separator.expression.vsm",
                control ? std::string("keyword.control.vsm") : cat("support.function.", scope_part(unit), ".vsm"),
                "storage.modifier.option.vsm"});
}

std::string_view memory_scope(isa::MemClass cls) {
  switch (cls) {
    case isa::MemClass::kPe: return "variable.other.memory.pe";
    case isa::MemClass::kT:
    case isa::MemClass::kOmr:
    case isa::MemClass::kBar: return "variable.other.register";
    case isa::MemClass::kForward: return "variable.language.forwarding";
    case isa::MemClass::kConstant: return "constant.language";
    case isa::MemClass::kNowrite: return "constant.language";
    case isa::MemClass::kMatrix: return "variable.other.register.matrix";
    case isa::MemClass::kTree: return "variable.other.memory.tree";
    case isa::MemClass::kTurnaround: return "variable.language.forwarding";
    case isa::MemClass::kMv: return "variable.other.memory.group";
    case isa::MemClass::kNone: break;
  }
  return "variable.other";
}

// One pattern a memory: sign, `$` and letters, address, what follows it, unit, mask. Longer spellings come first, so that
// $lbf is not taken for $lb.
Json operands() {
  std::map<const isa::MemDef*, std::vector<std::string>> letters;
  for (const Spelling& s : operand_spellings()) {
    if (s.mem == nullptr) continue;
    std::vector<std::string>& known = letters[s.mem];
    if (std::find(known.begin(), known.end(), s.letters) == known.end()) known.push_back(s.letters);
  }
  std::vector<const isa::MemDef*> order;
  for (const isa::MemDef& mem : isa::memories())
    if (letters.contains(&mem)) order.push_back(&mem);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->letters.size() > b->letters.size(); });
  Json out = Json::array();
  for (const isa::MemDef* mem : order) {
    Json j = match(cat("(-?)(\\$(?:", joined(letters[mem]),
                       "))(?=[0-9\\[tervj@/]|[ncbmp][0-9]|$|[^a-z0-9])(t?(?:[0-9]+|\\[[^\\]]*\\])?)",
                       "([a-z][a-z0-9]*)?(@[0-9.]*)?(/[^ \\t\\r;#!]*)?"),
                   {"keyword.operator.sign.vsm", cat(memory_scope(mem->cls), ".", scope_part(mem->letters), ".vsm"),
                    "constant.numeric.address.vsm", "storage.modifier.operand.vsm", "storage.modifier.unit.vsm",
                    "storage.modifier.mask.vsm"});
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace

std::string textmate_grammar() {
  Json root;
  root["$schema"] = "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json";
  root["comment"] = "Printed by `kumi describe grammar`; `./dev gen` rewrites this file.";
  root["name"] = "VSM";
  root["scopeName"] = "source.vsm";
  root["fileTypes"] = {"vsm"};
  root["patterns"] = Json::array();
  for (const char* part : {"#comment", "#statements", "#mnemonics", "#unknown", "#operands", "#unknown_operand",
                           "#literal", "#tag", "#separator"})
    root["patterns"].push_back({{"include", part}});
  Json& parts = root["repository"];
  parts["comment"] = named("[#!].*$", "comment.line.number-sign.vsm");
  parts["statements"]["patterns"] = Json::array();
  for (const isa::StatementDef& def : isa::statements()) parts["statements"]["patterns"].push_back(statement(def));
  std::map<std::string_view, std::vector<std::string>> units;
  for (const isa::Stem& stem : isa::all_stems()) units[isa::unit_text(stem.rows[0]->unit)].push_back(stem.text);
  parts["mnemonics"]["patterns"] = Json::array();
  for (auto& [unit, stems] : units) parts["mnemonics"]["patterns"].push_back(mnemonics(unit, std::move(stems)));
  parts["unknown"] = match("(?:^|(;))[ \\t]*([A-Za-z][A-Za-z0-9_]*)",
                           {"punctuation.separator.expression.vsm", "invalid.illegal.mnemonic.vsm"});
  parts["operands"]["patterns"] = operands();
  parts["unknown_operand"] = named("\\$[^ \\t\\r;#!]*", "invalid.illegal.operand.vsm");
  parts["literal"] = match("(u?[fis])(\"[^\"]*\")", {"storage.type.literal.vsm", "constant.numeric.literal.vsm"});
  parts["tag"] = named("i[0-9a-fA-F]{2}(?![0-9a-zA-Z])", "constant.other.tag.vsm");
  parts["payload"] = named("l?[0-9a-fA-F]+", "constant.numeric.payload.vsm");
  parts["separator"] = named(";", "punctuation.separator.expression.vsm");
  return root.dump(1);
}

}  // namespace kumihimo::mncore2::editor
