// libFuzzer: what an editor asks. The first two bytes choose an offset, the rest is text. Every answer lies inside the
// text, and a remedy does what it promises: an error less for the assembler, or a finding less for the linter.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "targets/mncore2/editor/editor.h"

using namespace kumihimo;
using namespace kumihimo::mncore2::editor;

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

size_t errors(const std::vector<Problem>& problems) {
  return static_cast<size_t>(
      std::ranges::count_if(problems, [](const Problem& p) { return p.finding == Problem::kAssembler; }));
}

size_t alike(const std::vector<Problem>& problems, const Problem& as) {
  return static_cast<size_t>(std::ranges::count_if(
      problems, [&](const Problem& p) { return p.def == as.def && p.severity != Severity::kNote; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t chosen = static_cast<size_t>(data[0]) << 8 | data[1];
  const std::string text(reinterpret_cast<const char*>(data + 2), size - 2);
  const size_t offset = chosen % (text.size() + 2);
  Document document(text, "fuzz.vsm");
  auto inside = [&](const Span& s) { require(s.begin <= s.end && s.end <= text.size()); };
  const std::vector<Problem>& problems = document.problems();
  for (const Problem& p : problems) {
    inside(p.where);
    require(p.def != nullptr && !p.message.empty());
    for (const Related& r : p.related) inside(r.where);
  }
  if (const auto hover = document.hover(offset)) {
    inside(hover->where);
    require(!hover->markdown.empty() && hover->where.begin <= offset &&
            std::min(offset, text.size()) <= hover->where.end);
  }
  for (const Completion& c : document.complete(offset)) {
    inside(c.replace);
    require(!c.label.empty() && c.replace.begin <= offset);
    require(text.substr(c.replace.begin, c.replace.end - c.replace.begin).find('\n') == std::string::npos);
  }
  for (const Remedy& remedy : document.remedies(offset, offset + 64)) {
    std::string mended = text;
    size_t last = text.size();
    for (auto e = remedy.edits.rbegin(); e != remedy.edits.rend(); ++e) {
      inside(e->where);
      require(e->where.end <= last);  // in order, and apart
      last = e->where.begin;
      mended.replace(e->where.begin, e->where.end - e->where.begin, e->text);
    }
    Document after(mended, "fuzz.vsm");
    const Problem& p = problems[remedy.problem];
    if (p.finding == Problem::kAssembler)
      require(errors(after.problems()) < errors(problems));
    else if (p.severity != Severity::kNote)
      require(errors(after.problems()) == errors(problems) && alike(after.problems(), p) < alike(problems, p));
  }
  return 0;
}
