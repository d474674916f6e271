#include "targets/mncore2/lower/hops.h"

#include <algorithm>

#include "core/layout/query.h"

namespace kumihimo::mncore2::lower {

int depth_of(const Type& type) {
  const std::string_view location = type.location_name();
  if (location == "DRAM" || location == "PDM") return 0;
  if (location == "L2BM") return 1;
  if (location == "L1BM") return 2;
  return 3;
}

bool hop_is_named(const Type& type, std::string_view location, std::string_view axis) {
  std::vector<int> levels = named_levels_below(*type.layout, *type.tree, type.tree->find_location(location));
  return std::ranges::find(levels, type.tree->find_axis(axis)) != levels.end();
}

}  // namespace kumihimo::mncore2::lower
