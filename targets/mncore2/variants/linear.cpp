// linear in half precision.
//
// The stationary operand's rows, 16 at a time, sit in the matrix register; rows of the streamed operand pass it, four
// in a step (ISA 6). Element i of the 16 comes out in word i % 4 of PE i / 4: that is where the result's stationary
// dim ends, (4_PE:1, 2:1, 2_W:1), instead of 16 rows on addresses.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/num/values.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/contracted.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

constexpr int kX = 0, kW = 1;
constexpr int64_t kTile = 16;        // rows of the matrix register in half precision
constexpr int64_t kRowsPerStep = 4;  // streamed rows of a step

int stationary(const OpInstance& instance) { return attr_string(*instance.attrs, "stationary") == "x" ? kX : kW; }
int streamed(const OpInstance& instance) { return 1 - stationary(instance); }
const Type& side(const OpInstance& instance, int operand) { return *instance.operands[static_cast<size_t>(operand)]; }
int contracted_dim(const Type& t) { return static_cast<int>(t.shape.size()) - 1; }
int free_dim(const Type& t) { return static_cast<int>(t.shape.size()) - 2; }

template <class F>
std::optional<Violation> each_side(const OpInstance& instance, F rule) {
  for (int i : {kX, kW})
    if (std::optional<Violation> v = rule(side(instance, i), i)) {
      v->operand = i;
      return v;
    }
  return std::nullopt;
}

// --- dtype --------------------------------------------------------------------------------------------------------

std::optional<Violation> check_blocks(const OpInstance& instance) {
  return each_side(instance, [](const Type& t, int) -> std::optional<Violation> {
    if (t.dtype == Dtype::kBlockHalf) return std::nullopt;
    return Violation{-1,
                     std::string(dtype_def(t.dtype).name),
                     t.dtype == Dtype::kHalf ? "block_half: bf converts it" : "block_half",
                     {{"dtype", std::string(dtype_def(t.dtype).name)}}};
  });
}
std::vector<Edit> suggest_blocks(const OpInstance& instance, const Violation& v) {
  const Type& t = side(instance, v.operand);
  // A cast to half would lose bits: only the author decides that.
  if (t.dtype != Dtype::kHalf) return {};
  return {wrap(instance, v.operand, "bf")};
}

// --- the contracted dim -------------------------------------------------------------------------------------------

std::optional<Violation> check_contracted_lanes(const OpInstance& instance) {
  return each_side(instance, [](const Type& t, int) -> std::optional<Violation> {
    if (ends_in_half_block(*t.layout, *t.tree, contracted_dim(t))) return std::nullopt;
    return Violation{
        -1, dim_text(*t.layout, *t.tree, contracted_dim(t)), "the contracted dim ends in (4_PE:1, 4_W:1)", {}};
  });
}
std::vector<Edit> suggest_contracted_lanes(const OpInstance& instance, const Violation& v) {
  const Type& t = side(instance, v.operand);
  std::vector<Edit> out;
  for (const Layout& l : half_block_layouts(*t.layout, *t.tree, contracted_dim(t)))
    out.push_back(replace_layout(instance, v.operand, l, "blocks of the contracted dim"));
  return out;
}

std::vector<Iter> blocks_of(const Type& t) {
  const Axes axes = axes_of(*t.tree);
  const Iter block[] = {{4, axes.pe, 1}, {4, axes.w, 1}};
  return without_ending(*t.layout, contracted_dim(t), block);
}

std::optional<Violation> check_contracted_rest(const OpInstance& instance) {
  return each_side(instance, [](const Type& t, int) -> std::optional<Violation> {
    for (const Iter& it : blocks_of(t))
      if (it.axis != kAddressAxis && it.extent > 1)
        return Violation{-1,
                         dim_text(*t.layout, *t.tree, contracted_dim(t)),
                         fmt::format("all blocks of the contracted dim on addresses; {} would leave partial sums, "
                                     "which this variant does not make",
                                     print_iter(it, *t.tree)),
                         {{"digit", print_iter(it, *t.tree)}}};
    if (dim_padded(*t.layout, contracted_dim(t)) && !(t.layout->pad == PadKind::kValue && t.layout->pad_value == 0))
      return Violation{-1,
                       fmt::format("{} with padding that is not 0", dim_text(*t.layout, *t.tree, contracted_dim(t))),
                       "pad=0",
                       {}};
    return std::nullopt;
  });
}
std::vector<Edit> suggest_contracted_rest(const OpInstance& instance, const Violation& v) {
  const Type& t = side(instance, v.operand);
  Layout l = *t.layout;
  for (Iter& it : l.dims[static_cast<size_t>(contracted_dim(t))])
    if (it.axis != axes_of(*t.tree).pe && it.axis != axes_of(*t.tree).w && it.axis != kAddressAxis)
      it = {it.extent, kAddressAxis, int64_t{1} << 20};
  std::erase_if(l.tails, [](const Tail& tail) { return tail.kind == TailKind::kReplica; });
  make_addresses_dense(l, *t.tree);
  auto normal = normalise(std::move(l), *t.tree, bits_of(t));
  if (!normal) return {};
  return {replace_layout(instance, v.operand, *normal, "blocks on addresses")};
}

