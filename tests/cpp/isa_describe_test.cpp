// The printed reference: committed pages equal what the rows print, JSON is complete.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "targets/mncore2/hazard/describe.h"
#include "targets/mncore2/hazard/rules.h"
#include "targets/mncore2/isa/describe.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2 {
namespace {

void compare_or_write(const char* path, const std::string& text) {
  if (std::getenv("KUMI_WRITE_GENERATED") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::stringstream committed;
  committed << in.rdbuf();
  EXPECT_EQ(committed.str(), text) << path << " is stale: run this test with KUMI_WRITE_GENERATED=1 set";
}

TEST(Describe, CommittedPagesAreCurrent) {
  compare_or_write("docs/reference/instructions.md", isa::describe_insns_markdown());
  compare_or_write("docs/reference/hazards.md", hazard::describe_rules_markdown());
}

TEST(Describe, JsonHasEveryRow) {
  const auto insns = nlohmann::json::parse(isa::describe_insns_json());
  EXPECT_EQ(insns["schema"], "kumihimo/insns/1");
  ASSERT_EQ(insns["instructions"].size(), isa::rows().size());
  for (const auto& row : insns["instructions"]) {
    for (const char* key : {"name", "unit", "syntax", "doc", "operands", "example", "source", "evidence"})
      EXPECT_TRUE(row.contains(key)) << row.dump();
    if (row["unit"] == "MV" && row["name"] != "mvnop") {
      EXPECT_GT(row["mv"]["lw_per_cycle"], 0) << row.dump();
    }
  }
  EXPECT_EQ(insns["reductions"].size(), isa::reductions().size());
  const auto hazards = nlohmann::json::parse(hazard::describe_rules_json());
  EXPECT_EQ(hazards["rules"].size(), hazard::rules().size());
}

}  // namespace
}  // namespace kumihimo::mncore2
