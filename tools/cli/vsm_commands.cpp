// kumi asm, dis, lint: VSM text and objects.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "tools/cli/cli.h"

namespace kumi {
namespace {

struct AsmOptions {
  std::string input, output, emit = "vsm";
};
struct LintOptions {
  std::string input, profile = "default";
};
std::string name_of(const std::string& path) { return path == "-" ? "<stdin>" : path; }

int run_asm_object(const Options& options, const AsmOptions& o) {
  if (options.json && o.output.empty()) {
    const std::string what = "an object is not text: --json with --emit obj needs -o FILE";
    throw Fault{kUsage, "error: " + what + "\n", {{"headline", what}}};
  }
  write_file(o.output,
             std::string(api::call("mncore2.assemble_object", {read_file(o.input), name_of(o.input)}).string()));
  if (options.json) std::cout << json{{"ok", true}}.dump() << "\n";
  return kYes;
}

int run_asm(const Options& options, const AsmOptions& o) {
  if (o.emit == "obj") return run_asm_object(options, o);
  api::Value text = api::call("mncore2.assemble", {read_file(o.input), name_of(o.input), o.emit});
  if (options.json) {
    if (!o.output.empty()) write_file(o.output, std::string(text.string()));
    std::cout << json{{"ok", true}, {"text", o.output.empty() ? json(text.string()) : json()}}.dump() << "\n";
    return kYes;
  }
  write_file(o.output, std::string(text.string()));
  return kYes;
}

int run_dis(const Options& options, const AsmOptions& o) {
  api::Value text = api::call("mncore2.disassemble", {read_file(o.input), name_of(o.input)});
  if (!options.json || !o.output.empty()) write_file(o.output, std::string(text.string()));
  if (options.json)
    std::cout << json{{"ok", true}, {"text", o.output.empty() ? json(text.string()) : json()}}.dump() << "\n";
  return kYes;
}

int run_lint(const Options& options, const LintOptions& o) {
  const api::Value result =
      api::call("mncore2.lint", {read_file(o.input), name_of(o.input), o.profile, options.json ? "findings" : "text"});
  if (options.json) {
    // Of what may be very long only the count of errors is needed here.
    const json head = json::parse(result.string(), [](int depth, json::parse_event_t, json&) { return depth < 2; });
    const bool ok = head["errors"] == 0;
    std::cout << "{\"ok\":" << (ok ? "true" : "false") << ",\"lint\":" << result.string() << "}\n";
    return ok ? kYes : kInputFault;
  }
  const json report = json::parse(result.string());
  std::cerr << report["text"].get_ref<const std::string&>();
  const auto count = report["findings"].get<int64_t>();
  std::cout << fmt::format("{}: {} finding{}\n", name_of(o.input), count, count == 1 ? "" : "s");
  return report["errors"] == 0 ? kYes : kInputFault;
}

}  // namespace

void add_vsm_commands(CLI::App& app, Options& options, int& code) {
  {
    auto o = std::make_shared<AsmOptions>();
    CLI::App* c = app.add_subcommand("asm", "assemble VSM text; every error has its position");
    c->add_option("input", o->input, "VSM or object file, - for stdin")->required();
    c->add_option("-o,--output", o->output, "output file; default stdout");
    c->add_option("--emit", o->emit,
                  "vsm: canonical text; obj: an object file; words: 292-bit words, ? where unpublished")
        ->check(CLI::IsMember({"vsm", "obj", "words"}));
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_asm(options, *o); }); });
  }
  {
    auto o = std::make_shared<AsmOptions>();
    CLI::App* c = app.add_subcommand("dis", "the statements of an object file as VSM text");
    c->add_option("input", o->input, "object file, - for stdin")->required();
    c->add_option("-o,--output", o->output, "output file; default stdout");
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_dis(options, *o); }); });
  }
  {
    auto o = std::make_shared<LintOptions>();
    CLI::App* c = app.add_subcommand("lint", "hazards, issue rules, masks, waits: which rule, and what mends it");
    c->add_option("input", o->input, "VSM or object file, - for stdin")->required();
    c->add_option("--profile", o->profile, "set of rules: default, published or cautious");
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_lint(options, *o); }); });
  }
}

}  // namespace kumi
