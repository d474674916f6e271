#include "tools/cli/lsp_answers.h"

#include <fmt/format.h>

namespace kumi::lsp {
namespace {

namespace api = kumihimo::api;

json ask(const char* function, Document& d) { return json::parse(api::call(function, {d.editor()}).string()); }
json ask(const char* function, Document& d, size_t offset) {
  return json::parse(api::call(function, {d.editor(), static_cast<int64_t>(offset)}).string());
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
          {"hoverProvider", true}};
}

json diagnostics(Document& d, const Client& client) {
  const json problems = ask("mncore2.editor_problems", d);
  json out = json::array();
  for (const json& p : problems) {
    if (out.size() == kMaxDiagnostics) {
      json rest = p;
      rest["message"] = fmt::format("{} more problems are not shown", problems.size() - kMaxDiagnostics);
      rest["related"] = json::array();
      out.push_back(diagnostic(d, rest, client));
      break;
    }
    out.push_back(diagnostic(d, p, client));
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
