#include "targets/mncore2/session/tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/dispatch/target.h"
#include "core/layout/algebra.h"
#include "core/layout/image.h"
#include "core/layout/text.h"
#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/machine_units.h"
#include "targets/mncore2/num/values.h"
#include "targets/mncore2/session/selection.h"

namespace kumihimo::mncore2::session {
namespace {

int dtype_bits(std::string_view name) {
  const DtypeDef* d = find_dtype(name);
  return d ? d->bits : 0;
}

Diagnostic refuse(std::string headline, std::string observed, std::string required) {
  Diagnostic d = emu::error("emu_tensor", std::move(headline), {});
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

// Images are held whole. One of all PE memories is free; a larger one, in DRAM, may take this many long words for each
// element: a few elements at the two ends of a DRAM would need gigabytes.
constexpr int64_t kFreeImageLw = int64_t{1} << 23, kMostLwPerElement = 64;

// A layout in a memory of the machine.
struct Placed {
  LayoutRef layout;
  const LocationDef* location;
  isa::Mem mem;
  const DtypeDef* dtype;
  ImageMap map;
};

Result<Placed> place(const MachineConfig& machine, std::string_view text, std::string_view dtype_name,
                     int64_t address) {
  const DtypeDef* dtype = dtype_name.empty() ? nullptr : find_dtype(dtype_name);
  std::string known;
  for (const DtypeDef& d : all_dtypes()) known += (known.empty() ? "" : " ") + std::string(d.name);
  if (!dtype_name.empty() && dtype == nullptr)
    return refuse("unknown dtype", std::string(dtype_name), "one of " + known);
  LayoutContext context;
  context.tree = &machine.tree;
  context.bits = dtype ? dtype->bits : 0;
  context.dtype_bits = dtype_bits;
  auto parsed = parse_layout(text, context);
  if (!parsed) return parsed.take_error();
  if (dtype == nullptr) dtype = find_dtype(parsed->dtype);
  if (dtype == nullptr)
    return refuse("the tensor has no dtype", std::string(text), "a dtype, as argument or as /DTYPE: one of " + known);
  if (!parsed->dtype.empty() && parsed->dtype != dtype->name)
    return refuse("two dtypes for one tensor", fmt::format("{} and /{}", dtype->name, parsed->dtype), "one dtype");
  std::string places;
  for (const LocationDef& l : machine.tree.locations)
    if (!l.is_class) places += (places.empty() ? "" : " ") + std::string(l.name);
  const LocationDef* location =
      parsed->location < 0 ? nullptr : &machine.tree.locations[static_cast<size_t>(parsed->location)];
  const isa::Mem* mem = location == nullptr ? nullptr : find_mem(location->name);
  if (location == nullptr || location->is_class || mem == nullptr)
    return refuse("the layout names no memory", std::string(text), "@LOCATION behind the layout, one of " + places);
  auto map = image_map(*parsed->layout, machine.tree, parsed->location, dtype->bits);
  if (!map) return map.take_error();
  if (address < 0 || address > location->capacity_lw - map->unit_lw())
    return refuse(fmt::format("the tensor does not fit {} there", location->name),
                  fmt::format("{} long words from address {}", map->unit_lw(), address),
                  fmt::format("an end within {} long words", location->capacity_lw));
  const int64_t points = map->elements() * map->partial_count() * map->copies();
  if (map->total_lw() > kFreeImageLw && map->total_lw() / kMostLwPerElement > points)
    return refuse("the tensor is spread too thin to be moved at once",
                  fmt::format("{} long words of {} for {} elements", map->total_lw(), location->name, points),
                  fmt::format("at most {} long words, or {} for each element: move it in parts", kFreeImageLw,
                              kMostLwPerElement));
  return Placed{parsed->layout, location, *mem, dtype, std::move(*map)};
}

// T is read and written by entry: 0..3 = MSB long words of the cycles, 4..7 = LSB ones.
int64_t entry_of_t(int64_t address) { return address / 2 + address % 2 * 4; }

// Calls f(offset in the image, unit, address, long words) for every unit that holds a point, in pieces that lie together.
template <class F>
Status for_each_unit_image(const Placed& p, const MachineConfig& machine, int64_t address, F f) {
  for (int64_t instance : p.map.used_units()) {
    const UnitCoord unit = unit_of_instance(machine, *p.location, instance);
    const int64_t begin = instance * p.map.unit_lw();
    if (p.mem != isa::Mem::kT) {
      Status s = f(begin, unit, address, p.map.unit_lw());
      if (!s.ok()) return s;
      continue;
    }
    for (int64_t a = 0; a < p.map.unit_lw(); ++a) {
      Status s = f(begin + a, unit, entry_of_t(address + a), 1);
      if (!s.ok()) return s;
    }
  }
  return Ok{};
}

// Four bits per long word: lanes in which some bit belongs to the tensor.
uint8_t lanes_of(uint64_t mask) {
  uint8_t lanes = 0;
  for (int k = 0; k < 4; ++k) lanes = static_cast<uint8_t>(lanes << 1 | ((mask >> (48 - 16 * k) & 0xffff) != 0));
  return lanes;
}

}  // namespace

Status set_tensor(emu::Machine& machine, std::string_view layout, std::string_view dtype, int64_t address,
                  std::span<const uint8_t> elements) {
  const MachineConfig& config = machine.config();
  auto placed = place(config, layout, dtype, address);
  if (!placed) return placed.take_error();
  const ImageMap& map = placed->map;
  const int64_t need = map.elements() * map.partial_count() * map.bits() / 8;
  if (static_cast<int64_t>(elements.size()) != need)
    return refuse(
        "the elements do not fill the tensor", fmt::format("{} bytes", elements.size()),
        fmt::format("{} bytes: {} elements of {}", need, map.elements() * map.partial_count(), placed->dtype->name));
  // Packed over two grounds, the bits that agree belong to the tensor.
  PackOptions options;
  if (placed->layout->pad == PadKind::kValue)
    options.pad_bits = num::numerics().encode(placed->dtype->dtype, placed->layout->pad_value);
  std::vector<uint64_t> zeros(static_cast<size_t>(map.total_lw())), ones(zeros.size());
  pack(map, elements, zeros, options);
  options.fill = ~uint64_t{0};
  pack(map, elements, ones, options);
  std::vector<uint64_t> old;
  std::vector<uint8_t> lanes;
  return for_each_unit_image(*placed, config, address,
                             [&](int64_t from, UnitCoord unit, int64_t at, int64_t n) -> Status {
                               old.resize(static_cast<size_t>(n));
                               lanes.resize(static_cast<size_t>(n));
                               if (Status s = machine.read_span(placed->mem, unit, at, old); !s.ok()) return s;
                               for (size_t i = 0; i < old.size(); ++i) {
                                 const size_t k = static_cast<size_t>(from) + i;
                                 const uint64_t mask = ~(zeros[k] ^ ones[k]);
                                 old[i] = (old[i] & ~mask) | (zeros[k] & mask);
                                 lanes[i] = lanes_of(mask);
                               }
                               return machine.write_span(placed->mem, unit, at, old, lanes);
                             });
}

Result<TensorBits> get_tensor(const emu::Machine& machine, std::string_view layout, std::string_view dtype,
                              int64_t address, int64_t copy) {
  const MachineConfig& config = machine.config();
  auto placed = place(config, layout, dtype, address);
  if (!placed) return placed.take_error();
  const ImageMap& map = placed->map;
  if (copy < 0 || copy >= map.copies())
    return refuse("the layout has no such copy", fmt::format("copy {}", copy), fmt::format("0..{}", map.copies() - 1));
  std::vector<uint64_t> image(static_cast<size_t>(map.total_lw()));
  std::vector<uint8_t> defined(machine.options().strict ? image.size() : 0);
  Status s =
      for_each_unit_image(*placed, config, address, [&](int64_t from, UnitCoord unit, int64_t at, int64_t n) -> Status {
        const auto first = static_cast<size_t>(from), count = static_cast<size_t>(n);
        if (!defined.empty())
          if (Status d = machine.defined_span(placed->mem, unit, at, {defined.data() + first, count}); !d.ok())
            return d;
        return machine.read_span(placed->mem, unit, at, {image.data() + first, count});
      });
  if (!s.ok()) return s.take_error();
  TensorBits out{placed->dtype->dtype, map.partial(), map.shape(), {}, map.copies(), 0};
  out.data.resize(static_cast<size_t>(map.elements() * map.partial_count() * map.bits() / 8));
  unpack(map, image, out.data, copy);
  if (defined.empty()) return out;
  const int width = std::max(1, map.bits() / 16), want = (1 << width) - 1;
  for (int64_t p = 0; p < map.partial_count(); ++p)
    for (int64_t e = 0; e < map.elements(); ++e) {
      const Place at = map.place(e, p, copy);
      const int lane = static_cast<int>(at.lane) * map.bits() / 16;
      const int bits = defined[static_cast<size_t>(at.unit * map.unit_lw() + at.address)] >> (4 - width - lane) & want;
      out.undefined += bits != want;
    }
  return out;
}

}  // namespace kumihimo::mncore2::session
