// The IR's text: what is printed reads back as the same program, in the short and the full form, and everything else is
// refused with a position.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/ir/module.h"
#include "tests/cpp/ir_random.h"

namespace kumihimo::testing {
namespace {

Result<TargetTree> any_target(std::string_view, int version) {
  return TargetTree{&mncore2::find_machine("mncore2")->tree, version};
}

Result<Module> read(std::string_view text, const InferFn& infer = {}) {
  return parse_module(text, "t.leir", any_target, infer);
}

Module must(std::string_view text) {
  auto m = read(text);
  EXPECT_TRUE(m.ok()) << render_text(m.error()) << text;
  return m.ok() ? std::move(*m) : Module("mncore2", 1, nullptr);
}

// The first place in which two texts differ; empty when they are equal.
std::string first_difference(const std::string& a, const std::string& b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  if (i == a.size() && i == b.size()) return "";
  const size_t from = i < 60 ? 0 : i - 60;
  return "..." + a.substr(from, 100) + "... against ..." + b.substr(from, 100) + "...";
}

std::string body(const std::string& lines) { return "leir 1 target=mncore2/1\nfunc @main {\n" + lines + "}\n"; }

TEST(IrText, RandomProgramsSurviveTheRoundTrip) {
  int nodes = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Module m = RandomProgram(seed).make();
    ASSERT_TRUE(verify_structure(m).empty());
    const std::string full = print(m, {.full = true});
    auto again = read(full);
    ASSERT_TRUE(again.ok()) << render_text(again.error()) << full;
    EXPECT_EQ(first_mismatch(m, *again), std::nullopt);
    EXPECT_EQ(structural_hash(m), structural_hash(*again));
    EXPECT_EQ(first_difference(print(*again, {.full = true}), full), "")
        << "ids, ranges and chosen variants are kept too";
    EXPECT_EQ(first_difference(print(*again), print(m)), "");
    EXPECT_TRUE(verify_structure(*again).empty());
    const auto json = nlohmann::json::parse(print_json(m));
    EXPECT_EQ(json["schema"], "kumihimo/leir/1");
    EXPECT_EQ(json["functions"].size(), m.functions().size());
    EXPECT_EQ(first_difference(print_json(*again), print_json(m)), "");
    nodes += static_cast<int>(m.node_capacity());
  }
  EXPECT_GT(nodes, 2000);
}

// Every attribute, bit for bit.
TEST(IrText, AttributesKeepTheirBits) {
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    const Module m = RandomProgram(seed).make();
    const Module again = must(print(m, {.full = true}));
    for (NodeId id = 0; id < m.node_capacity(); ++id)
      for (const auto& [key, value] : m.node(id).attrs) {
        const Attr* other = find_attr(again.node(id).attrs, key);
        ASSERT_NE(other, nullptr);
        ASSERT_EQ(value.index(), other->index()) << to_string(value);
        const auto* d = std::get_if<double>(&value);
        if (d == nullptr) {
          EXPECT_EQ(value, *other);
        } else if (!std::isnan(*d)) {
          EXPECT_EQ(std::memcmp(d, std::get_if<double>(other), sizeof *d), 0) << to_string(value);
        }
      }
  }
}

// The short text of a program whose types can be inferred.
TEST(IrText, ShortTextNeedsAndUsesInference) {
  const TypeRef single = immediate_type(Dtype::kSingle);
  InferFn infer = [single](const Module&, Node& n) -> Status {
    n.results = {single};
    n.variant = "v." + n.op;
    return Ok{};
  };
  const std::string text = body("  %0 = a()\n  %3 = b(%0, %0) {k=1}\n");
  auto m = read(text, infer);
  ASSERT_TRUE(m.ok()) << render_text(m.error());
  EXPECT_EQ(m->type({3, 0}), single);
  EXPECT_EQ(print(*m), text);
  const std::string full = print(*m, {.full = true});
  EXPECT_NE(full.find("%3 = b(%0, %0) {k=1} chosen=\"v.b\" : single immediate loc(\"t.leir\":4:3-4)"),
            std::string::npos)
      << full;
  auto again = read(full, infer);
  ASSERT_TRUE(again.ok()) << render_text(again.error());
  EXPECT_EQ(first_mismatch(*m, *again), std::nullopt);
  EXPECT_EQ(print(*again), text) << "a chosen variant is not one that was asked for";
  EXPECT_FALSE(read(text).ok());
  // A stated type that the checks do not give is refused.
  auto wrong = read(body("  %0 = a() : half immediate\n"), infer);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().headline.find("stated type differs"), std::string::npos);
}