std::optional<Violation> check_block_order(const OpInstance& instance) {
  const Type &x = side(instance, kX), &w = side(instance, kW);
  if (num::block_order(*x.layout, contracted_dim(x)) == num::block_order(*w.layout, contracted_dim(w)))
    return std::nullopt;
  return Violation{kW,
                   fmt::format("x {}, w {}", dim_text(*x.layout, *x.tree, contracted_dim(x)),
                               dim_text(*w.layout, *w.tree, contracted_dim(w))),
                   "the blocks of both sides in the same order of addresses: it is the order of the sum",
                   {}};
}

// --- free dims ----------------------------------------------------------------------------------------------------

// Takes `count` innermost elements of a dim that lie on addresses off its iters; nothing if they do not.
std::optional<std::vector<Iter>> without_inner_rows(std::vector<Iter> iters, int64_t count) {
  while (count > 1) {
    while (!iters.empty() && iters.back().extent == 1 && iters.back().axis == kAddressAxis) iters.pop_back();
    if (iters.empty() || iters.back().axis != kAddressAxis) return std::nullopt;
    Iter& it = iters.back();
    if (it.extent <= count) {
      if (count % it.extent != 0) return std::nullopt;
      count /= it.extent;
      iters.pop_back();
    } else {
      if (it.extent % count != 0) return std::nullopt;
      it = {it.extent / count, kAddressAxis, it.stride * count};
      count = 1;
    }
  }
  return iters;
}

const std::vector<Iter>& free_iters(const Type& t) { return t.layout->dims[static_cast<size_t>(free_dim(t))]; }

// The dim with `count` rows at its inner end on addresses and its levels in their order, if the numbers allow it.
std::optional<Layout> with_inner_rows(const Type& t, int64_t count) {
  Layout out = *t.layout;
  std::vector<Iter>& iters = out.dims[static_cast<size_t>(free_dim(t))];
  const int64_t extent = out.shape[static_cast<size_t>(free_dim(t))];
  std::vector<Iter> levels;
  int64_t on_levels = 1;
  for (const Iter& it : iters)
    if (it.axis != kAddressAxis) levels.push_back(it), on_levels *= it.extent;
  const int64_t rest = (extent + on_levels * count - 1) / (on_levels * count);
  levels.push_back({rest, kAddressAxis, count});
  levels.push_back({count, kAddressAxis, 1});
  iters = std::move(levels);
  std::erase_if(iters, [](const Iter& i) { return i.axis == kAddressAxis && i.extent == 1; });
  std::erase_if(out.tails, [](const Tail& tail) { return tail.kind == TailKind::kReplica; });
  make_addresses_dense(out, *t.tree);
  auto normal = normalise(std::move(out), *t.tree, bits_of(t));
  if (!normal) return std::nullopt;
  return std::move(*normal);
}

Edit other_stationary(const OpInstance& instance) {
  return set_attr("stationary", stationary(instance) == kX ? "w" : "x");
}

std::optional<Violation> check_stationary_rows(const OpInstance& instance) {
  const int s = stationary(instance);
  const Type& t = side(instance, s);
  if (without_inner_rows(free_iters(t), kTile)) return std::nullopt;
  return Violation{s,
                   dim_text(*t.layout, *t.tree, free_dim(t)),
                   "the stationary free dim ends in 16 rows on addresses: they fill the matrix register",
                   {{"rows", std::to_string(kTile)}}};
}
std::vector<Edit> suggest_stationary_rows(const OpInstance& instance, const Violation& v) {
  std::vector<Edit> out{other_stationary(instance)};
  if (auto l = with_inner_rows(side(instance, v.operand), kTile))
    out.push_back(replace_layout(instance, v.operand, *l, "16 rows on addresses"));
  return out;
}

