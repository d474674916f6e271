// What editors ask about VSM text, as functions: an object holds one version of one text. See
// targets/mncore2/editor/editor.h. Offsets count bytes of UTF-8.
#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/functions.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;

struct EditorObject final : Object {
  static constexpr std::string_view kTypeName = "mncore2.editor";
  EditorObject(std::string text, std::string file, const hazard::Profile& profile)
      : document(std::move(text), std::move(file), profile) {}
  std::string_view type_name() const override { return kTypeName; }
  editor::Document document;
  std::mutex busy;  // the first question analyses the text
};

struct Held {
  std::shared_ptr<EditorObject> object;
  std::unique_lock<std::mutex> lock;
  editor::Document* operator->() const { return &object->document; }
};
Result<Held> held(Args a) {
  auto object = arg_object<EditorObject>(a, 0);
  if (!object) return object.take_error();
  return Held{*object, std::unique_lock((*object)->busy)};
}

// An offset below 0 is a mistake; one beyond the text means its end.
Result<size_t> arg_offset(Args a, size_t i) {
  auto offset = arg_int(a, i);
  if (!offset) return offset.take_error();
  if (*offset < 0) return bad_argument(i, std::to_string(*offset), "a byte offset, 0 or more");
  return static_cast<size_t>(*offset);
}

json span_json(const editor::Span& span) { return json::array({span.begin, span.end}); }

// Text may hold any bytes; JSON may not.
Value text_of(const json& j) { return Value{j.dump(-1, ' ', false, json::error_handler_t::replace)}; }

const char* severity_name(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

json problem_json(const editor::Problem& p) {
  json j{{"where", span_json(p.where)},
         {"severity", severity_name(p.severity)},
         {"code", p.def->code},
         {"name", p.def->name},
         {"message", p.message},
         {"related", json::array()},
         {"linter", p.finding != editor::Problem::kAssembler}};
  for (const editor::Related& r : p.related)
    j["related"].push_back({{"where", span_json(r.where)}, {"message", r.message}});
  return j;
}

Result<Value> editor_call(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 1, "<vsm>");
  if (!file) return file.take_error();
  auto profile_name = arg_string_or(a, 2, hazard::default_profile().name);
  if (!profile_name) return profile_name.take_error();
  const hazard::Profile* profile = hazard::find_profile(*profile_name);
  if (profile == nullptr) return bad_argument(2, std::string(*profile_name), hazard::profile_names());
  return Value{
      std::shared_ptr<Object>(std::make_shared<EditorObject>(std::string(*text), std::string(*file), *profile))};
}

Result<Value> problems_call(Args a) {
  auto document = held(a);
  if (!document) return document.take_error();
  auto limit = arg_int_or(a, 1, -1);
  if (!limit) return limit.take_error();
  const std::vector<editor::Problem>& problems = (*document)->problems();
  json out{{"problems", json::array()}, {"total", problems.size()}};
  const size_t count = *limit < 0 ? problems.size() : std::min(problems.size(), static_cast<size_t>(*limit));
  for (const editor::Problem& p : std::span(problems).first(count)) out["problems"].push_back(problem_json(p));
  return text_of(out);
}

Result<Value> hover_call(Args a) {
  auto document = held(a);
  if (!document) return document.take_error();
  auto offset = arg_offset(a, 1);
  if (!offset) return offset.take_error();
  const auto hover = (*document)->hover(*offset);
  if (!hover) return text_of(json());
  return text_of({{"where", span_json(hover->where)}, {"markdown", hover->markdown}});
}

Result<Value> remedies_call(Args a) {
  auto document = held(a);
  if (!document) return document.take_error();
  auto begin = arg_offset(a, 1);
  if (!begin) return begin.take_error();
  auto end = arg_offset(a, 2);
  if (!end) return end.take_error();
  json out = json::array();
  for (const editor::Remedy& r : (*document)->remedies(*begin, *end)) {
    json j{{"problem", problem_json((*document)->problems()[r.problem])},
           {"index", r.problem},
           {"title", r.title},
           {"edits", json::array()}};
    for (const editor::Edit& e : r.edits) j["edits"].push_back({{"where", span_json(e.where)}, {"text", e.text}});
    out.push_back(std::move(j));
  }
  return text_of(out);
}

const char* kind_name(editor::CompletionKind kind) {
  switch (kind) {
    case editor::CompletionKind::kInstruction: return "instruction";
    case editor::CompletionKind::kStatement: return "statement";
    case editor::CompletionKind::kOperand: return "operand";
    case editor::CompletionKind::kModifier: return "modifier";
  }
  return "";
}

Result<Value> complete_call(Args a) {
  auto document = held(a);
  if (!document) return document.take_error();
  auto offset = arg_offset(a, 1);
  if (!offset) return offset.take_error();
  json out = json::array();
  for (const editor::Completion& c : (*document)->complete(*offset))
    out.push_back({{"kind", kind_name(c.kind)},
                   {"label", c.label},
                   {"snippet", c.snippet},
                   {"detail", c.detail},
                   {"doc", c.doc},
                   {"replace", span_json(c.replace)}});
  return text_of(out);
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.editor", "(text: str, file: str = '<vsm>', profile: str = 'default') -> mncore2.editor",
     "one version of one VSM text, to be asked what an editor asks; offsets are bytes", editor_call},
    {"mncore2.editor_problems", "(editor, limit: int = -1) -> json",
     "errors of the assembler, findings of the linter up to the first error and advice, in order of the text",
     problems_call},
    {"mncore2.editor_hover", "(editor, offset: int) -> json",
     "what the word at an offset means, as Markdown; null where there is nothing to say", hover_call},
    {"mncore2.editor_complete", "(editor, offset: int) -> json",
     "what may stand at an offset: each candidate assembles there", complete_call},
    {"mncore2.editor_remedies", "(editor, begin: int, end: int) -> json",
     "edits that mend the problems that touch these offsets; each was tried", remedies_call},
};

}  // namespace

std::span<const FunctionDef> editor_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
