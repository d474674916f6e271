// Emulator sessions for the outside: create, load, run, look, save. See targets/mncore2/session/session.h.
//
// A session is an object of the boundary. Objects belong to one thread at a time; a call that meets another one inside
// the same session is refused, not undefined.
#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/dispatch/objects.h"
#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/functions.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/object/object.h"
#include "targets/mncore2/session/json.h"
#include "targets/mncore2/session/poison.h"
#include "targets/mncore2/session/tensors.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;
using session::Session;

struct EmulatorObject final : Object {
  static constexpr std::string_view kTypeName = "mncore2.emulator";
  std::string_view type_name() const override { return kTypeName; }
  std::unique_ptr<Session> session;  // null when closed
  json lint = json::array();         // strict: errors of the linter in the loaded program
  std::mutex busy;
};

// The session of the first argument, held for the time of the call.
struct Held {
  std::shared_ptr<EmulatorObject> object;
  std::unique_lock<std::mutex> lock;
  Session& operator*() const { return *object->session; }
  Session* operator->() const { return object->session.get(); }
};
Result<Held> held(Args a) {
  auto object = arg_object<EmulatorObject>(a, 0);
  if (!object) return object.take_error();
  Held h{*object, std::unique_lock((*object)->busy, std::try_to_lock)};
  if (!h.lock.owns_lock()) return emu::error("emu_session", "another thread is using this session", {});
  if (h.object->session == nullptr) return emu::error("emu_session", "this session is closed", {});
  return h;
}

Result<Value> create_call(Args a) {
  auto text = arg_string_or(a, 0, "{}");
  if (!text) return text.take_error();
  auto options = session::parse_options(*text, 0);
  if (!options) return options.take_error();
  auto s = Session::create(*options);
  if (!s) return s.take_error();
  auto object = std::make_shared<EmulatorObject>();
  object->session = std::move(*s);
  return Value{std::shared_ptr<Object>(object)};
}

Result<Value> load_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto text = arg_string(a, 1);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 2, "<vsm>");
  if (!file) return file.take_error();
  auto program = object::read_program(*text, *file);
  if (!program) return program.take_error();
  s->object->lint = json::array();
  if ((*s)->options().emu.strict)
    // The emulator is not cycle accurate: what a real machine would read too early is the linter's to say.
    for (const hazard::Finding& f : hazard::lint_errors(*program))
      s->object->lint.push_back(json::parse(session::diagnostic_json(hazard::to_diagnostic(f, *program, *file))));
  (*s)->load(std::move(*program), std::string(*file));
  return Value{session::position_json(**s)};
}

Result<Value> run_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto steps = arg_int_or(a, 1, -1);
  if (!steps) return steps.take_error();
  auto budget = arg_int_or(a, 2, 0);
  if (!budget) return budget.take_error();
  if (*budget < 0) return bad_argument(2, std::to_string(*budget), "milliseconds, 0 for no limit");
  auto dump_lines = arg_int_or(a, 3, 0);
  if (!dump_lines) return dump_lines.take_error();
  if (*dump_lines < 0) return bad_argument(3, std::to_string(*dump_lines), "a number of dump lines, 0 for no limit");
  session::Limits limits;
  if (*steps >= 0) limits.steps = static_cast<uint64_t>(*steps);
  limits.budget = std::chrono::milliseconds(*budget);
  if (*dump_lines > 0) limits.dump_lines = static_cast<uint64_t>(*dump_lines);
  auto progress = (*s)->run(limits);
  if (!progress) return progress.take_error();
  return Value{session::progress_json(**s, *progress)};
}

Result<Value> reset_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  (*s)->reset();
  return Value{};
}

Result<Value> close_call(Args a) {
  auto object = arg_object<EmulatorObject>(a, 0);
  if (!object) return object.take_error();
  std::unique_lock lock((*object)->busy, std::try_to_lock);
  if (!lock.owns_lock()) return emu::error("emu_session", "another thread is using this session", {});
  (*object)->session.reset();
  return Value{};
}

Result<Value> state_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  return Value{session::position_json(**s)};
}