std::optional<Violation> check_streamed_rows(const OpInstance& instance) {
  const int s = streamed(instance);
  const Type& t = side(instance, s);
  int64_t rows_per_pe = 1;
  for (const Iter& it : free_iters(t))
    if (it.axis == kAddressAxis) rows_per_pe *= it.extent;
  if (rows_per_pe % kRowsPerStep == 0) return std::nullopt;
  return Violation{s,
                   fmt::format("{} rows per PE: {}", rows_per_pe, dim_text(*t.layout, *t.tree, free_dim(t))),
                   "rows of the streamed free dim in each PE a multiple of 4: they pass four in a step",
                   {{"rows", std::to_string(rows_per_pe)}}};
}
std::vector<Edit> suggest_streamed_rows(const OpInstance& instance, const Violation& v) {
  std::vector<Edit> out{other_stationary(instance)};
  const Type& t = side(instance, v.operand);
  if (auto l = with_inner_rows(t, kRowsPerStep))
    out.push_back(replace_layout(instance, v.operand, *l, "four rows on addresses"));
  // Fewer MABs: their digit gives rows to addresses.
  const Axes axes = axes_of(*t.tree);
  Layout l = *t.layout;
  for (Iter& it : l.dims[static_cast<size_t>(free_dim(t))])
    if (it.axis == axes.mab && it.extent % kRowsPerStep == 0) {
      auto& iters = l.dims[static_cast<size_t>(free_dim(t))];
      it.extent /= kRowsPerStep;
      iters.push_back({kRowsPerStep, kAddressAxis, int64_t{1} << 20});
      std::erase_if(l.tails, [](const Tail& tail) { return tail.kind == TailKind::kReplica; });
      make_addresses_dense(l, *t.tree);
      if (auto normal = normalise(std::move(l), *t.tree, bits_of(t)))
        out.push_back(replace_layout(instance, v.operand, *normal, "four rows on addresses"));
      break;
    }
  return out;
}

// --- levels -------------------------------------------------------------------------------------------------------

// An operand as a tensor of the common shape (batch..., M, N, K): the other's free dim has extent 1.
Layout extended(const Type& t, int operand, size_t rank) {
  Layout out = *t.layout;
  const auto at = static_cast<ptrdiff_t>(operand == kX ? contracted_dim(t) : free_dim(t));
  out.shape.insert(out.shape.begin() + at, 1);
  out.dims.insert(out.dims.begin() + at, std::vector<Iter>{});
  const size_t missing = rank + 1 - out.shape.size();
  out.shape.insert(out.shape.begin(), missing, 1);
  out.dims.insert(out.dims.begin(), missing, std::vector<Iter>{});
  return out;
}

std::optional<Violation> check_levels(const OpInstance& instance) {
  const Type &x = side(instance, kX), &w = side(instance, kW);
  const size_t rank = instance.result.shape.size();
  const LaneRelation relation =
      lane_equal(extended(x, kX, rank), bits_of(x), extended(w, kW, rank), bits_of(w), *x.tree);
  if (relation.lanes) return std::nullopt;
  std::string dim = "the operands";
  if (relation.dim >= 0 && relation.dim < static_cast<int>(rank) - 2) dim = fmt::format("batch dim {}", relation.dim);
  if (relation.dim == static_cast<int>(rank) - 2) dim = "the free dim of x";
  if (relation.dim == static_cast<int>(rank) - 1) dim = "the free dim of w";
  return Violation{
      kW,
      fmt::format("{}: {}", dim, relation.reason),
      "batch dims on the same levels on both sides, and copies of each operand over the levels of the other's free dim",
      {{"x", print_layout(*x.layout, *x.tree)}, {"w", print_layout(*w.layout, *w.tree)}}};
}
// Batch dims as the other side has them.
std::vector<Edit> suggest_levels(const OpInstance& instance, const Violation&) {
  std::vector<Edit> out;
  for (int i : {kW, kX}) {
    const Type &t = side(instance, i), &o = side(instance, 1 - i);
    Layout l = *t.layout;
    for (int d = free_dim(t) - 1, e = free_dim(o) - 1; d >= 0 && e >= 0; --d, --e)
      if (t.shape[static_cast<size_t>(d)] == o.shape[static_cast<size_t>(e)])
        l.dims[static_cast<size_t>(d)] = o.layout->dims[static_cast<size_t>(e)];
    std::erase_if(l.tails, [](const Tail& tail) { return tail.kind == TailKind::kReplica; });
    make_addresses_dense(l, *t.tree);
    auto normal = normalise(std::move(l), *t.tree, bits_of(t));
    if (normal && !same_meaning(*normal, *t.layout, *t.tree, bits_of(t)))
      out.push_back(replace_layout(instance, i, *normal, "batch dims as in the other operand"));
  }
  return out;
}

