// The in-tree targets. The only file of core that names one.
#include "core/driver/driver.h"
#include "targets/host/target.h"
#include "targets/l1000/target.h"
#include "targets/mncore2/target.h"

namespace kumihimo {

void register_in_tree_targets() {
  register_target(&mncore2::target());
  register_target(&mncore2::tiny_target());
  register_target(&l1000::target());
  register_target(&host::target());
}

}  // namespace kumihimo