Result<Value> findings_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  json out = s->object->lint;
  for (const Diagnostic& d : (*s)->machine().findings()) out.push_back(json::parse(session::diagnostic_json(d)));
  return Value{out.dump()};
}

Result<Value> statistics_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  return Value{session::statistics_json(**s)};
}

Result<Value> trace_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto spec = arg_string_or(a, 1, "");
  if (!spec) return spec.take_error();
  auto limit = arg_int_or(a, 2, 10000);
  if (!limit) return limit.take_error();
  if (*limit < 0) return bad_argument(2, std::to_string(*limit), "a number of changed words, 0 or more");
  if (spec->empty()) {
    (*s)->trace(std::nullopt, 0);
    return Value{};
  }
  auto selection = session::parse_selection(*spec, *(*s)->options().machine);
  if (!selection) return selection.take_error();
  (*s)->trace(std::move(*selection), static_cast<uint64_t>(*limit));
  return Value{};
}

// Long words of one call: a memory holds gigabytes, and a caller that wants them all has room for them, not for copies.
constexpr int64_t kMostWords = int64_t{1} << 20;

// Arguments 1 to 3: memory, unit, first long word.
struct Words {
  isa::Mem mem;
  UnitCoord unit;
  int64_t address;
};

// Argument 4 of functions that read: long words.
Result<size_t> count_of(Args a) {
  auto count = arg_int(a, 4);
  if (!count) return count.take_error();
  if (*count < 0 || *count > kMostWords)
    return bad_argument(4, std::to_string(*count),
                        fmt::format("0 to {} long words; more in several calls", kMostWords));
  return static_cast<size_t>(*count);
}
Result<Words> words_of(Args a, const Session& s) {
  auto name = arg_string(a, 1);
  if (!name) return name.take_error();
  auto unit_text = arg_string(a, 2);
  if (!unit_text) return unit_text.take_error();
  auto address = arg_int(a, 3);
  if (!address) return address.take_error();
  const isa::Mem* mem = session::find_mem(*name);
  if (mem == nullptr) {
    std::string known;
    for (const session::Part& p : session::everything(*s.options().machine).parts)
      known += (known.empty() ? "" : " ") + std::string(emu::find_memory(p.mem)->dump_name);
    return bad_argument(1, std::string(*name), "a memory: " + known);
  }
  auto unit = session::parse_unit(*unit_text, *mem, *s.options().machine);
  if (!unit) return unit.take_error();
  return Words{*mem, *unit, *address};
}

Result<Value> read_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto words = words_of(a, **s);
  if (!words) return words.take_error();
  auto count = count_of(a);
  if (!count) return count.take_error();
  std::string out(*count * sizeof(uint64_t), '\0');
  std::vector<uint64_t> values(*count);
  Status status = (*s)->machine().read_span(words->mem, words->unit, words->address, values);
  if (!status.ok()) return status.take_error();
  std::memcpy(out.data(), values.data(), out.size());
  return Value{std::move(out)};
}

Result<Value> defined_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto words = words_of(a, **s);
  if (!words) return words.take_error();
  auto count = count_of(a);
  if (!count) return count.take_error();
  std::vector<uint8_t> lanes(*count);
  Status status = (*s)->machine().defined_span(words->mem, words->unit, words->address, lanes);
  if (!status.ok()) return status.take_error();
  return Value{std::string(lanes.begin(), lanes.end())};
}

Result<Value> write_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto words = words_of(a, **s);
  if (!words) return words.take_error();
  auto bytes = arg_string(a, 4);
  if (!bytes) return bytes.take_error();
  if (bytes->size() % sizeof(uint64_t) != 0)
    return bad_argument(4, fmt::format("{} bytes", bytes->size()), "whole long words of 8 bytes");
  std::vector<uint64_t> values(bytes->size() / sizeof(uint64_t));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  Status status = (*s)->machine().write_span(words->mem, words->unit, words->address, values);
  if (!status.ok()) return status.take_error();
  if (words->mem == isa::Mem::kBar0 || words->mem == isa::Mem::kBar1) (*s)->base_addresses_changed();
  return Value{};
}