// --- the result ---------------------------------------------------------------------------------------------------

// Addresses from the inside: the pair of words of an output, the streamed rows, further tiles of 16, batch dims.
Result<TypeRef> place_linear(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const Axes axes = axes_of(tree);
  const Type &x = side(instance, kX), &w = side(instance, kW);
  const Type &st = side(instance, stationary(instance)), &sm = side(instance, streamed(instance));
  const std::vector<int64_t>& shape = instance.result.shape;
  const size_t rank = shape.size();
  const size_t st_dim = stationary(instance) == kX ? rank - 2 : rank - 1,
               sm_dim = stationary(instance) == kX ? rank - 1 : rank - 2;

  Layout out;
  out.shape = shape;
  out.dims.resize(rank);
  for (size_t d = 0; d + 2 < rank; ++d)
    for (const Type* t : {&x, &w}) {
      const size_t missing = rank - t->shape.size();
      if (d < missing) continue;
      if (out.dims[d].empty() || (t->shape[d - missing] > 1)) out.dims[d] = t->layout->dims[d - missing];
      if (t->shape[d - missing] > 1) break;
    }
  out.dims[sm_dim] = free_iters(sm);
  out.dims[st_dim] = *without_inner_rows(free_iters(st), kTile);
  out.dims[st_dim].insert(out.dims[st_dim].end(), {{4, axes.pe, 1}, {2, kAddressAxis, 1}, {2, axes.w, 1}});

  // Where x is empty w is (check_levels), and so is the product.
  for (const Tail& t : x.layout->tails)
    if (t.kind == TailKind::kSingle) out.tails.push_back(t);

  int64_t next = 2;
  auto number = [&next](std::vector<Iter>& iters, size_t skip) {
    for (size_t i = iters.size() - skip; i-- > 0;)
      if (iters[i].axis == kAddressAxis) {
        iters[i].stride = next;
        next *= iters[i].extent;
      }
  };
  number(out.dims[sm_dim], 0);
  number(out.dims[st_dim], 3);
  for (size_t d = rank - 2; d-- > 0;) number(out.dims[d], 0);
  auto dense = arithmetic_layout(std::move(out), tree, dtype_def(instance.result.dtype).bits);
  if (!dense) return dense.take_error();
  return arithmetic_type(instance, std::move(*dense));
}

const Constraint kBlocks{
    {"K8301", "mncore2_linear_blocks", "linear contracts block halves"}, check_blocks, suggest_blocks};
const Constraint kContractedLanes{{"K8302", "mncore2_linear_contracted_lanes",
                                   "the contracted dim is innermost in the lanes of the four PEs of a MAB"},
                                  check_contracted_lanes,
                                  suggest_contracted_lanes};
const Constraint kContractedRest{
    {"K8303", "mncore2_linear_contracted_rest",
     "the blocks of the contracted dim follow each other on addresses, and what pads them is 0"},
    check_contracted_rest,
    suggest_contracted_rest};
const Constraint kBlockOrder{
    {"K8304", "mncore2_linear_block_order", "both operands hold the blocks of the contracted dim in one order"},
    check_block_order,
    nullptr};
const Constraint kStationaryRows{
    {"K8305", "mncore2_linear_stationary_rows", "the stationary operand has 16 rows on addresses"},
    check_stationary_rows,
    suggest_stationary_rows};
const Constraint kStreamedRows{{"K8306", "mncore2_linear_streamed_rows", "rows of the streamed operand come in fours"},
                               check_streamed_rows,
                               suggest_streamed_rows};
const Constraint kLevels{
    {"K8307", "mncore2_linear_levels", "both operands of a product are in the same PE"}, check_levels, suggest_levels};

const std::vector<const Constraint*> kRules = {&kOperandsInPeMemory, &kOperandsWhole,  &kBlocks,
                                               &kContractedLanes,    &kContractedRest, &kBlockOrder,
                                               &kStationaryRows,     &kStreamedRows,   &kLevels};

const std::array kRows = {
    Variant{"linear", "mncore2.linear.half", "matrix steps on half blocks, one rounding to single for each block of 16",
            "linear.half.chain/1", kRules, place_linear, opaque(emit_linear), "hmwrite hmmul hmfma"},
};

}  // namespace

std::span<const Variant> linear_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