// Where the first accepting variant has changed since a full text was written, the text keeps its meaning.
TEST(IrText, ChosenVariantOutlivesTheTable) {
  InferFn infer = [](const Module&, Node& n) -> Status {
    n.results = {immediate_type(Dtype::kSingle)};
    if (!n.explicit_variant) n.variant = "new";
    return Ok{};
  };
  auto m = read(body("  %0 = a() chosen=\"old\" : single immediate\n"), infer);
  ASSERT_TRUE(m.ok()) << render_text(m.error());
  EXPECT_EQ(m->node(0).variant, "old");
  EXPECT_EQ(print(*m), body("  %0 = a() variant=\"old\"\n"));
}

TEST(IrText, FirstMismatchNamesThePath) {
  const std::string base = body(
      "  %0 = a() {k=1} : single immediate\n"
      "  %1 = loop(%0) region {\n    %2 = arg() : single immediate\n    do\n    %3 = b(%2, %0) {s=\"x\"} : single "
      "(4)\n  } : none\n"
      "  %4 = c(%0) : single immediate ; half immediate\n");
  const Module a = must(base);
  struct Case {
    std::string from, to, path;
  };
  const Case cases[] = {
      {"{k=1}", "{k=2}", "@main[0] a: attribute k is 1 against 2"},
      {"{k=1}", "", "@main[0] a: attribute k is missing on the right"},
      {"{k=1}", "{j=3, k=1}", "@main[0] a: attribute j is missing on the left"},
      {"b(%2, %0)", "b(%0, %0)", "@main[1] loop.body0[0] b: operand 0 is %2 against %0"},
      {"b(%2, %0)", "b(%2)", "@main[1] loop.body0[0] b: 2 operands against 1"},
      {"s=\"x\"", "s=\"y\"", "@main[1] loop.body0[0] b: attribute s is \"x\" against \"y\""},
      {"single (4)", "single (5)", "@main[1] loop.body0[0] b: result type single (4) against single (5)"},
      {"%2 = arg() : single immediate", "%2 = arg() : half immediate",
       "@main[1] loop.args0[0] arg: result type single immediate against half immediate"},
      {"; half immediate", "", "@main[2] c: 2 results against 1"},
      {"  %4 = c(", "  %4 = d(", "@main[2]: op c against d"},
      {"  %4 = c(%0)", "  %4 = c(%0) variant=\"w\"", "@main[2] c: variant  against w"},
      {"@main", "@other", "function @main against @other"},
      {"mncore2/1", "mncore2/2", "target version 1 against 2"},
  };
  for (const Case& c : cases) {
    std::string text = base;
    size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, c.from.size(), c.to);
    const Module b = must(text);
    auto mismatch = first_mismatch(a, b);
    ASSERT_TRUE(mismatch.has_value()) << c.from;
    EXPECT_EQ(*mismatch, c.path);
    EXPECT_NE(structural_hash(a), structural_hash(b)) << c.path;
  }
  EXPECT_EQ(first_mismatch(a, a.clone()), std::nullopt);
}

// Ids and source ranges are no part of the structure.
TEST(IrText, IdsAndRangesDoNotMatter) {
  const Module a = must(body("  %0 = a() : single immediate\n  %1 = b(%0) : none\n"));
  const Module b = must(body("  %70 = a() : single immediate loc(\"f.py\":3:1-9)\n  %5 = b(%70) : none\n"));
  EXPECT_EQ(first_mismatch(a, b), std::nullopt);
  EXPECT_EQ(structural_hash(a), structural_hash(b));
  EXPECT_EQ(b.node(70).where.line, 3u);
}

struct Refusal {
  std::string text, headline;
  uint32_t line, column;
};

