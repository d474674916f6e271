#include "targets/mncore2/session/poison.h"

#include <fmt/format.h>

#include <array>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::session {
namespace {
constexpr uint64_t kLinesAtOnce = 1 << 14;
}  // namespace

Result<std::vector<Diagnostic>> two_poisons(const Options& options, const isa::Program& program,
                                            const std::string& file) {
  std::array<std::unique_ptr<Session>, 2> sides;
  for (size_t k = 0; k < 2; ++k) {
    Options o = options;
    o.emu.poison = kPoisons[k];
    o.emu.strict = false;
    auto s = Session::create(o);
    if (!s) return s.take_error();
    sides[k] = std::move(*s);
    sides[k]->load(program, file);
  }
  std::vector<Diagnostic> found;
  for (size_t i = 0; i < program.lines.size() && !sides[0]->ended(); ++i) {
    if (program.lines[i].kind != isa::LineKind::kDebugGet) continue;
    for (auto& side : sides)
      if (auto before = side->run({.line = i, .dumps = false}); !before) return before.take_error();
    // Both sides print the same number of lines; a long statement is compared part by part.
    size_t differing = 0, all = 0;
    std::array<std::string, 2> first;
    while (!sides[0]->ended() && sides[0]->position().line == i) {
      std::array<std::vector<std::string>, 2> lines;
      for (size_t k = 0; k < 2; ++k) {
        auto printed = sides[k]->run({.line = i + 1, .dump_lines = kLinesAtOnce});
        if (!printed) return printed.take_error();
        lines[k] = std::move(printed->dumps);
      }
      all += lines[0].size();
      for (size_t n = 0; n < lines[0].size(); ++n)
        if (lines[0][n] != lines[1][n] && differing++ == 0) first = {lines[0][n], lines[1][n]};
    }
    if (differing == 0) continue;
    Diagnostic d =
        emu::error("poison_dependent", "what is printed depends on words that were never written", sides[0]->where(i));
    d.observed = fmt::format("{} of {} lines differ; first {} and {}", differing, all, first[0], first[1]);
    d.required = "the same lines whatever memories hold at the start";
    found.push_back(std::move(d));
  }
  // The rest may end with an error.
  for (auto& s : sides)
    if (auto rest = s->run({.dumps = false}); !rest) return rest.take_error();
  return found;
}

}  // namespace kumihimo::mncore2::session
