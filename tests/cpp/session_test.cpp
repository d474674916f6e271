// Sessions: the laws of session.h, selections, what lines may change, first differences, tensors by layout.
#include "targets/mncore2/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "core/base/checksum.h"
#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/session/diverge.h"
#include "targets/mncore2/session/poison.h"
#include "targets/mncore2/session/tensors.h"
#include "tests/cpp/emu_random.h"
#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::session {
namespace {

using emu::random_program;
using emu::tiny;
using isa::Mem;

isa::Program assembled(const std::string& text) {
  auto r = vsm::assemble(text, "test.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  return r.program;
}

std::unique_ptr<Session> session(const isa::Program& program, bool strict = false, uint64_t poison = 0) {
  Options o;
  o.machine = &tiny();
  o.emu.strict = strict;
  o.emu.poison = poison;
  auto s = Session::create(o);
  EXPECT_TRUE(s.ok());
  (*s)->load(program, "test.vsm");
  return std::move(*s);
}
std::unique_ptr<Session> session(const std::string& text) { return session(assembled(text)); }

// Everything that can be read of a machine. LM is read in part where programs only use its beginning.
std::vector<uint64_t> image(const emu::Machine& machine) {
  Selection all = everything(machine.config());
  std::vector<Touch> touches;
  for (const Part& p : all.parts) {
    int64_t end = std::min<int64_t>(p.end_lw, 2048);
    touches.push_back({p.mem, 0, end});
  }
  return Watched(all, touches, machine.config()).read(machine);
}

std::vector<std::string> finding_texts(const Session& s) {
  std::vector<std::string> out;
  for (const Diagnostic& d : s.machine().findings()) out.push_back(render_text(d));
  return out;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// --- cuts, checkpoints ----------------------------------------------------------------------------------------------

TEST(Session, MayBeCutAnywhere) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const bool strict = seed % 2 == 0;
    const auto program = random_program(seed, false, 120);
    auto whole = session(program, strict);
    const auto all = whole->run();
    ASSERT_TRUE(all.ok()) << render_text(all.error());
    EXPECT_TRUE(all->ended);
    auto cut = session(program, strict);
    std::vector<std::string> dumps;
    uint64_t steps = 0, mvs = 0;
    for (uint64_t n = 1; !cut->ended(); n = n % 5 + 1) {
      const auto part = cut->run({.steps = n});
      ASSERT_TRUE(part.ok());
      EXPECT_TRUE(part->steps == n || part->ended);
      append(dumps, part->dumps);
      steps += part->steps;
      mvs += part->mvs;
    }
    EXPECT_EQ(image(whole->machine()), image(cut->machine()));
    EXPECT_EQ(all->dumps, dumps);
    EXPECT_EQ(all->steps, steps);
    EXPECT_EQ(all->mvs, mvs);
    EXPECT_EQ(whole->position(), cut->position());
    EXPECT_EQ(finding_texts(*whole), finding_texts(*cut));
    EXPECT_EQ(whole->statistics(), cut->statistics());
    EXPECT_EQ(whole->statistics(), cost::cost(program, tiny()));
  }
}

TEST(Session, SavedAndRestoredGoesOnTheSame) {
  for (uint64_t seed = 20; seed <= 31; ++seed) {
    SCOPED_TRACE(seed);
    const bool strict = seed % 2 == 0;
    const uint64_t poison = seed % 3 == 0 ? 0x7ff0123456789abc : 0;
    const auto program = random_program(seed, false, 120);
    auto whole = session(program, strict, poison);
    const auto all = whole->run();
    ASSERT_TRUE(all.ok());
    auto first = session(program, strict, poison);
    const auto head = first->run({.steps = all->steps * (seed % 7) / 7});
    ASSERT_TRUE(head.ok());
    const auto saved = first->save();
    ASSERT_TRUE(saved.ok());
    auto second = session(program, strict, poison);
    ASSERT_TRUE(second->run({.steps = 17}).ok());  // whatever was there before is gone
    const Status restored = second->restore(*saved);
    ASSERT_TRUE(restored.ok()) << render_text(restored.error());
    EXPECT_EQ(second->position(), first->position());
    EXPECT_EQ(*second->save(), *saved);
    const auto tail = second->run();
    ASSERT_TRUE(tail.ok());
    EXPECT_EQ(image(whole->machine()), image(second->machine()));
    std::vector<std::string> dumps = head->dumps;
    append(dumps, tail->dumps);
    EXPECT_EQ(dumps, all->dumps);
    EXPECT_EQ(finding_texts(*whole), finding_texts(*second));
    EXPECT_EQ(*whole->save(), *second->save());
  }
}

TEST(Session, ALongNopIsCutInTheMiddle) {
  auto s = session("imm i\"7\" $lr0\nnop/10\nlpassa $lr0 $ls0\nnop/3\n");
  ASSERT_TRUE(s->run({.steps = 4}).ok());
  EXPECT_EQ(s->position(), (Position{1, 3, 4}));
  EXPECT_EQ(s->statistics().steps, 4);
  const auto saved = s->save();
  auto t = session("imm i\"7\" $lr0\nnop/10\nlpassa $lr0 $ls0\n");  // another end is no matter
  ASSERT_TRUE(t->restore(*saved).ok());
  const auto rest = t->run();
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->steps, 8u);
  EXPECT_EQ(*t->machine().read_lw(Mem::kGrf1, {}, 0), 0x0000000700000007u);
}

