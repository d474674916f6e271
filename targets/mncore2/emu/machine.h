// The emulator: executes a decoded program on the whole machine, bit for bit.
//
//   auto machine = Machine::create(*find_machine("mncore2"), {.threads = 2});
//   auto report = (*machine)->run(program, {.sink = [](std::string_view line) { ... }});
//   auto word = (*machine)->read_lw(isa::Mem::kLm0, {0, 0, 0, 0, 0}, 0);
//
// Law: every instruction takes effect at once, in program order; within one step all units read before any
// of them writes (ISA 3.5 [V], 9.1 [V]). The emulator reaches the same states in another order: between two
// transfers of a level, the units below it cannot see each other, so each of them runs all its steps alone
// while its memory is in the host's cache (segments, see engine.h). EmuOptions::order = kSteps executes in
// the order of the law; both give identical states, dumps and findings, and so does any number of threads.
//
// Strict mode adds definedness: one bit per 16 bits of every memory, latch, flag and address register, moved
// along by every instruction. A finding is reported when an undefined bit reaches an address, a dump, or a
// block conversion, contraction or reduction together with defined elements; when an address leaves its
// memory or is misaligned; and when a word is touched that a tagged MV has in flight. Computing on undefined
// data is not a finding: all PEs always execute.
//
// What it cannot do: it has no clock. Steps and instruction words are counted; stalls and MV time belong to
// the cost model. Hazards and issue rules are the checker's in targets/mncore2/hazard.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/fast/path.h"
#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::emu {

enum class Order : uint8_t {
  kSegments,  // each unit runs alone between transfers: fast
  kSteps,     // every unit finishes a step before the next begins: the law itself, for tests
};

struct EmuOptions {
  bool strict = false;
  bool strict_dumps = true;  // undefined bits in a `d get` are findings (strict mode only)
  uint64_t poison = 0;       // every long word of every memory holds this before the first write
  int threads = 1;           // 0 = one per processor
  Order order = Order::kSegments;
  fast::Path path = fast::Path::kAuto;  // results do not depend on it; strict mode and other switches use kScalar
  num::Switches switches{};             // choices for what nobody has published
};

// Receives one dump line, without the line feed.
using DumpSink = std::function<void(std::string_view)>;

// A part of what a `d get` prints: lines first, first + 1, ... of it. A statement may print 2^31 lines, which nobody wants
// to hold at once.
struct DumpWindow {
  uint64_t first = 0, count = UINT64_MAX;
};

struct RunOptions {
  DumpSink sink;                                // where `d get` prints; none = dumps are not made
  std::function<bool()> interrupt;              // polled about every 10 ms on the calling thread; true = stop
  std::string file;                             // name used in diagnostics
  size_t first_line = 0, last_line = SIZE_MAX;  // only lines [first, last) of the program
  DumpWindow dump_window{};                     // of every `d get`; findings of its later parts join those of the first
};

struct RunReport {
  uint64_t steps = 0;     // PE instruction words, nop/N counted N times
  uint64_t mv_count = 0;  // MV instruction words
  uint64_t instruction_words() const { return steps + mv_count; }
  uint64_t dump_lines = 0;
  std::array<uint64_t, 12> unit_steps{};  // indexed by isa::Unit: steps in which the unit works
};

class Machine {
 public:
  static Result<std::unique_ptr<Machine>> create(const MachineConfig& config, const EmuOptions& options = {});
  virtual ~Machine() = default;

  // Runs all lines. State is kept, so several runs follow each other as if their lines had been joined; the mask
  // statement in force, wait tags and counts of tagged MVs are kept too. After an error or an interruption (K4001)
  // the state is unspecified until reset().
  virtual Result<RunReport> run(const isa::Program& program, const RunOptions& options = {}) = 0;

  // Everything as after create(): memories poisoned (and undefined in strict mode), no findings.
  virtual void reset() = 0;

  // Long words of one unit's memory. LM0, LM1, GRF0, GRF1: long-word addresses. T and the forwarding registers: 0..3 =
  // MSB long words of the cycles, 4..7 = LSB ones. L1BM, L2BM, PDM, DRAM: long words. Matrix registers: 4 * row + PE.
  // Mask registers: the 16 bits of one entry; base addresses: 12 bits at address 0; DAR: the 32 bits of one entry.
  // Turnaround register: 64 * cycle + place. Others are an error, and so is an address outside the memory. A write defines the lanes it names (four bits
  // per word as in defined_lanes; all when `lanes` is empty).
  virtual Result<uint64_t> read_lw(isa::Mem mem, UnitCoord unit, int64_t addr_lw) const = 0;
  virtual Status write_lw(isa::Mem mem, UnitCoord unit, int64_t addr_lw, uint64_t value) = 0;
  virtual Status read_span(isa::Mem mem, UnitCoord unit, int64_t addr_lw, std::span<uint64_t> out) const = 0;
  virtual Status write_span(isa::Mem mem, UnitCoord unit, int64_t addr_lw, std::span<const uint64_t> values,
                            std::span<const uint8_t> lanes = {}) = 0;

  // Four bits, most significant = first 16 bits of the long word; all ones when strict mode is off.
  virtual Result<uint8_t> defined_lanes(isa::Mem mem, UnitCoord unit, int64_t addr_lw) const = 0;
  virtual Status defined_span(isa::Mem mem, UnitCoord unit, int64_t addr_lw, std::span<uint8_t> out) const = 0;

  // Strict findings so far, in program order. One per instruction, operand and kind, naming the first place.
  virtual std::vector<Diagnostic> findings() const = 0;

  // The whole state as bytes: memories, registers, what strict mode knows, the mask statement, MVs in flight, findings.
  // load_state accepts what a machine of the same row and the same options wrote; after a refusal (K4020) the state is
  // unspecified until reset(). Files and positions in a program are the session's (targets/mncore2/session).
  virtual std::string save_state() const = 0;
  virtual Status load_state(std::string_view bytes) = 0;

  virtual const MachineConfig& config() const = 0;
  virtual const EmuOptions& options() const = 0;
};

// Diagnostics of the emulator (K4xxx). Registered by the target together with its other rows.
std::span<const DiagDef> diagnostics();

}  // namespace kumihimo::mncore2::emu
