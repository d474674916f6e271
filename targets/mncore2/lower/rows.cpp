#include "targets/mncore2/lower/rows.h"

#include <algorithm>
#include <map>

namespace kumihimo::mncore2::lower {
namespace {

// Address digits of a dim, with the index weight of each.
struct AddressDigit {
  int64_t extent, stride, weight;
};
std::vector<AddressDigit> address_digits(const Layout& layout, size_t dim) {
  std::vector<AddressDigit> out;
  int64_t weight = 1;
  const std::vector<Iter>& iters = layout.dims[dim];
  for (size_t i = iters.size(); i-- > 0;) {
    if (iters[i].axis == kAddressAxis && iters[i].extent > 1) out.push_back({iters[i].extent, iters[i].stride, weight});
    weight *= iters[i].extent;
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace

std::vector<int64_t> address_offsets(const Layout& layout, int dim) {
  std::vector<int64_t> out{0};
  for (const AddressDigit& d : address_digits(layout, static_cast<size_t>(dim))) {
    std::vector<int64_t> next;
    for (int64_t base : out)
      for (int64_t e = 0; e < d.extent; ++e) next.push_back(base + e * d.weight);
    out = std::move(next);
  }
  std::ranges::sort(out);
  return out;
}

int32_t row_of(const Layout& layout, std::span<const int64_t> index) {
  int64_t row = 0;
  size_t skip = index.size() - layout.dims.size();
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    if (layout.shape[d] == 1) continue;
    int64_t left = index[skip + d];
    const std::vector<Iter>& iters = layout.dims[d];
    for (size_t i = iters.size(); i-- > 0 && left > 0;) {
      int64_t digit = left % iters[i].extent;
      left /= iters[i].extent;
      if (iters[i].axis == kAddressAxis) row += digit * iters[i].stride;
    }
  }
  return static_cast<int32_t>(row);
}

std::vector<AddressPoint> address_points(const Layout& layout) {
  std::vector<AddressPoint> out{{std::vector<int64_t>(layout.dims.size(), 0), 0}};
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    std::vector<int64_t> offsets = address_offsets(layout, static_cast<int>(d));
    std::vector<AddressPoint> next;
    next.reserve(out.size() * offsets.size());
    for (const AddressPoint& p : out)
      for (int64_t o : offsets) {
        next.push_back(p);
        next.back().index[d] = o;
      }
    out = std::move(next);
  }
  for (AddressPoint& p : out) p.row = row_of(layout, p.index);
  std::ranges::sort(out, {}, &AddressPoint::row);
  return out;
}

namespace {

// Tries to cut all rows into groups r, r+s, r+2s, r+3s (s in rows) in which every operand has a constant stride.
bool cut_with_stride(const std::map<int32_t, const std::vector<int32_t>*>& by_row, int32_t s,
                     std::vector<RowStep>& out) {
  std::map<int32_t, const std::vector<int32_t>*> pending = by_row;
  while (!pending.empty()) {
    int32_t first = pending.begin()->first;
    const std::vector<int32_t>& base = *pending.begin()->second;
    size_t operands = base.size() - 1;
    RowStep step;
    step.stride = s;
    step.in.resize(operands);
    std::vector<int32_t> delta(operands, 0);
    int known = 0;
    while (known < 4) {
      auto it = pending.find(first + known * s);
      if (it == pending.end()) break;
      for (size_t k = 0; k < operands; ++k) {
        int32_t here = (*it->second)[k + 1];
        if (known == 1) delta[k] = here - base[k + 1];
        if (known >= 1 && here != base[k + 1] + known * delta[k]) return false;
      }
      ++known;
    }
    // A short group runs over its end: those rows must belong to nobody, and nothing may be left for later.
    if (known < 4) {
      for (int c = known; c < 4; ++c)
        if (by_row.contains(first + c * s)) return false;
      if (known == 1)
        for (size_t k = 0; k < operands; ++k) delta[k] = 0;
    }
    for (int c = 0; c < 4; ++c) {
      step.out[static_cast<size_t>(c)] = first + c * s;
      for (size_t k = 0; k < operands; ++k) step.in[k][static_cast<size_t>(c)] = base[k + 1] + c * delta[k];
    }
    if (std::ranges::any_of(step.in, [](const auto& rows) { return rows[3] < 0; })) return false;
    for (int c = 0; c < known; ++c) pending.erase(first + c * s);
    out.push_back(std::move(step));
  }
  return true;
}

}  // namespace

std::vector<RowStep> cut_into_steps(std::vector<std::vector<int32_t>> rows, int unit, int32_t preferred) {
  std::map<int32_t, const std::vector<int32_t>*> by_row;
  for (const std::vector<int32_t>& r : rows) by_row.emplace(r[0], &r);
  std::vector<int32_t> strides;
  if (preferred >= unit) strides.push_back(preferred);
  int32_t last = by_row.empty() ? 0 : by_row.rbegin()->first;
  for (int32_t s = unit; s <= std::max(unit, last); s *= 2) strides.push_back(s);
  // Full groups first: a stride that leaves short groups costs more steps.
  std::vector<RowStep> best;
  for (int32_t s : strides) {
    std::vector<RowStep> out;
    if (cut_with_stride(by_row, s, out) && (best.empty() || out.size() < best.size())) best = std::move(out);
  }
  if (!best.empty() || by_row.empty()) return best;
  std::vector<RowStep> out;
  size_t operands = rows[0].size() - 1;
  for (auto it = by_row.begin(); it != by_row.end();) {
    RowStep step;
    step.stride = 0;
    step.in.resize(operands);
    const std::vector<int32_t>* r = it->second;
    for (size_t c = 0; c < 4; ++c) {
      if (it != by_row.end()) {
        r = it->second;
        ++it;
      }
      step.out[c] = (*r)[0];  // the last row again where the group is short
      for (size_t k = 0; k < operands; ++k) step.in[k][c] = (*r)[k + 1];
    }
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace kumihimo::mncore2::lower
