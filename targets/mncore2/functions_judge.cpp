// The judge for the outside: a testcase of the public contest and an answer.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "targets/mncore2/cost/cost_json.h"
#include "targets/mncore2/functions.h"
#include "targets/mncore2/judge/judge.h"
#include "targets/mncore2/session/json.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;

Result<judge::JudgeOptions> judge_options(std::string_view text, size_t argument) {
  json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (!j.is_object()) return bad_argument(argument, std::string(text.substr(0, 80)), "a JSON object of options");
  judge::JudgeOptions o;
  json rest = json::object();
  for (const auto& [key, value] : j.items()) {
    if (key == "profile" && value.is_string())
      o.profile = value.get<std::string>();
    else if (key == "get" && value.is_boolean())
      o.keep_get = value.get<bool>();
    else if (key == "set" && value.is_boolean())
      o.keep_set = value.get<bool>();
    else if (key == "limit" && value.is_number_unsigned())
      o.max_mismatches = value.get<size_t>();
    else
      rest[key] = value;
  }
  auto emulate = session::parse_options(rest.dump(), argument);
  if (!emulate) return emulate.take_error();
  o.machine = emulate->machine;
  o.emu = std::move(emulate->emu);
  return o;
}

// JSON has no infinities: they are the strings "inf" and "-inf".
json value_json(const judge::Value& v) {
  switch (v.kind) {
    case judge::ValueKind::kFloat: return std::isfinite(v.real) ? json(v.real) : json(judge::print(v));
    case judge::ValueKind::kSigned: return static_cast<int64_t>(v.integer);
    case judge::ValueKind::kUnsigned: return v.integer;
    case judge::ValueKind::kChar: break;
  }
  return v.integer;
}

json mismatch_json(const judge::Mismatch& m, const judge::Testcase& testcase) {
  const judge::Element& e = testcase.elements[m.element];
  const isa::Line& line = testcase.output.lines[e.line];
  const auto rank = static_cast<size_t>(testcase.rank);
  const auto index = testcase.indices.begin() + static_cast<std::ptrdiff_t>(m.element * rank);
  json j{{"index", std::vector<int64_t>(index, index + static_cast<std::ptrdiff_t>(rank))},
         {"line", line.source_line},
         {"place", line.text},
         {"element", e.lane},
         {"seen", value_json(m.seen)},
         {"expected", value_json(e.expected)},
         {"long_word", fmt::format("0x{:016x}", m.bits)}};
  if (m.seen.kind == judge::ValueKind::kFloat && std::isfinite(m.seen.real) && std::isfinite(e.expected.real))
    j["error"] = m.seen.real - e.expected.real;
  j["text"] = render_text(judge::describe(m, testcase));
  return j;
}

Result<Value> judge_call(Args a) {
  auto testcase_text = arg_string(a, 0);
  if (!testcase_text) return testcase_text.take_error();
  auto answer = arg_string(a, 1);
  if (!answer) return answer.take_error();
  auto testcase_file = arg_string_or(a, 2, "<testcase>");
  if (!testcase_file) return testcase_file.take_error();
  auto answer_file = arg_string_or(a, 3, "<answer>");
  if (!answer_file) return answer_file.take_error();
  auto options_text = arg_string_or(a, 4, "{}");
  if (!options_text) return options_text.take_error();
  auto options = judge_options(*options_text, 4);
  if (!options) return options.take_error();
  auto testcase = judge::read_testcase(*testcase_text, *testcase_file);
  if (!testcase) return testcase.take_error();
  auto verdict = judge::judge(*testcase, *answer, *answer_file, *options);
  if (!verdict) return verdict.take_error();

  json out{{"schema", "kumihimo/judge/1"},
           {"accepted", verdict->accepted()},
           {"tensor", testcase->title},
           {"type", testcase->dtype->name},
           {"atol", testcase->tolerance.absolute},
           {"rtol", testcase->tolerance.relative},
           {"compared", verdict->compared},
           {"wrong", verdict->wrong},
           {"score", verdict->score()},
           {"j", verdict->pe_lines},
           {"m", verdict->mv_lines},
           {"bytes", verdict->bytes},
           {"dropped_debug_lines", verdict->dropped_debug_lines},
           {"user_dump", verdict->user_dump},
           {"mismatches", json::array()},
           {"refusals", json::array()}};
  for (const judge::Mismatch& m : verdict->mismatches) out["mismatches"].push_back(mismatch_json(m, *testcase));
  for (const Diagnostic& d : verdict->refusals) out["refusals"].push_back(json::parse(session::diagnostic_json(d)));
  out["cost"] = json::parse(cost::to_json(verdict->cost, *options->machine));
  return Value{out.dump(-1, ' ', false, json::error_handler_t::replace)};  // titles may be any bytes
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.judge",
     "(testcase: str, answer: str, testcase_file: str = '<testcase>', answer_file: str = '<answer>', "
     "options: json = '{}') -> json",
     "runs an answer on a testcase of the public contest; verdict, score, cost and the values that differ", judge_call},
};

}  // namespace

std::span<const FunctionDef> judge_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
