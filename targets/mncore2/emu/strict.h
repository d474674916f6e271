// Strict mode's bookkeeping: findings of all workers, and the words that MVs have in flight.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/emu/state_bytes.h"
#include "targets/mncore2/isa/mv.h"

namespace kumihimo::mncore2::emu {

// One worker's findings. Of many occurrences of one kind at one operand the lowest place is kept, so the result does
// not depend on the order in which units were executed.
class FindingLog final : public Findings {
 public:
  struct Key {
    uint32_t line;
    int operand;
    FindingKind kind;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    UnitCoord where;
    int64_t detail;
    const isa::Insn* insn;
    uint64_t count;
  };
  void add(FindingKind kind, uint32_t line, const isa::Insn* insn, int operand, UnitCoord where,
           int64_t detail) override;
  void merge(const FindingLog& other);
  void clear() { found_.clear(); }
  const std::map<Key, Value>& found() const { return found_; }

 private:
  void note(const Key& key, const Value& value);
  std::map<Key, Value> found_;
};

// Diagnostics of a run, in program order.
std::vector<Diagnostic> describe(const FindingLog& log, const isa::Program& program, const std::string& file);

// Long words that tagged MVs are still moving, in program order. Addresses of MV and L2BM instructions do not depend on
// data, so the whole check is made before execution.
//
// An MV is over when its tag, or that of a later MV that shares a port with it, has been waited for: MVs are in order
// per port (ISA 4.6 [I]). MVs of one kind may follow each other without a wait for the same reason.
class InFlight {
 public:
  void mv(const Op& op, Findings& findings);
  void step(const StepPlan& step, Findings& findings);
  void dar(const Op& op, Findings& findings);
  // A debug or host statement that reads or writes long words of a memory.
  void access(const isa::MvRange& range, bool write, uint32_t line, Findings& findings);
  void wait(uint8_t tag);
  void clear() {
    moving_.clear();
    dar_next_ = 0;
  }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Moving {
    isa::MvFootprint footprint;
    isa::MvPorts ports;
    std::string_view kind;  // name of the row: "mvp"
    uint8_t tag;            // 0 = nobody can wait for it by itself
  };
  // `kind`: an MV of this name is in order with what it meets.
  void check(const isa::MvRange& range, bool write, std::string_view kind, uint32_t line, const isa::Insn* insn,
             int operand, Findings& findings);
  std::vector<Moving> moving_;
  int64_t dar_next_ = 0;  // the entry that the next l2bmdarw writes first
};

}  // namespace kumihimo::mncore2::emu
