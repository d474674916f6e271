// linear (ISA 6.1, 6.2, 8.6): the stationary operand is written into the matrix register, 16 rows at a time; the
// rows of the streamed operand pass it, four in a step. The contracted blocks form a chain of hmmul and hmfma
// whose addend is the result register itself.
//
//   for each batch point, stationary tile (16 rows) and contracted block
//     hmwrite the tile's block into a matrix side
//     for each four streamed rows: hmmul (first block) or hmfma (later ones)
//
// Output element i of a step stands in word i % 4 of PE i / 4: rows 16t + i of the stationary dim therefore lie
// at (4_PE:1, 2:1, 2_W:1), which is what the result layout says.
#include <algorithm>

#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/lower/rows.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Prec;
using isa::Width;
using sched::use_matrix;
using sched::use_row_list;
using sched::use_rows;

constexpr int64_t kTile = 16;  // rows of the matrix register in half precision

struct Side {
  sched::VRegId reg;
  const Layout* layout;
  int free_dim() const { return static_cast<int>(layout->dims.size()) - 2; }
  int contracted_dim() const { return static_cast<int>(layout->dims.size()) - 1; }
};

// Writes 16 rows that begin at `row` with the given row stride into a new matrix.
sched::VMatId write_tile(EmitContext& c, const Side& s, int32_t row, int32_t stride) {
  sched::VMatId mat = c.program().num_mats++;
  if (stride == 1 && row % 2 == 0) {
    for (int32_t half = 0; half < 2; ++half)
      c.b().emit("mwrite", Prec::kH, {use_rows(s.reg, row + 8 * half, Width::kDlw)},
                 {use_matrix(mat, 8 * half, Width::kDlw)});
  } else {
    for (int32_t q = 0; q < 4; ++q)
      c.b().emit("mwrite", Prec::kH, {use_rows(s.reg, row + 4 * q * stride, stride, Width::kLw)},
                 {use_matrix(mat, 4 * q, Width::kLw)});
  }
  return mat;
}

}  // namespace

Status emit_linear(EmitContext& c, const Node& node) {
  TypeRef result = node.results[0];
  const Layout& out_layout = *result->layout;
  bool x_stationary = attr_string(node.attrs, "stationary") == "x";
  Side x{c.reg(node.operands[0]), c.type(node.operands[0])->layout};
  Side w{c.reg(node.operands[1]), c.type(node.operands[1])->layout};
  Side st = x_stationary ? x : w;
  Side sm = x_stationary ? w : x;
  const int rank = static_cast<int>(out_layout.dims.size());
  const int st_out = x_stationary ? rank - 2 : rank - 1;
  const int sm_out = x_stationary ? rank - 1 : rank - 2;
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), result);
  c.program().regs[out].align = 2;

  // Batch points that lie on addresses, read off the result.
  std::vector<std::vector<int64_t>> batches{{}};
  for (int d = 0; d < rank - 2; ++d) {
    std::vector<std::vector<int64_t>> next;
    for (const auto& b : batches)
      for (int64_t o : address_offsets(out_layout, d)) {
        next.push_back(b);
        next.back().push_back(o);
      }
    batches = std::move(next);
  }
  auto at = [&](const Side& s, const std::vector<int64_t>& batch, int64_t free, int64_t contracted) {
    std::vector<int64_t> index = batch;
    index.push_back(free);
    index.push_back(contracted);
    return row_of(*s.layout, index);
  };

  std::vector<int64_t> tiles;  // stationary offsets that begin a tile
  for (int64_t o : address_offsets(*st.layout, st.free_dim()))
    if (o % kTile == 0) tiles.push_back(o);
  std::vector<int64_t> streamed = address_offsets(*sm.layout, sm.free_dim());
  std::vector<int64_t> blocks = address_offsets(*st.layout, st.contracted_dim());
  // The chain runs in ascending address order of the contracted blocks.
  std::ranges::sort(blocks, {}, [&](int64_t k) { return at(st, batches[0], 0, k); });
  const std::vector<int64_t> no_batch(static_cast<size_t>(rank - 2), 0);
  const int32_t tile_stride = at(st, no_batch, 1, 0) - at(st, no_batch, 0, 0);

  int32_t walked = 2;
  for (const auto& batch : batches)
    for (int64_t tile : tiles)
      for (size_t k = 0; k < blocks.size(); ++k) {
        sched::VMatId mat = write_tile(c, st, at(st, batch, tile, blocks[k]), tile_stride);
        std::vector<std::vector<int32_t>> pairs;
        for (int64_t s : streamed) {
          std::vector<int64_t> index = batch;
          index.resize(static_cast<size_t>(rank));
          index[static_cast<size_t>(st_out)] = tile;
          index[static_cast<size_t>(sm_out)] = s;
          pairs.push_back({row_of(out_layout, index), at(sm, batch, s, blocks[k])});
        }
        for (const RowStep& step : cut_into_steps(std::move(pairs), 2, 2)) {
          c.need_rows(out, step.out[3] + 2);
          c.need_rows(sm.reg, std::max(step.in[0][0], step.in[0][3]) + 1);
          sched::VUse matrix = use_matrix(mat);
          sched::VUse stream = use_row_list(sm.reg, step.in[0]);
          sched::VUse acc = use_row_list(out, step.out, Width::kDlw);
          if (k == 0) {
            c.b().emit("mmul", Prec::kH, {matrix, stream}, {acc});
          } else {
            c.b().emit("mfma", Prec::kH, {matrix, stream, acc}, {acc});
          }
          walked = step.stride;
        }
      }
  c.hold(node, {HeldIn::kRegister, out, Width::kDlw, walked});
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
