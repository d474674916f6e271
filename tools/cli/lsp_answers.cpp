#include "tools/cli/lsp_answers.h"

#include <fmt/format.h>

namespace kumi::lsp {
namespace {

namespace api = kumihimo::api;

json ask(const char* function, Document& d, size_t number) {
  return json::parse(api::call(function, {d.editor(), static_cast<int64_t>(number)}).string());
}

// CompletionItemKind: function, keyword, variable, property.
int item_kind(const json& name) {
  return name == "instruction" ? 3 : name == "statement" ? 14 : name == "operand" ? 6 : 10;
}

// Error, warning, information.
int severity(const json& name) { return name == "error" ? 1 : name == "warning" ? 2 : 3; }

json diagnostic(const Document& d, const json& problem, const Client& client) {
  json out{{"range", d.range(problem["where"])},
           {"severity", severity(problem["severity"])},
           {"code", problem["code"]},
           {"source", "kumi"},
           {"message", problem["message"]},
           {"data", {{"name", problem["name"]}, {"linter", problem["linter"]}}}};
  if (client.related && !problem["related"].empty()) {
    out["relatedInformation"] = json::array();
    for (const json& r : problem["related"])
      out["relatedInformation"].push_back(
          {{"location", {{"uri", d.uri()}, {"range", d.range(r["where"])}}}, {"message", r["message"]}});
  }
  return out;
}

}  // namespace

json server_capabilities(Encoding encoding) {
  constexpr int kIncremental = 2;
  return {{"positionEncoding", encoding == Encoding::kUtf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}}},
          {"hoverProvider", true},
          {"completionProvider", {{"triggerCharacters", {"$"}}}},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}};
}

json diagnostics(Document& d, const Client& client) {
  const json answer = ask("mncore2.editor_problems", d, kMaxDiagnostics + 1);
  json out = json::array();
  for (const json& p : answer["problems"]) {
    out.push_back(diagnostic(d, p, client));
    if (out.size() > kMaxDiagnostics)
      out.back()["message"] =
          fmt::format("{} more problems are not shown", answer["total"].get<size_t>() - kMaxDiagnostics);
  }
  return out;
}

json completion(Document& d, size_t offset, const Client& client) {
  const json candidates = ask("mncore2.editor_complete", d, offset);
  json items = json::array();
  bool operands = false;
  for (const json& c : candidates) {
    const bool snippet = client.snippets && c["snippet"] != "";
    operands = operands || c["kind"] == "operand" || c["kind"] == "modifier";
    items.push_back({{"label", c["label"]},
                     {"kind", item_kind(c["kind"])},
                     {"detail", c["detail"]},
                     {"documentation", c["doc"]},
                     {"sortText", fmt::format("{:04}", items.size())},
                     {"insertTextFormat", snippet ? 2 : 1},
                     {"textEdit", {{"range", d.range(c["replace"])}, {"newText", c[snippet ? "snippet" : "label"]}}}});
  }
  // Behind the next digit of an address other things may stand: the client asks again.
  return {{"isIncomplete", operands}, {"items", items}};
}

json code_actions(Document& d, size_t begin, size_t end, const Client& client) {
  const json remedies = json::parse(
      api::call("mncore2.editor_remedies", {d.editor(), static_cast<int64_t>(begin), static_cast<int64_t>(end)})
          .string());
  json out = json::array();
  json previous;
  for (const json& r : remedies) {
    json edits = json::array();
    for (const json& e : r["edits"]) edits.push_back({{"range", d.range(e["where"])}, {"newText", e["text"]}});
    json action{{"title", r["title"]},
                {"kind", "quickfix"},
                {"diagnostics", {diagnostic(d, r["problem"], client)}},
                {"edit", {{"changes", {{d.uri(), edits}}}}}};
    if (r["index"] != previous) action["isPreferred"] = true;  // the first of a problem is the likeliest
    previous = r["index"];
    out.push_back(std::move(action));
  }
  return out;
}

json hover_answer(Document& d, size_t offset, const Client& client) {
  const json hover = ask("mncore2.editor_hover", d, offset);
  if (hover.is_null()) return nullptr;
  return {{"contents", {{"kind", client.markdown_hover ? "markdown" : "plaintext"}, {"value", hover["markdown"]}}},
          {"range", d.range(hover["where"])}};
}

}  // namespace kumi::lsp
