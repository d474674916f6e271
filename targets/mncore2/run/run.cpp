#include "targets/mncore2/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "targets/mncore2/machine_units.h"

namespace kumihimo::mncore2 {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }

Diagnostic run_error(std::string_view code, std::string headline, std::string observed, std::string required) {
  Diagnostic d = make_error(code, std::move(headline));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

}  // namespace

Result<PackedInput> pack_input(const lower::InputPlace& place, const TensorMap& inputs) {
  auto it = inputs.find(place.name);
  if (it == inputs.end())
    return run_error("run_missing_input", fmt::format("input {} has no value", place.name), "no value",
                     to_string(*place.type));
  const Tensor& t = it->second;
  if (t.dtype != place.type->dtype || t.shape != place.type->shape)
    return run_error("run_input_shape", fmt::format("the value of input {} does not fit", place.name),
                     to_string(*logical_type(t.dtype, t.shape)),
                     to_string(*logical_type(place.type->dtype, place.type->shape)));
  const int bits = dtype_def(t.dtype).bits;
  auto map = image_map(*place.type->layout, *place.type->tree, place.type->location, bits);
  if (!map) return map.take_error();
  PackedInput out{std::move(*map), {}};
  out.image.resize(static_cast<size_t>(out.map.total_lw()));
  PackOptions options;
  if (place.type->layout->pad == PadKind::kValue)
    options.pad_bits = find_target(place.type->tree->name)->numerics->encode(t.dtype, place.type->layout->pad_value);
  pack(out.map, t.data, out.image, options);
  return out;
}

Result<std::string> input_lines(const lower::Kernel& kernel, const TensorMap& inputs) {
  std::string out;
  for (const lower::InputPlace& place : kernel.inputs) {
    auto packed = pack_input(place, inputs);
    if (!packed) return packed.take_error();
    // Count is written in three hex digits; 64 long words a line keep lines readable by other tools.
    constexpr int64_t kPerLine = 64;
    const int64_t unit = packed->map.unit_lw();
    for (int64_t g = 0; g < packed->map.units(); ++g)
      for (int64_t a = 0; a < unit; a += kPerLine) {
        int64_t n = std::min(kPerLine, unit - a);
        out += fmt::format("r {} {:09x} {:03x}", g, place.dram_addr_lw + a, n);
        out += " ";
        for (int64_t i = 0; i < n; ++i)
          out += fmt::format("{:016x}", packed->image[static_cast<size_t>(g * unit + a + i)]);
        out += "\n";
      }
  }
  return out;
}

Result<KernelRun> run_kernel(const lower::Kernel& kernel, const TensorMap& inputs, const KernelRunOptions& options) {
  KernelRun run;
  for (const auto& [name, tensor] : inputs)
    if (std::ranges::none_of(kernel.inputs, [&name = name](const lower::InputPlace& p) { return p.name == name; }))
      return run_error("run_unknown_input", fmt::format("the program has no input {}", name), name,
                       "names of inputs only");
  auto start = Clock::now();
  emu::EmuOptions emu_options;
  emu_options.strict = options.strict;
  emu_options.poison = options.poison;
  emu_options.threads = options.threads;
  auto machine = emu::Machine::create(*kernel.machine, emu_options);
  if (!machine) return machine.take_error();
  for (const lower::InputPlace& place : kernel.inputs) {
    auto packed = pack_input(place, inputs);
    if (!packed) return packed.take_error();
    const int64_t unit = packed->map.unit_lw();
    for (int64_t g = 0; g < packed->map.units(); ++g) {
      std::span<const uint64_t> words(packed->image.data() + g * unit, static_cast<size_t>(unit));
      if (auto s =
              (*machine)->write_span(isa::Mem::kDram, {static_cast<int>(g), 0, 0, 0, 0}, place.dram_addr_lw, words);
          !s)
        return s.take_error();
    }
  }
  run.pack_ms = ms_since(start);

  start = Clock::now();
  auto report = (*machine)->run(options.program ? *options.program : kernel.scheduled.program,
                                {.sink = {}, .interrupt = options.interrupt, .file = "<kernel>"});
  if (!report) return report.take_error();
  run.report = *report;
  run.emulate_ms = ms_since(start);

  start = Clock::now();
  for (const lower::OutputPlace& place : kernel.outputs) {
    const MachineTree& tree = *place.type->tree;
    auto map = image_map(*place.type->layout, tree, place.type->location, dtype_def(place.type->dtype).bits);
    if (!map) return map.take_error();
    OutputImage out{place.name, place.type, std::move(*map), {}, 0};
    out.image.resize(static_cast<size_t>(out.map.total_lw()));
    const int64_t unit = out.map.unit_lw();
    const LocationDef& location = tree.locations[static_cast<size_t>(place.type->location)];
    for (int64_t u : out.map.used_units()) {
      std::span<uint64_t> words(out.image.data() + u * unit, static_cast<size_t>(unit));
      if (auto s =
              (*machine)->read_span(place.mem, unit_of_instance(*kernel.machine, location, u), place.addr_lw, words);
          !s)
        return s.take_error();
    }
    if (options.strict) {
      // A long word holds 64 / bits lanes; each must be defined where an element lies.
      const int lanes_of_element = dtype_def(place.type->dtype).bits / 16;
      for (int64_t p = 0; p < out.map.partial_count(); ++p)
        for (int64_t k = 0; k < out.map.copies(); ++k)
          for (int64_t e = 0; e < out.map.elements(); ++e) {
            Place at = out.map.place(e, p, k);
            auto lanes = (*machine)->defined_lanes(place.mem, unit_of_instance(*kernel.machine, location, at.unit),
                                                   place.addr_lw + at.address);
            if (!lanes) return lanes.take_error();
            int shift = 4 - lanes_of_element * static_cast<int>(at.lane + 1);
            int want = (1 << lanes_of_element) - 1;
            if (((*lanes >> shift) & want) != want) ++out.undefined_words;
          }
    }
    run.outputs.push_back(std::move(out));
  }
  run.findings = (*machine)->findings();
  run.read_ms = ms_since(start);
  return run;
}

Tensor output_tensor(const OutputImage& output) {
  Tensor t = Tensor::zeros(output.type->dtype, output.type->shape, output.map.partial());
  unpack(output.map, output.image, t.data);
  return t;
}

}  // namespace kumihimo::mncore2
