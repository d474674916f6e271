// kumi check, lower, cost, run, verify: LEIR programs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "tools/cli/cli.h"

namespace kumi {
namespace {

struct ProgramOptions {
  std::string program, output;
  std::vector<std::string> arguments, inputs;
  std::vector<std::string> settings;  // --set NAME=VALUE, options of lowering
  std::string emit = "vsm";
  bool full = false, print = false, with_data = false;
};

json settings_json(const ProgramOptions& o) {
  json j = json::object();
  for (const std::string& s : o.settings) {
    size_t p = s.find('=');
    if (p == std::string::npos)
      throw Fault{kUsage, "error: --set takes NAME=VALUE\n", {{"headline", "--set takes NAME=VALUE"}, {"observed", s}}};
    j[s.substr(0, p)] = s.substr(p + 1);
  }
  return j;
}

int run_check(const Options& options, const ProgramOptions& o) {
  api::Value m = load_program(o.program, o.arguments);
  std::string text(api::call("module.print", {m, o.full}).string());
  auto nodes = std::count(text.begin(), text.end(), '\n') - 3;
  if (options.json) {
    std::cout << json{{"ok", true}, {"nodes", nodes}, {"leir", text}}.dump() << "\n";
  } else if (o.print || o.full) {
    std::cout << text;
  } else {
    std::cout << fmt::format("{}: {} nodes, every check passed\n", o.program, nodes);
  }
  return kYes;
}

int run_lower(const Options& options, const ProgramOptions& o) {
  if (o.with_data) {
    // Values of inputs are NumPy files, which the Python side reads.
    std::vector<std::string> words{"-m", "kumihimo.run_program", "lower", o.program};
    for (const std::string& a : o.arguments) words.insert(words.end(), {"--arg", a});
    for (const std::string& i : o.inputs) words.insert(words.end(), {"--input", i});
    if (!o.output.empty()) words.insert(words.end(), {"--output", o.output});
    if (options.json) words.push_back("--json");
    return run_python(words, nullptr);
  }
  api::Value m = load_program(o.program, o.arguments);
  api::Value lowered = api::call("module.lower", {m, settings_json(o).dump()});
  std::string text(o.emit == "leir" ? api::call("module.print", {api::call("lowered.module", {lowered}), true}).string()
                                    : api::call("lowered.text", {lowered}).string());
  json report = json::parse(api::call("lowered.report", {lowered}).string());
  if (!o.output.empty()) write_file(o.output, text);
  if (options.json) {
    std::cout << json{{"ok", true}, {"report", report}, {"vsm", o.output.empty() ? json(text) : json()}}.dump() << "\n";
    return kYes;
  }
  if (o.output.empty()) std::cout << text;
  std::cerr << fmt::format("{} steps, {} cycles, {:.3f} us, {:.2f} of the bound\n", report["steps"].get<int64_t>(),
                           report["cycles"].get<int64_t>(), report["microseconds"].get<double>(),
                           report["fraction_of_bound"].get<double>());
  return kYes;
}

int run_cost(const Options& options, const ProgramOptions& o) {
  api::Value m = load_program(o.program, o.arguments);
  api::Value lowered = api::call("module.lower", {m, settings_json(o).dump()});
  json r = json::parse(api::call("lowered.report", {lowered}).string());
  if (options.json) {
    std::cout << json{{"ok", true}, {"report", r}}.dump() << "\n";
    return kYes;
  }
  std::cout << fmt::format("steps {}  MV {}  instruction words {}  cycles {}  stalls {}  {:.3f} us\n",
                           r["steps"].get<int64_t>(), r["mv"].get<int64_t>(), r["instruction_words"].get<int64_t>(),
                           r["cycles"].get<int64_t>(), r["stall_cycles"].get<int64_t>(),
                           r["microseconds"].get<double>());
  std::cout << fmt::format("bound {:.0f} cycles with MV, {:.0f} without; {:.2f} of the bound\n",
                           r["bound"]["with_mv"].get<double>(), r["bound"]["without_mv"].get<double>(),
                           r["fraction_of_bound"].get<double>());
  for (const auto& [unit, cycles] : r["bound"]["units"].items())
    std::cout << fmt::format("  {:<6} needs {:>7.1f} cycles\n", unit, cycles.get<double>());
  for (const auto& [unit, use] : r["units"].items())
    std::cout << fmt::format("  {:<12} {:>6} steps  {:5.1f} %\n", unit, use["steps"].get<int64_t>(),
                             100 * use["share"].get<double>());
  return kYes;
}

// run and verify read and write NumPy files: the Python side does them.
int run_with_values(const Options& options, const std::string& command, const ProgramOptions& o) {
  std::vector<std::string> words{"-m", "kumihimo.run_program", command, o.program};
  for (const std::string& a : o.arguments) words.insert(words.end(), {"--arg", a});
  for (const std::string& i : o.inputs) words.insert(words.end(), {"--input", i});
  if (!o.output.empty()) words.insert(words.end(), {"--output", o.output});
  if (options.json) words.push_back("--json");
  return run_python(words, nullptr);
}

}  // namespace

void add_program_commands(CLI::App& app, Options& options, int& code) {
  auto command = [&](const char* name, const char* doc, auto body, auto extra) {
    auto o = std::make_shared<ProgramOptions>();
    CLI::App* c = app.add_subcommand(name, doc);
    c->add_option("program", o->program, "FILE.leir, FILE.py or FILE.py:FUNCTION")->required();
    c->add_option("--arg", o->arguments, "NAME=VALUE for a parameter of the function; may be repeated")
        ->allow_extra_args(false);
    extra(c, *o);
    c->callback([&options, &code, o, body] { code = guarded(options, [&] { return body(options, *o); }); });
  };
  command("check", "check a program: shapes, placements, everything before lowering", run_check,
          [](CLI::App* c, ProgramOptions& o) {
            c->add_flag("--print", o.print, "print the program");
            c->add_flag("--full", o.full, "print it with types and source ranges");
          });
  command("lower", "lower a program to VSM", run_lower, [](CLI::App* c, ProgramOptions& o) {
    c->add_option("-o,--output", o.output, "output file; default stdout");
    c->add_option("--set", o.settings, "NAME=VALUE, an option of lowering: evaluations, seed")->allow_extra_args(false);
    c->add_option("--emit", o.emit, "vsm: assembly; leir: the instructions as IR")
        ->check(CLI::IsMember({"vsm", "leir"}));
    c->add_flag("--with-data", o.with_data, "add the inputs as r lines and d get lines for the outputs");
    c->add_option("--input", o.inputs, "NAME=FILE.npy; missing ones are random")->allow_extra_args(false);
  });
  command("cost", "steps, cycles, bound and use of units of a program", run_cost, [](CLI::App* c, ProgramOptions& o) {
    c->add_option("--set", o.settings, "NAME=VALUE, an option of lowering: evaluations, seed")->allow_extra_args(false);
  });
  command(
      "run", "lower and emulate a program on inputs",
      [](const Options& op, const ProgramOptions& o) { return run_with_values(op, "run", o); },
      [](CLI::App* c, ProgramOptions& o) {
        c->add_option("--input", o.inputs, "NAME=FILE.npy")->allow_extra_args(false);
        c->add_option("-o,--output", o.output, "folder for the outputs as .npy files");
      });
  command(
      "verify", "compare the emulated program with the exact interpreter, word by word",
      [](const Options& op, const ProgramOptions& o) { return run_with_values(op, "verify", o); },
      [](CLI::App* c, ProgramOptions& o) {
        c->add_option("--input", o.inputs, "NAME=FILE.npy; missing ones are random")->allow_extra_args(false);
      });
}

}  // namespace kumi
