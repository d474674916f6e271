// Refusals and their fixes: every fix that an error offers is carried out here, independently of the search that found
// it, and the mended program must pass the checks and mean the same.
#include <nlohmann/json.hpp>

#include <random>

#include "core/interp/interp.h"
#include "tests/cpp/attention_program.h"

namespace kumihimo::testing {
namespace {

// A program as a list of applications; operands are numbers of earlier ones. The last is the refused one.
struct Step {
  std::string op;
  std::vector<size_t> operands;
  AttrMap attrs;
};
using Steps = std::vector<Step>;

Step tensor(std::string_view name, std::string_view dtype, std::vector<int64_t> shape, std::string_view layout,
            std::string_view location = "DRAM") {
  return {"tensor", {}, Build::tensor_attrs(name, dtype, std::move(shape), layout, location)};
}

// Applies everything; the diagnostic of the last application, or none.
std::optional<Diagnostic> run_checks(const Steps& steps, Build& b, std::vector<ValueId>& values) {
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<ValueId> operands;
    for (size_t o : steps[i].operands) operands.push_back(values[o]);
    auto v = b.try_apply(steps[i].op, operands, steps[i].attrs);
    if (v) {
      values.push_back(*v);
      continue;
    }
    if (i + 1 < steps.size()) ADD_FAILURE() << "step " << i << " is refused already: " << render_text(v.error());
    return v.take_error();
  }
  return std::nullopt;
}

// The meaning of the last step in real numbers; needs no placement.
RealTensor meaning(const Steps& steps) {
  std::vector<RealTensor> values;
  for (const Step& s : steps) {
    std::vector<RealTensor> operands;
    for (size_t o : s.operands) operands.push_back(values[o]);
    if (s.op == "tensor") {
      RealTensor t{std::get<std::vector<int64_t>>(s.attrs.find("shape")->second), {}};
      std::mt19937 random(std::hash<std::string>{}(attr_string(s.attrs, "name")));
      std::uniform_int_distribution<int> small(-8, 8);
      t.data.resize(static_cast<size_t>(element_count(t.shape)));
      for (double& v : t.data) v = attr_string(s.attrs, "dtype") == "bool_" ? small(random) > 0 : small(random);
      values.push_back(std::move(t));
    } else {
      AttrMap attrs = s.attrs;
      EXPECT_TRUE(check_signature(*find_op(s.op), s.operands.size(), attrs).ok());
      values.push_back(find_op(s.op)->reference(operands, attrs));
    }
  }
  return values.back();
}

// Carries out the edits of one fix.
Steps mended(Steps steps, const Fix& fix) {
  const nlohmann::json json = nlohmann::json::parse(fix.edit_json);
  for (const auto& e : json["edits"]) {
    const std::string kind = e["kind"];
    if (kind == "wrap_operand") {
      const size_t operand = e["operand"];
      Step wrap{e["op"], {steps.back().operands.at(operand)}, {}};
      for (const auto& [k, v] : e["attrs"].items()) wrap.attrs[k] = v.get<std::string>();
      steps.insert(steps.end() - 1, std::move(wrap));
      steps.back().operands[operand] = steps.size() - 2;
    } else if (kind == "set_attr") {
      steps.back().attrs[e["attr"].get<std::string>()] = e["value"].get<std::string>();
    } else if (e.contains("tensor")) {
      for (Step& s : steps)
        if (s.op == "tensor" && attr_string(s.attrs, "name") == e["tensor"])
          s.attrs["layout"] = e["layout"].get<std::string>();
    } else {
      steps.back().attrs["layout"] = e["layout"].get<std::string>();
    }
  }
  return steps;
}

// The refusal must carry the constraint's name and at least one fix, and every fix must hold.
Diagnostic expect_mendable(const Steps& steps, std::string_view rule, std::string_view a_fix_says = {}) {
  Build b;
  std::vector<ValueId> values;
  auto error = run_checks(steps, b, values);
  EXPECT_TRUE(error.has_value()) << "accepted";
  if (!error) return {};
  EXPECT_EQ(error->def->name, rule) << render_text(*error);
  EXPECT_FALSE(error->observed.empty());
  EXPECT_FALSE(error->required.empty());
  EXPECT_FALSE(error->fixes.empty()) << render_text(*error);
  bool said = a_fix_says.empty();
  for (const Fix& fix : error->fixes) {
    EXPECT_TRUE(fix.verified);
    EXPECT_FALSE(fix.summary.empty());
    said |= fix.summary.find(a_fix_says) != std::string::npos;
    const Steps better = mended(steps, fix);
    Build again;
    std::vector<ValueId> better_values;
    auto still = run_checks(better, again, better_values);
    EXPECT_FALSE(still.has_value()) << fix.summary << "\n" << (still ? render_text(*still) : "");
    if (!still) {
      const RealTensor want = meaning(steps), got = meaning(better);
      EXPECT_EQ(got.shape, want.shape) << fix.summary;
      EXPECT_EQ(got.data, want.data) << fix.summary;
      EXPECT_EQ(again.type(better_values.back())->shape, want.shape) << fix.summary;
    }
  }
  EXPECT_TRUE(said) << "no fix says " << a_fix_says << ":\n" << render_text(*error);
  return *error;
}

// The refusal has no fix and says why.
Diagnostic expect_hopeless(const Steps& steps, std::string_view rule) {
  Build b;
  std::vector<ValueId> values;
  auto error = run_checks(steps, b, values);
  EXPECT_TRUE(error.has_value()) << "accepted";
  if (!error) return {};
  EXPECT_EQ(error->def->name, rule) << render_text(*error);
  EXPECT_TRUE(error->fixes.empty()) << render_text(*error);
  EXPECT_FALSE(error->no_fix_reason.empty());
  return *error;
}

const std::string kRows = "((16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1); B@[L2B, L1B])";  // halves (64,64)

// --- wrong or unknown axis ----------------------------------------------------------------------------------------

TEST(Axis, UnknownNameInALayout) {
  const Diagnostic d = expect_mendable({tensor("k", "half", {64, 64}, "((16_MABB:1, 4:1), (4:4, 4_PE:1, 4_W:1))")},
                                       "mncore2_tensor_axes", "16_MAB:1");
  EXPECT_NE(d.observed.find("MABB"), std::string::npos);
}
TEST(Axis, TwoUnknownNames) {
  expect_mendable({tensor("k", "half", {64, 64}, "((16_mab:1, 4:1), (4:4, 4_PEE:1, 4_W:1))")}, "mncore2_tensor_axes");
}
TEST(Axis, NothingNear) {
  expect_mendable({tensor("k", "half", {16, 4}, "((16_Core:1), (4_W:1))")}, "mncore2_tensor_axes");
}
TEST(Axis, BlocksOnTheWrongAxis) {
  const Diagnostic d = expect_mendable({tensor("k", "half", {64, 64}, "((8_L1B:1, 8:1), (4:8, 4_MAB:1, 4_W:1))"),
                                        {"distribute_download", {0}, {}},
                                        {"bf", {1}, {}}},
                                       "mncore2_bf_block", "4_PE:1, 4_W:1");
  EXPECT_NE(d.observed.find("4_MAB:1"), std::string::npos);
}
TEST(Axis, BlocksOfTheWrongDim) {
  expect_mendable({tensor("x", "half", {64, 64}, "((4:4, 4_PE:1, 4_W:1), (4_L1B:1, 16:16))"),
                   {"distribute_download", {0}, {}},
                   {"bf", {1}, {}},
                   tensor("w", "half", {64, 64}, kRows),
                   {"distribute_download", {3}, {}},
                   {"bf", {4}, {}},
                   {"linear", {2, 5}, {{"stationary", std::string("x")}}}},
                  "mncore2_linear_contracted_lanes");
}
TEST(Axis, BatchDimOnDifferentLevels) {
  expect_mendable({tensor("x", "half", {4, 64, 64}, "((4_L2B:2), (4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"bf", {1}, {}},
                   tensor("w", "half", {4, 64, 64}, "((4_L1B:2), (16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))"),
                   {"distribute_download", {3}, {}},
                   {"bf", {4}, {}},
                   {"linear", {2, 5}, {{"stationary", std::string("x")}}}},
                  "mncore2_linear_levels");
}

// --- wrong location -----------------------------------------------------------------------------------------------

TEST(Location, UnknownMemory) {
  expect_mendable({tensor("k", "half", {64, 64}, kRows, "DRAN")}, "mncore2_tensor_location", "DRAM");
}
TEST(Location, OutsideValuesBeginInDram) {
  expect_mendable({tensor("k", "half", {64, 64}, kRows, "LM")}, "mncore2_tensor_dram", "DRAM");
}
TEST(Location, BlockFloatsInDram) {
  expect_mendable({tensor("k", "half", {64, 64}, kRows), {"bf", {0}, {}}}, "mncore2_operands_in_pe_memory",
                  "distribute_download(x)");
}
TEST(Location, AdditionInL1bm) {
  expect_mendable({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:2), (4_PE:1, 2_W:1))"),
                   {"broadcast_download", {0}, {}},
                   {"exp", {1}, {}}},
                  "mncore2_operands_in_pe_memory", "distribute_download(x)");
}
TEST(Location, BothSidesOfLinearInDram) {
  expect_mendable({tensor("x", "half", {64, 64}, "((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))"),
                   tensor("w", "half", {64, 64}, kRows),
                   {"linear", {0, 1}, {{"stationary", std::string("x")}}}},
                  "mncore2_operands_in_pe_memory", "bf(w)");
}
TEST(Location, BroadcastAcrossANamedLevel) {
  expect_mendable(
      {tensor("x", "single", {8, 64}, "((8_L1B:1), (4_PE:1, 8:1, 2_W:1))"), {"broadcast_download", {0}, {}}},
      "mncore2_broadcast_unnamed", "to=\"L2BM\"");
}
TEST(Location, PartialValueInAnElementwiseOp) {
  expect_mendable({tensor("x", "single", {64, 64}, "((4_PE:1, 8:4, 2_W:1), (16_MAB:1, 4:1))"),
                   {"distribute_download", {0}, {}},
                   {"reduce_max", {1}, {{"axis", int64_t{1}}, {"keepdims", true}}},
                   {"exp", {2}, {}}},
                  "mncore2_operands_whole", "reduce_upload(x) to exp, then pass distribute_download(x)");
}
TEST(Location, NoWayDownFromPeMemory) {
  expect_hopeless({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"distribute_download", {1}, {}}},
                  "mncore2_move_down");
}
TEST(Location, UnknownGoal) {
  expect_mendable({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {{"to", std::string("LN0")}}}},
                  "mncore2_move_to", "LM0");
}
TEST(Location, UnicastOfCopies) {
  expect_hopeless({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"), {"unicast_download", {0}, {}}},
                  "mncore2_unicast_slots");
}

// --- dtype, missing bf --------------------------------------------------------------------------------------------

TEST(DtypeRule, LinearOfPlainHalves) {
  expect_mendable({tensor("x", "half", {64, 64}, "((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))"),
                   {"distribute_download", {0}, {}},
                   tensor("w", "half", {64, 64}, kRows),
                   {"distribute_download", {2}, {}},
                   {"bf", {3}, {}},
                   {"linear", {1, 4}, {{"stationary", std::string("x")}}}},
                  "mncore2_linear_blocks", "bf(x)");
}
TEST(DtypeRule, HalfPlusSingle) {
  expect_mendable({tensor("x", "single", {64, 16}, "((16_MAB:1, 4:2), (4_PE:1, 2:1, 2_W:1))"),
                   {"distribute_download", {0}, {}},
                   tensor("y", "half", {64, 16}, "((16_MAB:1, 4:1), (4_PE:1, 4_W:1))"),
                   {"distribute_download", {2}, {}},
                   {"add", {1, 3}, {}}},
                  "op_dtype", "cast y to single");
}
TEST(DtypeRule, BlocksFromOutside) {
  expect_hopeless({tensor("k", "block_half", {64, 64}, kRows)}, "mncore2_tensor_dtype");
}
TEST(DtypeRule, HalvesInAnElementwiseOp) {
  expect_hopeless({tensor("y", "half", {64, 16}, "((16_MAB:1, 4:1), (4_PE:1, 4_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"exp", {1}, {}}},
                  "mncore2_operands_single");
}
TEST(DtypeRule, BlocksOfSingles) {
  expect_hopeless({tensor("y", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"bf", {1}, {}}},
                  "mncore2_bf_dtype");
}

// --- lanes --------------------------------------------------------------------------------------------------------

TEST(Lanes, MaskInOtherLanes) {
  const Diagnostic d =
      expect_mendable({tensor("m", "bool_", {64, 64}, "((16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))"),
                       {"distribute_download", {0}, {}},
                       tensor("x", "single", {64, 64}, "((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))"),
                       {"distribute_download", {2}, {}},
                       {"where", {1, 3, 3}, {}}},
                      "mncore2_elementwise_lanes");
  EXPECT_NE(d.required.find("lane-equal"), std::string::npos);
}
TEST(Lanes, BroadcastDimWithoutCopies) {
  expect_mendable({tensor("x", "single", {64, 64}, "((4_PE:1, 8:4, 2_W:1), (16_MAB:1, 4:1))"),
                   {"distribute_download", {0}, {}},
                   tensor("y", "single", {64, 1}, "((16_MAB:1, 4:1), ())"),
                   {"distribute_download", {2}, {}},
                   {"sub", {1, 3}, {}}},
                  "mncore2_elementwise_lanes");
}
TEST(Lanes, ColumnOnRows) {
  expect_mendable({tensor("x", "single", {8, 64}, "((8_L1B:1), (16_MAB:1, 4_PE:1))"),
                   {"distribute_download", {0}, {}},
                   tensor("y", "single", {8, 64}, "((8:1), (16_MAB:1, 4_PE:1))"),
                   {"distribute_download", {2}, {}},
                   {"mul", {1, 3}, {}}},
                  "mncore2_elementwise_lanes", "declare y");
}

// --- size ---------------------------------------------------------------------------------------------------------

TEST(Size, TooLongForLocalMemory) {
  const Diagnostic d =
      expect_mendable({tensor("x", "single", {4096, 2}, "((4096:1), (2_W:1))"), {"distribute_download", {0}, {}}},
                      "mncore2_move_fits", "declare x with");
  EXPECT_NE(d.required.find("2048"), std::string::npos);
}
TEST(Size, TooLongForRegisters) {
  expect_mendable({tensor("x", "single", {512, 8}, "((512:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {{"to", std::string("GRF0")}}}},
                  "mncore2_move_fits");
}
TEST(Size, TooLongForL1bm) {
  expect_mendable({tensor("x", "half", {32768, 4}, "((32768:1), (4_W:1))"), {"broadcast_download", {0}, {}}},
                  "mncore2_move_fits", "4_L2B:2");
}
TEST(Size, TooLongForL2bmOnTheWay) {
  const Diagnostic d =
      expect_mendable({tensor("x", "half", {65536, 16}, "((8:4, 8_L1B:1, 16_MAB:1, 16:32, 4:1), (4_PE:1, 4_W:1))"),
                       {"distribute_download", {0}, {}}},
                      "mncore2_move_fits");
  EXPECT_NE(d.observed.find("L2BM"), std::string::npos) << d.observed;
}

// --- rows of linear -----------------------------------------------------------------------------------------------

Steps linear_of(std::string_view x, std::string_view w, std::string_view stationary) {
  return {tensor("x", "half", {64, 64}, x),
          {"distribute_download", {0}, {}},
          {"bf", {1}, {}},
          tensor("w", "half", {64, 64}, w),
          {"distribute_download", {3}, {}},
          {"bf", {4}, {}},
          {"linear", {2, 5}, {{"stationary", std::string(stationary)}}}};
}
TEST(LinearRows, StationaryRowsOnMabs) {
  expect_mendable(linear_of("((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))", kRows, "w"), "mncore2_linear_stationary_rows",
                  "stationary=\"x\"");
}
TEST(LinearRows, StreamedRowsTooFew) {
  expect_mendable(
      linear_of("((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))", "((2_L2B:1, 16_MAB:1, 2:1), (4:2, 4_PE:1, 4_W:1))", "x"),
      "mncore2_linear_streamed_rows", "declare w");
}
TEST(LinearRows, ContractedDimOnMabs) {
  expect_mendable(
      linear_of("((4_L1B:1, 16:1), (4_MAB:1, 4_PE:1, 4_W:1))", "((8_L2B:1, 8:1), (4_MAB:1, 4_PE:1, 4_W:1))", "x"),
      "mncore2_linear_contracted_rest");
}

// --- padding ------------------------------------------------------------------------------------------------------

TEST(Padding, InsideABlock) {
  expect_mendable({tensor("k", "half", {64, 40}, "((16_MAB:1, 4:1), (3:4, 4_PE:1, 4_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"bf", {1}, {}}},
                  "mncore2_bf_padding", "pad=0");
}
TEST(Padding, InAReducedDim) {
  expect_mendable({tensor("x", "single", {64, 40}, "((4_PE:1, 8:3, 2_W:1), (16_MAB:1, 3:1))"),
                   {"distribute_download", {0}, {}},
                   {"reduce_max", {1}, {{"axis", int64_t{1}}}}},
                  "mncore2_reduce_padding", "pad=-inf");
}
TEST(Reduce, LanesAreNotAddedUp) {
  expect_hopeless({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"reduce_sum", {1}, {{"axis", int64_t{1}}}}},
                  "mncore2_reduce_lanes");
}
TEST(Reduce, SumBesideCopies) {
  expect_hopeless({tensor("x", "single", {8, 8}, "((4_PE:1, 2_W:1), (8_MAB:2))"),
                   {"distribute_download", {0}, {}},
                   {"reduce_sum", {1}, {{"axis", int64_t{1}}}}},
                  "mncore2_reduce_sum_copies");
}
TEST(Reduce, NothingPartialToUpload) {
  expect_hopeless({tensor("x", "single", {8, 8}, "((4_PE:1, 2_W:1), (8:1))"),
                   {"distribute_download", {0}, {}},
                   {"reduce_upload", {1}, {}}},
                  "mncore2_upload_partial_max");
}
TEST(Relayout, OnlyAddressesChange) {
  expect_hopeless({tensor("x", "single", {64, 8}, "((16_MAB:1, 4:1), (4_PE:1, 2_W:1))"),
                   {"distribute_download", {0}, {}},
                   {"relayout", {1}, {{"layout", std::string("((4_L1B:1, 16:1), (4_PE:1, 2_W:1))")}}}},
                  "mncore2_relayout_units");
}

}  // namespace
}  // namespace kumihimo::testing
