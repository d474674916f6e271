// Reading layout text. A recursive descent over the grammar of text.h; positions of all parts are kept, so that
// what the rules of normalise.cpp refuse is pointed at in the text.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/nearest.h"
#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/source_spans.h"
#include "core/layout/text.h"

namespace kumihimo {

namespace {

using layout_detail::axis_def;
using layout_detail::axis_extent;
using layout_detail::kMaxNumber;
using layout_detail::SourceSpans;
using layout_detail::Span;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& w : words) (out += out.empty() ? std::string_view{} : between) += w;
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, const LayoutContext& context) : text_(text), context_(context), tree_(*context.tree) {
    spans_.text = text;
    spans_.whole = {0, text.size()};
  }

  Result<ParsedLayout> run() {
    // A refusal inside leaves its diagnostic in error_; every step below asks for it.
    parse_all();
    if (error_) return std::move(*error_);
    if (bits_ == 0) bits_ = context_.bits;
    fill_extents();
    if (!error_) fill_strides();
    if (!error_) fill_shape();
    if (error_) return std::move(*error_);
    Result<Layout> normal = layout_detail::normalise_at(std::move(layout_), tree_, bits_, &spans_);
    if (!normal) return normal.take_error();
    out_.layout = intern(std::move(*normal), tree_);
    return std::move(out_);
  }

 private:
  // --- characters ---
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool eat(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool eat(std::string_view word) {
    skip_spaces();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

  // --- errors ---
  Span here() const { return {at_, at_ + 1}; }
  bool fail(std::string_view kind, Span span, std::string headline, std::string observed = {},
            std::string required = {}) {
    if (error_) return false;
    error_ = make_error(kind, std::move(headline));
    error_->where = layout_detail::range_of(text_, span);
    error_->observed = std::move(observed);
    error_->required = std::move(required);
    return false;
  }
  bool expected(std::string what) {
    skip_spaces();
    std::string seen = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end of the text";
    return fail("layout_syntax", here(), "expected " + what + " and found " + seen, seen, std::move(what));
  }
  bool need(char c) { return eat(c) || expected(std::string("'") + c + "'"); }

  // --- tokens ---
  bool number(int64_t& value, Span& span, bool allow_zero = false) {
    skip_spaces();
    span.begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    span.end = at_;
    if (span.begin == span.end) return expected("a number");
    const char* first = text_.data() + span.begin;
    auto [end, code] = std::from_chars(first, text_.data() + span.end, value);
    if (code != std::errc{} || value > kMaxNumber || (value == 0 && !allow_zero))
      return fail("layout_number", span,
                  "the number " + std::string(text_.substr(span.begin, std::min<size_t>(span.end - span.begin, 30))) +
                      " is out of range",
                  std::string(text_.substr(span.begin, std::min<size_t>(span.end - span.begin, 30))),
                  allow_zero ? "from 0 to 2^40" : "from 1 to 2^40");
    return true;
  }
  std::string_view word(Span& span) {
    skip_spaces();
    span.begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    span.end = at_;
    return text_.substr(span.begin, span.end - span.begin);
  }
  bool axis(int16_t& value, Span& span) {
    const std::string_view name = word(span);
    if (name.empty()) return expected("the name of an axis");
    value = static_cast<int16_t>(tree_.find_axis(name));
    if (value >= 0) return true;
    std::vector<std::string_view> names;
    for (const AxisDef& a : tree_.axes) names.push_back(a.name);
    return unknown("layout_unknown_axis", "axis", name, span, names);
  }
  bool unknown(std::string_view kind, std::string_view what, std::string_view name, Span span,
               const std::vector<std::string_view>& names) {
    std::vector<std::string> all(names.begin(), names.end());
    const std::vector<std::string> near = nearest_names(name, names);
    std::string headline =
        std::string(tree_.name) + " has no " + std::string(what) + " " + std::string(name.substr(0, 64));
    if (!near.empty()) headline += "; nearest: " + joined(near, ", ");
    return fail(kind, span, std::move(headline), std::string(name.substr(0, 64)), "one of " + joined(all, ", "));
  }

  // --- grammar ---
  void parse_all() {
    if (!need('(')) return;
    // "(" INT begins a shape, "()" followed by "/(" is the shape of a scalar; "((" , "()" and "(;" begin a layout.
    const size_t begin = at_;
    if (is_digit(peek())) {
      if (!shape() || !need('/') || !need('(')) return;
    } else if (peek() == ')') {
      ++at_;
      const bool scalar_shape = eat('/') && peek() == '(';
      at_ = begin;
      if (scalar_shape) {
        eat(')');
        eat('/');
        eat('(');
        have_shape_ = true;
      }
    }
    if (!body()) return;
    suffixes();
  }

  bool shape() {
    have_shape_ = true;
    do {
      if (peek() == ')') break;  // a trailing comma, as Python prints (16,)
      int64_t value = 0;
      Span span;
      if (!number(value, span)) return false;
      if (layout_.shape.size() >= kMaxLayoutDims) return too_long(span);
      layout_.shape.push_back(value);
      spans_.shape.push_back(span);
    } while (eat(','));
    return need(')');
  }
  bool too_long(Span span) {
    return fail("layout_too_long", span, "the layout is too long", "", "at most 16 dims, 128 iters and tails");
  }

  bool body() {
    if (peek() == '(') {
      do {
        if (peek() == ')') break;
        if (!dim()) return false;
      } while (eat(','));
    }
    while (eat(';'))
      if (!tail()) return false;
    if (peek() != ')')
      return expected(layout_.tails.empty() && !have_pad_ ? "',' and a dim, ';' and a tail, or ')'"
                                                          : "';' and a tail, or ')'");
    ++at_;
    return true;
  }

  bool dim() {
    skip_spaces();
    Span span{at_, at_};
    if (!need('(')) return false;
    if (layout_.dims.size() >= kMaxLayoutDims) return too_long(span);
    layout_.dims.emplace_back();
    spans_.iters.emplace_back();
    if (peek() != ')') {
      do {
        if (peek() == ')') break;
        if (!iter()) return false;
      } while (eat(','));
    }
    if (!need(')')) return false;
    span.end = at_;
    spans_.dims.push_back(span);
    return true;
  }

  bool iter() {
    Iter it{0, kAddressAxis, 0};  // 0 = left out
    Span span, part;
    skip_spaces();
    span.begin = at_;
    if (is_digit(peek())) {
      if (!number(it.extent, part)) return false;
      if (eat('_') && !axis(it.axis, part)) return false;
      if (eat(':') && !number(it.stride, part)) return false;
    } else if (is_name(peek())) {
      if (!axis(it.axis, part)) return false;
      if (peek() == ':')
        return fail("layout_syntax", here(), "a stride needs an extent before the axis", "AXIS:stride",
                    "EXTENT_AXIS:stride");
    } else {
      return expected("an iter such as 4_PE:1, 16:1 or an axis");
    }
    span.end = at_;
    if (++count_ > kMaxLayoutIters) return too_long(span);
    layout_.dims.back().push_back(it);
    spans_.iters.back().push_back(span);
    return true;
  }

  bool tail() {
    static constexpr std::pair<std::string_view, TailKind> kKinds[] = {
        {"P+", TailKind::kPartialSum}, {"P>", TailKind::kPartialMax}, {"P<", TailKind::kPartialMin},
        {"B", TailKind::kReplica},     {"S", TailKind::kSingle},      {"O", TailKind::kOffset}};
    if (eat("pad")) return pad();
    for (auto [text, kind] : kKinds) {
      if (!eat(text)) continue;
      if (!need('@') || !need('[')) return false;
      do {
        if (!tail_digit(kind)) return false;
      } while (eat(','));
      return need(']');
    }
    return expected("a tail: B@[..], S@[..], P+@[..], P>@[..], P<@[..], O@[..] or pad=");
  }

  bool tail_digit(TailKind kind) {
    Iter it{0, kAddressAxis, 1};
    Span span, part;
    skip_spaces();
    span.begin = at_;
    if (kind == TailKind::kOffset) {
      if (!number(it.extent, part, true) || !need('_') || !axis(it.axis, part)) return false;
    } else if (is_digit(peek())) {
      if (!number(it.extent, part)) return false;
      if (eat('_') && !axis(it.axis, part)) return false;
      if (!need(':') || !number(it.stride, part)) return false;
    } else if (!axis(it.axis, part)) {
      return false;
    }
    span.end = at_;
    if (++count_ > kMaxLayoutIters) return too_long(span);
    layout_.tails.push_back({kind, it});
    spans_.tails.push_back(span);
    return true;
  }

  bool pad() {
    Span span{at_ - 3, at_};
    if (!need('=')) return false;
    skip_spaces();
    const size_t begin = at_;
    if (have_pad_) return fail("layout_pad", span, "pad= stands twice", "two pad= tails", "one");
    have_pad_ = true;
    while (at_ < text_.size() && text_[at_] != ')' && text_[at_] != ';' && text_[at_] != ' ' && at_ - begin < 64) ++at_;
    const std::string_view value = text_.substr(begin, at_ - begin);
    spans_.pad = {begin, at_};
    if (value == "any") {
      layout_.pad = PadKind::kAny;
      return true;
    }
    layout_.pad = PadKind::kValue;
    std::string_view digits = value;
    const bool negative = !digits.empty() && digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    if (digits == "inf") {
      layout_.pad_value = std::numeric_limits<double>::infinity();
    } else {
      const bool starts = !digits.empty() && (is_digit(digits[0]) || digits[0] == '.');
      auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), layout_.pad_value);
      if (!starts || code != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(layout_.pad_value))
        return fail("layout_pad", {begin, std::max(at_, begin + 1)}, "pad= takes a number, -inf or any",
                    std::string(value), "pad=0, pad=-inf, pad=any");
    }
    if (negative) layout_.pad_value = -layout_.pad_value;
    return true;
  }

  void suffixes() {
    if (eat('@')) {
      Span span;
      const std::string_view name = word(span);
      if (name.empty()) {
        expected("the name of a location");
        return;
      }
      out_.location = tree_.find_location(name);
      if (out_.location < 0) {
        std::vector<std::string_view> names;
        for (const LocationDef& l : tree_.locations) names.push_back(l.name);
        unknown("layout_unknown_location", "location", name, span, names);
        return;
      }
    }
    if (eat('/')) {
      Span span;
      out_.dtype = std::string(word(span));
      if (out_.dtype.empty()) {
        expected("the name of a dtype");
        return;
      }
      if (context_.dtype_bits != nullptr) {
        bits_ = context_.dtype_bits(out_.dtype);
        if (bits_ == 0) {
          fail("layout_unknown_dtype", span, "no dtype is named " + out_.dtype.substr(0, 64), out_.dtype.substr(0, 64));
          return;
        }
      }
    }
    if (peek() != '\0' || at_ < text_.size()) expected("the end of the text");
  }

  // --- what may be left out ---
  // An axis alone is the whole axis.
  void fill_extents() {
    for (size_t d = 0; d < layout_.dims.size(); ++d)
      for (size_t i = 0; i < layout_.dims[d].size(); ++i) {
        Iter& it = layout_.dims[d][i];
        if (it.extent != 0) continue;
        it.extent = axis_extent(tree_, it.axis, bits_);
        if (it.extent == 0) {
          fail("layout_lane_extent", spans_.iters[d][i],
               std::string(axis_def(tree_, it.axis)->name) + " alone has no extent here", "an axis without an extent",
               axis_def(tree_, it.axis)->kind == AxisKind::kLane ? "a known dtype, or an extent" : "an extent");
          return;
        }
      }
  }
  // A stride left out is dense after what stands to its right on the same axis.
  void fill_strides() {
    std::array<int64_t, kMaxAxes + 1> next;
    next.fill(1);
    for (size_t d = layout_.dims.size(); d-- > 0;)
      for (size_t i = layout_.dims[d].size(); i-- > 0;) {
        Iter& it = layout_.dims[d][i];
        int64_t& dense = next[static_cast<size_t>(it.axis + 1)];
        if (it.stride == 0) it.stride = dense;
        int64_t end = 0;
        if (__builtin_mul_overflow(it.extent, it.stride, &end) || it.stride > kMaxNumber) {
          fail("layout_number", spans_.iters[d][i], "the stride is out of range", std::to_string(it.stride),
               "from 1 to 2^40");
          return;
        }
        dense = std::max(dense, end);
      }
  }
  void fill_shape() {
    if (context_.shape) {
      const std::vector<int64_t> given(context_.shape->begin(), context_.shape->end());
      if (have_shape_ && given != layout_.shape) {
        auto text = [](const std::vector<int64_t>& shape) {
          std::string s = "(";
          for (size_t i = 0; i < shape.size(); ++i) s += (i != 0 ? "," : "") + std::to_string(shape[i]);
          return s + ")";
        };
        Span span = spans_.shape.empty() ? spans_.whole : Span{spans_.shape.front().begin, spans_.shape.back().end};
        fail("layout_shape", span,
             "the layout is for shape " + text(layout_.shape) + " and the value has " + text(given),
             text(layout_.shape), text(given));
        return;
      }
      layout_.shape = given;
    } else if (!have_shape_) {
      for (size_t d = 0; d < layout_.dims.size(); ++d) {
        int64_t product = 1;
        for (const Iter& it : layout_.dims[d])
          if (__builtin_mul_overflow(product, it.extent, &product) || product > kMaxNumber) {
            fail("layout_size", spans_.dims[d], "the product of these iters is too large", "", "at most 2^40");
            return;
          }
        layout_.shape.push_back(product);
      }
    }
  }

  std::string_view text_;
  const LayoutContext& context_;
  const MachineTree& tree_;
  size_t at_ = 0;
  size_t count_ = 0;
  int bits_ = 0;
  bool have_shape_ = false, have_pad_ = false;
  Layout layout_;
  ParsedLayout out_;
  SourceSpans spans_;
  std::optional<Diagnostic> error_;
};

}  // namespace

Result<ParsedLayout> parse_layout(std::string_view text, const LayoutContext& context) {
  return Parser(text, context).run();
}

}  // namespace kumihimo
