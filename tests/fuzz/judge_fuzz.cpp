// libFuzzer: a testcase, a line `%%%%`, an answer. Any bytes are judged or refused with a position, on the tiny machine;
// every value is compared or the answer refused, each mismatch is described, and a second judgement says the same.
// The last byte chooses strict mode.
#include <cstdlib>
#include <string_view>

#include "targets/mncore2/judge/judge.h"
#include "targets/mncore2/judge/testcase.h"
#include "targets/mncore2/machine.h"

using namespace kumihimo;
using namespace kumihimo::mncore2;

namespace {
void require(bool ok) {
  if (!ok) std::abort();
}

void require_text(const Diagnostic& d) {
  require(d.def != nullptr && !render_text(d).empty() && !render_json(d).empty());
  for (const Diagnostic& r : d.related) require(r.def != nullptr && !render_text(r).empty());
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kBetween = "\n%%%%\n";
  const size_t split = text.find(kBetween);
  const std::string_view answer = split == text.npos ? "nop\n" : text.substr(split + kBetween.size());

  const auto testcase = judge::read_testcase(text.substr(0, split), "testcase.vsm");
  if (!testcase.ok()) {
    require_text(testcase.error());
    require(testcase.error().where.known());
    return 0;
  }
  const judge::Testcase& t = *testcase;
  require(t.dtype != nullptr && !t.elements.empty() && t.rank > 0);
  require(t.indices.size() == t.elements.size() * static_cast<size_t>(t.rank));

  judge::JudgeOptions options;
  options.machine = find_machine("mncore2-tiny");
  options.emu.strict = size > 0 && (data[size - 1] & 1) != 0;
  options.keep_set = options.emu.strict;
  const auto verdict = judge::judge(t, answer, "answer.vsm", options);
  if (!verdict.ok()) {
    require_text(verdict.error());
    return 0;
  }
  for (const Diagnostic& d : verdict->refusals) require_text(d);
  require(verdict->compared == t.elements.size() || !verdict->refusals.empty());
  require(verdict->wrong <= verdict->compared);
  require(verdict->mismatches.size() == std::min(verdict->wrong, options.max_mismatches));
  for (const judge::Mismatch& m : verdict->mismatches) require_text(judge::describe(m, t));

  const auto again = judge::judge(t, answer, "answer.vsm", options);
  require(again.ok() && again->wrong == verdict->wrong && again->accepted() == verdict->accepted());
  return 0;
}