TEST(Session, ADamagedCheckpointIsRefused) {
  auto s = session("imm i\"7\" $lr0\nd set $lb0n0c0b0 1 0123456789abcdef\nnop\n");
  ASSERT_TRUE(s->run({.steps = 1}).ok());
  const std::string saved = *s->save();
  const auto refused = [&](std::string bytes, const std::string& what) {
    auto t = session("imm i\"7\" $lr0\nd set $lb0n0c0b0 1 0123456789abcdef\nnop\n");
    const Status status = t->restore(bytes);
    ASSERT_FALSE(status.ok()) << what;
    EXPECT_EQ(status.error().def->code, "K4020") << what;
    EXPECT_TRUE(t->run().ok()) << what;  // the session is as it was
  };
  for (size_t n = 0; n < saved.size(); n += 1 + saved.size() / 97)
    refused(saved.substr(0, n), "cut at " + std::to_string(n));
  for (size_t n = 0; n < saved.size(); n += 1 + saved.size() / 97) {
    std::string changed = saved;
    changed[n] = static_cast<char>(changed[n] ^ 0x10);
    refused(changed, "changed at " + std::to_string(n));
  }
  refused(saved + "x", "longer");
  auto other = session("imm i\"8\" $lr0\nd set $lb0n0c0b0 1 0123456789abcdef\nnop\n");
  const Status status = other->restore(saved);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().observed.find("imm i\"7\" $lr0"), std::string::npos);
  auto strict = session(assembled("imm i\"7\" $lr0\n"), true);
  EXPECT_FALSE(strict->restore(saved).ok());
}

TEST(Session, ResetBeginsAgain) {
  const auto program = random_program(50, false, 100);
  auto s = session(program, true);
  const auto first = s->run();
  const auto before = image(s->machine());
  s->reset();
  EXPECT_EQ(s->position(), Position{});
  EXPECT_TRUE(finding_texts(*s).empty());
  const auto second = s->run();
  EXPECT_EQ(first->dumps, second->dumps);
  EXPECT_EQ(before, image(s->machine()));
}

TEST(Session, AProgramMayFollowAnother) {
  auto s = session("imm i\"7\" $lr0\n");
  ASSERT_TRUE(s->run().ok());
  s->load(assembled("lpassa $lr0 $ls0\nd getd $ls0n0c0b0m0p0 1\n"), "second.vsm");
  const auto p = s->run();
  EXPECT_EQ(p->dumps.size(), 1u);
  EXPECT_NE(p->dumps[0].find("0x0000000700000007"), std::string::npos);
}

// --- long dumps -----------------------------------------------------------------------------------------------------

