// libFuzzer: layout text. Whatever is read must print, read back as the same layout, and answer the queries that a
// check asks without a fault; whatever is refused must say where.
//
// The first byte picks the machine and the width of elements.
#include <cstdlib>
#include <string_view>

#include "core/layout/algebra.h"
#include "core/layout/image.h"
#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"

using namespace kumihimo;

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

int dtype_bits(std::string_view name) {
  return name == "half" ? 16 : name == "single" ? 32 : name == "double" ? 64 : 0;
}

void use(const Layout& layout, const MachineTree& tree, int bits) {
  const std::vector<int64_t> first(layout.shape.size(), 0);
  std::vector<int64_t> last;
  for (int64_t e : layout.shape) last.push_back(e - 1);
  if (copies(layout, tree, bits) <= 1024)
    for (const auto& index : {first, last}) {
      const auto points = apply(layout, tree, bits, index);
      require(points.ok());
      for (const Point& p : *points) {
        const Inverse back = inverse(layout, tree, bits, p);
        require(back.holds == Holds::kElement && back.index == index);
      }
    }
  (void)who_holds(layout, tree, bits, last);
  require(same_meaning(layout, canonical(layout, tree, bits), tree, bits));
  require(lane_equal(layout, bits, layout, bits, tree).rows);
  for (int to : {16, 32, 64}) {
    const auto cast = recast(layout, tree, bits, to);
    if (cast) require(live_points(*cast, tree, to) == live_points(layout, tree, bits));
  }
  for (size_t location = 0; location < tree.locations.size(); ++location) {
    (void)named_levels_below(layout, tree, static_cast<int>(location));
    (void)check_capacity(layout, tree, static_cast<int>(location), bits);
    if (padded_elements(layout) > 4096 || copies(layout, tree, bits) > 64) continue;
    const auto map = image_map(layout, tree, static_cast<int>(location), bits);
    if (!map || map->total_lw() > (1 << 16) || map->partial_count() > 64) continue;
    const std::vector<uint8_t> elements(static_cast<size_t>(map->elements() * map->partial_count() * bits / 8), 7);
    std::vector<uint64_t> image(static_cast<size_t>(map->total_lw()));
    pack(*map, elements, image);
    const Comparison c = compare_all_copies(*map, image, elements);
    require(c.mismatches == 0 && c.words_compared == map->words());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const MachineTree* const trees[] = {&mncore2::find_machine("mncore2")->tree,
                                             &mncore2::find_machine("mncore2-tiny")->tree};
  const MachineTree& tree = *trees[data[0] & 1];
  const int bits = 16 << (data[0] >> 1) % 3;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto parsed = parse_layout(text, {&tree, bits, {}, dtype_bits});
  if (!parsed) {
    require(parsed.error().where.known() && !render_text(parsed.error()).empty() &&
            !render_json(parsed.error()).empty());
    return 0;
  }
  const int width = parsed->dtype.empty() ? bits : dtype_bits(parsed->dtype);
  const std::string printed = print_layout(*parsed->layout, tree);
  const auto again = parse_layout(printed, {&tree, width, {}, nullptr});
  require(again.ok() && again->layout == parsed->layout);
  use(*parsed->layout, tree, width);
  return 0;
}
