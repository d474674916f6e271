#include "targets/mncore2/session/poison.h"

#include <fmt/format.h>

#include <array>

#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::session {

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
    std::array<std::vector<std::string>, 2> lines;
    for (size_t k = 0; k < 2; ++k) {
      if (auto before = sides[k]->run({.line = i}); !before) return before.take_error();
      auto printed = sides[k]->run({.line = i + 1});
      if (!printed) return printed.take_error();
      lines[k] = std::move(printed->dumps);
    }
    size_t differing = 0, first = 0;
    for (size_t n = lines[0].size(); n-- > 0;)
      if (lines[0][n] != lines[1][n]) ++differing, first = n;
    if (differing == 0) continue;
    Diagnostic d =
        emu::error("poison_dependent", "what is printed depends on words that were never written", sides[0]->where(i));
    d.observed = fmt::format("{} of {} lines differ; first {} and {}", differing, lines[0].size(), lines[0][first],
                             lines[1][first]);
    d.required = "the same lines whatever memories hold at the start";
    found.push_back(std::move(d));
  }
  // The rest may end with an error.
  for (auto& s : sides)
    if (auto rest = s->run(); !rest) return rest.take_error();
  return found;
}

}  // namespace kumihimo::mncore2::session
