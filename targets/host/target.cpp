#include "targets/host/target.h"

#include "targets/host/machine.h"
#include "targets/host/values.h"
#include "targets/host/variants.h"

namespace kumihimo::host {

const Target& target() {
  static const Target t = [] {
    Target row{};
    row.name = "host";
    row.version = 1;
    row.tree = &tree();
    row.variants = all_variants();
    row.numerics = &numerics();
    return row;
  }();
  return t;
}

}  // namespace kumihimo::host
