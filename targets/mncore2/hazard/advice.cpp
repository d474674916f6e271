#include "targets/mncore2/hazard/advice.h"

#include <algorithm>

#include "targets/mncore2/hazard/advice_dead.h"
#include "targets/mncore2/hazard/advice_pairs.h"

namespace kumihimo::mncore2::hazard {

std::vector<Finding> advise(const isa::Program& program, const Profile& profile) {
  std::vector<Finding> out;
  // The advisers trust their input.
  isa::MaskState masks;
  std::vector<isa::Violation> violations;
  for (const isa::Line& line : program.lines) {
    isa::apply_mask_statement(masks, line);
    isa::check_line(line, masks, violations);
    if (!violations.empty()) return out;
  }
  find_dead_writes(program, out);
  find_pairs(program, profile, out);
  std::ranges::stable_sort(out, {}, &Finding::line);
  return out;
}

}  // namespace kumihimo::mncore2::hazard
