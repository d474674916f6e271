#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {

std::span<const Variant> all_variants() {
  static const std::vector<Variant> table = [] {
    std::vector<Variant> t;
    for (auto part : {declare_variants(), move_variants(), format_variants(), linear_variants(), elementwise_variants(),
                      reduce_variants()})
      t.insert(t.end(), part.begin(), part.end());
    return t;
  }();
  return table;
}

}  // namespace kumihimo::mncore2::variants
