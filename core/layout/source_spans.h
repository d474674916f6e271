// Where the parts of a layout text stand, so that a rule broken by an iter can point at that iter.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/layout/layout.h"

namespace kumihimo::layout_detail {

struct Span {
  size_t begin = 0, end = 0;  // byte offsets
};

struct SourceSpans {
  std::string_view text;
  std::vector<Span> shape, dims;  // one per shape entry, one per dim tuple
  std::vector<std::vector<Span>> iters;
  std::vector<Span> tails;  // one per tail digit, in the order of Layout::tails
  Span pad, whole;
};

// Line and column of a span of the text; multi-line texts show the line of its beginning.
SourceRange range_of(std::string_view text, Span span);

// normalise() with positions for its errors; null = no text.
Result<Layout> normalise_at(Layout raw, const MachineTree& tree, int bits, const SourceSpans* spans);

}  // namespace kumihimo::layout_detail
