// Normal form: checks a layout and fills in what may be left out.
#include <algorithm>

#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/source_spans.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace layout_detail {

SourceRange range_of(std::string_view text, Span span) {
  SourceRange r;
  r.file = "<layout>";
  span.begin = std::min(span.begin, text.size());
  span.end = std::clamp(span.end, span.begin, text.size());
  size_t line_begin = 0;
  r.line = 1;
  for (size_t i = 0; i < span.begin; ++i)
    if (text[i] == '\n') ++r.line, line_begin = i + 1;
  const size_t line_end = std::min(text.find('\n', line_begin), text.size());
  auto columns = [&](size_t from, size_t to) {
    return static_cast<uint32_t>(std::count_if(text.begin() + static_cast<ptrdiff_t>(from),
                                               text.begin() + static_cast<ptrdiff_t>(to),
                                               [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  };
  r.column = columns(line_begin, span.begin) + 1;
  r.end_column =
      r.column + std::max<uint32_t>(1, columns(span.begin, std::min(span.end, std::max(line_end, span.begin))));
  r.text = std::string(text.substr(line_begin, line_end - line_begin));
  return r;
}

namespace {

class Normaliser {
 public:
  Normaliser(Layout raw, const MachineTree& tree, int bits, const SourceSpans* spans)
      : in_(std::move(raw)), tree_(tree), bits_(bits), spans_(spans) {}

  Result<Layout> run() {
    if (Status s = check_numbers(); !s) return s.take_error();
    if (Status s = check_dims(); !s) return s.take_error();
    for (int axis = kAddressAxis; axis < static_cast<int>(tree_.axes.size()); ++axis)
      if (Status s = settle_axis(axis); !s) return s.take_error();
    finish_dims();
    finish_tails();
    if (Status s = check_count(); !s) return s.take_error();
    return std::move(in_);
  }

 private:
  Diagnostic error(std::string_view kind, std::string headline, std::string observed, std::string required) const {
    Diagnostic d = make_error(kind, std::move(headline));
    d.observed = std::move(observed);
    d.required = std::move(required);
    return d;
  }
  Diagnostic at(Diagnostic d, const Span* span) const {
    if (spans_ != nullptr && span != nullptr) d.where = range_of(spans_->text, *span);
    return d;
  }
  const Span* iter_span(size_t dim, size_t i) const { return spans_ == nullptr ? nullptr : &spans_->iters[dim][i]; }
  const Span* dim_span(size_t dim) const { return spans_ == nullptr ? nullptr : &spans_->dims[dim]; }
  const Span* tail_span(size_t i) const { return spans_ == nullptr ? nullptr : &spans_->tails[i]; }
  std::string axis_name(int axis) const {
    return axis < 0 ? "the address axis" : std::string(axis_def(tree_, axis)->name);
  }

  Status check_iter(const Iter& it, const Span* span) const {
    if (it.axis < kAddressAxis || it.axis >= static_cast<int>(tree_.axes.size()))
      return at(error("layout_unknown_axis", "axis number " + std::to_string(it.axis) + " is not in the tree", "", ""),
                span);
    if (it.extent < 1 || it.extent > kMaxNumber || it.stride < 1 || it.stride > kMaxNumber)
      return at(error("layout_number", "extent or stride out of range",
                      std::to_string(it.extent) + ":" + std::to_string(it.stride), "from 1 to 2^40"),
                span);
    return Ok{};
  }

  Status check_numbers() {
    size_t count = in_.tails.size();
    for (const auto& dim : in_.dims) count += dim.size();
    if (in_.dims.size() > kMaxLayoutDims || count > kMaxLayoutIters)
      return at(error("layout_too_long", "the layout is too long",
                      std::to_string(in_.dims.size()) + " dims, " + std::to_string(count) + " iters and tails",
                      "at most 16 dims, 128 iters and tails"),
                spans_ == nullptr ? nullptr : &spans_->whole);
    if (in_.shape.size() != in_.dims.size())
      return at(error("layout_rank", "the layout and the shape have different ranks",
                      std::to_string(in_.dims.size()) + " tuples of iters", std::to_string(in_.shape.size()) + " dims"),
                spans_ == nullptr ? nullptr : &spans_->whole);
    for (size_t d = 0; d < in_.dims.size(); ++d)
      for (size_t i = 0; i < in_.dims[d].size(); ++i)
        if (Status s = check_iter(in_.dims[d][i], iter_span(d, i)); !s) return s;
    for (size_t t = 0; t < in_.tails.size(); ++t)
      if (Status s = check_tail(in_.tails[t], tail_span(t)); !s) return s;
    return Ok{};
  }

  Status check_tail(const Tail& tail, const Span* span) const {
    const Iter& it = tail.iter;
    if (tail.kind == TailKind::kOffset) {
      if (it.axis < 0 || it.axis >= static_cast<int>(tree_.axes.size()) || it.extent < 0 || it.extent > kMaxNumber)
        return at(error("layout_tail_axis", "O@ displaces on an axis of the machine", "",
                        "a displacement from 0 to 2^40 on a named axis"),
                  span);
      return Ok{};
    }
    if (it.extent != 0) {
      if (Status s = check_iter(it, span); !s) return s;
    } else if (it.axis < 0 || it.axis >= static_cast<int>(tree_.axes.size()) ||
               axis_def(tree_, it.axis)->kind == AxisKind::kTime) {
      return at(error("layout_tail_axis", axis_name(it.axis) + " has no fixed extent", "a tail with the axis alone",
                      "a tail with extent and stride"),
                span);
    }
    if (tail.kind == TailKind::kSingle && axis_extent(tree_, it.axis, bits_ == 0 ? 8 : bits_) == 0)
      return at(
          error("layout_tail_axis", "S@ needs an axis with a fixed extent", axis_name(it.axis), "a level or lane axis"),
          span);
    return Ok{};
  }

  Status check_dims() {
    for (size_t d = 0; d < in_.dims.size(); ++d) {
      const int64_t extent = in_.shape[d];
      if (extent < 1 || extent > kMaxNumber)
        return at(error("layout_number", "dim " + std::to_string(d) + " has an extent out of range",
                        std::to_string(extent), "from 1 to 2^40"),
                  spans_ != nullptr && d < spans_->shape.size() ? &spans_->shape[d] : nullptr);
      int64_t product = 1;
      for (const Iter& it : in_.dims[d])
        if (__builtin_mul_overflow(product, it.extent, &product) || product > (int64_t{1} << 62))
          return at(
              error("layout_size", "the product of the iters of dim " + std::to_string(d) + " is too large", "", ""),
              dim_span(d));
      if (product < extent) {
        Diagnostic e =
            error("layout_dim_extent",
                  "dim " + std::to_string(d) + " has " + std::to_string(extent) + " elements and places for " +
                      std::to_string(product),
                  "iters with product " + std::to_string(product), "a product of at least " + std::to_string(extent));
        e.bound = {
            {"dim", std::to_string(d)}, {"extent", std::to_string(extent)}, {"product", std::to_string(product)}};
        return at(std::move(e), dim_span(d));
      }
      if (product > extent) padded_ = true;
    }
    return Ok{};
  }

  // A digit with where it was written, for the rules of one axis.
  struct Written {
    AxisDigit digit;
    const Span* span;
    std::string text;
    bool single = false;  // S@
  };

  std::vector<Written> written_on(int axis) const {
    std::vector<Written> out;
    for (size_t d = 0; d < in_.dims.size(); ++d)
      for (size_t i = 0; i < in_.dims[d].size(); ++i)
        if (const Iter& it = in_.dims[d][i]; it.axis == axis)
          out.push_back({{it.extent, it.stride}, iter_span(d, i), print_iter(it, tree_)});
    for (size_t t = 0; t < in_.tails.size(); ++t)
      if (const Tail& tail = in_.tails[t];
          tail.iter.axis == axis && tail.kind != TailKind::kOffset && tail.iter.extent != 0)
        out.push_back({{tail.iter.extent, tail.iter.stride},
                       tail_span(t),
                       print_iter(tail.iter, tree_),
                       tail.kind == TailKind::kSingle});
    return out;
  }

  Status settle_axis(int axis) {
    std::vector<Written> written = written_on(axis);
    std::stable_sort(written.begin(), written.end(), [](auto& a, auto& b) { return a.digit.stride < b.digit.stride; });
    int64_t offset = 0;
    const Span* offset_span = nullptr;
    for (size_t t = 0; t < in_.tails.size(); ++t)
      if (in_.tails[t].kind == TailKind::kOffset && in_.tails[t].iter.axis == axis)
        offset += in_.tails[t].iter.extent, offset_span = tail_span(t);

    // Lanes of an unknown dtype are checked against the narrowest one.
    const int64_t extent = axis_extent(tree_, axis, bits_);
    const int64_t limit = extent != 0 ? extent : is_lane(tree_, axis) ? tree_.word_bits / 8 : kMaxNumber;
    if (offset >= limit) return range_error(axis, limit, offset, offset_span, "O@");
    // Nesting first, then the range. Where S@ digits stand nothing is held, so a displacement does not move them.
    int64_t span = 0, reach = offset;
    const Written* last = nullptr;
    for (const Written& w : written) {
      if (w.digit.extent == 1) continue;
      if (w.digit.stride <= span) {
        Diagnostic e = error(
            "layout_digits_collide", "two digits meet on " + axis_name(axis) + ": " + w.text + " and " + last->text,
            w.text, "a stride above " + std::to_string(span) + ", the span of " + last->text + " and finer digits");
        e.bound = {{"axis", axis_name(axis)}, {"span", std::to_string(span)}};
        return at(std::move(e), w.span);
      }
      int64_t step = 0;
      if (__builtin_mul_overflow(w.digit.extent - 1, w.digit.stride, &step) ||
          __builtin_add_overflow(span, step, &span))
        return range_error(axis, limit, kMaxNumber, w.span, w.text);
      last = &w;
    }
    span = 0;
    for (const Written& w : written) {
      const int64_t step = (w.digit.extent - 1) * w.digit.stride;
      span += step;
      if (!w.single) reach += step;
      if ((w.single ? span : reach) >= limit) return range_error(axis, limit, w.single ? span : reach, w.span, w.text);
    }
    return fill_axis(axis, extent, offset, written);
  }

  Diagnostic range_error(int axis, int64_t limit, int64_t reach, const Span* span, const std::string& text) const {
    Diagnostic e = error("layout_axis_range", text + " leaves " + axis_name(axis),
                         "coordinates up to " + std::to_string(reach), "coordinates below " + std::to_string(limit));
    if (is_lane(tree_, axis) && bits_ != 0) e.bound.emplace_back("bits", std::to_string(bits_));
    e.bound.emplace_back("extent", std::to_string(limit));
    return at(std::move(e), span);
  }

  // Resolves tails that name the axis alone, then writes down what is left.
  Status fill_axis(int axis, int64_t extent, int64_t offset, const std::vector<Written>& written) {
    std::vector<AxisDigit> used;
    bool named = false;
    for (const Written& w : written) used.push_back(w.digit), named |= w.digit.extent > 1;
    const bool lanes = is_lane(tree_, axis);
    bool taken = false;
    for (size_t t = 0; t < in_.tails.size(); ++t) {
      const Tail tail = in_.tails[t];
      if (tail.iter.axis != axis || tail.iter.extent != 0 || tail.kind == TailKind::kOffset) continue;
      std::vector<AxisDigit> rest;
      if (lanes && extent == 0 && named)
        return at(error("layout_lane_extent", "what is left of " + axis_name(axis) + " depends on the dtype",
                        "a tail with the axis alone, beside iters on it", "a known dtype, or extent and stride"),
                  tail_span(t));
      if (!(lanes && extent == 0)) {
        rest = complement(used, extent);
        if (rest.empty() && extent == 1) rest.push_back({1, 1});
      }
      const bool all_lanes = lanes && !named && !taken;
      if (taken || (rest.empty() && !all_lanes))
        return at(error("layout_tail_empty", "nothing is left of " + axis_name(axis) + " for this tail",
                        taken ? "an earlier tail names all of it" : "iters cover all of it",
                        "a part of the axis that no iter names"),
                  tail_span(t));
      taken = true;
      if (all_lanes) {
        out_.push_back({tail.kind, {extent == 1 ? 1 : 0, static_cast<int16_t>(axis), 1}});
      } else {
        for (const AxisDigit& d : rest) out_.push_back({tail.kind, {d.extent, static_cast<int16_t>(axis), d.stride}});
      }
    }
    for (const Tail& tail : in_.tails)
      if (tail.iter.axis == axis && tail.kind != TailKind::kOffset && tail.iter.extent != 0) out_.push_back(tail);
    if (offset != 0) out_.push_back({TailKind::kOffset, {offset, static_cast<int16_t>(axis), 1}});
    if (taken || (extent == 0 && !lanes)) return Ok{};
    // Axes named nowhere hold copies. A displaced value has no room for them: the rest of its axis is empty.
    const TailKind kind = offset != 0 ? TailKind::kSingle : TailKind::kReplica;
    if (lanes && !named) {
      out_.push_back({kind, {extent == 1 ? 1 : 0, static_cast<int16_t>(axis), 1}});
    } else if (extent != 0) {
      for (const AxisDigit& d : complement(used, extent))
        out_.push_back({kind, {d.extent, static_cast<int16_t>(axis), d.stride}});
    }
    return Ok{};
  }

  void finish_dims() {
    for (auto& dim : in_.dims)
      std::erase_if(dim, [&](const Iter& it) { return it.extent == 1 && !is_level(tree_, it.axis); });
    if (!padded_) {
      in_.pad = PadKind::kNone;
    } else if (in_.pad == PadKind::kNone) {
      in_.pad = PadKind::kAny;
    }
    if (in_.pad != PadKind::kValue) in_.pad_value = 0;
    if (in_.pad_value == 0) in_.pad_value = 0;  // -0 is 0
  }

  void finish_tails() {
    // The address axis (-1) stands last.
    auto order = [](const Tail& t) {
      return std::tuple(t.kind, t.iter.axis < 0 ? kMaxAxes : t.iter.axis, -t.iter.stride);
    };
    std::erase_if(out_, [&](const Tail& t) {
      const bool partial =
          t.kind == TailKind::kPartialSum || t.kind == TailKind::kPartialMax || t.kind == TailKind::kPartialMin;
      return t.kind != TailKind::kOffset && t.iter.extent == 1 && !(partial && is_level(tree_, t.iter.axis));
    });
    std::stable_sort(out_.begin(), out_.end(), [&](const Tail& a, const Tail& b) { return order(a) < order(b); });
    in_.tails.clear();
    for (const Tail& t : out_) {
      // Copies that continue each other are one digit; partial digits are array axes and stay apart.
      Tail* last = in_.tails.empty() ? nullptr : &in_.tails.back();
      if (last != nullptr && last->kind == t.kind && last->iter.axis == t.iter.axis &&
          (t.kind == TailKind::kReplica || t.kind == TailKind::kSingle) && t.iter.extent > 0 && last->iter.extent > 0 &&
          last->iter.stride == t.iter.extent * t.iter.stride) {
        last->iter.extent *= t.iter.extent;
        last->iter.stride = t.iter.stride;
      } else {
        in_.tails.push_back(t);
      }
    }
    for (Tail& t : in_.tails)
      if (t.kind != TailKind::kOffset && is_lane(tree_, t.iter.axis) && bits_ != 0 && t.iter.extent > 1 &&
          t.iter.stride == 1 && t.iter.extent == axis_extent(tree_, t.iter.axis, bits_))
        t.iter.extent = 0;  // all lanes, whatever the dtype
  }

  Status check_count() const {
    int64_t count = 1;
    bool over = false;
    for (const auto& dim : in_.dims)
      for (const Iter& it : dim) over |= __builtin_mul_overflow(count, it.extent, &count);
    for (const Tail& t : in_.tails)
      if (t.kind != TailKind::kOffset && t.kind != TailKind::kSingle)
        over |= __builtin_mul_overflow(count, std::max<int64_t>(t.iter.extent == 0 ? 8 : t.iter.extent, 1), &count);
    if (over || count > (int64_t{1} << 62))
      return at(error("layout_size", "the layout has too many points to count", "", "at most 2^62"),
                spans_ == nullptr ? nullptr : &spans_->whole);
    return Ok{};
  }

  Layout in_;
  const MachineTree& tree_;
  int bits_;
  const SourceSpans* spans_;
  std::vector<Tail> out_;
  bool padded_ = false;
};

}  // namespace

Result<Layout> normalise_at(Layout raw, const MachineTree& tree, int bits, const SourceSpans* spans) {
  return Normaliser(std::move(raw), tree, bits, spans).run();
}

}  // namespace layout_detail

Result<Layout> normalise(Layout raw, const MachineTree& tree, int bits) {
  return layout_detail::normalise_at(std::move(raw), tree, bits, nullptr);
}

}  // namespace kumihimo
