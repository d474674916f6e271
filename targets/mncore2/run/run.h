// Running a lowered kernel on the emulator and holding its outputs against expected bits.
//
//   auto run = run_kernel(kernel, inputs, {.strict = true});
//   run->outputs[0].image         the words of every unit, as the machine left them
//   compare_output(*run, 0, exact)   every non-padding point of every copy, P copies one by one
//
// Inputs are packed into the images that their layouts describe and written into each group's DRAM, as the host
// (or a staging step that cost reports apart) would have left them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/interp/interp.h"
#include "core/layout/image.h"
#include "core/ops/tensor.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/lower/kernel.h"

namespace kumihimo::mncore2 {

struct KernelRunOptions {
  bool strict = false;
  uint64_t poison = 0;
  int threads = 2;
  std::function<bool()> interrupt;
  const isa::Program* program = nullptr;  // runs this instead of the kernel's own (tests change a word of it)
};

struct OutputImage {
  std::string name;
  TypeRef type = nullptr;
  ImageMap map;
  std::vector<uint64_t> image;
  int64_t undefined_words = 0;  // strict: live words with an undefined bit
};

struct KernelRun {
  std::vector<OutputImage> outputs;
  emu::RunReport report;
  std::vector<Diagnostic> findings;  // strict findings
  double pack_ms = 0, emulate_ms = 0, read_ms = 0;
};

Result<KernelRun> run_kernel(const lower::Kernel& kernel, const TensorMap& inputs, const KernelRunOptions& options);

// First copy of an output as a tensor.
Tensor output_tensor(const OutputImage& output);

// Packs one input; the image of group g begins at g * map.unit_lw().
struct PackedInput {
  ImageMap map;
  std::vector<uint64_t> image;
};
Result<PackedInput> pack_input(const lower::InputPlace& place, const TensorMap& inputs);

// `r` lines (ISA 10.1) that put the inputs into the DRAMs: what `kumi lower --with-data` writes in front of the code.
Result<std::string> input_lines(const lower::Kernel& kernel, const TensorMap& inputs);

}  // namespace kumihimo::mncore2
