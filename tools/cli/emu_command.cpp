// kumi emu: runs VSM text on the emulator; trace, statistics, checkpoints, and the first difference from another run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>

#include "tools/cli/cli.h"

namespace kumi {
namespace {

struct EmuOptions {
  std::string input, dump, machine = "mncore2", poison, path = "auto";
  bool strict = false, stats = false, two_poisons = false;
  int threads = 0;
  std::vector<std::string> trace;
  std::string trace_output, trace_format = "text";
  int64_t trace_limit = 10000;
  std::string checkpoint, resume;
  int64_t at = -1, until = -1;
  std::string other, select, align = "steps";
  std::vector<std::string> with;
};

std::string name_of(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Fault usage(const std::string& what) { return {kUsage, "error: " + what + "\n", {{"headline", what}}}; }

json emulator_options(const EmuOptions& o) {
  json out{{"machine", o.machine}, {"strict", o.strict}, {"threads", o.threads}, {"path", o.path}};
  if (!o.poison.empty()) out["poison"] = o.poison;
  return out;
}

std::string source_text(const json& source) {
  if (source.is_null()) return "(no line writes it)";
  return fmt::format("{}:{}: {}", source["file"].get<std::string>(), source["line"].get<int64_t>(),
                     source["text"].get<std::string>());
}

std::string event_text(const json& event) {
  std::string out = fmt::format("step {}  {}\n", event["step"].get<uint64_t>(), source_text(event["source"]));
  for (const json& c : event["changes"])
    out += fmt::format("  {}: {} -> {}\n", c["place"].get<std::string>(), c["before"].get<std::string>(),
                       c["after"].get<std::string>());
  return out;
}

// Dump lines of one call: what is printed is written away before more of it is made.
constexpr int64_t kLinesAtOnce = 1 << 15;
// Dump lines that one JSON object holds.
constexpr size_t kMostJsonLines = 1'000'000;

// One run of `kumi emu`: pieces of progress are joined. `dump` takes the dump lines; null = they go into the result.
class Run {
 public:
  Run(const EmuOptions& o, FileWriter* dump)
      : o_(o), dump_(dump), emulator_(api::call("mncore2.emulator", {emulator_options(o).dump()})) {}

  void go() {
    const std::string program = read_file(o_.input);  // once: it may be stdin
    api::call("mncore2.emulator_load", {emulator_, program, name_of(o_.input)});
    if (!o_.resume.empty()) restore();
    if (!o_.trace.empty())
      api::call("mncore2.emulator_trace", {emulator_, fmt::format("{}", fmt::join(o_.trace, ", ")), o_.trace_limit});
    if (!o_.checkpoint.empty()) {
      advance(o_.at);
      write_file(o_.checkpoint, std::string(api::call("mncore2.emulator_save", {emulator_}).string()));
    }
    advance(o_.until);
    result_["findings"] = json::parse(api::call("mncore2.emulator_findings", {emulator_}).string());
    if (o_.two_poisons) {
      const json more = json::parse(
          api::call("mncore2.two_poisons", {program, name_of(o_.input), emulator_options(o_).dump()}).string());
      for (const json& f : more["findings"]) result_["findings"].push_back(f);
    }
    result_["cost"] = json::parse(api::call("mncore2.emulator_statistics", {emulator_}).string());
  }

  json& result() { return result_; }

 private:
  void restore() {
    const std::string state = read_file(o_.resume);
    api::call("mncore2.emulator_restore", {emulator_, state});
  }

  // To a step, counted from the beginning of the program; -1 = the end.
  void advance(int64_t step) {
    const json now = json::parse(api::call("mncore2.emulator_state", {emulator_}).string());
    const auto done = now["step"].get<int64_t>();
    if (step >= 0 && step < done)
      throw usage(fmt::format("step {} lies before the run's position, which is {}", step, done));
    int64_t left = step < 0 ? int64_t{-1} : step - done;
    bool ended = false;
    do {
      const json p =
          json::parse(api::call("mncore2.emulator_run", {emulator_, left, int64_t{0}, kLinesAtOnce}).string());
      for (const char* count : {"steps", "mv"})
        result_[count] = result_.value(count, int64_t{0}) + p[count].get<int64_t>();
      take_dumps(p["dumps"]);
      for (const json& e : p.value("trace", json::array())) result_["trace"].push_back(e);
      result_["trace_dropped"] = result_.value("trace_dropped", int64_t{0}) + p.value("trace_dropped", int64_t{0});
      result_["step"] = p["step"];
      result_["ended"] = ended = p["ended"].get<bool>();
      if (left > 0) left -= p["steps"].get<int64_t>();
    } while (!ended && left != 0);
  }

  void take_dumps(const json& lines) {
    if (dump_ != nullptr) {
      std::string text;
      for (const json& line : lines) text.append(line.get_ref<const std::string&>()).push_back('\n');
      dump_->append(text);
      return;
    }
    json& all = result_["dumps"];
    if (all.size() + lines.size() > kMostJsonLines) {
      const std::string what =
          fmt::format("the program prints more than {} dump lines, too many for one JSON object", kMostJsonLines);
      throw Fault{kInputFault,
                  "error: " + what + "\n  fix: --dump FILE takes any number\n",
                  {{"headline", what}, {"required", "--dump FILE, which takes any number"}}};
    }
    for (const json& line : lines) all.push_back(line);
  }

  const EmuOptions& o_;
  FileWriter* dump_;
  api::Value emulator_;
  json result_{{"dumps", json::array()}, {"trace", json::array()}};
};

std::string trace_text(const EmuOptions& o, const json& result) {
  std::string out;
  for (const json& event : result["trace"]) out += o.trace_format == "jsonl" ? event.dump() + "\n" : event_text(event);
  if (const auto dropped = result["trace_dropped"].get<int64_t>(); dropped > 0)
    out += o.trace_format == "jsonl" ? json{{"dropped", dropped}}.dump() + "\n"
                                     : fmt::format("{} more changed words; --trace-limit shows them\n", dropped);
  return out;
}

int run_emu(const Options& options, const EmuOptions& o) {
  // With --json the dump lines are in the object, unless a file takes them.
  std::optional<FileWriter> dump;
  if (!options.json || !o.dump.empty()) dump.emplace(o.dump);
  Run run(o, dump ? &*dump : nullptr);
  run.go();
  json& r = run.result();
  if (dump) dump->commit();
  if (!o.trace_output.empty()) write_file(o.trace_output, trace_text(o, r));
  const bool clean = r["findings"].empty();
  if (options.json) {
    if (!o.dump.empty()) r.erase("dumps");
    if (o.trace.empty() || !o.trace_output.empty()) r.erase("trace"), r.erase("trace_dropped");
    r["ok"] = clean;
    std::cout << r.dump() << "\n";
    return clean ? kYes : kInputFault;
  }
  if (!o.trace.empty() && o.trace_output.empty()) std::cerr << trace_text(o, r);
  for (const json& f : r["findings"]) std::cerr << f["text"].get<std::string>();
  if (o.stats) std::cerr << r["cost"]["text"].get<std::string>();
  return clean ? kYes : kInputFault;
}

// KEY=VALUE of the second run: poison=ff, strict=true, switches.block_carry=...
json second_options(const std::vector<std::string>& pairs) {
  json out = json::object();
  for (const std::string& pair : pairs) {
    const size_t eq = pair.find('=');
    if (eq == std::string::npos || eq == 0)
      throw usage(
          fmt::format("--diverge-with {}: KEY=VALUE is needed, such as poison=ff or switches.NAME=CHOICE", pair));
    const std::string key = pair.substr(0, eq), value = pair.substr(eq + 1);
    const bool boolean = value == "true" || value == "false";
    if (key.starts_with("switches."))
      out["switches"][key.substr(9)] = value;
    else
      out[key] = boolean ? json(value == "true") : json(value);
  }
  return out;
}

int run_diverge(const Options& options, const EmuOptions& o) {
  const std::string other = o.other.empty() ? o.input : o.other;
  json request = emulator_options(o);
  request["align"] = o.align;
  if (!o.select.empty()) request["select"] = o.select;
  if (!o.with.empty()) request["b"] = second_options(o.with);
  const std::string a = read_file(o.input), b = other == o.input ? a : read_file(other);
  json r = json::parse(api::call("mncore2.diverge", {a, name_of(o.input), b, name_of(other), request.dump()}).string());
  const bool same = !r["diverged"].get<bool>();
  if (options.json) {
    r["ok"] = same;
    std::cout << r.dump() << "\n";
    return same ? kYes : kInputFault;
  }
  if (same) {
    std::cout << fmt::format("no difference: {} and {} steps, {} long words compared\n", r["steps"][0].get<uint64_t>(),
                             r["steps"][1].get<uint64_t>(), r["words_compared"].get<uint64_t>());
    return kYes;
  }
  if (r.contains("mark"))
    std::cout << fmt::format("first difference at mark {} (steps {} and {})\n", r["mark"].get<std::string>(),
                             r["step"][0].get<uint64_t>(), r["step"][1].get<uint64_t>());
  else
    std::cout << fmt::format("first difference in step {}\n", r["step"].get<uint64_t>());
  for (const json& w : r["words"])
    std::cout << fmt::format("  {}: {} and {}\n", w["place"].get<std::string>(), w["values"][0].get<std::string>(),
                             w["values"][1].get<std::string>());
  if (r["differing_words"] > r["words"].size())
    std::cout << fmt::format("  {} words differ in all\n", r["differing_words"].get<uint64_t>());
  for (const json& source : r["sources"]) std::cout << source_text(source) << "\n";
  return kInputFault;
}

int dispatch(const Options& options, const EmuOptions& o) {
  const bool diverge = !o.other.empty() || !o.with.empty();
  if (o.at >= 0 && o.checkpoint.empty()) throw usage("--at STEP belongs to --checkpoint FILE");
  if (diverge && (!o.checkpoint.empty() || !o.resume.empty() || !o.trace.empty() || o.two_poisons || o.until >= 0))
    throw usage("--diverge compares two whole runs: no trace, checkpoint, resume, until or two-poisons with it");
  if (!diverge && !o.select.empty()) throw usage("--select belongs to --diverge");
  return diverge ? run_diverge(options, o) : run_emu(options, o);
}

}  // namespace

void add_emu_command(CLI::App& app, Options& options, int& code) {
  auto o = std::make_shared<EmuOptions>();
  CLI::App* c = app.add_subcommand("emu", "emulate VSM text; d get lines go to stdout or the dump file");
  c->add_option("input", o->input, "VSM file, - for stdin")->required();
  c->add_option("-d,--dump", o->dump, "file for the dump lines");
  c->add_option("--machine", o->machine, "mncore2 or mncore2-tiny");
  c->add_option("--poison", o->poison, "hex pattern that memories hold before the first write");
  c->add_option("--threads", o->threads, "0 = one per processor; results do not depend on it");
  c->add_option("--path", o->path, "instructions of the host to compute with; results do not depend on it")
      ->check(CLI::IsMember({"auto", "scalar", "avx2", "avx512"}));
  c->add_flag("--strict", o->strict, "track definedness; hazards, bad addresses and words in flight are findings");
  c->add_flag("--two-poisons", o->two_poisons,
              "also run with two patterns in unwritten memory; other dumps are findings");
  c->add_flag("--stats", o->stats, "steps, cycles, stalls by cause, use of units and ports on stderr");
  // One value each time: the input may follow.
  c->add_option("--trace", o->trace,
                "changed words of a selection on stderr, such as 'LM0[0:64]@m0p0-3, T, steps[0:9]'")
      ->allow_extra_args(false);
  c->add_option("--trace-format", o->trace_format, "text or jsonl")->check(CLI::IsMember({"text", "jsonl"}));
  c->add_option("--trace-limit", o->trace_limit, "changed words that are shown")->check(CLI::NonNegativeNumber);
  c->add_option("--trace-output", o->trace_output, "file for the trace");
  c->add_option("--checkpoint", o->checkpoint, "file for the machine's state after step --at (default: the end)");
  c->add_option("--at", o->at, "number of steps before the checkpoint")->check(CLI::NonNegativeNumber);
  c->add_option("--resume", o->resume, "go on from a checkpoint of this program");
  c->add_option("--until", o->until, "stop after this number of steps")->check(CLI::NonNegativeNumber);
  c->add_option("--diverge", o->other, "VSM file to compare with: the first step with different memories");
  c->add_option("--diverge-with", o->with, "KEY=VALUE for the second run: poison=HEX, switches.NAME=CHOICE, ...")
      ->allow_extra_args(false);
  c->add_option("--align", o->align, "what is compared at: steps, or marks (lines `# mark NAME`)")
      ->check(CLI::IsMember({"steps", "marks"}));
  c->add_option("--select", o->select, "memories that --diverge compares; default: all but forwarding registers");
  c->callback([&options, &code, o] { code = guarded(options, [&] { return dispatch(options, *o); }); });
}

}  // namespace kumi
