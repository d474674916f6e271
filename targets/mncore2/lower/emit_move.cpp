// Moves between memories (ISA 4.2, 5.2, 5.3): hop by hop down the tree, or up through the reduce network.
//
// The layout decides each hop: a level that it names is distributed from the image, a level that it does not
// name is broadcast. Sizes are rounded to whole steps; what lies beyond the image is moved too and used by nobody.
#include <algorithm>

#include "core/layout/image.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/lower/hops.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Mem;
using isa::Width;
using sched::use_buf;
using sched::use_rows;
using sched::VBufId;

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

struct Moved {
  EmitContext& c;
  const Type& type;  // layout and dtype; the location changes
  std::string name;

  bool named(std::string_view location, std::string_view axis) const { return hop_is_named(type, location, axis); }
  Result<int64_t> image(std::string_view location) const {
    return image_lw(*type.layout, c.tree(), c.tree().find_location(location), dtype_def(type.dtype).bits);
  }
};

// DRAM -> L2BM. Named: each L2B of the group has an image of its own, one after the other.
Result<VBufId> dram_to_l2bm(Moved& m, VBufId dram) {
  auto image = m.image("L2BM");
  if (!image) return image.take_error();
  int64_t size = round_up(*image, 64);
  VBufId l2 = m.c.new_buffer(m.name + ".l2", Mem::kL2bm, round_up(size, 256), 64);
  if (m.named("DRAM", "L2B")) {
    const LocationDef& d = m.c.tree().locations[static_cast<size_t>(m.c.tree().find_location("DRAM"))];
    for (int64_t s = 0; s < d.granule; ++s)
      m.c.b()
          .emit("mvp", {use_buf(dram, s * *image)}, {use_buf(l2, 0, Width::kLw, static_cast<int8_t>(s))})
          .proto.size = static_cast<uint32_t>(size);
  } else {
    m.c.b().emit("mvb2", {use_buf(dram)}, {use_buf(l2)}).proto.size = static_cast<uint32_t>(size);
  }
  return l2;
}

// L2BM -> L1BM: 32 long words of every L1B or 64 broadcast ones in a step.
Result<VBufId> l2bm_to_l1bm(Moved& m, VBufId l2) {
  auto image = m.image("L1BM");
  if (!image) return image.take_error();
  VBufId l1 = m.c.new_buffer(m.name + ".l1", Mem::kL1bm, round_up(*image, 256), 64);
  if (m.named("L2BM", "L1B")) {
    // The L2BM image ends the loop: the L1BM one may be rounded up beyond an eighth of it.
    auto wide = m.image("L2BM");
    if (!wide) return wide.take_error();
    for (int64_t a = 0; 8 * a < *wide; a += 32) m.c.b().emit("l2bmd", {use_buf(l2, 8 * a)}, {use_buf(l1, a)});
  } else {
    for (int64_t a = 0; a < *image; a += 64) m.c.b().emit("l2bmb", {use_buf(l2, a)}, {use_buf(l1, a)});
  }
  return l1;
}

// L1BM -> PE memory: four rows of every PE in a step, eight where a double long word fits.
Held l1bm_to_pe(Moved& m, VBufId l1, const Type& to) {
  int32_t count = static_cast<int32_t>(rows(*m.type.layout));
  sched::VRegId reg = m.c.new_scratch(m.name, count, banks_for(to, false));
  if (m.named("L1BM", "MAB")) {
    for (int32_t r = 0; r < count; r += 4) m.c.b().emit("l1bmd", {use_buf(l1, 64 * r)}, {use_rows(reg, r)});
    return {HeldIn::kRegister, reg, Width::kLw, 1};
  }
  if (m.named("L1BM", "PE")) {
    // Eight rows in a step, except a last four.
    int32_t r = 0;
    for (; r + 4 < count; r += 8) {
      m.c.need_rows(reg, r + 8);
      m.c.b().emit("l1bmm", {use_buf(l1, 4 * r, Width::kDlw)}, {use_rows(reg, r, Width::kDlw)});
    }
    for (; r < count; r += 4) m.c.b().emit("l1bmm", {use_buf(l1, 4 * r)}, {use_rows(reg, r)});
    return {HeldIn::kRegister, reg, count > 4 ? Width::kDlw : Width::kLw, 1};
  }
  for (int32_t r = 0; r < count; r += 4) m.c.b().emit("l1bmp", {use_buf(l1, r)}, {use_rows(reg, r)});
  return {HeldIn::kRegister, reg, Width::kLw, 1};
}

}  // namespace

Status emit_download(EmitContext& c, const Node& node) {
  TypeRef from = c.type(node.operands[0]);
  TypeRef to = node.results[0];
  Moved m{c, *from, "v" + std::to_string(node.id)};
  int at = depth_of(*from);
  int end = depth_of(*to);
  VBufId buf = c.held(node.operands[0]).id;
  if (at == 0 && at < end) {
    auto l2 = dram_to_l2bm(m, buf);
    if (!l2) return l2.take_error();
    buf = *l2;
    at = 1;
  }
  if (at == 1 && at < end) {
    auto l1 = l2bm_to_l1bm(m, buf);
    if (!l1) return l1.take_error();
    buf = *l1;
    at = 2;
  }
  c.hold(node, end == 3 ? l1bm_to_pe(m, buf, *to) : Held{HeldIn::kBuffer, buf, Width::kDlw, 1});
  return Ok{};
}

Status emit_reduce_upload(EmitContext& c, const Node& node) {
  TypeRef from = c.type(node.operands[0]);
  bool is_max = std::ranges::any_of(from->layout->tails, [](const Tail& t) { return t.kind == TailKind::kPartialMax; });
  std::string_view reduction = is_max ? "max" : "fadd";
  int32_t count = static_cast<int32_t>(rows(*from->layout));
  sched::VRegId src = c.reg(node.operands[0]);
  VBufId l1 = c.new_buffer("v" + std::to_string(node.id) + ".l1", Mem::kL1bm, round_up(4 * count, 64), 64);
  int32_t r = 0;
  // Row r stands at 4r + p, eight rows in a step with double long words (float operations of precision f, ISA 5.3).
  for (; r + 4 < count; r += 8) {
    c.need_rows(src, r + 8);
    c.b().emit_reduce("l1bmr", reduction, isa::Prec::kF, use_rows(src, r, Width::kDlw),
                      use_buf(l1, 4 * r, Width::kDlw));
  }
  for (; r < count; r += 4) {
    c.need_rows(src, r + 4);
    c.b().emit_reduce("l1bmr", reduction, isa::Prec::kF, use_rows(src, r), use_buf(l1, 4 * r));
  }
  c.hold(node, {HeldIn::kBuffer, l1, Width::kDlw, 1});
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