Result<Value> set_tensor_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto layout = arg_string(a, 1);
  if (!layout) return layout.take_error();
  auto dtype = arg_string(a, 2);
  if (!dtype) return dtype.take_error();
  auto address = arg_int(a, 3);
  if (!address) return address.take_error();
  auto bytes = arg_string(a, 4);
  if (!bytes) return bytes.take_error();
  Status status = session::set_tensor((*s)->machine(), *layout, *dtype, *address,
                                      {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
  if (!status.ok()) return status.take_error();
  return Value{};
}

Result<Value> get_tensor_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto layout = arg_string(a, 1);
  if (!layout) return layout.take_error();
  auto dtype = arg_string(a, 2);
  if (!dtype) return dtype.take_error();
  auto address = arg_int(a, 3);
  if (!address) return address.take_error();
  auto copy = arg_int_or(a, 4, 0);
  if (!copy) return copy.take_error();
  auto bits = session::get_tensor((*s)->machine(), *layout, *dtype, *address, *copy);
  if (!bits) return bits.take_error();
  auto out = std::make_shared<TensorsObject>();
  Tensor t;
  t.dtype = bits->dtype;
  t.partial = std::move(bits->partial);
  t.shape = std::move(bits->shape);
  t.data = std::move(bits->data);
  out->tensors.emplace("value", std::move(t));
  return Value{std::shared_ptr<Object>(out)};
}

Result<Value> save_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto bytes = (*s)->save();
  if (!bytes) return bytes.take_error();
  return Value{std::move(*bytes)};
}

Result<Value> restore_call(Args a) {
  auto s = held(a);
  if (!s) return s.take_error();
  auto bytes = arg_string(a, 1);
  if (!bytes) return bytes.take_error();
  Status status = (*s)->restore(*bytes);
  if (!status.ok()) return status.take_error();
  return Value{session::position_json(**s)};
}

// --- two programs ---------------------------------------------------------------------------------------------------

// Memories that programs compute with; forwarding and turnaround registers hold what the last instruction left.
constexpr std::string_view kCompared =
    "LM0, LM1, GRF0, GRF1, T, OMR, BAR0, BAR1, MREGX, MREGY, L1BM, L2BM, PDM, DRAM, DAR";

Result<std::unique_ptr<Session>> side(std::string_view text, std::string_view file, std::string_view options,
                                      size_t argument) {
  auto parsed = session::parse_options(options, argument);
  if (!parsed) return parsed.take_error();
  auto program = object::read_program(text, file);
  if (!program) return program.take_error();
  auto s = Session::create(*parsed);
  if (!s) return s.take_error();
  (*s)->load(std::move(*program), std::string(file));
  return s;
}

Result<Value> diverge_call(Args a) {
  std::string_view strings[4];
  for (size_t i = 0; i < 4; ++i) {
    auto s = arg_string(a, i);
    if (!s) return s.take_error();
    strings[i] = *s;
  }
  auto text = arg_string_or(a, 4, "{}");
  if (!text) return text.take_error();
  json j = json::parse(text->begin(), text->end(), nullptr, false);
  if (!j.is_object()) return bad_argument(4, std::string(text->substr(0, 80)), "a JSON object of options");
  std::string selection(kCompared);
  session::DivergeOptions o;
  json both = json::object(), only_b = json::object();
  for (const auto& [key, value] : j.items()) {
    if (key == "select" && value.is_string())
      selection = value.get<std::string>();
    else if (key == "align" && (value == "steps" || value == "marks"))
      o.by_marks = value == "marks";
    else if (key == "b" && value.is_object())
      only_b = value;
    else if (key == "select" || key == "align" || key == "b")
      return bad_argument(4, fmt::format("{}: {}", key, value.dump()),
                          "select (a selection), align (steps or marks), b (options of the second program only)");
    else
      both[key] = value;
  }
  json options_b = both;
  options_b.update(only_b);
  o.same_machines = options_b == both;
  auto first = side(strings[0], strings[1], both.dump(), 4);
  if (!first) return first.take_error();
  auto second = side(strings[2], strings[3], options_b.dump(), 4);
  if (!second) return second.take_error();
  auto chosen = session::parse_selection(selection, *(*first)->options().machine);
  if (!chosen) return chosen.take_error();
  o.selection = std::move(*chosen);
  auto report = session::diverge({first->get(), strings[0]}, {second->get(), strings[2]}, o);
  if (!report) return report.take_error();
  return Value{session::divergence_json(**first, **second, *report)};
}

