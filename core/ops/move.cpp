#include <array>

#include "core/ops/table.h"

namespace kumihimo::ops {
namespace {

Result<ShapeDtype> infer_same(std::span<const ShapeDtype> x, const AttrMap&) { return x[0]; }
RealTensor same_values(std::span<const RealTensor> x, const AttrMap&) { return x[0]; }

OpDef move(std::string_view name, std::string_view doc, std::vector<AttrDef> attrs) {
  return OpDef{name, "move",     doc,        {{"x", "the value to move", false}}, std::move(attrs), true, true,
               true, infer_same, same_values};
}

const AttrDef kTo = {"to", AttrKind::kString, false, "", "memory to move to; absent = the usual one of this op"};

const std::array kOps = {
    move("broadcast_download", "moves down across levels that the layout does not name: every child gets a copy",
         {kTo}),
    move("distribute_download",
         "moves down across named levels: every child gets its own points, with copies over the unnamed rest", {kTo}),
    move("unicast_download", "moves down so that every child reads its own slot and no copies arise", {kTo}),
    // The values of a partial tensor are its partial copies reduced; in real numbers that is the value already.
    move("reduce_upload", "moves up and reduces the partial copies that the layout names", {kTo}),
    move("relayout", "changes the layout inside a memory; same values",
         {{"layout", AttrKind::kString, true, "", "layout text of the result"}, kTo}),
};

}  // namespace

std::span<const OpDef> move_ops() { return kOps; }

}  // namespace kumihimo::ops