// A `d get` may be cut anywhere, a checkpoint may stand inside it, and what strict mode says of it is said once.
TEST(Session, ADumpIsCutAnywhere) {
  const std::string text =
      "lpassa $peid $lr0v\nspassa $lr0v $omr1\nd getd $lr0n0c0b1 3\nd get $omr1n0c0b0m3 2\nd getd $d5n0 7\n"
      "d geth $llr4n0c0b0m0 1\nnop\nd get $lt 8\n";
  for (bool strict : {false, true}) {
    auto whole = session(assembled(text), strict, 0x0123456789abcdef);
    const auto all = whole->run();
    ASSERT_TRUE(all.ok());
    // 64 PEs x 3; 4 PEs x 2 registers x 4 cycles; 7; 4; 128 PEs x 8.
    ASSERT_EQ(all->dumps.size(), 192u + 32u + 7u + 4u + 1024u);
    for (uint64_t most : {1, 3, 5, 64, 191, 192, 193, 1000}) {
      SCOPED_TRACE(most);
      auto cut = session(assembled(text), strict, 0x0123456789abcdef);
      std::vector<std::string> dumps;
      while (!cut->ended()) {
        const auto part = cut->run({.dump_lines = most});
        ASSERT_TRUE(part.ok());
        ASSERT_LE(part->dumps.size(), most);
        append(dumps, part->dumps);
        if (most < 64 || cut->ended()) continue;
        auto next = session(assembled(text), strict, 0x0123456789abcdef);
        const auto saved = cut->save();
        ASSERT_TRUE(saved.ok());
        const Status restored = next->restore(*saved);
        ASSERT_TRUE(restored.ok()) << render_text(restored.error());
        EXPECT_EQ(next->position(), cut->position());
        cut = std::move(next);
      }
      EXPECT_EQ(dumps, all->dumps);
      EXPECT_EQ(finding_texts(*cut), finding_texts(*whole));
      const auto bound = [](const Session& s) {
        std::vector<std::vector<std::pair<std::string, std::string>>> out;
        for (const Diagnostic& d : s.machine().findings()) out.push_back(d.bound);
        return out;
      };
      EXPECT_EQ(bound(*cut), bound(*whole));
      EXPECT_EQ(cut->position(), whole->position());
      EXPECT_EQ(*cut->save(), *whole->save());
    }
  }
}

TEST(Session, ACheckpointOfVersionOneIsRead) {
  auto s = session("imm i\"7\" $lr0\nnop/5\nlpassa $lr0 $ls0\n");
  ASSERT_TRUE(s->run({.steps = 3}).ok());
  // Version 1 is version 2 without the last number of the position.
  std::string bytes = *s->save();
  ASSERT_EQ(bytes[8], 2);
  bytes[8] = 1;
  const auto length = [&](size_t at) {
    uint64_t n = 0;
    std::memcpy(&n, bytes.data() + at, 8);
    return n;
  };
  size_t at = 16;
  for (int text = 0; text < 2; ++text) at += 8 + length(at);
  bytes.erase(at + 24, 8);
  bytes.resize(bytes.size() - 8);
  const uint64_t sum = checksum64(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), 8);
  auto t = session("imm i\"7\" $lr0\nnop/5\nlpassa $lr0 $ls0\n");
  const Status restored = t->restore(bytes);
  ASSERT_TRUE(restored.ok()) << render_text(restored.error());
  EXPECT_EQ(t->position(), s->position());
  ASSERT_TRUE(t->run().ok());
  EXPECT_EQ(*t->machine().read_lw(Mem::kGrf1, {}, 0), 0x0000000700000007u);
}

// --- what a line may change -------------------------------------------------------------------------------------------

// Every word that changes when a line is executed lies in what append_touched says of it.
TEST(Touched, CoversEveryChange) {
  const Selection all = everything(tiny());
  std::vector<Touch> whole;
  for (const Part& p : all.parts) whole.push_back({p.mem, 0, std::min<int64_t>(p.end_lw, 2048)});
  const Watched watched(all, whole, tiny());
  uint64_t changes = 0;
  std::set<Mem> seen;
  for (uint64_t seed = 60; seed <= 62; ++seed) {
    SCOPED_TRACE(seed);
    auto program = random_program(seed, false, 100);
    if (seed % 2 == 0) {
      // Base addresses move every LM access.
      auto with_bar = assembled("imm i\"64\" $lr60\nnop\nlpassa $lr60 $lmb\nlpassa $lr60 $lnb\n");
      program.lines.insert(program.lines.begin(), with_bar.lines.begin(), with_bar.lines.end());
    }
    auto s = session(program);
    BaseAddresses bases;
    auto before = watched.read(s->machine());
    for (size_t i = 0; i < program.lines.size() && !s->ended(); ++i) {
      std::vector<Touch> touches;
      append_touched(program.lines[i], bases, touches);
      join(touches);
      ASSERT_TRUE(s->run({.line = i + 1}).ok());
      const auto after = watched.read(s->machine());
      watched.for_each([&](Mem mem, UnitCoord unit, int64_t addr, size_t k) {
        if (before[k] == after[k]) return;
        ++changes;
        seen.insert(mem);
        const bool covered = std::ranges::any_of(touches, [&](const Touch& t) {
          const int bit = mem == Mem::kL2bm ? 2 * unit.g + unit.s : mem == Mem::kPdm || mem == Mem::kDram ? unit.g : 0;
          return t.mem == mem && addr >= t.first_lw && addr < t.end_lw && (t.instances >> bit & 1) != 0;
        });
        EXPECT_TRUE(covered) << isa::print(program.lines[i]) << " changes " << place_text(mem, unit, addr);
      });
      before = after;
    }
  }
  EXPECT_GT(changes, 50000u);
  EXPECT_GE(seen.size(), 14u);  // LM, GRF, T, OMR, BAR, forwarding, matrix registers, tree memories, PDM, DRAM
}

