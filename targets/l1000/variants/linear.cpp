// linear with w in LDRAM: the products of a decode step, whose cache is far larger than x.
//
// The matrix register of a MAB holds x: row 4p + j is query row j in the lanes of PE p and 0 in the lanes of the other
// PEs. One long word of each PE's LDRAM passes it in a cycle, which is all that LDRAM gives; each PE finds the products
// of its own word with up to four rows in the four words of its result.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/layout/image.h"
#include "core/layout/text.h"
#include "targets/l1000/variants/variants.h"
#include "targets/mncore2/variants/common.h"

namespace kumihimo::l1000::variants {
namespace {

using namespace mncore2::variants;

constexpr int64_t kMostRows = 4;  // words of a PE's result

const Type& x_of(const OpInstance& instance) { return *instance.operands[0]; }
const Type& w_of(const OpInstance& instance) { return *instance.operands[1]; }
int contracted_dim(const Type& t) { return static_cast<int>(t.shape.size()) - 1; }
int free_dim(const Type& t) { return static_cast<int>(t.shape.size()) - 2; }

std::optional<Violation> check_places(const OpInstance& instance) {
  const Type &x = x_of(instance), &w = w_of(instance);
  if (w.location_name() != "LDRAM")
    return Violation{
        1, fmt::format("location {}", w.location_name()), "LDRAM", {{"location", std::string(w.location_name())}}};
  if (!in_pe_memory(x))
    return Violation{0,
                     fmt::format("location {}", x.location_name()),
                     fmt::format("a memory of the PEs: {}", location_names(*x.tree, is_pe_memory)),
                     {{"location", std::string(x.location_name())}}};
  return std::nullopt;
}
std::vector<Edit> suggest_places(const OpInstance& instance, const Violation& v) {
  if (v.operand == 1 && in_pe_memory(w_of(instance))) return {};
  if (v.operand == 1) return {wrap(instance, 1, "distribute_download", {{"to", std::string("LDRAM")}})};
  return {wrap(instance, 0, "distribute_download")};
}

std::optional<Violation> check_blocks(const OpInstance& instance) {
  for (int i : {0, 1}) {
    const Type& t = *instance.operands[static_cast<size_t>(i)];
    if (t.dtype == Dtype::kBlockHalf) continue;
    return Violation{i,
                     std::string(dtype_def(t.dtype).name),
                     t.dtype == Dtype::kHalf ? "block_half: bf converts it" : "block_half",
                     {{"dtype", std::string(dtype_def(t.dtype).name)}}};
  }
  return std::nullopt;
}
std::vector<Edit> suggest_blocks(const OpInstance& instance, const Violation& v) {
  // A cast to half would lose bits: only the author decides that. LDRAM holds what was stored there.
  if (v.operand != 0 || x_of(instance).dtype != Dtype::kHalf) return {};
  return {wrap(instance, 0, "bf")};
}

// All four lanes belong to the contracted dim, the rest of it is on addresses.
std::optional<Violation> check_contracted(const OpInstance& instance) {
  for (int i : {0, 1}) {
    const Type& t = *instance.operands[static_cast<size_t>(i)];
    const int dim = contracted_dim(t), w = t.tree->find_axis("W");
    int64_t lanes = 1;
    bool elsewhere = false;
    for (const Iter& it : t.layout->dims[static_cast<size_t>(dim)]) {
      if (it.axis == w) lanes *= it.extent;
      elsewhere |= it.axis != w && it.axis != kAddressAxis && it.extent > 1;
    }
    if (lanes != lanes_of(bits_of(t)) || elsewhere)
      return Violation{i, dim_text(*t.layout, *t.tree, dim), "the contracted dim on all of W and on addresses", {}};
    if (dim_padded(*t.layout, dim) && !(t.layout->pad == PadKind::kValue && t.layout->pad_value == 0))
      return Violation{i, fmt::format("{} with padding that is not 0", dim_text(*t.layout, *t.tree, dim)), "pad=0", {}};
  }
  return std::nullopt;
}

int64_t rows_on_addresses(const Type& x) {
  int64_t rows = 1;
  for (const Iter& it : x.layout->dims[static_cast<size_t>(free_dim(x))])
    if (it.axis == kAddressAxis) rows *= it.extent;
  return rows;
}

std::optional<Violation> check_rows(const OpInstance& instance) {
  const Type& x = x_of(instance);
  const int64_t rows = rows_on_addresses(x);
  if (rows <= kMostRows && kMostRows % rows == 0) return std::nullopt;
  return Violation{0,
                   fmt::format("{} rows per PE: {}", rows, dim_text(*x.layout, *x.tree, free_dim(x))),
                   "1, 2 or 4 rows of x on addresses: each has a word of the PE's result",
                   {{"rows", std::to_string(rows)}}};
}

// An operand as a tensor of the common shape (batch..., M, N, K): the other's free dim has extent 1.
Layout extended(const Type& t, bool is_x, size_t rank) {
  Layout out = *t.layout;
  const auto at = static_cast<ptrdiff_t>(is_x ? contracted_dim(t) : free_dim(t));
  out.shape.insert(out.shape.begin() + at, 1);
  out.dims.insert(out.dims.begin() + at, std::vector<Iter>{});
  const size_t missing = rank + 1 - out.shape.size();
  out.shape.insert(out.shape.begin(), missing, 1);
  out.dims.insert(out.dims.begin(), missing, std::vector<Iter>{});
  return out;
}

std::optional<Violation> check_levels(const OpInstance& instance) {
  const Type &x = x_of(instance), &w = w_of(instance);
  const size_t rank = instance.result.shape.size();
  const LaneRelation relation =
      lane_equal(extended(x, true, rank), bits_of(x), extended(w, false, rank), bits_of(w), *x.tree);
  if (relation.lanes) return std::nullopt;
  std::string dim = "the operands";
  if (relation.dim >= 0 && relation.dim < static_cast<int>(rank) - 2) dim = fmt::format("batch dim {}", relation.dim);
  if (relation.dim == static_cast<int>(rank) - 2) dim = "the free dim of x";
  if (relation.dim == static_cast<int>(rank) - 1) dim = "the free dim of w";
  if (relation.dim == static_cast<int>(rank)) dim = "the contracted dim";
  return Violation{
      0,
      fmt::format("{}: {}", dim, relation.reason),
      "batch dims and lanes of both sides in the same places, and copies of x over the levels of w's free dim",
      {{"x", print_layout(*x.layout, *x.tree)}, {"w", print_layout(*w.layout, *w.tree)}}};
}
// x as w has it: batch dims on the levels of w's, lanes of the contracted dim as in w, copies elsewhere.
std::vector<Edit> suggest_levels(const OpInstance& instance, const Violation&) {
  const Type &x = x_of(instance), &w = w_of(instance);
  Layout l = *x.layout;
  for (int d = free_dim(x) - 1, e = free_dim(w) - 1; d >= 0 && e >= 0; --d, --e)
    if (x.shape[static_cast<size_t>(d)] == w.shape[static_cast<size_t>(e)])
      l.dims[static_cast<size_t>(d)] = w.layout->dims[static_cast<size_t>(e)];
  l.dims.back() = w.layout->dims.back();
  std::erase_if(l.tails, [](const Tail& tail) { return tail.kind == TailKind::kReplica; });
  make_addresses_dense(l, *x.tree);
  auto normal = normalise(std::move(l), *x.tree, bits_of(x));
  if (!normal || same_meaning(*normal, *x.layout, *x.tree, bits_of(x))) return {};
  return {replace_layout(instance, 0, *normal, "batch dims and lanes as in w")};
}

// The image that l1bmd collects: dims as in w, addresses dense; row j of x in word j of the PE's two long words.
Result<TypeRef> place_linear(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const auto lane = static_cast<int16_t>(tree.find_axis("W"));
  const Type &x = x_of(instance), &w = w_of(instance);
  const std::vector<int64_t>& shape = instance.result.shape;
  const size_t rank = shape.size();
  const int bits = dtype_def(instance.result.dtype).bits;

  Layout out;
  out.shape = shape;
  out.dims.resize(rank);
  for (size_t d = 0; d + 2 < rank; ++d)
    for (const Type* t : {&w, &x}) {
      const size_t missing = rank - t->shape.size();
      if (d < missing) continue;
      if (out.dims[d].empty() || t->shape[d - missing] > 1) out.dims[d] = t->layout->dims[d - missing];
      if (t->shape[d - missing] > 1) break;
    }
  out.dims[rank - 1] = w.layout->dims[static_cast<size_t>(free_dim(w))];
  // The innermost factor of two of x's address rows is the word in a long word, the next one the long word; stride 0
  // sorts it in front of the others.
  std::vector<Iter> rows;
  int64_t words = 1;
  const std::vector<Iter>& x_rows = x.layout->dims[static_cast<size_t>(free_dim(x))];
  for (size_t i = x_rows.size(); i-- > 0;) {
    if (x_rows[i].axis != kAddressAxis) {
      rows.push_back(x_rows[i]);
      continue;
    }
    for (int64_t left = x_rows[i].extent; left > 1; left /= 2, words *= 2)
      rows.push_back(words == 1 ? Iter{2, lane, 1} : Iter{2, kAddressAxis, 0});
  }
  std::ranges::reverse(rows);
  out.dims[rank - 2] = std::move(rows);
  for (const Tail& t : x.layout->tails)
    if (t.kind == TailKind::kSingle) out.tails.push_back(t);
  if (words == 1) out.tails.push_back({TailKind::kSingle, {lanes_of(bits), lane, 1}});

  auto layout = arithmetic_layout(std::move(out), tree, bits);
  if (!layout) return layout.take_error();
  const int location = tree.find_location("L1BM");
  if (Status s = check_capacity(*layout, tree, location, bits); !s) return s.take_error();
  return placed_type(instance.result.dtype, intern(std::move(*layout), tree), &tree, location);
}

const Constraint kPlaces{{"K8906", "l1000_linear_places", "w streams out of LDRAM past x, which is in PE memory"},
                         check_places,
                         suggest_places};
const Constraint kBlocks{
    {"K8907", "l1000_linear_blocks", "linear contracts block halves"}, check_blocks, suggest_blocks};
const Constraint kContracted{
    {"K8908", "l1000_linear_contracted", "the contracted dim stands in the lanes and on addresses of one PE"},
    check_contracted,
    nullptr};
const Constraint kRows{
    {"K8909", "l1000_linear_rows", "a PE has at most four rows of x for each batch point"}, check_rows, nullptr};
const Constraint kLevels{{"K8910", "l1000_linear_levels", "both operands of a product are in the same PE and lane"},
                         check_levels,
                         suggest_levels};

const std::array kVariants = {
    Variant{"linear",
            "l1000.linear.half.ldram",
            "w streams out of LDRAM past a block-diagonal matrix of x; one rounding to single for each address",
            "linear.half.ldram/1",
            {&kPlaces, &kOperandsWhole, &kBlocks, &kContracted, &kRows, &kLevels},
            place_linear,
            nullptr,
            "hmwrite hmmul hmfma l1bmd and an assumed load"},
};

}  // namespace

std::span<const Variant> linear_variants() { return kVariants; }

}  // namespace kumihimo::l1000::variants
