// What one output line of a testcase says behind its `#`:
//
//   # expect=[0.25, 1.75] / Float @[3,0],[3,1] atol=1e-05 rtol=0.001
//
// The values are Python literals: a list of numbers, or a string for characters. Each value has an index into the
// output tensor; values beyond the last index are not compared (a word that is stored twice has one index).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/judge/dtype.h"

namespace kumihimo::mncore2::judge {

struct Expectation {
  const Dtype* dtype = nullptr;
  std::vector<Value> values;
  std::vector<int64_t> indices;  // `rank` numbers for each element
  int rank = 0;
  Tolerance tolerance;
  // Elements that are compared.
  size_t count() const { return rank == 0 ? 0 : std::min(values.size(), indices.size() / static_cast<size_t>(rank)); }
};

struct ReadFault {
  std::string_view diagnostic;  // name of a row of rows.h
  size_t column = 0;            // 0-based, in the line
  std::string headline, observed, required;
};

// `line` is the whole line; `out` is overwritten. No fault = read.
std::optional<ReadFault> read_expectation(std::string_view line, Expectation& out);

}  // namespace kumihimo::mncore2::judge
