// Nothing is accepted that cannot be lowered, and lowered code gives the bits of `exact`: random programs, every value
// that they compute as an output, on the emulator in strict mode with poisoned memories.
#include "core/layout/image.h"
#include "targets/mncore2/lower/kernel.h"
#include "targets/mncore2/run/run.h"
#include "tests/cpp/attention_program.h"
#include "tests/cpp/variants_random.h"

namespace kumihimo::testing {
namespace {

struct Compared {
  int programs = 0;
  int64_t words = 0;
  std::map<std::string, int> ops;
};

void compare(std::string_view target, uint32_t seed, Compared& compared) {
  Build b(target);
  TensorMap inputs;
  Tally tally;
  random_program(b, inputs, seed, tally);
  std::map<std::string, const Node*> makers;
  const std::vector<NodeId> body = b.main().body;
  for (NodeId id : body) {
    const Node& n = b.module().node(id);
    if (find_op(n.op)->category == "declare") continue;
    const std::string name = "o" + std::to_string(makers.size());
    makers.emplace(name, &n);
    b.output({id, 0}, name);
  }
  if (makers.empty()) return;
  SCOPED_TRACE(print(b.module()));
  auto exact = run_exact(b.module(), b.main(), inputs);
  ASSERT_TRUE(exact.ok()) << render_text(exact.error());
  auto kernel = mncore2::lower::lower_kernel(b.module(), {});
  ASSERT_TRUE(kernel.ok()) << render_text(kernel.error());
  mncore2::KernelRunOptions options;
  options.strict = true;
  options.poison = 0xdeadbeefcafef00d;
  auto run = mncore2::run_kernel(**kernel, inputs, options);
  ASSERT_TRUE(run.ok()) << render_text(run.error());
  for (const Diagnostic& finding : run->findings) ADD_FAILURE() << render_text(finding);
  ASSERT_EQ(run->outputs.size(), makers.size());
  for (const mncore2::OutputImage& output : run->outputs) {
    const Comparison c = compare_all_copies(output.map, output.image, exact->outputs.at(output.name).data);
    ASSERT_EQ(c.mismatches, 0) << output.name << " of " << makers.at(output.name)->op << ": " << c.mismatches << " of "
                               << c.words_compared;
    EXPECT_EQ(c.words_compared, output.map.words());
    // In PE memory every point of the layout is a word; above it, one word serves the copies below.
    const Type& type = *output.type;
    const int64_t points = live_points(*type.layout, *type.tree, dtype_def(type.dtype).bits);
    if (type.location_name() == "LM" || type.location_name() == "GRF") {
      EXPECT_EQ(c.words_compared, points);
    } else {
      EXPECT_LE(c.words_compared, points);
    }
    compared.words += c.words_compared;
    ++compared.ops[makers.at(output.name)->op];
  }
  ++compared.programs;
}

TEST(RandomPrograms, LoweredCodeIsExact) {
  Compared compared;
  for (uint32_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("mncore2-tiny, seed " + std::to_string(seed));
    compare("mncore2-tiny", seed, compared);
  }
  for (uint32_t seed = 1001; seed <= 1012 && !HasFailure(); ++seed) {
    SCOPED_TRACE("mncore2, seed " + std::to_string(seed));
    compare("mncore2", seed, compared);
  }
  EXPECT_GT(compared.programs, 200);
  EXPECT_GT(compared.words, 1'000'000);
  // Every op that makes a value must have been compared.
  for (const OpDef& op : all_ops())
    if (op.category != "declare") {
      EXPECT_GT(compared.ops[std::string(op.name)], 0) << op.name;
    }
  RecordProperty("programs", compared.programs);
  RecordProperty("words", std::to_string(compared.words));
}

}  // namespace
}  // namespace kumihimo::testing
