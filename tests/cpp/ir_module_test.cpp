// Modules: nodes have stable ids, an erased id stays an error, structure is verified.
#include "core/ir/module.h"

#include <gtest/gtest.h>

#include "tests/cpp/ir_random.h"

namespace kumihimo::testing {
namespace {

Node node(std::string op, std::vector<ValueId> operands = {}, int results = 1) {
  Node n;
  n.op = std::move(op);
  n.operands = std::move(operands);
  for (int i = 0; i < results; ++i) n.results.push_back(immediate_type(Dtype::kSingle));
  return n;
}

struct Fixture {
  Module m{"mncore2", 1, nullptr};
  Fixture() { m.add_function("main"); }
  NodeId add(Node n) {
    NodeId id = m.add_node(std::move(n));
    m.functions()[0].body.push_back(id);
    return id;
  }
};

TEST(IrModule, IdsAreStableAndNeverReused) {
  Fixture f;
  const NodeId a = f.add(node("a")), b = f.add(node("b")), c = f.add(node("c", {{a, 0}}));
  ASSERT_TRUE(f.m.erase_node(b).ok());
  EXPECT_EQ(f.m.functions()[0].body, (std::vector<NodeId>{a, c}));
  EXPECT_EQ(f.m.node(c).op, "c");
  const NodeId d = f.add(node("d"));
  EXPECT_EQ(d, 3u);
  auto gone = f.m.find_node(b);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().def->code, "K2102");
  EXPECT_NE(gone.error().headline.find("was erased"), std::string::npos);
  auto never = f.m.find_node(77);
  ASSERT_FALSE(never.ok());
  EXPECT_NE(never.error().headline.find("does not exist"), std::string::npos);
  EXPECT_FALSE(f.m.erase_node(b).ok());
  EXPECT_FALSE(f.m.alive(b));
  EXPECT_TRUE(verify_structure(f.m).empty());
}

TEST(IrModule, ANodeWithUsersStays) {
  Fixture f;
  const NodeId a = f.add(node("a", {}, 2)), b = f.add(node("b", {{a, 1}}));
  auto s = f.m.erase_node(a);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().def->code, "K2103");
  EXPECT_NE(s.error().observed.find("node 1"), std::string::npos);
  EXPECT_EQ(f.m.users({a, 1}), std::vector<NodeId>{b});
  EXPECT_TRUE(f.m.users({a, 0}).empty());
  EXPECT_TRUE(f.m.erase_node(b).ok());
  EXPECT_TRUE(f.m.erase_node(a).ok());
  EXPECT_TRUE(f.m.functions()[0].body.empty());
}

// The nodes inside a region go with their owner, at any depth, and release what they used.
TEST(IrModule, RegionsGoWithTheirNode) {
  Fixture f;
  const NodeId outer = f.add(node("x"));
  const NodeId arg = f.m.add_node(node("arg"));
  const NodeId deep = f.m.add_node(node("deep", {{arg, 0}, {outer, 0}}));
  Node inner = node("loop", {}, 0);
  inner.regions.push_back({{}, {deep}});
  const NodeId inner_id = f.m.add_node(std::move(inner));
  Node loop = node("loop");
  loop.regions.push_back({{arg}, {inner_id}});
  const NodeId id = f.add(std::move(loop));
  EXPECT_TRUE(verify_structure(f.m).empty());
  EXPECT_FALSE(f.m.erase_node(outer).ok());
  ASSERT_TRUE(f.m.erase_node(id).ok());
  for (NodeId n : {arg, deep, inner_id, id}) EXPECT_FALSE(f.m.alive(n)) << n;
  EXPECT_TRUE(f.m.users({outer, 0}).empty());
  EXPECT_TRUE(f.m.erase_node(outer).ok());
  EXPECT_TRUE(verify_structure(f.m).empty());
}

TEST(IrModule, IdsOfATextAreGivenBack) {
  Fixture f;
  ASSERT_TRUE(f.m.add_node_with_id(5, node("a")).ok());
  auto twice = f.m.add_node_with_id(5, node("b"));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().def->code, "K2102");
  EXPECT_FALSE(f.m.add_node_with_id(1u << 24, node("c")).ok());
  EXPECT_EQ(f.m.add_node(node("d")), 6u);
  EXPECT_FALSE(f.m.alive(0));
}

TEST(IrModule, ClonesAreIndependent) {
  const Module m = RandomProgram(7).make();
  Module c = m.clone();
  EXPECT_EQ(first_mismatch(m, c), std::nullopt);
  const std::string before = print(m, {.full = true});
  c.node(c.functions()[0].body.empty() ? 0 : c.functions()[0].body[0]).attrs["changed"] = int64_t{1};
  c.add_function("more");
  EXPECT_EQ(print(m, {.full = true}), before);
  EXPECT_TRUE(first_mismatch(m, c).has_value());
}

TEST(IrModule, StructureFaultsAreFound) {
  {
    Fixture f;
    const NodeId a = f.add(node("a"));
    f.m.functions()[0].body.push_back(a);
    EXPECT_EQ(verify_structure(f.m).size(), 1u) << "a node stands twice";
  }
  {
    Fixture f;
    const NodeId later = f.m.add_node(node("later"));
    f.add(node("a", {{later, 0}}));
    f.m.functions()[0].body.push_back(later);
    auto faults = verify_structure(f.m);
    ASSERT_EQ(faults.size(), 1u) << "use before definition";
    EXPECT_EQ(faults[0].def->code, "K2104");
  }
  {
    Fixture f;
    const NodeId a = f.add(node("a"));
    f.add(node("b", {{a, 3}}));
    EXPECT_EQ(verify_structure(f.m).size(), 1u) << "no such result";
  }
  {
    Fixture f;
    f.m.functions()[0].body.push_back(9);
    EXPECT_EQ(verify_structure(f.m).size(), 1u) << "no such node";
  }
  {
    Fixture f;
    const NodeId inside = f.m.add_node(node("x"));
    Node loop = node("loop");
    loop.regions.push_back({{}, {inside}});
    f.add(std::move(loop));
    f.add(node("y", {{inside, 0}}));
    EXPECT_EQ(verify_structure(f.m).size(), 1u) << "a value used after its region";
  }
}

TEST(IrModule, TypesAreInterned) {
  EXPECT_EQ(logical_type(Dtype::kHalf, {2, 3}), logical_type(Dtype::kHalf, {2, 3}));
  EXPECT_NE(logical_type(Dtype::kHalf, {2, 3}), logical_type(Dtype::kHalf, {3, 2}));
  EXPECT_NE(logical_type(Dtype::kHalf, {}), immediate_type(Dtype::kHalf));
  EXPECT_EQ(element_count(std::vector<int64_t>{2, 3, 4}), 24);
}

}  // namespace
}  // namespace kumihimo::testing
