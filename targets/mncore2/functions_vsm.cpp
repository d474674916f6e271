// Functions on VSM text and objects: assemble, disassemble, lint, emulate.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

#include "targets/mncore2/functions.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/object/object.h"
#include "targets/mncore2/session/json.h"
#include "targets/mncore2/words/words.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;

Result<isa::Program> assembled(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 1, "<vsm>");
  if (!file) return file.take_error();
  return object::read_program(*text, *file);
}

std::string file_of(Args a) {
  auto file = arg_string_or(a, 1, "<vsm>");
  return file ? std::string(*file) : "<vsm>";
}

Result<Value> assemble_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto emit = arg_string_or(a, 2, "vsm");
  if (!emit) return emit.take_error();
  if (*emit == "words") return Value{words::print(*program)};
  if (*emit != "vsm") return bad_argument(2, std::string(*emit), "vsm or words");
  return Value{isa::print(*program)};
}

Result<Value> assemble_object_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  return Value{object::write_object(*program)};
}

Result<Value> disassemble_call(Args a) {
  auto bytes = arg_string(a, 0);
  if (!bytes) return bytes.take_error();
  auto program = object::read_object(*bytes, file_of(a));
  if (!program) return program.take_error();
  return Value{isa::print(*program)};
}

Result<Value> lint_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto profile_name = arg_string_or(a, 2, hazard::default_profile().name);
  if (!profile_name) return profile_name.take_error();
  const hazard::Profile* profile = hazard::find_profile(*profile_name);
  if (!profile) return bad_argument(2, std::string(*profile_name), hazard::profile_names());
  auto form = arg_string_or(a, 3, "findings");
  if (!form) return form.take_error();
  if (*form != "findings" && *form != "text") return bad_argument(3, std::string(*form), "findings or text");
  std::vector<hazard::Finding> findings = hazard::lint(*program, *profile);
  std::ranges::move(hazard::advise(*program, *profile), std::back_inserter(findings));
  std::ranges::stable_sort(findings, {}, &hazard::Finding::line);
  hazard::verify_mends(*program, findings, *profile);
  const std::string file = file_of(a);
  const auto errors = std::ranges::count(findings, Severity::kError, &hazard::Finding::severity);
  // Put together as text: there may be a finding for every line.
  std::string out;
  if (*form == "text") {
    for (const hazard::Finding& f : findings) out += render_text(hazard::to_diagnostic(f, *program, file));
    return Value{json{{"text", std::move(out)}, {"findings", findings.size()}, {"errors", errors}}.dump()};
  }
  out = "{\"findings\":[";
  for (const hazard::Finding& f : findings) {
    if (out.back() == '}') out += ',';
    out += session::diagnostic_json(hazard::to_diagnostic(f, *program, file));
  }
  return Value{out + fmt::format("],\"errors\":{}}}", errors)};
}

Result<Value> emulate_call(Args a) {
  auto program = assembled(a);
  if (!program) return program.take_error();
  auto text = arg_string_or(a, 2, "{}");
  if (!text) return text.take_error();
  auto options = session::parse_options(*text, 2);
  if (!options) return options.take_error();
  auto emulator = session::Session::create(*options);
  if (!emulator) return emulator.take_error();
  json out{{"findings", json::array()}};
  if (options->emu.strict)
    // The emulator is not cycle accurate: what a real machine would read too early is the linter's to say.
    for (const hazard::Finding& f : hazard::lint_errors(*program))
      out["findings"].push_back(json::parse(session::diagnostic_json(hazard::to_diagnostic(f, *program, file_of(a)))));
  (*emulator)->load(std::move(*program), file_of(a));
  auto progress = (*emulator)->run();
  if (!progress) return progress.take_error();
  for (const Diagnostic& d : (*emulator)->machine().findings())
    out["findings"].push_back(json::parse(session::diagnostic_json(d)));
  out["dumps"] = std::move(progress->dumps);
  out["steps"] = progress->steps;
  out["mv"] = progress->mvs;
  out["cost"] = json::parse(session::statistics_json(**emulator));
  return Value{out.dump()};
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.assemble", "(text: str, file: str = '<vsm>', emit: str = 'vsm') -> str",
     "assembles VSM text; canonical text, or instruction words as far as they are published", assemble_call},
    {"mncore2.assemble_object", "(text: str, file: str = '<vsm>') -> bytes",
     "assembles VSM text into an object: versioned, checksummed, read where VSM text is", assemble_object_call},
    {"mncore2.disassemble", "(object: bytes, file: str = '<vsm>') -> str",
     "the statements of an object as VSM text in canonical form", disassemble_call},
    {"mncore2.lint", "(text: str, file: str = '<vsm>', profile: str = 'default', form: str = 'findings') -> json",
     "hazards, issue rules, masks, waits, unwritten words and advice for VSM text; form: findings, or text for people",
     lint_call},
    {"mncore2.emulate", "(text: str, file: str = '<vsm>', options: json = '{}') -> json",
     "assembles and runs VSM text; dump lines, steps, cost and strict findings", emulate_call},
};

}  // namespace

std::span<const FunctionDef> vsm_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
