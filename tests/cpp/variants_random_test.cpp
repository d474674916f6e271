// Random programs through the checks: nothing may crash, what is accepted has a value of the promised shape and a text
// that reads back, and what an error offers as a fix was verified.
#include "tests/cpp/variants_random.h"
#include "tests/cpp/attention_program.h"

namespace kumihimo::testing {
namespace {

void run_program(uint32_t seed, Tally& tally) {
  Build b(seed % 4 == 0 ? "mncore2-tiny" : "mncore2");
  TensorMap inputs;
  random_program(b, inputs, seed, tally);
  const std::string text = print(b.module());
  auto read = parse_program(text, "random.leir");
  ASSERT_TRUE(read.ok()) << render_text(read.error()) << text;
  EXPECT_EQ(first_mismatch(b.module(), *read), std::nullopt);
  auto exact = run_exact(b.module(), b.main(), inputs, {.keep_values = true, .interrupt = {}});
  ASSERT_TRUE(exact.ok()) << render_text(exact.error()) << text;
  for (const auto& [v, tensor] : exact->values) {
    const Type& type = *b.type(v);
    EXPECT_EQ(tensor->dtype, type.dtype);
    EXPECT_EQ(tensor->shape, type.shape);
    if (!type.placed()) continue;
    const int bits = dtype_def(type.dtype).bits;
    EXPECT_EQ(tensor->partial, partial_extents(*type.layout, *type.tree, bits));
    EXPECT_TRUE(check_capacity(*type.layout, *type.tree, type.location, bits).ok()) << to_string(type);
    auto normal = normalise(*type.layout, *type.tree, bits);
    ASSERT_TRUE(normal.ok()) << to_string(type);
    EXPECT_EQ(*normal, *type.layout) << to_string(type);
  }
  EXPECT_TRUE(run_reference(b.module(), b.main(), inputs).ok());
}

TEST(RandomPrograms, NeverCrashAndKeepTheirPromises) {
  Tally tally;
  for (uint32_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run_program(seed, tally);
  }
  // The generator reaches every op from both sides, or the test above says little.
  for (const OpDef& op : all_ops()) {
    if (op.name == "immediate_float" || op.name == "output") continue;
    const std::string name(op.name);
    EXPECT_GT(tally.accepted[name], 0) << name << " was never accepted";
    EXPECT_GT(tally.refused[name], 0) << name << " was never refused";
    RecordProperty(name, std::to_string(tally.accepted[name]) + " of " +
                             std::to_string(tally.accepted[name] + tally.refused[name]));
  }
  EXPECT_GT(tally.fixes, 100);
}

}  // namespace
}  // namespace kumihimo::testing
