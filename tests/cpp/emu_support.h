// What the emulator's tests share: running text, and reading machine state back through the public interface.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/emu/run_text.h"
#include "targets/mncore2/num/formats.h"

namespace kumihimo::mncore2::emu {

using isa::Mem;

inline const MachineConfig& full() { return *find_machine("mncore2"); }
inline const MachineConfig& tiny() { return *find_machine("mncore2-tiny"); }

// A machine with a program loop around it. Errors fail the test.
class Lab {
 public:
  explicit Lab(const MachineConfig& config = tiny(), const EmuOptions& options = {}) {
    auto m = Machine::create(config, options);
    EXPECT_TRUE(m.ok());
    machine = std::move(*m);
  }
  // Returns the dump lines.
  std::vector<std::string> run(const std::string& text) {
    std::vector<std::string> dumps;
    const auto assembled = vsm::assemble(text, "test.vsm");
    for (const Diagnostic& d : assembled.errors) ADD_FAILURE() << render_text(d);
    RunOptions options;
    options.file = "test.vsm";
    options.sink = [&](std::string_view line) { dumps.emplace_back(line); };
    auto report = machine->run(assembled.program, options);
    if (!report.ok())
      ADD_FAILURE() << render_text(report.error());
    else
      last = *report;
    return dumps;
  }
  uint64_t lw(Mem mem, UnitCoord u, int64_t addr) const {
    auto r = machine->read_lw(mem, u, addr);
    EXPECT_TRUE(r.ok());
    return r.ok() ? *r : 0;
  }
  std::vector<uint64_t> lws(Mem mem, UnitCoord u, int64_t addr, size_t count) const {
    std::vector<uint64_t> out(count);
    EXPECT_TRUE(machine->read_span(mem, u, addr, out).ok());
    return out;
  }
  void set(Mem mem, UnitCoord u, int64_t addr, uint64_t value) {
    EXPECT_TRUE(machine->write_lw(mem, u, addr, value).ok());
  }
  void set(Mem mem, UnitCoord u, int64_t addr, const std::vector<uint64_t>& values) {
    EXPECT_TRUE(machine->write_span(mem, u, addr, values).ok());
  }
  uint8_t def(Mem mem, UnitCoord u, int64_t addr) const {
    auto r = machine->defined_lanes(mem, u, addr);
    EXPECT_TRUE(r.ok());
    return r.ok() ? *r : 0;
  }
  // Names of the findings so far, in order.
  std::vector<std::string> findings() const {
    std::vector<std::string> names;
    for (const Diagnostic& d : machine->findings()) names.emplace_back(d.def->name);
    return names;
  }

  std::unique_ptr<Machine> machine;
  RunReport last;
};

template <class F>
void for_each_mab(const MachineConfig& config, F f) {
  UnitCoord u;
  for (u.g = 0; u.g < config.groups; ++u.g)
    for (u.s = 0; u.s < config.l2bs_per_group; ++u.s)
      for (u.b = 0; u.b < config.l1bs_per_l2b; ++u.b)
        for (u.m = 0; u.m < config.mabs_per_l1b; ++u.m) f(u);
}
template <class F>
void for_each_l1b(const MachineConfig& config, F f) {
  for_each_mab(config, [&](UnitCoord u) {
    if (u.m == 0) f(u);
  });
}
template <class F>
void for_each_l2b(const MachineConfig& config, F f) {
  for_each_l1b(config, [&](UnitCoord u) {
    if (u.b == 0) f(u);
  });
}
template <class F>
void for_each_pe(const MachineConfig& config, F f) {
  for_each_mab(config, [&](UnitCoord u) {
    for (u.p = 0; u.p < config.pes_per_mab; ++u.p) f(u);
  });
}

inline std::vector<uint64_t> random_lws(std::mt19937_64& rng, size_t count) {
  std::vector<uint64_t> v(count);
  for (uint64_t& x : v) x = rng();
  return v;
}

// Long words of elements, MSB first.
inline uint64_t halves(double a, double b, double c, double d) {
  uint64_t lw = 0;
  for (double x : {a, b, c, d}) lw = lw << 16 | num::from_double(num::kHalf, x);
  return lw;
}
inline uint64_t singles(double a, double b) {
  return num::from_double(num::kSingle, a) << 32 | num::from_double(num::kSingle, b);
}
inline uint64_t dbl(double a) { return num::from_double(num::kDouble, a); }
inline double half_at(uint64_t lw, int k) { return num::to_double(num::kHalf, lw >> (48 - 16 * k) & 0xffff); }
inline double single_at(uint64_t lw, int k) { return num::to_double(num::kSingle, lw >> (32 - 32 * k) & 0xffffffffu); }

}  // namespace kumihimo::mncore2::emu