// --- trace --------------------------------------------------------------------------------------------------------------

// The changes of a trace lead from the first state to the last, whatever the pieces.
TEST(Trace, ReplaysTheRun) {
  for (uint64_t seed = 70; seed <= 73; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 100);
    auto plain = session(program);
    auto traced = session(program);
    Selection all = everything(tiny());
    for (Part& p : all.parts) p.end_lw = std::min<int64_t>(p.end_lw, 2048);
    std::vector<Touch> whole;
    for (const Part& p : all.parts) whole.push_back({p.mem, 0, p.end_lw});
    const Watched watched(all, whole, tiny());
    auto values = watched.read(traced->machine());
    std::map<std::string, size_t> index;
    watched.for_each([&](Mem mem, UnitCoord u, int64_t a, size_t i) { index[place_text(mem, u, a)] = i; });
    traced->trace(all, UINT64_MAX);
    uint64_t last_step = 0;
    while (!traced->ended()) {
      const auto p = traced->run({.steps = 3});
      ASSERT_TRUE(p.ok());
      EXPECT_EQ(p->trace_dropped, 0u);
      for (const TraceEvent& e : p->trace) {
        EXPECT_GE(e.step, last_step);
        last_step = e.step;
        for (const Change& c : e.changes) {
          const size_t i = index.at(place_text(c.mem, c.unit, c.addr_lw));
          EXPECT_EQ(values[i], c.before);
          EXPECT_NE(c.before, c.after);
          values[i] = c.after;
        }
      }
    }
    ASSERT_TRUE(plain->run().ok());
    EXPECT_EQ(values, watched.read(plain->machine()));
  }
}

TEST(Trace, LooksOnlyAtWhatIsSelected) {
  const std::string text =
      "lpassa $peid $ln0v\nlpassa $peid $lm0v\nimm i\"3\" $ln0v\nimm i\"4\" $ln0v\nimm i\"5\" $ln0v\n";
  auto s = session(text);
  auto selection = parse_selection("LM1[0:3]@n0c0b1m2p1-2, steps[1:4]", tiny());
  ASSERT_TRUE(selection.ok()) << render_text(selection.error());
  s->trace(*selection, 100);
  const auto p = s->run();
  ASSERT_TRUE(p.ok());
  ASSERT_EQ(p->trace.size(), 2u);  // steps 2 and 3
  EXPECT_EQ(p->trace[0].step, 2u);
  EXPECT_EQ(p->trace[0].line, 2u);
  // Long words 0 and 1 (addresses 0 and 2) of two PEs.
  ASSERT_EQ(p->trace[0].changes.size(), 4u);
  const Change& c = p->trace[0].changes[0];
  EXPECT_EQ(place_text(c.mem, c.unit, c.addr_lw), "LM1(n0c0b1m2p1,0)");
  EXPECT_EQ(c.before, 9u);
  EXPECT_EQ(c.after, 0x0000000300000003u);

  s->reset();
  s->trace(*selection, 5);
  const auto limited = s->run();
  EXPECT_EQ(limited->trace[0].changes.size() + limited->trace[1].changes.size(), 5u);
  EXPECT_EQ(limited->trace_dropped, 3u);
}

