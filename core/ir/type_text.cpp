#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/text.h"
#include "core/ir/type.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

int dtype_bits(std::string_view name) {
  const DtypeDef* d = find_dtype(name);
  return d ? d->bits : 0;
}

Result<std::vector<int64_t>> shape_list(ir_text::Cursor& c, std::string_view open, std::string_view close) {
  std::vector<int64_t> out;
  if (auto s = c.expect(open); !s) return s.take_error();
  while (!c.take(close)) {
    if (!out.empty())
      if (auto s = c.expect(","); !s) return s.take_error();
    if (c.take(close)) break;  // "(3,)"
    auto v = c.integer();
    if (!v) return v.take_error();
    out.push_back(*v);
  }
  return out;
}

constexpr int64_t kMaxExtent = int64_t{1} << 40;

Result<TypeRef> parse_machine(ir_text::Cursor& c) {
  Type t;
  t.level = TypeLevel::kMachine;
  t.memory = std::string(c.identifier());
  t.width = std::string(c.identifier());
  if (t.memory.empty() || (t.width != "w" && t.width != "l" && t.width != "ll"))
    return c.error("bad machine value type", fmt::format("{} {}", t.memory, t.width),
                   "machine MEMORY w|l|ll [a0,a1,a2,a3]");
  auto addr = shape_list(c, "[", "]");
  if (!addr) return addr.take_error();
  if (addr->size() != 4)
    return c.error("a machine value has one address per cycle", fmt::format("{} addresses", addr->size()),
                   "4 addresses");
  if (!c.at_end()) return c.error("text after a type", c.next_text(), "the end of the type");
  std::copy(addr->begin(), addr->end(), t.addr.begin());
  return intern(std::move(t));
}

}  // namespace

std::string to_string(const Type& t) {
  if (t.level == TypeLevel::kMachine)
    return fmt::format("machine {} {} [{}]", t.memory, t.width, fmt::join(t.addr, ","));
  std::string out(dtype_def(t.dtype).name);
  if (t.level == TypeLevel::kLogical) return fmt::format("{} ({})", out, fmt::join(t.shape, ","));
  if (t.immediate()) return out + " immediate";
  out += " " + print_layout(*t.layout, *t.tree) + "@" + std::string(t.location_name());
  if (!t.block.empty()) out += " block=" + t.block;
  return out;
}

Result<TypeRef> parse_type(std::string_view text, const MachineTree* tree) {
  ir_text::Cursor c(text, "<type>");
  std::string_view first = c.identifier();
  if (first == "machine") return parse_machine(c);
  const DtypeDef* dtype = find_dtype(first);
  if (!dtype)
    return c.error("a type begins with a dtype", std::string(first.empty() ? c.next_text() : std::string(first)),
                   "half, single, block_half, …");
  if (c.take("immediate")) {
    if (!c.at_end()) return c.error("text after a type", c.next_text(), "the end of the type");
    return immediate_type(dtype->dtype);
  }
  c.at_end();
  std::string_view rest = text.substr(c.position());
  std::string block;
  if (size_t p = rest.find(" block="); p != std::string_view::npos) {
    block = std::string(rest.substr(p + 7));
    rest = rest.substr(0, p);
  }
  if (rest.find('/') == std::string_view::npos) {
    auto shape = shape_list(c, "(", ")");
    if (!shape) return shape.take_error();
    if (!c.at_end()) return c.error("text after a type", c.next_text(), "the end of the type");
    for (int64_t e : *shape)
      if (e < 1 || e > kMaxExtent) return c.error("extent out of range", fmt::format("{}", e), "1 to 2^40");
    if (!block.empty()) return c.error("a logical type has no block", block, "no block=");
    return logical_type(dtype->dtype, std::move(*shape));
  }
  if (!tree) return c.error("a placed type needs a target", std::string(rest), "a module with a target");
  LayoutContext context;
  context.tree = tree;
  context.bits = dtype->bits;
  context.dtype_bits = dtype_bits;
  auto parsed = parse_layout(rest, context);
  if (!parsed) return parsed.take_error();
  if (parsed->location < 0) return c.error("a placed type names its location", std::string(rest), "LAYOUT@LOCATION");
  return placed_type(dtype->dtype, parsed->layout, tree, parsed->location, std::move(block));
}

}  // namespace kumihimo
