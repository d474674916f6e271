// kumi judge: an answer against a testcase of the public contest.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "tools/cli/cli.h"

namespace kumi {
namespace {

struct JudgeOptions {
  std::string testcase, answer, profile, poison;
  bool strict = false, get = false, set = false;
  int threads = 0;
  unsigned limit = 10;
};

int run_judge(const Options& options, const JudgeOptions& o) {
  json request{{"strict", o.strict}, {"get", o.get}, {"set", o.set}, {"limit", o.limit}, {"threads", o.threads}};
  if (!o.profile.empty()) request["profile"] = o.profile;
  if (!o.poison.empty()) request["poison"] = o.poison;
  const std::string testcase = read_file(o.testcase), answer = read_file(o.answer);
  const auto name = [](const std::string& path) { return path == "-" ? std::string("<stdin>") : path; };
  json r = json::parse(
      api::call("mncore2.judge", {testcase, answer, name(o.testcase), name(o.answer), request.dump()}).string());
  const bool accepted = r["accepted"].get<bool>();
  if (options.json) {
    r["ok"] = accepted;
    std::cout << r.dump() << "\n";
    return accepted ? kYes : kInputFault;
  }
  for (const json& line : r["user_dump"]) std::cerr << line.get<std::string>() << "\n";
  for (const json& m : r["mismatches"]) std::cerr << m["text"].get<std::string>();
  for (const json& d : r["refusals"]) std::cerr << d["text"].get<std::string>();
  const auto number = [&](const char* key) { return r[key].get<int64_t>(); };
  if (accepted) {
    std::cout << fmt::format("ACCEPTED!! score={} j={} m={} bytes={}\n", number("score"), number("j"), number("m"),
                             number("bytes"));
    return kYes;
  }
  if (number("wrong") > 0)
    std::cout << fmt::format("{} value(s) correct, but {} value(s) mismatch\n", number("compared") - number("wrong"),
                             number("wrong"));
  if (!r["refusals"].empty())
    std::cout << fmt::format("refused: {} line(s) of the answer break a rule\n", r["refusals"].size());
  return kInputFault;
}

}  // namespace

void add_judge_command(CLI::App& app, Options& options, int& code) {
  auto o = std::make_shared<JudgeOptions>();
  CLI::App* c = app.add_subcommand("judge", "an answer against a testcase of the public contest: verdict and score");
  c->add_option("testcase", o->testcase, "testcase .vsm")->required();
  c->add_option("answer", o->answer, "answer .vsm, - for stdin")->required();
  c->add_flag("--strict", o->strict, "refuse undefined data, missing waits and estimated hazards as well");
  c->add_option("--profile", o->profile, "rules between steps: published, or default with --strict");
  c->add_option("--limit", o->limit, "how many wrong values are described");
  c->add_option("--poison", o->poison, "hex pattern that memories hold before the first write; default 0");
  c->add_option("--threads", o->threads, "0 = one per processor; results do not depend on it");
  c->add_flag("--enable-get", o->get, "print the d get lines of the answer; they are left out otherwise");
  c->add_flag("--enable-set", o->set, "run the d set lines of the answer; it is then not accepted");
  c->callback([&options, &code, o] { code = guarded(options, [&] { return run_judge(options, *o); }); });
}

}  // namespace kumi
