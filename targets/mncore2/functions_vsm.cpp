// Functions on VSM text: assemble, lint, emulate.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/cost/cost_json.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/functions.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;

Result<isa::Program> assembled(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 1, "<vsm>");
  if (!file) return file.take_error();
  vsm::AsmResult r = vsm::assemble(*text, *file);
  if (!r.ok()) return vsm::as_one(r);
  return std::move(r.program);
}

std::string file_of(Args a) {
  auto file = arg_string_or(a, 1, "<vsm>");
  return file ? std::string(*file) : "<vsm>";
}

json diagnostic_json(const Diagnostic& d) {
  json j = json::parse(render_json(d));
  j["text"] = render_text(d);
  return j;
}

Result<Value> assemble_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto emit = arg_string_or(a, 2, "vsm");
  if (!emit) return emit.take_error();
  if (*emit != "vsm") return bad_argument(2, std::string(*emit), "vsm");
  return Value{isa::print(*program)};
}

Result<Value> lint_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto profile_name = arg_string_or(a, 2, hazard::default_profile().name);
  if (!profile_name) return profile_name.take_error();
  const hazard::Profile* profile = hazard::find_profile(*profile_name);
  if (!profile) {
    std::string known;
    for (const hazard::Profile& p : hazard::profiles()) known += (known.empty() ? "" : ", ") + std::string(p.name);
    return bad_argument(2, std::string(*profile_name), "one of " + known);
  }
  json out{{"findings", json::array()}, {"errors", 0}};
  int64_t errors = 0;
  for (const hazard::Finding& f : hazard::lint(*program, *profile)) {
    errors += f.severity == Severity::kError;
    out["findings"].push_back(diagnostic_json(hazard::to_diagnostic(f, *program, file_of(a))));
  }
  out["errors"] = errors;
  return Value{out.dump()};
}

std::string switch_choices() {
  std::string out;
  for (const num::SwitchRow& row : num::switch_rows()) {
    out += fmt::format("{}{}: ", out.empty() ? "" : "; ", row.name);
    for (size_t i = 0; i < row.alternatives.size(); ++i) out += (i ? " or " : "") + std::string(row.alternatives[i]);
  }
  return out;
}

}  // namespace

Result<EmulateOptions> emulate_options(std::string_view text, size_t i) {
  json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (!j.is_object()) return bad_argument(i, std::string(text.substr(0, 80)), "a JSON object of options");
  EmulateOptions o;
  o.machine = find_machine("mncore2");
  for (const auto& [key, value] : j.items()) {
    if (key == "machine" && value.is_string()) {
      o.machine = find_machine(value.get<std::string>());
      if (!o.machine) {
        std::string known;
        for (const MachineConfig& m : machines()) known += (known.empty() ? "" : ", ") + std::string(m.name);
        return bad_argument(i, "machine " + value.get<std::string>(), "one of " + known);
      }
    } else if (key == "strict" && value.is_boolean()) {
      o.emu.strict = value.get<bool>();
    } else if (key == "threads" && value.is_number_integer()) {
      o.emu.threads = value.get<int>();
    } else if (key == "poison" && value.is_string()) {
      std::string hex = value.get<std::string>();
      std::string_view digits = hex;
      if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
      auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), o.emu.poison, 16);
      if (ec != std::errc{} || end != digits.data() + digits.size())
        return bad_argument(i, "poison " + hex, "up to 16 hex digits");
    } else if (key == "switches" && value.is_object()) {
      for (const auto& [name, choice] : value.items())
        if (!choice.is_string() || !num::set_switch(o.emu.switches, name, choice.get<std::string>()))
          return bad_argument(i, fmt::format("switch {}: {}", name, choice.dump()), switch_choices());
    } else {
      return bad_argument(i, fmt::format("{}: {}", key, value.dump()), "machine, strict, threads, poison or switches");
    }
  }
  return o;
}

namespace {

Result<Value> emulate_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto text = arg_string_or(a, 2, "{}");
  if (!text) return text.take_error();
  auto options = emulate_options(*text, 2);
  if (!options) return options.take_error();
  auto machine = emu::Machine::create(*options->machine, options->emu);
  if (!machine) return machine.take_error();
  json out{{"dumps", json::array()}, {"findings", json::array()}};
  json& dumps = out["dumps"];
  auto report = (*machine)->run(
      *program,
      {.sink = [&dumps](std::string_view line) { dumps.push_back(line); }, .interrupt = {}, .file = file_of(a)});
  if (!report) return report.take_error();
  if (options->emu.strict) {
    // The emulator is not cycle accurate: what a real machine would read too early is the linter's to say.
    for (const hazard::Finding& f : hazard::lint(*program))
      if (f.severity == Severity::kError)
        out["findings"].push_back(diagnostic_json(hazard::to_diagnostic(f, *program, file_of(a))));
    for (const Diagnostic& d : (*machine)->findings()) out["findings"].push_back(diagnostic_json(d));
  }
  out["steps"] = report->steps;
  out["mv"] = report->mv_count;
  out["cost"] = json::parse(cost::to_json(cost::cost(*program, *options->machine), *options->machine));
  return Value{out.dump()};
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.assemble", "(text: str, file: str = '<vsm>', emit: str = 'vsm') -> str",
     "assembles VSM text and prints it in canonical form", assemble_call},
    {"mncore2.lint", "(text: str, file: str = '<vsm>', profile: str = 'default') -> json",
     "hazards, issue rules, masks and waits of VSM text", lint_call},
    {"mncore2.emulate", "(text: str, file: str = '<vsm>', options: json = '{}') -> json",
     "assembles and runs VSM text; dump lines, steps, cost and strict findings", emulate_call},
};

}  // namespace

std::span<const FunctionDef> vsm_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
