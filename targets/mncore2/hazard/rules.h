// Hazards: which read may follow which write, and when.
//
// The machine has no interlocks; the vendor's assembler refuses code that reads too early. A rule joins a kind of write
// with a kind of later access and says the distance that is needed, in one of two forms:
//   port  the two may not follow closer than `gap` full steps in between, whatever the addresses;
//   data  on the same address, (read cycle - write cycle - 1) >= `latency_cycles`, cycles counted 4 per step.
// Example (ISA 9.1 [V]): `imm i"1" $r0/1000; nop; linc $r0 $r2` has 7 cycles between and is legal; with /0010 it has 5.
//
// A profile is a list of rules. "default" holds the published rules and, for L1BM and L2BM, the strict estimates of ISA
// 9.2; "published" holds only what the vendor published; "cautious" adds the upper ends of the estimates. Scheduler, linter and reference page read the same rows.
// What rules cannot say: how long an MV takes. MVs are waited for by tag; see lint.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::hazard {

// Who touches what. Each is either a write or a read.
enum class AccessKind : uint8_t {
  kLmWrite,
  kLmRead,  // LM0, LM1
  kGrfWrite,
  kGrfRead,  // GRF0, GRF1
  kTWrite,
  kTRead,  // also the T read of $lmt
  kBarWrite,
  kBarRead,  // every LM access reads its base address
  kL1bmFromL2bm,
  kL1bmToL2bm,  // L2B side of L1BM: written by a download, read by an upload
  kL1bmFromPe,
  kL1bmToPe,  // PE side of L1BM
  kL2bmWrite,
  kL2bmRead,  // by L2BM instructions
  kMvWrite,
  kMvRead,  // by MVs
  kNone,
};
bool is_write(AccessKind kind);

// Addresses [lo, hi) of each cycle, in the unit of the memory (words for LM and GRF, long words elsewhere, the cycle
// itself for T). An empty range = nothing happens in that cycle (masked by a fixed pattern).
struct Access {
  AccessKind kind = AccessKind::kNone;
  isa::Mem mem = isa::Mem::kNone;
  std::array<std::array<int64_t, 2>, 4> range{};
  int operand = -1;  // sources first, then destinations
};

enum class RuleForm : uint8_t { kPort, kData };

struct Rule {
  std::string_view id;  // "grf_data"
  RuleForm form;
  AccessKind write, read;
  int gap = 0;              // kPort: full steps between
  int latency_cycles = 0;   // kData
  std::string_view doc;     // one sentence
  std::string_view source;  // "ISA 9.1"
  isa::Evidence evidence;
  bool cautious = false;  // only in the profile "cautious"
};

struct Profile {
  std::string_view name;
  std::string_view doc;
  std::vector<const Rule*> rules;
};

std::span<const Rule> rules();
const Profile& default_profile();
const Profile* find_profile(std::string_view name);  // null when there is none
std::span<const Profile> profiles();
std::string profile_names();  // "one of default, published, cautious", for errors

// Accesses of one PE instruction to memories that rules know, in operand order. The mask statement in force matters:
// a fixed pattern removes cycles from a write. Precondition: the instruction passes check_insn.
void append_accesses(const isa::Insn& insn, const isa::MaskState& masks, std::vector<Access>& out);
// The same of an MV. It takes no step: its read is made in the step that follows it. Instances are not told apart, for
// PE instructions write all of them.
void append_mv_accesses(const isa::Insn& mv, std::vector<Access>& out);

// Full steps that must lie between the step of `write` and the step of `read`: 0 = the next step is legal. The rule that
// asks for the most is stored in `why`.
int min_gap_steps(const Access& write, const Access& read, const Profile& profile = default_profile(),
                  const Rule** why = nullptr);
inline bool legal(const Access& write, const Access& read, int64_t steps_between,
                  const Profile& profile = default_profile()) {
  return steps_between >= min_gap_steps(write, read, profile);
}
// The data rule by itself: gap for a write in cycle `write_cycle` and a read of the same address in `read_cycle`.
constexpr int data_gap_steps(int latency_cycles, int write_cycle, int read_cycle) {
  // 4 * (gap + 1) + read - write - 1 >= latency
  const int cycles = latency_cycles + 1 + write_cycle - read_cycle;
  const int distance = cycles <= 4 ? 1 : (cycles + 3) / 4;
  return distance - 1;
}
// The longest gap that any rule of the profile asks for.
int max_gap_steps(const Profile& profile);

}  // namespace kumihimo::mncore2::hazard
