// Diagnostics: the table of codes, and the two renderings of one object.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/diag/diagnostic.h"

namespace kumihimo {
namespace {

Diagnostic sample() {
  Diagnostic d = make_error("layout_unknown_axis", "mncore2 has no axis PF; nearest: PE");
  d.op = "tensor";
  d.operand = "layout";
  d.observed = "PF";
  d.required = "one of L2B, L1B, MAB, PE, W, Time";
  d.bound = {{"name", "PF"}};
  d.where = {"scores.py", 14, 12, 14, "k = t(\"((4_PF:1))\")"};
  d.fixes.push_back(
      {"write 4_PE:1", "k = t(\"((4_PE:1))\")", R"j({"op":"replace_layout","text":"((4_PE:1))"})j", true});
  d.related.push_back(make_error("layout_syntax", "another one"));
  return d;
}

TEST(Diag, Text) {
  EXPECT_EQ(render_text(sample()),
            "error[K1002]: mncore2 has no axis PF; nearest: PE\n"
            "  --> scores.py:14:12\n"
            "    | k = t(\"((4_PF:1))\")\n"
            "    |            ^^\n"
            "  op tensor, operand layout\n"
            "  observed: PF\n"
            "  required: one of L2B, L1B, MAB, PE, W, Time\n"
            "  where name = PF\n"
            "  rule: layout_unknown_axis: an iter or tail names an axis that the machine has\n"
            "  fix: write 4_PE:1   (verified: outputs and values kept)\n"
            "       k = t(\"((4_PE:1))\")\n"
            "  error[K1001]: another one\n"
            "    rule: layout_syntax: a layout is [shape/](dim, ...; tails)[@LOCATION][/DTYPE], a dim is (iters)\n");
}

TEST(Diag, Json) {
  const auto j = nlohmann::json::parse(render_json(sample()));
  EXPECT_EQ(j["code"], "K1002");
  EXPECT_EQ(j["name"], "layout_unknown_axis");
  EXPECT_EQ(j["severity"], "error");
  EXPECT_EQ(j["where"]["line"], 14);
  EXPECT_EQ(j["where"]["end_column"], 14);
  EXPECT_EQ(j["bound"]["name"], "PF");
  EXPECT_EQ(j["fixes"][0]["edit"]["op"], "replace_layout");
  EXPECT_EQ(j["fixes"][0]["verified"], true);
  EXPECT_EQ(j["related"][0]["code"], "K1001");
}

// Input may hold anything; neither rendering may fail on it or send control characters to a terminal.
TEST(Diag, HostileText) {
  Diagnostic d = make_error("layout_syntax", std::string("\x1b[31m\xff\xfe bell\x07", 13));
  d.where = {"a\nb", 1, 400, 3, "x"};
  const std::string text = render_text(d);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[31m"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(render_json(d)));
}

TEST(Diag, CodesAreUniqueAndFoundByBothNames) {
  std::set<std::string_view> seen;
  const std::regex code("K[0-9]{4}"), name("[a-z][a-z0-9_]+");
  for (const DiagDef* row : all_diagnostics()) {
    EXPECT_TRUE(seen.insert(row->code).second) << row->code;
    EXPECT_TRUE(seen.insert(row->name).second) << row->name;
    EXPECT_TRUE(std::regex_match(std::string(row->code), code)) << row->code;
    EXPECT_TRUE(std::regex_match(std::string(row->name), name)) << row->name;
    EXPECT_FALSE(row->rule.empty());
    EXPECT_EQ(find_diagnostic(row->code), row);
    EXPECT_EQ(find_diagnostic(row->name), row);
  }
  EXPECT_EQ(find_diagnostic("no_such_code"), nullptr);
}

// No code is given twice in the sources, also not by hand in two tables (registration would drop the second row).
TEST(Diag, EveryNameRaisedInTheSourcesIsRegistered) {
  namespace fs = std::filesystem;
  const std::regex row(R"re([{(\s]"(K[0-9]{4})",\s*"([a-z0-9_]+)",)re"),
      raised(R"re(make_error\(\s*"([A-Za-z0-9_]+)")re");
  std::map<std::string, std::string> codes, names;
  std::map<std::string, std::string> used;
  for (const char* root : {"core", "targets", "capi"}) {
    if (!fs::exists(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::stringstream buffer;
      buffer << std::ifstream(entry.path()).rdbuf();
      const std::string text = std::regex_replace(buffer.str(), std::regex("//[^\n]*"), "");
      for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
        EXPECT_TRUE(codes.emplace((*it)[1], entry.path()).second)
            << (*it)[1] << " stands in " << codes[(*it)[1]] << " and " << entry.path();
        EXPECT_TRUE(names.emplace((*it)[2], entry.path()).second)
            << (*it)[2] << " stands in " << names[(*it)[2]] << " and " << entry.path();
      }
      for (std::sregex_iterator it(text.begin(), text.end(), raised), end; it != end; ++it)
        used.emplace((*it)[1], entry.path());
    }
  }
  EXPECT_GT(codes.size(), 20u);
  for (const auto& [name, file] : used)
    EXPECT_TRUE(names.count(name) == 1 || codes.count(name) == 1)
        << file << " raises " << name << ", which no row registers";
}

TEST(Diag, UnregisteredNamesStaySayable) {
  const Diagnostic d = make_error("no_such_code", "something");
  ASSERT_NE(d.def, nullptr);
  EXPECT_EQ(d.def->name, "unregistered_code");
  EXPECT_NE(render_text(d).find("no_such_code"), std::string::npos);
}

TEST(Diag, Registration) {
  static constexpr DiagDef rows[] = {{"K9901", "test_row", "a rule of a test"},
                                     {"K1001", "test_thief", "a code that is taken"}};
  register_diagnostics(rows, 2);
  EXPECT_EQ(find_diagnostic("K9901"), &rows[0]);
  EXPECT_EQ(find_diagnostic("K1001")->name, "layout_syntax");
  EXPECT_EQ(find_diagnostic("test_thief"), nullptr);
}

TEST(Diag, ResultCarriesOneOfTwo) {
  Result<int> good = 3;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 3);
  Result<int> bad = make_error("layout_syntax", "no");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().headline, "no");
}

}  // namespace
}  // namespace kumihimo
