// kumi asm, lint, emu: VSM text.
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
struct EmuOptions {
  std::string input, dump, machine = "mncore2", poison;
  bool strict = false, stats = false;
  int threads = 0;
};

std::string name_of(const std::string& path) { return path == "-" ? "<stdin>" : path; }

int run_asm(const Options& options, const AsmOptions& o) {
  api::Value text = api::call("mncore2.assemble", {read_file(o.input), name_of(o.input), o.emit});
  if (options.json) {
    if (!o.output.empty()) write_file(o.output, std::string(text.string()));
    std::cout << json{{"ok", true}, {"text", o.output.empty() ? json(text.string()) : json()}}.dump() << "\n";
    return kYes;
  }
  write_file(o.output, std::string(text.string()));
  return kYes;
}

int run_lint(const Options& options, const LintOptions& o) {
  json findings = json::parse(api::call("mncore2.lint", {read_file(o.input), name_of(o.input), o.profile}).string());
  if (options.json) {
    std::cout << json{{"ok", findings["errors"] == 0}, {"lint", findings}}.dump() << "\n";
  } else {
    for (const json& f : findings["findings"]) std::cerr << f["text"].get<std::string>();
    std::cout << fmt::format("{}: {} findings\n", name_of(o.input), findings["findings"].size());
  }
  return findings["errors"] == 0 ? kYes : kInputFault;
}

int run_emu(const Options& options, const EmuOptions& o) {
  json request{{"machine", o.machine}, {"strict", o.strict}, {"threads", o.threads}};
  if (!o.poison.empty()) request["poison"] = o.poison;
  json r = json::parse(api::call("mncore2.emulate", {read_file(o.input), name_of(o.input), request.dump()}).string());
  std::string dump;
  for (const json& line : r["dumps"]) dump += line.get<std::string>() + "\n";
  if (!o.dump.empty()) write_file(o.dump, dump);
  bool clean = r["findings"].empty();
  if (options.json) {
    if (!o.dump.empty()) r.erase("dumps");
    r["ok"] = clean;
    std::cout << r.dump() << "\n";
    return clean ? kYes : kInputFault;
  }
  if (o.dump.empty()) std::cout << dump;
  for (const json& f : r["findings"]) std::cerr << f["text"].get<std::string>();
  if (o.stats) {
    const json& c = r["cost"];
    std::cerr << fmt::format("steps {}  MV {}  instruction words {}  cycles {}  stalls {}  {:.3f} us\n",
                             c["steps"].get<int64_t>(), c["mv"].get<int64_t>(), c["instruction_words"].get<int64_t>(),
                             c["cycles"].get<int64_t>(), c["stall_cycles"].get<int64_t>(),
                             c["microseconds"].get<double>());
    for (const auto& [unit, use] : c["units"].items())
      std::cerr << fmt::format("  {:<12} {:>6} steps  {:5.1f} %\n", unit, use["steps"].get<int64_t>(),
                               100 * use["share"].get<double>());
  }
  return clean ? kYes : kInputFault;
}

}  // namespace

void add_vsm_commands(CLI::App& app, Options& options, int& code) {
  {
    auto o = std::make_shared<AsmOptions>();
    CLI::App* c = app.add_subcommand("asm", "assemble VSM text; every error has its position");
    c->add_option("input", o->input, "VSM file, - for stdin")->required();
    c->add_option("-o,--output", o->output, "output file; default stdout");
    c->add_option("--emit", o->emit, "vsm: canonical text")->check(CLI::IsMember({"vsm"}));
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_asm(options, *o); }); });
  }
  {
    auto o = std::make_shared<LintOptions>();
    CLI::App* c = app.add_subcommand("lint", "hazards, issue rules, masks, waits: which rule, and what mends it");
    c->add_option("input", o->input, "VSM file, - for stdin")->required();
    c->add_option("--profile", o->profile, "set of rules: default or published");
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_lint(options, *o); }); });
  }
  {
    auto o = std::make_shared<EmuOptions>();
    CLI::App* c = app.add_subcommand("emu", "emulate VSM text; d get lines go to stdout or the dump file");
    c->add_option("input", o->input, "VSM file, - for stdin")->required();
    c->add_option("-d,--dump", o->dump, "file for the dump lines");
    c->add_option("--machine", o->machine, "mncore2 or mncore2-tiny");
    c->add_option("--poison", o->poison, "hex pattern that memories hold before the first write");
    c->add_option("--threads", o->threads, "0 = one per processor; results do not depend on it");
    c->add_flag("--strict", o->strict, "track definedness; hazards, bad addresses and words in flight are findings");
    c->add_flag("--stats", o->stats, "steps, cycles, stalls and use of units on stderr");
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_emu(options, *o); }); });
  }
}

}  // namespace kumi