TEST(IrText, RefusalsHavePositions) {
  const std::string head = "leir 1 target=mncore2/1\nfunc @main {\n";
  const Refusal cases[] = {
      {"", "expected \"leir\"", 1, 1},
      {"lier 1", "expected \"leir\"", 1, 1},
      {"leir one", "expected an integer", 1, 6},
      {"leir 1 target=mncore2/x", "expected an integer", 1, 23},
      {"leir 1 target=/1", "expected a target name", 1, 15},
      {"leir 1 target=($/1", "expected a target name", 1, 19},
      {"leir 1 target=mncore2/4294967297", "target version out of range", 1, 33},
      {"leir 1 target=mncore2/0", "target version out of range", 1, 24},
      {"leir 1 target=mncore2/1\nfun @main {}", "expected \"func\"", 2, 1},
      {"leir 1 target=mncore2/1\nfunc @ {}", "expected a function name", 2, 8},
      {"leir 1 target=mncore2/1\nfunc @a {}\nfunc @a {}", "function @a is defined twice", 3, 8},
      {head, "expected \"%\"", 3, 1},
      {head + "  %0 = a(%1) : none\n}", "%1 is used before it is defined", 3, 12},
      {head + "  %0 = a() : none\n  %1 = b(%0) : none\n}", "%0 is used before it is defined", 4, 12},
      {head + "  %0 = a() : single immediate\n  %1 = b(%0:1) : none\n}", "%0 is used before it is defined", 4, 14},
      {head + "  %0 = a() : none\n  %0 = b() : none\n}", "value %0 is defined twice", 4, 3},
      {head + "  %16777216 = a() : none\n}", "node id out of range", 3, 12},
      {head + "  %-1 = a() : none\n}", "node id out of range", 3, 6},
      {head + "  %0 = a() {k=} : none\n}", "expected an attribute value", 3, 15},
      {head + "  %0 = a() {k=1, k=2} : none\n}", "attribute k is given twice", 3, 21},
      {head + "  %0 = a() {k=\"x} : none\n}", "string without an end", 3, 15},
      {head + "  %0 = a() {k=\"\\q\"} : none\n}", "bad escape", 3, 18},
      {head + "  %0 = a() {k=\"\\xg0\"} : none\n}", "bad escape", 3, 18},
      {head + "  %0 = a() {k=\"\\xff\"} : none\n}", "not UTF-8", 3, 15},
      {head + "  %0 = a() {k=\"\xC0\x80\"} : none\n}", "not UTF-8", 3, 15},
      {head + "  %0 = a() {k=1e999} : none\n}", "bad number", 3, 15},
      {head + "  %0 = a() {k=99999999999999999999} : none\n}", "expected an integer", 3, 15},
      {head + "  %0 = a() {k=[1 2]} : none\n}", "expected \",\"", 3, 18},
      {head + "  %0 = a() : tensor (4)\n}", "a type begins with a dtype", 3, 14},
      {head + "  %0 = a() : half (0)\n}", "extent out of range", 3, 14},
      {head + "  %0 = a() : half (4) (5)\n}", "text after a type", 3, 14},
      {head + "  %0 = a() : machine GRF0 l [1,2,3]\n}", "one address per cycle", 3, 14},
      {head + "  %0 = a() : machine GRF0 l [1,2,3,4] 5\n}", "text after a type", 3, 14},
      {head + "  %0 = a() : half immediate loc(\"f\":1:2)\n}", "bad source range", 3, 41},
      {head + "  %0 = a() : half immediate loc(\"f\":1:2-3) 4\n}", "bad source range", 3, 45},
      {head + "  %0 = a() : none loc(\"f\":1:2--3)\n}", "out of range", 3, 33},
      {head + "  %0 = a() region {\n do\n", "expected \"%\"", 5, 1},
      // The column counts code points: the fault stands behind two letters of two bytes each.
      {head + "  %0 = a() {k=\"öö\", l} : none\n}", "expected \"=\"", 3, 22},
  };
  for (const Refusal& c : cases) {
    SCOPED_TRACE(c.text);
    auto m = read(c.text);
    ASSERT_FALSE(m.ok());
    const Diagnostic& d = m.error();
    EXPECT_NE(d.headline.find(c.headline), std::string::npos) << d.headline;
    EXPECT_EQ(d.where.line, c.line);
    EXPECT_EQ(d.where.column, c.column);
    EXPECT_EQ(d.where.file, "t.leir");
    EXPECT_FALSE(d.observed.empty());
    EXPECT_FALSE(d.required.empty());
    ASSERT_NE(d.def, nullptr);
    EXPECT_NE(d.def->name, "unregistered_code");
  }
}