Result<Value> two_poisons_call(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 1, "<vsm>");
  if (!file) return file.take_error();
  auto options_text = arg_string_or(a, 2, "{}");
  if (!options_text) return options_text.take_error();
  auto options = session::parse_options(*options_text, 2);
  if (!options) return options.take_error();
  auto program = object::read_program(*text, *file);
  if (!program) return program.take_error();
  auto found = session::two_poisons(*options, *program, std::string(*file));
  if (!found) return found.take_error();
  json out{{"findings", json::array()}};
  for (const Diagnostic& d : *found) out["findings"].push_back(json::parse(session::diagnostic_json(d)));
  return Value{out.dump()};
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.emulator", "(options: json = '{}') -> mncore2.emulator",
     "a session with the emulator: machine, strict, poison, threads, path, switches", create_call},
    {"mncore2.emulator_load", "(emulator, text: str, file: str = '<vsm>') -> json",
     "assembles VSM text and puts the position at its first line; memories stay", load_call},
    {"mncore2.emulator_run", "(emulator, steps: int = -1, budget_ms: int = 0, dump_lines: int = 0) -> json",
     "executes steps (-1 = to the end), at most for a time or until so many dump lines; dump lines, trace and position",
     run_call},
    {"mncore2.emulator_reset", "(emulator) -> None", "memories and position as at the beginning; the program stays",
     reset_call},
    {"mncore2.emulator_close", "(emulator) -> None", "gives the machine's memory back at once", close_call},
    {"mncore2.emulator_state", "(emulator) -> json", "machine, position, next line, number of findings", state_call},
    {"mncore2.emulator_findings", "(emulator) -> json",
     "strict: errors of the linter in the program, and what was found so far", findings_call},
    {"mncore2.emulator_statistics", "(emulator) -> json",
     "time of what was executed: steps, cycles, stalls by cause, use of units and ports", statistics_call},
    {"mncore2.emulator_trace", "(emulator, selection: str = '', limit: int = 10000) -> None",
     "runs report changes of the selected words from now on; an empty selection ends it", trace_call},
    {"mncore2.emulator_read", "(emulator, memory: str, unit: str, address: int, count: int) -> bytes",
     "long words of one unit's memory, little-endian; at most 2^20 in one call", read_call},
    {"mncore2.emulator_defined", "(emulator, memory: str, unit: str, address: int, count: int) -> bytes",
     "four bits per long word: which of its lanes were written (strict), first lane highest", defined_call},
    {"mncore2.emulator_write", "(emulator, memory: str, unit: str, address: int, words: bytes) -> None",
     "writes long words of one unit's memory, little-endian", write_call},
    {"mncore2.emulator_set_tensor", "(emulator, layout: str, dtype: str, address: int, elements: bytes) -> None",
     "puts element bits where a layout says; other words keep their content", set_tensor_call},
    {"mncore2.emulator_get_tensor", "(emulator, layout: str, dtype: str, address: int, copy: int = 0) -> tensors",
     "one copy of the tensor that a layout describes, named value", get_tensor_call},
    {"mncore2.emulator_save", "(emulator) -> bytes", "the whole state, versioned and checksummed", save_call},
    {"mncore2.emulator_restore", "(emulator, state: bytes) -> json",
     "goes to a saved state of the same machine, options and lines before the position", restore_call},
    {"mncore2.diverge", "(text_a: str, file_a: str, text_b: str, file_b: str, options: json = '{}') -> json",
     "the first step or mark at which two programs leave different values in chosen memories", diverge_call},
    {"mncore2.two_poisons", "(text: str, file: str = '<vsm>', options: json = '{}') -> json",
     "runs a program with two patterns in unwritten memory; dump lines that differ are findings", two_poisons_call},
};

}  // namespace

std::span<const FunctionDef> emulator_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