TEST(Selection, SaysWhatIsWrong) {
  const auto refuse = [](const std::string& text, const std::string& observed, const std::string& required) {
    const auto s = parse_selection(text, tiny());
    ASSERT_FALSE(s.ok()) << text;
    EXPECT_EQ(s.error().def->code, "K4022");
    EXPECT_NE(s.error().observed.find(observed), std::string::npos) << s.error().observed;
    EXPECT_NE(s.error().required.find(required), std::string::npos) << s.error().required;
    EXPECT_TRUE(s.error().where.known());
  };
  refuse("", "nothing", "at least one memory");
  refuse("LM2", "did you mean LM", "a memory");
  refuse("LM0@n1", "1", "0-0 on mncore2-tiny");
  refuse("LM0[0:4097]", "[0:4097]", "inside [0:4096]");
  refuse("LM0[8:8]", "[8:8]", "inside");
  refuse("L1BM@m3", "m3", "letters of ncb");
  refuse("DRAM@pe3", "pe3", "does not lie in a PE");
  refuse("T@p0p1", "twice", "each letter once");
  refuse("LM0 LM1", "LM1", "`,`");
  refuse("LM0[1", "", "`]`");
  refuse("steps", "", "steps[A:B]");
  refuse("LM0[99999999999999999999]", "999", "decimal");
  EXPECT_TRUE(parse_selection("$lm[:8]@pe0-63, $mauf , steps[5]", tiny()).ok());
  EXPECT_TRUE(parse_selection(" all ", tiny()).ok());
  EXPECT_TRUE(parse_selection("steps[3:]", tiny()).ok());
}

// --- first difference -------------------------------------------------------------------------------------------------

DivergeReport compare(const std::string& a, const std::string& b, const std::string& selection, bool by_marks = false) {
  auto x = session(a), y = session(b);
  DivergeOptions o;
  o.selection = *parse_selection(selection, tiny());
  o.by_marks = by_marks;
  auto r = diverge({x.get(), a}, {y.get(), b}, o);
  EXPECT_TRUE(r.ok()) << (r.ok() ? "" : render_text(r.error()));
  return *r;
}

TEST(Diverge, NamesStepWordAndLines) {
  const std::string a = "lpassa $peid $lr0v\nnop/2\nladd $lr0v $lr0v $ls0v\nnop\nlpassa $ls0v $ln0v\n";
  const std::string b = "lpassa $peid $lr0v\nnop\nnop\nlsub $lr0v $lr0v $ls0v\nnop\nlpassa $ls0v $ln0v\n";
  const auto r = compare(a, b, "all");
  ASSERT_TRUE(r.first.has_value());
  EXPECT_EQ(r.first->step_a, 3u);
  // PE 0 has 0 + 0 = 0 - 0; PE 1 is the first with a difference.
  EXPECT_EQ(place_text(r.first->words[0].mem, r.first->words[0].unit, r.first->words[0].addr_lw),
            "GREG1(n0c0b0m0p1,0)");
  EXPECT_EQ(r.first->words[0].a, 2u);
  EXPECT_EQ(r.first->words[0].b, 0u);
  EXPECT_EQ(*r.first->line_a, 2u);
  EXPECT_EQ(*r.first->line_b, 3u);
  const auto later = compare(a, b, "LM1");
  EXPECT_EQ(later.first->step_a, 5u);
  EXPECT_FALSE(compare(a, b, "LM0, L1BM").first.has_value());
  EXPECT_FALSE(compare(a, a, "all").first.has_value());
}

// A difference that vanishes again is one.
TEST(Diverge, SeesPassingDifferences) {
  const std::string a = "imm i\"1\" $lr0\nimm i\"2\" $lr0\nimm i\"3\" $lr0\n";
  const std::string b = "imm i\"1\" $lr0\nimm i\"9\" $lr0\nimm i\"3\" $lr0\n";
  EXPECT_EQ(compare(a, b, "GRF0").first->step_a, 1u);
  EXPECT_FALSE(compare(a, b, "GRF0, steps[2:]").first.has_value());
}

TEST(Diverge, AlignsAtMarks) {
  const std::string a = "imm i\"1\" $lr0\n# mark one\nimm i\"2\" $ls0\n# mark two\nimm i\"2\" $ln0\n";
  const std::string b =
      "nop/4\nimm i\"1\" $lr0\nnop\n# mark one\nimm i\"3\" $ls0\nnop/7\n# mark two\nimm i\"2\" $ln0\n";
  const auto r = compare(a, b, "all", true);
  // The ALU's forwarding register differs where the immediates do.
  ASSERT_TRUE(r.first.has_value());
  EXPECT_EQ(r.first->mark, "two");
  EXPECT_EQ(r.first->step_a, 2u);
  EXPECT_EQ(r.first->step_b, 14u);
  EXPECT_EQ(*r.first->line_a, 1u);
  EXPECT_EQ(*r.first->line_b, 3u);
  EXPECT_FALSE(compare(a, b, "GRF0, LM1", true).first.has_value());
  auto x = session(a), y = session("nop\n# mark other\nnop\n");
  DivergeOptions o{everything(tiny()), true};
  const auto refused = diverge({x.get(), a}, {y.get(), "nop\n# mark other\nnop\n"}, o);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().def->code, "K4022");
}