TEST(IrText, NewerVersionsAreRefusedNamingBoth) {
  for (const char* version : {"2", "17", "9000000000"}) {
    auto m = read(std::string("leir ") + version + " target=mncore2/1\n");
    ASSERT_FALSE(m.ok());
    EXPECT_NE(m.error().headline.find(std::string("version ") + version), std::string::npos) << m.error().headline;
    EXPECT_NE(m.error().headline.find("up to 1"), std::string::npos) << m.error().headline;
  }
  EXPECT_FALSE(read("leir 0 target=mncore2/1\n").ok());
  EXPECT_TRUE(read("leir 1 target=mncore2/1\n").ok());
}

// Values live in their function and in bodies below it.
TEST(IrText, ScopesEnd) {
  const std::string a =
      "leir 1 target=mncore2/1\nfunc @a {\n  %0 = x() : single immediate\n}\nfunc @b {\n  %1 = y(%0) : none\n}\n";
  auto other = read(a);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().where.line, 6u);
  auto after =
      read(body("  %0 = loop() region {\n    do\n    %1 = x() : single immediate\n  } : none\n  %2 = y(%1) : none\n"));
  ASSERT_FALSE(after.ok());
  EXPECT_EQ(after.error().where.line, 7u);
  auto sibling =
      read(body("  %0 = loop() region {\n    %1 = arg() : single immediate\n    do\n  } region {\n    do\n    %2 = "
                "y(%1) : none\n  } : none\n"));
  EXPECT_FALSE(sibling.ok());
  EXPECT_TRUE(read(body("  %3 = x() : half immediate\n  %0 = loop() region {\n    %1 = arg() : single immediate\n    "
                        "do\n    %2 = y(%1, %3) : none\n  } : none\n"))
                  .ok());
}

TEST(IrText, DeepAndLongTextsEndInTime) {
  std::string deep = "leir 1 target=mncore2/1\nfunc @main {\n";
  for (int i = 0; i < 5000; ++i) deep += "%" + std::to_string(i) + " = a() region { do ";
  auto m = read(deep);
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().headline.find("nested too deeply"), std::string::npos);

  std::string lines;
  for (int i = 0; i < 60000; ++i) lines += "  %" + std::to_string(i) + " = a() : single immediate\n";
  const auto begin = std::chrono::steady_clock::now();
  auto all = read(body(lines));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->node_capacity(), 60000u);
  // Two walks of 1.8 MB; a walk from the beginning for each node would take minutes.
  EXPECT_LT(seconds, 20);
  EXPECT_FALSE(read(std::string(3'000'000, '(')).ok());
  EXPECT_FALSE(read("leir 1 target=mncore2/1\nfunc @main {\n%0 = a(" + std::string(1'000'000, '%')).ok());
}

// Texts with one byte changed, left out or doubled: read or refused, never anything else, and what is read prints and
// reads back.
TEST(IrText, DamagedTexts) {
  int refused = 0, read_back = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomProgram random(seed);
    const std::string text = print(random.make(), {.full = true});
    for (int i = 0; i < 60; ++i) {
      std::string damaged = text;
      const size_t at = static_cast<size_t>(random.pick(0, static_cast<int>(text.size()) - 1));
      switch (random.pick(0, 3)) {
        case 0: damaged[at] = static_cast<char>(random.pick(0, 255)); break;
        case 1: damaged.erase(at, static_cast<size_t>(random.pick(1, 8))); break;
        case 2: damaged.insert(at, 1, damaged[at]); break;
        default: damaged.resize(at);
      }
      auto m = read(damaged);
      if (!m) {
        ++refused;
        EXPECT_TRUE(m.error().where.known()) << render_text(m.error());
        EXPECT_FALSE(render_json(m.error()).empty());
        continue;
      }
      ++read_back;
      auto again = read(print(*m, {.full = true}));
      ASSERT_TRUE(again.ok()) << render_text(again.error()) << damaged;
      EXPECT_EQ(first_mismatch(*m, *again), std::nullopt);
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read_back, 100);
}

}  // namespace
}  // namespace kumihimo::testing
