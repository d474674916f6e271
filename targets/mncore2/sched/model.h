// What the list scheduler works on: a virtual program with its webs, access patterns, resources and dependences,
// in flat arrays. Built once per schedule(); the search reads it hundreds of times.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sched/vprogram.h"

namespace kumihimo::mncore2::sched {

inline constexpr int kNumBanks = 5;
constexpr int bank_index(Bank b) { return static_cast<int>(b); }
constexpr bool is_lm(int bank) { return bank == bank_index(Bank::kLm0) || bank == bank_index(Bank::kLm1); }
constexpr bool is_grf(int bank) { return bank == bank_index(Bank::kGrf0) || bank == bank_index(Bank::kGrf1); }

// Where a web may live: one bank, copies in two or three, or nowhere (every use is forwarded).
struct Choice {
  int8_t count = 0;
  std::array<int8_t, 3> bank{-1, -1, -1};
  bool forward_only() const { return count == 0; }
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Web {
  VRegId reg = kNoId;
  int32_t first_row = 0, rows = 0, align = 1;
  BankSet allowed = 0;
  bool output = false, literal = false;
  std::vector<Choice> choices;  // never empty
  int32_t forward_choice = -1;  // index of the forward-only choice
  int32_t num_searched = 0;  // choices[0 .. num_searched) are tried at random; those behind only to mend port conflicts
};

// A definition that reaches a use: the reader must be this many steps later when it reads the bank.
struct ReachingDef {
  int32_t insn;
  int8_t grf_steps;  // from the 6-cycle rule, cycle by cycle; also holds for T
};

// Register source of an instruction.
struct SrcModel {
  int32_t operand;  // index in VInsn::srcs
  int32_t web;
  int32_t pattern;              // equal patterns of one web read the same addresses in every cycle
  int32_t first_def, num_defs;  // range in Model::defs
  int32_t forward_def;          // the only definition, and its latch holds exactly this value; else -1
  bool second_slot;             // shares the MAU source slot with mwrite
  uint8_t modifiers;
};

// Register destination.
struct DstModel {
  int32_t operand;
  int32_t web;
  int32_t pattern;
};

// Which L1BM port an instruction uses, and in which direction.
enum class TreePort : uint8_t { kNone, kL2bmDown, kL2bmUp, kL1bmDown, kL1bmUp };
inline constexpr int kNumTreePorts = 5;

struct InsnModel {
  isa::Unit unit = isa::Unit::kNop;
  isa::Prec prec = isa::Prec::kNone;
  bool is_mv = false, is_imm = false, writes_flags = false;
  TreePort tree_port = TreePort::kNone;
  uint8_t sides = 0;      // bit 0 = x, bit 1 = y
  int16_t mask_key = -1;  // entry | ll << 5; -1 = no mask and no zero-flush
  int32_t first_src = 0, num_srcs = 0, first_dst = 0, num_dsts = 0;
  int32_t first_edge = 0, num_edges = 0;  // edges to successors
  std::array<int32_t, 2> bufs{-1, -1};    // tree buffers that it touches
  // MV
  isa::MvPorts ports = 0;
  int32_t port_cycles = 0, latency_cycles = 0;
};

enum class EdgeKind : uint8_t {
  kFixed,  // successor at least `steps` later (0 = same step allowed); to an MV: it stands before step >= pred + steps
  kRegister,  // read of a web: the distance depends on bank and forwarding
  kWait,      // predecessor is an MV: its wait must stand in an earlier step
};
struct Edge {
  int32_t pred, succ;
  EdgeKind kind;
  int8_t steps;      // kFixed; kRegister: distance through GRF or T
  bool forwardable;  // kRegister: the value can be taken from the latch, one step later
  int32_t web = -1;
};

struct Model {
  VProgram program;  // literals have become imm instructions
  std::vector<InsnModel> insns;
  std::vector<SrcModel> srcs;
  std::vector<DstModel> dsts;
  std::vector<ReachingDef> defs;
  std::vector<Edge> edges;  // grouped by predecessor
  std::vector<Web> webs;
  std::vector<std::array<std::vector<int32_t>, 2>> operand_webs;  // per instruction: web of each src, dst operand; -1
  std::vector<uint8_t> mask_entry;                                // per virtual mask
  std::vector<uint8_t> mat_side;                                  // per virtual matrix: 0 = x, 1 = y
  std::vector<bool> live_out;                                     // per dst: its value is an output's at the end
  int32_t num_patterns = 0;
};

// Fails when the program is malformed or needs more matrix sides or mask entries than exist.
Result<Model> build_model(const VProgram& program, const MachineConfig& machine);

}  // namespace kumihimo::mncore2::sched
