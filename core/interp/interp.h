// Running a program on the host, without a machine.
//
//   exact       the bits of the target, op by op: the yardstick of lowered code
//   reference   float64 on the already quantised inputs: the yardstick of the numerics
//
// The interpreter only walks: it takes inputs by name, calls the target's function of each node's value id (or the
// op's float64 meaning), and collects the outputs. Arithmetic is the target's (Numerics in core/dispatch/target.h).
// Values with partial tails keep their copies apart in `exact`; in `reference` they are their whole value already.
//
//   auto run = run_exact(module, *module.find_function("main"), {{"q", q}, {"k", k}});
//   run->outputs.at("scores")      element bits, row-major
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/dispatch/target.h"
#include "core/ops/tensor.h"

namespace kumihimo {

using TensorMap = std::map<std::string, Tensor, std::less<>>;
using RealMap = std::map<std::string, RealTensor, std::less<>>;

struct RunOptions {
  bool keep_values = false;         // results of all nodes, not only of outputs
  std::function<bool()> interrupt;  // asked between nodes; true ends the run
};

struct ExactRun {
  TensorMap outputs;
  std::map<ValueId, std::shared_ptr<const Tensor>> values;
};
Result<ExactRun> run_exact(const Module& module, const Function& function, const TensorMap& inputs,
                           const RunOptions& options = {});

struct ReferenceRun {
  RealMap outputs;
  std::map<ValueId, std::shared_ptr<const RealTensor>> values;
};
Result<ReferenceRun> run_reference(const Module& module, const Function& function, const TensorMap& inputs,
                                   const RunOptions& options = {});

// Element bits as numbers and back, with the target's declared rounding. Partial axes become leading dims.
RealTensor to_real(const Numerics& numerics, const Tensor& tensor);
Tensor from_real(const Numerics& numerics, Dtype dtype, const RealTensor& real);

}  // namespace kumihimo