// One changed line of a random program is found in its own step, if it changes anything that is kept.
TEST(Diverge, FindsTheFirstChangedWordOfRandomPrograms) {
  int found = 0;
  for (uint64_t seed = 80; seed <= 84; ++seed) {
    SCOPED_TRACE(seed);
    auto program = random_program(seed, false, 100);
    auto other = program;
    const size_t at = program.lines.size() / 2;
    other.lines[at] = assembled("lpassa $peid $ls100v\n").lines[0];
    auto x = session(program), y = session(other);
    DivergeOptions o{everything(tiny())};
    for (Part& p : o.selection.parts) p.end_lw = std::min<int64_t>(p.end_lw, 2048);
    const auto r = diverge({x.get(), ""}, {y.get(), ""}, o);
    ASSERT_TRUE(r.ok());
    // The same by hand: step by step, everything compared.
    auto u = session(program), v = session(other);
    std::optional<uint64_t> step;
    for (uint64_t n = 0; !step && (!u->ended() || !v->ended()); ++n) {
      ASSERT_TRUE(u->run({.steps = 1}).ok() && v->run({.steps = 1}).ok());
      if (image(u->machine()) != image(v->machine())) step = n;
    }
    ASSERT_EQ(r->first.has_value(), step.has_value());
    if (!step) continue;
    ++found;
    EXPECT_EQ(r->first->step_a, *step);
  }
  EXPECT_GE(found, 4);
}

TEST(Diverge, SidesMayHaveOtherOptions) {
  const std::string text = "lpassa $lr0 $ls0\nimm i\"1\" $ls0\n";
  auto x = session(text), y = session(assembled(text), false, 0xff);
  DivergeOptions o;
  o.selection = *parse_selection("GRF1", tiny());
  o.same_machines = false;
  const auto r = diverge({x.get(), text}, {y.get(), text}, o);
  ASSERT_TRUE(r.ok() && r->first);
  EXPECT_EQ(r->first->step_a, 0u);
  EXPECT_EQ(r->first->words[0].b, 0xffu);
}

// --- two poisons --------------------------------------------------------------------------------------------------------

TEST(TwoPoisons, FindsWhatReachesTheOutput) {
  Options o;
  o.machine = &tiny();
  const auto program = assembled(
      "lxor $lr0 $lr0 $ls0\nd get $ls0n0c0b0m0p0 1\n"  // unwritten, but it cancels
      "imm i\"1\" $lr0\nlpassa $lr2 $ls2\nd get $lr0n0c0b0m0 1\nd get $ls2n0c0b0m0 1\n");
  const auto found = two_poisons(o, program, "p.vsm");
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].def->code, "K4019");
  EXPECT_EQ((*found)[0].where.line, 6u);
  EXPECT_NE((*found)[0].observed.find("4 of 4"), std::string::npos);
}

// --- tensors ------------------------------------------------------------------------------------------------------------

TEST(Tensors, LieWhereTheLayoutSays) {
  auto s = session("nop\n");
  std::vector<uint16_t> halves(64);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(0x3e00 + i);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(halves.data()), 128);
  // Element i: MAB i/4, lane i%4; copies in every PE and both L1Bs.
  Status ok = set_tensor(s->machine(), "(64)/((16_MAB:1, 4_W:1))@LM1/half", "", 5, bytes);
  ASSERT_TRUE(ok.ok()) << render_text(ok.error());
  EXPECT_EQ(*s->machine().read_lw(Mem::kLm1, {0, 0, 1, 3, 2}, 5), 0x3e0c3e0d3e0e3e0fu);
  EXPECT_EQ(*s->machine().read_lw(Mem::kLm1, {0, 0, 1, 3, 2}, 6), 0u);
  const auto back = get_tensor(s->machine(), "(64)/((16_MAB:1, 4_W:1))@LM1", "half", 5, 3);
  ASSERT_TRUE(back.ok()) << render_text(back.error());
  EXPECT_EQ(back->copies, 8);
  EXPECT_TRUE(std::ranges::equal(back->data, bytes));

  // Lanes beside an element keep their content, and strict mode knows which lanes were written.
  auto strict = session(assembled("nop\n"), true);
  ASSERT_TRUE(strict->machine().write_lw(Mem::kGrf0, {}, 0, 0x1111222233334444).ok());
  const std::vector<uint8_t> one{0xcd, 0xab};
  ASSERT_TRUE(set_tensor(strict->machine(), "(1)/((1); S@[L1B, MAB, PE, W])@GRF0", "half", 0, one).ok());
  EXPECT_EQ(*strict->machine().read_lw(Mem::kGrf0, {}, 0), 0xabcd222233334444u);
  ASSERT_TRUE(set_tensor(strict->machine(), "(1)/((1); S@[L1B, MAB, PE, W])@GRF0", "half", 1, one).ok());
  EXPECT_EQ(*strict->machine().defined_lanes(Mem::kGrf0, {}, 1), 0x8);
  EXPECT_EQ(get_tensor(strict->machine(), "(2)/((2_W:1))@GRF0", "half", 1, 0)->undefined, 1);
}

TEST(Tensors, AreRefusedWithReasons) {
  auto s = session("nop\n");
  const std::vector<uint8_t> bytes(128);
  const auto refuse = [&](const std::string& layout, const std::string& dtype, int64_t address,
                          const std::string& required) {
    const Status status = set_tensor(s->machine(), layout, dtype, address, bytes);
    ASSERT_FALSE(status.ok()) << layout;
    EXPECT_NE(status.error().required.find(required), std::string::npos) << render_text(status.error());
  };
  refuse("(64)/((16_MAB:1, 4_W:1))", "half", 0, "@LOCATION");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM", "half", 0, "LM0 LM1");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM0", "hlaf", 0, "half single");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM0", "", 0, "a dtype");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM0/half", "single", 0, "one dtype");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM0", "half", 2048, "2048 long words");
  refuse("(64)/((16_MAB:1, 4_W:1))@LM0", "half", -1, "2048 long words");
  refuse("(128)/((2:1, 16_MAB:1, 4_W:1))@LM0", "half", 0, "256 bytes");
  EXPECT_FALSE(get_tensor(s->machine(), "(64)/((16_MAB:1, 4_W:1))@LM0", "half", 0, 8).ok());
}

TEST(Session, RegistersAreReadAndWritten) {
  auto s = session("ipassa $lr0 $omr3\nimm i\"24\" $lr4\nnop\nlpassa $lr4 $lmb\nmaskr 3\n");
  ASSERT_TRUE(s->run().ok());
  emu::Machine& m = s->machine();
  EXPECT_EQ(*m.read_lw(Mem::kOmr, {}, 3), 0xffffu);
  EXPECT_EQ(*m.read_lw(Mem::kBar0, {}, 0), 24u);
  EXPECT_EQ(*m.read_lw(Mem::kAluf, {}, 0), 0x0000001800000018u);
  ASSERT_TRUE(m.write_lw(Mem::kOmr, {}, 3, 0xf0f0).ok());
  ASSERT_TRUE(m.write_lw(Mem::kBar0, {}, 0, 0x1010).ok());
  EXPECT_EQ(*m.read_lw(Mem::kBar0, {}, 0), 0x010u);
  EXPECT_EQ(*m.read_lw(Mem::kOmr, {}, 3), 0xf0f0u);
  EXPECT_FALSE(m.read_lw(Mem::kOmr, {}, 16).ok());
  EXPECT_FALSE(m.read_lw(Mem::kPeid, {}, 0).ok());
  ASSERT_TRUE(m.write_lw(Mem::kMauf, {0, 0, 1, 2, 3}, 5, 77).ok());
  EXPECT_EQ(*m.read_lw(Mem::kMauf, {0, 0, 1, 2, 3}, 5), 77u);
  ASSERT_TRUE(m.write_lw(Mem::kTurnaround, {0, 0, 1, 0, 0}, 255, 78).ok());
  EXPECT_EQ(*m.read_lw(Mem::kTurnaround, {0, 0, 1, 0, 0}, 255), 78u);
}

}  // namespace
}  // namespace kumihimo::mncore2::session
